package lsp

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"skills/internal/lsp/protocol"
)

// BenchmarkEdit measures the time from an edit to the findings, in a skill of ordinary size:
// 300 lines, ten files of references and five scripts.
func BenchmarkEdit(b *testing.B) {
	files := map[string]string{}
	body := "# PDF\n\n"
	for i := range 10 {
		name := fmt.Sprintf("references/page%d.md", i)
		files[name] = "# Page\n\n" + strings.Repeat("Fill in the fields one by one, and check each of them.\n\n", 100)
		body += "Read [page](" + name + ") when the form has many fields.\n\n"
	}
	for i := range 5 {
		name := fmt.Sprintf("scripts/fill%d.py", i)
		files[name] = "#!/usr/bin/env python3\n" + strings.Repeat("import argparse\nprint('filled')\n", 100)
		body += "Run `python3 " + name + " --help`.\n\n"
	}
	text := strings.TrimSuffix(good, good[strings.Index(good, "# PDF"):]) + body + strings.Repeat("Check the result before you answer the user.\n", 300-strings.Count(body, "\n"))
	dir := filepath.Join(b.TempDir(), "pdf")
	files["SKILL.md"] = text
	write(b, dir, files)
	file := filepath.Join(dir, "SKILL.md")
	e := start(b, options{folders: []string{dir}})
	e.open(file, text)
	e.findings(file, 1)
	version := 1
	for b.Loop() {
		version++
		e.notify("textDocument/didChange", map[string]any{
			"textDocument":   map[string]any{"uri": protocol.URI(file), "version": version},
			"contentChanges": []any{protocol.ContentChange{Range: &protocol.Range{Start: protocol.Position{Line: 20, Character: uint32(1 - version%2)}, End: protocol.Position{Line: 20, Character: 1}}, Text: []string{"", "x"}[version%2]}},
		})
		e.findings(file, int32(version))
	}
}
