package rules

import (
	"slices"
	"strings"
	"testing"

	"skills/internal/spec"
)

// fixed applies the fixes of one rule's findings to a document.
func fixed(t *testing.T, doc *spec.Document, rule string) string {
	t.Helper()
	var edits []spec.Edit
	for _, d := range Check(doc, spec.Options{}) {
		if d.Rule == rule && d.Fix != nil {
			edits = append(edits, d.Fix.Edits...)
		}
	}
	slices.SortFunc(edits, func(a, b spec.Edit) int { return b.Start - a.Start })
	out := string(doc.Source)
	for i, e := range edits {
		if i > 0 && e.End > edits[i-1].Start {
			t.Fatalf("edits overlap: %v", edits)
		}
		out = out[:e.Start] + e.Text + out[e.End:]
	}
	return out
}

func TestFrontmatterFixes(t *testing.T) {
	const intro = "---\nname: my-skill\ndescription: Use when testing.\n"
	for _, tt := range []struct{ rule, in, want string }{
		{"scalar-quoting", intro + "metadata:\n  v: 1.10 # x\n  日: 2024-01-01\n---\n", intro + "metadata:\n  v: \"1.10\" # x\n  日: \"2024-01-01\"\n---\n"},
		{"scalar-quoting", intro + "license: yes\r\n---\n", intro + "license: \"yes\"\r\n---\n"},
		{"scalar-quoting", intro + "metadata: {v: 1.0}\n---\n", intro + "metadata: {v: \"1.0\"}\n---\n"},
		{"scalar-quoting", intro + "license: ~\nmetadata:\n  a:\n---\n", intro + "license: ~\nmetadata:\n  a:\n---\n"},
		{"yaml-portability", "---  \nname: my-skill\ndescription: Use when testing.\n---\t\n# Body  \n", intro + "---\n# Body  \n"},
		{"yaml-portability", "---\rname: my-skill\rdescription: Use when testing.\r---\rBody\r", intro + "---\nBody\n"},
		{"name-portability", "---\nname: ' my-skill '\ndescription: Use when testing.\n---\n", "---\nname: 'my-skill'\ndescription: Use when testing.\n---\n"},
		{"allowed-tools-format", intro + "allowed-tools: Read, Bash(a, b),Grep\n---\n", intro + "allowed-tools: Read Bash(a, b) Grep\n---\n"},
		{"allowed-tools-format", intro + "allowed-tools: \"Read , Grep,\"\n---\n", intro + "allowed-tools: \"Read Grep\"\n---\n"},
		{"allowed-tools-format", intro + "allowed-tools: [Read, \"Bash(git:*)\"]\nlicense: MIT\n---\n", intro + "allowed-tools: Read Bash(git:*)\nlicense: MIT\n---\n"},
		{"allowed-tools-format", intro + "allowed-tools: [Read, \"Bash(git add:*)\"]\n---\n", intro + "allowed-tools: [Read, \"Bash(git add:*)\"]\n---\n"},
		{"allowed-tools-format", intro + "allowed-tools:\n  - Read\n  - Grep\nlicense: MIT\n---\n", intro + "allowed-tools: Read Grep\nlicense: MIT\n---\n"},
		{"allowed-tools-format", intro + "allowed-tools:\n- \"*\"\n- Read\n---\n", intro + "allowed-tools: \"* Read\"\n---\n"},
		{"allowed-tools-format", intro + "allowed-tools : [a, b]\n---\n", intro + "allowed-tools : a b\n---\n"},
		{"allowed-tools-format", intro + "? allowed-tools\n: - Read\n  - Bash(git:*)\n---\n", intro + "? allowed-tools\n: Read Bash(git:*)\n---\n"},
		{"allowed-tools-format", intro + "&x allowed-tools: [a, b] # c\n---\n", intro + "&x allowed-tools: [a, b] # c\n---\n"},
		{"allowed-tools-format", intro + "&x allowed-tools:\n  - Bash(git:*)\n---\n", intro + "&x allowed-tools:\n  - Bash(git:*)\n---\n"},
		{"allowed-tools-format", intro + "allowed-tools:\n  - Read # why\n  - Grep\n---\n", intro + "allowed-tools:\n  - Read # why\n  - Grep\n---\n"},
		{"allowed-tools-format", intro + "allowed-tools:\n  - Read Grep\n---\n", intro + "allowed-tools:\n  - Read Grep\n---\n"},
		{"allowed-tools-format", intro + "allowed-tools:\n  - Read, Grep\n---\n", intro + "allowed-tools:\n  - Read, Grep\n---\n"},
		{"allowed-tools-format", intro + "allowed-tools: >\n  Read,\n  Grep\n---\n", intro + "allowed-tools: >\n  Read,\n  Grep\n---\n"},
	} {
		doc := parse(tt.in)
		if !slices.ContainsFunc(Check(doc, spec.Options{}), func(d spec.Diagnostic) bool { return d.Rule == tt.rule }) {
			t.Errorf("%s does not report %q", tt.rule, tt.in)
		}
		got := fixed(t, doc, tt.rule)
		if got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.rule, got, tt.want)
			continue
		}
		if got == tt.in {
			continue
		}
		for _, d := range Check(parse(got), spec.Options{}) {
			if d.Rule == tt.rule && d.Fix != nil {
				t.Errorf("fixing %q leaves %s", tt.in, d)
			}
		}
	}
}

// TestFixesKeepTexts verifies what the fixes of these rules change: no
// text of the frontmatter but allowed-tools and white space around the name.
func TestFixesKeepTexts(t *testing.T) {
	for _, src := range documents(t) {
		doc := parse(src)
		for _, rule := range groupOf("findings_frontmatter.txtar") {
			out := fixed(t, doc, rule.ID)
			if out == src {
				continue
			}
			after := parse(out)
			if len(after.Faults) > len(doc.Faults) {
				t.Errorf("%s breaks %q: %q", rule.ID, src, out)
			}
			for _, f := range doc.Fields {
				again := after.Field(f.Key)
				switch {
				case again == nil:
					t.Errorf("%s deletes %s of %q", rule.ID, f.Key, src)
				case f.Key != "allowed-tools" && fieldTexts(f.Value) != fieldTexts(again.Value):
					t.Errorf("%s: %s was %q, is %q", rule.ID, f.Key, fieldTexts(f.Value), fieldTexts(again.Value))
				}
			}
		}
	}
}

// fieldTexts is all text of a value.
func fieldTexts(v spec.Value) string {
	var b strings.Builder
	b.WriteString(strings.TrimSpace(v.Text))
	for _, item := range v.Items {
		b.WriteString("[" + fieldTexts(item) + "]")
	}
	for _, f := range v.Fields {
		b.WriteString("{" + f.Key + ":" + fieldTexts(f.Value) + "}")
	}
	return b.String()
}
