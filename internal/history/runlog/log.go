// Package runlog records which scripts were run and who approved them, as JSON
// Lines in an append-only file.
//
// A decision is recorded before it takes effect, and a script before it starts;
// if recording fails, the script is not run. The record is therefore complete
// even if the process is killed: a script without an end was running at that
// time. Several runs may append to one file.
package runlog

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"skills/internal/agent"
	"skills/internal/fault"
	"skills/internal/history/jsonl"
	"skills/internal/printable"
)

// Options describes the recorded run.
type Options struct {
	RunID string
	Dir   string // working directory of scripts
	Now   func() time.Time
	Mask  func(lines []byte) []byte // masks keys in JSON; may be nil
	Warn  func(message string)      // receives problems at the end of the file; may be nil
}

// Log records one run. After an error nothing more is recorded or run.
type Log struct {
	opt Options

	mu    sync.Mutex
	file  *jsonl.File
	err   error
	began map[string]time.Time // running scripts
}

// Open opens or creates the file at path. Repairs at the end of the file are
// reported to Options.Warn. On error, a *fault.Error, the file is
// unchanged.
func Open(path string, opt Options) (*Log, error) {
	check := func(content io.Reader) error {
		head := make([]byte, maxHead)
		n, _ := io.ReadFull(content, head) // a read error recurs when writing
		if n == 0 || isLine(head[:n]) {
			return nil
		}
		const text, help = "it is not an audit file, and is left unchanged", "name a new file, or one that --audit wrote"
		return &fault.Error{Path: path, Message: text, Hint: help, Err: jsonl.ErrForeign}
	}
	file, err := jsonl.Open(path, jsonl.Options{Shared: true, Check: check, Mask: opt.Mask, Warn: opt.Warn})
	if err != nil {
		return nil, err
	}
	return &Log{opt: opt, file: file, began: map[string]time.Time{}}, nil
}

// maxHead is how many bytes are read to recognise an audit file.
const maxHead = 64

// isLine reports whether text is the start of an audit line, possibly
// truncated.
func isLine(text []byte) bool {
	return slices.ContainsFunc([]string{"approval", "script.started", "script.ended", "script.left", "hook", "hook.record"}, func(kind string) bool {
		begin := []byte(`{"type":"` + kind + `","schema_version":`)
		return bytes.HasPrefix(text, begin) || bytes.HasPrefix(begin, text)
	})
}

// Close closes the file. The error is a *fault.Error, also if another
// process changed the file.
func (l *Log) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.file.Close()
}

// Decided records the decision on a script.
func (l *Log) Decided(_ context.Context, call agent.ToolCall, action agent.Summary, d agent.Decision) error {
	entry := l.entry("approval", call, action)
	entry.Decision, entry.By, entry.Reason = "denied", d.By, d.Reason
	switch {
	case d.Approved:
		entry.Decision = "approved"
	case d.Waiting != nil:
		entry.Decision = "waiting"
	}
	return l.write(entry)
}

// Started records that a script is about to start.
func (l *Log) Started(_ context.Context, call agent.ToolCall, action agent.Summary) error {
	l.mu.Lock()
	l.began[call.ID] = l.opt.Now()
	l.mu.Unlock()
	return l.write(l.entry("script.started", call, action))
}

// Ended records the result of a script.
func (l *Log) Ended(ctx context.Context, call agent.ToolCall, action agent.Summary, result agent.ToolResult, err error) error {
	entry := l.entry("script.ended", call, action)
	l.mu.Lock()
	took := l.opt.Now().Sub(l.began[call.ID])
	delete(l.began, call.ID)
	l.mu.Unlock()
	entry.end = &end{OK: !result.Failed && err == nil, Process: result.Process, DurationMS: took.Milliseconds(), Bytes: len(result.Text)}
	switch cause := context.Cause(ctx); {
	case err != nil:
		entry.Error = err.Error()
	case errors.Is(cause, context.DeadlineExceeded):
		entry.Error = "the run was stopped: time limit reached"
	case cause != nil:
		entry.Error = "the run was stopped: " + cause.Error()
	}
	return l.write(entry)
}

// Left records protected names that appeared or changed while a script ran.
func (l *Log) Left(_ context.Context, call agent.ToolCall, action agent.Summary, names []string) error {
	entry := l.entry("script.left", call, agent.Summary{Kind: action.Kind, Owner: action.Owner, Name: action.Name})
	entry.Left = names[:min(len(names), maxLeft)]
	return l.write(entry)
}

// maxLeft is how many names a line has.
const maxLeft = 1000

// Event records decisions of hooks and of the agent, which the policy does not
// see, and what hooks changed.
func (l *Log) Event(e agent.Event) error {
	if changed, ok := e.(agent.HookEvent); ok {
		return l.write(l.changed(changed))
	}
	made, ok := e.(agent.ToolApproval)
	if !ok || made.By != "hook" && made.By != "agent" {
		return nil
	}
	entry := l.entry("approval", agent.ToolCall{ID: made.ID, Name: made.Tool}, made.Action)
	if made.Action.Kind != agent.KindScript {
		entry.Cwd = ""
	}
	entry.Decision, entry.By, entry.Reason = made.Decision, made.By, made.Reason
	return l.write(entry)
}

// Interception records what programs of the user's decided at a point of agent-hooks.
func (l *Log) Interception(point string, record any) {
	text, err := json.Marshal(record)
	if err != nil {
		return
	}
	entry := l.entry("hook.record", agent.ToolCall{}, agent.Summary{})
	entry.Cwd, entry.Record = "", text
	_ = l.write(entry) // the error is permanent: no script runs any more
}

// changed returns the line about what a hook changed.
func (l *Log) changed(e agent.HookEvent) line {
	entry := l.entry("hook", agent.ToolCall{ID: e.ID}, agent.Summary{})
	entry.Cwd = ""
	entry.change = &change{Hook: e.Hook, On: e.On, Change: e.Change}
	short := func(text string) string {
		if l.opt.Mask != nil { // before a key is truncated
			masked, text2 := l.opt.Mask([]byte(printable.JSONText(text))), ""
			if json.Unmarshal(masked, &text2) == nil {
				text = text2
			}
		}
		if len(text) <= maxArguments {
			return text
		}
		entry.change.Cut = true
		return strings.ToValidUTF8(text[:maxArguments], "")
	}
	entry.change.Before, entry.change.After = short(e.Before), short(e.After)
	return entry
}

func (l *Log) entry(kind string, call agent.ToolCall, action agent.Summary) line {
	out := line{
		Type: kind, SchemaVersion: schemaVersion, Time: l.opt.Now().UTC().Format(time.RFC3339Nano), RunID: l.opt.RunID,
		subject: subject{
			CallID: call.ID, Tool: call.Name, Arguments: action.Arguments, Command: slices.Clone(action.Command),
			Cwd: l.opt.Dir, Digest: action.Digest, Files: action.Files, Grants: action.Grants,
		},
	}
	if action.Kind == agent.KindScript {
		out.Skill, out.Script = action.Owner, action.Name
	}
	if !json.Valid(out.Arguments) {
		out.Arguments = nil
	}
	if l.opt.Mask != nil {
		out.Arguments = l.opt.Mask(out.Arguments) // before a key is truncated
	}
	if len(out.Arguments) > maxArguments {
		text, _ := json.Marshal(strings.ToValidUTF8(string(out.Arguments[:maxArguments]), "")) // a string always encodes
		// The command contains them too.
		out.Arguments, out.ArgumentsCut, out.Command = text, true, nil
	}
	return out
}

// write appends a line. The first error is permanent.
func (l *Log) write(entry line) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err != nil {
		return l.err
	}
	if err := l.file.Append(entry); err != nil {
		l.err = fmt.Errorf("recording %s: %w", entry.Type, err)
	}
	return l.err
}

// schemaVersion is the version of the lines below.
const schemaVersion = 1

// maxArguments is how many bytes of a call's arguments are recorded.
const maxArguments = 64 << 10

// line is one entry. Its fields depend on its type.
type line struct {
	Type          string `json:"type"` // approval, script.started, script.ended, script.left, hook
	SchemaVersion int    `json:"schema_version"`
	Time          string `json:"time"`
	RunID         string `json:"run_id"`

	subject
	decision

	Left []string `json:"left,omitempty"` // names that are new, changed or removed

	*change
	Record json.RawMessage `json:"record,omitempty"` // of agent-hooks, see docs/hooks.md

	*end
}

// subject is what an entry is about: a call, and the script that it runs.
type subject struct {
	CallID       string          `json:"call_id"`
	Tool         string          `json:"tool"`
	Skill        string          `json:"skill,omitempty"`
	Script       string          `json:"script,omitempty"`
	Arguments    json.RawMessage `json:"arguments,omitempty"`
	ArgumentsCut bool            `json:"arguments_cut,omitempty"` // arguments is then a truncated string
	Command      []string        `json:"command,omitempty"`
	Cwd          string          `json:"cwd,omitempty"`
	Digest       string          `json:"digest,omitempty"` // SHA-256 of the script's file
	Files        string          `json:"files,omitempty"`  // SHA-256 over all files of its skill
	Grants       []string        `json:"grants,omitempty"` // what it is allowed besides
}

type decision struct {
	Decision string `json:"decision,omitempty"` // approved, denied or waiting
	By       string `json:"by,omitempty"`       // user, flag, policy, hook, agent, error, or nobody if the run ended or the terminal was closed first
	Reason   string `json:"reason,omitempty"`
}

// change is what a hook changed.
type change struct {
	Hook   string `json:"hook"`
	On     string `json:"on"` // before, after, before-model, after-model or output
	Change string `json:"change"`
	Before string `json:"before"`
	After  string `json:"after"`
	Cut    bool   `json:"cut,omitempty"` // before or after is not complete
}

type end struct {
	OK bool `json:"ok"`
	*agent.Process
	DurationMS int64  `json:"duration_ms"`
	Bytes      int    `json:"bytes"` // of the output for the model
	Error      string `json:"error,omitempty"`
}
