package spec

import (
	"bytes"
	"path"
	"slices"
	"strings"
)

// scriptLanguage names the language of a script by its extension, else by its
// shebang; "" for what is no script.
func scriptLanguage(name string, src []byte) string {
	switch strings.ToLower(path.Ext(name)) {
	case ".py":
		return "python"
	case ".sh", ".bash", ".zsh", ".ksh":
		return "shell"
	case ".js", ".mjs", ".cjs", ".ts", ".mts":
		return "javascript"
	case ".ps1":
		return "powershell"
	case ".rb":
		return "ruby"
	case ".pl":
		return "perl"
	case ".php", ".lua", ".r", ".jl", ".awk", ".tcl", ".fish":
		return "other"
	case ".bat", ".cmd":
		return "batch"
	case "":
	default:
		return ""
	}
	line, found := bytes.CutPrefix(src, []byte("#!"))
	if !found {
		return ""
	}
	line = line[:min(len(line), 200)]
	line, _, _ = bytes.Cut(line, []byte("\n"))
	for _, l := range []struct{ program, language string }{
		{"python", "python"}, {"uv run", "python"}, {"pwsh", "powershell"}, {"node", "javascript"}, {"deno", "javascript"}, {"bun", "javascript"},
		{"ruby", "ruby"}, {"perl", "perl"}, {"fish", "other"}, {"sh", "shell"},
	} {
		if bytes.Contains(line, []byte(l.program)) {
			return l.language
		}
	}
	return "other"
}

// scripts yields the skill's own scripts: files with the extension of a
// script language, and those without an extension that start with a shebang.
// Samples and tests are none of them.
func (p *Pass) scripts(yield func(t *text, language string) bool) {
	if p.Doc.Files == nil {
		return
	}
	for _, f := range p.Doc.Files.List() {
		ext := path.Ext(f.Name)
		if !f.Mode.IsRegular() || f.Size == 0 || sampleFolder(f.Name) || testFile(path.Base(f.Name)) ||
			ext != "" && scriptLanguage(f.Name, nil) == "" {
			continue
		}
		t := p.text(f)
		if t == nil {
			continue
		}
		if language := scriptLanguage(f.Name, t.src); language != "" || ext == "" && inScriptFolder(f.Name) {
			if !yield(t, language) {
				return
			}
		}
	}
}

func inScriptFolder(name string) bool {
	return strings.HasPrefix(name, "scripts/") || strings.HasPrefix(name, "bin/")
}

// testFile reports files that test others, by the names that test runners look
// for.
func testFile(base string) bool {
	base = strings.ToLower(base)
	stem := strings.TrimSuffix(base, path.Ext(base))
	return stem == "conftest" || slices.ContainsFunc([]string{"test_", "test-"}, func(s string) bool { return strings.HasPrefix(stem, s) }) ||
		slices.ContainsFunc([]string{"_test", "-test", ".test", ".spec", "_spec"}, func(s string) bool { return strings.HasSuffix(stem, s) })
}
