package rules

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"skills/internal/jsonpos"
	"skills/internal/spec"
	"skills/internal/spec/frontmatter"
)

// insideText fails unless a range is in a text and ends after its start.
func insideText(t *testing.T, src []byte, start, end int) {
	t.Helper()
	if start < 0 || end < start || end > len(src) {
		t.Fatalf("bytes %d to %d are outside a text of %d", start, end, len(src))
	}
}

// FuzzEvals: findings are inside the file, and the parser's positions are those
// of its values.
func FuzzEvals(f *testing.F) {
	for _, s := range []string{
		`{"skill_name": "my-skill", "evals": [{"id": 1, "prompt": "x", "files": ["a"], "assertions": ["b"]}]}`,
		`[{"query": 1}]`, `{"a": [1, "é\n", null, true, {"b": -1.5e3}]}`, "{\n\"a\": 1,\n}", "\uFEFF{}", `{"evals": [{"id": "x"}, {}]}`, "", "[", "'", "{} }", "\"䵵",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		if json.Valid(src) {
			inOrder(t, src, jsonpos.Parse(src))
		}
		d := bodyWith("", map[string]string{evalsFile: string(src)})
		for _, x := range Check(d, spec.Options{Levels: map[string]spec.Level{"secret": spec.Off, "hidden-text": spec.Off, "home-path": spec.Off}}) {
			if x.Rule == "evals-format" {
				insideLines(t, src, x.Span)
			}
		}
	})
}

func inOrder(t *testing.T, src []byte, n *jsonpos.Node) {
	t.Helper()
	insideText(t, src, n.Start, n.End)
	first := map[string]string{"null": "n", "a boolean": "tf", "a number": "-0123456789", "a string": `"`, "a list": "[", "an object": "{"}[n.Kind()]
	if strings.IndexByte(first, src[n.Start]) < 0 {
		t.Fatalf("%s starts with %q", n.Kind(), src[n.Start])
	}
	for _, c := range n.Items() {
		inOrder(t, src, c)
	}
	if fields, ok := n.Value.(map[string]*jsonpos.Node); ok {
		for _, c := range fields {
			inOrder(t, src, c)
		}
	}
}

func insideLines(t *testing.T, src []byte, s spec.Span) {
	t.Helper()
	x := frontmatter.IndexLines(src)
	for _, p := range []spec.Pos{s.Start, s.End} {
		if p.Line < 1 || p.Line > len(x.Starts) || p.Column < 1 || p.Column > utf8.RuneCount(x.Source[x.Starts[p.Line-1]:])+1 {
			t.Fatalf("%v is outside", p)
		}
	}
}

// FuzzHomes: paths are inside the text.
func FuzzHomes(f *testing.F) {
	for _, s := range []string{"/home/abc/x", `C:\Users\abc\x`, "file:///Users/abc/", ":/Users/"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		for _, h := range findHomes(src) {
			insideText(t, src, h[0], h[1])
		}
	})
}
