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

// Run is a run under way: Start has found its skills, and fixed them if asked.
type Run struct {
	Strict  bool // whether warnings are errors, by one of the configurations
	Partial bool // whether something could not be searched or fixed

	Fixed, FixedSkills int     // findings that were fixed on the disk, and in how many skills
	Failed             []error // skills that could not be fixed

	// What Check adds.
	Known int      // findings that are left out because the baseline has them
	Gone  []string // lines about findings of the baseline that are gone
	Saved int      // findings in the baseline that was written

	options   Options
	selection *selection
	known     *baseline.Baseline // nil for none
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

// Start finds skills and, if asked, fixes them. An error other than the context's
// cause is wrong input, a wrong configuration or [Errors]; it says with Hint what to
// do.
func Start(ctx context.Context, o Options) (*Run, error) {
	s, err := o.selection(ctx)
	if err != nil {
		return nil, err
	}
	r := &Run{Strict: s.strict, Partial: s.partial, options: o, selection: s}
	if s.strict {
		r.options.Least = min(o.Least, spec.Warning)
	}
	if o.Baseline != "" {
		if r.known, err = baseline.Load(o.absolute(o.Baseline)); err != nil {
			return nil, err
		}
	}
	if o.Fix {
		err = r.fix(ctx)
	}
	return r, err
}

// fix applies fixes. What was fixed is opened again for its check; a skill that
// cannot be fixed does not keep others from it.
func (r *Run) fix(ctx context.Context) error {
	type result struct {
		fixed int
		err   error
	}
	again := make([]*string, len(r.selection.skills)) // the files of skills that changed
	err := inOrder(ctx, len(r.selection.skills), func(i int) result {
		c := r.selection.plan(i, r.options.FixLevel)
		err := c.Apply()
		// It is checked as it is on the disk: a failed run may have fixed a part.
		if !c.Empty() {
			found, _ := loader.Search{}.Inspect(ctx, c.Dir)
			again[i] = &found.File
		}
		return result{len(c.Fixed), err}
	}, func(_ int, done result) error {
		switch {
		case done.err != nil:
			r.Failed, r.Partial = append(r.Failed, done.err), true
		case done.fixed > 0:
			r.Fixed += done.fixed
			r.FixedSkills++
		}
		return nil
	})
	for i, file := range again {
		if file != nil {
			r.selection.skills[i].found.File = *file
		}
	}
	return err
}

// Check checks the skills and calls each with them as they are checked, in the order
// of their paths, without the findings that the baseline has. Then it writes the new
// baseline, if asked. Errors are those of each and of Start.
func (r *Run) Check(ctx context.Context, each func(report.Skill) error) error {
	o := r.options
	var known *baseline.Comparison
	if r.known != nil {
		known = r.known.Compare()
	}
	path := o.absolute(o.WriteBaseline)
	saved := baseline.New(path)
	var use func(int, *spec.Document, *report.Skill)
	if o.Verdicts {
		use = func(_ int, doc *spec.Document, s *report.Skill) {
			if doc.Source != nil { // else nobody can read it
				s.Clients = clients.Verdicts(clients.File{Source: doc.Source, Entry: doc.File, Folder: doc.Dir})
			}
		}
	}
	err := r.selection.check(ctx, o.Least, o.Tokens, use, func(i int, s report.Skill) error {
		if o.WriteBaseline != "" {
			r.Saved += saved.Add(s)
		}
		if known != nil {
			all := len(s.Diagnostics)
			s.Diagnostics = known.New(s, r.selection.skills[i].opts)
			r.Known += all - len(s.Diagnostics)
		}
		return each(s)
	})
	if err == nil && known != nil {
		r.Gone = known.Notice()
	}
	if err != nil || o.WriteBaseline == "" {
		return err
	}
	if old, err := baseline.Load(path); err == nil {
		saved.Keep(old)
	}
	data, err := saved.Bytes()
	if err != nil {
		return err
	}
	if err := safefile.Write(ctx, path, data); err != nil {
		return refused("check the folder and its permissions", "writing %s: %w", filepath.Clean(o.WriteBaseline), err)
	}
	return nil
}

// Diff calls each with what Start would fix, by skill. Nothing is written. Errors are
// those of each and of Start.
func Diff(ctx context.Context, o Options, each func(fix.Changes) error) (partial bool, err error) {
	s, err := o.selection(ctx)
	if err != nil {
		return false, err
	}
	return s.partial, inOrder(ctx, len(s.skills), func(i int) fix.Changes {
		return s.plan(i, o.FixLevel)
	}, func(_ int, c fix.Changes) error {
		if c.Empty() {
			return nil
		}
		return each(c)
	})
}

// absolute is a path from the working folder.
func (o Options) absolute(path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(o.Dir, path)
}
