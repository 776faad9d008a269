package cmd

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"skills/internal/testing/filetest"
)

// TestWritesOnlyNamedFiles checks that a run writes only to the named files, even if a
// script replaces them.
func TestWritesOnlyNamedFiles(t *testing.T) {
	t.Parallel()
	const ownFiles = "{ rm -f rec.jsonl; mv rec.jsonl rec.jsonl.old; ln -sf ../out/victim rec.jsonl; } 2>/dev/null; echo tried\n"
	const oldRecording = `{"version":1,"model":"old"}` + "\n"
	for name, test := range map[string]struct {
		record, body string
		files, links map[string]string
		at           string // where the recording is then
	}{
		"new":   {record: "rec.jsonl", body: ownFiles, at: "work/rec.jsonl"},
		"there": {record: "rec.jsonl", body: ownFiles, files: map[string]string{"work/rec.jsonl": oldRecording}, at: "work/rec.jsonl"},
		"the user's own link": {
			record: "link", body: "rm -f link; ln -s ../out/victim link && echo tried\n",
			files: map[string]string{"kept/rec.jsonl": oldRecording}, links: map[string]string{"work/link": "../kept/rec.jsonl"}, at: "kept/rec.jsonl",
		},
		"its folder": {
			record: "sub/rec.jsonl", body: "mv sub aside && ln -s ../out sub; echo tried\n",
			files: map[string]string{"work/sub/x": ""}, at: "work/aside/rec.jsonl",
		},
		"a pipe": {
			record: "rec.jsonl", body: "rm -f rec.jsonl; mkfifo rec.jsonl 2>/dev/null; echo tried\n", at: "work/rec.jsonl",
		},
	} {
		for _, backend := range backends {
			t.Run(name+"/"+backend, func(t *testing.T) {
				c := sandboxedRun{backend: backend, body: test.body, calls: 1, files: map[string]string{"out/victim": "mine\n", "out/rec.jsonl": "mine\n"}, links: test.links}
				for name, text := range test.files {
					c.files[name] = text
				}
				c.args = []string{"--record", test.record}
				dir, stdout, stderr := c.do(t)
				if !strings.Contains(stdout, `"output":"tried`) {
					t.Fatalf("the script has not tried: %s %s", stdout, stderr)
				}
				for _, file := range []string{"out/victim", "out/rec.jsonl"} {
					if got := filetest.Read(t, filepath.Join(dir, file)); got != "mine\n" {
						t.Errorf("%s was written: %.80q", file, got)
					}
				}
				at := test.at
				if covered := backend == "bubblewrap" && name == "its folder"; covered {
					at = "work/sub/rec.jsonl" // it is mounted, so it cannot be moved
				}
				info, err := os.Lstat(filepath.Join(dir, at))
				if err != nil || !info.Mode().IsRegular() {
					t.Fatalf("the recording: %v, %v", info, err)
				}
				if got := filetest.Read(t, filepath.Join(dir, at)); !strings.HasPrefix(got, "{") || !strings.Contains(got, "run_skill_script") {
					t.Errorf("the recording: %.200q", got)
				}
				if moved := strings.Contains(stdout, "its folder was moved during the run"); moved != (name == "its folder" && backend != "bubblewrap") {
					t.Errorf("reported that the folder was moved: %t: %s", moved, stdout)
				}
			})
		}
	}
}

// TestScriptChangesRecords checks that a script that empties, replaces or moves a file
// of the run ends the run with an error, and that the recorded content is kept.
func TestScriptChangesRecords(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ body, want string }{
		"moved":   {"mv logs logs2 && mkdir logs && echo '{}' > logs/audit.jsonl && echo '{}' > logs/session.jsonl; echo tried\n", "it was moved, removed or replaced during the run"},
		"removed": {"rm -f logs/*.jsonl 2>/dev/null; : > logs/audit.jsonl; : > logs/session.jsonl; echo tried\n", " during the run"},
		// The user named a link: what it leads to is kept from scripts as well.
		"through a link": {": > logs/audit.jsonl; : > logs/session.jsonl; echo tried\n", " during the run"},
		"emptied":        {": > logs/audit.jsonl; : > logs/session.jsonl; echo tried\n", " during the run"},
	} {
		for _, backend := range backends {
			for _, flag := range []string{"--audit", "--session"} {
				t.Run(name+"/"+backend+flag, func(t *testing.T) {
					file := "logs/" + strings.TrimPrefix(flag, "--") + ".jsonl"
					// Bubblewrap keeps scripts from the file and its folder.
					c := sandboxedRun{backend: backend, stops: backend == "landlock", body: test.body, calls: 1, files: map[string]string{"work/logs/x": ""}, args: []string{flag, file}}
					if name == "through a link" {
						c.files["work/"+file], file = "", "link"
						c.links, c.args = map[string]string{"work/link": strings.TrimPrefix(c.args[1], "work/")}, []string{flag, "link"}
					}
					dir, stdout, stderr := c.do(t)
					if !c.stops {
						if got := filetest.Read(t, filepath.Join(dir, "work", file)); !strings.Contains(got, "run_skill_script") || strings.Contains(stderr, "error: ") {
							t.Errorf("%s: %s", got, stderr)
						}
						return
					}
					if !strings.Contains(stderr, "error: ") || !strings.Contains(stderr, test.want) || !strings.Contains(stdout, `"status":"failed"`) {
						t.Fatalf("it is not reported: %s%s", stdout, stderr)
					}
					_, kept, _ := strings.Cut(stderr, "what this run wrote is in ")
					kept, _, _ = strings.Cut(kept, "\n")
					if got := filetest.Read(t, kept); !strings.Contains(got, "run_skill_script") {
						t.Errorf("%s holds %s", kept, got)
					}
					if err := os.Remove(kept); err != nil {
						t.Error(err)
					}
				})
			}
		}
	}
}
