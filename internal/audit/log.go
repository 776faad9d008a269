package audit

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"skills/internal/agent"
	"skills/internal/agent/skills"
	"skills/internal/jsonlfile"
)

// Options describe the run that is recorded.
type Options struct {
	RunID string
	Dir   string // where scripts are run
	Now   func() time.Time
	Mask  func(lines []byte) []byte // takes keys out of JSON; nil for none
	Warn  func(message string)      // hears what was wrong with the end of the file; nil hears nothing
	// Script finds the script that a call names, for decisions that are made
	// before its names are looked up; nil finds none.
	Script func(call agent.ToolCall) (run skills.ScriptRun, ok bool)
}

// Log is the record of one run. After an error it records nothing more, so that
// nothing more is run.
type Log struct {
	opt Options

	mu     sync.Mutex
	file   *jsonlfile.File
	err    error
	warned bool                           // of the end of the file
	calls  map[string]agent.ToolCallEvent // without a result yet
	began  map[string]time.Time           // scripts that run
}

var _ skills.Recorder = (*Log)(nil)

// Open opens the file at path, or creates it. What it repairs at the end of the
// file goes to Options.Warn. The error is a *jsonlfile.Error, and the file is as
// it was.
func Open(path string, opt Options) (*Log, error) {
	if opt.Warn == nil {
		opt.Warn = func(string) {}
	}
	file, err := jsonlfile.Open(path, jsonlfile.Options{Shared: true, Torn: isLine, Mask: opt.Mask})
	if err != nil {
		return nil, err
	}
	l := &Log{opt: opt, file: file, calls: map[string]agent.ToolCallEvent{}, began: map[string]time.Time{}}
	if err := l.prepare(path); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return l, nil
}

// prepare refuses a file that is not an audit file, and repairs its end.
func (l *Log) prepare(path string) error {
	head, err := l.file.Read(maxHead)
	if err != nil {
		return err
	}
	if len(head) > 0 && !isLine(head) {
		return &jsonlfile.Error{Path: path, Message: "it is not an audit file, and is left unchanged", Help: "name a new file, or one that --audit wrote", Err: jsonlfile.ErrForeign}
	}
	warning, err := l.file.Repair()
	if l.warned = warning != ""; l.warned {
		l.opt.Warn(warning)
	}
	return err
}

// maxHead is how much of a file shows whether it is an audit file.
const maxHead = 64

// isLine reports whether text begins as one of our lines does, or was cut so
// early that it may be one.
func isLine(text []byte) bool {
	first, _, _ := bytes.Cut(text, []byte("\n"))
	return len(first) > 0 && slices.ContainsFunc([]string{"approval", "script.started", "script.ended"}, func(kind string) bool {
		begin := []byte(`{"type":"` + kind + `","schema_version":`)
		return bytes.HasPrefix(first, begin) || bytes.HasPrefix(begin, first)
	})
}

// Close closes the file. The error is a *jsonlfile.Error, also if somebody
// changed the file.
func (l *Log) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.file.Close()
}

// Decided records a decision on a script.
func (l *Log) Decided(_ context.Context, run skills.ScriptRun, d agent.Decision) error {
	entry := l.entry("approval", run)
	entry.decision = &decision{"denied", d.By, d.Reason}
	if d.Approved {
		entry.Decision = "approved"
	}
	return l.write(entry)
}

// Started records that a script is going to be started.
func (l *Log) Started(_ context.Context, run skills.ScriptRun) error {
	l.mu.Lock()
	l.began[run.CallID] = l.opt.Now()
	l.mu.Unlock()
	return l.write(l.entry("script.started", run))
}

// Ended records how a script ended.
func (l *Log) Ended(ctx context.Context, run skills.ScriptRun, result agent.ToolResult, err error) error {
	entry := l.entry("script.ended", run)
	l.mu.Lock()
	took := l.opt.Now().Sub(l.began[run.CallID])
	delete(l.began, run.CallID)
	l.mu.Unlock()
	entry.end = &end{OK: !result.Failed && err == nil, DurationMS: took.Milliseconds(), Bytes: len(result.Text)}
	if p := result.Process; p != nil {
		entry.ExitCode, entry.TimedOut, entry.Sandbox = &p.ExitCode, &p.TimedOut, p.Sandbox
	}
	switch {
	case err != nil:
		entry.Error = err.Error()
	case ctx.Err() != nil:
		entry.Error = "the run was stopped: " + reason(ctx)
	}
	return l.write(entry)
}

// reason says why a run is over.
func reason(ctx context.Context) string {
	switch cause := context.Cause(ctx); {
	case errors.Is(cause, context.DeadlineExceeded):
		return "its time was up"
	case errors.Is(cause, context.Canceled):
		return "it was cancelled"
	default:
		return cause.Error()
	}
}

// Event records decisions that the policy does not make: those of hooks, and of the
// agent itself.
func (l *Log) Event(e agent.Event) error {
	switch e := e.(type) {
	case agent.ToolCallEvent:
		l.mu.Lock()
		l.calls[e.ID] = e
		l.mu.Unlock()
	case agent.ToolResultEvent:
		l.mu.Lock()
		delete(l.calls, e.ID)
		l.mu.Unlock()
	case agent.ToolApproval:
		if e.By != "hook" && e.By != "agent" {
			return nil
		}
		l.mu.Lock()
		call := l.calls[e.ID]
		l.mu.Unlock()
		if e.Arguments != "" {
			call.Arguments = json.RawMessage(e.Arguments)
		}
		entry := l.entry("approval", skills.ScriptRun{CallID: e.ID, Tool: call.Name, Arguments: call.Arguments})
		entry.Cwd = ""
		if run, ok := l.script(call); ok {
			entry = l.entry("approval", run)
		}
		entry.decision = &decision{e.Decision, e.By, e.Reason}
		return l.write(entry)
	}
	return nil
}

// script finds the script that a call is of.
func (l *Log) script(call agent.ToolCallEvent) (skills.ScriptRun, bool) {
	if l.opt.Script == nil {
		return skills.ScriptRun{}, false
	}
	return l.opt.Script(agent.ToolCall{ID: call.ID, Name: call.Name, Arguments: string(call.Arguments)})
}

// entry is a line about a script.
func (l *Log) entry(kind string, run skills.ScriptRun) line {
	out := line{
		Type: kind, SchemaVersion: schemaVersion, Time: l.opt.Now().UTC().Format(time.RFC3339Nano), RunID: l.opt.RunID,
		CallID: run.CallID, Tool: run.Tool, Skill: run.Skill, Script: run.Script,
		Arguments: run.Arguments, Command: slices.Clone(run.Command), Cwd: l.opt.Dir, Digest: run.Digest,
	}
	if !json.Valid(out.Arguments) {
		out.Arguments = nil
	}
	if l.opt.Mask != nil {
		out.Arguments = l.opt.Mask(out.Arguments) // before a key is cut
	}
	if len(out.Arguments) > maxArguments {
		text, _ := json.Marshal(strings.ToValidUTF8(string(out.Arguments[:maxArguments]), "")) // a string always can be
		// The command repeats them.
		out.Arguments, out.Cut, out.Command = text, true, nil
	}
	return out
}

// write appends a line. The first error stays.
func (l *Log) write(entry line) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err != nil {
		return l.err
	}
	warning, err := l.file.Append(entry)
	if warning != "" && !l.warned {
		l.warned = true
		l.opt.Warn(warning)
	}
	if err != nil {
		l.err = fmt.Errorf("recording %s: %w", entry.Type, err)
	}
	return l.err
}
