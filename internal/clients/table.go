package clients

// A row is what is known of one client. It is read from its source where there is one, tried
// with its loader where that can be run, and otherwise taken from documentation; the row says
// which. A value that none of these states stays empty.

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
	clineFences  = lazyregexp.New(`(?s)\A---\r?\n(.*?)\r?\n---(?:\r?\n|\z|[^\n]*)`)
	mafFences    = lazyregexp.New(`(?ms)\A\x{FEFF}?---[ \t]*\r?\n(.*?)^---[ \t]*\r?$`)
	mafNames     = lazyregexp.New(`\A[a-z0-9]([a-z0-9]*-[a-z0-9])*[a-z0-9]*\z`)
	geminiUnsafe = lazyregexp.New(`[:\\/<>*?"|]`)
)

// xmlEntry is the entry in the guide of agentskills.io, used by several clients.
const (
	xmlHead  = "<available_skills>\n"
	xmlEntry = "  <skill>\n    <name>{name}</name>\n    <description>{description}</description>\n    <location>{path}</location>\n  </skill>\n"
	xmlFoot  = "</available_skills>\n"
)

// The rows of documentation and of branches that were read before releases were recorded.
var (
	documentation = Seen{Date: "2026-11", How: Documentation}
	mainBranch    = Seen{Release: "main branch", Date: "2026-11", How: Source}
	mainBranchRun = Seen{Release: "main branch", Date: "2026-11", How: Run}
)

var modelFields = []string{"argument-hint", "disable-model-invocation", "user-invocable"}

var table = []Client{
	{
		ID: "claude-code", Title: "Claude Code", Seen: documentation, ToolLists: true,
		Fields: []string{
			"when_to_use", "argument-hint", "arguments", "disable-model-invocation", "user-invocable",
			"disallowed-tools", "model", "effort", "context", "agent", "background", "hooks", "paths", "shell"},
		Discovery: Discovery{Project: []string{".claude/skills"}, Parents: []string{".claude/skills"}, User: []string{".claude/skills"}, UserFirst: true, Depth: 1, Same: "first"},
		Reader: Reader{Fence: anyFences, Broken: "no fields",
			Names: Names{FolderName: "always"}, Descriptions: Descriptions{NoDescription: "first line"}},
		Listing: Listing{Cap: 1536, Budget: Budget{Percent: 1, Max: 8000, Unit: Characters, Over: "descriptions"}},
	},
	{
		ID: "codex", Title: "Codex", Seen: mainBranch,
		Discovery: Discovery{Project: []string{".agents/skills", ".codex/skills"}, Parents: []string{".agents/skills", ".codex/skills"}, User: []string{".codex/skills", ".agents/skills"}, Depth: 6, Same: "all"},
		Reader: Reader{Fence: trimmedFences, Encoding: Encoding{UTF8: true}, Texts: true,
			Names: Names{FolderName: "missing"}, Descriptions: Descriptions{Collapses: true}, Metadata: "mapping",
			Limits: []Limit{{Field: "name", Max: 64, Unit: Characters}, {Field: "description", Max: 1024, Unit: Characters}}},
		Listing: Listing{Head: "### Available skills\n", Entry: "- {name}: {description} (file: {path})\n", Bare: "- {name}: (file: {path})\n", Order: "scope",
			Budget: Budget{Percent: 2, Max: 8000, Unit: Tokens, Over: "shortened"}},
	},
	{
		ID: "copilot", Title: "GitHub Copilot", Seen: documentation, Fields: modelFields, ToolLists: true,
		Discovery: Discovery{Project: []string{".github/skills", ".agents/skills", ".claude/skills"}, Parents: []string{".github/skills"}, User: []string{".copilot/skills", ".agents/skills"}, Depth: 1, Same: "first"},
		Reader: Reader{Fence: anyFences, Documented: true, Names: Names{NamePattern: copilotNames},
			Limits: []Limit{{Field: "name", Max: 64, Unit: Characters}, {Field: "description", Max: 1024, Unit: Characters}}},
	},
	{
		ID: "vscode", Title: "VS Code", Seen: mainBranch, Fields: modelFields,
		Discovery: Discovery{Project: []string{".github/skills", ".claude/skills", ".agents/skills"}, User: []string{".copilot/skills", ".claude/skills", ".agents/skills"}, Depth: 1, Same: "first"},
		Reader: Reader{Fence: vscodeFences, Broken: "unknown", Texts: true, Names: Names{SameFolder: true}, Descriptions: Descriptions{StripsTags: true},
			Limits: []Limit{{Field: "name", Max: 64, Unit: UTF16, Cuts: true}, {Field: "description", Max: 1024, Unit: UTF16, Cuts: true}}},
		Listing: Listing{Head: "<skills>\n", Foot: "</skills>\n",
			Entry: "<skill>\n<name>{name}</name>\n<description>{description}</description>\n<file>{path}</file>\n</skill>\n"},
	},
	{
		ID: "gemini", Title: "Gemini CLI", Seen: mainBranchRun,
		Discovery: Discovery{Project: []string{".gemini/skills", ".agents/skills"}, User: []string{".gemini/skills", ".agents/skills"}, UserFirst: true, Depth: 1, Same: "last"},
		Reader: Reader{Fence: geminiFences, Broken: "lines",
			Names: Names{BlankName: true, Replaces: geminiUnsafe}, Descriptions: Descriptions{NoDescription: "empty", Blank: true}},
		Listing: Listing{Head: xmlHead, Entry: xmlEntry, Foot: xmlFoot, Order: "folder", Budget: Budget{Over: "none"}},
	},
	{
		ID: "opencode", Title: "OpenCode", Seen: Seen{Release: "dev branch (version 1)", Date: "2026-11", How: Run},
		Discovery: Discovery{Project: []string{".claude/skills", ".agents/skills", ".opencode/skills"}, Parents: []string{".claude/skills", ".agents/skills", ".opencode/skills"},
			User: []string{".claude/skills", ".agents/skills", ".config/opencode/skills"}, UserFirst: true, Same: "last"},
		Reader: Reader{Fence: matterFences, Encoding: Encoding{StripsBOM: true}, Broken: "quotes", Texts: true, Dates: true,
			Names: Names{BlankName: true}, Descriptions: Descriptions{Blank: true}},
		Listing: Listing{Head: xmlHead, Foot: xmlFoot, Order: "name", Budget: Budget{Over: "none"},
			Entry: "  <skill>\n    <name>{name}</name>\n    <description>{description}</description>\n    <location>{url}</location>\n  </skill>\n"},
	},
	{
		ID: "cursor", Title: "Cursor", Seen: documentation, Fields: []string{"disable-model-invocation", "globs", "paths"},
		Discovery: Discovery{Project: []string{".agents/skills", ".cursor/skills", ".claude/skills", ".codex/skills"},
			User: []string{".agents/skills", ".cursor/skills", ".claude/skills", ".codex/skills"}},
		Reader: Reader{Fence: anyFences, Documented: true, Names: Names{NamePattern: simpleNames, SameFolder: true}},
	},
	{
		ID: "goose", Title: "goose", Seen: mainBranch,
		Discovery: Discovery{Project: []string{".agents/skills", ".goose/skills", ".claude/skills"},
			User: []string{".agents/skills", ".config/goose/skills", ".claude/skills", ".config/agents/skills"}, Same: "first"},
		Reader: Reader{Fence: gooseFences, Encoding: Encoding{UTF8: true}, Texts: true,
			Names: Names{NamePattern: gooseNames}, Descriptions: Descriptions{NoDescription: "empty", Blank: true}, Metadata: "mapping"},
		Listing: Listing{Entry: "• {name} - {description}\n", Order: "name", Budget: Budget{Over: "none"}},
	},
	{
		ID: "zed", Title: "Zed", Seen: mainBranch, Fields: []string{"disable-model-invocation"},
		Discovery: Discovery{Project: []string{".agents/skills"}, User: []string{".agents/skills"}, UserFirst: true, Depth: 1, Same: "last"},
		Reader: Reader{Fence: zedFences, Encoding: Encoding{UTF8: true}, Texts: true,
			Names: Names{NamePattern: simpleNames}, Descriptions: Descriptions{Blank: true},
			Limits: []Limit{{Field: "name", Max: 64, Unit: Bytes}}},
		Listing: Listing{Head: xmlHead, Entry: xmlEntry, Foot: xmlFoot, XML: true, Order: "folder", Budget: Budget{Max: 50 << 10, Unit: Bytes, Over: "skills"}},
	},
	{
		ID: "crush", Title: "Crush", Seen: mainBranchRun, Fields: []string{"disable-model-invocation", "user-invocable"},
		Discovery: Discovery{Project: []string{".agents/skills", ".crush/skills", ".claude/skills", ".cursor/skills"},
			User: []string{".config/crush/skills", ".config/agents/skills", ".agents/skills", ".claude/skills"}, UserFirst: true, Same: "last"},
		Reader: Reader{Fence: crushFences, Encoding: Encoding{StripsBOM: true, AnyBreaks: true, UTF8: true},
			Names: Names{NamePattern: crushNames, SameFolder: true, FoldsCase: true}, Descriptions: Descriptions{Blank: true},
			Metadata: "texts", Scalars: []string{"license", "compatibility"},
			Limits: []Limit{{Field: "name", Max: 64, Unit: Bytes}, {Field: "description", Max: 1024, Unit: Bytes}, {Field: "compatibility", Max: 500, Unit: Bytes}}},
		Listing: Listing{Head: xmlHead, Entry: xmlEntry, Foot: xmlFoot, XML: true, Order: "path", Budget: Budget{Over: "none"}},
	},
	{
		ID: "pi", Title: "pi", Seen: mainBranchRun, Fields: []string{"disable-model-invocation", "user-invocable"},
		Discovery: Discovery{Project: []string{".pi/skills", ".agents/skills"}, Parents: []string{".agents/skills"}, User: []string{".pi/agent/skills", ".agents/skills"}, UserFirst: true, Same: "first"},
		Reader:    Reader{Fence: piFences, Encoding: Encoding{AnyBreaks: true}, Texts: true, Names: Names{FolderName: "missing"}},
		Listing:   Listing{Head: xmlHead, Entry: xmlEntry, Foot: xmlFoot, XML: true, Order: "folder", Budget: Budget{Over: "none"}},
	},
	{
		ID: "openclaw", Title: "OpenClaw", Seen: documentation, Metadata: []string{"openclaw", "clawdbot", "clawdis", "moltbot"}, Documented: []string{"version"},
		Fields: []string{"homepage", "disable-model-invocation", "user-invocable", "command-dispatch", "command-tool", "command-arg-mode"},
	},
	{ID: "openhands", Title: "OpenHands", Seen: documentation, Fields: []string{"triggers"}},
	{ID: "hermes", Title: "Hermes", Seen: documentation, Metadata: []string{"hermes"}, Documented: []string{"version", "author"},
		Fields: []string{"platforms", "required_environment_variables", "required_credential_files"}},
	{
		ID: "maf", Title: "Microsoft Agent Framework (Python)", Seen: Seen{Release: "agent-framework-core 1.23.0", Date: "2026-11-28", How: Run},
		Discovery: Discovery{Depth: 2},
		Reader: Reader{Fence: mafFences, Encoding: Encoding{UTF8: true}, ExactCase: true,
			Names: Names{NamePattern: mafNames, SameFolder: true}, Scalars: []string{"license", "compatibility", "allowed-tools"},
			Limits: []Limit{{Field: "name", Max: 64, Unit: Characters}, {Field: "description", Max: 1024, Unit: Characters}, {Field: "compatibility", Max: 500, Unit: Characters}}},
		Listing: Listing{Head: xmlHead, Foot: xmlFoot, XML: true, Order: "name", Budget: Budget{Over: "none"},
			Entry: "  <skill>\n    <name>{name}</name>\n    <description>{description}</description>\n  </skill>\n"},
	},
	{
		ID: "opencode-v2", Title: "OpenCode V2", Seen: Seen{Release: "dev branch", Date: "2026-11-28", How: Source}, Fields: []string{"disable-model-invocation"},
		Discovery: Discovery{Project: []string{".claude/skills", ".agents/skills", ".opencode/skills"}, Parents: []string{".claude/skills", ".agents/skills", ".opencode/skills"},
			User: []string{".claude/skills", ".agents/skills", ".config/opencode/skills"}, Same: "last"},
		Reader: Reader{Fence: matterFences, Encoding: Encoding{StripsBOM: true}, NoFence: true, Broken: "quotes", Texts: true, Dates: true,
			Names: Names{FolderName: "missing"}, Descriptions: Descriptions{NoDescription: "hidden", Blank: true}},
		Listing: Listing{Head: xmlHead, Foot: xmlFoot, Order: "name", Budget: Budget{Over: "none"},
			Entry: "  <skill>\n    <id>{id}</id>\n    <name>{name}</name>\n    <description>{description}</description>\n  </skill>\n"},
	},
	{
		ID: "kilo", Title: "Kilo Code", Seen: Seen{Release: "main branch", Date: "2026-11-28", How: Source},
		Discovery: Discovery{Project: []string{".claude/skills", ".agents/skills", ".kilocode/skills", ".kilo/skills"}, Parents: []string{".claude/skills", ".agents/skills"},
			User: []string{".claude/skills", ".agents/skills"}, UserFirst: true, Same: "last"},
		Reader: Reader{Fence: matterFences, Encoding: Encoding{StripsBOM: true}, Broken: "quotes", Texts: true, Dates: true,
			Names: Names{BlankName: true}, Descriptions: Descriptions{NoDescription: "hidden", Blank: true}},
		Listing: Listing{Head: xmlHead, Foot: xmlFoot, Order: "name", Budget: Budget{Over: "none"},
			Entry: "  <skill>\n    <name>{name}</name>\n    <description>{description}</description>\n    <location>{url}</location>\n  </skill>\n"},
	},
	{
		ID: "cline", Title: "Cline", Seen: Seen{Release: "4.1.13, core 0.0.78", Date: "2026-11-28", How: Source}, Fields: []string{"disabled", "enabled"},
		Discovery: Discovery{Project: []string{".clinerules/skills", ".cline/skills", ".claude/skills", ".agents/skills"}, User: []string{".cline/skills", ".agents/skills"}, Depth: 1},
		Reader: Reader{Fence: clineFences, Encoding: Encoding{StripsBOM: true}, NoFence: true, NeedsBody: true, Texts: true,
			Names: Names{FolderName: "missing"}, Descriptions: Descriptions{NoDescription: "empty", Blank: true}},
	},
	{
		ID: "factory", Title: "Factory Droid", Seen: Seen{Date: "2026-11-28", How: Documentation}, Fields: []string{"disable-model-invocation", "user-invocable"},
		Discovery: Discovery{Project: []string{".factory/skills"}, User: []string{".factory/skills"}, Depth: 1},
	},
	{
		ID: "kiro", Title: "Kiro", Seen: Seen{Date: "2026-11-28", How: Documentation},
		Discovery: Discovery{Project: []string{".kiro/skills"}, User: []string{".kiro/skills"}, Depth: 1, Same: "first"},
	},
	{
		ID: "windsurf", Title: "Windsurf and Devin", Seen: Seen{Date: "2026-11-28", How: Documentation},
		Discovery: Discovery{Project: []string{".windsurf/skills"}, User: []string{".codeium/windsurf/skills"}, Depth: 1},
	},
	{
		ID: "amp", Title: "Amp", Seen: Seen{Date: "2026-11-28", How: Documentation},
		Discovery: Discovery{Project: []string{".agents/skills", ".claude/skills"}, User: []string{".config/agents/skills", ".config/amp/skills", ".claude/skills"}, Depth: 1},
	},
	{
		ID: "junie", Title: "JetBrains Junie", Seen: Seen{Date: "2026-11-28", How: Documentation},
		Discovery: Discovery{Project: []string{".junie/skills", ".agents/skills"}, User: []string{".junie/skills"}, Depth: 1},
	},
	{
		ID: "antigravity", Title: "Google Antigravity", Seen: Seen{Date: "2026-11-28", How: Documentation},
		Discovery: Discovery{Project: []string{".agents/skills"}, User: []string{".gemini/config/skills"}, Depth: 1},
	},
}
