package run

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestRememberCalls(t *testing.T) {
	const server = "http://user:secret@localhost:11434/v1"
	env := Env{Dir: t.TempDir(), Cache: t.TempDir()}
	at := time.Unix(1_800_000_000, 0)
	env.RememberCalls(server, "old", true, at)
	for i := range maxModels {
		env.RememberCalls(server, fmt.Sprint("m", i), true, at.Add(time.Duration(i+1)*time.Second))
	}
	env.RememberCalls(server, "m7", false, at)
	for model, want := range map[string]bool{"old": false, "m0": true, "m7": false, "other": false} {
		if got := env.NeedsConstrainedCalls("http://localhost:11434/v1", model); got != want {
			t.Errorf("%s: got %v, want %v", model, got, want)
		}
	}
	path := filepath.Join(env.Cache, "skills", "tool-calls.json")
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("got %v, %v", info, err)
	}
	if err := os.WriteFile(path, []byte("{broken"), 0o600); err != nil {
		t.Fatal(err)
	}
	if env.NeedsConstrainedCalls(server, "m0") {
		t.Error("a broken file is read")
	}
	env.Cache = env.Dir // where scripts can write
	env.RememberCalls(server, "m", true, at)
	if env.NeedsConstrainedCalls(server, "m") {
		t.Error("the working folder is used")
	}
}
