package skills_test

import (
	"context"
	"strings"
	"sync"
	"testing"

	"skills/internal/agent/skills"
	"skills/internal/fault"
	"skills/internal/script"
	"skills/internal/script/sandbox"
)

// sandboxed is a sandbox of a name, which was found to work.
func sandboxed(name string) func(context.Context) (sandbox.Status, error) {
	return func(context.Context) (sandbox.Status, error) { return sandbox.Status{Name: name}, nil }
}

// TestUnseen checks that a file hidden by the sandbox is read only if the user allows
// it, and that the denial names the flag if no user is available.
func TestUnseen(t *testing.T) {
	b := newBench(t, skills.Options{Source: files(converter(t)), Runner: &recorder{}})
	for name, test := range map[string]struct {
		answer skills.Answer
		want   int
	}{
		"read": {skills.Answer{Approved: true, Read: true}, 1}, "yes": {skills.Answer{Approved: true}, 0}, "no": {skills.Answer{}, 0},
	} {
		var read []string
		opt := skills.PolicyOptions{
			Sandbox:   sandboxed("landlock"),
			Unseen:    func(script.Script, []string) []string { return []string{"/home/ann/x.pdf"} },
			AllowRead: func(path string) error { read = append(read, path); return nil },
			Ask: func(_ context.Context, r skills.Request) (skills.Answer, error) {
				if len(r.Unseen) != 1 {
					t.Errorf("asked about %q", r.Unseen)
				}
				return test.answer, nil
			},
		}
		call := b.invocation("run_skill_script", `{"skillName":"unit-converter","scriptName":"scripts/convert.py"}`)
		if d, _, err := newPolicy(t, b, opt).Approve(t.Context(), call); err != nil || d.Approved != test.answer.Approved || len(read) != test.want {
			t.Errorf("%s: got %+v, %v, and %q allowed", name, d, err, read)
		}
		opt.Ask = nil
		if d, _, err := newPolicy(t, b, opt).Approve(t.Context(), call); err != nil || !strings.Contains(d.Hint, " --allow-read '/home/ann/x.pdf' to allow it") {
			t.Errorf("no user: got %+v, %v", d, err)
		}
	}
}

func TestNewPolicyErrors(t *testing.T) {
	b, _ := converterBench(t)
	if _, err := skills.NewPolicy(b.provider, skills.PolicyOptions{Mode: "sometimes"}); err == nil || !strings.Contains(err.Error(), "ask, always or never") {
		t.Errorf("unknown mode: error %v", err)
	}
	for text, hint := range map[string]string{
		"":                   "skill/script",
		"unit-converter":     "'unit-converter/*'",
		"*":                  "'*/*'",
		"unit-converter/":    "'unit-converter/*'",
		"/x.py":              "skill/script",
		"unit-converter/[a":  "close every [",
		"unit-[z-a]/x\\":     "close every [",
		"[/x.py":             "close every [",
		"unit-converter/[]x": "close every [",
	} {
		_, err := skills.NewPolicy(b.provider, skills.PolicyOptions{Allow: []string{"*/*", text}})
		if err == nil {
			t.Errorf("pattern %q: no error", text)
			continue
		}
		if got := fault.Hint(err); !strings.Contains(got, hint) || !strings.Contains(err.Error(), "pattern") {
			t.Errorf("pattern %q: error %v, hint %q; want a hint with %q", text, err, got, hint)
		}
	}
}

// TestConcurrentPrompts checks that approval prompts are never concurrent, and that an
// "always" also answers the prompts that wait.
func TestConcurrentPrompts(t *testing.T) {
	b, _ := converterBench(t)
	asked, at := 0, make(chan struct{}, 1)
	policy := newPolicy(t, b, skills.PolicyOptions{Ask: func(context.Context, skills.Request) (skills.Answer, error) {
		select {
		case at <- struct{}{}:
		default:
			t.Error("two prompts at a time")
		}
		asked++
		<-at
		return skills.Answer{Approved: true, Remember: true}, nil
	}})
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			if d, _, err := policy.Approve(t.Context(), b.invocation("run_skill_script", convert)); err != nil || !d.Approved {
				t.Errorf("%+v, %v", d, err)
			}
		})
	}
	wg.Wait()
	if asked != 1 {
		t.Errorf("asked %d times, want once", asked)
	}
}
