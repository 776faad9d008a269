package rules

import (
	"fmt"
	"slices"
	"strings"

	"skills/internal/printable"
	"skills/internal/spec"
	"skills/internal/suggest"
)

var fieldUnknown = &spec.Rule{
	ID:     "field-unknown",
	Title:  "top-level fields are the specification's or a known client's",
	Level:  spec.Error,
	Source: `specification, "Frontmatter"; the reference library accepts no other field`,
	Check: func(p *spec.Pass) {
		for _, f := range p.Doc.Fields {
			if p.Full() {
				return
			}
			if isSpecField(f.Key) || len(readers(f.Key)) > 0 {
				continue
			}
			help := fmt.Sprintf("put it under metadata, as text, or delete it; the fields are %s", listed(SpecFields()))
			if known := nearestField(f); known != "" {
				help = fmt.Sprintf("did you mean %s? Otherwise put it under metadata", known)
			}
			p.Report(f.KeySpan, help, "Unexpected fields in frontmatter: %s is not read by any known client", printable.Quote(f.Key))
		}
	},
}

// nearestField returns the field that an unknown key probably means, "" if none.
func nearestField(f spec.Field) string { return suggest.Nearest(f.Key, likelyFields(f.Value)) }

var fieldClient = &spec.Rule{
	ID:     "field-client",
	Title:  "no fields that only some clients read",
	Level:  spec.Warning,
	Source: "clients' documentation; the specification has six fields",
	Varies: func(o spec.Options) bool { return len(o.Clients) > 0 },
	Check: func(p *spec.Pass) {
		for _, f := range p.Doc.Fields {
			if isSpecField(f.Key) {
				continue
			}
			clients := readers(f.Key)
			if len(clients) == 0 || accepted(clients, p.Clients) {
				continue
			}
			p.Report(f.KeySpan,
				fmt.Sprintf("accept it with --client %s, or delete it for a skill that works everywhere", clients[0].ID),
				"field %s is read only by %s", printable.Quote(f.Key), listed(titles(clients)))
		}
	},
}

// SpecFields returns the six fields of the specification, sorted.
func SpecFields() []string {
	return []string{"allowed-tools", "compatibility", "description", "license", "metadata", "name"}
}

func isSpecField(key string) bool { return slices.Contains(SpecFields(), key) }

// Client is a program that loads skills and reads fields beyond the
// specification's.
type Client struct {
	ID     string // as in --client
	Title  string
	Fields []string
	// ToolLists says that its documentation allows a YAML list in allowed-tools, and
	// commas between the tools.
	ToolLists bool
	// Metadata are the keys below metadata that its documentation gives a mapping.
	Metadata []string
}

// Clients returns the known clients; a client is one row.
func Clients() []Client {
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

// readers returns the clients that read a field.
func readers(field string) []Client {
	return slices.DeleteFunc(Clients(), func(c Client) bool { return !slices.Contains(c.Fields, field) })
}

// documentedBy returns the client whose documentation puts this mapping under metadata,
// nil if there is none.
func documentedBy(m spec.Field) *Client {
	for _, c := range Clients() {
		if m.Value.Kind == spec.Mapping && slices.Contains(c.Metadata, m.Key) {
			return &c
		}
	}
	return nil
}

// likelyFields returns the fields that a key with this value may mean: none of
// text if the value is a list or a mapping.
func likelyFields(v spec.Value) []string {
	out := SpecFields()
	for _, c := range Clients() {
		out = append(out, c.Fields...)
	}
	return slices.DeleteFunc(out, func(field string) bool {
		return !v.Scalar() && !slices.Contains([]string{"arguments", "disallowed-tools", "hooks", "paths", "triggers", "metadata", "allowed-tools"}, field)
	})
}

func titles(clients []Client) []string {
	var out []string
	for _, c := range clients {
		out = append(out, c.Title)
	}
	return out
}

// accepted reports whether one of the readers is among the accepted clients.
func accepted(readers []Client, wanted []string) bool {
	return slices.ContainsFunc(readers, func(c Client) bool { return slices.Contains(wanted, c.ID) })
}

// listed joins words as in a sentence: a, b and c.
func listed(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " and " + words[len(words)-1]
}
