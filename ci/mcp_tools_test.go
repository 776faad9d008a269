package ci

import (
	"bufio"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestMCPInspector calls the Inspector's command line.
func TestMCPInspector(t *testing.T) {
	inspector := filepath.Join(clients(t), "node_modules", ".bin", "mcp-inspector")
	p := newPlace(t)
	call := func(args ...string) string {
		out, err := p.run(t, nil, inspector, append(append([]string{"--cli", os.Getenv("SKILLS_MCP_PROGRAM")}, p.served()...), args...)...)
		if err != nil {
			t.Errorf("%q: %v\n%s", args, err, out)
		}
		return out
	}
	for want, args := range map[string][]string{
		`"readOnlyHint": true`:                                  {"--method", "tools/list"},
		`"name": "unit-converter"`:                              {"--method", "prompts/list"},
		`"uri": "skill://release-notes/references/sections.md"`: {"--method", "resources/list"},
		"Do what I said":                                        {"--method", "prompts/get", "--prompt-name", "unit-converter", "--prompt-args", "request=Do what I said"},
		"discovery/0.2.0":                                       {"--method", "resources/read", "--uri", "skill://index.json"},
		"22.046": {
			"--method", "tools/call", "--tool-name", "run_skill_script", "--tool-arg", "skillName=unit-converter",
			"--tool-arg", "scriptName=scripts/convert.py", "--tool-arg", `arguments=["--value","10","--factor","2.2046"]`,
		},
	} {
		if out := call(args...); !strings.Contains(out, want) {
			t.Errorf("%q: %q is missing in\n%s", args, want, out)
		}
	}
}

// overHTTP starts a server, and returns its address.
func (p place) overHTTP(t *testing.T, env, args []string) string {
	t.Helper()
	c := exec.Command(os.Getenv("SKILLS_MCP_PROGRAM"), append(args, "--http", "127.0.0.1:0")...)
	c.Dir, c.Env = p.work, append([]string{"HOME=" + p.home, "PATH=" + os.Getenv("PATH")}, env...)
	out, err := c.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Process.Kill(); _ = c.Wait() })
	line, err := bufio.NewReader(out).ReadString('\n')
	address := regexp.MustCompile(`http://\S+/mcp`).FindString(line)
	if err != nil || address == "" {
		t.Fatalf("got %q, %v", line, err)
	}
	return address
}

// applicable are the scenarios of the conformance suite that need nothing of a test server.
// completion-complete, resources-subscribe and resources-unsubscribe are about capabilities that the server
// does not have; server-sse-polling and all others call tools, prompts and resources with
// fixed names and results.
var applicable = []string{
	"server-initialize", "logging-set-level", "ping", "tools-list", "server-sse-multiple-streams", "resources-list", "prompts-list", "dns-rebinding-protection",
}

// TestMCPConformance runs them, with and without workspace tools.
func TestMCPConformance(t *testing.T) {
	suite := filepath.Join(clients(t), "node_modules", "@modelcontextprotocol", "conformance", "dist", "index.js")
	node := os.Getenv("SKILLS_MCP_NODE")
	if node == "" {
		t.Skip("SKILLS_MCP_NODE is not set: the suite needs version 22 of Node.js")
	}
	p := newPlace(t)
	address := p.overHTTP(t, nil, append(p.served(), "--tools", "files,shell"))
	for _, name := range applicable {
		out, err := p.run(t, nil, node, suite, "server", "--url", address, "--scenario", name)
		if err != nil || !regexp.MustCompile(`Passed: ([1-9]\d*)/[1-9]\d*, 0 failed, 0 warnings`).MatchString(out) {
			t.Errorf("%s: %v\n%s", name, err, out)
		}
	}
}

// sdkClient uses the SDK for TypeScript on both transports.
const sdkClient = `
const { Client } = require("@modelcontextprotocol/sdk/client/index.js");
const { StdioClientTransport } = require("@modelcontextprotocol/sdk/client/stdio.js");
const { StreamableHTTPClientTransport } = require("@modelcontextprotocol/sdk/client/streamableHttp.js");
const types = require("@modelcontextprotocol/sdk/types.js");
const fs = require("fs");
const [program, args, address, skills] = [process.env.PROGRAM, JSON.parse(process.env.ARGS), process.env.ADDRESS, process.env.SKILLS];
const script = { name: "run_skill_script", arguments: { skillName: "unit-converter", scriptName: "scripts/convert.py", arguments: ["--value", "10", "--factor", "2.2046"] } };
const say = (what, value) => console.log(what + ": " + JSON.stringify(value));
async function use(name, transport) {
  const client = new Client({ name: "test", version: "1" }, { capabilities: { elicitation: { form: {} } } });
  let answer = async () => { throw new Error("no window"); };
  client.setRequestHandler(types.ElicitRequestSchema, (r) => answer(r));
  const changed = new Promise((done) => client.setNotificationHandler(types.PromptListChangedNotificationSchema, done));
  await client.connect(transport);
  const result = async () => { const r = await client.callTool(script); return [Boolean(r.isError), r.content[0].text]; };
  say(name + " error", await result());
  answer = async () => ({ action: "accept", content: {} });
  say(name + " empty", await result());
  answer = async (r) => ({ action: "accept", content: { answer: r.params.requestedSchema.properties.answer.default } });
  say(name + " accepted", await result());
  fs.mkdirSync(skills + "/" + name);
  fs.writeFileSync(skills + "/" + name + "/SKILL.md", "---\nname: " + name + "\ndescription: Comes later. Use when testing.\n---\n");
  await changed;
  say(name + " prompts", (await client.listPrompts()).prompts.map((p) => p.name));
  try { await client.readResource({ uri: "skill://none" }); } catch (e) { say(name + " unknown", [e.code, e.data]); }
  if (transport.terminateSession) await transport.terminateSession();
  await client.close();
}
(async () => {
  await use("stdio", new StdioClientTransport({ command: program, args }));
  await use("http", new StreamableHTTPClientTransport(new URL(address), { requestInit: { headers: { Authorization: "Bearer " + process.env.TOKEN } } }));
  process.exit(0);
})().catch((e) => { console.error(e); process.exit(1); });
`

func TestMCPTypeScript(t *testing.T) {
	modules := filepath.Join(clients(t), "node_modules")
	p := newPlace(t)
	const token = "0123456789abcdef"
	served := []string{"mcp", filepath.Join(p.work, "skills")}
	args, _ := json.Marshal(served)
	p.write(t, "client.cjs", sdkClient)
	address := p.overHTTP(t, []string{"TOKEN=" + token}, append(served, "--token-env", "TOKEN"))
	out, err := p.run(t, []string{
		"NODE_PATH=" + modules, "PROGRAM=" + os.Getenv("SKILLS_MCP_PROGRAM"), "ARGS=" + string(args), "ADDRESS=" + address, "TOKEN=" + token,
		"SKILLS=" + filepath.Join(p.work, "skills"),
	}, "node", filepath.Join(p.home, "client.cjs"))
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	for _, name := range []string{"stdio", "http"} {
		for _, want := range []string{
			` error: [true,"Tool call invocation rejected. the client did not return an answer of its user: calling \"elicitation/create\": no window"]`,
			` empty: [true,"Tool call invocation rejected. `, ` accepted: [false,"{\"value\": 10.0, \"factor\": 2.2046, \"result\": 22.046}`,
			` unknown: [-32602,{"uri":"skill://none"}]`, ` prompts: [`,
		} {
			if !strings.Contains(out, name+want) {
				t.Errorf("%q is missing in\n%s", name+want, out)
			}
		}
		if !regexp.MustCompile(name + ` prompts: \[.*"` + name + `"`).MatchString(out) {
			t.Errorf("%s: the new skill is no prompt in\n%s", name, out)
		}
	}
}

// framework reads all skills and all of their files, as the Microsoft Agent Framework does.
const framework = `
import asyncio, base64, json, os, sys, warnings
warnings.simplefilter("ignore")
from agent_framework import MCPSkillsSource
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

async def main(folder, command):
    async with Client(stdio_client(StdioServerParameters(command=command[0], args=command[1:]))) as client:
        for skill in await MCPSkillsSource(client=client).get_skills(None):
            name = skill.frontmatter.name
            text = await skill.get_content()
            wanted = open(os.path.join(folder, name, "SKILL.md"), encoding="utf-8").read()
            print(name, type(skill).__name__, "whole" if wanted.strip() in text else "differs")
            for base, _, files in os.walk(os.path.join(folder, name)):
                for file in files:
                    path = os.path.relpath(os.path.join(base, file), os.path.join(folder, name))
                    if path == "SKILL.md":
                        continue
                    resource = await skill.get_resource(path)
                    got = None if resource is None else await resource.read()
                    wanted = open(os.path.join(base, file), "rb").read()
                    same = got is not None and (got if isinstance(got, bytes) else got.encode()) == wanted
                    print(name, path, "same" if same else "differs")

asyncio.run(main(sys.argv[1], sys.argv[2:]))
`

func TestMCPFramework(t *testing.T) {
	clients(t)
	python := os.Getenv("SKILLS_MCP_PYTHON")
	if python == "" {
		t.Skip("SKILLS_MCP_PYTHON is not set: it is a Python with agent-framework-core and mcp")
	}
	p := newPlace(t)
	p.write(t, "read.py", framework)
	folder := filepath.Join(p.work, "skills")
	out, err := p.run(t, nil, python, append([]string{filepath.Join(p.home, "read.py"), folder, os.Getenv("SKILLS_MCP_PROGRAM")}, p.served()...)...)
	if err != nil || strings.Contains(out, "differs") {
		t.Errorf("%v\n%s", err, out)
	}
	for _, want := range []string{
		"release-notes FileSkill whole", "release-notes references/sections.md same", "translator MCPSkill whole",
		"unit-converter MCPSkill whole", "unit-converter scripts/convert.py same", "unit-converter references/conversion-table.md same",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is missing in\n%s", want, out)
		}
	}
}
