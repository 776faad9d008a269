package approve

import "testing"

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
