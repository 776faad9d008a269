// Package session keeps a conversation in a file, so that a later run continues
// it, however the last one ended.
//
// The file is JSON Lines and only grows: a header, then one line for every
// message as it joined the conversation, and a line with a provider's state
// whenever that changed (the todo list, the names of loaded skills). Results of
// parallel calls are in the order in which the calls ended, each after the
// states that it refers to; they are read in the order of the calls. What
// belongs together is appended by one write. A run that is killed loses at most
// what it was about to write.
//
// Messages of people, models, tools and context providers are kept.
// Instructions and ephemeral messages are not: each run makes its own. The
// package knows nothing of what the states mean.
package session

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"slices"
	"sync"
	"time"

	"skills/internal/agent"
	"skills/internal/jsonlfile"
	"skills/internal/safefile"
)

// Name is the name of the context provider.
const Name = "session"

// Bounds of a session file, in bytes.
const (
	maxFile = 64 << 20
	maxLine = 16 << 20
)

// File is a session file in use, which restores the conversation and keeps what joins it.
type File struct {
	content
	Session *agent.Session // the state of the providers as it was kept
	Warning string         // what was repaired when the file was opened, "" for nothing

	path string

	mu    sync.Mutex
	file  *jsonlfile.File // nil if it is only read
	lead  []any           // what has to be written before anything else
	begun bool            // messages of this run have joined
}

var (
	_ agent.HistoryLoader = (*File)(nil)
	_ agent.Observer      = (*File)(nil)
)

// Open opens a session for a run, or begins one if there is no file. No other
// run can open it until Close, or the end of the process. An incomplete last
// line is removed; see [File.Warning]. Lines go through mask before they are
// written, unless it is nil.
//
// The error is a *jsonlfile.Error, and the file is as it was.
func Open(path string, now func() time.Time, mask func(lines []byte) []byte) (*File, error) {
	f := &File{path: path}
	var err error
	f.file, err = jsonlfile.Open(path, jsonlfile.Options{
		MaxFile: maxFile, MaxLine: maxLine, Mask: mask, Check: f.read,
		Warn: func(message string) { f.Warning = message },
	})
	if err != nil {
		return nil, err
	}
	if f.lines == nil {
		f.lead = []any{record{Type: typeHeader, Version: version, Created: now().UTC().Format(time.RFC3339)}}
	}
	f.lead = append(f.lead, messageLines(f.missing)...)
	return f, nil
}

// Look reads a session without changing it; a missing file is an empty session.
func Look(path string) (*File, error) {
	f := &File{path: path}
	data, err := safefile.Load(path, maxFile, "", "name a regular file, or start another session")
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return f, f.read(bytes.NewReader(data))
}

func (f *File) read(content io.Reader) error {
	data, err := io.ReadAll(io.LimitReader(content, maxFile+1))
	if err != nil {
		return &jsonlfile.Error{Path: f.path, Message: "it cannot be read", Help: "check the permissions", Err: err}
	}
	if len(data) > maxFile {
		text := fmt.Sprintf("it is larger than %d MiB", maxFile>>20)
		return &jsonlfile.Error{Path: f.path, Message: text, Help: "start another session", Err: jsonlfile.ErrFull}
	}
	f.content, err = parse(data)
	if bad := (*jsonlfile.Error)(nil); errors.As(err, &bad) {
		bad.Path = f.path
		return bad
	}
	f.Session = agent.RestoreSession(f.state)
	return nil
}

// Check lets a provider read its state. The error is a *jsonlfile.Error with the line.
func (f *File) Check(key string, read func(*agent.Session) error) error {
	line, found := f.lines[key]
	if !found {
		return nil
	}
	err := read(f.Session)
	if err == nil {
		return nil
	}
	if inner := errors.Unwrap(err); inner != nil { // without what the line says
		err = inner
	}
	return damaged(f.path, line, fmt.Sprintf("the state of %q is damaged: %v", key, plain(err)))
}

// Name is "session".
func (f *File) Name() string { return Name }

// LoadsHistory marks its messages as those of earlier runs.
func (f *File) LoadsHistory() {}

// Invoking adds the conversation so far.
func (f *File) Invoking(context.Context, *agent.Invoking) (agent.Context, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	out := agent.Context{Messages: slices.Clone(f.messages)}
	for i := range out.Messages {
		out.Messages[i].Source = agent.FromHistory
	}
	return out, nil
}

// OnMessages keeps messages, and the states as they are by then.
func (f *File) OnMessages(_ context.Context, session *agent.Session, messages []agent.Message) error {
	return f.keep(session, messages)
}

// Invoked keeps what changed after the last message, unless the run never began.
func (f *File) Invoked(_ context.Context, run *agent.Invoked) error { return f.keep(run.Session, nil) }

// keep appends messages, and before them the states that changed: a list may be newer
// than the conversation, but never lack what that is about.
func (f *File) keep(session *agent.Session, messages []agent.Message) error {
	saved, err := session.Snapshot()
	if err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(messages) == 0 && !f.begun {
		return nil
	}
	var added []any
	for _, key := range slices.Sorted(maps.Keys(saved)) {
		if !bytes.Equal(f.state[key], saved[key]) {
			added = append(added, record{Type: typeState, Key: key, Value: saved[key]})
		}
	}
	if added = append(added, messageLines(messages)...); len(added) == 0 {
		return nil
	}
	if err := f.file.Append(slices.Concat(f.lead, added)...); err != nil {
		return err
	}
	f.lead, f.begun = nil, true
	f.messages = append(f.messages, messages...)
	maps.Copy(f.state, saved)
	return nil
}

// Close releases the file. A new one in which nothing was written is removed.
// The error is a *jsonlfile.Error, also if somebody changed the file.
func (f *File) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.file == nil {
		return nil
	}
	return f.file.Close()
}
