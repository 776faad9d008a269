package skills

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"strings"

	"skills/internal/agent"
	"skills/internal/fault"
)

// ErrNoUser is returned if approval is required and no user is available.
var ErrNoUser = errors.New("scripts need approval and no one is available")

// Request holds what the user needs for a decision.
type Request struct {
	Skill, Script string
	Command       []string        // exact command line; nil for a function
	Args          []string        // the script's own part of the command line
	Arguments     json.RawMessage // as written by the model
	// Source returns up to 1 MiB of the text of the script, or the reason why it is
	// unavailable. It is empty for a function.
	Source       func() (string, error)
	Dir          string   // working directory
	Sandbox      string   // or "none"
	AllowedTools string   // the skill's allowed-tools, which allow nothing by themselves
	Changed      bool     // the script or its skill changed since it was approved or listed
	ChangedFiles []string // files of the skill that changed
	Files        string   // digest of all files of the skill; "" for a function
	NotEnforced  []string // what the sandbox does not enforce
	Unseen       []string // existing files that the call names and the sandbox hides
	MCP          bool     // Skill and Script are an MCP server and its tool, which has only Arguments
}

// Answer is the user's decision.
type Answer struct {
	Approved bool
	Remember bool   // approve this script from now on, with any arguments
	Reason   string // for the model
	Read     bool   // allow it to read the files of Unseen
}

// Recorder receives every decision on a script and every script that is run. An error
// denies the call, or prevents the script from being started, and ends the run.
type Recorder interface {
	// Decided receives a decision before it takes effect.
	Decided(ctx context.Context, run ScriptRun, d agent.Decision) error
	// Started is called before the script starts.
	Started(ctx context.Context, run ScriptRun) error
	// Ended follows each Started, with the error of a script that could not be started
	// or of a function that failed.
	Ended(ctx context.Context, run ScriptRun, result agent.ToolResult, err error) error
	// Left is called after Ended for a script that left protected names behind.
	Left(ctx context.Context, run ScriptRun, names []string) error
}

// ScriptRun describes the run of a script.
type ScriptRun struct {
	CallID        string
	Tool          string // the called tool
	Skill, Script string
	Arguments     json.RawMessage // as the tool read them
	Command       []string        // nil for a function, or if unknown
	Digest        string          // hexadecimal SHA-256 of the file; "" for a function, or if unknown
	Files         string          // the same of all files of the skill
}

// errNoRecord ends a run whose record failed.
var errNoRecord = errors.New("scripts that cannot be recorded are not run")

// record returns the call for a recorder.
func (c *Call) record(inv *agent.Invocation) ScriptRun {
	return ScriptRun{
		CallID: inv.Call.ID, Tool: inv.Call.Name, Skill: c.Skill.Name, Script: c.Script.Name,
		Arguments: c.arguments, Command: c.Command, Digest: c.digest, Files: c.filesDigest(),
	}
}

// record passes a decision to the recorder.
func (p *Policy) record(ctx context.Context, inv *agent.Invocation, c *Call, d agent.Decision, err error) error {
	recorder := p.provider.opt.Recorder
	if recorder == nil {
		return err
	}
	if err != nil { // the approval denies on error
		d = agent.Undecided(ctx, agent.Decision{}, err)
	}
	if rerr := recorder.Decided(ctx, c.record(inv), d); rerr != nil {
		inv.Stop(fmt.Errorf("%w: %w", errNoRecord, rerr))
		return errNoRecord
	}
	return err
}

// Pattern is a value of --allow-script or --allow-tool: an owner and a part of it.
type Pattern struct {
	Text        string
	owner, part string // patterns for path.Match; slashes in part are replaced
}

// ParsePattern parses a pattern such as "pdf/*". The error is a *fault.Error; owner and
// part name the two components in its text.
func ParsePattern(text, owner, part string) (Pattern, error) {
	before, after, ok := strings.Cut(text, "/")
	if !ok || before == "" || after == "" {
		return Pattern{}, &fault.Error{
			Message: fmt.Sprintf("the pattern %q does not name a %s and a %s", text, owner, part),
			Hint:    fmt.Sprintf("write %s/%s, for example '%s/*' for all %ss of a %s", owner, part, strings.Trim(text, "/"), part, owner),
		}
	}
	p := Pattern{Text: text, owner: before, part: flat(after)}
	for _, component := range []string{p.owner, p.part} {
		if _, err := path.Match(component, ""); err != nil {
			return Pattern{}, &fault.Error{Message: fmt.Sprintf("the pattern %q is malformed", text), Hint: "close every [, and put a character after every \\"}
		}
	}
	return p, nil
}

// Matches reports whether the pattern matches a part of an owner, such as a script as
// its skill lists it.
func (p Pattern) Matches(owner, part string) bool {
	match, _ := path.Match(p.part, flat(part)) // the patterns are valid
	return match && p.MatchesOwner(owner)
}

// MatchesOwner reports whether the pattern can match parts of an owner.
func (p Pattern) MatchesOwner(owner string) bool {
	match, _ := path.Match(p.owner, owner)
	return match
}

// flat replaces slashes, which * does not match, by a byte that no file name contains.
func flat(name string) string { return strings.ReplaceAll(name, "/", "\x00") }
