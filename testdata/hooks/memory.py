# Remembers what the user asks to remember, and adds it to later runs.
import json, sys

FILE = "memory.json"
event = json.load(sys.stdin)
try:
    with open(FILE) as file:
        facts = json.load(file)
except FileNotFoundError:
    facts = []

if event["event"] == "before-run":
    if facts:
        print(json.dumps({"instructions": "Facts about the user: " + "; ".join(facts)}))
else:
    for message in event["messages"]:
        if message["source"] == "user" and message["text"].startswith("Remember: "):
            facts.append(message["text"].removeprefix("Remember: "))
    with open(FILE, "w") as file:
        json.dump(facts, file)
