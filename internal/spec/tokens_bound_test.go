package spec

import (
	"strings"
	"testing"
)

// FuzzTokenBound holds that no text is estimated above its bound.
func FuzzTokenBound(f *testing.F) {
	for _, s := range []string{
		"", "a", "Words of some prose, as it is written.", "camelCaseWordsGlued", "1 2 3 45 6789", "  \t  x\n\n  y", "!!??==", "über-größe", "цифры и слова",
		"逐页读取文件", "かなカナ", "👩‍👩‍👧 😀", "abcdefghijklém" + strings.Repeat("z", 14) + "é", strings.Repeat("internationalisation ", 9), "é", "\xff\xfe", "—“”…", "，。",
		strings.Repeat(" \t-", 8), "\t\t|\t", strings.Repeat("a ", 1100), strings.Repeat("é", 300), strings.Repeat(" ", 2100) + strings.Repeat("0", 9),
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, text := range []string{s, strings.Repeat(s, min(300, 10_000/max(1, len(s))))} {
			if got, most := EstimateTokens(text), tokensAtMost([]byte(text)); got > most {
				t.Fatalf("%q is estimated at %d tokens, its bound is %d", text, got, most)
			}
		}
	})
}

// TestTokenBound holds the bound to what makes it useful.
func TestTokenBound(t *testing.T) {
	for name, text := range map[string]string{
		"prose": "Reads the pages of a file one by one — and writes what it finds into a table.\n",
		"code":  "    if err := os.Rename(tmp, path); err != nil {\n        return fmt.Errorf(\"renaming %s\", tmp)\n    }\n",
		"list":  "- **Name**: what it is called, at most 64 characters\n- `--out FILE`: where to write\n",
	} {
		text = strings.Repeat(text, 100)
		if got, most := EstimateTokens(text), tokensAtMost([]byte(text)); most > 2*got {
			t.Errorf("%s: estimated at %d tokens, the bound is %d", name, got, most)
		}
	}
}
