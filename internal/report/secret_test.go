package report

import (
	"bytes"
	"strings"
	"testing"

	"skills/internal/spec"
)

// A line that holds a key is not printed, whichever rule's finding is on it.
func TestSecretLineIsNotPrinted(t *testing.T) {
	at := spec.Span{Start: spec.Pos{Line: 2, Column: 1}, End: spec.Pos{Line: 2, Column: 4}}
	other := spec.Diagnostic{Rule: "home-path", Level: spec.Warning, Path: "a/SKILL.md", Span: at, Message: "m"}
	secret := other
	secret.Rule = "secret"
	for _, c := range []struct {
		found, known []spec.Diagnostic
		printed      bool
	}{{[]spec.Diagnostic{other}, nil, true}, {[]spec.Diagnostic{other, secret}, nil, false}, {[]spec.Diagnostic{other}, []spec.Diagnostic{secret}, false}} {
		s := Skill{Path: "a", Diagnostics: c.found, Known: c.known, Source: func(string, int) string { return "the key itself" }}
		var out bytes.Buffer
		for _, d := range c.found {
			writeFinding(&out, newStyles(&out, false), s, d)
		}
		if got := strings.Contains(out.String(), "the key itself"); got != c.printed {
			t.Errorf("%d findings: line printed: %v, want %v\n%s", len(c.found), got, c.printed, out.String())
		}
	}
}
