package session

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"skills/internal/agent"
	"skills/internal/safefile"
)

// Name is the name of the context provider.
const Name = "session"

// File is a session file in use. It is the context provider that brings the
// conversation back and keeps what joins it.
type File struct {
	path    string
	session *agent.Session
	warning string
	lines   map[string]int      // where the states stood when it was opened
	mask    func([]byte) []byte // see [File.Mask]

	mu       sync.Mutex
	file     *os.File     // nil where it is only looked at
	sync     func() error // of file: waits until it is on the disk
	size     int64
	fresh    bool  // nothing stands in it yet
	created  bool  // it was not there before
	lead     []any // what has to be written before anything else
	bare     bool  // the last line needs its end first
	begun    bool  // messages of this run have joined
	messages []agent.Message
	kept     map[string]string // the states as they stand in the file
}

var (
	_ agent.HistoryLoader = (*File)(nil)
	_ agent.Watcher       = (*File)(nil)
	_ agent.StateKeeper   = (*File)(nil)
)

// Warning says what was mended when the file was opened, "" for nothing.
func (f *File) Warning() string { return f.warning }

// Mask has everything that is written from now on go through a function first,
// such as one that takes keys out of it. It is given whole lines of JSON, and
// has to return as many.
func (f *File) Mask(mask func(lines []byte) []byte) { f.mask = mask }

// Session is the state of the providers as it was kept.
func (f *File) Session() *agent.Session { return f.session }

// Check reads the state of a provider, by the provider's own means, where the
// file holds one. What cannot be read is an *Error that names the line.
func (f *File) Check(key string, read func(*agent.Session) error) error {
	line, there := f.lines[key]
	if !there {
		return nil
	}
	err := read(f.session)
	if err == nil {
		return nil
	}
	if inner := errors.Unwrap(err); inner != nil { // without what the line says
		err = inner
	}
	bad := damaged(line, fmt.Sprintf("the state of %q is damaged: %v", key, plain(err)))
	bad.Path = f.path
	return bad
}

// Name is "session".
func (f *File) Name() string { return Name }

// StateKeys is empty: it keeps what others have in the session.
func (f *File) StateKeys() []string { return nil }

// LoadsHistory makes it the one whose messages are those of earlier runs.
func (f *File) LoadsHistory() {}

// Invoking adds the conversation so far.
func (f *File) Invoking(context.Context, *agent.Invoking) (agent.Context, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	out := agent.Context{Messages: make([]agent.Message, len(f.messages))}
	for i, m := range f.messages {
		m.Source = agent.FromHistory
		out.Messages[i] = m
	}
	return out, nil
}

// Added keeps messages, and the states as they are by then.
func (f *File) Added(_ context.Context, session *agent.Session, messages []agent.Message) error {
	return f.keep(session, messages)
}

// Invoked keeps what changed after the last message. A run that never began
// leaves the file as it was.
func (f *File) Invoked(_ context.Context, run *agent.Invoked) error {
	f.mu.Lock()
	begun := f.begun
	f.mu.Unlock()
	if !begun {
		return nil
	}
	return f.keep(run.Session, nil)
}

// Close lets others have the file. One that is new and in which nothing was
// written is taken away again.
func (f *File) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.file == nil {
		return nil
	}
	if f.fresh && f.created {
		path := f.path
		if real, err := filepath.EvalSymlinks(path); err == nil {
			path = real // a link to it is the person's
		}
		// While it is locked, so that nobody has begun to use it; Windows takes
		// nothing away that is open.
		if os.Remove(path) != nil {
			defer os.Remove(path)
		}
	}
	err := f.file.Close()
	f.file = nil
	if err != nil {
		return fmt.Errorf("closing %s: %w", f.path, safefile.Reason(err))
	}
	return nil
}

// dir is the folder that the file is in.
func (f *File) dir() string { return filepath.Dir(f.path) }
