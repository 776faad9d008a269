#!/usr/bin/env bash
# Anthropic's skill-creator reads a workspace of skills eval: its viewer shows the prompt, the
# outputs and the grades of each run, and its aggregator gets the same means.
#
# usage: ci/skill-creator.sh DIR   with DIR a checkout of skill-creator, which has eval-viewer and scripts
set -euo pipefail
creator=$(cd "${1:?usage: ci/skill-creator.sh DIR}" && pwd)
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'kill "$server" 2>/dev/null || true; rm -rf "$work"' EXIT
go build -o "$work/skills" .

cat >"$work/server.py" <<'PY'
import http.server, json
class Model(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        asked = self.rfile.read(int(self.headers["Content-Length"])).decode()
        reply = {"role": "assistant", "content": "carmine" if "color-names" in asked else "red"}
        body = json.dumps({"id": "x", "object": "chat.completion", "created": 0, "model": "m", "usage": {"prompt_tokens": 9, "completion_tokens": 1, "total_tokens": 10},
            "choices": [{"index": 0, "finish_reason": "stop", "message": reply}]}).encode()
        self.send_response(200); self.send_header("Content-Type", "application/json"); self.end_headers(); self.wfile.write(body)
    def log_message(self, *_): pass
s = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Model)
print(s.server_port, flush=True)
s.serve_forever()
PY
python3 "$work/server.py" >"$work/port" &
server=$!
until [ -s "$work/port" ]; do kill -0 "$server"; done

mkdir -p "$work/color-names/evals"
printf -- '---\nname: color-names\ndescription: Knows house names of colors. Use when asked for one.\n---\nRed is carmine.\n' >"$work/color-names/SKILL.md"
cat >"$work/color-names/evals/evals.json" <<'JSON'
{"skill_name": "color-names", "evals": [
  {"id": 1, "prompt": "What is red?", "assertions": [{"type": "contains", "value": "carmine"}]},
  {"id": "dark", "prompt": "What is dark red?", "prompt_baseline": "What is dark red, in one word?", "assertions": [{"type": "contains", "value": "carmine"}]}]}
JSON
cd "$work"
OPENAI_BASE_URL=http://127.0.0.1:$(cat port)/v1 OPENAI_API_KEY=sk-test OPENAI_MODEL=m ./skills eval --runs 2 color-names >report.txt
iteration=color-names-workspace/iteration-1
python3 "$creator/eval-viewer/generate_review.py" "$iteration" --benchmark "$iteration/benchmark.json" --static review.html
cp -r "$iteration" aggregated
python3 "$creator/scripts/aggregate_benchmark.py" aggregated --skill-name color-names >/dev/null
./skills eval report aggregated --format json >again.json

python3 - "$iteration" <<'PY'
import json, re, sys
page = open("review.html").read()
data = json.loads(re.search(r"const EMBEDDED_DATA = (.*);\n", page).group(1))
assert len(data["runs"]) == 8, len(data["runs"])
for run in data["runs"]:
    prompt = "What is red?" if run["id"].startswith("eval-1") else "What is dark red?" if "-with_skill" in run["id"] else "What is dark red, in one word?"
    assert run["prompt"] == prompt, run
    assert [f["content"] for f in run["outputs"]] == ["carmine\n" if "-with_skill" in run["id"] else "red\n"], run
    assert run["grading"]["summary"]["total"] == 1 and run["grading"]["expectations"][0]["text"], run
ours, theirs = json.load(open(sys.argv[1] + "/benchmark.json")), json.load(open("aggregated/benchmark.json"))
assert data["benchmark"]["run_summary"]["delta"]["pass_rate"] == "+1.00", data["benchmark"]["run_summary"]
for arm in ("with_skill", "without_skill"):
    for key in ("pass_rate", "tokens"):
        assert ours["run_summary"][arm][key] == theirs["run_summary"][arm][key], (arm, key, ours["run_summary"], theirs["run_summary"])
assert ours["run_summary"]["delta"]["pass_rate"] == theirs["run_summary"]["delta"]["pass_rate"]
assert json.load(open("again.json"))["statistics"]["delta"] == ours["statistics"]["delta"] == 1
PY
echo "skill-creator reads the workspace: prompts, outputs, grades and means"
