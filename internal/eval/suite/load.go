package suite

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"skills/internal/jsonpos"
	"skills/internal/loader"
	"skills/internal/printable"
	"skills/internal/safefile"
)

// Problem is a mistake in an eval file.
type Problem struct {
	Path    string `json:"path"`   // the skill's folder as given, joined with the file's path
	Line    int    `json:"line"`   // from 1
	Col     int    `json:"column"` // from 1, in code points
	Level   string `json:"level"`  // Error or Warning
	Message string `json:"message"`
	Help    string `json:"help"` // how to fix it
}

// Levels of a Problem.
const (
	Error   = "error"
	Warning = "warning"
)

const (
	maxFile     = 1 << 20 // bytes of an eval file
	maxInputs   = 1000    // files of a folder that is an input
	maxProblems = 200
)

// Load reads the eval files of the skill in the folder dir. A skill without eval files
// has an empty suite. Mistakes in the files are problems, sorted by file and line; a suite
// with an error among them is incomplete and must not be run. The returned error is that
// of the context or of opening the folder.
func Load(ctx context.Context, dir string) (*Suite, []Problem, error) {
	root, err := safefile.OpenFolder(dir)
	if err != nil {
		return nil, nil, fmt.Errorf("opening %s: %w", dir, safefile.Reason(err))
	}
	defer root.Close()
	full, err := filepath.Abs(dir)
	if err != nil {
		return nil, nil, err
	}
	r := &reader{root: root, named: dir, Suite: Suite{Skill: filepath.Base(full), Dir: full}}
	if p, err := loader.PropertiesAt(ctx, dir); err == nil {
		r.Skill = p.Name
	}
	for _, step := range []func(){r.readEvals, r.readClaude, r.readChecks, r.readTriggers} {
		if ctx.Err() != nil {
			return nil, nil, context.Cause(ctx)
		}
		step()
	}
	for i, c := range r.Cases {
		if len(c.Checks) == 0 && r.starts[i] >= 0 {
			r.report(r.files[i], r.starts[i], Error, "add assertions here, or checks in evals/checks.json", "case %s has no assertion", printable.Quote(c.ID))
		}
	}
	return &r.Suite, r.sorted(), nil
}

// LoadQueries reads a trigger list in a file of any name, JSON or CSV. The error is that
// of reading the file.
func LoadQueries(name string) ([]Query, []Problem, error) {
	src, err := safefile.Read(name, maxFile)
	if err != nil {
		return nil, nil, fmt.Errorf("reading %s: %w", name, safefile.Reason(err))
	}
	r := &reader{}
	r.queries(newFile(name, src))
	return r.Queries, r.sorted(), nil
}

// file is an eval file.
type file struct {
	path string // as in problems
	src  []byte // without a BOM
}

func newFile(path string, src []byte) *file {
	return &file{path, bytes.TrimPrefix(src, []byte("\uFEFF"))}
}

// reader collects a suite and its problems.
type reader struct {
	Suite
	root     *os.Root
	named    string  // the skill's folder as the caller named it
	files    []*file // of the cases
	starts   []int   // offsets of the cases in their files; -1 for one with an error
	errors   int
	problems []Problem
	schemas  map[string]*schema
}

// report adds a problem at an offset of a file.
func (r *reader) report(f *file, offset int, level, help, format string, args ...any) {
	if level == Error {
		r.errors++
	}
	if len(r.problems) == maxProblems {
		level, help, format, args = Error, "fix those above first", "too many problems", nil
	} else if len(r.problems) > maxProblems {
		return
	}
	before := f.src[:min(max(offset, 0), len(f.src))]
	line := before[bytes.LastIndexByte(before, '\n')+1:]
	r.problems = append(r.problems, Problem{
		Path: f.path, Line: 1 + bytes.Count(before, []byte("\n")), Col: 1 + utf8.RuneCount(line),
		Level: level, Message: fmt.Sprintf(format, args...), Help: help,
	})
}

func (r *reader) sorted() []Problem {
	slices.SortStableFunc(r.problems, func(a, b Problem) int {
		return cmp.Or(strings.Compare(a.Path, b.Path), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Col, b.Col))
	})
	return r.problems
}

// read returns a file of the skill. It is nil if it does not exist, or cannot be read,
// which is a problem.
func (r *reader) read(name string) *file {
	var text bytes.Buffer
	err := safefile.Copy(&text, r.root, name, maxFile)
	f := newFile(filepath.Join(r.named, filepath.FromSlash(name)), text.Bytes())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		r.report(f, 0, Error, "use a regular file of at most 1 MiB inside the skill", "cannot be read: %v", err)
	}
	if err != nil {
		return nil
	}
	return f
}

// parse parses a JSON file that must match an embedded schema. It returns nil, with
// problems, if it does not.
func (r *reader) parse(f *file, schema string) *jsonpos.Node {
	var raw json.RawMessage
	if err := safefile.DecodeJSON(f.path, f.src, &raw, "check out the file again"); err != nil {
		var at *safefile.Error
		_ = errors.As(err, &at) // always, see DecodeJSON
		lines := bytes.SplitAfter(f.src, []byte("\n"))
		r.report(f, len(bytes.Join(lines[:max(at.Line-1, 0)], nil)), Error, "correct the syntax; JSON has no comments and no comma after the last value",
			"not valid JSON: %s", printable.Line(strings.TrimPrefix(at.Message, "is damaged: ")))
		return nil
	}
	top := jsonpos.Parse(f.src)
	if !r.validate(f, top, r.schema(schema, "")) {
		return nil
	}
	return top
}

// add appends a case that starts at an offset of a file. sound means that no error was
// found in it.
func (r *reader) add(f *file, offset int, c Case, sound bool) {
	c.Path, c.Line = f.path, 1+bytes.Count(f.src[:offset], []byte("\n"))
	c.Slug = "eval-" + slug(c.ID+" "+c.Name)
	for i, other := range r.Cases {
		if other.ID == c.ID {
			r.report(f, offset, Error, "give every case its own id", "duplicate id %s, see %s:%d", printable.Quote(c.ID), printable.Line(other.Path), other.Line)
			return
		}
		if other.Slug == c.Slug {
			c.Slug = fmt.Sprintf("eval-%s-%d", slug(c.ID+" "+c.Name), i+2) // a higher number than any before
		}
	}
	prompt := " " + strings.Join(strings.FieldsFunc(strings.ToLower(c.Prompt), func(c rune) bool { return strings.ContainsRune(" \t\r\n.,;:!?\"'`()", c) }), " ") + " "
	for _, form := range []string{" /" + r.Skill + " ", " " + r.Skill + " skill ", " skill " + r.Skill + " ", " " + r.Skill + " "} {
		// A name of one word may be an ordinary word of the task.
		if strings.Contains(prompt, form) && (strings.Contains(r.Skill, "-") || len(strings.Fields(form)) > 1 || form[1] == '/') {
			r.report(f, offset, Warning, "describe the task without the skill's name", "the prompt names the skill, so the run without it learns what is missing")
			break
		}
	}
	if !sound {
		offset = -1
	}
	r.Cases, r.files, r.starts = append(r.Cases, c), append(r.files, f), append(r.starts, offset)
}

// slug returns the letters and digits of a text in a form for file names.
func slug(text string) string {
	words := strings.FieldsFunc(strings.ToLower(text), func(c rune) bool { return (c < 'a' || c > 'z') && (c < '0' || c > '9') })
	joined := strings.Join(words, "-")
	return strings.TrimRight(joined[:min(len(joined), 48)], "-")
}

// input adds an input of a case: a file, or everything in a folder. name is relative to
// the skill's folder or to evals/.
func (r *reader) input(f *file, offset int, c *Case, name string) {
	clean := path.Clean(strings.ReplaceAll(name, `\`, "/"))
	from := clean
	if _, err := r.root.Stat(filepath.FromSlash(from)); err != nil {
		from = path.Join("evals", clean)
	}
	inside := path.Clean("/" + clean)[1:] // in the run's folder: as the prompt has it, else without the folders of evals
	if !strings.Contains(c.Prompt, clean) {
		inside = strings.TrimPrefix(strings.TrimPrefix(inside, "evals/"), "files/")
	}
	count := len(c.Files)
	err := fs.WalkDir(r.root.FS(), from, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		target := path.Join(inside, strings.TrimPrefix(p, from))
		info, err := r.root.Stat(filepath.FromSlash(p)) // a link inside the skill is followed
		switch {
		case err != nil:
			return err
		case !info.Mode().IsRegular():
			return safefile.ErrIrregular
		case len(c.Files)-count == maxInputs:
			return errors.New("it has more than 1000 files")
		case slices.ContainsFunc(c.Files, func(other File) bool { return other.Path == target }):
			return fmt.Errorf("another input is already %s in the run's folder", printable.Quote(target))
		}
		c.Files = append(c.Files, File{Path: target, Source: filepath.Join(r.Dir, filepath.FromSlash(p))})
		return nil
	})
	switch {
	case errors.Is(err, fs.ErrNotExist):
		r.report(f, offset, Error, "the path is relative to the skill's folder, or to evals/", "the file %s does not exist", printable.Quote(name))
	case errors.Is(err, fs.ErrInvalid):
		r.report(f, offset, Error, "put the file into the skill, below evals/files", "the file %s is outside the skill", printable.Quote(name))
	case err != nil:
		r.report(f, offset, Error, "use regular files inside the skill", "the file %s cannot be used: %s", printable.Quote(name), printable.Line(err.Error()))
	}
}
