package skills_test

import (
	"context"
	"strings"
	"testing"

	"skills/internal/agent"
	"skills/internal/agent/skills"
	"skills/internal/approve"
	"skills/internal/script"
)

// sandboxed is a sandbox of a name, which was found to work.
func sandboxed(name string) func(context.Context) (agent.Sandbox, error) {
	return func(context.Context) (agent.Sandbox, error) { return agent.Sandbox{Name: name}, nil }
}

// TestUnseen checks that a file hidden by the sandbox is read only if the user allows
// it, and that the denial names the flag if no user is available.
func TestUnseen(t *testing.T) {
	b := newBench(t, skills.Options{Source: files(converter(t)), Runner: &recorder{}})
	for name, test := range map[string]struct {
		answer approve.Answer
		want   int
	}{
		"read": {approve.Answer{Approved: true, Read: true}, 1}, "yes": {approve.Answer{Approved: true}, 0}, "no": {approve.Answer{}, 0},
	} {
		var read []string
		opt := policyOptions{
			Sandbox:   sandboxed("landlock"),
			Unseen:    func(script.Script, []string) []string { return []string{"/home/ann/x.pdf"} },
			AllowRead: func(path string) error { read = append(read, path); return nil },
			Ask: func(_ context.Context, r approve.Request) (approve.Answer, error) {
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
