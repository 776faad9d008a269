package approve

import (
	"strings"
	"testing"

	"skills/internal/agent"
	"skills/internal/fault"
)

func TestPatterns(t *testing.T) {
	for _, tt := range []struct {
		pattern, skill, script string
		want                   bool
	}{
		{"pdf/*", "pdf", "run.sh", true},
		{"pdf/*", "pdf", "scripts/deep/run.sh", true},
		{"pdf/**", "pdf", "scripts/run.sh", true},
		{"pdf/*", "pdf2", "run.sh", false},
		{"pdf/*", "other", "pdf/run.sh", false},
		{"*/*.py", "any", "scripts/x.py", true},
		{"*/*.py", "any", "scripts/x.pyc", false},
		{"*/x.py", "any", "x.py", true},
		{"*/x.py", "any", "scripts/x.py", false},
		{"p?f/scripts/[a-c].sh", "pdf", "scripts/b.sh", true},
		{"p?f/scripts/[a-c].sh", "pdf", "scripts/d.sh", false},
		{"pdf/scripts/x.py", "pdf", "scripts/x.py", true},
		{"pdf/scripts/x.py", "pdf", "scripts/X.py", false},
		{"PDF/*", "pdf", "x", false},
		{`pdf/\*.py`, "pdf", "*.py", true},
		{`pdf/\*.py`, "pdf", "a.py", false},
	} {
		p, err := ParsePattern(tt.pattern, "skill", "script")
		if err != nil {
			t.Errorf("%s: %v", tt.pattern, err)
			continue
		}
		if got := p.Matches(tt.skill, tt.script); got != tt.want {
			t.Errorf("%s matches %s/%s: %t, want %t", tt.pattern, tt.skill, tt.script, got, tt.want)
		}
	}
}

// TestPatternHint checks that the example of a hint is itself a pattern.
func TestPatternHint(t *testing.T) {
	for text, want := range map[string]string{"*": "'*/*' for all", "pdf": "'pdf/*' for all", "/": "'*/*' for all"} {
		_, err := ParsePattern(text, "server", "tool")
		if hint := fault.Hint(err); !strings.Contains(hint, want) {
			t.Errorf("%q: the hint is %q, want %q", text, hint, want)
		}
	}
}

// TestCommandPatterns: a pattern is for the working folder, or for the folder of the skill
// that it names.
func TestCommandPatterns(t *testing.T) {
	for _, tt := range []struct {
		pattern, skill, command string
		want                    bool
	}{
		{"make test", "", "make test", true},
		{"make test", "release", "make test", false},
		{"make *", "", "make", true},
		{"release:make test", "release", "make test", true},
		{"release:make test", "", "make test", false},
		{"release:make test", "release2", "make test", false},
		{"release: make *", "release", "make a b", true},
		{"rel*:make test", "release", "make test", true},
		{"*:make test", "release", "make test", true},
		{"*:make test", "", "make test", false},
		{"npm run test:unit", "", "npm run test:unit", true},
		{"npm run test:unit", "npm run test", "unit", false},
		{"./a:b", "", "./a:b", true},
	} {
		p, err := ParseCommandPattern(tt.pattern)
		if err != nil {
			t.Errorf("%s: %v", tt.pattern, err)
			continue
		}
		a := &agent.Approval{Action: agent.Summary{Kind: agent.KindCommand, Owner: tt.skill}, Details: agent.Details{Parts: [][]string{strings.Fields(tt.command)}}}
		d, err := newPolicy(t, Options{Commands: []CommandPattern{p}}).Decide(t.Context(), a)
		if err != nil || d.Approved != tt.want {
			t.Errorf("%s matches %q in %q: %+v, %v", tt.pattern, tt.command, tt.skill, d, err)
		}
	}
	for _, bad := range []string{"", "*", "?? x", "release:", "release:*", "git:*"} {
		p, err := ParseCommandPattern(bad)
		if err == nil {
			t.Errorf("%q is a pattern: %+v", bad, p)
		}
	}
}

// TestSuggestedPattern: the pattern that a denial suggests approves the command.
func TestSuggestedPattern(t *testing.T) {
	for _, tt := range []struct {
		skill string
		words []string
		want  string
	}{
		{"", []string{"git", "commit", "-m", "a b"}, "git commit -m a?b"},
		{"", []string{"find", ".", "-name", "*"}, "find . -name ?"},
		{"", []string{"echo", "a\n\u3000b"}, "echo a????b"},
		{"release", []string{"make", "test"}, "release:make test"},
		{"", []string{"echo", ""}, ""},
		{"", []string{"a:b"}, ""},
	} {
		got, ok := commandPattern(tt.skill, tt.words)
		if ok != (tt.want != "") || ok && got != tt.want {
			t.Errorf("%q: %q, %t, want %q", tt.words, got, ok, tt.want)
		}
	}
	parts := [][]string{{"ls"}, {"git", "log"}, {"ls"}}
	for _, tt := range []struct {
		details agent.Details
		want    string
	}{
		{agent.Details{Parts: parts}, "re-run with --allow-command ls --allow-command 'git log' to allow it"},
		{agent.Details{Parts: parts, Opaque: "it sets variables"}, "run it at a terminal to be asked, or re-run with -y to allow everything"},
		{agent.Details{Parts: [][]string{{"a"}, {"b"}, {"c"}, {"d"}, {"e"}}}, "run it at a terminal to be asked, or re-run with -y to allow everything"},
	} {
		d, err := newPolicy(t, Options{}).Decide(t.Context(), &agent.Approval{Action: agent.Summary{Kind: agent.KindCommand}, Details: tt.details})
		if err != nil || d.Hint != tt.want {
			t.Errorf("%+v: %+v, %v", tt.details, d, err)
		}
	}
}
