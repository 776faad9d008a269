package cmd

import (
	"bytes"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"skills/internal/run"
	"skills/internal/testing/openaitest"
)

// volatileFields matches the parts of JSON Lines that differ from run to run: run id,
// base URL and durations.
var volatileFields = regexp.MustCompile(`"(run_id|base_url)":"[^"]*"|"duration_ms":[0-9]+`)

// TestReplayIsTheSame verifies that a replay repeats the recorded run byte for byte,
// except for durations, and really executes its calls.
func TestReplayIsTheSame(t *testing.T) {
	t.Parallel()
	server := openaitest.New(t,
		openaitest.Reply{Text: "Let me see.", Calls: []openaitest.Call{
			{ID: "c1", Name: "todos_add", Arguments: `{"todos":[{"title":"weigh"}]}`},
			{ID: "c2", Name: "load_skill", Arguments: `{"skillName":"unit-converter"}`},
		}},
		openaitest.Do(openaitest.Call{ID: "c3", Name: "run_skill_script", Arguments: `{"skillName":"unit-converter","scriptName":"scripts/convert.py","arguments":["--value","1","--factor","2.20462"]}`}),
		openaitest.Text("1 kg is 2.20462 lb."),
	)
	dir := t.TempDir()
	recording := filepath.Join(dir, "talk.jsonl")
	run := func(environ []string, flags ...string) string {
		t.Helper()
		var out, errs bytes.Buffer
		env := Env{Env: run.Env{Dir: dir, Environ: environ}, Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs}
		args := append([]string{"run", "--format", "jsonl", "--sandbox", "off", "--skills", converter(t), "--allow-script", "unit-converter/*", "convert 1 kg to lb"}, flags...)
		if code := Run(t.Context(), env, args); code != 0 {
			t.Fatalf("%q: exit code %d\n%s", flags, code, errs.String())
		}
		return volatileFields.ReplaceAllString(out.String(), "…")
	}
	recorded := run(append(OS().Environ, "OPENAI_BASE_URL="+server.URL, "OPENAI_API_KEY=sk-test-0123456789"), "--record", recording)
	if !strings.Contains(recorded, `"exit_code":0`) {
		t.Fatalf("the script did not run:\n%s", recorded)
	}
	for range 2 {
		if again := run(OS().Environ, "--replay", recording); again != recorded {
			t.Errorf("played back\n%s\nrecorded\n%s", again, recorded)
		}
	}
}
