// Package history stores a conversation in a file, so that a later run can
// continue it, even after a crash.
//
// The file is append-only JSON Lines: a header, then one line for every message
// when it is added to the conversation, and a line with a provider's state
// whenever that changes (the todo list, the names of loaded skills). Results of
// parallel calls are in the order in which the calls ended, each after the
// states it depends on; reading restores the order of the calls. Related lines
// are appended by one write. A killed run loses at most what it was about to
// write: states whose result is missing are undone when the file is read.
//
// Messages of users, models, tools and context providers are stored.
// Instructions and ephemeral messages are not: each run creates its own.
package history

import (
	"bytes"
	"cmp"
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
	"skills/internal/fault"
	"skills/internal/files"
	"skills/internal/history/jsonl"
)

// Name is the name of the context provider.
const Name = "session"

// agentName names the agent as the origin of messages without a provider.
const agentName = "agent"

// Limits of a session file, in bytes.
const (
	maxFile = 64 << 20
	maxLine = 16 << 20
)

// File is an open session file, which restores the conversation and stores new
// messages.
type File struct {
	content
	Session *agent.Session // restored state of the providers
	Warning string         // repairs made when the file was opened, or ""

	mu    sync.Mutex
	file  *jsonl.File // nil if read-only
	lead  []any       // records to write before anything else
	begun bool        // messages of this run have been added, or are continued
}

var (
	_ agent.HistoryLoader = (*File)(nil)
	_ agent.Observer      = (*File)(nil)
)

// Open opens a session for a run, or starts one if the file is missing. No
// other run can open it until Close, or the end of the process. An incomplete
// last line is removed; see [File.Warning]. Lines are passed through mask
// before they are written, unless it is nil.
//
// On error, a *fault.Error, the file is unchanged.
func Open(path string, now func() time.Time, mask func(lines []byte) []byte) (*File, error) {
	f := &File{content: content{path: path}}
	var err error
	f.file, err = jsonl.Open(path, jsonl.Options{
		MaxFile: maxFile, MaxLine: maxLine, Mask: mask, Check: f.read,
		Warn: func(message string) { f.Warning = message },
	})
	if err != nil {
		return nil, err
	}
	if f.lines == nil {
		f.lead = []any{record{Type: typeHeader, SchemaVersion: version, Created: now().UTC().Format(time.RFC3339)}}
	}
	f.lead = slices.Concat(f.lead, f.undone, messageLines(f.missing))
	return f, nil
}

// Read reads a session without changing it; a missing file is an empty session.
func Read(path string) (*File, error) {
	f := &File{content: content{path: path}}
	data, err := files.Load(path, maxFile, "", "name a regular file, or start another session")
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return f, f.read(bytes.NewReader(data))
}

func (f *File) read(content io.Reader) error {
	data, err := io.ReadAll(io.LimitReader(content, maxFile+1))
	switch {
	case err != nil:
		return &fault.Error{Path: f.path, Message: "it cannot be read", Hint: "check the permissions", Err: err}
	case len(data) > maxFile:
		text := fmt.Sprintf("it is larger than %d MiB", maxFile>>20)
		return &fault.Error{Path: f.path, Message: text, Hint: "start another session", Err: jsonl.ErrFull}
	}
	f.content, err = parse(f.path, data)
	f.Session = agent.RestoreSession(f.state)
	f.begun = len(f.open) > 0 // a call waits: the run that continues has begun
	return err
}

// Check calls read to validate a provider's state. The error is a
// *fault.Error with the line.
func (f *File) Check(key string, read func(*agent.Session) error) error {
	line, found := f.lines[key]
	if !found {
		return nil
	}
	err := read(f.Session)
	if err == nil {
		return nil
	}
	if inner := errors.Unwrap(err); inner != nil { // without the content of the line
		err = inner
	}
	return f.damaged(line, "the state of %q is damaged: %v", key, plain(err))
}

// Waiting returns the call that waits for an approval, and how many come after it.
func (f *File) Waiting() (w agent.Waiting, more int, ok bool) {
	if len(f.open) == 0 || !f.waits() {
		return w, 0, false
	}
	return agent.WaitingCalls(f.Session)[0], len(f.open) - 1, true
}

// Save appends the states that have changed, outside of a run.
func (f *File) Save(ctx context.Context) error {
	f.mu.Lock()
	f.begun = true
	f.mu.Unlock()
	return f.OnMessages(ctx, f.Session, nil)
}

// Count returns the number of messages in the file when it was opened.
func (f *File) Count() int { return len(f.messages) }

// Name is "session".
func (f *File) Name() string { return Name }

// LoadsHistory implements [agent.HistoryLoader].
func (f *File) LoadsHistory() {}

// Invoking adds the conversation so far.
func (f *File) Invoking(context.Context, *agent.Invoking) (agent.Context, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	out := agent.Context{Messages: slices.Clone(f.messages)}
	for i, m := range out.Messages {
		if m.Source == agent.FromContext {
			out.Messages[i].Provider = cmp.Or(m.Provider, agentName) // otherwise its text would be the user's
		}
		out.Messages[i].Source = agent.FromHistory
	}
	return out, nil
}

// Invoked stores changes after the last message, unless the run never began.
func (f *File) Invoked(ctx context.Context, run *agent.Invoked) error {
	return f.OnMessages(ctx, run.Session, nil)
}

// OnMessages appends changed states and then messages: a list may be newer than
// the conversation, but must not be older.
func (f *File) OnMessages(_ context.Context, session *agent.Session, messages []agent.Message) error {
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
	added = append(added, messageLines(messages)...)
	if len(added) == 0 {
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

// Close closes the file and removes a new one that is empty. The error is a
// *fault.Error, also if another process changed the file.
func (f *File) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.file == nil {
		return nil
	}
	return f.file.Close()
}
