# Replaces mail addresses in requests before they are sent, and in answers before they are shown.
import json, re, sys

MAIL = re.compile(r"[\w.+-]+@[\w-]+\.[\w.]+")
event = json.load(sys.stdin)
if event["event"] == "before-model":
    for message in event["messages"]:
        message["text"] = MAIL.sub("[mail]", message["text"])
    print(json.dumps({"messages": event["messages"]}))
else:
    print(json.dumps({"text": MAIL.sub("[mail]", event["text"])}))
