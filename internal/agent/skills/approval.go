package skills

// A script is approved with its current content and that of all files of its skill, and is
// run only as long as they are the same. Each start and end is recorded before and after
// it; a record that cannot be written prevents the start.

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"skills/internal/agent"
	"skills/internal/files"
	"skills/internal/printable"
	"skills/internal/script"
	"skills/internal/script/gitline"
)

// Confinement describes how the scripts of a run are confined, for the decision on them.
type Confinement struct {
	Dir      string   // the working directory
	Writable []string // folders outside of it that scripts may change
	// Sandbox tries the sandbox before the first decision on a script file, because
	// most runs do not run scripts. Its error is the reason why scripts cannot be run.
	// Nil means no sandbox.
	Sandbox func(ctx context.Context) (agent.Sandbox, error)
	// Unseen returns the existing files that a script's arguments, or the prompt, name
	// and its sandbox hides; may be nil. AllowRead makes one of them readable for all
	// later scripts.
	Unseen    func(s script.Script, args []string) []string
	AllowRead func(path string) error
	// History lets scripts with Git commands that write the history of repositories do so,
	// because command lines may, too; nil for no.
	History func() bool
}

// Recorder receives every script that is run. An error prevents the script from being
// started, and ends the run.
type Recorder interface {
	// Started is called before the script starts.
	Started(ctx context.Context, call agent.ToolCall, action agent.Summary) error
	// Ended follows each Started, with the error of a script that could not be started
	// or of a function that failed.
	Ended(ctx context.Context, call agent.ToolCall, action agent.Summary, result agent.ToolResult, err error) error
	// Left is called after Ended for a script that left protected names behind.
	Left(ctx context.Context, call agent.ToolCall, action agent.Summary, names []string) error
}

// Approval asks for every script; the decision is about the current content of the
// file.
func (c *Call) Approval() *agent.Approval {
	a := &agent.Approval{
		Action: c.Summary(), Dir: c.provider.opt.Scripts.Dir, Args: c.Args, Note: allowedTools(c.Skill),
		Grant: c.grant,
	}
	if c.err != nil {
		a.Blocked = errors.New(detail(c.err))
	}
	if c.isFile() {
		a.Source, a.Sandbox, a.Unseen, a.Content, a.Read = c.source, c.provider.sandbox, c.unseen, c.content(), c.reread
	}
	return a
}

// sandbox tries the sandbox of scripts.
func (p *Provider) sandbox(ctx context.Context) (agent.Sandbox, error) {
	if p.opt.Scripts.Sandbox == nil {
		return agent.Sandbox{Name: "none"}, nil
	}
	return p.opt.Scripts.Sandbox(ctx)
}

// unseen returns the files that the sandbox would hide.
func (c *Call) unseen() []string {
	if c.provider.opt.Scripts.Unseen == nil {
		return nil
	}
	return c.provider.opt.Scripts.Unseen(c.file(), c.Args)
}

// grant lets the current content of the script run, on these terms.
func (c *Call) grant(terms agent.Terms) error {
	for _, path := range terms.Read {
		if err := c.provider.opt.Scripts.AllowRead(path); err != nil {
			return errors.New(detail(err))
		}
	}
	if approved, ok := terms.Content.(content); ok {
		c.Command, c.digest, c.files, c.history = approved.command, approved.digest, approved.files, approved.history
	}
	c.want, c.unsandboxed = c.digest, terms.Unsandboxed
	return nil
}

// content is the content of a script with all files of its skill.
type content struct {
	call    *Call
	command []string
	digest  string
	files   files.Snapshot
	history bool
}

// content returns what was read last.
func (c *Call) content() content {
	return content{call: c, command: c.Command, digest: c.digest, files: c.files, history: c.history}
}

// reread reads the files as they are now.
func (c *Call) reread(ctx context.Context) (agent.Content, error) {
	c.read(ctx)
	if c.err != nil {
		return nil, errors.New(detail(c.err))
	}
	return c.content(), nil
}

// Digest returns that of all files of the skill.
func (c content) Digest() string { return c.call.filesDigest(c.files) }

// Action names the skill and the script.
func (c content) Action() agent.Summary {
	call := c.call
	words := commandWords(call.arguments)
	if call.isFile() {
		words = printable.Map(call.Args, printable.ShellWord)
	}
	s := agent.Summary{
		Kind: agent.KindScript, Owner: call.Skill.Name, Name: call.Script.Name,
		Line:      strings.Join(append([]string{call.name()}, words...), " "),
		Arguments: call.arguments, Command: c.command, Digest: c.digest, Files: c.Digest(),
	}
	if c.history {
		s.Grants = []string{gitline.Grant}
	}
	return s
}

// Unlisted returns the files that changed since they were first seen.
func (c content) Unlisted() (names []string, changed bool) {
	names = c.call.covered(c.call.known.changedSinceSeen(c.call.Skill.Dir, c.files))
	listed := c.call.Script.Digest
	if listed != "" && c.digest != listed {
		return names, true
	}
	return names, len(names) > 0
}

// Changed returns the files that differ from earlier content.
func (c content) Changed(earlier agent.Content) (names []string, changed bool) {
	before, ok := earlier.(content)
	if !ok {
		return nil, earlier == nil || earlier.Digest() != c.Digest()
	}
	if before.files != nil && c.files != nil {
		names = c.call.covered(c.call.known.changed(c.call.Skill.Dir, c.files, before.files))
	}
	return names, len(names) > 0 || c.digest != before.digest
}

// errNoRecord ends a run whose record failed.
var errNoRecord = errors.New("scripts that cannot be recorded are not run")

// started records that the script is about to start.
func (c *Call) started(ctx context.Context) error {
	recorder := c.provider.opt.Recorder
	if recorder == nil {
		return nil
	}
	err := recorder.Started(ctx, c.inv.Call, c.Summary())
	if err != nil {
		c.inv.Stop(fmt.Errorf("%w: %w", errNoRecord, err))
		return errNoRecord
	}
	return nil
}

// ended records the end of the script.
func (c *Call) ended(ctx context.Context, result agent.ToolResult, err error) {
	recorder := c.provider.opt.Recorder
	if recorder == nil {
		return
	}
	failure := recorder.Ended(ctx, c.inv.Call, c.Summary(), result, err)
	if failure != nil {
		c.inv.Stop(fmt.Errorf("recording the end of a script: %w", failure))
	}
}

// reportLeft reports what the script left behind to the user and the recorder.
func (c *Call) reportLeft(ctx context.Context, left []script.Leftover) {
	if len(left) == 0 {
		return
	}
	c.inv.Emit(agent.WarningEvent{Message: LeftBehind(c.name(), left), Repeated: true})
	recorder := c.provider.opt.Recorder
	if recorder == nil {
		return
	}
	names := make([]string, len(left))
	for i, l := range left {
		names[i] = l.String()
	}
	err := recorder.Left(ctx, c.inv.Call, c.Summary(), names)
	if err != nil {
		c.inv.Stop(fmt.Errorf("recording what a script left behind: %w", err))
	}
}

// LeftBehind returns the warning about what a script left behind.
func LeftBehind(name string, left []script.Leftover) string {
	return "protected files appeared or changed while " + name + " ran: " + script.LeftoverText(left)
}

// writesHistory reports whether the script has commands that write the history of
// repositories, and may run them. Its text is the one with the current digest.
func (c *Call) writesHistory() bool {
	may := c.provider.opt.Scripts.History
	if c.err != nil || may == nil || !may() {
		return false
	}
	text, err := c.source()
	return err == nil && gitline.Script(c.Script.Name, text)
}
