package runner

import (
	"bytes"
	"regexp"
	"strings"
	"testing"
	"time"

	"skills/internal/testing/openaitest"
)

// TestActions checks that text of a model cannot give commands to GitHub Actions.
func TestActions(t *testing.T) {
	const evil = "::set-output name=x::y\nsee ##[add-mask]z"
	run := func(environ string, o Options) string {
		t.Helper()
		server := openaitest.New(t, openaitest.Text(evil))
		var out, errs bytes.Buffer
		o.MaxTurns, o.ScriptTimeout, o.HookTimeout, o.Sandbox, o.NoTodo = 5, time.Minute, time.Minute, "auto", true
		r := New(testEnv(t.TempDir(), &out, &errs, "OPENAI_BASE_URL="+server.URL, "PATH=", environ), o)
		if err := r.Run(t.Context(), []string{"hello"}); err != nil {
			t.Fatalf("%v: %s", err, errs.String())
		}
		return out.String()
	}
	const on = "GITHUB_ACTIONS=true"
	frame := regexp.MustCompile(`(?s)^::stop-commands::([A-Z2-7]{26})\n(.*)::([A-Z2-7]{26})::\n$`)
	tokens := map[string]bool{}
	for range 2 {
		got := run(on, Options{Format: "text"})
		parts := frame.FindStringSubmatch(got)
		if parts == nil || parts[1] != parts[3] || tokens[parts[1]] || !strings.Contains(parts[2], "::set-output") || strings.Contains(parts[2], parts[1]) {
			t.Fatalf("not framed: %s", got)
		}
		tokens[parts[1]] = true
	}
	for _, format := range []string{"json", "jsonl"} {
		got := run(on, Options{Format: format})
		if strings.Contains(got, "##[") || !strings.Contains(got, `#\u0023[add-mask]z`) || regexp.MustCompile(`(?m)^\s*::`).MatchString(got) {
			t.Errorf("%s: %s", format, got)
		}
		if got := run("A=b", Options{Format: format}); !strings.Contains(got, "##[add-mask]z") {
			t.Errorf("%s elsewhere: %s", format, got)
		}
	}
	// What a command substitution reads is left as it is.
	if got := run(on, Options{Format: "text", Quiet: true}); got != evil+"\n" {
		t.Errorf("-q prints %q", got)
	}
	if got := run("A=b", Options{Format: "text"}); strings.Contains(got, "stop-commands") {
		t.Errorf("elsewhere: %s", got)
	}
}
