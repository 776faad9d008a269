package approve

// A standing answer approves later calls as well: of the same program with the same
// arguments, of the program, or of everything of its skill or server. It holds for the run,
// or for the session that keeps it, and only as long as what would run is what was
// approved: the files of a skill are compared.

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"skills/internal/agent"
	"skills/internal/printable"
)

// Scope is what an answer approves.
type Scope string

// The scopes of answers.
const (
	ScopeCall      Scope = ""          // this call
	ScopeArguments Scope = "arguments" // the same program with the same arguments
	ScopeProgram   Scope = "program"   // the program, with any arguments
	ScopeOwner     Scope = "owner"     // everything of its skill or server
)

// SessionState is the key of the standing answers in a session.
const SessionState = "approvals"

// Standing is a standing answer.
type Standing struct {
	Scope     Scope           `json:"scope"`
	Kind      string          `json:"kind"`
	Owner     string          `json:"owner,omitempty"`
	Name      string          `json:"name,omitempty"`
	Arguments json.RawMessage `json:"arguments,omitempty"` // with the scope of arguments
	// Digest is that of all files that were approved, or "" if nothing can change.
	Digest string `json:"digest,omitempty"`
	// Unsandboxed means that it was approved for a program without a sandbox, which an
	// answer for one in a sandbox does not include.
	Unsandboxed bool `json:"unsandboxed,omitempty"`
}

// String says what is approved, for people.
func (s Standing) String() string {
	k := kindOf(agent.Summary{Kind: s.Kind})
	target := agent.Summary{Owner: s.Owner, Name: s.Name}.Target()
	switch s.Scope {
	case ScopeOwner:
		return fmt.Sprintf("everything of the %s %s", k.owner, printable.Line(s.Owner))
	case ScopeArguments:
		return fmt.Sprintf("the %s %s with the arguments %s", k.name, printable.Line(target), printable.Line(string(s.Arguments)))
	}
	return fmt.Sprintf("the %s %s", k.name, printable.Line(target))
}

// newStanding returns the standing answer for an action.
func newStanding(scope Scope, s agent.Summary, now agent.Content) Standing {
	out := Standing{Scope: scope, Kind: s.Kind, Owner: s.Owner, Name: s.Name}
	if now != nil {
		out.Digest = now.Digest()
	}
	switch scope {
	case ScopeOwner:
		out.Name = ""
	case ScopeArguments:
		out.Arguments = compacted(s.Arguments)
	}
	return out
}

// compacted returns JSON without white space, or a string if it is none.
func compacted(text json.RawMessage) json.RawMessage {
	var out bytes.Buffer
	if json.Compact(&out, text) != nil {
		return json.RawMessage(printable.JSONText(string(text)))
	}
	return out.Bytes()
}

// names reports whether the answer is about an action, whatever its content.
func (s Standing) names(action agent.Summary) bool {
	if s.Scope == ScopeOwner {
		return s.Owner == action.Owner && kindOf(action).group != "" && kindOf(action).group == kindOf(agent.Summary{Kind: s.Kind}).group
	}
	same := s.Kind == action.Kind && s.Owner == action.Owner && s.Name == action.Name
	return same && (s.Scope != ScopeArguments || bytes.Equal(s.Arguments, compacted(action.Arguments)))
}

// standing are the answers of a session.
type standing struct {
	Rules []Standing `json:"rules"`
}

func sessionState() *agent.State[standing] {
	return agent.NewState(SessionState, func() standing { return standing{Rules: []Standing{}} })
}

// SessionAnswers returns the standing answers that a session keeps.
func SessionAnswers(s *agent.Session) (rules []Standing, err error) {
	if s == nil || !s.Has(SessionState) {
		return nil, nil
	}
	err = sessionState().View(s, func(v standing) { rules = slices.Clone(v.Rules) })
	return rules, err
}

// Revoke removes a standing answer from a session, by its number from 0, or all of them if
// it is negative.
func Revoke(s *agent.Session, n int) error {
	return sessionState().Update(s, func(v *standing) error {
		switch {
		case n < 0:
			v.Rules = []Standing{}
		case n >= len(v.Rules):
			return errors.New("there is no such answer")
		default:
			v.Rules = slices.Delete(v.Rules, n, n+1)
		}
		return nil
	})
}

// keep adds a standing answer to a session, in place of an earlier one about the same.
func keep(s *agent.Session, rule Standing) error {
	same := func(old Standing) bool {
		return old.Scope == rule.Scope && old.Kind == rule.Kind && old.Owner == rule.Owner && old.Name == rule.Name && bytes.Equal(old.Arguments, rule.Arguments)
	}
	return sessionState().Update(s, func(v *standing) error {
		v.Rules = append(slices.DeleteFunc(v.Rules, same), rule)
		return nil
	})
}

// given is a standing answer of this run, with the content that was approved.
type given struct {
	Standing
	content agent.Content
}

// holds reports whether the content is what was approved.
func (g given) holds(now agent.Content) bool {
	switch {
	case now == nil || g.content == nil:
		return now == nil && g.content == nil
	case g.Scope == ScopeOwner && now.Digest() == g.Digest:
		return true
	}
	_, changed := now.Changed(g.content) // without what the skill's own scripts may change
	return !changed
}

// remembers returns how long a standing answer holds that approves the action with exactly
// this content in a sandbox, or "".
func (p *Policy) remembers(s *agent.Session, a *agent.Approval, now agent.Content, sandbox string) string {
	if a.Attended {
		return ""
	}
	for _, g := range p.standing {
		if g.names(a.Action) && g.holds(now) {
			return "run"
		}
	}
	digest := ""
	if now != nil {
		digest = now.Digest()
	}
	rules, _ := SessionAnswers(s) // a damaged state is reported when the session is opened
	for _, rule := range rules {
		covered := sandbox != noSandbox || rule.Unsandboxed
		if rule.names(a.Action) && rule.Digest == digest && covered {
			return "session"
		}
	}
	return ""
}

// stands reports whether a standing answer may be about an action, so that its content has
// to be read.
func (p *Policy) stands(s *agent.Session, a *agent.Approval) bool {
	about := func(r Standing) bool { return r.names(a.Action) }
	rules, _ := SessionAnswers(s)
	return slices.ContainsFunc(rules, about) || slices.ContainsFunc(p.standing, func(g given) bool { return about(g.Standing) })
}

// remember keeps a standing answer, for the run or in the session. The last answer counts:
// earlier ones of the run, for other content, no longer do.
func (p *Policy) remember(s *agent.Session, a *agent.Approval, now agent.Content, answer Answer, sandbox string) error {
	outdated := func(g given) bool { return g.names(a.Action) && !g.holds(now) }
	p.standing = slices.DeleteFunc(p.standing, outdated)
	if answer.Scope == ScopeCall {
		return nil
	}
	rule := newStanding(answer.Scope, a.Action, now)
	rule.Unsandboxed = sandbox == noSandbox
	if answer.Session && s != nil {
		return keep(s, rule)
	}
	p.standing = append(p.standing, given{rule, now})
	return nil
}
