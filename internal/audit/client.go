package audit

import (
	"bytes"
	"encoding/json"
	"path"
	"strings"

	"skills/internal/lazyregexp"
	"skills/internal/spec"
)

// addPackage adds what npm runs when it installs the folder.
func (f *file) addPackage() {
	var manifest struct{ Scripts map[string]string }
	if path.Base(f.name) != "package.json" || json.Unmarshal(f.src, &manifest) != nil {
		return // npm rejects it too
	}
	for _, name := range []string{"preinstall", "install", "postinstall", "preprepare", "prepare", "postprepare"} {
		if script := manifest.Scripts[name]; script != "" {
			f.add("install-hook", max(bytes.Index(f.src, []byte(`"`+name+`"`)), 0), name+": "+script)
		}
	}
}

var (
	inlineCommand = lazyregexp.New("(?m)(?:^|[ \t(])!`([^`\n]+)`|^[ \t]*(?:```+|~~~+)!\\s*$")
	toolEntry     = lazyregexp.New(`[^\s,()]+(?:\([^)]*\)?)?`)
	// shellEntry matches a shell tool without a pattern, or with one that allows any
	// command.
	shellEntry = lazyregexp.New(`(?i)^(?:(?:bash|shell|powershell|terminal)(?:\(\s*(?::?\*[^)]*|(?:[^\s:)]*/)?(?:(?:ba|z|da|fi)?sh|pwsh|powershell|python3?|node|bun|deno|ruby|perl|php|sudo|env|xargs|eval|exec|ssh|npx|uvx)(?:[\s:*][^)]*)?)?\)?)?|run_shell_command|run_?in_?terminal|runCommands|developer__shell|\*)$`)
)

// addClient adds what a client does with a SKILL.md without the model: tools allowed
// without asking, hooks, and commands whose output it inserts.
func (f *file) addClient() {
	if !strings.EqualFold(path.Base(f.name), spec.FileName) {
		return
	}
	doc := spec.Scan(f.name, "", f.src)
	if block := doc.Block(); block.Closed() {
		doc.Decode(f.src[block.Start:block.End])
	}
	if field := doc.Field("allowed-tools"); field != nil {
		for _, tool := range toolEntry().FindAllString(doc.Summary().AllowedTools, 1000) {
			tool = strings.TrimLeft(tool, `"'`)
			if shellEntry().MatchString(tool) {
				f.add("shell-tool", doc.Lines().Offset(field.KeySpan.Start), tool)
			}
		}
	}
	if field := doc.Field("hooks"); field != nil {
		f.addHooks(doc, field.Value)
	}
	f.each([]string{"!`", "```!", "~~~!"}, inlineCommand(), func(at int, line []byte, m []int) {
		text := "every line of the block that begins here"
		if m[2] >= 0 {
			text = "inline command: " + string(line[m[2]:m[3]])
		}
		f.add("client-hook", at+m[0], text)
	})
}

// addHooks adds every command in the value of hooks.
func (f *file) addHooks(doc *spec.Document, v spec.Value) {
	for _, item := range v.Items {
		f.addHooks(doc, item)
	}
	for _, field := range v.Fields {
		if field.Key == "command" && field.Value.Scalar() {
			f.add("client-hook", doc.Lines().Offset(field.KeySpan.Start), "hook: "+field.Value.Text)
		}
		f.addHooks(doc, field.Value)
	}
}
