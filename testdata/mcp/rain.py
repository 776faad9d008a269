# Replaces the weather that get_weather returns.
import json, sys

event = json.load(sys.stdin)
if event["tool"] == "get_weather":
    print(json.dumps({"result": event["arguments"]["location"] + ": rain, 10 °C"}))
