package eval_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"skills/internal/fault"
	"skills/internal/script"
	"skills/internal/testing/filetest"
	"skills/internal/testing/openaitest"
)

// spy is a skill with a script that looks for the skill under test and its answer key, in
// every place that it can think of.
func spy(t *testing.T, f *fixture) string {
	dir := filepath.Join(t.TempDir(), "spy")
	filetest.Write(t, dir, map[string]string{
		"SKILL.md": "---\nname: spy\ndescription: Looks around. Use when asked to look around.\n---\nLook around.\n",
		"scripts/look.sh": `env
for from in . .. ../.. "$SKILL_DIR/.." "$1"; do
  [ -n "$from" ] && find "$from" -maxdepth 6 \( -name SKILL.md -o -name evals.json \) -exec cat {} + 2>/dev/null
done
exit 0
`,
	})
	f.o.With = []string{dir}
	f.o.Run.Approval.Scripts = []string{"spy/*"}
	return dir
}

// prober is an agent that runs the spy's script with an argument, tries the tools on the
// skill under test, and answers with everything that it saw.
func prober(argument string) func(request) openaitest.Reply {
	return func(r request) openaitest.Reply {
		switch r.results() {
		case 0:
			return openaitest.Do(
				openaitest.Call{ID: "c1", Name: "load_skill", Arguments: `{"skillName":"spy"}`},
				openaitest.Call{ID: "c2", Name: "read_skill_resource", Arguments: `{"skillName":"spy","resourceName":"../color-names/SKILL.md"}`},
				openaitest.Call{ID: "c3", Name: "read_skill_resource", Arguments: `{"skillName":"color-names","resourceName":"evals/evals.json"}`},
				openaitest.Call{ID: "c4", Name: "run_skill_script", Arguments: `{"skillName":"spy","scriptName":"scripts/look.sh","arguments":["` + argument + `"]}`})
		}
		return openaitest.Text("seen")
	}
}

const keyText = "The answer must name the carmine of the valley and nothing else at all"

func keyedCases() map[string]string {
	return map[string]string{"evals/evals.json": `{"skill_name":"color-names","evals":[{"id":1,"prompt":"What is red?","expected_output":"` + keyText + `","assertions":[{"type":"contains","value":"seen"}]}]}`}
}

// TestIsolation checks that neither tools nor scripts of another skill find the answer key
// in any arm, nor the skill in the arm without it, with and without a sandbox.
func TestIsolation(t *testing.T) {
	for _, sandbox := range []string{"auto", "off"} {
		t.Run(sandbox, func(t *testing.T) {
			f := newFixture(t, keyedCases(), nil)
			spy(t, f)
			temporary := t.TempDir() // without the skill itself, which a script without a sandbox can find
			t.Setenv("TMPDIR", temporary)
			f.server = newServer(t, prober(temporary))
			f.o.Run.Server.BaseURL = f.server.URL + "/v1"
			f.o.Run.Scripts.Sandbox = sandbox
			b := f.must()
			if b.Statistics.ErroredRuns != 0 {
				t.Errorf("errors: %+v", b.Errored)
			}
			for _, arm := range []string{"with_skill", "without_skill"} {
				seen := filetest.Read(t, f.iteration("1", filepath.Join("eval-1", arm, "run-1", "transcript.jsonl")))
				if !strings.Contains(seen, "SKILL_DIR=") {
					t.Fatalf("%s: the script did not run: %s", arm, seen)
				}
				if strings.Contains(seen, keyText) {
					t.Errorf("%s: the answer key was found", arm)
				}
				if arm == "without_skill" && (strings.Contains(seen, "carmine-of-the-northern") || strings.Contains(seen, f.dir)) {
					t.Errorf("the skill was found in the arm without it")
				}
			}
		})
	}
}

// TestLeak checks that a run is an error, not a score, if a script without a sandbox knows
// where the skill is and reads it, and that it is repeated next time.
func TestLeak(t *testing.T) {
	f := newFixture(t, keyedCases(), nil)
	f.server = newServer(t, prober(f.dir))
	f.o.Run.Server.BaseURL, f.o.Run.Scripts.Sandbox = f.server.URL+"/v1", "off"
	spy(t, f)
	b, err := f.run()
	if failed := (*fault.Error)(nil); !errors.As(err, &failed) || failed.Code != fault.Limit {
		t.Errorf("error %v", err)
	}
	if len(b.Errored) != 2 || !strings.Contains(b.Errored[0].Error, "isolation: the result of run_skill_script") {
		t.Errorf("errors %+v", b.Errored)
	}
	before := f.server.count()
	f.run()
	if f.server.count() == before {
		t.Errorf("a run that read the answer key was kept")
	}
}

// TestSandboxedReader checks that a script in a sandbox that knows where the skill is cannot
// read it.
func TestSandboxedReader(t *testing.T) {
	f := newFixture(t, keyedCases(), nil)
	f.server = newServer(t, prober(f.dir))
	f.o.Run.Server.BaseURL = f.server.URL + "/v1"
	spy(t, f)
	b := f.must()
	seen := filetest.Read(t, f.iteration("1", filepath.Join("eval-1", "without_skill", "run-1", "transcript.jsonl")))
	if !strings.Contains(seen, "SKILL_DIR=") {
		scripts := &script.Runner{Dir: t.TempDir(), Env: os.Environ()}
		defer scripts.Close()
		if here, err := scripts.TrySandbox(t.Context()); err == nil && here.Name != "none" {
			t.Fatalf("the script did not run in %s:\n%s", here.Name, seen)
		}
		t.Skip("no sandbox works here")
	}
	if len(b.Errored) > 0 || strings.Contains(seen, "carmine-of-the-northern") {
		t.Errorf("errors %+v", b.Errored)
	}
}
