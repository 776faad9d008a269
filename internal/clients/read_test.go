package clients

import (
	"bytes"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestVerdicts has a small input for each difference between clients. Clients that are
// not named load the skill unchanged.
func TestVerdicts(t *testing.T) {
	const good = "name: my-notes\ndescription: Keeps notes.\n"
	fenced := func(fields string) string { return "---\n" + fields + "---\nBody text.\n" }
	long := func(n int, text string) string {
		return "name: my-notes\ndescription: " + strings.Repeat(text, n) + "\n"
	}
	for name, tt := range map[string]struct {
		text string
		want string
	}{
		"good":      {fenced(good), ""},
		"CRLF":      {strings.ReplaceAll(fenced(good), "\n", "\r\n"), ""},
		"old Macs":  {strings.ReplaceAll(fenced(good), "\n", "\r"), "altered claude-code cline, skipped codex gemini opencode zed vscode kilo maf, unknown copilot cursor, hidden opencode-v2"},
		"BOM":       {"\uFEFF" + fenced(good), "skipped codex gemini pi zed, unknown claude-code copilot cursor vscode"},
		"no fences": {"# Notes\n", "altered claude-code cline, skipped codex crush gemini goose opencode pi vscode zed kilo maf, unknown copilot cursor, hidden opencode-v2"},
		"unclosed":  {"---\n" + good, "altered claude-code cline, skipped codex crush gemini goose pi zed maf, unknown copilot cursor"},
		"blank line first": {"\n" + fenced(good),
			"altered claude-code cline, skipped codex gemini opencode pi vscode kilo maf, unknown copilot cursor, hidden opencode-v2"},
		"not UTF-8":     {fenced(good + "license: \xE9\n"), "skipped codex crush goose zed maf"},
		"colon":         {fenced("name: my-notes\ndescription: Keeps notes: short ones\n"), "altered claude-code gemini opencode kilo opencode-v2, skipped codex crush goose pi zed cline maf, unknown copilot cursor vscode"},
		"bracket":       {fenced("name: my-notes\ndescription: [Beta] notes\n"), "altered claude-code gemini, skipped codex crush goose opencode pi zed cline kilo maf opencode-v2, unknown copilot cursor vscode"},
		"two names":     {fenced("name: other\n" + good), "altered gemini, skipped codex crush goose opencode pi zed cline kilo maf opencode-v2, unknown claude-code copilot cursor vscode"},
		"number":        {fenced("name: my-notes\ndescription: 42\n"), "skipped codex goose opencode pi vscode zed cline kilo opencode-v2"},
		"date":          {fenced("name: my-notes\ndescription: 2026-01-02\n"), "skipped opencode kilo opencode-v2"},
		"no name":       {fenced("description: Keeps notes.\n"), "altered codex pi cline opencode-v2, skipped crush gemini goose opencode vscode zed kilo maf, unknown copilot cursor"},
		"empty name":    {fenced("name: \"\"\ndescription: Keeps notes.\n"), "altered claude-code codex pi cline opencode-v2, skipped crush goose vscode zed maf, unknown copilot cursor"},
		"other name":    {fenced("name: other\ndescription: Keeps notes.\n"), "altered claude-code, skipped crush vscode maf, unknown cursor"},
		"case":          {fenced("name: My-Notes\ndescription: Keeps notes.\n"), "altered claude-code, skipped vscode zed maf, unknown cursor"},
		"colon in name": {fenced("name: my:notes\ndescription: Keeps notes.\n"), "altered claude-code gemini, skipped crush vscode zed maf, unknown cursor"},
		"no description": {fenced("name: my-notes\n"),
			"altered claude-code goose cline, skipped codex crush gemini opencode pi vscode zed maf, unknown copilot cursor, hidden kilo opencode-v2"},
		"blank description": {fenced("name: my-notes\ndescription: \"  \"\n"),
			"altered claude-code, skipped codex pi vscode maf, unknown copilot cursor"},
		"1,030 characters":  {fenced(long(1030, "x")), "altered vscode, skipped codex crush maf, unknown copilot"},
		"600 in two bytes":  {fenced(long(600, "é")), "skipped crush"},
		"1,600 characters":  {fenced(long(1600, "x")), "altered claude-code vscode, skipped codex crush maf, unknown copilot"},
		"tag":               {fenced("name: my-notes\ndescription: Keeps <b>notes</b>.\n"), "altered vscode"},
		"nested metadata":   {fenced(good + "metadata:\n  hermes:\n    tags: x\n"), "skipped crush"},
		"metadata is text":  {fenced(good + "metadata: none\n"), "skipped codex crush goose"},
		"list of licences":  {fenced(good + "license: [MIT, ISC]\n"), "skipped crush maf"},
		"another's field":   {fenced(good + "model: fast\n"), "altered codex copilot crush cursor gemini goose opencode pi vscode zed cline kilo maf opencode-v2"},
		"not for the model": {fenced(good + "disable-model-invocation: true\n"), "altered codex gemini goose opencode cline kilo maf, hidden claude-code copilot crush cursor pi vscode zed opencode-v2"},
		"for the model":     {fenced(good + "disable-model-invocation: false\n"), "altered codex gemini goose opencode cline kilo maf"},
		"list of tools":     {fenced(good + "allowed-tools: [Read, Bash]\n"), "skipped maf"},
		"another case":      {fenced("Name: my-notes\n" + good), "altered claude-code codex copilot crush cursor gemini goose kilo cline opencode opencode-v2 pi vscode zed, skipped maf"},
		"no body":           {"---\n" + good + "---\n", "skipped cline"},
		"disabled":          {fenced(good + "disabled: true\n"), "altered claude-code codex copilot crush cursor gemini goose kilo maf opencode opencode-v2 pi vscode zed, hidden cline"},
		"some files":        {fenced(good + "paths: '*.md'\n"), "altered codex copilot crush gemini goose opencode pi vscode zed cline kilo maf opencode-v2, hidden claude-code cursor"},
	} {
		want := map[string]Outcome{}
		for part := range strings.SplitSeq(tt.want, ", ") {
			words := strings.Fields(part)
			for _, id := range words[min(1, len(words)):] {
				want[id] = Outcome(words[0])
			}
		}
		for _, v := range Verdicts(File{Source: []byte(tt.text), Entry: "SKILL.md", Folder: "my-notes"}) {
			expected := want[v.Client]
			if expected == "" {
				expected = Loads
			}
			if v.Outcome != expected {
				t.Errorf("%s: %s says %s %q, the row of this test has %s (loads if it is not named)", name, v.Client, v.Outcome, v.Reasons, expected)
			}
			if (v.Outcome == Loads) != (len(v.Reasons) == 0) {
				t.Errorf("%s: %s says %s with the reasons %q", name, v.Client, v.Outcome, v.Reasons)
			}
		}
	}
}

// TestRead checks what clients take for name and description.
func TestRead(t *testing.T) {
	read := func(id, fields string) string {
		s, _ := Find(id).Read(File{Source: []byte("---\n" + fields + "---\n\nFirst line.\nSecond.\n"), Entry: "SKILL.md", Folder: "notes", Path: "/x/SKILL.md"})
		return s.Name + "|" + s.Description
	}
	for _, tt := range [][3]string{
		{"claude-code", "name: other\n", "notes|First line."},
		{"claude-code", "description: Keeps: broken\n", "notes|First line."},
		{"claude-code", "description: Keeps.\nwhen_to_use: Often.\n", "notes|Keeps. - Often."},
		{"codex", "description: |\n  Keeps\n    notes.\n", "notes|Keeps notes."},
		{"gemini", "name: a:b\ndescription: Keeps.\n", "a-b|Keeps."},
		{"gemini", "name: a\ndescription: Keeps:  short\n  ones\n", "a|Keeps:  short ones"},
		{"gemini", "name: 7\ndescription: Keeps.\n", "7|Keeps."},
		{"gemini", "name: a\ndescription: [b, c]\n", "a|[b, c]"},
		{"gemini", "name:\ndescription:\n  - b\n", "|- b"},
		{"opencode", "name: a\ndescription: Keeps: short\n", "a|Keeps: short"},
		{"goose", "name: a\ndescription: one\nlicense: MIT --- or not\n", "a|one"},
		{"vscode", "name: notes\ndescription: A <b>bold</b> one.\n", "notes|A bold one."},
		{"pi", "description: Keeps.\n", "notes|Keeps."},
		{"zed", "description: Keeps.\n", "|"},
	} {
		if got := read(tt[0], tt[1]); got != tt[2] {
			t.Errorf("%s reads %q as %q, want %q", tt[0], tt[1], got, tt[2])
		}
	}
	// A file name of another case, and bytes without end.
	for id, f := range map[string]File{
		"gemini": {Source: []byte("---\nname: a\ndescription: b\n---\n"), Entry: "skill.md"},
		"crush":  {Source: append([]byte("---\n"), bytes.Repeat([]byte("x: y\n"), 1<<20)...), Entry: "SKILL.md"},
	} {
		if _, v := Find(id).Read(f); v.Outcome != Skipped {
			t.Errorf("%s says %s", id, v.Outcome)
		}
	}
}

// TestTable checks that rows are complete where they are used.
func TestTable(t *testing.T) {
	known := map[string][]string{
		"Same": {"", "first", "last", "all"}, "Broken": {"", "lines", "quotes", "no fields", "unknown"}, "FolderName": {"", "always", "missing"},
		"NoDescription": {"", "empty", "first line", "hidden"}, "Metadata": {"", "mapping", "texts"}, "Order": {"", "folder", "name", "path", "scope"},
		"Over": {"", "none", "shortened", "descriptions", "skills"},
	}
	page, err := os.ReadFile("../../docs/clients.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range All() {
		r := c.Reader
		for field, value := range map[string]string{"Same": c.Discovery.Same, "Broken": r.Broken, "FolderName": r.FolderName,
			"NoDescription": r.NoDescription, "Metadata": r.Metadata, "Order": c.Listing.Order, "Over": c.Listing.Budget.Over} {
			if !slices.Contains(known[field], value) {
				t.Errorf("%s: %s is %q", c.ID, field, value)
			}
		}
		source := regexp.MustCompile(`(?m)^\| ` + regexp.QuoteMeta(c.Title) + ` \| [^|]+ \| (?:<https://\S+>|the package \S+, \S+)(?:, <https://\S+>)? \|$`)
		folders := len(c.Discovery.Project) > 0 || c.Discovery.Depth > 0 // a framework searches what a program names
		if r.Fence != nil && (!source.Match(page) || !folders) {
			t.Errorf("%s has no source in docs/clients.md, or no folders", c.ID)
		}
		if s := c.Seen; s.Date == "" || s.How == "" || s.Release == "" && s.How != Documentation {
			t.Errorf("%s: nothing says which release was read, and when: %+v", c.ID, s)
		}
		for _, dir := range c.Discovery.Parents {
			if !slices.Contains(c.Discovery.Project, dir) {
				t.Errorf("%s: %s is looked for above, but not here", c.ID, dir)
			}
		}
		if Find(c.ID) == nil || fmt.Sprint(Find(c.ID).Title) != c.Title {
			t.Errorf("%s is not found", c.ID)
		}
	}
	if Find("nobody") != nil {
		t.Error("a client that does not exist is found")
	}
}
