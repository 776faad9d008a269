package rules

import (
	"bufio"
	"encoding/json"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"skills/internal/spec"
	"skills/internal/spec/strictyaml"
)

// missed returns what the reference library refuses of a document although
// yaml-portability finds nothing and no other rule reports it.
func missed(doc *spec.Document) error {
	if !doc.Mapping || len(doc.Faults) > 0 {
		return nil
	}
	p := spec.NewPass(doc, yamlPortability, spec.Options{})
	yamlPortability.Check(p)
	if len(p.Found()) > 0 || slices.ContainsFunc(doc.Fields, func(f spec.Field) bool { return !isSpecField(f.Key) }) {
		return nil
	}
	_, err := strictyaml.Parse(strings.ReplaceAll(string(doc.Source[3:doc.Block().End]), "\r\n", "\n"), 3)
	var at *strictyaml.Error
	if errors.As(err, &at) && (at.Reason == strictyaml.FlowStyle || at.Reason == strictyaml.ComplexKey) {
		return nil // lists where text is wanted are errors
	}
	return err
}

// TestNothingRefusedIsMissed: everything that the reference library refuses is
// reported.
func TestNothingRefusedIsMissed(t *testing.T) {
	for _, src := range documents(t) {
		if err := missed(parse(src)); err != nil {
			t.Errorf("the reference library refuses what is not reported: %v\n%s", err, src)
		}
	}
}

func FuzzNothingRefusedIsMissed(f *testing.F) {
	for _, src := range documents(f) {
		f.Add(src)
	}
	f.Fuzz(func(t *testing.T, src string) {
		if err := missed(parse(src)); err != nil {
			t.Errorf("the reference library refuses what is not reported: %v", err)
		}
	})
}

// documents returns the documents of all golden files and conformance cases.
func documents(t testing.TB) []string {
	t.Helper()
	var out []string
	for _, name := range []string{"findings.txtar", "findings_frontmatter.txtar"} {
		archive, err := txtar.ParseFile("testdata/" + name)
		if err != nil {
			t.Fatal(err)
		}
		for i := 0; i < len(archive.Files); i += 2 {
			out = append(out, unescape(string(archive.Files[i].Data)))
		}
	}
	for _, name := range []string{"cases.jsonl", "clients.jsonl"} {
		file, err := os.Open("../../../testdata/conformance/" + name)
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		lines := bufio.NewScanner(file)
		lines.Buffer(nil, 16<<20)
		for lines.Scan() {
			var c struct {
				Content string `json:"content"`
			}
			if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
				t.Fatal(err)
			}
			if c.Content != "" {
				out = append(out, c.Content)
			}
		}
	}
	if len(out) < 200 {
		t.Fatalf("only %d documents", len(out))
	}
	return out
}
