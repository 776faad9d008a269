package session

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"skills/internal/agent"
	"skills/internal/safefile"
)

// keep appends messages, and before them the states that have changed: a list
// that is newer than the conversation is better than a conversation that speaks
// of what is not on the list.
func (f *File) keep(session *agent.Session, messages []agent.Message) error {
	saved, err := session.Snapshot()
	if err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	var records []any
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
	if len(records) == 0 {
		return nil
	}
	if err := f.write(append(slices.Clone(f.lead), records...)); err != nil {
		return err
	}
	f.lead = nil
	f.messages, f.begun = append(f.messages, messages...), f.begun || len(messages) > 0
	maps.Copy(f.kept, states)
	return nil
}

// write appends records by one write and waits until they are on the disk. After
// an error the file is as it was.
func (f *File) write(records []any) error {
	if f.file == nil {
		return &Error{Path: f.path, Text: "it is not open for writing", Help: "open it again"}
	}
	data, err := encode(records)
	if f.mask != nil {
		data = f.mask(data)
	}
	if f.bare {
		data = append([]byte("\n"), data...)
	}
	if err == nil && f.size+int64(len(data)) > maxFile {
		err = fmt.Errorf("%w: it would become larger than %d MiB", ErrFull, maxFile>>20)
	}
	if errors.Is(err, ErrFull) {
		return &Error{Path: f.path, Text: err.Error(), Help: "what it holds is whole; start another session", Err: ErrFull}
	}
	if err != nil {
		return err
	}
	// At a place that is known rather than at the end, so that what failed half
	// can be taken back.
	_, err = f.file.WriteAt(data, f.size)
	if err == nil {
		err = f.sync()
	}
	if err != nil {
		f.file.Truncate(f.size)
		return &Error{Path: f.path, Text: fmt.Sprintf("it cannot be written: %v", safefile.Reason(err)), Help: "what it holds is whole; make room, and go on with the same --session", Err: err}
	}
	if f.fresh {
		syncFolder(f.dir())
	}
	f.size += int64(len(data))
	f.bare, f.fresh = false, false
	return nil
}
