package cmd

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"skills/internal/run"
)

// call runs the program in this process, in dir, with an empty environment.
func call(t *testing.T, dir string, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	var out, errs bytes.Buffer
	env := Env{Env: run.Env{Dir: dir}, Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs}
	code = Run(context.Background(), env, args)
	return out.String(), errs.String(), code
}

// checked is what the tests read of the JSON format.
type checked struct {
	Skills []struct {
		Valid       bool
		Diagnostics []struct {
			Rule, Level string
			Also        []string
		}
	}
}

// errorRules returns the ids of the rules that errors break, sorted, each once.
func (c checked) errorRules() []string {
	rules := []string{}
	for _, s := range c.Skills {
		for _, d := range s.Diagnostics {
			if d.Level == "error" {
				rules = append(append(rules, d.Rule), d.Also...)
			}
		}
	}
	slices.Sort(rules)
	return slices.Compact(rules)
}

func validateJSON(t *testing.T, path string, flags ...string) checked {
	t.Helper()
	stdout, stderr, code := call(t, filepath.Dir(path), append(append([]string{"validate", "--format", "json"}, flags...), path)...)
	var c checked
	if err := json.Unmarshal([]byte(stdout), &c); err != nil {
		t.Fatalf("validate %v printed no JSON: %v\n%s%s", flags, err, stdout, stderr)
	}
	if len(c.Skills) == 0 {
		t.Fatalf("validate %v checked %d skills, want one or more", flags, len(c.Skills))
	}
	want := exitFine
	if len(c.errorRules()) > 0 {
		want = exitProblems
	}
	if code != want || c.Skills[0].Valid != (want == exitFine) {
		t.Errorf("validate %v: exit code %d, valid %v, errors %v", flags, code, c.Skills[0].Valid, c.errorRules())
	}
	return c
}

// eachLine decodes a file of JSON lines.
func eachLine[T any](t *testing.T, name string, do func(T)) {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(data) {
		var v T
		if err := json.Unmarshal(line, &v); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		do(v)
	}
}

// input is the file of a case, written below dir.
type input struct {
	Content *string
	Base64  []byte `json:"content_base64"`
}

func (in input) write(t *testing.T, path string) {
	t.Helper()
	data := in.Base64
	if in.Content != nil {
		data = []byte(*in.Content)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestConformance checks both profiles, read-properties and to-prompt with the
// conformance cases.
func TestConformance(t *testing.T) {
	t.Parallel()
	type verdict struct{ Valid bool }
	type conformanceCase struct {
		ID, Dir, File string
		input
		Reference verdict `json:"skills-ref"`
		Spec      struct {
			verdict
			Rules []string `json:"error_rules"`
			AnyOf []string `json:"error_rules_any_of"`
		}
		Properties json.RawMessage
		Prompt     *string
	}
	n := 0
	eachLine(t, "../testdata/conformance/cases.jsonl", func(c conformanceCase) {
		n++
		t.Run(c.ID, func(t *testing.T) {
			root, err := filepath.EvalSymlinks(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			dir := filepath.Join(root, c.Dir)
			c.write(t, filepath.Join(dir, c.File))

			got := validateJSON(t, dir).errorRules()
			rest := slices.DeleteFunc(slices.Clone(got), func(r string) bool { return slices.Contains(c.Spec.AnyOf, r) })
			if diff := cmp.Diff(c.Spec.Rules, rest); diff != "" {
				t.Errorf("errors of the profile spec (-want +got):\n%s", diff)
			}
			if len(c.Spec.AnyOf) > 0 && len(rest) == len(got) {
				t.Errorf("profile spec reports %v, want one of %v", got, c.Spec.AnyOf)
			}
			if got := validateJSON(t, dir, "--profile", "skills-ref").Skills[0].Valid; got != c.Reference.Valid {
				t.Errorf("profile skills-ref: valid %v, want %v", got, c.Reference.Valid)
			}
			if c.Properties != nil {
				stdout, stderr, code := call(t, root, "read-properties", dir)
				var got, want map[string]any
				if err := json.Unmarshal([]byte(stdout), &got); err != nil || code != 0 {
					t.Fatalf("read-properties: exit code %d, %v\n%s%s", code, err, stdout, stderr)
				}
				if err := json.Unmarshal(c.Properties, &want); err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("read-properties (-want +got):\n%s", diff)
				}
			}
			if c.Prompt != nil {
				stdout, stderr, code := call(t, root, "to-prompt", dir)
				want := strings.ReplaceAll(*c.Prompt, "$ROOT", root) + "\n"
				if stdout != want || code != 0 {
					t.Errorf("to-prompt: exit code %d\ngot\n%swant\n%s%s", code, stdout, want, stderr)
				}
			}
		})
	})
	if n < 150 {
		t.Errorf("only %d cases were found", n)
	}
}

// TestClientInputs checks that the profile skills-ref agrees with the reference
// library on inputs that real parsers read differently, and that no command
// crashes on them.
func TestClientInputs(t *testing.T) {
	t.Parallel()
	type clientInput struct {
		Case, Path, Ref string
		input
	}
	files := map[string][]clientInput{}
	var order []string
	eachLine(t, "../testdata/conformance/clients.jsonl", func(c clientInput) {
		if files[c.Case] == nil {
			order = append(order, c.Case)
		}
		files[c.Case] = append(files[c.Case], c)
	})
	if len(order) < 170 {
		t.Errorf("only %d cases were found", len(order))
	}
	for _, id := range order {
		t.Run(id, func(t *testing.T) {
			root := t.TempDir()
			for _, c := range files[id] {
				c.write(t, filepath.Join(root, c.Path))
			}
			c := files[id][0]
			dir := filepath.Join(root, filepath.Dir(c.Path))
			if got, want := validateJSON(t, dir, "--profile", "skills-ref").Skills[0].Valid, c.Ref == "OK"; got != want {
				t.Errorf("profile skills-ref: valid %v, want %v (%s)", got, want, c.Ref)
			}
			validateJSON(t, dir)
			for _, args := range [][]string{{"validate", dir}, {"read-properties", dir}, {"to-prompt", dir}, {"list", dir}} {
				if _, stderr, code := call(t, root, args...); code > exitProblems {
					t.Errorf("%v: exit code %d\n%s", args, code, stderr)
				}
			}
		})
	}
}
