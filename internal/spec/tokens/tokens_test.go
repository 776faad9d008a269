package tokens

import (
	"bufio"
	"encoding/json"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
)

// TestTokenError compares the estimate with the counts of the o200k_base
// vocabulary, made once with a real tokenizer, of short documents of many
// kinds and languages. The weights were not fitted to them. Medians are of the
// relative error and are those that the comment of Estimate states.
func TestTokenError(t *testing.T) {
	file, err := os.Open("testdata/tokens.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	english, other := []float64{}, []float64{}
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		var doc struct {
			Kind, Text string
			Tokens     int
		}
		if err := json.Unmarshal(lines.Bytes(), &doc); err != nil {
			t.Fatal(err)
		}
		got := Estimate(doc.Text)
		off := math.Abs(float64(got)/float64(doc.Tokens) - 1)
		t.Logf("%-5s %4d tokens, estimated %4d: %4.1f %%", doc.Kind, doc.Tokens, got, 100*off)
		if len(doc.Kind) > 2 { // prose, code…; languages have two letters
			english = append(english, off)
		} else {
			other = append(other, off)
		}
		if off > 0.40 {
			t.Errorf("estimated %d of %d tokens of %q", got, doc.Tokens, doc.Text)
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	for _, group := range []struct {
		name   string
		errors []float64
		atMost float64
	}{{"English", english, 0.04}, {"other languages", other, 0.12}} {
		slices.Sort(group.errors)
		if len(group.errors) < 20 {
			t.Fatalf("only %d documents in %s", len(group.errors), group.name)
		}
		median := group.errors[len(group.errors)/2]
		t.Logf("%s: median %.1f %%, largest %.1f %% of %d", group.name, 100*median, 100*group.errors[len(group.errors)-1], len(group.errors))
		if median > group.atMost {
			t.Errorf("the median error in %s is %.1f %%, more than %.0f %%", group.name, 100*median, 100*group.atMost)
		}
	}
}

func BenchmarkEstimate(b *testing.B) {
	for _, bb := range []struct{ name, text string }{
		{"prose", "Reads the pages of a file one by one and writes what it finds into a table.\n"},
		{"code", "\tif err := os.Rename(tmp, path); err != nil {\n\t\treturn fmt.Errorf(\"renaming %s: %w\", tmp, err)\n\t}\n"},
		{"chinese", "逐页读取文件,并把结果写入表格。"},
	} {
		text := strings.Repeat(bb.text, 50_000/len(bb.text))
		b.Run(bb.name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				Estimate(text)
			}
		})
	}
}
