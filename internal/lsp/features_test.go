package lsp

import (
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"skills/internal/lsp/protocol"
)

// full are the capabilities of an editor that can do everything.
const full = `{
	"general": {"positionEncodings": ["utf-16"]},
	"workspace": {"workspaceEdit": {"documentChanges": true, "resourceOperations": ["create", "rename", "delete"]}},
	"window": {"showDocument": {"support": true}},
	"textDocument": {"documentSymbol": {"hierarchicalDocumentSymbolSupport": true}, "hover": {"contentFormat": ["markdown", "plaintext"]}}
}`

// at returns the position of a mark in a text, in the encoding.
func at(t *testing.T, text, mark string, encoding protocol.Encoding) protocol.Position {
	t.Helper()
	i := strings.Index(text, mark)
	if i < 0 {
		t.Fatalf("no %q in the text", mark)
	}
	return protocol.NewText([]byte(text), encoding).Position(i)
}

func place(file string, p protocol.Position) protocol.PositionParams {
	return protocol.PositionParams{Document: protocol.DocumentID{URI: protocol.URI(file)}, Position: p}
}

// edited is the result of an edit of the workspace: texts by file name, and renamed files.
func edited(t *testing.T, edit json.RawMessage, texts map[string]string, encoding protocol.Encoding) map[string]string {
	t.Helper()
	var e struct {
		Changes         map[string][]protocol.TextEdit
		DocumentChanges []struct {
			protocol.RenameFile
			TextDocument protocol.VersionedID
			Edits        []protocol.TextEdit
		}
	}
	if err := json.Unmarshal(edit, &e); err != nil {
		t.Fatalf("%v in %s", err, edit)
	}
	out := map[string]string{}
	apply := func(uri string, edits []protocol.TextEdit) {
		path, _ := protocol.Path(uri)
		name := filepath.Base(path)
		slices.SortFunc(edits, func(a, b protocol.TextEdit) int {
			return int(b.Range.Start.Line*1000+b.Range.Start.Character) - int(a.Range.Start.Line*1000+a.Range.Start.Character)
		})
		text := []byte(texts[name])
		for _, edit := range edits {
			changed, err := protocol.Apply(text, []protocol.ContentChange{{Range: &edit.Range, Text: edit.NewText}}, encoding, 1<<20)
			if err != nil {
				t.Fatal(err)
			}
			text = changed
		}
		out[name] = string(text)
	}
	for uri, edits := range e.Changes {
		apply(uri, edits)
	}
	for _, c := range e.DocumentChanges {
		if c.Kind == "rename" {
			from, _ := protocol.Path(c.OldURI)
			to, _ := protocol.Path(c.NewURI)
			out["rename "+filepath.Base(from)] = filepath.ToSlash(to)
			continue
		}
		apply(c.TextDocument.URI, c.Edits)
	}
	return out
}

// TestActions offers a fix, a comment that ignores the rule, and all fixes, after Chinese
// and emoji, in both encodings.
func TestActions(t *testing.T) {
	text := "---\nname: pdf\ndescription: 填写😀 PDF 表单. Use when a task names a form.\nallowed-tools: 读😀, Grep\n---\n# PDF\n\nDo 😀 it.\n"
	for _, encoding := range []protocol.Encoding{protocol.UTF16, protocol.UTF8} {
		t.Run(string(encoding), func(t *testing.T) {
			file := filepath.Join(skillDir(t, map[string]string{"SKILL.md": text}), "SKILL.md")
			e := start(t, options{client: strings.Replace(full, `"utf-16"`, `"`+string(encoding)+`"`, 1)})
			e.open(file, text)
			found := e.findings(file, 1)
			if len(found) == 0 || found[0].Code != "allowed-tools-format" || found[0].Range.Start != at(t, text, ", Grep", encoding) {
				t.Fatalf("got %v, want a finding at the comma", found)
			}
			var actions []struct {
				protocol.CodeAction
				Edit json.RawMessage `json:"edit"`
			}
			e.call("textDocument/codeAction", map[string]any{"textDocument": protocol.DocumentID{URI: protocol.URI(file)}, "range": found[0].Range, "context": map[string]any{"diagnostics": found}}, &actions)
			var titles []string
			got := map[string]string{}
			for _, a := range actions {
				titles = append(titles, a.Title)
				got[a.Title] = edited(t, a.Edit, map[string]string{"SKILL.md": text}, encoding)["SKILL.md"]
			}
			fixed := strings.Replace(text, "读😀, Grep", "读😀 Grep", 1)
			ignore := "Ignore allowed-tools-format in this skill (give a reason)"
			for title, want := range map[string]string{
				"Write spaces between the tools": fixed,
				ignore:                           text + "\n<!-- skills: ignore allowed-tools-format -- reason -->\n",
				"Fix all problems of this skill that can be fixed": fixed,
			} {
				if got[title] != want {
					t.Errorf("%s: got %q, want %q (of %q)", title, got[title], want, titles)
				}
			}
			for _, a := range actions {
				if a.Title != ignore {
					continue
				}
				e.call("workspace/executeCommand", a.Command, nil)
				e.wait("the selected reason", func() bool {
					return len(e.requests) > 0 && strings.Contains(e.requests[len(e.requests)-1], `"selection":{"start":{"line":9,"character":44},"end":{"line":9,"character":50}}`)
				})
			}
			e.call("textDocument/codeAction", map[string]any{"textDocument": protocol.DocumentID{URI: protocol.URI(file)}, "range": protocol.Range{}, "context": map[string]any{"only": []string{"source.fixAll"}}}, &actions)
			if len(actions) != 1 || actions[0].Kind != fixAll {
				t.Errorf("only fixAll: got %v", actions)
			}
		})
	}
}

// TestExecutable makes a script executable, which is no edit.
func TestExecutable(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no executable bit")
	}
	dir := skillDir(t, others)
	text := strings.Replace(good, "`scripts/fill.py`", "`./scripts/fill.py --help`", 1)
	write(t, dir, map[string]string{"SKILL.md": text})
	file, script := filepath.Join(dir, "SKILL.md"), filepath.Join(dir, "scripts", "fill.py")
	e := start(t, options{client: full})
	e.open(file, text)
	e.findings(file, 1)
	e.mu.Lock()
	all := e.latest
	e.mu.Unlock()
	done := false
	for uri, p := range all {
		for _, d := range p.Diagnostics {
			if d.Code != "script-run" || !strings.Contains(d.Message, "executable") {
				continue
			}
			path, _ := protocol.Path(uri)
			if path == script {
				e.open(script, others["scripts/fill.py"])
			}
			var actions []protocol.CodeAction
			e.call("textDocument/codeAction", map[string]any{"textDocument": protocol.DocumentID{URI: uri}, "range": d.Range, "context": map[string]any{}}, &actions)
			for _, a := range actions {
				if a.Command != nil && a.Command.Command == executableCommand {
					e.call("workspace/executeCommand", a.Command, nil)
					done = true
				}
			}
		}
	}
	if info, err := os.Stat(script); err != nil || !done || info.Mode()&0o100 == 0 {
		t.Errorf("offered %v, mode %v in %v", done, info.Mode(), all)
	}
	for _, args := range []string{`[]`, `["untitled:x"]`, `["file:///etc/passwd"]`, `[7]`} {
		_, err := e.client.Call(e.ctx, "workspace/executeCommand", map[string]any{"command": executableCommand, "arguments": json.RawMessage(args)})
		if (err == nil) != (args == "[]") {
			t.Errorf("%s: got %v", args, err)
		}
	}
}

// TestHover explains findings, fields and files.
func TestHover(t *testing.T) {
	text := strings.Replace(good, "description: Fills", "model: two words\ndescription: 填😀 Fills", 1)
	dir := skillDir(t, others)
	write(t, dir, map[string]string{"SKILL.md": text})
	file := filepath.Join(dir, "SKILL.md")
	e := start(t, options{client: full})
	e.open(file, text)
	for mark, want := range map[string][]string{
		"name:":       {"**name**", "3 of 64 characters", "Zed: 3 of 64 bytes"},
		"填😀":          {"**description**", "53 of 1,024 characters", "VS Code: 54 of 1,024 UTF-16 units", "Crush: 58 of 1,024 bytes", "Claude Code shows 53 of at most 1,536 characters"},
		"two words":   {"# field-values", "- Level: warning", "**model** (read by Claude Code)"},
		"references/": {"**references/guide.md**: 40 bytes, about 11 tokens"},
		"fill.py":     {"**scripts/fill.py**"},
		"# PDF":       nil,
	} {
		var got *protocol.Hover
		e.call("textDocument/hover", place(file, at(t, text, mark, protocol.UTF16)), &got)
		if (got == nil) != (want == nil) {
			t.Errorf("%s: got %v", mark, got)
			continue
		}
		for _, w := range want {
			if !strings.Contains(got.Contents.Value, w) {
				t.Errorf("%s: got %s, want %s", mark, got.Contents.Value, w)
			}
		}
	}
}

// TestCompletion proposes what can be written at the mark |.
func TestCompletion(t *testing.T) {
	const head = "---\nname: pdf\ndescription: Fills PDF forms. Use when a task names a PDF form.\n"
	for _, tt := range []struct {
		name, text, label, want string // want is the text after the item with the label
		not                     string // a label that is not proposed
	}{
		{"field", head + "li|\n---\n", "license", head + "license: |\n---\n", "name"},
		{"field of a client", head + "|\n---\n", "argument-hint", head + "argument-hint: |\n---\n", "description"},
		{"field without a fence", "---\nde|", "description", "---\ndescription: |", ""},
		{"value", head + "context: |\n---\n", "fork", head + "context: fork|\n---\n", ""},
		{"boolean", head + "user-invocable: f|\n---\n", "false", head + "user-invocable: false|\n---\n", ""},
		{"name", "---\nname: |\n---\n", "pdf", "---\nname: pdf|\n---\n", ""},
		{"second tool", head + "allowed-tools: Read Gr|\n---\n", "Grep", head + "allowed-tools: Read Grep|\n---\n", ""},
		{"in metadata", head + "metadata:\n  au|\n---\n", "", "", "license"},
		{"link", head + "---\n填😀 [x](ref|)\n", "references/guide.md", head + "---\n填😀 [x](references/guide.md|)\n", "SKILL.md"},
		{"link with a blank", head + "---\n[x](|\n", "assets/a%20b.txt", head + "---\n[x](assets/a%20b.txt|\n", ""},
		{"definition", head + "---\n[x]: |\n", "references/guide.md", head + "---\n[x]: references/guide.md|\n", ""},
		{"heading", head + "---\n[x](references/guide.md#|)\n", "guide", head + "---\n[x](references/guide.md#guide|)\n", ""},
		{"own heading", head + "---\n# A b\n[x](#|)\n", "a-b", head + "---\n# A b\n[x](#a-b|)\n", ""},
		{"code span", head + "---\nRun `python3 scr|`\n", "scripts/fill.py", head + "---\nRun `python3 scripts/fill.py|`\n", ""},
		{"code block", head + "---\n```bash\n${CLAUDE_SKILL_DIR}/|\n", "scripts/fill.py", head + "---\n```bash\n${CLAUDE_SKILL_DIR}/scripts/fill.py|\n", ""},
		{"prose", head + "---\nRun |\n", "", "", "scripts/fill.py"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			text := strings.Replace(tt.text, "|", "", 1)
			dir := skillDir(t, others)
			write(t, dir, map[string]string{"SKILL.md": text, "assets/a b.txt": "x\n", ".hidden/x.md": "x\n"})
			file := filepath.Join(dir, "SKILL.md")
			e := start(t, options{client: full})
			e.open(file, text)
			var items []protocol.CompletionItem
			e.call("textDocument/completion", place(file, protocol.NewText([]byte(text), protocol.UTF16).Position(strings.Index(tt.text, "|"))), &items)
			var labels []string
			for _, item := range items {
				labels = append(labels, item.Label)
				if item.Label != tt.label {
					continue
				}
				got, err := protocol.Apply([]byte(text), []protocol.ContentChange{{Range: &item.Edit.Range, Text: item.Edit.NewText}}, protocol.UTF16, 1<<20)
				if err != nil || string(got) != strings.Replace(tt.want, "|", "", 1) {
					t.Errorf("got %q, want %q", got, tt.want)
				}
			}
			if tt.label != "" && !slices.Contains(labels, tt.label) || tt.not != "" && slices.Contains(labels, tt.not) {
				t.Errorf("got %q, want %q and not %q", labels, tt.label, tt.not)
			}
		})
	}
}

// TestDefinition follows links, headings and scripts.
func TestDefinition(t *testing.T) {
	text := strings.Replace(good, "references/guide.md", "references/guide.md#two-填", 1)
	dir := skillDir(t, others)
	guide := "# One\n\n😀\n\n## Two 填\n"
	write(t, dir, map[string]string{"SKILL.md": text, "references/guide.md": guide})
	file := filepath.Join(dir, "SKILL.md")
	e := start(t, options{})
	e.open(file, text)
	for mark, want := range map[string]protocol.Location{
		"guide.md#": {URI: protocol.URI(filepath.Join(dir, "references", "guide.md")), Range: protocol.Range{Start: protocol.Position{Line: 4, Character: 3}, End: protocol.Position{Line: 4, Character: 8}}},
		"fill.py":   {URI: protocol.URI(filepath.Join(dir, "scripts", "fill.py"))},
		"# PDF":     {},
	} {
		var got protocol.Location
		e.call("textDocument/definition", place(file, at(t, text, mark, protocol.UTF16)), &got)
		if got != want {
			t.Errorf("%s: got %v, want %v", mark, got, want)
		}
	}
}

// TestRename renames a file with its mentions, and refuses names that are none.
func TestRename(t *testing.T) {
	texts := map[string]string{
		"SKILL.md": good + "\n填😀 [again](./references/guide.md#guide) and `references/guide.md`.\n",
		"other.md": "See [it](guide.md) or run `scripts/fill.py`.\n",
		"guide.md": "# Guide\n\nSee [the other](other.md).\n",
	}
	dir := skillDir(t, others)
	write(t, dir, map[string]string{"SKILL.md": texts["SKILL.md"], "references/other.md": texts["other.md"], "references/guide.md": texts["guide.md"]})
	file := filepath.Join(dir, "SKILL.md")
	e := start(t, options{client: full})
	e.open(file, texts["SKILL.md"])
	p := place(file, at(t, texts["SKILL.md"], "guide.md", protocol.UTF16))
	var prepared protocol.PreparedRename
	e.call("textDocument/prepareRename", p, &prepared)
	if prepared.Placeholder != "references/guide.md" || prepared.Range != (protocol.Range{Start: at(t, texts["SKILL.md"], "references/", protocol.UTF16), End: at(t, texts["SKILL.md"], ")", protocol.UTF16)}) {
		t.Errorf("got %v", prepared)
	}
	want := map[string]string{
		"SKILL.md": strings.NewReplacer("(references/guide.md)", "(docs/the%20guide.md)", "(./references/guide.md#guide)", "(docs/the%20guide.md#guide)", "`references/guide.md`", "`docs/the guide.md`").Replace(texts["SKILL.md"]),
		"other.md": "See [it](../docs/the%20guide.md) or run `scripts/fill.py`.\n",
		"guide.md": "# Guide\n\nSee [the other](../references/other.md).\n",
	}
	check := func(what string, edit json.RawMessage, want map[string]string) {
		t.Helper()
		got := edited(t, edit, texts, protocol.UTF16)
		for name, text := range want {
			if got[name] != text {
				t.Errorf("%s: %s: got %q, want %q", what, name, got[name], text)
			}
		}
		if len(got) != len(want) {
			t.Errorf("%s: got %v", what, got)
		}
	}
	var edit json.RawMessage
	moved := protocol.URI(filepath.Join(dir, "docs", "the guide.md"))
	e.call("workspace/willRenameFiles", map[string]any{"files": []any{map[string]any{"oldUri": protocol.URI(filepath.Join(dir, "references", "guide.md")), "newUri": moved}}}, &edit)
	check("the editor renames", edit, want)
	want["rename guide.md"] = filepath.ToSlash(filepath.Join(dir, "docs", "the guide.md"))
	e.call("textDocument/rename", protocol.RenameParams{PositionParams: p, NewName: "docs/the guide.md"}, &edit)
	check("rename", edit, want)
	e.call("workspace/willRenameFiles", map[string]any{"files": []any{map[string]any{"oldUri": protocol.URI(filepath.Join(dir, "scripts")), "newUri": protocol.URI(filepath.Join(dir, "bin"))}}}, &edit)
	check("a folder", edit, map[string]string{
		"SKILL.md": strings.ReplaceAll(texts["SKILL.md"], "scripts/fill.py", "bin/fill.py"),
		"other.md": strings.ReplaceAll(texts["other.md"], "scripts/fill.py", "bin/fill.py"),
	})
	for _, name := range []string{"../x.md", "/x.md", ".", "", "scripts/fill.py", "docs/SKILL.md", `a\b`, "a\nb"} {
		if answer, err := e.client.Call(e.ctx, "textDocument/rename", protocol.RenameParams{PositionParams: p, NewName: name}); err == nil {
			t.Errorf("%q: got %s", name, answer.ResultString())
		}
	}
}

// TestSymbols returns the fields, and the headings with those below them.
func TestSymbols(t *testing.T) {
	text := good + "\n## 填😀 form\n\n### Small\n\n## Last\n"
	dir := skillDir(t, others)
	write(t, dir, map[string]string{"SKILL.md": text})
	file := filepath.Join(dir, "SKILL.md")
	for _, client := range []string{full, "{}"} {
		e := start(t, options{client: client})
		e.open(file, text)
		var got json.RawMessage
		e.call("textDocument/documentSymbol", protocol.DocumentParams{Document: protocol.DocumentID{URI: protocol.URI(file)}}, &got)
		var names []string
		var walk func(list []*protocol.Symbol)
		walk = func(list []*protocol.Symbol) {
			for _, s := range list {
				names = append(names, s.Name)
				walk(s.Nested)
				names = append(names, ".")
			}
		}
		var list []*protocol.Symbol
		if err := json.Unmarshal(got, &list); err != nil {
			t.Fatal(err)
		}
		walk(list)
		want := "name . description . PDF 填😀 form Small . . Last . ."
		if client == "{}" {
			want = "name . description . PDF . 填😀 form . Small . Last ."
		}
		if strings.Join(names, " ") != want {
			t.Errorf("got %s, want %s", strings.Join(names, " "), want)
		}
	}
}

// TestInlayHints counts the catalogue entry, fields with a limit, and the body.
func TestInlayHints(t *testing.T) {
	text := strings.Replace(good, "description: Fills PDF forms.", "description: >\n  填😀 Fills\n  PDF forms.", 1)
	dir := skillDir(t, others)
	write(t, dir, map[string]string{"SKILL.md": text})
	file := filepath.Join(dir, "SKILL.md")
	e := start(t, options{})
	e.open(file, text)
	var hints []protocol.InlayHint
	e.call("textDocument/inlayHint", protocol.RangeParams{Document: protocol.DocumentID{URI: protocol.URI(file)}, Range: protocol.Range{End: protocol.Position{Line: 99}}}, &hints)
	var got []string
	for _, h := range hints {
		line := strings.Split(text, "\n")[h.Position.Line]
		if int(h.Position.Character) != len(line)-strings.Count(line, "😀")*2-strings.Count(line, "填")*2 {
			t.Errorf("%q is not at the end of its line", h.Label)
		}
		got = append(got, line+" "+h.Label)
	}
	want := []string{"--- catalogue entry: about 38 tokens", "name: pdf 3/64", "description: > 53/1,024", "--- body: about 21 of 5,000 tokens, 9 of 500 lines"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
