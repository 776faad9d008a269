package facts

import (
	"bytes"
	"encoding/json"
	"maps"
	"path"
	"slices"
	"strings"

	"skills/internal/spec"
)

// isSkillFile reports whether a client reads the file's frontmatter.
func (f *file) isSkillFile() bool { return strings.EqualFold(path.Base(f.name), spec.FileName) }

// addPackage adds what a package manager runs when it installs the folder.
func (f *file) addPackage() {
	if path.Base(f.name) != "package.json" {
		return
	}
	var manifest struct {
		Scripts map[string]string `json:"scripts"`
	}
	if json.Unmarshal(f.src, &manifest) != nil {
		return // npm refuses it too
	}
	for _, name := range slices.Sorted(maps.Keys(manifest.Scripts)) {
		switch name {
		case "preinstall", "install", "postinstall", "preprepare", "prepare", "postprepare":
			f.add(installHook, max(bytes.Index(f.src, []byte(`"`+name+`"`)), 0), name+": "+manifest.Scripts[name])
		}
	}
}

var (
	inlineCommand = compiled("(?m)(?:^|[ \t(])!`([^`\n]+)`|^[ \t]*(?:```+|~~~+)!\\s*\n([^\n]+)")
	toolEntry     = compiled(`([^\s,(]+)(?:\(([^)]*)\))?`)
)

// addClient adds what a client does with the file before or without the model: the
// tools that it allows without asking, hooks, and commands whose output it inserts.
func (f *file) addClient() {
	doc := spec.Scan(f.name, "", f.src)
	if block := doc.Block(); block.Closed() {
		doc.Decode(f.src[block.Start:block.End])
	}
	if field := doc.Field("allowed-tools"); field != nil {
		for _, m := range toolEntry().FindAllStringSubmatch(doc.Summary().AllowedTools, 100) {
			if grantsShell(m[1], m[2]) {
				f.add(shellTool, f.offset(field.KeySpan.Start.Line), m[0])
			}
		}
	}
	if field := doc.Field("hooks"); field != nil {
		f.addHooks(field.Value, field.KeySpan.Start.Line)
	}
	if !bytes.Contains(f.src, []byte("!`")) && !bytes.Contains(f.src, []byte("```!")) && !bytes.Contains(f.src, []byte("~~~!")) {
		return // as nearly every file
	}
	for _, m := range inlineCommand().FindAllSubmatchIndex(f.src, maxFacts) {
		for g := 2; g < len(m); g += 2 {
			if m[g] >= 0 {
				f.add(clientHook, m[g], "inline command: "+string(f.src[m[g]:m[g+1]]))
			}
		}
	}
}

// grantsShell reports whether an entry allows any command: it is a shell without a
// pattern or with an open one, or with a program that runs what its arguments say.
func grantsShell(tool, pattern string) bool {
	if !slices.Contains([]string{"bash", "shell", "powershell", "terminal", "*"}, strings.ToLower(tool)) {
		return false
	}
	words := strings.FieldsFunc(pattern, func(r rune) bool { return r == ' ' || r == ':' })
	return len(words) == 0 || strings.Trim(words[0], "*") == "" || slices.Contains([]string{
		"bash", "sh", "zsh", "dash", "fish", "pwsh", "powershell", "python", "python3", "node", "bun", "deno", "ruby", "perl", "php", "sudo", "env", "xargs", "eval", "exec", "ssh", "npx", "uvx",
	}, path.Base(strings.TrimSuffix(words[0], "*")))
}

// addHooks adds every command in the value of hooks.
func (f *file) addHooks(v spec.Value, line int) {
	for _, item := range v.Items {
		f.addHooks(item, line)
	}
	for _, field := range v.Fields {
		if field.Key == "command" && field.Value.Scalar() {
			f.add(clientHook, f.offset(field.KeySpan.Start.Line), "hook: "+field.Value.Text)
		} else {
			f.addHooks(field.Value, line)
		}
	}
}

// offset returns the place where a line begins.
func (f *file) offset(line int) int {
	at := 0
	for ; line > 1; line-- {
		n := bytes.IndexByte(f.src[at:], '\n')
		if n < 0 {
			break
		}
		at += n + 1
	}
	return at
}
