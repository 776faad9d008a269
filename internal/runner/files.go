package runner

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"syscall"
	"time"

	"skills/internal/agent"
	"skills/internal/agent/replay"
	"skills/internal/agent/skills"
	"skills/internal/builtin"
	"skills/internal/fault"
	"skills/internal/files"
	"skills/internal/history"
	"skills/internal/history/runlog"
	"skills/internal/todo"
)

// openSession opens the file of --session; --show-context only reads it.
func (r *Runner) openSession(_ context.Context) error {
	if r.Session == "" {
		return nil
	}
	path := r.absolute(r.Session)
	if err := r.checkDistinctFiles("--session", r.Session); err != nil {
		return err
	}
	var file *history.File
	var err error
	if r.ShowContext {
		file, err = history.Read(path)
	} else {
		file, err = history.Open(path, time.Now, r.mask.JSON)
	}
	if err != nil {
		return fault.AsUsage(fmt.Errorf("--session: %w", err))
	}
	r.cleanup = append(r.cleanup, file.Close)
	if warning := file.Warning; warning != "" {
		r.Warn("--session: %s", warning)
	}
	// A new state would silently overwrite one that is unreadable.
	if !r.NoTodo {
		err = file.Check(todo.Name, func(s *agent.Session) error { _, err := todo.Items(s); return err })
	}
	err = cmp.Or(err, file.Check(skills.Name, func(s *agent.Session) error { _, err := skills.Loaded(s); return err }))
	if err != nil {
		return fault.AsUsage(fmt.Errorf("--session: %w", err))
	}
	r.session = file.Session
	r.config.Providers = slices.Insert(r.config.Providers, 0, agent.ContextProvider(file)) // its history comes first
	return nil
}

// checkDistinctFiles returns an error if another flag uses the same file, possibly
// through a link.
func (r *Runner) checkDistinctFiles(flag, path string) error {
	mine := r.absolute(path)
	info, _ := os.Stat(mine)
	for _, other := range [][2]string{{"--session", r.Session}, {"--record", r.Record}, {"--replay", r.Replay}, {"--audit", r.Audit}} {
		if other[0] == flag || other[1] == "" {
			continue
		}
		theirs := r.absolute(other[1])
		if found, err := os.Stat(theirs); theirs == mine || err == nil && info != nil && os.SameFile(info, found) {
			return fault.Usage("name two files", "%s and %s name the same file", flag, other[0])
		}
	}
	return nil
}

// openAudit opens the file of --audit; --show-context does not need it.
func (r *Runner) openAudit(ctx context.Context) error {
	if r.Audit == "" || r.ShowContext {
		return nil
	}
	// The session's file exists by now, so a link to it is detected.
	if err := r.checkDistinctFiles("--audit", r.Audit); err != nil {
		return err
	}
	log, err := runlog.Open(r.absolute(r.Audit), runlog.Options{
		RunID: r.runID, Dir: r.Dir, Now: time.Now, Mask: r.mask.JSON,
		Warn: func(message string) { r.Warn("--audit: %s", message) },
		Script: func(call agent.ToolCall) (skills.ScriptRun, bool) {
			return r.provider.ScriptRun(context.WithoutCancel(ctx), call)
		},
	})
	if err != nil {
		return fault.AsUsage(fmt.Errorf("--audit: %w", err))
	}
	r.audit = log
	r.cleanup = append(r.cleanup, log.Close)
	return nil
}

// openRecording fixes the location of the recording before scripts run, and rejects a
// file that is not writable or has other content, because the run costs money.
func (r *Runner) openRecording(_ context.Context) (err error) {
	if r.Record == "" || r.ShowContext {
		return nil
	}
	// The other files exist by now, so links to them are detected.
	if err := r.checkDistinctFiles("--record", r.Record); err != nil {
		return err
	}
	if r.target, err = files.OpenTarget(r.absolute(r.Record), 0o600); err != nil {
		hint := "check that the folder exists, and its permissions"
		if errors.Is(err, files.ErrDangling) {
			hint = "name the file itself, or create it"
		}
		return fault.Usage(hint, "--record: %s cannot be written: %w", r.Record, err)
	}
	r.cleanup = append(r.cleanup, r.target.Close)
	file, err := r.target.Open()
	if err != nil {
		return fault.Usage("check its permissions", "--record: %s cannot be read: %w", r.Record, err)
	}
	if file == nil { // there was none
		return nil
	}
	defer file.Close()
	if !replay.IsRecording(file) {
		return fault.Usage("name a new file, or one that --record wrote", "--record: %s is not a recording, and is left unchanged", r.Record)
	}
	return nil
}

// planRecording wraps the server's transport with a recorder, or replaces it with a
// playback.
func (r *Runner) planRecording(ctx context.Context) error {
	if !r.Demo && r.Replay == "" && r.Record == "" || r.ShowContext {
		return nil
	}
	placeholders, err := r.placeholders(ctx)
	if err != nil {
		return err
	}
	if r.Record != "" {
		// Buffered in memory, so that only a complete recording replaces an earlier one.
		r.recording = &bytes.Buffer{}
		r.recorder = replay.NewRecorder(nil, r.recording, placeholders)
		r.config.Server.Transport = r.recorder
		return nil
	}
	name := "demo"
	if r.Demo {
		r.playback, err = replay.NewPlayback(strings.NewReader(builtin.DemoConversation), placeholders)
	} else {
		name = r.Replay
		r.playback, err = files.WaitForPipe(ctx, "--replay: "+name, r.absolute(name), r.pipeTime(), func() (*replay.Playback, error) {
			file, err := os.Open(r.absolute(name))
			if err != nil {
				return nil, fault.Usage("check the path and the current directory", "--replay: %s does not exist or cannot be read", name)
			}
			defer file.Close()
			played, err := replay.NewPlayback(file, placeholders)
			if err != nil {
				return nil, fault.Usage("record it again with --record", "--replay: %s: %w", name, err)
			}
			return played, nil
		})
		if errors.Is(err, files.ErrSilentPipe) {
			err = silentPipe("--replay", name)
		}
	}
	if err != nil {
		return err
	}
	r.playback.Mask(r.mask.InString)
	r.config.Server.Transport, r.config.Server.Retries = r.playback, 0
	r.server.BaseURL = "replay:" + name
	if r.Model == "" && r.playback.Model != "" {
		r.config.Model, r.server.Model = r.playback.Model, r.playback.Model
	}
	return nil
}

// placeholders returns the values of this machine that a recording must not contain.
func (r *Runner) placeholders(ctx context.Context) ([]replay.Placeholder, error) {
	found, err := r.source.Skills(ctx)
	if err != nil {
		return nil, err
	}
	var out []replay.Placeholder
	for _, s := range found {
		if s.Dir != "" {
			out = append(out, replay.Placeholder{Text: s.Dir, Name: "{skill:" + s.Name + "}"})
		}
	}
	return append(out, replay.Placeholder{Text: r.Dir, Name: "{cwd}"}, replay.Placeholder{Text: r.Home, Name: "{home}"},
		replay.Placeholder{Now: r.ScriptTemp, Name: "{temp}"}), nil
}

// ScriptTemp returns the temporary folder of the scripts, "" if there is none. After the
// run it returns the folder that was removed.
func (r *Runner) ScriptTemp() string {
	if r.scripts == nil {
		return ""
	}
	return r.scripts.Temp()
}

// writeRecording atomically writes the recording unless it is empty. That of an
// unfinished run does not replace an existing recording.
func (r *Runner) writeRecording(ctx context.Context) error {
	if r.recorder == nil || r.recording.Len() == 0 {
		return nil
	}
	// Whether playing the recording leads to the same end.
	whole := r.result.Status == agent.Completed || r.result.Status == agent.LimitHit && r.result.Limit != agent.LimitTime
	if !whole && r.target.HadText() {
		r.Warn("--record: the run did not finish, so %s is unchanged", r.Record)
		return nil
	}
	err := r.recorder.Err()
	if err == nil {
		err = r.target.Write(ctx, r.mask.JSON(r.recording.Bytes()))
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
