package ci

import (
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"testing"

	"skills/internal/testing/filetest"
)

// TestSample takes a sample of a report and counts its judgements, as
// docs/accuracy.md describes.
func TestSample(t *testing.T) {
	sample := func(stdin string, args ...string) string {
		c := exec.Command("python3", append([]string{"sample.py"}, args...)...)
		c.Stdin = strings.NewReader(stdin)
		out, err := c.Output()
		if err != nil {
			t.Fatal(err)
		}
		return string(out)
	}
	type finding map[string]any
	var found []finding
	for line := range 9 {
		found = append(found, finding{"rule": "link-target", "level": "warning", "file": "a/SKILL.md", "line": line + 1, "message": "no\ttab"})
	}
	found = append(found, finding{"rule": "secret", "level": "warning", "file": "a/x", "line": 3, "message": "key"})
	report, err := json.Marshal(map[string]any{"skills": []any{map[string]any{"path": "a", "diagnostics": found}}})
	filetest.Must(t, err)
	rows := sample(string(report), "4", "7")
	if again := sample(string(report), "4", "7"); again != rows || strings.Count(rows, "\n") != 5 || strings.Count(rows, "?\tlink-target\twarning\t9\ta/SKILL.md:") != 4 {
		t.Errorf("got\n%swant four of link-target and one of secret, twice the same:\n%s", rows, again)
	}
	judged := strings.Replace(strings.Replace(rows, "?", "U", 4), "?", "F", 1)
	path := t.TempDir() + "/judged.tsv"
	filetest.Must(t, os.WriteFile(path, []byte(judged), 0o600))
	want := "rule\tlevel\tfindings\tjudged\tuseful\tnoise\tfalse\nlink-target\twarning\t9\t4\t4\t0\t0\nsecret\twarning\t1\t1\t0\t0\t1\n"
	if got := sample("", "--count", path); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}
