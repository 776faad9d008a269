package rules

import (
	"testing"

	"skills/internal/spec"
	"skills/internal/spec/frontmatter"
)

// FuzzBody checks that the rules about bodies end, that what they point at is
// in the file, and that two runs report the same.
func FuzzBody(f *testing.F) {
	for _, s := range []string{
		"[a](references/forms.md#x \"t\") ![b](../x) [c](/etc/x) `references/none.md` `python scripts/x.py`",
		"<a href='scripts/RUN.py'>x</a> [a][b]\n\n[b]: <references/X y.md>\n", "See references/none.md. e.g. `assets/x.png`\n\n```bash\ncd x && python ./scripts/y.py\n```",
		"# Ü\n\n[a](#ü) [b](#v) [c](C:\\x)\n| `scripts/run.py --x` |", "[a](./..) [b](.) [c](//) [d](%2e%2e/x) [e](..\\x) [f](references//forms.md/)", "See references/../../x.md。见 `references/a.md`",
	} {
		f.Add(s, s)
	}
	f.Fuzz(func(t *testing.T, body, file string) {
		files := map[string]string{}
		for name, text := range linkFiles {
			files[name] = text
		}
		files["references/forms.md"] = file
		first := Check(bodyWith(body, files), spec.Options{})
		d := bodyWith(body, files)
		second := Check(d, spec.Options{})
		if len(first) != len(second) {
			t.Fatalf("%d findings, then %d", len(first), len(second))
		}
		for i, x := range first {
			if x.String() != second[i].String() {
				t.Fatalf("%s, then %s", x, second[i])
			}
			index := d.Lines()
			if x.Path != d.Path {
				index = frontmatter.IndexLines([]byte(file))
			}
			for _, p := range []spec.Pos{x.Span.Start, x.Span.End} {
				if p.Line > len(index.Starts) || p.Line > 0 && p.Column > len([]rune(string(index.Text(p.Line))))+2 {
					t.Fatalf("%s is at %v, outside the file", x, p)
				}
			}
			if x.Fix == nil {
				continue
			}
			for _, e := range x.Fix.Edits {
				size := len(d.Source)
				if e.File != "" {
					size = len(files[e.File])
				}
				if e.Start < 0 || e.Start > e.End || e.End > size {
					t.Fatalf("%s edits %d to %d of %d bytes", x, e.Start, e.End, size)
				}
			}
		}
	})
}
