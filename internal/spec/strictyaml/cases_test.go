package strictyaml

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"skills/internal/spec/frontmatter"
)

// testCase is one line of testdata/cases.jsonl. Whether the text is accepted,
// and its data, is the result of StrictYAML 1.6.1. Data is a string for a scalar,
// and a list that starts with "map" (then pairs), "seq" (then items) or
// "opaque" (then the text) otherwise.
type testCase struct {
	Name, Text string
	Accept     bool
	Data       any
}

func loadCases(tb testing.TB) []testCase {
	tb.Helper()
	f, err := os.Open(filepath.Join("testdata", "cases.jsonl"))
	if err != nil {
		tb.Fatal(err)
	}
	defer f.Close()
	var cases []testCase
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var c testCase
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			tb.Fatal(err)
		}
		cases = append(cases, c)
	}
	if err := lines.Err(); err != nil {
		tb.Fatal(err)
	}
	if len(cases) < 300 {
		tb.Fatalf("read %d cases, want at least 300", len(cases))
	}
	return cases
}

// data brings a value into the form of the table.
func data(v frontmatter.Value) any {
	switch {
	case v.Tag == Opaque:
		return []any{"opaque", v.Text}
	case v.Kind == frontmatter.Mapping:
		list := []any{"map"}
		for _, f := range v.Fields {
			list = append(list, []any{f.Key, data(f.Value)})
		}
		return list
	case v.Kind == frontmatter.Sequence:
		list := []any{"seq"}
		for _, item := range v.Items {
			list = append(list, data(item))
		}
		return list
	}
	return v.Text
}

// TestCases compares the package with the original's verdicts and data.
func TestCases(t *testing.T) {
	for _, c := range loadCases(t) {
		t.Run(c.Name, func(t *testing.T) {
			n, err := Parse(c.Text, 0)
			if !c.Accept {
				if err == nil {
					t.Fatalf("Parse(%q) = %v, want a refusal", c.Text, data(n))
				}
				return
			}
			if err != nil {
				t.Fatalf("Parse(%q) refuses: %v, want %v", c.Text, err, c.Data)
			}
			if got := data(n); !reflect.DeepEqual(got, c.Data) {
				t.Errorf("Parse(%q)\n got %v\nwant %v", c.Text, got, c.Data)
			}
		})
	}
}
