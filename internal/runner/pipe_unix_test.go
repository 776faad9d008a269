//go:build unix

package runner

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"skills/internal/files"
)

// TestSilentPipes checks that no flag that names a file waits for ever for a pipe that
// nobody writes to, and that a pipe with a writer is read.
func TestSilentPipes(t *testing.T) {
	for flag, set := range map[string]func(*Options, string){
		"--replay":            func(o *Options, name string) { o.Replay = name },
		"--env-file":          func(o *Options, name string) { o.EnvFile = name },
		"--system":            func(o *Options, name string) { o.System = "@" + name },
		"--prompt-template":   func(o *Options, name string) { o.PromptTemplate = name },
		"--todo-instructions": func(o *Options, name string) { o.TodoInstructions = name },
		"--json-schema":       func(o *Options, name string) { o.JSONSchema = name },
		"--file":              func(o *Options, name string) { o.Files = []string{name} },
		"--image":             func(o *Options, name string) { o.Images = []string{name} },
	} {
		t.Run(flag, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, "pipe")
			if err := syscall.Mkfifo(path, 0o600); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { // releases the reader
				both, err := os.OpenFile(path, os.O_RDWR|syscall.O_NONBLOCK, 0)
				if err != nil {
					t.Fatal(err)
				}
				both.Close()
			})
			o := Options{
				MaxTurns: 5, ScriptTimeout: time.Minute, HookTimeout: time.Minute, Sandbox: "auto", Format: "jsonl", PipeTime: 10 * time.Millisecond,
			}
			set(&o, "pipe")
			var out, errs bytes.Buffer
			r := New(testEnv(dir, &out, &errs, "OPENAI_BASE_URL=http://127.0.0.1:1/v1", "PATH="), o)
			err := r.Run(t.Context(), []string{"hello"})
			if !errors.Is(err, files.ErrSilentPipe) || !strings.Contains(err.Error(), flag+": pipe ") {
				t.Errorf("got %v: %s%s", err, out.String(), errs.String())
			}
		})
	}
	t.Run("with a writer", func(t *testing.T) {
		read, write, err := os.Pipe() // as in <(command)
		if err != nil {
			t.Fatal(err)
		}
		defer read.Close()
		write.WriteString("A=b\n")
		write.Close()
		r := New(testEnv(t.TempDir(), &bytes.Buffer{}, &bytes.Buffer{}), Options{})
		text, err := r.file(t.Context(), "--env-file", "/dev/fd/"+itoa(read.Fd()), 100)
		if err != nil || text != "A=b\n" {
			t.Errorf("got %q, %v", text, err)
		}
	})
}

func itoa(n uintptr) string { return strconv.Itoa(int(n)) }
