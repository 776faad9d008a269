package run

// The files that a run writes or plays: the session, the log of approvals and scripts, and
// the recording. Each is opened and checked before anything is sent, and no two flags may
// name the same file.

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"
	"syscall"
	"time"

	"skills/internal/agent"
	"skills/internal/agent/replay"
	"skills/internal/agent/skills"
	"skills/internal/approve"
	"skills/internal/builtin"
	"skills/internal/fault"
	"skills/internal/files"
	"skills/internal/history"
	"skills/internal/history/runlog"
	"skills/internal/printable"
	"skills/internal/redact"
	"skills/internal/script"
	"skills/internal/todo"
)

// openSession opens the file of --session; a preview only reads it. The provider of its
// history is nil without one. It must be closed.
func openSession(env Env, o Options, mask *redact.Masker) (*history.File, error) {
	if o.Files.Session == "" {
		return nil, nil
	}
	path := env.absolute(o.Files.Session)
	err := o.Files.distinct(env, "--session", o.Files.Session)
	if err != nil {
		return nil, err
	}
	var file *history.File
	if o.Preview {
		file, err = history.Read(path)
	} else {
		file, err = history.Open(path, time.Now, mask.JSON)
	}
	if err != nil {
		return nil, fault.AsUsage(fmt.Errorf("--session: %w", err))
	}
	if warning := file.Warning; warning != "" {
		env.Warn("--session: %s", warning)
	}
	// A new state would silently overwrite one that is unreadable.
	if !o.Todo.Off {
		err = file.Check(todo.Name, func(s *agent.Session) error { _, err := todo.Items(s); return err })
	}
	if err == nil {
		err = file.Check(skills.Name, func(s *agent.Session) error { _, err := skills.Loaded(s); return err })
	}
	if err == nil {
		err = file.Check(agent.ServerState, agent.CheckServerState)
	}
	if err == nil {
		err = file.Check(agent.WaitingState, agent.CheckWaiting)
	}
	if err == nil {
		err = file.Check(approve.SessionState, func(s *agent.Session) error { _, err := approve.SessionAnswers(s); return err })
	}
	if err != nil {
		return file, fault.AsUsage(fmt.Errorf("--session: %w", err))
	}
	return file, nil
}

// continued describes a session with messages: file, messages, open todos; it is "" for a
// new one.
func continued(o Options, file *history.File) (string, error) {
	n := file.Count()
	if n == 0 {
		return "", nil
	}
	text := o.Files.Session + ": " + printable.Plural(n, "message")
	if o.Todo.Off {
		return text, nil
	}
	open, err := todo.Remaining(file.Session)
	if len(open) > 0 {
		text += ", " + printable.Plural(len(open), "todo") + " open"
	}
	return text, err
}

// distinct returns an error if another flag names the same file, possibly through a link.
func (f Files) distinct(env Env, flag, path string) error {
	mine := env.absolute(path)
	info, _ := os.Stat(mine)
	for _, other := range [][2]string{{"--session", f.Session}, {"--record", f.Record}, {"--replay", f.Replay}, {"--audit", f.Audit}, {"--history", f.History}} {
		if other[0] == flag || other[1] == "" {
			continue
		}
		theirs := env.absolute(other[1])
		found, err := os.Stat(theirs)
		same := err == nil && info != nil && os.SameFile(info, found)
		if theirs == mine || same {
			return fault.Usage("name two files", "%s and %s name the same file", flag, other[0])
		}
	}
	return nil
}

// openAudit opens the file of --audit; nil without one, or for a preview.
func openAudit(env Env, o Options, runID string, mask *redact.Masker) (*runlog.Log, error) {
	if o.Files.Audit == "" || o.Preview {
		return nil, nil
	}
	// The session's file exists by now, so a link to it is detected.
	err := o.Files.distinct(env, "--audit", o.Files.Audit)
	if err != nil {
		return nil, err
	}
	log, err := runlog.Open(env.absolute(o.Files.Audit), runlog.Options{
		RunID: runID, Dir: env.Dir, Now: time.Now, Mask: mask.JSON,
		Warn: func(message string) { env.Warn("--audit: %s", message) },
	})
	if err != nil {
		return nil, fault.AsUsage(fmt.Errorf("--audit: %w", err))
	}
	return log, nil
}

// recording is the file of --record, and what a run leaves there. The zero value records
// nothing.
type recording struct {
	name     string
	target   *files.Target // nil if nothing is recorded
	recorder *replay.Recorder
	text     *bytes.Buffer // what the recorder wrote
}

// openRecording fixes the location of the recording before scripts run, and rejects a
// file that is not writable or has other content, because the run costs money.
func openRecording(env Env, o Options) (r recording, err error) {
	if o.Files.Record == "" || o.Preview {
		return recording{}, nil
	}
	r.name = o.Files.Record
	// The other files exist by now, so links to them are detected.
	err = o.Files.distinct(env, "--record", r.name)
	if err != nil {
		return r, err
	}
	r.target, err = files.OpenTarget(env.absolute(r.name), 0o600)
	if err != nil {
		hint := "check that the folder exists, and its permissions"
		if errors.Is(err, files.ErrDangling) {
			hint = "name the file itself, or create it"
		}
		return r, fault.Usage(hint, "--record: %s cannot be written: %w", r.name, err)
	}
	file, err := r.target.Open()
	if err != nil {
		return r, fault.Usage("check its permissions", "--record: %s cannot be read: %w", r.name, err)
	}
	if file == nil { // there was none
		return r, nil
	}
	defer file.Close()
	if !replay.IsRecording(file) {
		return r, fault.Usage("name a new file, or one that --record wrote", "--record: %s is not a recording, and is left unchanged", r.name)
	}
	return r, nil
}

// transport returns the transport that records. Its text is kept in memory, so that only a
// complete recording replaces an earlier one.
func (r *recording) transport(hide []replay.Placeholder) http.RoundTripper {
	r.text = &bytes.Buffer{}
	r.recorder = replay.NewRecorder(nil, r.text, hide)
	return r.recorder
}

// write atomically writes the recording unless it is empty. That of an unfinished run
// does not replace an existing recording.
func (r *recording) write(ctx context.Context, env Env, mask *redact.Masker, result agent.Result) error {
	if r.recorder == nil || r.text.Len() == 0 {
		return nil
	}
	// Whether playing the recording leads to the same end.
	limited := result.Status == agent.LimitHit && result.Limit != agent.LimitTime
	if result.Status != agent.Completed && !limited && r.target.HadText() {
		env.Warn("--record: the run did not finish, so %s is unchanged", r.name)
		return nil
	}
	err := r.recorder.Err()
	if err == nil {
		err = r.target.Write(ctx, mask.JSON(r.text.Bytes()))
	}
	if err != nil {
		return fault.AsFailed(recordHint(err), fmt.Errorf("--record: %w", err))
	}
	return nil
}

// recordHint returns the hint for a recording that was not written.
func recordHint(err error) string {
	switch {
	case errors.Is(err, replay.ErrTooLarge):
		return "the run itself succeeded; record a shorter one"
	case errors.Is(err, files.ErrUnread):
		return "read the pipe during the run, or name a file"
	case errors.Is(err, syscall.ENOSPC):
		return "free some space, and run it again"
	}
	return "check the folder and its permissions"
}

// openPlayback opens the recording of --replay, or that of the demo.
func openPlayback(ctx context.Context, env Env, o Options, hide []replay.Placeholder, mask *redact.Masker) (played *replay.Playback, name string, err error) {
	name = "demo"
	if o.Demo {
		played, err = replay.NewPlayback(strings.NewReader(builtin.DemoConversation), hide)
	} else {
		name = o.Files.Replay
		played, err = files.WaitForPipe(ctx, "--replay: "+name, env.absolute(name), env.pipeTime(), func() (*replay.Playback, error) { return readPlayback(env, name, hide) })
	}
	if errors.Is(err, files.ErrSilentPipe) {
		err = silentPipe("--replay", name)
	}
	if err != nil {
		return nil, name, err
	}
	played.Mask(mask.InString)
	return played, name, nil
}

func readPlayback(env Env, name string, hide []replay.Placeholder) (*replay.Playback, error) {
	file, err := os.Open(env.absolute(name))
	if err != nil {
		return nil, fault.Usage("check the path and the current directory", "--replay: %s does not exist or cannot be read", name)
	}
	defer file.Close()
	played, err := replay.NewPlayback(file, hide)
	if err != nil {
		return nil, fault.Usage("record it again with --record", "--replay: %s: %w", name, err)
	}
	return played, nil
}

// placeholders returns the values of this machine that a recording must not contain.
func placeholders(ctx context.Context, env Env, found Skills, scripts *script.Runner) ([]replay.Placeholder, error) {
	all, err := found.Source.Skills(ctx)
	if err != nil {
		return nil, err
	}
	var out []replay.Placeholder
	for _, s := range all {
		if s.Dir != "" {
			out = append(out, replay.Placeholder{Text: s.Dir, Name: "{skill:" + s.Name + "}"})
		}
	}
	return append(out, replay.Placeholder{Text: env.Dir, Name: "{cwd}"}, replay.Placeholder{Text: env.Home, Name: "{home}"},
		replay.Placeholder{Now: scripts.Temp, Name: "{temp}"}), nil
}
