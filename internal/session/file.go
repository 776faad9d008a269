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

// File is a session file in use. It is the context provider that restores the
// conversation and keeps what joins it.
type File struct {
	path    string
	session *agent.Session
	warning string
	lines   map[string]int // where the states were when it was opened

	mu       sync.Mutex
	file     *jsonlfile.File // nil if it is only read
	lead     []any           // what has to be written before anything else
	begun    bool            // messages of this run have joined
	messages []agent.Message
	kept     map[string]string // the states as they are in the file
}

var (
	_ agent.HistoryLoader = (*File)(nil)
	_ agent.Observer      = (*File)(nil)
	_ agent.StateKeeper   = (*File)(nil)
)

// Open opens a session for a run, or begins one if there is no file. No other
// run can open it until Close, or the end of the process. An incomplete last
// line is removed; see [File.Warning]. Lines go through mask before they are
// written, unless it is nil.
//
// The error is a *jsonlfile.Error, and the file is as it was.
func Open(path string, now func() time.Time, mask func(lines []byte) []byte) (*File, error) {
	file, err := jsonlfile.Open(path, jsonlfile.Options{MaxFile: maxFile, MaxLine: maxLine, Mask: mask})
	if err != nil {
		return nil, err
	}
	f, err := prepare(path, file, now)
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return f, nil
}

func prepare(path string, file *jsonlfile.File, now func() time.Time) (*File, error) {
	data, err := file.Read(maxFile + 1)
	if err != nil {
		return nil, err
	}
	f, missing, err := load(path, data)
	if err != nil {
		return nil, err
	}
	if f.warning, err = file.Repair(); err != nil {
		return nil, err
	}
	if f.file = file; f.lines == nil {
		f.lead = []any{header{typeHeader, version, now().UTC().Format(time.RFC3339)}}
	}
	for _, m := range missing {
		f.lead = append(f.lead, messageLine{typeMessage, m})
	}
	return f, nil
}

// Look reads a session without changing it; a missing file is an empty session.
// What it returns keeps nothing.
func Look(path string) (*File, error) {
	data, err := safefile.ReadRegular(path, maxFile)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return &File{path: path, session: agent.NewSession()}, nil
	case errors.Is(err, safefile.ErrTooLarge):
		data = make([]byte, maxFile+1)
	case errors.Is(err, safefile.ErrIrregular):
		return nil, &jsonlfile.Error{Path: path, Message: "it is not a regular file", Help: "name a regular file", Err: jsonlfile.ErrForeign}
	case err != nil:
		return nil, &jsonlfile.Error{Path: path, Message: fmt.Sprintf("it cannot be opened: %v", safefile.Reason(err)), Help: "check the permissions", Err: err}
	}
	f, _, err := load(path, data)
	return f, err
}

// load reads the content of a file. missing are messages that have to be
// appended to it; lines is nil in the result if not even the header is there.
func load(path string, data []byte) (f *File, missing []agent.Message, err error) {
	if len(data) > maxFile {
		return nil, nil, &jsonlfile.Error{Path: path, Message: fmt.Sprintf("it is larger than %d MiB", maxFile>>20), Help: "start another session", Err: jsonlfile.ErrFull}
	}
	c, err := parse(data)
	if bad := (*jsonlfile.Error)(nil); errors.As(err, &bad) {
		bad.Path = path
		return nil, nil, bad
	}
	f = &File{path: path, session: agent.RestoreSession(c.state), messages: c.messages, lines: c.lines, kept: map[string]string{}}
	for key, raw := range c.state {
		f.kept[key] = string(raw)
	}
	return f, c.missing, nil
}

// Warning says what was repaired when the file was opened, "" for nothing.
func (f *File) Warning() string { return f.warning }

// Session is the state of the providers as it was kept.
func (f *File) Session() *agent.Session { return f.session }

// Check lets a provider read its state, if the file has one. The error is a
// *jsonlfile.Error that names the line.
func (f *File) Check(key string, read func(*agent.Session) error) error {
	line, found := f.lines[key]
	if !found {
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

// Added keeps messages, and the states as they are by then.
func (f *File) OnMessages(_ context.Context, session *agent.Session, messages []agent.Message) error {
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

// keep appends messages, and before them the states that changed: a list that
// is newer than the conversation is better than a conversation about items that
// are not on the list.
func (f *File) keep(session *agent.Session, messages []agent.Message) error {
	saved, err := session.Snapshot()
	if err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	records := slices.Clone(f.lead)
	states := map[string]string{}
	for _, key := range slices.Sorted(maps.Keys(saved)) {
		if value := string(saved[key]); f.kept[key] != value {
			states[key] = value
			records = append(records, stateLine{typeState, key, saved[key]})
		}
	}
	for _, m := range messages {
		records = append(records, messageLine{typeMessage, m})
	}
	switch {
	case len(states)+len(messages) == 0:
		return nil
	case f.file == nil:
		return &jsonlfile.Error{Path: f.path, Message: "it is not open for writing", Help: "open it again", Err: io.ErrClosedPipe}
	}
	if _, err := f.file.Append(records...); err != nil {
		return err
	}
	f.lead = nil
	f.messages, f.begun = append(f.messages, messages...), f.begun || len(messages) > 0
	maps.Copy(f.kept, states)
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
	err := f.file.Close()
	f.file = nil
	return err
}
