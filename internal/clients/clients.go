// Package clients is the table of programs that load skills: what each reads of a
// SKILL.md, where it looks for skills, and how it shows them to its model. A client
// is one row.
package clients

// Client is a program that loads skills.
type Client struct {
	ID    string // as in --client
	Title string
	// Fields are the top-level fields that it reads beyond the specification's.
	Fields []string
	// ToolLists says that its documentation allows a YAML list in allowed-tools, and
	// commas between the tools.
	ToolLists bool
	// Metadata are the keys below metadata that its documentation gives a mapping.
	Metadata []string
}

// All returns the known clients.
func All() []Client {
	return []Client{
		{ID: "claude-code", Title: "Claude Code", Fields: []string{
			"when_to_use", "argument-hint", "arguments", "disable-model-invocation", "user-invocable",
			"disallowed-tools", "model", "effort", "context", "agent", "background", "hooks", "paths", "shell"},
			ToolLists: true},
		{ID: "copilot", Title: "GitHub Copilot", Fields: []string{"argument-hint", "disable-model-invocation", "user-invocable"}},
		{ID: "vscode", Title: "VS Code", Fields: []string{"argument-hint", "disable-model-invocation", "user-invocable"}},
		{ID: "crush", Title: "Crush", Fields: []string{"disable-model-invocation", "user-invocable"}},
		{ID: "openclaw", Title: "OpenClaw", Fields: []string{
			"homepage", "disable-model-invocation", "user-invocable", "command-dispatch", "command-tool", "command-arg-mode"},
			Metadata: []string{"openclaw", "clawdbot", "moltbot"}},
		{ID: "openhands", Title: "OpenHands", Fields: []string{"triggers"}},
		{ID: "hermes", Title: "Hermes", Metadata: []string{"hermes"}},
		{ID: "pi", Title: "pi", Fields: []string{"disable-model-invocation", "user-invocable"}},
	}
}

// IDs returns the ids of all clients, in the order of the table.
func IDs() (ids []string) {
	for _, c := range All() {
		ids = append(ids, c.ID)
	}
	return ids
}
