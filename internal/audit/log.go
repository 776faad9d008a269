// Package audit keeps the record of which scripts were run and who decided that
// they may: JSON Lines in a file that only ever grows.
//
// A decision is recorded before it takes effect, and a script before it starts;
// what cannot be recorded is not done. So the record is whole whatever becomes
// of the run: a script that was started and has no end in it was running when
// the process ended. Several runs may write to one file.
package audit

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

// Log is the record of one run. After an error nothing more is recorded, or run.
type Log struct {
	opt Options

	mu    sync.Mutex
	file  *jsonlfile.File
	err   error
	began map[string]time.Time // scripts that run
}

// Open opens the file at path, or creates it. What it repairs at the end of the
// file goes to Options.Warn. The error is a *jsonlfile.Error, and the file is as
// it was.
func Open(path string, opt Options) (*Log, error) {
	check := func(content io.Reader) error {
		head := make([]byte, maxHead)
		n, _ := io.ReadFull(content, head) // an error stays for the write
		if n == 0 || isLine(head[:n]) {
			return nil
		}
		const text, help = "it is not an audit file, and is left unchanged", "name a new file, or one that --audit wrote"
		return &jsonlfile.Error{Path: path, Message: text, Help: help, Err: jsonlfile.ErrForeign}
	}
	file, err := jsonlfile.Open(path, jsonlfile.Options{Shared: true, Check: check, Mask: opt.Mask, Warn: opt.Warn})
	if err != nil {
		return nil, err
	}
	return &Log{opt: opt, file: file, began: map[string]time.Time{}}, nil
}

// maxHead is how much of a file shows whether it is an audit file.
const maxHead = 64

// isLine reports whether text begins as one of our lines, or is cut before that shows.
func isLine(text []byte) bool {
	return slices.ContainsFunc([]string{"approval", "script.started", "script.ended"}, func(kind string) bool {
		begin := []byte(`{"type":"` + kind + `","schema_version":`)
		return bytes.HasPrefix(text, begin) || bytes.HasPrefix(begin, text)
	})
}

// Close closes the file. The error is a *jsonlfile.Error, also if somebody changed it.
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
	entry.end = &end{OK: !result.Failed && err == nil, Process: result.Process, DurationMS: took.Milliseconds(), Bytes: len(result.Text)}
	switch cause := context.Cause(ctx); {
	case err != nil:
		entry.Error = err.Error()
	case errors.Is(cause, context.DeadlineExceeded):
		entry.Error = "the run was stopped: its time was up"
	case cause != nil:
		entry.Error = "the run was stopped: " + cause.Error()
	}
	return l.write(entry)
}

// Event records decisions of hooks and of the agent, which the policy does not make.
func (l *Log) Event(e agent.Event) error {
	made, ok := e.(agent.ToolApproval)
	if !ok || made.By != "hook" && made.By != "agent" {
		return nil
	}
	entry := l.entry("approval", skills.ScriptRun{CallID: made.ID, Tool: made.Tool, Arguments: json.RawMessage(made.Arguments)})
	entry.Cwd = ""
	if l.opt.Script != nil {
		if run, ok := l.opt.Script(agent.ToolCall{ID: made.ID, Name: made.Tool, Arguments: made.Arguments}); ok {
			entry = l.entry("approval", run)
		}
	}
	entry.decision = &decision{made.Decision, made.By, made.Reason}
	return l.write(entry)
}

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
	if err := l.file.Append(entry); err != nil {
		l.err = fmt.Errorf("recording %s: %w", entry.Type, err)
	}
	return l.err
}

// schemaVersion is the version of the lines below.
const schemaVersion = 1

// maxArguments is how many bytes of a call's arguments are recorded.
const maxArguments = 64 << 10

// line is one entry. Which fields it has depends on its type.
type line struct {
	Type          string `json:"type"` // approval, script.started, script.ended
	SchemaVersion int    `json:"schema_version"`
	Time          string `json:"time"`
	RunID         string `json:"run_id"`

	CallID    string          `json:"call_id"`
	Tool      string          `json:"tool"`
	Skill     string          `json:"skill,omitempty"`
	Script    string          `json:"script,omitempty"`
	Arguments json.RawMessage `json:"arguments,omitempty"`
	Cut       bool            `json:"arguments_cut,omitempty"` // arguments are text then, the beginning of what there was
	Command   []string        `json:"command,omitempty"`
	Cwd       string          `json:"cwd,omitempty"`
	Digest    string          `json:"digest,omitempty"` // SHA-256 of the script's file

	*decision
	*end
}

type decision struct {
	Decision string `json:"decision"` // approved or denied
	By       string `json:"by"`       // user, flag, policy, hook, agent, error, or nobody where the run ended before
	Reason   string `json:"reason,omitempty"`
}

type end struct {
	OK bool `json:"ok"`
	*agent.Process
	DurationMS int64  `json:"duration_ms"`
	Bytes      int    `json:"bytes"` // of the output for the model
	Error      string `json:"error,omitempty"`
}
