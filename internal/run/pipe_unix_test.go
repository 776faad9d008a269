//go:build unix

package run

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
	"skills/internal/transcript"
)

// TestSilentPipes checks that no flag that names a file waits for ever for a pipe that
// nobody writes to, and that a pipe with a writer is read.
func TestSilentPipes(t *testing.T) {
	for flag, set := range map[string]func(*Options, string){
		"--replay":            func(o *Options, name string) { o.Files.Replay = name },
		"--env-file":          func(o *Options, name string) { o.Server.EnvFile = name },
		"--system":            func(o *Options, name string) { o.Prompt.System = "@" + name },
		"--prompt-template":   func(o *Options, name string) { o.Prompt.Template = name },
		"--todo-instructions": func(o *Options, name string) { o.Todo.Instructions = name },
		"--json-schema":       func(o *Options, name string) { o.Request.JSONSchema = name },
		"--file":              func(o *Options, name string) { o.Prompt.Files = []string{name} },
		"--image":             func(o *Options, name string) { o.Prompt.Images = []string{name} },
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
			o := testOptions()
			set(&o, "pipe")
			var out, errs bytes.Buffer
			env := testEnv(dir, &errs, "OPENAI_BASE_URL=http://127.0.0.1:1/v1", "PATH=")
			env.PipeTime = 10 * time.Millisecond
			_, _, err := Present(t.Context(), env, o, printing(transcript.JSONL(&out, false)))
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
		text, err := testEnv(t.TempDir(), &bytes.Buffer{}).file(t.Context(), "--env-file", "/dev/fd/"+itoa(read.Fd()), 100)
		if err != nil || text != "A=b\n" {
			t.Errorf("got %q, %v", text, err)
		}
	})
}

func itoa(n uintptr) string { return strconv.Itoa(int(n)) }
