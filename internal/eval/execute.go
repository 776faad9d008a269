package eval

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"skills/internal/agent"
	"skills/internal/eval/suite"
	"skills/internal/printable"
	"skills/internal/redact"
	"skills/internal/runner"
	"skills/internal/safefile"
	"skills/internal/transcript"
)

// Files of a run, besides those of package store.
const (
	transcriptFile = "transcript.jsonl"
	markdownFile   = "transcript.md"
	recordingFile  = "recording.jsonl"
	answersFile    = "judge.jsonl"
	outputsFolder  = "outputs"

	maxOutputs = 10_000 // files
)

// execute runs a case and writes its files into the folder dir. replay is a recording to
// play, or "". failure says why the run has no score; err ends the eval.
func (e *Eval) execute(ctx context.Context, r *run, dir, replay string) (failure string, err error) {
	tmp, err := os.MkdirTemp(e.tmp, "")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(tmp)
	if tmp, err = filepath.EvalSymlinks(tmp); err != nil {
		return "", err
	}
	work, skills := filepath.Join(tmp, "work"), filepath.Join(tmp, "skills")
	err = errors.Join(os.Mkdir(work, 0o755), os.Mkdir(skills, 0o755), copyInputs(r.c.Files, work), os.RemoveAll(dir), os.MkdirAll(dir, 0o755))
	for _, t := range r.arm.trees() {
		err = errors.Join(err, t.write(skills))
	}
	if err != nil {
		return "", err
	}
	file, err := os.Create(filepath.Join(dir, transcriptFile))
	if err != nil {
		return "", err
	}
	defer file.Close()
	out := &watcher{Writer: file, meter: e.meter, turn: func(n int) { e.show.turn(r, n) }}
	o := e.o.Run
	o.Skills, o.Source, o.NoBuiltin, o.NoConfig, o.NoSlash = []string{skills}, r.arm.source, true, true, true
	o.Format, o.Verbose, o.Record, o.Model = "jsonl", true, filepath.Join(dir, recordingFile), e.model(r.c)
	if replay != "" {
		o.Record, o.Replay, o.Model, out.meter = "", replay, "", nil
	}
	if o.System = r.c.System; strings.HasPrefix(o.System, "@") {
		o.System = " " + o.System // not the name of a file
	}
	if r.c.Timeout > 0 {
		o.Timeout = r.c.Timeout
	}
	o.MaxTurns = e.turns(r.c)
	env := e.env
	env.Stdin, env.Stdout, env.Stderr, env.Dir, env.Home, env.Config, env.OneProcessor = nil, out, io.Discard, work, "", "", nil
	env.Masked = func(*redact.Masker) {}
	rec := record{Key: r.key, Started: time.Now().UTC()}
	err = runner.New(env, o).Run(ctx, []string{r.c.Prompt})
	rec.Ended = time.Now().UTC()
	rec.Duration = rec.Ended.Sub(rec.Started).Milliseconds()
	var refused *runner.Error
	switch {
	case ctx.Err() != nil:
		return "", context.Cause(ctx)
	case errors.Is(err, errBudget):
		return "", errBudget
	case errors.As(err, &refused) && refused.Code == runner.ExitUsage && replay == "":
		return "", err // every other run would fail in the same way
	}
	// The judge reads the transcript, and must see the same when the run is played.
	text, rerr := os.ReadFile(file.Name())
	if rerr == nil {
		rerr = os.WriteFile(file.Name(), bytes.ReplaceAll(text, []byte(tmp), []byte("/run")), 0o644)
	}
	if rerr != nil {
		return "", rerr
	}
	result, rerr := writeMarkdown(dir)
	if rerr != nil {
		return "", rerr
	}
	// The server, the network and the time limit say nothing about the skill. A limit that
	// the model exhausted is a result.
	limit := result.Status == agent.LimitHit && result.Limit != agent.LimitTime
	if err != nil && !limit && !errors.As(err, new(*agent.FailuresError)) {
		return err.Error(), nil
	}
	if rec.Removed, err = collect(r.c.Files, work, filepath.Join(dir, outputsFolder)); err != nil {
		return err.Error(), nil
	}
	return "", safefile.Save(ctx, filepath.Join(dir, recordFile), []byte(printable.JSONText(rec)+"\n"))
}

// turns returns the maximum number of requests of a run, without the final one.
func (e *Eval) turns(c *suite.Case) int {
	if c.MaxTurns > 0 {
		return c.MaxTurns
	}
	return e.o.Run.MaxTurns
}

// writeMarkdown writes the transcript for readers, and returns the run's result.
func writeMarkdown(dir string) (transcript.Result, error) {
	const fence = "~~~~~~~~~~"
	page := bytes.NewBufferString(fence + "text\n")
	text := transcript.Text(page, transcript.TextOptions{Width: 100, Notes: page})
	result, err := transcript.ReadFile(filepath.Join(dir, transcriptFile), func(event agent.Event) { _ = text.Event(event) }) // a buffer has no errors
	if err != nil {
		return result, err
	}
	_ = text.Finish(result)
	page.WriteString(fence + "\n")
	return result, os.WriteFile(filepath.Join(dir, markdownFile), page.Bytes(), 0o644)
}

// copyInputs copies the inputs of a case into a folder.
func copyInputs(files []suite.File, to string) error {
	for _, f := range files {
		data, err := safefile.ReadRegular(f.Source, maxFile)
		if err == nil {
			err = writeFile(filepath.Join(to, filepath.FromSlash(f.Path)), data, 0)
		}
		if err != nil {
			return fmt.Errorf("input %s: %w", f.Path, err)
		}
	}
	return nil
}

// collect copies what a run left in its folder besides unchanged inputs, and returns the
// inputs that it removed. Links and pipes are no outputs.
func collect(inputs []suite.File, work, to string) (removed []string, err error) {
	root, err := safefile.OpenFolder(work)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	before := map[string][]byte{}
	for _, f := range inputs {
		if before[f.Path], err = safefile.ReadRegular(f.Source, maxFile); err != nil {
			return nil, err
		}
		if _, err := root.Lstat(filepath.FromSlash(f.Path)); err != nil {
			removed = append(removed, f.Path)
		}
	}
	n := 0
	return removed, fs.WalkDir(root.FS(), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		var data bytes.Buffer
		if err := safefile.Copy(&data, root, name, maxFile); err != nil {
			return fmt.Errorf("output %s: %w", name, err)
		}
		if old, ok := before[name]; ok && bytes.Equal(old, data.Bytes()) {
			return nil
		}
		if n++; n > maxOutputs {
			return fmt.Errorf("the run left more than %d files", maxOutputs)
		}
		return writeFile(filepath.Join(to, filepath.FromSlash(name)), data.Bytes(), 0)
	})
}
