// Package lint is a run of the linter: it finds the skills of some paths, reads
// the configuration that holds for each, checks them in parallel, compares the
// findings with a baseline, and applies or shows fixes.
//
// It prints nothing. The rules are in package spec, the output formats in
// package report.
package lint

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"skills/internal/clients"
	"skills/internal/lint/baseline"
	"skills/internal/lint/fix"
	"skills/internal/loader"
	"skills/internal/report"
	"skills/internal/safefile"
	"skills/internal/spec"
)

// Options are what a run is asked for. Everything but Dir may be empty.
type Options struct {
	Dir     string   // working folder, absolute
	Environ []string // environment for git, as os.Environ has it

	// Paths are skill folders, files in skills, or trees. [Stdin] means
	// standard input and must be alone. None are the working folder.
	Paths         []string
	Stdin         io.Reader
	StdinFilename string // the path that standard input is checked as

	Profile spec.Profile          // over the configuration's
	Clients []string              // besides the configuration's
	Levels  map[string]spec.Level // rule id to level, over the configuration's

	ConfigFile      string // instead of the nearest .skills.yaml of each path
	NoConfig        bool
	ForceExclude    bool // exclude paths that are given explicitly too
	IgnoreUnmatched bool // skip files that belong to no skill

	ChangedSince  string // git revision since which a skill must have changed
	Baseline      string // file with known findings, which are not reported
	WriteBaseline string // file to write the findings to

	Fix      bool       // apply fixes first
	FixLevel spec.Level // the lowest level of findings that are fixed
	Least    spec.Level // the lowest level of findings that are reported
	Tokens   bool       // count the tokens of bodies
	Verdicts bool       // say what each client makes of a skill

	Notify loader.Notify // receives what the search has to report; may be nil
}

// Stdin as a path means standard input.
const Stdin = "-"

// Result is the outcome of a run.
type Result struct {
	Report  report.Report
	Fixed   []fix.Changes // what was changed on the disk
	Failed  []error       // skills that could not be fixed
	Saved   int           // findings in the baseline that was written
	Gone    []string      // lines about findings of the baseline that are gone
	Partial bool          // whether something could not be searched or fixed
	Strict  bool          // whether warnings are errors, by one of the configurations
}

// refused is the error of a run that cannot be done as asked.
func refused(hint, format string, args ...any) error {
	err := fmt.Errorf(format, args...)
	return &safefile.Error{Message: err.Error(), Help: hint, Err: err}
}

// Errors are several errors, each to be shown by itself.
type Errors []error

// Error is the last of them.
func (e Errors) Error() string { return e[len(e)-1].Error() }

// Unwrap returns all of them.
func (e Errors) Unwrap() []error { return e }

// Run checks skills and, if asked, fixes them before. An error other than the
// context's cause is wrong input, a wrong configuration or [Errors]; it says
// with Hint what to do.
func Run(ctx context.Context, o Options) (Result, error) {
	s, err := o.selection(ctx)
	if err != nil {
		return Result{}, err
	}
	r := Result{Partial: s.partial, Strict: s.strict}
	if s.strict {
		o.Least = min(o.Least, spec.Warning)
	}
	if o.Fix {
		if err := s.fix(ctx, o.FixLevel, &r); err != nil {
			return Result{}, err
		}
	}
	var use func(int, *spec.Document)
	verdicts := make([][]clients.Verdict, len(s.skills))
	if o.Verdicts {
		use = func(i int, doc *spec.Document) {
			verdicts[i] = clients.Verdicts(clients.File{Source: doc.Source, Entry: doc.File, Folder: doc.Dir})
		}
	}
	if r.Report, err = s.check(ctx, o.Least, o.Tokens, use); err != nil {
		return Result{}, err
	}
	for i := range verdicts {
		r.Report.Skills[i].Clients = verdicts[i]
	}
	err = o.compare(ctx, s, &r)
	return r, err
}

// Diff returns what Run would fix, by skill. Nothing is written.
func Diff(ctx context.Context, o Options) (changes []fix.Changes, partial bool, err error) {
	s, err := o.selection(ctx)
	if err != nil {
		return nil, false, err
	}
	changes = make([]fix.Changes, len(s.skills))
	err = s.each(ctx, func(i int, doc *spec.Document) {
		if c := fix.Plan(doc, s.skills[i].options(o.FixLevel)); !c.Empty() {
			changes[i] = c
		}
		s.skills[i] = nil // nothing is checked afterwards
	})
	return slices.DeleteFunc(changes, fix.Changes.Empty), s.partial, err
}

// fix applies fixes. What was fixed is opened again for its check; a skill that
// cannot be fixed does not keep others from it.
func (s *selection) fix(ctx context.Context, least spec.Level, r *Result) error {
	failed, changes := make([]error, len(s.skills)), make([]fix.Changes, len(s.skills))
	err := s.each(ctx, func(i int, doc *spec.Document) {
		c := fix.Plan(doc, s.skills[i].options(least))
		if failed[i] = c.Apply(); failed[i] == nil {
			changes[i] = fix.Changes{Dir: c.Dir, Files: c.Files, Fixed: c.Fixed}
		}
		// It is checked as it is on the disk: a failed run may have fixed a part.
		s.skills[i].doc = nil
		if !c.Empty() {
			again, _ := loader.Search{}.Inspect(ctx, c.Dir)
			s.skills[i].found.File = again.File
		}
	})
	r.Failed = slices.DeleteFunc(failed, func(err error) bool { return err == nil })
	r.Fixed = slices.DeleteFunc(changes, fix.Changes.Empty)
	r.Partial = r.Partial || len(r.Failed) > 0
	return err
}

// compare removes known findings from the report, and writes a new baseline.
func (o Options) compare(ctx context.Context, s *selection, r *Result) error {
	all := r.Report
	if o.Baseline != "" {
		known, err := baseline.Load(o.absolute(o.Baseline))
		if err != nil {
			return err
		}
		options := make([]*spec.Options, len(s.skills))
		for i, skill := range s.skills {
			options[i] = skill.opts
		}
		result := known.Apply(all, options)
		r.Report, r.Gone = result.New, result.Notice()
		r.Report.Known = all.Findings() - r.Report.Findings()
	}
	if o.WriteBaseline == "" {
		return nil
	}
	path := o.absolute(o.WriteBaseline)
	b := baseline.Of(path, all)
	if old, err := baseline.Load(path); err == nil {
		b.Keep(old, all)
	}
	data, err := b.Bytes()
	if err != nil {
		return err
	}
	if err := safefile.Write(ctx, path, data); err != nil {
		return refused("check the folder and its permissions", "writing %s: %w", filepath.Clean(o.WriteBaseline), err)
	}
	c := all.Count()
	r.Saved = c.Errors + c.Warnings
	return nil
}

// absolute is a path from the working folder.
func (o Options) absolute(path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(o.Dir, path)
}
