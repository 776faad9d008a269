#!/usr/bin/env python3
"""Runs the conformance cases of agent-hooks 0.1 against the program.

usage: hook_cases.py BINARY [CASE...]

Needs the package agent-hooks-sdk (PyPI). Each case is a whole run: a scripted model behind
an HTTP server, its tools behind an MCP server, its interceptors behind one hook each. Cases
that do not apply are printed with the reason. Exit code 1 if a case fails, 77 if the package
is missing.
"""

import asyncio, http.server, json, os, pathlib, socket, subprocess, sys, tempfile, threading

HOOK = """
import json, os, socket, sys
c = socket.socket(socket.AF_UNIX)
c.connect(sys.argv[1])
c.sendall(json.dumps({"script": int(sys.argv[2]), "context": sys.stdin.read()}).encode() + b"\\n")
answer = json.loads(c.makefile().readline())
if answer.get("failed"):
    sys.exit("scripted fault")
print(answer["text"])
"""

TOOLS = """
import json, sys
scenario = json.load(open(sys.argv[1]))
for line in sys.stdin:
    m = json.loads(line)
    if "id" not in m:
        continue
    answer = {}
    if m["method"] == "initialize":
        answer = {"protocolVersion": m["params"]["protocolVersion"], "capabilities": {"tools": {}}, "serverInfo": {"name": "ctk", "version": "1"}}
    elif m["method"] == "tools/list":
        answer = {"tools": [{"name": t["name"], "description": "A scripted tool.", "inputSchema": {"type": "object"}} for t in scenario["tools"]]}
    elif m["method"] == "tools/call":
        name, args = m["params"]["name"], m["params"].get("arguments") or {}
        with open(sys.argv[2], "a") as log:
            log.write(json.dumps({"name": name, "args": args}) + "\\n")
        tool = next(t for t in scenario["tools"] if t["name"] == name)
        done = next(b for b in tool["behavior"] if b.get("when_args") in (None, args))
        value = done["return"]
        answer = {"content": [{"type": "text", "text": value if isinstance(value, str) else json.dumps(value)}], "isError": done.get("is_error", False)}
    print(json.dumps({"jsonrpc": "2.0", "id": m["id"], "result": answer}), flush=True)
"""


def inapplicable(vector):
    """Returns why a case does not apply to this program, or None."""
    profile = vector.get("composition") or {"profile": "sequential/first_deny"}
    if "host_declaration" in vector:
        return "hooks are configured by flags and the user's configuration, not by a declaration document"
    if "incremental_output" in vector["capabilities"]:
        return "text is held back until the whole reply has passed; it is never released in pieces"
    if vector.get("mode") == "evaluate_only":
        return "verdicts are always enforced"
    if profile["profile"] != "sequential/first_deny":
        return "several hooks run one after the other until the first denial (sequential/first_deny)"
    if profile.get("on_approval", "stop") != "stop":
        return "an approval by a person ends the fold (on_approval: stop)"
    if vector.get("identity_provider", "jcs-sha256") != "jcs-sha256":
        return "the identity of a context is always jcs-sha256"
    if vector.get("approval_script"):
        return "a denial is lifted by a person at the terminal; there are no approval resolvers in code"
    return None


class Model(http.server.BaseHTTPRequestHandler):
    """Answers with the scripted replies, in order."""

    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        r = self.server.script.pop(0) if self.server.script else {"content": "", "tool_calls": [], "finish_reason": "stop"}
        calls = [{"id": c["id"], "type": "function", "function": {"name": c["name"], "arguments": json.dumps(c["args"])}} for c in r["tool_calls"]]
        message = {"role": "assistant", "content": r["content"]}
        if calls:
            message["tool_calls"] = calls
        body = json.dumps({"choices": [{"index": 0, "message": message, "finish_reason": r["finish_reason"]}]}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args):
        pass


def harness(binary, kit):
    """Returns the class of the harness; kit is the module agent_hooks.ctk.harness."""

    class Skills:
        name = "skills"
        capabilities = {kit.Capability.MODEL_CALLS, kit.Capability.TOOL_CALLS, kit.Capability.INT64_JSON, kit.Capability.BIGINT_JSON}
        tool_seam_host_error = "continue"

        def setup(self, scenario, interceptors, resolver, mode, composition, identity_provider, redact_for_approval=None):
            self.scenario, self.interceptors = scenario, interceptors

        def teardown(self):
            pass

        async def run(self):
            with tempfile.TemporaryDirectory() as folder:
                return await asyncio.to_thread(self.run_in, pathlib.Path(folder))

        def answer(self, connection):
            with connection:
                asked = json.loads(connection.makefile().readline())
                try:
                    verdict = self.interceptors[asked["script"]].intercept(json.loads(asked["context"]))
                    out = {"text": json.dumps(verdict)}
                except RuntimeError:
                    out = {"failed": True}
                connection.sendall(json.dumps(out).encode() + b"\n")

        def serve(self, listener):
            while True:
                try:
                    connection, _ = listener.accept()
                except OSError:
                    return
                self.answer(connection)

        def run_in(self, folder):
            work = folder / "work"
            work.mkdir()
            (folder / "hook.py").write_text(HOOK)
            (folder / "tools.py").write_text(TOOLS)
            tools = [{"name": t.name, "behavior": [{"when_args": b.when_args, "return": b.return_, "is_error": b.is_error} for b in t.behavior]} for t in self.scenario.tools.values()]
            (folder / "scenario.json").write_text(json.dumps({"tools": tools}))
            listener = socket.socket(socket.AF_UNIX)
            listener.bind(str(folder / "s"))
            listener.listen()
            threading.Thread(target=self.serve, args=(listener,), daemon=True).start()
            server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Model)
            server.script = [{"content": r.content, "tool_calls": r.tool_calls, "finish_reason": r.finish_reason} for r in self.scenario.model_script]
            threading.Thread(target=server.serve_forever, daemon=True).start()
            command = [binary, "run", "--format", "json", "--no-todo", "--no-builtin", "--skills", str(work), "--hook-protocol", "agent-hooks", "--audit", str(folder / "audit")]
            for i in range(len(self.interceptors)):
                command += ["--hook", f"every={sys.executable} {folder}/hook.py {folder}/s {i}"]
            if tools:
                command += ["--mcp", f"ctk={sys.executable} {folder}/tools.py {folder}/scenario.json {folder}/calls", "--allow-tool", "ctk/*"]
            env = {"PATH": os.environ["PATH"], "HOME": str(folder), "OPENAI_BASE_URL": f"http://127.0.0.1:{server.server_port}/v1", "OPENAI_API_KEY": "none"}
            done = subprocess.run(command + ["--", self.scenario.input["content"]], cwd=work, env=env, capture_output=True, text=True, timeout=120)
            server.shutdown()
            listener.close()
            try:
                result = json.loads(done.stdout)
            except ValueError:
                result = {"status": "failed", "text": "", "error": done.stderr}
            completed = result["status"] == "completed"
            lines = lambda name: [json.loads(line) for line in (folder / name).read_text().splitlines()] if (folder / name).exists() else []
            records = [line["record"] for line in lines("audit") if line["type"] == "hook.record"]
            return kit.RunRecord(
                outcome=kit.RunOutcome.COMPLETED if completed else kit.RunOutcome.BLOCKED,
                final_output=result["text"] if completed else None,
                tool_invocations=lines("calls"),
                error=result.get("error"),
                identities=[(r["input_identity"], r["enforced_identity"]) for r in records],
                records=records,
            )

    return Skills


def main():
    try:
        import agent_hooks.ctk.harness as kit
        from agent_hooks.ctk.runner import load_vectors, run_vector
    except ImportError:
        print("the package agent-hooks-sdk is not installed: pip install agent-hooks-sdk")
        return 77
    binary, wanted = os.path.abspath(sys.argv[1]), sys.argv[2:]
    make, counts = harness(binary, kit), {"pass": 0, "fail": 0, "skip": 0}
    for vector in load_vectors():
        if wanted and vector["id"] not in wanted:
            continue
        why = inapplicable(vector)
        if why:
            status, details = "skip", [why]
        else:
            result = asyncio.run(run_vector(make(), vector))
            status, details = result.status, result.failures + [result.detail] * bool(result.detail)
        counts[status] += 1
        print(f"{status} {vector['id']} {vector['title']}")
        for line in details:
            print(f"     {line}")
    print(f"{counts['pass']} passed, {counts['fail']} failed, {counts['skip']} do not apply")
    return 1 if counts["fail"] else 0


if __name__ == "__main__":
    sys.exit(main())
