package approve

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"skills/internal/agent"
)

// version is the content of a script and its library, listed as version 1.
type version string

func (v version) Digest() string { return "digest of " + string(v) }

func (v version) Action() agent.Summary {
	return agent.Summary{Kind: agent.KindScript, Owner: "a", Name: "run.py", Command: []string{"python3", string(v)}, Digest: v.Digest()}
}

func (v version) Unlisted() (names []string, changed bool) { return v.Changed(version("1")) }

func (v version) Changed(earlier agent.Content) (names []string, changed bool) {
	if v == earlier {
		return nil, false
	}
	return []string{"lib.py"}, true
}

// changing is a call of a script whose content may change, with what was granted.
type changing struct {
	now     version
	err     error // of reading it
	granted []agent.Terms
}

func (c *changing) approval() *agent.Approval {
	return &agent.Approval{
		Action: c.now.Action(), Content: c.now,
		Read: func(context.Context) (agent.Content, error) { return c.now, c.err },
		Grant: func(terms agent.Terms) error {
			c.granted = append(c.granted, terms)
			return nil
		},
	}
}

// TestChangesWhileAsked checks that an answer counts for the content that was shown: the
// user is asked again, at most three times, and only what was approved is granted.
func TestChangesWhileAsked(t *testing.T) {
	yes, always, no := Answer{Approved: true}, Answer{Approved: true, Scope: ScopeProgram}, Answer{Reason: "no"}
	const restless = "files of the skill changed while you were asked"
	for _, tt := range []struct {
		name    string
		becomes []version // during each prompt
		answers []Answer
		shown   []string
		want    agent.Decision
		granted version
	}{
		{"not at all", []version{"1"}, []Answer{yes}, []string{"1 []"}, agent.Decision{Approved: true, By: "user"}, "1"},
		{"once", []version{"2", "2"}, []Answer{yes, yes}, []string{"1 []", "2 [lib.py]"}, agent.Decision{Approved: true, By: "user"}, "2"},
		{"once, always", []version{"2", "2"}, []Answer{always, always}, []string{"1 []", "2 [lib.py]"}, agent.Decision{Approved: true, By: "user"}, "2"},
		{"once, then no", []version{"2", "2"}, []Answer{yes, no}, []string{"1 []", "2 [lib.py]"}, agent.Decision{By: "user", Reason: "no"}, ""},
		{"no", []version{"2"}, []Answer{no}, []string{"1 []"}, agent.Decision{By: "user", Reason: "no"}, ""},
		{"each time", []version{"2", "3", "4", "5"}, []Answer{yes, always, yes, yes}, []string{"1 []", "2 [lib.py]", "3 [lib.py]"}, agent.Decision{By: "policy", Reason: restless}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			script := &changing{now: "1"}
			var shown []string
			policy := newPolicy(t, Options{Ask: func(_ context.Context, r Request) (Answer, error) {
				version := r.Action.Command[1]
				if r.Digest != "digest of "+version || r.Changed != (len(r.ChangedFiles) > 0) {
					t.Errorf("version %s is shown with %q, changed %t %q", version, r.Digest, r.Changed, r.ChangedFiles)
				}
				i := len(shown)
				shown = append(shown, fmt.Sprint(version, " ", r.ChangedFiles))
				script.now = tt.becomes[i]
				return tt.answers[i], nil
			}})
			got, err := policy.Decide(t.Context(), script.approval())
			if err != nil || got != tt.want {
				t.Errorf("got %+v, %v, want %+v", got, err, tt.want)
			}
			if diff := cmp.Diff(tt.shown, shown); diff != "" {
				t.Errorf("asked (-want +got):\n%s", diff)
			}
			switch {
			case tt.granted == "" && len(script.granted) > 0, tt.granted != "" && (len(script.granted) != 1 || script.granted[0].Content != tt.granted):
				t.Errorf("granted %+v, want %q", script.granted, tt.granted)
			}
		})
	}
}

// TestAlwaysIsOfContent checks that an approval for the rest of the run holds for the same
// content only, and grants that.
func TestAlwaysIsOfContent(t *testing.T) {
	script := &changing{now: "1"}
	var asked []string
	policy := newPolicy(t, Options{Ask: func(_ context.Context, r Request) (Answer, error) {
		asked = append(asked, fmt.Sprint(r.Action.Command[1], " ", r.Changed))
		return Answer{Approved: true, Scope: ScopeProgram}, nil
	}})
	for _, now := range []version{"1", "1", "2", "2", "1"} {
		script.now = now
		before := len(script.granted)
		if d, err := policy.Decide(t.Context(), script.approval()); err != nil || !d.Approved || d.By != "user" {
			t.Errorf("version %s: got %+v, %v", now, d, err)
		}
		if added := script.granted[before:]; len(added) != 1 || added[0].Content != now {
			t.Errorf("version %s: granted %+v", now, added)
		}
	}
	if want := []string{"1 false", "2 true", "1 true"}; !slices.Equal(asked, want) {
		t.Errorf("asked %q, want %q", asked, want)
	}
}

// TestUnattendedContent checks that flags approve what was listed, and that a denial names
// the files that differ.
func TestUnattendedContent(t *testing.T) {
	pattern, err := ParsePattern("a/*", "skill", "script")
	if err != nil {
		t.Fatal(err)
	}
	for flag, opt := range map[string]Options{"--approve always": {Mode: Always}, "--allow-script a/*": {Mode: Never, Scripts: []Pattern{pattern}}} {
		script := &changing{now: "1"}
		d, err := newPolicy(t, opt).Decide(t.Context(), script.approval())
		if want := (agent.Decision{Approved: true, By: "flag", Reason: flag}); err != nil || d != want || len(script.granted) != 1 || script.granted[0].Content != version("1") {
			t.Errorf("%s: got %+v, %v, granted %+v", flag, d, err, script.granted)
		}
		script = &changing{now: "2"}
		d, err = newPolicy(t, opt).Decide(t.Context(), script.approval())
		const reason, hint = "files of the skill changed after it was loaded and have not been approved: lib.py", "review the changes of the skill a, then start again to allow them"
		if want := (agent.Decision{By: "policy", Reason: reason, Hint: hint}); err != nil || d != want || len(script.granted) > 0 {
			t.Errorf("%s: got %+v, %v, granted %+v", flag, d, err, script.granted)
		}
		own := script.approval()
		own.Action.Name = "lib.py"
		d, _ = newPolicy(t, opt).Decide(t.Context(), own)
		if want := "the script changed after it was loaded and has not been approved"; d.Approved || d.Reason != want {
			t.Errorf("%s: got %+v, want %q", flag, d, want)
		}
	}
}

// TestUnreadableContent checks that what cannot be read, before a prompt or after it, is
// denied, and so is what cannot be granted.
func TestUnreadableContent(t *testing.T) {
	gone := errors.New("it is gone")
	script := &changing{now: "1"}
	prompts := 0
	policy := newPolicy(t, Options{Ask: func(context.Context, Request) (Answer, error) {
		prompts++
		script.err = gone
		return Answer{Approved: true}, nil
	}})
	want := agent.Decision{By: "policy", Reason: "it cannot be started: it is gone"}
	for range 2 { // after the prompt, and before it
		if d, err := policy.Decide(t.Context(), script.approval()); err != nil || d != want || len(script.granted) > 0 {
			t.Errorf("got %+v, %v, granted %+v", d, err, script.granted)
		}
	}
	if prompts != 1 {
		t.Errorf("asked %d times, want once", prompts)
	}
	refused := (&changing{now: "1"}).approval()
	refused.Grant = func(agent.Terms) error { return gone }
	if d, err := newPolicy(t, Options{Mode: Always}).Decide(t.Context(), refused); err != nil || d != want {
		t.Errorf("not granted: got %+v, %v", d, err)
	}
}

// decisions records the digest and the decision of each call.
type decisions []string

func (r *decisions) Decided(_ context.Context, call agent.ToolCall, action agent.Summary, d agent.Decision) error {
	*r = append(*r, fmt.Sprint(call.ID, " ", action.Digest, " ", d.Approved))
	return nil
}

// TestRecordedContent checks that the record of a decision describes the content that was
// decided on, not that of the first prompt.
func TestRecordedContent(t *testing.T) {
	script := &changing{now: "1"}
	policy := newPolicy(t, Options{Ask: func(context.Context, Request) (Answer, error) {
		script.now = "2"
		return Answer{Approved: true}, nil
	}})
	var recorded decisions
	inv := &agent.Invocation{Call: agent.ToolCall{ID: "c1"}}
	if d, err := Recorded(policy.Approve, &recorded)(t.Context(), inv, script.approval()); err != nil || !d.Approved {
		t.Fatalf("got %+v, %v", d, err)
	}
	if got := strings.Join(recorded, ";"); got != "c1 digest of 2 true" {
		t.Errorf("recorded %q", got)
	}
}
