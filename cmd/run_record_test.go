package cmd

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"skills/internal/run"
	"skills/internal/testing/filetest"
	"skills/internal/testing/openaitest"
)

// recordingRun makes the calls of a run in dir against a server of its own and
// returns its exit code and what it printed.
func recordingRun(t *testing.T, ctx context.Context, dir string, replies []openaitest.Reply, args ...string) (code int, out, errs string) {
	t.Helper()
	server := openaitest.Start(replies...)
	defer server.Close()
	var stdout, stderr bytes.Buffer
	env := Env{Env: run.Env{Dir: dir, Environ: []string{"OPENAI_BASE_URL=" + server.URL}}, Stdin: strings.NewReader(""), Stdout: &stdout, Stderr: &stderr}
	code = Run(ctx, env, append([]string{"run", "-q", "--retries", "0"}, args...))
	if asked := len(server.Requests()); asked != len(replies) {
		t.Errorf("the server was asked %d times, want %d\n%s", asked, len(replies), stderr.String())
	}
	return code, stdout.String(), stderr.String()
}

// TestRecordPaths checks that a recording that cannot be written is an error before the
// first request, and that no other file is overwritten.
func TestRecordPaths(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("notes.txt", "my notes\n")
	write("data.json", `{"version":"1"}`)
	for _, test := range []struct{ place, stderr string }{
		{"no/talk.jsonl", "error: --record: no/talk.jsonl cannot be written: no such file or directory\nhint: check that the folder exists, and its permissions\n"},
		{".", "error: --record: . cannot be written: it is a folder\nhint: check that the folder exists, and its permissions\n"},
		{"notes.txt", "error: --record: notes.txt is not a recording, and is left unchanged\nhint: name a new file, or one that --record wrote\n"},
		{"data.json", "error: --record: data.json is not a recording, and is left unchanged\nhint: name a new file, or one that --record wrote\n"},
	} {
		code, out, errs := recordingRun(t, t.Context(), dir, nil, "--record", test.place, "hello")
		if filepath.Separator == '\\' {
			errs, test.stderr = "", "" // the system's words differ
		}
		if code != exitUsage || out != "" || errs != test.stderr {
			t.Errorf("%s: exit code %d, %q, stderr %q", test.place, code, out, errs)
		}
	}
	if got, err := os.ReadFile(filepath.Join(dir, "notes.txt")); err != nil || string(got) != "my notes\n" {
		t.Errorf("notes.txt holds %q, %v", got, err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 2 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// TestRecordUnfinished checks that the recording of an unfinished run does not replace
// an existing one.
func TestRecordUnfinished(t *testing.T) {
	dir := t.TempDir()
	place := filepath.Join(dir, "talk.jsonl")
	call := openaitest.Do(openaitest.Call{ID: "c", Name: "todos_get_all"})
	failing := []openaitest.Reply{call, {Status: 400, Body: `{"error":{"message":"no"}}`}}
	whole := []openaitest.Reply{call, openaitest.Text("done")}

	// Without an earlier recording, an unfinished one is better than nothing.
	if code, _, errs := recordingRun(t, t.Context(), dir, failing, "--record", "talk.jsonl", "hello"); code != exitProblems || strings.Contains(errs, "unchanged") {
		t.Errorf("exit code %d, stderr %s", code, errs)
	}
	part := filetest.Read(t, place)
	if code, _, errs := recordingRun(t, t.Context(), dir, whole, "--record", "talk.jsonl", "hello"); code != exitFine || errs != "" {
		t.Errorf("exit code %d, stderr %s", code, errs)
	}
	full := filetest.Read(t, place)
	if len(full) <= len(part) {
		t.Fatalf("the whole recording is %q", full)
	}
	const warning = "warning: --record: the run did not finish, so talk.jsonl is unchanged\n"
	if code, _, errs := recordingRun(t, t.Context(), dir, failing, "--record", "talk.jsonl", "hello"); code != exitProblems || !strings.Contains(errs, warning) {
		t.Errorf("exit code %d, stderr %s", code, errs)
	}
	if filetest.Read(t, place) != full {
		t.Errorf("the recording is now %q", filetest.Read(t, place))
	}
	// Playing the recording of a run that reached a limit reaches the same limit.
	whole[1] = openaitest.Text("so far")
	if code, out, errs := recordingRun(t, t.Context(), dir, whole, "--max-turns", "1", "--record", "talk.jsonl", "hello"); code != exitLimit || out != "so far\n" || strings.Contains(errs, warning) {
		t.Errorf("exit code %d, %q, stderr %s", code, out, errs)
	}
	if filetest.Read(t, place) == full {
		t.Error("the recording of the run that came to its limit was not written")
	}
}

// TestSameFile checks that the files that a run writes must differ, also if links hide
// it.
func TestSameFile(t *testing.T) {
	for _, linked := range []bool{false, true} { // whether what the link leads to is there
		for _, test := range []struct{ one, other, flags string }{
			{"--session", "--audit", "--audit and --session"},
			{"--session", "--record", "--record and --session"},
			{"--audit", "--record", "--record and --audit"},
		} {
			dir := t.TempDir()
			if err := os.Symlink("a.jsonl", filepath.Join(dir, "b.jsonl")); err != nil {
				t.Skip("links cannot be made here:", err)
			}
			if linked {
				if err := os.WriteFile(filepath.Join(dir, "a.jsonl"), nil, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			for _, files := range [][2]string{{"a.jsonl", "b.jsonl"}, {"b.jsonl", "a.jsonl"}} {
				code, out, errs := recordingRun(t, t.Context(), dir, nil, test.one, files[0], test.other, files[1], "hello")
				reported := strings.Contains(errs, "error: "+test.flags+" name the same file\nhint: name two files\n")
				if one, other, _ := strings.Cut(test.flags, " and "); !reported { // found before either is opened
					reported = strings.Contains(errs, "error: "+other+" and "+one+" name the same file\nhint: name two files\n")
				}
				if code != exitUsage || out != "" || !reported {
					t.Errorf("%s %s, %s %s, there %v: exit code %d, %s", test.one, files[0], test.other, files[1], linked, code, errs)
				}
			}
		}
	}
}

// TestRecordKey checks that a recording contains no key, and that it can be played back
// with the same prompt.
func TestRecordKey(t *testing.T) {
	dir := t.TempDir()
	server := openaitest.New(t, openaitest.Do(openaitest.Call{ID: "c", Name: "todos_add", Arguments: `{"todos":[{"title":"try correct-horse-battery"}]}`}), openaitest.Text("done"))
	environ := []string{"MY_TOKEN=correct-horse-battery", "OPENAI_BASE_URL=" + server.URL}
	const prompt = `{"use":"correct-horse-battery"} or correct-horse-battery`
	for _, flag := range []string{"--record", "--replay"} {
		var out, errs bytes.Buffer
		env := Env{Env: run.Env{Dir: dir, Environ: environ}, Stdin: strings.NewReader("the piped\"correct-horse-battery\""), Stdout: &out, Stderr: &errs}
		if code := Run(t.Context(), env, []string{"run", "-q", flag, "talk.jsonl", prompt}); code != exitFine || out.String() != "done\n" {
			t.Errorf("%s: exit code %d, %q, stderr %s", flag, code, out.String(), errs.String())
		}
	}
	text, err := os.ReadFile(filepath.Join(dir, "talk.jsonl"))
	if err != nil || bytes.Contains(text, []byte("horse")) || !bytes.Contains(text, []byte("[masked: MY_TOKEN]")) {
		t.Errorf("recorded: %s, %v", text, err)
	}
}

// TestRecordingIsPrivate checks that only the owner can read a new recording, and that an
// existing file keeps its permissions.
func TestRecordingIsPrivate(t *testing.T) {
	if filepath.Separator == '\\' {
		return // on Windows the folder's permissions apply
	}
	dir := t.TempDir()
	for name, want := range map[string]os.FileMode{"new.jsonl": 0o600, "old.jsonl": 0o644} {
		path := filepath.Join(dir, name)
		if want != 0o600 {
			must(t, os.WriteFile(path, nil, want))
			must(t, os.Chmod(path, want))
		}
		if code, _, errs := recordingRun(t, t.Context(), dir, []openaitest.Reply{openaitest.Text("hi")}, "--record", name, "hello"); code != 0 {
			t.Fatalf("exit code %d: %s", code, errs)
		}
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v, %v", name, info.Mode(), err)
		}
	}
}
