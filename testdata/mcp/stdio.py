# Serves functions as MCP tools on standard input and output.
import inspect, json, sys

def tool(f):
    names = list(inspect.signature(f).parameters)
    properties = {name: {"type": "string"} for name in names}
    return {"name": f.__name__, "description": f.__doc__, "inputSchema": {"type": "object", "properties": properties, "required": names}}

def serve(*functions):
    tools = {f.__name__: f for f in functions}
    for line in sys.stdin:
        request = json.loads(line)
        params = request.get("params", {})
        answer = {"error": {"code": -32601, "message": "unknown method"}}
        if request["method"] == "initialize":
            answer = {"result": {"protocolVersion": params["protocolVersion"], "capabilities": {"tools": {}}, "serverInfo": {"name": "example", "version": "1"}}}
        elif request["method"] == "tools/list":
            answer = {"result": {"tools": [tool(f) for f in functions]}}
        elif request["method"] == "tools/call":
            text = tools[params["name"]](**params["arguments"])
            answer = {"result": {"content": [{"type": "text", "text": text}]}}
        if "id" in request:
            print(json.dumps({"jsonrpc": "2.0", "id": request["id"], **answer}), flush=True)
