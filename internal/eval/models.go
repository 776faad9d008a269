package eval

// An eval of several models is one eval for each, one after another: a server that has to
// load a model does so once. They share the budget, the judge and the iteration, in which
// each has a folder. A server that refuses everything ends the eval of its own model only.

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"skills/internal/eval/report"
	"skills/internal/eval/store"
	"skills/internal/fault"
	"skills/internal/files"
	"skills/internal/lazyregexp"
	"skills/internal/loader"
	"skills/internal/printable"
	"skills/internal/run"
)

// Session is an eval of skills with one model or several. It must be closed.
type Session struct{ evals []*Eval }

// member is an eval among those of several models.
type member struct {
	name  string      // of the model, as the user wrote it
	slug  string      // its folder
	judge *run.Server // the server of the judge, that of the first model; nil for the first
}

// Results are those of a session: benchmarks of skills, or tables of models.
type Results struct {
	Benchmarks []*store.Benchmark
	Tables     []*store.Models
}

// Open finds skills, cases and stored runs for the models that the options name, separated
// by commas. An error is about flags, files or a server.
func Open(ctx context.Context, env run.Env, o Options) (*Session, error) {
	names := strings.Split(o.Run.Server.Model, ",")
	if len(names) == 1 {
		e, err := New(ctx, env, o)
		if err != nil {
			return nil, err
		}
		return &Session{[]*Eval{e}}, nil
	}
	members, err := newMembers(names)
	switch {
	case err != nil:
		return nil, err
	case o.Shard != "":
		return nil, fault.Usage("start one eval for each model", "--shard cannot be used with several models")
	case o.Stored != "" || o.Demo:
		return nil, fault.Usage("name one model", "several models cannot be used here: %s", o.Run.Server.Model)
	}
	env, o = once(env, o)
	s := &Session{}
	shared := &meter{Budget: o.Budget}
	for i, m := range members {
		mine := o
		mine.member, mine.shared, mine.Run.Server.Model = m, shared, m.name
		mine.Paths, mine.With = slices.Clone(o.Paths), slices.Clone(o.With)
		if i > 0 && !o.Offline && o.JudgeModel == "" {
			mine.JudgeModel, m.judge = members[0].name, &s.evals[0].server
		}
		e, err := New(ctx, env, mine)
		if err != nil {
			s.Close()
			return nil, fmt.Errorf("model %s: %w", m.name, err)
		}
		s.evals = append(s.evals, e)
	}
	return s, nil
}

// unsafeRunes are the characters of a name that its folder does not have.
var unsafeRunes = lazyregexp.New(`[^\pL\pN._-]+`)

// folderNames counts the names of folders that begin alike, in lower case: the file system
// may ignore it.
type folderNames map[string]int

// next returns the name of the folder for a name, one that no other has.
func (f folderNames) next(name string) string {
	const most = 80 // code points
	slug := []rune(strings.Trim(unsafeRunes().ReplaceAllString(name, "-"), ".-"))
	slug = slug[:min(most, len(slug))]
	base := cmp.Or(strings.TrimRight(string(slug), ".-"), "unnamed")
	for {
		folder := base
		f[strings.ToLower(base)]++
		if n := f[strings.ToLower(base)]; n > 1 {
			folder = fmt.Sprintf("%s-%d", base, n)
		}
		if lower := strings.ToLower(folder); folder == base || f[lower] == 0 {
			f[lower] = max(1, f[lower])
			return folder
		}
	}
}

// newMembers returns the members for models, whose folders differ also where case is ignored.
func newMembers(names []string) (all []*member, err error) {
	const hint = "write them as --model A,B"
	folders := folderNames{}
	for _, name := range names {
		name = strings.TrimSpace(name)
		switch {
		case name == "":
			return nil, fault.Usage(hint, "--model names a model without a name")
		case slices.ContainsFunc(all, func(m *member) bool { return m.name == name }):
			return nil, fault.Usage(hint, "--model names %s twice", name)
		}
		all = append(all, &member{name: name, slug: folders.next(name)})
	}
	return all, nil
}

// once returns env and o so that what concerns all models is said once.
func once(env run.Env, o Options) (run.Env, Options) {
	var seen sync.Map
	first := func(v any) bool {
		_, again := seen.LoadOrStore(v, true)
		return !again
	}
	warn, notify, note := env.Warn, env.Notify, o.Note
	env.Warn = func(format string, args ...any) {
		if text := fmt.Sprintf(format, args...); first("warning: " + text) {
			warn("%s", text)
		}
	}
	env.Notify = func(n loader.Notice) {
		if first(n) {
			notify(n)
		}
	}
	o.Note = func(text string) {
		if first("note: " + text) {
			note(text)
		}
	}
	return env, o
}

// Close removes temporary files.
func (s *Session) Close() {
	for _, e := range s.evals {
		e.Close()
	}
}

// Skills returns the number of skills with cases.
func (s *Session) Skills() int { return s.evals[0].Skills() }

// DryRun prints what Run would do at most, for each model and for all.
func (s *Session) DryRun(w io.Writer) error {
	var all forecast
	for _, e := range s.evals {
		if err := e.DryRun(w); err != nil {
			return err
		}
		all.add(e)
	}
	if len(s.evals) == 1 {
		return nil
	}
	_, err := fmt.Fprintf(w, "%s: %s\n", printable.Plural(len(s.evals), "model"), all)
	return err
}

// Forecast is [Forecast] of all models.
func (s *Session) Forecast() string {
	var all forecast
	for _, e := range s.evals {
		all.add(e)
	}
	if all.most == 0 || s.evals[0].isReplay() {
		return ""
	}
	return all.String()
}

// Outcome is [Outcome] of all models.
func (s *Session) Outcome() (lines []string) {
	for i, e := range s.evals {
		own := Outcome(e)
		if len(s.evals) == 1 {
			return own
		}
		for _, line := range own {
			isTotal := strings.HasPrefix(line, "used: ") // of all models
			if strings.HasPrefix(line, "report: ") || isTotal && i < len(s.evals)-1 {
				continue
			}
			if !isTotal {
				line = e.o.member.name + ": " + line
			}
			lines = append(lines, line)
		}
	}
	for _, e := range s.evals[0].skillEvals {
		lines = append(lines, "report: "+filepath.Join(e.top, "report.html"))
	}
	return lines
}

// Run evaluates the models like [Eval.Run]. The result of a model does not depend on whether
// others fail, and the error is about all that did.
func (s *Session) Run(ctx context.Context) (Results, error) {
	if len(s.evals) == 1 {
		all, err := s.evals[0].Run(ctx)
		return Results{Benchmarks: all}, err
	}
	unlock, err := planner{s.evals[0]}.lock()
	if err != nil {
		return Results{}, err
	}
	defer unlock()
	rows := make([][]store.Model, s.Skills())
	var missed []error
	for _, e := range s.evals {
		e.meter.setPrice(e.o.Budget.Price)
		all, err := e.Run(ctx)
		if err != nil && all == nil && !isFatal(err) {
			return Results{}, err
		}
		if err != nil {
			missed = append(missed, fmt.Errorf("%s: %w", e.o.member.name, err))
		}
		for i := range rows {
			row := store.Model{Model: e.o.member.name, Directory: store.ModelsFolder + "/" + e.o.member.slug}
			if all == nil {
				row.Error = err.Error()
			} else {
				row.Benchmark = all[i]
			}
			rows[i] = append(rows[i], row)
		}
	}
	var results Results
	for i, models := range rows {
		table := store.Tabulate(s.evals[0].skillEvals[i].suite.Skill, models)
		results.Tables = append(results.Tables, table)
		if err := s.save(context.WithoutCancel(ctx), i, table); err != nil {
			return Results{}, err
		}
	}
	return results, joined(missed)
}

// RunPart does the runs of a shard, see [RunPart].
func (s *Session) RunPart(ctx context.Context, w io.Writer) error {
	return RunPart(ctx, s.evals[0], w)
}

// lock locks the iterations of all skills.
func (p planner) lock() (unlock func(), err error) {
	var unlocks []func() error
	unlock = func() {
		for _, f := range unlocks {
			_ = f() // the process ends soon
		}
	}
	for _, s := range p.skillEvals {
		if p.isReplay() {
			continue
		}
		one, err := s.lock()
		if err != nil {
			unlock()
			return nil, err
		}
		unlocks = append(unlocks, one)
	}
	return unlock, nil
}

// save writes the table of a skill's models next to their folders. Without a result of every
// model the iteration stays unfinished, and the next eval continues it. A replay that failed,
// or of some cases, changes no file.
func (s *Session) save(ctx context.Context, skill int, t *store.Models) error {
	e, complete := s.evals[0], true
	for i, m := range t.Models {
		complete = complete && m.Benchmark != nil && m.Stopped == ""
		failed := slices.ContainsFunc(s.evals[i].skillEvals[skill].runs, func(r *caseRun) bool { return !r.done || r.out.Failed() != "" })
		if e.o.Offline && failed {
			return nil
		}
	}
	if e.o.Offline && len(e.o.Cases)+len(e.o.Tags) > 0 {
		return nil
	}
	dir := e.skillEvals[skill].top
	for _, page := range [][2]string{{"benchmark.md", "markdown"}, {"report.html", "html"}} {
		var text bytes.Buffer
		if err := report.WriteModels(&text, page[1], report.Target{Dir: dir}, t); err != nil {
			return err
		}
		if err := files.Save(ctx, filepath.Join(dir, page[0]), text.Bytes()); err != nil {
			return err
		}
	}
	if !complete {
		return nil
	}
	return files.SaveJSON(ctx, filepath.Join(dir, store.ModelsFile), t.Short())
}

// joined joins the errors of models; exit code and hint are those of the worst.
func joined(missed []error) error {
	if len(missed) == 0 {
		return nil
	}
	all := &fault.Error{Concluded: true}
	var texts []string
	for _, err := range missed {
		texts = append(texts, err.Error())
		if f, ok := errors.AsType[*fault.Error](err); ok && f.Code > all.Code {
			all.Code, all.Hint = f.Code, f.Hint
		}
	}
	all.Err = errors.New(strings.Join(texts, "; "))
	return all
}
