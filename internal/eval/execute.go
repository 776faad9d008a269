package eval

// A run of a case has folders of its own, and sees nothing of the eval: neither the
// assertions nor other runs. Its files are written so that a replay and the judge see the
// same.

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"skills/internal/agent"
	"skills/internal/agent/model"
	"skills/internal/choice"
	"skills/internal/eval/store"
	"skills/internal/fault"
	"skills/internal/files"
	"skills/internal/printable"
	"skills/internal/run"
	"skills/internal/transcript"
)

// Files of a run, besides those of package store.
const (
	transcriptFile = store.TranscriptFile
	markdownFile   = store.TranscriptPage
	recordingFile  = "recording.jsonl"
	judgeFile      = "judge.json"
)

// observer is the printer of a run. It shows and counts the run's requests before they are
// sent, and prints the run for readers too.
type observer struct {
	transcript.Printer
	text    transcript.Printer
	show    func(turn int)
	loading func(text string)
	meter   *meter
	result  transcript.Result
}

// Event implements [transcript.Printer]. Its error ends the run.
func (o *observer) Event(e agent.Event) error {
	switch e := e.(type) {
	case agent.RequestEvent:
		o.show(e.Turn)
	case agent.LoadingEvent:
		o.loading(e.Message)
	}
	return errors.Join(o.Printer.Event(e), o.text.Event(e), o.meter.event(e))
}

// Finish implements [transcript.Printer].
func (o *observer) Finish(r transcript.Result) error {
	o.result = r
	return errors.Join(o.Printer.Finish(r), o.text.Finish(r))
}

// endsEval returns the error of the eval if that of a run is not the run's alone.
func endsEval(ctx context.Context, err error, isReplay bool) error {
	refused, ok := errors.AsType[*fault.Error](err)
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.Is(err, budgetError{}):
		return budgetError{}
	case !isReplay && isFatal(err):
		return fatal(err)
	case ok && refused.Code == fault.Misuse && !isReplay:
		return err // every other run would fail in the same way
	}
	return nil
}

// isFatal reports whether a server refused a request in a way that it would refuse every
// other one: the key or the rights are wrong, or the model is missing.
func isFatal(err error) bool {
	refused, ok := errors.AsType[*model.Error](err)
	return ok && slices.Contains([]int{401, 403, 404}, refused.Status)
}

// fatal returns the error that ends the eval.
func fatal(err error) error {
	hint := cmp.Or(fault.Hint(err), "check the server, the key and the model, and run it again; finished runs are not repeated")
	return &fault.Error{Code: fault.Failed, Err: fmt.Errorf("stopped at the first refusal: %w", err), Hint: hint}
}

// failure is why a run has no score; other errors end the eval.
type failure struct{ error }

// execute runs a case and writes its files into the folder dir. replay is a recording to
// play, or "".
func (e *Eval) execute(ctx context.Context, r *caseRun, dir, replay string) error {
	tmp, err := os.MkdirTemp(e.temp.Dir, "")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	work, skills := filepath.Join(tmp, "work"), filepath.Join(tmp, "skills")
	if err := errors.Join(r.inputs.write(work), r.arm.files.write(skills), os.RemoveAll(dir), os.MkdirAll(dir, 0o755)); err != nil {
		return err
	}
	o, used := e.runOptions(r, dir, skills), e.meter
	if replay != "" {
		o.Files.Record, o.Files.Replay, o.Server.Model, used = "", replay, "", &meter{} // requests that are played back do not count
	}
	var lines, page bytes.Buffer
	seen := &observer{show: func(turn int) { e.show(r, turn) }, loading: e.noteLoading, meter: used}
	env := e.env
	env.Dir, env.Home, env.Config = work, "", ""
	started := time.Now().UTC()
	parts, ran, err := run.Present(ctx, env, o, run.Presentation{Printer: func(p *run.Parts) transcript.Printer {
		masked := p.Mask.Lines(printable.EscapeJSON(&lines))
		seen.Printer = transcript.JSONL(masked, true)
		seen.text = transcript.Text(&page, transcript.TextOptions{Width: 100, Notes: &page})
		return transcript.Masked(seen, p.Mask, masked)
	}})
	ended := time.Now().UTC()
	if !ran.Quiet {
		for _, text := range ran.Warnings {
			env.Warn("%s", text)
		}
	}
	if ends := endsEval(ctx, err, replay != ""); ends != nil {
		return ends
	}
	// The judge reads the transcript, and must see the same when the run is a replay.
	folders := strings.NewReplacer(tmp, "/run", cmp.Or(parts.ScriptTemp(), tmp), "/run/temp")
	heading := "## Eval Prompt\n\n" + parts.Mask.Text(r.arm.prompt(r.c)) + "\n\n## Transcript\n\n"
	if err := writeTranscript(dir, folders, lines.String(), heading, parts.Mask.Text(page.String())); err != nil {
		return err
	}
	if err != nil && !isResult(seen.result, err) {
		r.spent(e.o.Budget.Price, seen.result.Usage)
		return failure{err}
	}
	removed, err := collect(r.inputs, work, filepath.Join(dir, store.OutputsFolder))
	if err != nil {
		return failure{fmt.Errorf("the outputs: %w", err)}
	}
	if replay != "" {
		return nil // the times are those of the recording
	}
	answer, err := copyAnswer(filepath.Join(dir, store.OutputsFolder), parts.Mask.Text(folders.Replace(seen.result.Text)))
	if err != nil {
		return err
	}
	r.out.Timing = store.Timing{Key: r.key, Start: &started, End: &ended, Removed: removed, Answer: answer}
	return files.SaveJSON(ctx, filepath.Join(dir, store.TimingFile), r.out.Timing) // last: a run with a key is complete
}

// copyAnswer writes the answer among the outputs, where skill-creator's viewer shows it, and
// returns the name of its file; "" if there is no answer.
func copyAnswer(outputs, text string) (name string, err error) {
	for n := 1; text != "" && n < 100; n++ {
		name = "answer.md"
		if n > 1 {
			name = fmt.Sprintf("answer-%d.md", n)
		}
		if _, err := os.Lstat(filepath.Join(outputs, name)); errors.Is(err, fs.ErrNotExist) {
			return name, os.WriteFile(filepath.Join(outputs, name), []byte(text+"\n"), 0o644)
		}
	}
	return "", nil
}

// spent records what a run used until it failed: what the server reported.
func (r *caseRun) spent(price agent.Price, used *model.Usage) {
	if used == nil {
		used = &model.Usage{}
	}
	r.out.Tokens = new(used.InputTokens + used.OutputTokens)
	if price != (agent.Price{}) {
		r.out.Cost = new(price.Cost(*used))
	}
}

// writeTranscript writes what a run printed, for programs and for people, with the names of
// folders replaced. What people read begins with the prompt, where skill-creator looks for it.
func writeTranscript(dir string, folders *strings.Replacer, lines, heading, page string) error {
	const fence = "~~~~~~~~~~"
	page = heading + fence + "text\n" + page + fence + "\n"
	return errors.Join(
		os.WriteFile(filepath.Join(dir, transcriptFile), []byte(folders.Replace(lines)), 0o644),
		os.WriteFile(filepath.Join(dir, markdownFile), []byte(folders.Replace(page)), 0o644),
	)
}

// isResult reports whether the error of a run is a result of the skill. A failure of the
// server or the network, the time limit, a reply without an end, and calls in a form that
// nobody can read, or outside of the schema of constrained calls, are none. A limit that the model reached is one, and so is an empty reply.
func isResult(r transcript.Result, err error) bool {
	limit := r.Status == agent.LimitHit && r.Limit != agent.LimitTime && r.Limit != agent.LimitReply
	failures, failed := errors.AsType[*agent.FailuresError](err)
	return limit || failed && !failures.Outside || errors.Is(err, agent.ErrEmpty)
}

// harnessError returns the kind of an error that comes from the model or the server, and that
// another form of requests may avoid; "" for other errors.
func harnessError(err error) string {
	limit, _ := errors.AsType[*agent.LimitError](err)
	failed, _ := errors.AsType[*agent.Error](err)
	failures, ok := errors.AsType[*agent.FailuresError](err)
	switch {
	case errors.As(err, new(*agent.TextCallError)), ok && failures.Outside:
		return store.CallsAsText
	case limit != nil && limit.Limit == agent.LimitReply, failed != nil && failed.Endless():
		return store.EndlessReply
	case failed != nil && failed.Refused():
		return store.RefusedForm
	}
	return ""
}

// runOptions returns the options of a run of a case, which is recorded in the folder dir
// and finds the skills of its arm in another.
func (e *Eval) runOptions(r *caseRun, dir, skills string) run.Options {
	o := e.o.Run
	system := r.c.System
	if strings.HasPrefix(system, "@") {
		system = " " + system // not the name of a file
	}
	o.Prompt = run.Prompt{
		Read:   func(context.Context) (string, error) { return r.arm.prompt(r.c), nil },
		Next:   r.c.Turns,
		System: system, Activate: r.arm.active, NoSlash: true,
	}
	o.Skills = run.Selection{Roots: []string{skills}, Source: r.arm.source, NoBuiltin: true}
	o.Skills.Choice = choice.Options{NoConfig: true, Hide: r.arm.hide}
	o.Server.Model, o.Limits.Turns, o.Limits.Timeout = r.c.Model, r.c.MaxTurns, r.c.Timeout
	o.Programs.Tools, o.Discard = offeredTools(r.c), true
	o.Approval.Edits = []string{"**"} // the folder is that of the run alone
	o.Files = run.Files{Record: filepath.Join(dir, recordingFile)}
	return o
}

// collect copies what a run left in its folder besides unchanged inputs, and returns the
// inputs that it removed.
func collect(inputs snapshot, work, to string) (removed []string, err error) {
	root, err := files.OpenFolder(work)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	left, err := readFS(root.FS(), "")
	if err != nil {
		return nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(inputs)) {
		if _, err := root.Lstat(filepath.FromSlash(name)); err != nil {
			removed = append(removed, name)
		} else if bytes.Equal(left[name].Data, inputs[name].Data) {
			delete(left, name)
		}
	}
	return removed, left.write(to)
}

// rebuild writes the folder of a run as the run left it, and returns the outputs.
func rebuild(inputs snapshot, outputs string, t store.Timing, to string) (left snapshot, err error) {
	if err := os.MkdirAll(outputs, 0o755); err != nil { // git keeps no empty folders
		return nil, err
	}
	all := maps.Clone(inputs)
	for _, name := range t.Removed {
		delete(all, name)
	}
	left, err = readFS(os.DirFS(outputs), "")
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", outputs, err)
	}
	if t.Answer != "" {
		delete(left, t.Answer)
	}
	maps.Copy(all, left)
	return left, all.write(to)
}
