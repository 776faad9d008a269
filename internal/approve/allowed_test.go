package approve

import (
	"fmt"
	"strings"
	"testing"

	"skills/internal/agent"
)

// TestAllowedTools checks which entries of allowed-tools name an action, and which of them
// approve it for a trusted skill.
func TestAllowedTools(t *testing.T) {
	command := func(parts ...string) *agent.Approval {
		a := &agent.Approval{Action: agent.Summary{Kind: agent.KindCommand, Name: strings.Join(parts, " && ")}}
		for _, part := range parts {
			a.Parts = append(a.Parts, strings.Fields(part))
		}
		return a
	}
	edit := func(name string) *agent.Approval {
		return &agent.Approval{Action: agent.Summary{Kind: agent.KindEdit, Name: name}}
	}
	opaque := command("git log")
	opaque.Opaque = "a substitution runs commands"
	elsewhere := command("git log")
	elsewhere.Action.Owner = "other"
	own := command("git log")
	own.Action.Owner = "tidy"
	attended := edit("docs/a.md")
	attended.Attended = true
	for _, test := range []struct {
		tools string
		a     *agent.Approval
		rule  string
		trust bool
	}{
		{"Bash(git:*)", command("git"), "Bash(git:*)", true},
		{"Read, Bash(git:*), Edit", command("git commit -m x"), "Bash(git:*)", true},
		{"Bash(git:*)", command("gitk x"), "", false},
		{"Bash(git commit:*)", command("git commit -m x"), "Bash(git commit:*)", true},
		{"Bash(git commit:*)", command("git push"), "", false},
		{"Bash(npm run test)", command("npm run test"), "Bash(npm run test)", true},
		{"Bash(npm run test)", command("npm run test -- x"), "", false},
		{"Bash(npm run *)", command("npm run a b"), "Bash(npm run *)", true},
		{"Bash(git:*) Bash(gh pr:*)", command("git log", "gh pr view"), "Bash(git:*) Bash(gh pr:*)", true},
		{"Bash(git:*)", command("git log", "rm -r x"), "", false},
		{"Bash(git:*) Bash", command("git log", "rm -r x"), "Bash(git:*) Bash", false},
		{"Bash", command("git log"), "Bash", false},
		{"Bash(*)", command("git log"), "", false},
		{"Bash(:*)", command("git log"), "", false},
		{"Bash()", command("git log"), "", false},
		{"Bash(git:*", command("git log"), "", false},
		{"bash(git:*)", command("git log"), "", false},
		{"Bash(git:*)", opaque, "", false},
		{"Bash(git:*)", elsewhere, "", false}, // in the folder of another skill
		{"Bash(git:*)", own, "Bash(git:*)", true},
		{"Edit", edit("docs/a.md"), "Edit", false},
		{"Write Read", edit("docs/a.md"), "Write", false},
		{"Edit(docs/**) Write", edit("docs/a.md"), "Edit(docs/**)", true},
		{"Edit(docs/**)", edit("a.md"), "", false},
		{"Edit(docs/**)", attended, "Edit(docs/**)", false},
		{"Read(docs/**)", edit("docs/a.md"), "", false},
		{"", edit("docs/a.md"), "", false},
	} {
		test.a.Allowed = []agent.AllowedTools{{Skill: "tidy", Tools: test.tools}}
		got := ""
		for _, r := range rules(test.a) {
			got = strings.Join(r.entries, " ")
		}
		if got != test.rule {
			t.Errorf("%s of %q: the rule is %q, want %q", test.a.Action.Name, test.tools, got, test.rule)
		}
		for _, trusted := range []string{"tidy", "other"} {
			d, err := newPolicy(t, Options{Trusted: []string{trusted}}).Decide(t.Context(), test.a)
			want := test.trust && trusted == "tidy"
			if err != nil || d.Approved != want || want && d.Reason != "--trust-allowed-tools tidy" {
				t.Errorf("%s of %q with %s trusted: %s, %v", test.a.Action.Name, test.tools, trusted, fmt.Sprint(d), err)
			}
		}
	}
}
