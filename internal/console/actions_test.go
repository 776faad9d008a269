package console

import (
	"bytes"
	"fmt"
	"io"
	"regexp"
	"strings"
	"testing"
	"time"

	"skills/internal/loader"
	"skills/internal/redact"
	"skills/internal/run"
	"skills/internal/testing/openaitest"
)

// testEnv is an environment in a folder; what it prints goes to out and errs.
func testEnv(dir string, out, errs io.Writer, environ ...string) Env {
	return Env{
		Env: run.Env{
			Dir: dir, Environ: environ,
			Notify: func(n loader.Notice) { fmt.Fprintln(errs, n.Message) },
			Warn:   func(format string, args ...any) { fmt.Fprintf(errs, "warning: "+format+"\n", args...) },
			Note:   func(text string) { fmt.Fprintln(errs, "note: "+text) },
			Masked: func(*redact.Masker) {},
		},
		Stdin: strings.NewReader(""), Stdout: out, Stderr: errs, Styled: func(io.Writer) bool { return false },
	}
}

// testOptions are valid options of a run.
func testOptions() Options {
	return Options{Options: run.Options{
		Limits: run.Limits{Turns: 5}, Scripts: run.Scripts{Timeout: time.Minute, Sandbox: "auto"}, Programs: run.Programs{HookTimeout: time.Minute},
	}}
}

// TestActions checks that text of a model cannot give commands to GitHub Actions.
func TestActions(t *testing.T) {
	const evil = "::set-output name=x::y\nsee ##[add-mask]z"
	send := func(environ string, output Output) string {
		t.Helper()
		server := openaitest.New(t, openaitest.Text(evil))
		var out, errs bytes.Buffer
		o := testOptions()
		o.Output, o.Todo.Off = output, true
		if err := Run(t.Context(), testEnv(t.TempDir(), &out, &errs, "OPENAI_BASE_URL="+server.URL, "PATH=", environ), o, []string{"hello"}); err != nil {
			t.Fatalf("%v: %s", err, errs.String())
		}
		return out.String()
	}
	preview := func(environ, format string) string {
		t.Helper()
		var out, errs bytes.Buffer
		o := testOptions()
		o.Output.Format, o.Preview = format, true
		if err := Run(t.Context(), testEnv(t.TempDir(), &out, &errs, environ), o, []string{evil}); err != nil {
			t.Fatalf("%v: %s", err, errs.String())
		}
		return out.String()
	}
	const on = "GITHUB_ACTIONS=true"
	frame := regexp.MustCompile(`(?s)^::stop-commands::([A-Z2-7]{26})\n(.*)::([A-Z2-7]{26})::\n$`)
	tokens := map[string]bool{}
	for range 2 {
		got := send(on, Output{Format: "text"})
		parts := frame.FindStringSubmatch(got)
		if parts == nil || parts[1] != parts[3] || tokens[parts[1]] || !strings.Contains(parts[2], "::set-output") || strings.Contains(parts[2], parts[1]) {
			t.Fatalf("not framed: %s", got)
		}
		tokens[parts[1]] = true
	}
	for _, format := range []string{"json", "jsonl"} {
		got := send(on, Output{Format: format})
		if strings.Contains(got, "##[") || !strings.Contains(got, `#\u0023[add-mask]z`) || regexp.MustCompile(`(?m)^\s*::`).MatchString(got) {
			t.Errorf("%s: %s", format, got)
		}
		if got := send("A=b", Output{Format: format}); !strings.Contains(got, "##[add-mask]z") {
			t.Errorf("%s elsewhere: %s", format, got)
		}
	}
	// What a command substitution reads is left as it is.
	if got := send(on, Output{Format: "text", Quiet: true}); got != evil+"\n" {
		t.Errorf("-q prints %q", got)
	}
	if got := preview(on, "text"); !frame.MatchString(got) || !strings.Contains(got, evil) {
		t.Errorf("--show-context is not framed: %s", got)
	}
	if got := preview(on, "json"); strings.Contains(got, "##[") || strings.Contains(got, "stop-commands") {
		t.Errorf("--show-context with JSON: %s", got)
	}
	if got := send("A=b", Output{Format: "text"}); strings.Contains(got, "stop-commands") {
		t.Errorf("elsewhere: %s", got)
	}
}
