package rules

import (
	"strings"
	"testing"

	"skills/internal/spec"
)

// banned returns the findings of banned-word, each with its number of places.
func banned(body string, files map[string]string, words ...spec.BannedWord) (out []string) {
	for _, d := range Check(bodyWith(body, files), spec.Options{Banned: words}) {
		if d.Rule == "banned-word" {
			out = append(out, strings.TrimPrefix(d.Place(), "my-skill/")+": "+d.Message)
		}
	}
	return out
}

// TestBannedWord finds whole words in any case, and names of models as a whole.
func TestBannedWord(t *testing.T) {
	for _, tt := range []struct {
		word, body string
		found      bool
	}{
		{"simply", "Simply do it.", true},
		{"simply", "It is *SIMPLY*-put.", true},
		{"simply", "unsimply simplying simply_x simplyé", false},
		{"in order to", "Read it in\norder  to know.", true},
		{"in order to", "in order today", false},
		{"gpt-4o", "Use gpt-4o.", true},
		{"gpt-4o", "`openai/GPT-4o:free`", true},
		{"gpt-4o", "使用gpt-4o模型。", true},
		{"gpt-4o", "gpt-4o-mini, my-gpt-4o, gpt-4o.1 and gpt-4of", false},
		{"gpt-4", "gpt-4.1 and gpt-4-turbo", false},
		{"gpt-4", "gpt-4.", true},
		{"gpt-4", "gpt-4 - old", true},
		{"openai/gpt-4.1", "x/openai/gpt-4.1", true},
		{"openai/gpt-4.1", "openai/gpt-4x1", false},
		{"opus", "claude-opus-4", true},
		{"C++", "C++11 and C++.", true},
		{"简单", "这很简单的。", true},
		{"简单", "这很复杂。", false},
		{"does a", "Text.", true}, // in the description
	} {
		got := banned(tt.body, nil, spec.BannedWord{Word: tt.word})
		if (len(got) == 1) != tt.found {
			t.Errorf("%q in %q: got %q", tt.word, tt.body, got)
		}
	}
}

// TestBannedWordFiles has one finding for each word and file, with its places.
func TestBannedWordFiles(t *testing.T) {
	files := map[string]string{
		"references/a.md": "Call o3 with it.\n\n" + strings.Repeat("o3\n", 50),
		"scripts/run.py":  "model = 'O3'\n", "other.txt": "o3\n",
	}
	got := banned("See [a](references/a.md). Never o3, not o3. Run `python3 scripts/run.py`.", files,
		spec.BannedWord{Word: "o3", Reason: "ends in\x1b May"}, spec.BannedWord{Word: "never"})
	want := []string{
		`SKILL.md:5:27: "never" is banned`,
		`SKILL.md:5:33: "o3" is banned: ends in␛ May (2 places)`,
		`references/a.md:1:6: "o3" is banned: ends in␛ May (20 places)`,
		`scripts/run.py:1:10: "o3" is banned: ends in␛ May`,
	}

	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
