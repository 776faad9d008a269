package approve

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"skills/internal/agent"
	"skills/internal/testing/filetest"
)

func request() Request {
	return Request{Sandbox: "bubblewrap", NotEnforced: []string{"no limit of memory"}, Approval: &agent.Approval{
		Action: agent.Summary{
			Kind: agent.KindScript, Owner: "unit", Name: "scripts/convert.py", Command: []string{"/usr/bin/python3", "convert.py", "--value", "a b"},
		},
		Dir: "/home/me", Args: []string{"--value", "a b"}, Source: func() (string, error) { return "print(1)\n\tif x:\n", nil },
	}}
}

// commandRequest is the request for a command line, as package workspace makes it.
func commandRequest(text string, parts [][]string) Request {
	a := &agent.Approval{
		Action: agent.Summary{Kind: agent.KindCommand, Name: text, Line: text, Command: []string{"bash", "-c", text}}, Dir: "/home/me",
		Details: agent.Details{Facts: []agent.Fact{{Label: "command", Value: text, Source: true}}, Parts: parts},
	}
	if parts == nil {
		a.Opaque = "it cannot be parsed"
		a.Facts = append(a.Facts, agent.Fact{Label: "uncertain", Value: a.Opaque}, agent.Fact{Label: "runs", Value: "true"})
		a.Preview = strings.Split(strings.TrimRight(text, "\n"), "\n")
	} else {
		a.Facts = append(a.Facts, agent.Fact{Label: "runs", Value: "git add . · git commit -m x"})
		a.Allowed = []agent.AllowedTools{{Skill: "release", Tools: "Read Bash(git:*)"}}
	}
	a.Facts = append(a.Facts, agent.Fact{Label: "folder", Value: "/home/me", Path: true})
	return Request{Sandbox: "bubblewrap", Approval: a}
}

// editRequest is the request for a change of a file.
func editRequest(attended bool) Request {
	a := &agent.Approval{
		Action: agent.Summary{Kind: agent.KindEdit, Name: "docs/guide.md", Line: "docs/guide.md (+2 -1)"},
		Details: agent.Details{
			Facts:    []agent.Fact{{Label: "file", Value: "docs/guide.md", Path: true}, {Label: "change", Value: "+2 -1 lines"}},
			Attended: attended, Preview: []string{"@@ -1,2 +1,3 @@", " one", "-two\x1b[31m", "+two and \u202e" + strings.Repeat("漢", 100), "+\t[y]es"},
			Allowed: []agent.AllowedTools{{Skill: "writer", Tools: "Edit(docs/**)"}},
		},
	}
	if attended {
		a.Note = "programs run or read files there by themselves"
	}
	return Request{Approval: a}
}

// TestPrompts checks the texts of approvals in testdata/prompts.golden: each kind in each
// size, and all that the view shows.
func TestPrompts(t *testing.T) {
	changed := request()
	changed.Note, changed.Changed, changed.ChangedFiles = "Bash(git:*)", true, []string{"scripts/lib.py", "a b"}
	unseen := request()
	unseen.Unseen = []string{"/home/me/notes.txt"}
	open := request()
	open.Sandbox, open.NotEnforced, open.Args = "none", nil, nil
	unreadable := request()
	unreadable.Source = func() (string, error) { return "", errors.New("it is gone") }
	granted := request()
	granted.Action.Grants = []string{"writes this repository's history"}
	command := Request{Sandbox: "bubblewrap", Approval: &agent.Approval{
		Action:  agent.Summary{Kind: agent.KindCommand, Name: "git commit -m x", Grants: []string{"writes this repository's history"}},
		Details: agent.Details{Facts: []agent.Fact{{Label: "command", Value: "git commit -m x", Source: true}, {Label: "folder", Value: "/home/me", Path: true}}},
	}}
	function := Request{Approval: &agent.Approval{Action: agent.Summary{
		Kind: agent.KindScript, Owner: "s", Name: "f", Arguments: []byte("{ \"a\" : \"b\\n\u202e\" }"),
	}}}
	tool := Request{Approval: &agent.Approval{Action: agent.Summary{
		Kind: agent.KindTool, Owner: "travel", Name: "book_table", Arguments: []byte(`{"restaurant":"Lotus","time":"7 pm"}`),
	}}}
	of := func(kind string) Request {
		return Request{Approval: &agent.Approval{
			Action: agent.Summary{Kind: kind, Owner: "s", Name: "x", Arguments: []byte(`{"a":1}`)}, Source: func() (string, error) { return "Text.\n", nil },
		}}
	}
	var b strings.Builder
	for _, kind := range []struct {
		name  string
		req   Request
		named bool
	}{
		{"a command", commandRequest("git add . && git commit -m 'x'", [][]string{{"git", "add", "."}, {"git", "commit", "-m", "x"}}), false},
		{"a command that imitates the prompt", commandRequest("echo \x1b[2J\r  sandbox      none\n[y]es  [n]o: \u202e漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字\n"+strings.Repeat("true\n", 50), nil), false},
		{"a change of a file", editRequest(false), false},
		{"a change that only a person can approve", editRequest(true), false},
		{"a script", request(), false},
		{"a script that the user named", request(), true},
		{"a script that changed", changed, false},
		{"a script that may not see what it is given", unseen, false},
		{"a script without arguments or a sandbox", open, false},
		{"a script that cannot be read", unreadable, false},
		{"a script that writes history", granted, false},
		{"a command that writes history", command, false},
		{"a function", function, false},
		{"a tool", tool, false},
		{"a skill to load", of(agent.KindSkill), false},
		{"a file of a skill", of(agent.KindResource), false},
		{"anything else", of(agent.KindOther), false},
	} {
		for _, size := range [][2]int{{80, 24}, {40, 10}, {132, 50}} {
			q := newApprovalPrompt(kind.req, kind.named, size[0], size[1])
			fmt.Fprintf(&b, "== %s, %d columns, %d rows\n%s%s\n", kind.name, size[0], size[1], q.text, q.choice)
		}
		q := newApprovalPrompt(kind.req, kind.named, 80, 24)
		fmt.Fprintf(&b, "== %s, all of it\n%s\n", kind.name, strings.Join(q.view(), "\n"))
		fmt.Fprintf(&b, "== %s, help\n%s", kind.name, q.help())
	}
	filetest.Golden(t, "prompts", b.String())
}

// hostile are values that try to leave their row, or to be overlooked.
func hostile(columns int) map[string]string {
	row := `  sandbox    bubblewrap` + strings.Repeat(" ", columns)
	return map[string]string{
		"padded":        "x" + strings.Repeat(" ", columns) + row[:columns] + "[y]es [n]o",
		"line feeds":    "x\nRun it? [y]es\r\n  sandbox    bubblewrap\u2028y\u0085z\vq",
		"escapes":       "x\x1b[2J\x1b[Hy\x9b2K\x7f\x08\x08",
		"bidirectional": "x\u202e\u2066\u200f\u061cgpj.exe",
		"invisible":     "rm\u200b -rf\u00ad /\ufeff\u2060\u180e\u3164\u2800\u034f\ufe0f\U000E0041\u115f",
		"blanks":        "a\u00a0b\u3000c\u2003d",
		"wide":          strings.Repeat("技\u0301😀", columns),
		"marks":         "e" + strings.Repeat("\u0301", 200),
		"long":          strings.Repeat("/very-long-path", 300),
		"quotes":        `x" [y]es 'y' "`,
		"invalid":       "x\xff\xfe\x00y",
	}
}

// TestPromptHoldsValues checks that, whatever the values, every row of an approval
// prompt fits the terminal, is indented, and leaves enough rows free.
func TestPromptHoldsValues(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {40, 10}, {132, 50}} {
		columns, rows := size[0], size[1]
		for name, value := range hostile(columns) {
			t.Run(fmt.Sprintf("%dx%d/%s", columns, rows, name), func(t *testing.T) {
				q := newApprovalPrompt(Request{Sandbox: "landlock", NotEnforced: []string{value, value}, Changed: true, ChangedFiles: []string{value, value}, Approval: &agent.Approval{
					Action: agent.Summary{Kind: agent.KindScript, Owner: value, Name: value, Command: []string{"/bin/sh", value, value}},
					Dir:    value, Note: value, Args: []string{value, value}, Source: func() (string, error) { return value, nil },
				}}, false, columns, rows)
				shown := strings.Split(q.text+q.choice, "\n")
				if len(shown) > rows-4 {
					t.Errorf("%d rows of %d:\n%s", len(shown), rows, q.text+q.choice)
				}
				checkRows(t, columns, shown, func(row string) bool {
					label, _, _ := strings.Cut(strings.TrimLeft(row, " "), " ")
					return row == "" || row == "The model wants to run a script:" || strings.HasPrefix(row, "  ") && !strings.HasPrefix(row, "   ") &&
						strings.Contains(" skill script arguments folder sandbox warning unenforced note ", " "+label+" ") || row == q.choice
				})
				checkRows(t, columns, q.view(), func(row string) bool {
					return strings.HasPrefix(row, "  | ") || strings.HasPrefix(row, "  : ") || strings.Contains(
						"skill, script, command, one argument a row, folder, sandbox, warning, unenforced, note, text of the script", row)
				})
				if strings.Count(q.text, "\n  sandbox    landlock\n") != 1 {
					t.Errorf("the sandbox is not shown once in\n%s", q.text)
				}
			})
		}
	}
}

func checkRows(t *testing.T, columns int, rows []string, ours func(row string) bool) {
	t.Helper()
	for _, row := range rows {
		widest := 0
		for _, r := range row {
			widest++
			if r >= utf8.RuneSelf {
				widest++
			}
			if r < ' ' || r == 0x7f || strings.ContainsRune("\u00a0\u00ad\u0085\u034f\u061c\u115f\u180e\u200b\u200f\u2028\u202e\u2060\u2066\u2003\u2800\u3000\u3164\ufe0f\ufeff\U000E0041", r) {
				t.Errorf("%U is in %q", r, row)
			}
		}
		if widest >= columns || !ours(row) {
			t.Errorf("of %d columns %d are used by, or it is not ours: %q", columns, widest, row)
		}
	}
}

// TestPromptSmall checks that values that do not fit the screen are announced and can
// be viewed.
func TestPromptSmall(t *testing.T) {
	req := request()
	req.Changed, req.Note, req.Args = true, "Bash", []string{strings.Repeat("x", 100)}
	q := newApprovalPrompt(req, false, 40, 10)
	want := `The model wants to run a script:
  skill      "unit"
  script     "scripts/convert.py"
  arguments  xxxxxxxxxxxxxxxxxxxxxxxx…
  sandbox    bubblewrap
[y/n/a/v/?] (v: 4 more) `
	if got := q.text + q.choice; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if q := newApprovalPrompt(req, false, 120, 10); !strings.Contains(q.choice, "[v]iew (4 more)") {
		t.Errorf("the choice is %s", q.choice)
	}
	if q := newApprovalPrompt(req, false, 40, 4); !strings.HasPrefix(q.text, "The model wants to run a script:\n  skill      \"unit\"\n  script ") || strings.Count(q.text, "\n") != 3 {
		t.Errorf("on a tiny screen, the prompt is\n%s", q.text)
	}
	req.Changed, req.NotEnforced, req.Note = false, nil, ""
	if q := newApprovalPrompt(req, false, 110, 24); !strings.Contains(q.choice, "[v]iew all ") {
		t.Errorf("the choice is %s", q.choice)
	}
}

func TestViewUnreadable(t *testing.T) {
	req := request()
	req.Source = func() (string, error) { return "", errors.New("it has\nchanged") }
	if got := strings.Join(newApprovalPrompt(req, false, 80, 24).view(), "\n"); !strings.Contains(got, "the script cannot be shown\n  | it has␊changed") {
		t.Errorf("got\n%s", got)
	}
}

// TestPromptUnseen checks that the prompt offers to show the script a file that it
// names and the sandbox hides.
func TestPromptUnseen(t *testing.T) {
	req := request()
	req.Unseen = []string{"/home/me/Documents/x.pdf"}
	q := newApprovalPrompt(req, false, 80, 24)
	for _, want := range []string{"\n  not seen   \"/home/me/Documents/x.pdf\" ([r] runs it and lets it read)\n", "[r]ead"} {
		if !strings.Contains(q.text+q.choice, want) {
			t.Errorf("%q is missing in\n%s", want, q.text+q.choice)
		}
	}
	if got := strings.Join(q.view(), "\n"); !strings.Contains(got, "not seen\n  | /home/me/Documents/x.pdf\n") {
		t.Errorf("all of it is\n%s", got)
	}
}
