# Remembers what the user asks to remember, and adds it to later runs.
import json, pathlib, sys

# Not in the working folder, where scripts could put a link in its place.
FILE = pathlib.Path.home() / "hooks" / "memory.json"
event = json.load(sys.stdin)
try:
    facts = json.loads(FILE.read_text())
except FileNotFoundError:
    facts = []

if event["event"] == "before-run":
    if facts:
        print(json.dumps({"instructions": "Facts about the user: " + "; ".join(facts)}))
else:
    for message in event["messages"]:
        if message["source"] == "user" and message["text"].startswith("Remember: "):
            facts.append(message["text"].removeprefix("Remember: "))
    FILE.parent.mkdir(exist_ok=True)
    FILE.write_text(json.dumps(facts))
