package rules

import (
	"strings"
	"testing"
)

func TestReferenceLength(t *testing.T) {
	words := strings.Repeat("The quick brown fox jumps over the lazy dog. ", 700) // about 7,000 tokens
	body := "See [a](references/a.md), [b](references/b.md) and [c](assets/template.md).\n"
	got := findings(bodyWith(body, map[string]string{
		"references/a.md":        words,
		"references/b.md":        words[:len(words)/2],
		"references/unlinked.md": words,
		"assets/template.md":     words,
	}), "reference-length")
	if len(got) != 1 || !strings.HasPrefix(got[0], "references/a.md: the file has about 6,") {
		t.Errorf("got %q", got)
	}
	if got := findings(bodyWith(words, nil), "reference-length"); got != nil {
		t.Errorf("the SKILL.md itself: %q", got)
	}
}

func TestReferenceInCodeSpan(t *testing.T) {
	words := strings.Repeat("The quick brown fox jumps over the lazy dog. ", 700) // about 7,000 tokens
	files := map[string]string{"AGENTS.md": words, "README.md": words, "other.md": words, "docs/page-template.md": words}
	got := findings(bodyWith("All rules: `./AGENTS.md`, as `README.md` has, `docs/page-template.md` and `gone.md`.\n\n```\nother.md\n```\n", files), "reference-length")
	if len(got) != 1 || !strings.HasPrefix(got[0], "AGENTS.md: the file has about") {
		t.Errorf("got %q", got)
	}
}

func TestReferencesSize(t *testing.T) {
	words := strings.Repeat("The quick brown fox jumps over the lazy dog. ", 2200) // about 22,000 tokens
	files := map[string]string{"references/a.md": words, "AGENTS.md": words, "references/c.md": words}
	for body, want := range map[string]string{
		"See [a](references/a.md) and [c](references/c.md).\n":                 "the 2 files that it leads to have about 4",
		"See `AGENTS.md`, `references/a.md` and [a](references/a.md).\n":       "the 2 files that it leads to have about 4",
		"See `AGENTS.md`, `references/a.md` and [c](references/c.md).\n":       "the 3 files that it leads to have about 6",
		"See [a](references/a.md) and [a](references/a.md#b) and `none.md`.\n": "",
		"See nothing.\n": "",
	} {
		got := strings.Join(findings(bodyWith(body, files), "references-size"), "\n")
		if !strings.Contains(got, want) || (got == "") != (want == "") {
			t.Errorf("%s: got %q, want %q", body, got, want)
		}
	}
}

func TestInlineProgram(t *testing.T) {
	const fence = "```"
	commands := strings.Repeat("  cp \"$f\" out\n", 15)
	loop := "for f in *.txt; do\n" + commands + "done\n"
	python := "python3 - <<'EOF'\n" + strings.Repeat("print(1)\n", 12) + "EOF\n"
	for _, tt := range []struct{ intro, lang, code, want string }{
		{"Run this:", "bash", loop, "a shell program of 17 lines"},
		{"Run this:", "sh", "go() {\n" + commands + "}\ngo\n", "a shell program of 18 lines"},
		{"Run this:", "bash", python, "a program of 14 lines"},
		{"Run this:", "bash", "python -c \"\n" + strings.Repeat("print(1)\n", 12) + "\"\n", "a program of 14 lines"},
		{"Run this:", "bash", "a | b | c | d \\\n  | e | f | g\n", "a pipeline of 7 programs"},
		{"Run this:", "bash", "a | b | c | sort | uniq -c | head\n", ""},
		{"Run this:", "bash", "grep 'a | b | c | d | e | f | g | h' x\n", ""},
		{"Run this:", "bash", strings.Repeat("cp a b\n", 40), ""},
		{"Run this:", "bash", "for f in *; do\n  cp $f x\ndone\n", ""},
		{"Run this:", "bash", "# comment\n" + strings.Repeat("# another\n\n", 30) + "for f in *; do cp $f x; done\n", ""},
		{"Run this:", "python", python, ""},
		{"Run this:", "", loop, ""},
		{"Run this:", "bash", "#!/bin/bash\n" + loop, ""},
		{"Run this:", "bash", "cat > x.sh <<'EOF'\n" + loop + "EOF\n", ""},
		{"Create this script:", "bash", loop, ""},
		{"Bad:", "bash", loop, ""},
	} {
		got := strings.Join(findings(bodyWith(tt.intro+"\n\n"+fence+tt.lang+"\n"+tt.code+fence+"\n", nil), "inline-program"), "\n")
		_, got, _ = strings.Cut(got, "8:1: ")
		if strings.TrimSuffix(got, " in a block of commands") != tt.want {
			t.Errorf("%s\n%s\ngot %q, want %q", tt.intro, tt.code, got, tt.want)
		}
	}
}
