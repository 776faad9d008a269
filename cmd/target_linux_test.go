package cmd

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"skills/internal/agent/openaitest"
)

// What a run writes of itself goes to the files that were named, and nowhere
// else, whatever a script puts into their place.
func TestScriptCannotLeadAstray(t *testing.T) {
	const ownFiles = "for f in rec.jsonl rec.jsonl.partial session.jsonl audit.jsonl; do rm -f $f; mv $f $f.old; ln -sf ../out/victim $f; done 2>/dev/null; echo tried\n"
	const oldRecording = `{"version":1,"model":"old"}` + "\n"
	for name, test := range map[string]struct {
		record, body string
		files, links map[string]string
		at           string // where the recording is then
		failed       bool   // the run, so that it stands beside an earlier one
	}{
		"new":   {record: "rec.jsonl", body: ownFiles, at: "work/rec.jsonl"},
		"there": {record: "rec.jsonl", body: ownFiles, files: map[string]string{"work/rec.jsonl": oldRecording}, at: "work/rec.jsonl"},
		"beside": {
			record: "rec.jsonl", body: ownFiles, files: map[string]string{"work/rec.jsonl": oldRecording}, failed: true, at: "work/rec.jsonl.partial",
		},
		"the user's own link": {
			record: "link", body: "rm -f link; ln -s ../out/victim link && echo tried\n",
			files: map[string]string{"kept/rec.jsonl": oldRecording}, links: map[string]string{"work/link": "../kept/rec.jsonl"}, at: "kept/rec.jsonl",
		},
		"its folder": {
			record: "sub/rec.jsonl", body: "mv sub aside && ln -s ../out sub && echo tried\n",
			files: map[string]string{"work/sub/x": ""}, at: "work/aside/rec.jsonl",
		},
		"a pipe": {
			record: "rec.jsonl", body: "rm -f rec.jsonl; mkfifo rec.jsonl 2>/dev/null; echo tried\n", at: "work/rec.jsonl",
		},
	} {
		for _, kind := range confinements {
			t.Run(name+"/"+kind, func(t *testing.T) {
				c := confinedRun{kind: kind, body: test.body, calls: 1, files: map[string]string{"out/victim": "mine\n", "out/rec.jsonl": "mine\n"}, links: test.links}
				for name, text := range test.files {
					c.files[name] = text
				}
				if test.failed {
					c.end = openaitest.Reply{Status: 400, Body: `{"error":{"message":"no"}}`}
				}
				c.args = []string{"--record", test.record, "--session", "session.jsonl", "--audit", "audit.jsonl"}
				dir, stdout, stderr, ok := c.do(t)
				if !ok {
					return
				}
				if !strings.Contains(stdout, `"output":"tried`) {
					t.Fatalf("the script has not tried: %s %s", stdout, stderr)
				}
				for _, file := range []string{"out/victim", "out/rec.jsonl"} {
					if got := readFile(t, filepath.Join(dir, file)); got != "mine\n" {
						t.Errorf("%s was written: %.80q", file, got)
					}
				}
				info, err := os.Lstat(filepath.Join(dir, test.at))
				if err != nil || !info.Mode().IsRegular() {
					t.Fatalf("the recording: %v, %v", info, err)
				}
				if got := readFile(t, filepath.Join(dir, test.at)); !strings.HasPrefix(got, "{") || !strings.Contains(got, "run_skill_script") {
					t.Errorf("the recording: %.200q", got)
				}
				if moved := strings.Contains(stdout, "its folder was moved during the run"); moved != (name == "its folder") {
					t.Errorf("told that the folder was moved: %t: %s", moved, stdout)
				}
			})
		}
	}
}
