package cmd

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"skills/internal/run"
	"skills/internal/spec/tokens"
	"skills/internal/testing/openaitest"
)

// fixedSize is how many bytes the system text and the tools of a request have with
// the three skills in testdata/skills. Every request costs them: change the number
// only for something that a model needs.
const fixedSize = 4561

// TestFixedSize measures what every request costs, whatever is asked.
func TestFixedSize(t *testing.T) {
	server := openaitest.New(t, openaitest.Text("done"))
	var out, errs bytes.Buffer
	env := Env{Env: run.Env{Dir: t.TempDir(), Environ: []string{"OPENAI_BASE_URL=" + server.URL}}, Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs}
	dir, err := filepath.Abs("../testdata/skills")
	if err != nil {
		t.Fatal(err)
	}
	if code := Run(t.Context(), env, []string{"run", "--no-builtin", "--skills", dir, "hello"}); code != exitFine {
		t.Fatalf("exit code %d: %s", code, errs.String())
	}
	var request struct {
		Messages []struct{ Content string }
		Tools    json.RawMessage
	}
	if err := json.Unmarshal(server.Requests()[0].Body, &request); err != nil {
		t.Fatal(err)
	}
	system := request.Messages[0].Content
	size, estimate := len(system)+len(request.Tools), tokens.Estimate(system)+tokens.Estimate(string(request.Tools))
	t.Logf("system text %d bytes, tools %d bytes, about %d tokens", len(system), len(request.Tools), estimate)
	if strings.Count(system, "<skill>") != 3 || size != fixedSize {
		t.Errorf("the fixed part of a request has %d bytes, want %d", size, fixedSize)
	}
}
