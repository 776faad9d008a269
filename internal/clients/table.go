package clients

import "skills/internal/lazyregexp"

// The fences of the clients, as in their source. The first group is the YAML.
var (
	// A line of three dashes with optional white space around it.
	trimmedFences = lazyregexp.New(`(?ms)\A[^\S\n]*---[^\S\n]*$\n(.+?)^[^\S\n]*---[^\S\n]*$`)
	crushFences   = lazyregexp.New(`(?ms)\A\s*---[^\S\n]*$\n(.*?)^[^\S\n]*---[^\S\n]*$`)
	geminiFences  = lazyregexp.New(`(?s)\A---\r?\n(.*?)\r?\n---`)
	matterFences  = lazyregexp.New(`(?s)\A---[ \t\r]*((?:\n.*?)??)(?:\n---|\z)`)
	piFences      = lazyregexp.New(`(?s)\A---.(.*?)\n---`)
	gooseFences   = lazyregexp.New(`(?s)\A.*?---(.*?)---`)
	zedFences     = lazyregexp.New(`(?ms)\A\s*---[ \t]*(?:#[^\n]*)?\r?\n(.*?)^---\r?$`)
	vscodeFences  = lazyregexp.New(`(?ms)\A---[^\S\n]*$\n?(.*?)(?:^---[^\S\n]*$|\z)`)
	anyFences     = lazyregexp.New(`(?ms)\A---[^\S\n]*$\n(.*?)^---[^\S\n]*$`)

	crushNames   = lazyregexp.New(`\A[a-zA-Z0-9]+(-[a-zA-Z0-9]+)*\z`)
	simpleNames  = lazyregexp.New(`\A[a-z0-9-]+\z`)
	gooseNames   = lazyregexp.New(`\A[^/]*\z`)
	copilotNames = lazyregexp.New(`\A[\pL\pN][\pL\pN_.: -]*\z`)
	geminiUnsafe = lazyregexp.New(`[:\\/<>*?"|]`)
)

// xmlEntry is the entry in the guide of agentskills.io, used by several clients.
const (
	xmlHead  = "<available_skills>\n"
	xmlEntry = "  <skill>\n    <name>{name}</name>\n    <description>{description}</description>\n    <location>{path}</location>\n  </skill>\n"
	xmlFoot  = "</available_skills>\n"
)

var modelFields = []string{"argument-hint", "disable-model-invocation", "user-invocable"}

var table = []Client{
	{
		ID: "claude-code", Title: "Claude Code", ToolLists: true,
		Fields: []string{
			"when_to_use", "argument-hint", "arguments", "disable-model-invocation", "user-invocable",
			"disallowed-tools", "model", "effort", "context", "agent", "background", "hooks", "paths", "shell"},
		Discovery: Discovery{Project: []string{".claude/skills"}, Parents: []string{".claude/skills"}, User: []string{".claude/skills"}, UserFirst: true, Depth: 1, Same: "first"},
		Reader: Reader{Fence: anyFences, Broken: "no fields",
			Names: Names{FolderName: "always"}, Descriptions: Descriptions{NoDescription: "first line"}},
		Listing: Listing{Cap: 1536, Budget: Budget{Percent: 1, Max: 8000, Unit: Characters, Over: "descriptions"}},
	},
	{
		ID: "codex", Title: "Codex",
		Discovery: Discovery{Project: []string{".agents/skills", ".codex/skills"}, Parents: []string{".agents/skills", ".codex/skills"}, User: []string{".codex/skills", ".agents/skills"}, Depth: 6, Same: "all"},
		Reader: Reader{Fence: trimmedFences, Encoding: Encoding{UTF8: true}, Texts: true,
			Names: Names{FolderName: "missing"}, Descriptions: Descriptions{Collapses: true}, Metadata: "mapping",
			Limits: []Limit{{Field: "name", Max: 64, Unit: Characters}, {Field: "description", Max: 1024, Unit: Characters}}},
		Listing: Listing{Head: "### Available skills\n", Entry: "- {name}: {description} (file: {path})\n", Bare: "- {name}: (file: {path})\n", Order: "scope",
			Budget: Budget{Percent: 2, Max: 8000, Unit: Tokens, Over: "shortened"}},
	},
	{
		ID: "copilot", Title: "GitHub Copilot", Fields: modelFields, ToolLists: true,
		Discovery: Discovery{Project: []string{".github/skills", ".agents/skills", ".claude/skills"}, Parents: []string{".github/skills"}, User: []string{".copilot/skills", ".agents/skills"}, Depth: 1, Same: "first"},
		Reader: Reader{Fence: anyFences, Documented: true, Names: Names{NamePattern: copilotNames},
			Limits: []Limit{{Field: "name", Max: 64, Unit: Characters}, {Field: "description", Max: 1024, Unit: Characters}}},
	},
	{
		ID: "vscode", Title: "VS Code", Fields: modelFields,
		Discovery: Discovery{Project: []string{".github/skills", ".claude/skills", ".agents/skills"}, User: []string{".copilot/skills", ".claude/skills", ".agents/skills"}, Depth: 1, Same: "first"},
		Reader: Reader{Fence: vscodeFences, Broken: "unknown", Texts: true, Names: Names{SameFolder: true}, Descriptions: Descriptions{StripsTags: true},
			Limits: []Limit{{Field: "name", Max: 64, Unit: UTF16, Cuts: true}, {Field: "description", Max: 1024, Unit: UTF16, Cuts: true}}},
		Listing: Listing{Head: "<skills>\n", Foot: "</skills>\n",
			Entry: "<skill>\n<name>{name}</name>\n<description>{description}</description>\n<file>{path}</file>\n</skill>\n"},
	},
	{
		ID: "gemini", Title: "Gemini CLI",
		Discovery: Discovery{Project: []string{".gemini/skills", ".agents/skills"}, User: []string{".gemini/skills", ".agents/skills"}, UserFirst: true, Depth: 1, Same: "last"},
		Reader: Reader{Fence: geminiFences, Broken: "lines",
			Names: Names{BlankName: true, Replaces: geminiUnsafe}, Descriptions: Descriptions{NoDescription: "empty", Blank: true}},
		Listing: Listing{Head: xmlHead, Entry: xmlEntry, Foot: xmlFoot, Order: "folder", Budget: Budget{Over: "none"}},
	},
	{
		ID: "opencode", Title: "OpenCode",
		Discovery: Discovery{Project: []string{".claude/skills", ".agents/skills", ".opencode/skills"}, Parents: []string{".claude/skills", ".agents/skills", ".opencode/skills"},
			User: []string{".claude/skills", ".agents/skills", ".config/opencode/skills"}, UserFirst: true, Same: "last"},
		Reader: Reader{Fence: matterFences, Encoding: Encoding{StripsBOM: true}, Broken: "quotes", Texts: true, Dates: true,
			Names: Names{BlankName: true}, Descriptions: Descriptions{Blank: true}},
		Listing: Listing{Head: xmlHead, Foot: xmlFoot, Order: "name", Budget: Budget{Over: "none"},
			Entry: "  <skill>\n    <name>{name}</name>\n    <description>{description}</description>\n    <location>{url}</location>\n  </skill>\n"},
	},
	{
		ID: "cursor", Title: "Cursor", Fields: []string{"disable-model-invocation", "globs", "paths"},
		Discovery: Discovery{Project: []string{".agents/skills", ".cursor/skills", ".claude/skills", ".codex/skills"},
			User: []string{".agents/skills", ".cursor/skills", ".claude/skills", ".codex/skills"}},
		Reader: Reader{Fence: anyFences, Documented: true, Names: Names{NamePattern: simpleNames, SameFolder: true}},
	},
	{
		ID: "goose", Title: "goose",
		Discovery: Discovery{Project: []string{".agents/skills", ".goose/skills", ".claude/skills"},
			User: []string{".agents/skills", ".config/goose/skills", ".claude/skills", ".config/agents/skills"}, Same: "first"},
		Reader: Reader{Fence: gooseFences, Encoding: Encoding{UTF8: true}, Texts: true,
			Names: Names{NamePattern: gooseNames}, Descriptions: Descriptions{NoDescription: "empty", Blank: true}, Metadata: "mapping"},
		Listing: Listing{Entry: "• {name} - {description}\n", Order: "name", Budget: Budget{Over: "none"}},
	},
	{
		ID: "zed", Title: "Zed", Fields: []string{"disable-model-invocation"},
		Discovery: Discovery{Project: []string{".agents/skills"}, User: []string{".agents/skills"}, UserFirst: true, Depth: 1, Same: "last"},
		Reader: Reader{Fence: zedFences, Encoding: Encoding{UTF8: true}, Texts: true,
			Names: Names{NamePattern: simpleNames}, Descriptions: Descriptions{Blank: true},
			Limits: []Limit{{Field: "name", Max: 64, Unit: Bytes}}},
		Listing: Listing{Head: xmlHead, Entry: xmlEntry, Foot: xmlFoot, XML: true, Order: "folder", Budget: Budget{Max: 50 << 10, Unit: Bytes, Over: "skills"}},
	},
	{
		ID: "crush", Title: "Crush", Fields: []string{"disable-model-invocation", "user-invocable"},
		Discovery: Discovery{Project: []string{".agents/skills", ".crush/skills", ".claude/skills", ".cursor/skills"},
			User: []string{".config/crush/skills", ".config/agents/skills", ".agents/skills", ".claude/skills"}, UserFirst: true, Same: "last"},
		Reader: Reader{Fence: crushFences, Encoding: Encoding{StripsBOM: true, AnyBreaks: true, UTF8: true},
			Names: Names{NamePattern: crushNames, SameFolder: true, FoldsCase: true}, Descriptions: Descriptions{Blank: true},
			Metadata: "texts", Scalars: []string{"license", "compatibility"},
			Limits: []Limit{{Field: "name", Max: 64, Unit: Bytes}, {Field: "description", Max: 1024, Unit: Bytes}, {Field: "compatibility", Max: 500, Unit: Bytes}}},
		Listing: Listing{Head: xmlHead, Entry: xmlEntry, Foot: xmlFoot, XML: true, Order: "path", Budget: Budget{Over: "none"}},
	},
	{
		ID: "pi", Title: "pi", Fields: []string{"disable-model-invocation", "user-invocable"},
		Discovery: Discovery{Project: []string{".pi/skills", ".agents/skills"}, Parents: []string{".agents/skills"}, User: []string{".pi/agent/skills", ".agents/skills"}, UserFirst: true, Same: "first"},
		Reader:    Reader{Fence: piFences, Encoding: Encoding{AnyBreaks: true}, Texts: true, Names: Names{FolderName: "missing"}},
		Listing:   Listing{Head: xmlHead, Entry: xmlEntry, Foot: xmlFoot, XML: true, Order: "folder", Budget: Budget{Over: "none"}},
	},
	{
		ID: "openclaw", Title: "OpenClaw", Metadata: []string{"openclaw", "clawdbot", "clawdis", "moltbot"}, Documented: []string{"version"},
		Fields: []string{"homepage", "disable-model-invocation", "user-invocable", "command-dispatch", "command-tool", "command-arg-mode"},
	},
	{ID: "openhands", Title: "OpenHands", Fields: []string{"triggers"}},
	{ID: "hermes", Title: "Hermes", Metadata: []string{"hermes"}, Documented: []string{"version", "author"},
		Fields: []string{"platforms", "required_environment_variables", "required_credential_files"}},
}
