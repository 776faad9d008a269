package cmd

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"
	"syscall"

	"skills/internal/agent"
	"skills/internal/agent/replay"
	"skills/internal/builtin"
	"skills/internal/loader"
	"skills/internal/safefile"
)

// planTarget fixes the place of the recording, before scripts can: what confines
// them has to know it, too.
func (a *app) planTarget(_ context.Context, f runFlags, _ []string, p *plan) error {
	if f.record == "" || f.showContext {
		return nil
	}
	// The other files are there by now, so that links to them are seen.
	err := a.apart("--record", f.record, [][2]string{{"--session", f.session}, {"--audit", f.audit}})
	if err == nil {
		err = a.tryRecording(f.record)
	}
	if err != nil {
		return err
	}
	if p.target, err = safefile.OpenTarget(a.absolute(f.record), 0o600); errors.Is(err, safefile.ErrDangling) {
		return wrongUsage("name the file itself, or make it", "--record: %s cannot be written: %w", f.record, err)
	} else if err != nil {
		return wrongUsage("check the folder, which has to be there, and its permissions", "--record: %s cannot be written: %w", f.record, err)
	}
	p.cleanup = append(p.cleanup, p.target.Close)
	return nil
}

// planRecording puts a recording between the agent and the server, or in its
// place.
func (a *app) planRecording(ctx context.Context, f runFlags, _ []string, p *plan) error {
	if !f.demo && f.replay == "" && f.record == "" || f.showContext {
		return nil
	}
	places, err := a.placeholders(ctx, p.source)
	if err != nil {
		return err
	}
	if f.record != "" {
		// Kept in memory: an earlier recording is replaced by a whole one only.
		p.recording = &bytes.Buffer{}
		p.recorder = replay.NewRecorder(http.DefaultTransport, p.recording, places)
		p.config.Server.Transport = p.recorder
		return nil
	}
	name := "demo"
	if f.demo {
		p.playback, err = replay.NewPlayback(strings.NewReader(builtin.DemoConversation), places)
	} else {
		name = f.replay
		p.playback, err = safefile.Wait(ctx, "--replay: "+name, func() (*replay.Playback, error) {
			file, err := os.Open(a.absolute(name))
			if err != nil {
				return nil, wrongUsage("check the spelling, and the folder this was started in", "--replay: %s does not exist or cannot be read", name)
			}
			defer file.Close()
			played, err := replay.NewPlayback(file, places)
			if err != nil {
				return nil, wrongUsage("record it again with --record", "--replay: %s: %w", name, err)
			}
			return played, nil
		})
	}
	if err != nil {
		return err
	}
	p.playback.Mask(a.mask.InString)
	p.config.Server.Transport, p.config.Server.Retries = p.playback, -1
	p.server.baseURL = "replay:" + name
	if f.model == "" && p.playback.Model() != "" {
		p.config.Model, p.server.model = p.playback.Model(), p.playback.Model()
	}
	return nil
}

// placeholders are the texts of this machine that a recording must not hold.
func (a *app) placeholders(ctx context.Context, source loader.Source) ([]replay.Placeholder, error) {
	found, err := source.Skills(ctx)
	if err != nil {
		return nil, err
	}
	var out []replay.Placeholder
	for _, s := range found {
		if s.Dir != "" {
			out = append(out, replay.Placeholder{Text: s.Dir, Name: "{skill:" + s.Name + "}"})
		}
	}
	return append(out, replay.Placeholder{Text: a.Dir, Name: "{cwd}"}, replay.Placeholder{Text: a.Home, Name: "{home}"}), nil
}

// partial is what the name of a recording gets where the run did not come to
// its end and a recording stands in its place.
const partial = ".partial"

// tryRecording refuses a place that no recording can be written to, before
// anything is asked: what was paid for must not be lost for a spelling. A file
// that holds something else is refused too.
func (a *app) tryRecording(name string) error {
	path := a.absolute(name)
	info, err := os.Stat(path)
	switch {
	case err == nil && info.IsDir():
		return wrongUsage("name a file for the recording", "--record: %s is a folder", name)
	case err == nil && !info.Mode().IsRegular():
		return nil // a pipe or a device, which waits for the whole
	case holdsText(path):
		if err := a.ofRecording(name); err != nil {
			return err
		}
	}
	return nil
}

// ofRecording refuses a file that is no recording.
func (a *app) ofRecording(name string) error {
	file, err := os.Open(a.absolute(name))
	if err != nil {
		return wrongUsage("check its permissions", "--record: %s cannot be read: %w", name, safefile.Reason(err))
	}
	defer file.Close()
	if !replay.IsRecording(file) {
		return notRecording(name)
	}
	return nil
}

// recorded writes the recording, in one step, if there is a turn in it. One of a
// run that did not come to its end stands beside the recording that is there.
func (a *app) recorded(ctx context.Context, f runFlags, r *running) error {
	p := r.plan
	if p.recorder == nil || p.recording.Len() == 0 {
		return nil
	}
	name, suffix := f.record, ""
	aside := !r.whole() && p.target.HadText()
	if aside {
		suffix = partial
		if name += suffix; p.target.Linked() {
			name = p.target.Path() + suffix
		}
		if there := p.target.OpenSibling(suffix); there != nil {
			is := replay.IsRecording(there)
			there.Close() // before it is replaced, for Windows
			if !is {
				return notRecording(name)
			}
		}
	}
	err := p.recorder.Err()
	if err == nil {
		err = p.target.Write(ctx, suffix, a.mask.JSON(p.recording.Bytes()))
	}
	if err != nil {
		return problem(recordHint(err), fmt.Errorf("--record: %w", err))
	}
	if aside {
		a.warn("--record: the run did not come to its end, so its turns are in %s, and %s is as it was", name, f.record)
	}
	return nil
}

// recordHint says what to do where a recording was not written.
func recordHint(err error) string {
	switch {
	case errors.Is(err, replay.ErrTooLarge):
		return "the run itself was well; record one that says less at once"
	case errors.Is(err, safefile.ErrUnread):
		return "read the pipe while the run goes on, or name a file"
	case errors.Is(err, syscall.ENOSPC):
		return "make room there, and run it again"
	}
	return "check the folder and its permissions"
}

// notRecording is the error of a file that holds something else.
func notRecording(name string) error {
	return wrongUsage("name a file that is not there yet, or one that --record wrote", "--record: %s is no recording, and is left as it is", name)
}

// holdsText reports whether there is a regular file that is not empty.
func holdsText(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && info.Size() > 0
}

// whole reports whether a run came to where its recording brings it again.
func (r *running) whole() bool {
	switch r.result.Status {
	case agent.Completed:
		return true
	case agent.LimitHit:
		return r.result.Limit != agent.LimitTime
	}
	return false
}
