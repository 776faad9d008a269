package skills

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"strings"

	"skills/internal/agent"
	"skills/internal/loader"
)

// ErrNobody says that there is nobody to ask, now or ever.
var ErrNobody = errors.New("scripts need approval and no one is available")

// Request is what a person needs to see to decide.
type Request struct {
	Skill, Script string
	Command       []string        // exact command line; nil for a script that is a function
	Args          []string        // the script's own part of the command line
	Arguments     json.RawMessage // as the model wrote them
	// Source returns the text of the script that would run, at most 1 MiB of it;
	// an error says why that cannot be shown. It is empty for a function.
	Source       func() (string, error)
	Dir          string   // working directory
	Sandbox      string   // "none" for none
	AllowedTools string   // what the skill asks to use, which allows nothing by itself
	Changed      bool     // whether the script is another since it was approved or listed
	Gaps         []string // what the sandbox does not enforce
	Unseen       []string // existing files that it names and that the sandbox does not show
}

// Answer is a person's decision.
type Answer struct {
	Approved bool
	Remember bool   // approve this script from now on, with any arguments
	Reason   string // for the model
	Read     bool   // let it read the files of Unseen
}

// Recorder receives every decision on a script and of every script that is
// run. What it cannot record does not happen: its error denies the call, or
// keeps the script from being started, and ends the run.
type Recorder interface {
	Decided(ctx context.Context, run ScriptRun, d agent.Decision) error
	Started(ctx context.Context, run ScriptRun) error
	// Ended follows each Started, with the error of a script that could not be
	// started or failed as a function.
	Ended(ctx context.Context, run ScriptRun, result agent.ToolResult, err error) error
}

// ScriptRun is a script that is to be run, or was.
type ScriptRun struct {
	CallID        string
	Tool          string // the tool that was called
	Skill, Script string
	Arguments     json.RawMessage // as the tool read them
	Command       []string        // nil for a function, and if it cannot be known
	Digest        string          // SHA-256 of the file in hexadecimal; "" for a function, and if it cannot be known
}

// errNoRecord ends a run that would go on without its record.
var errNoRecord = errors.New("scripts that cannot be recorded are not run")

// record is the call as a recorder receives it.
func (c *Call) record(inv *agent.Invocation) ScriptRun {
	return ScriptRun{
		CallID: inv.Call.ID, Tool: inv.Call.Name, Skill: c.Skill.Name, Script: c.Script.Name,
		Arguments: c.arguments, Command: c.Command, Digest: c.digest,
	}
}

// record passes a decision to the recorder.
func (p *Policy) record(ctx context.Context, inv *agent.Invocation, c *Call, d agent.Decision, err error) error {
	recorder := p.provider.opt.Recorder
	if recorder == nil {
		return err
	}
	if err != nil { // as the approval takes it
		d = agent.Undecided(ctx, agent.Decision{}, err)
	}
	if rerr := recorder.Decided(ctx, c.record(inv), d); rerr != nil {
		inv.Stop(fmt.Errorf("%w: %w", errNoRecord, rerr))
		return errNoRecord
	}
	return err
}

// pattern is one --allow-script.
type pattern struct {
	text          string
	skill, script string // patterns of path.Match; the script's with slashes replaced
}

func newPattern(text string) (pattern, error) {
	skill, script, ok := strings.Cut(text, "/")
	if !ok || skill == "" || script == "" {
		return pattern{}, &loader.Error{
			Message: fmt.Sprintf("the pattern %q does not name a skill and a script", text),
			Help:    fmt.Sprintf("write skill/script, for example '%s/*' for all scripts of a skill", strings.Trim(text, "/")),
		}
	}
	p := pattern{text: text, skill: skill, script: flat(script)}
	for _, part := range []string{p.skill, p.script} {
		if _, err := path.Match(part, ""); err != nil {
			return pattern{}, &loader.Error{Message: fmt.Sprintf("the pattern %q is malformed", text), Help: "close every [, and put a character after every \\"}
		}
	}
	return p, nil
}

// matches reports whether the pattern matches a script as its skill lists it.
func (p pattern) matches(skill, script string) bool {
	one, _ := path.Match(p.skill, skill) // the patterns are well-formed
	two, _ := path.Match(p.script, flat(script))
	return one && two
}

// flat replaces slashes, which * does not match, by a byte of no file name.
func flat(name string) string { return strings.ReplaceAll(name, "/", "\x00") }
