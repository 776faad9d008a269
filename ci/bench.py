#!/usr/bin/env python3
"""Time whole processes in turn: the program, then what it is compared with.

    make time
    REFERENCE="skills-ref validate" OLD=../old/skills TREE=~/skills make time

BINARY     the program (default ./skills)
OLD        an older build, compared with in every row that has no other program
REFERENCE  the reference library's command, to which a skill's folder is added
BARE       bareclient: posts the same requests, and does nothing else
TREE       folders of real skills (default: 500 generated ones)
ROUNDS     times that each command runs (default 9); the least time counts

Each row gives milliseconds for the program and for the other, and their ratio.
"""
import functools, http.server, json, os, shlex, subprocess, tempfile, threading, time

env = os.environ.get
binary, old = os.path.abspath(env("BINARY", "skills")), env("OLD") and os.path.abspath(env("OLD"))
rounds, turns = int(env("ROUNDS", "9")), 31
work = tempfile.TemporaryDirectory()


def spent(command, cwd, **more):
    began = time.perf_counter()
    subprocess.run(command, cwd=cwd, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                   shell=isinstance(command, str), env={**os.environ, "HOME": work.name, **more})
    return time.perf_counter() - began


def row(what, ours, other, measure=spent):
    """Run both commands in turn, so that a busy machine slows both."""
    times = [(measure(ours), measure(other) if other else 0) for _ in range(rounds)]
    a, b = (1000 * min(t[i] for t in times) for i in (0, 1))
    print(f"{what:<38}{a:9.1f}" + (f"{b:9.1f}{a / b:8.2f}" if b else ""), flush=True)
    return a, b


@functools.cache
def tree(n):
    """Make n skills with two references and a script each."""
    root = os.path.join(work.name, f"tree-{n}", "skills")
    text = "Turn the table into a report. Read the head first, then each row.\n\n" * 12
    for i in range(n):
        skill = os.path.join(root, f"skill-{i:05}")
        for name in ("references", "scripts"):
            os.makedirs(os.path.join(skill, name))
        for name, body in {
            "SKILL.md": f"---\nname: skill-{i:05}\ndescription: Turns reports into tables. Use when the user asks for report {i}.\n---\n\n"
                        f"# Reports\n\nSee [usage](references/usage.md) and run `python3 scripts/run.py`.\n\n" + text * 8,
            "references/usage.md": "# Usage\n\n" + text, "references/forms.md": "# Forms\n\n" + text,
            "scripts/run.py": "#!/usr/bin/env python3\n" + "print(1)\n" * 100,
        }.items():
            path = os.path.join(skill, name)
            with open(path, "w") as file:
                file.write(body)
            os.chmod(path, 0o755)
    return os.path.dirname(root)


class Server(http.server.BaseHTTPRequestHandler):
    """Reply with 30 tool calls and an answer, again and again."""
    protocol_version = "HTTP/1.1"
    bodies, count, arrived, calls = [], 0, 0.0, True

    def do_POST(self):
        Server.arrived = time.perf_counter()
        Server.bodies.append(self.rfile.read(int(self.headers["Content-Length"])))
        Server.count += 1
        message = {"role": "assistant", "content": "done"}
        if Server.calls and Server.count % turns:
            call = {"name": "read_skill_resource", "arguments": json.dumps({"skillName": "skill-00000", "resourceName": "references/usage.md", "offset": Server.count % turns})}
            message = {"role": "assistant", "content": None, "tool_calls": [{"id": f"c{Server.count}", "type": "function", "function": call}]}
        reply = json.dumps({"choices": [{"index": 0, "message": message, "finish_reason": "stop" if message["content"] else "tool_calls"}]}).encode()
        self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s" % (len(reply), reply))

    def log_message(self, *_):
        pass


print(f"{'milliseconds':<38}{'ours':>9}{'other':>9}{'ratio':>8}")
one = os.path.join(tree(1), "skills", "skill-00000")
row("validate one skill / reference", [binary, "validate", one],
    shlex.split(env("REFERENCE")) + [one] if env("REFERENCE") else old and [old, "validate", one], lambda c: spent(c, one))
many = os.path.abspath(os.path.expanduser(env("TREE") or tree(500)))
inside = lambda c: spent(c, many)
row("all rules / read every file", [binary, "validate", "--no-config", "-v", "."], "find . -type f -print0 | xargs -0 cat", inside)
row("errors only / read every SKILL.md", [binary, "validate", "--no-config", "-q", "."], "find . -name SKILL.md -print0 | xargs -0 cat", inside)
if old:
    row("all rules / older build", [binary, "validate", "--no-config", "-v", "."], [old, "validate", "--no-config", "-v", "."], inside)

server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Server)
threading.Thread(target=server.serve_forever, daemon=True).start()
url = f"http://127.0.0.1:{server.server_port}/v1"
ask = lambda program: [program, "run", "-q", "hi"]
talk = lambda cwd: lambda c: spent(c, cwd, OPENAI_BASE_URL=url, OPENAI_API_KEY="none", OPENAI_MODEL="m")
talk(tree(1))(ask(binary))
assert Server.count == turns, f"{Server.count} requests, not {turns}"
bodies = os.path.join(work.name, "bodies")
with open(bodies, "wb") as file:
    file.write(b"\n".join(Server.bodies))
bare = env("BARE") and [os.path.abspath(env("BARE")), url, bodies]
ours, other = row(f"run, {turns} turns / bare client", ask(binary), bare or (old and ask(old)), talk(tree(1)))
if bare:
    print(f"  over the bare client, a turn: {(ours - other) / turns:.2f} ms")
Server.calls = False
for n in (1, 500, 2000):
    def first(command, cwd=tree(n)):
        began = time.perf_counter()
        talk(cwd)(command)
        return Server.arrived - began
    row(f"first request, {n} skills / older build", ask(binary), old and ask(old), first)
