// Package lint runs the linter: it finds skills, reads the configuration for
// each, checks them in parallel, compares the findings with a baseline, and
// applies or shows fixes.
//
// It prints nothing. The rules are in package spec/rules, the output formats in
// package report.
package lint

import (
	"context"
	"fmt"
	"io"
	"path/filepath"

	"skills/internal/clients"
	"skills/internal/fault"
	"skills/internal/files"
	"skills/internal/lint/baseline"
	"skills/internal/lint/config"
	"skills/internal/lint/fix"
	"skills/internal/loader"
	"skills/internal/report"
	"skills/internal/spec"
)

// Options configures a run. Only Dir is required.
type Options struct {
	Dir     string   // working directory, absolute
	Environ []string // environment for git, as os.Environ has it

	Input

	Profile spec.Profile          // overrides the configuration's
	Clients []string              // in addition to the configuration's
	Levels  map[string]spec.Level // rule id to level, overrides the configuration's
	PerFile []config.PerFile      // relative to Dir, in addition to the configuration's

	ConfigFile string // replaces the nearest .skills.yaml of each path
	NoConfig   bool

	Comparison

	Fix      bool       // apply fixes before the check
	FixLevel spec.Level // lowest level of findings to fix

	Ignore

	Results

	Notify loader.Notify // receives problems of the search; may be nil
}

// Input is what is checked.
type Input struct {
	// Paths are skill folders, files in skills, or folders to search. [Stdin]
	// means standard input and must be the only path. The default is the working
	// directory.
	Paths         []string
	Stdin         io.Reader
	StdinFilename string // path to use for standard input
	// Unsaved holds the texts of files that are open in an editor, by absolute path.
	// They are checked instead of those on disk.
	Unsaved map[string][]byte

	ForceExclude    bool // apply exclude patterns even to paths given explicitly
	IgnoreUnmatched bool // skip files that do not belong to a skill
}

// Comparison is what the skills and findings of a run are compared with.
type Comparison struct {
	ChangedSince  string // git revision; only skills changed since are checked
	Baseline      string // file with known findings, which are not reported
	WriteBaseline string // file to write the findings to
}

// Ignore adds comments to skills that silence what is found.
type Ignore struct {
	Add    bool
	Reason string     // "" for none
	Level  spec.Level // lowest level of findings to ignore
}

// Results is what a run computes.
type Results struct {
	Least    spec.Level // lowest level of findings to report
	Tokens   bool       // count the tokens of bodies
	Verdicts bool       // determine each client's verdict on a skill
	// Crashed, if set, receives the cause of a panic, which then costs only the findings
	// of its rule, or of its skill for the rule "".
	Crashed func(rule string, cause any)
}

// Stdin as a path means standard input.
const Stdin = "-"

// Run is the state of a run: Start has found the skills, and fixed them if
// requested.
type Run struct {
	Strict  bool // warnings are errors in one of the configurations
	Partial bool // something could not be searched or fixed

	Fixed, FixedSkills int               // findings fixed on disk, and the number of skills
	Fixes              []spec.Diagnostic // the findings that were fixed, by skill
	Failed             []error           // skills that could not be changed

	// Set by Check.
	Known int      // findings hidden by the baseline
	Gone  []string // lines about baseline findings that no longer occur
	Saved int      // number of findings in the new baseline

	Ignored, IgnoredSkills int // findings that a new comment silences, and the number of skills

	options   Options
	selection *selection
	known     *baseline.Baseline // nil without a baseline
}

// usageError returns the error for invalid options or input.
func usageError(hint, format string, args ...any) error {
	err := fmt.Errorf(format, args...)
	return &fault.Error{Message: err.Error(), Hint: hint, Err: err}
}

// Errors is a list of errors that are shown one by one.
type Errors []error

// Error returns the text of the last error.
func (e Errors) Error() string { return e[len(e)-1].Error() }

// Unwrap returns all errors.
func (e Errors) Unwrap() []error { return e }

// Start finds skills and, if requested, fixes them. An error other than the
// context's cause means invalid input, an invalid configuration or [Errors],
// and has a Hint method.
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
		r.known, err = baseline.Load(o.absolute(o.Baseline))
		if err != nil {
			return nil, err
		}
	}
	if o.Fix {
		err = r.fix(ctx)
	}
	return r, err
}

// fix applies fixes. Fixed skills are opened again for the check; a skill that
// cannot be fixed does not affect the others.
func (r *Run) fix(ctx context.Context) error {
	type result struct {
		changes fix.Changes
		err     error
	}
	again := make([]*string, len(r.selection.skills)) // the files of changed skills
	err := inOrder(ctx, len(r.selection.skills), func(i int) result {
		c := r.selection.plan(i, r.options.FixLevel)
		if r.selection.skills[i].outside {
			return result{changes: c}
		}
		err := c.Apply()
		// Check the skill as it is on disk, because a failed fix may be partially
		// applied.
		if !c.Empty() {
			found, _ := loader.Search{}.Inspect(ctx, c.Dir)
			again[i] = &found.File
		}
		return result{c, err}
	}, func(i int, done result) error {
		switch fixed := len(done.changes.Fixed); {
		case r.selection.refuse(i, done.changes):
		case done.err != nil:
			r.Failed, r.Partial = append(r.Failed, done.err), true
		case fixed > 0:
			r.Fixed += fixed
			r.Fixes = append(r.Fixes, done.changes.Fixed...)
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

// Check checks the skills and calls each with every result, ordered by path,
// without the findings in the baseline and those that new comments silence. Then it
// writes the new baseline, if requested. Errors are those of each and of Start.
func (r *Run) Check(ctx context.Context, each func(report.Skill) error) error {
	return r.checkWith(ctx, func(*spec.Document) {}, each)
}

// checkWith is Check, and calls seen with each document while it is open.
func (r *Run) checkWith(ctx context.Context, seen func(*spec.Document), each func(report.Skill) error) error {
	o := r.options
	var known *baseline.Comparison
	if r.known != nil {
		known = r.known.Compare()
	}
	path := o.absolute(o.WriteBaseline)
	saved := baseline.New(path)
	ignoring := ignoring{Run: r}
	use := func(i int, doc *spec.Document, s *report.Skill) {
		seen(doc)
		if o.Verdicts && doc.Source != nil { // otherwise the file is unreadable
			s.Clients = clients.Verdicts(clients.File{Source: doc.Source, Entry: doc.File, Folder: doc.Dir})
		}
		ignoring.keep(i, doc)
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
		ignoring.add(i, &s)
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
	if err := files.Write(ctx, path, data); err != nil {
		return usageError("check the folder and its permissions", "writing %s: %w", filepath.Clean(o.WriteBaseline), err)
	}
	return nil
}

// Diff calls each with the fixes for every skill, without writing them. Errors
// are those of each and of Start.
func Diff(ctx context.Context, o Options, each func(fix.Changes) error) (partial bool, err error) {
	s, err := o.selection(ctx)
	if err != nil {
		return false, err
	}
	return s.partial, inOrder(ctx, len(s.skills), func(i int) fix.Changes {
		return s.plan(i, o.FixLevel)
	}, func(i int, c fix.Changes) error {
		if c.Empty() || s.refuse(i, c) {
			return nil
		}
		return each(c)
	})
}

// absolute returns a path relative to the working directory as an absolute
// path.
func (o Options) absolute(path string) string { return files.Absolute(o.Dir, path) }
