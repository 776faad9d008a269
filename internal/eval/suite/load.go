package suite

// All eval files of a skill are read, in every dialect, and every mistake in them is
// reported with its place: a run that fails on a typing error after an hour is expensive.
// What is unknown to this program is a warning if ignoring it changes no result.

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
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"skills/internal/fault"
	"skills/internal/files"
	"skills/internal/jsonpos"
	"skills/internal/loader"
	"skills/internal/printable"
)

// Problem is a mistake in an eval file.
type Problem struct {
	Path    string `json:"path"`   // the skill's folder as given, joined with the file's path
	Line    int    `json:"line"`   // from 1
	Col     int    `json:"column"` // from 1, in code points
	Level   string `json:"level"`  // Error, Warning or Note
	Message string `json:"message"`
	Help    string `json:"help"` // how to fix it
}

// Levels of a Problem.
const (
	Error   = "error"
	Warning = "warning"
	Note    = "note" // what is not used; it changes no result
)

const (
	maxFile   = 1 << 20 // bytes of an eval file
	maxInputs = 1000    // of a case
)

// Load reads the eval files of the skill in the folder dir. A skill without eval files
// has an empty suite. Mistakes in the files are problems, sorted by file and line; a suite
// with an error among them is incomplete and must not be run. The returned error is that
// of the context or of opening the folder.
func Load(ctx context.Context, dir string) (*Suite, []Problem, error) {
	root, err := files.OpenFolder(dir)
	if err != nil {
		return nil, nil, fmt.Errorf("opening %s: %w", dir, files.Reason(err))
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
	cases := readSchema("checks").Properties["cases"].AnyKey[""]
	r.check = cases.Properties["checks"].Items
	for _, step := range []func(){r.readEvals, (claude{r}).readClaude, r.readChecks, (triggers{r}).readTriggers} {
		step()
	}
	r.complete()
	r.Suite.Read = r.files
	return &r.Suite, r.sorted(), context.Cause(ctx)
}

// complete checks the cases when all files are read.
func (r *reader) complete() {
	r.nameIgnored()
	var bare []*Case
	defer func() { r.reportBare(bare) }()
	for i := range r.Cases {
		c := &r.Cases[i]
		c.Timeout = time.Duration(min(c.Seconds, 1e6) * float64(time.Second))
		if len(c.Checks) == 0 && strings.TrimSpace(c.Expected) != "" {
			c.Checks = []Check{{Type: "judge", Criteria: "The work is what was expected: " + c.Expected, Arm: Both}}
			r.problems = append(r.problems, Problem{Path: c.Path, Line: c.Line, Col: 1, Level: Warning,
				Message: fmt.Sprintf("case %s has no assertion, so the judge compares with expected_output", printable.Quote(c.ID)), Help: "add assertions: sentences that only a good answer makes true"})
		}
		if len(c.Checks) == 0 && !r.unread[c.ID] {
			bare = append(bare, c)
		}
		for _, check := range c.Checks {
			if check.Type == "unchanged" && !slices.ContainsFunc(c.Files, func(f File) bool { return f.Path == path.Clean(check.Path) }) {
				message := fmt.Sprintf("unchanged: %s is not an input of case %s", printable.Quote(check.Path), printable.Quote(c.ID))
				help := "name one of its files, with the path that it has in the run's folder"
				r.problems = append(r.problems, Problem{Path: c.Path, Line: c.Line, Col: 1, Level: Error, Message: message, Help: help})
			}
		}
	}
}

// reportBare reports cases without a check, in an imported file once: a list of tasks for
// another purpose may have hundreds.
func (r *reader) reportBare(cases []*Case) {
	for i, c := range cases {
		of := func(other *Case) bool { return other.Path == c.Path }
		message := fmt.Sprintf("case %s has no assertion", printable.Quote(c.ID))
		others := len(slices.DeleteFunc(slices.Clone(cases), func(other *Case) bool { return !of(other) })) - 1
		switch {
		case r.lenient && slices.ContainsFunc(cases[:i], of):
			continue
		case r.lenient && others > 0:
			message += fmt.Sprintf(", nor have %d others", others)
		}
		r.problems = append(r.problems, Problem{Path: c.Path, Line: c.Line, Col: 1, Level: Error, Message: message, Help: "add assertions here, or checks in evals/checks.json"})
	}
}

// LoadQueries reads a trigger list in a file of any name, JSON or CSV. The error is that
// of reading the file.
func LoadQueries(ctx context.Context, name string) (*Suite, []Problem, error) {
	src, err := files.WaitForPipe(ctx, name, name, files.PipeTime, func() ([]byte, error) { return files.Read(name, maxFile) })
	if err != nil {
		return nil, nil, fmt.Errorf("reading %s: %w", name, files.Reason(err))
	}
	r := &reader{}
	triggers{r}.queries(newFile(name, src))
	r.nameIgnored()
	return &r.Suite, r.sorted(), nil
}

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
	check    *schema // of a check
	problems []Problem

	files    []string           // that were read, relative to the skill's folder
	ignored  map[string]*unused // keys that nothing has read, by file
	lenient  bool               // a suite is imported: what is wrong is left out
	refused  int                // cases that were left out
	below    string             // the folder in which other suites are looked for, or ""
	all      bool               // files of any name may be suites
	programs map[string][]byte  // that grade, by their new names
	unread   map[string]bool    // whether the assertions of a case, by its id, are broken
}

// report adds a problem at an offset of a file.
func (r *reader) report(f *file, offset int, level, help, format string, args ...any) {
	before := f.src[:min(offset, len(f.src))]
	line := before[bytes.LastIndexByte(before, '\n')+1:]
	r.problems = append(r.problems, Problem{
		Path: f.path, Line: 1 + bytes.Count(before, []byte("\n")), Col: 1 + utf8.RuneCount(line),
		Level: level, Message: fmt.Sprintf(format, args...), Help: help,
	})
}

func (r *reader) sorted() []Problem {
	slices.SortStableFunc(r.problems, func(a, b Problem) int {
		return cmp.Or(strings.Compare(a.Path, b.Path), a.Line-b.Line, a.Col-b.Col)
	})
	return r.problems
}

// read returns a file of the skill. It is nil if it does not exist, or cannot be read,
// which is a problem.
func (r *reader) read(name string) *file {
	var text bytes.Buffer
	err := files.Copy(&text, r.root, name, maxFile)
	f := newFile(filepath.Join(r.named, filepath.FromSlash(name)), text.Bytes())
	if err == nil {
		r.files = append(r.files, name)
		return f
	}
	if !errors.Is(err, fs.ErrNotExist) {
		help := "use a regular file of at most 1 MiB inside the skill"
		r.report(f, 0, Error, help, "cannot be read: %v", err)
	}
	return nil
}

// list returns the files below evals/ that match a pattern. Unlike fs.Glob it opens only
// folders, and no pipes.
func list(root *os.Root, pattern string) (names []string) {
	fixed, _, _ := strings.Cut(pattern, "*")
	_ = fs.WalkDir(root.FS(), path.Dir(fixed), func(name string, d fs.DirEntry, err error) error {
		depth := strings.Count(name, "/") - strings.Count(pattern, "/")
		if ok, _ := path.Match(pattern, name); ok && err == nil && !d.IsDir() {
			names = append(names, name)
		} else if err != nil || d.IsDir() && depth >= 0 {
			return fs.SkipDir
		}
		return nil
	})
	return names
}

// Texts returns the eval files of the skill in the folder dir, one after another.
func Texts(dir string) (string, error) {
	root, err := files.OpenFolder(dir)
	if err != nil {
		return "", err
	}
	defer root.Close()
	var all bytes.Buffer
	for _, pattern := range []string{"evals/*.json", "evals/*/prompt.md", "evals/*/graders/*.md"} {
		for _, name := range list(root, pattern) {
			_ = files.Copy(&all, root, name, maxFile) // what is not readable is no eval file
			all.WriteByte('\n')
		}
	}
	return all.String(), nil
}

// parse parses a JSON file that must match an embedded schema. It returns nil, with
// problems, if it does not.
func (r *reader) parse(f *file, schema string) *jsonpos.Node {
	if top := r.parseAny(f); top != nil && r.validate(f, top, "the file", readSchema(schema)) {
		return top
	}
	return nil
}

// parseAny parses a JSON file. It returns nil, with a problem, if it is none.
func (r *reader) parseAny(f *file) *jsonpos.Node {
	var raw json.RawMessage
	var fault *fault.Error
	if errors.As(jsonpos.DecodeJSON(f.path, f.src, &raw, ""), &fault) {
		message := "not valid JSON: " + printable.Line(strings.TrimPrefix(fault.Message, "is damaged: "))
		help := "correct the syntax; JSON has no comments and no comma after the last value"
		r.problems = append(r.problems, Problem{Path: f.path, Line: max(fault.Line, 1), Col: 1, Level: Error, Message: message, Help: help})
		return nil
	}
	return jsonpos.Parse(f.src)
}

// add appends a case that starts at an offset of a file.
func (r *reader) add(f *file, offset int, c Case) {
	c.Path, c.Line = f.path, 1+bytes.Count(f.src[:min(offset, len(f.src))], []byte("\n"))
	c.Slug = "eval-" + slug(c.ID+" "+c.Name)
	for i, other := range r.Cases {
		if other.ID == c.ID {
			r.report(f, offset, Error, "give every case its own id", "duplicate id %s, see %s:%d",
				printable.Quote(c.ID), printable.Line(other.Path), other.Line)
			return
		}
		if other.Slug == c.Slug {
			c.Slug = fmt.Sprintf("eval-%s-%d", slug(c.ID+" "+c.Name), i+2) // a higher number than any before
		}
	}
	// A name of one word may be an ordinary word of the task. \x60 is a backtick.
	forms := `/%[1]s|skills/%[1]s|\x60?%[1]s\x60? skill|skill \x60?%[1]s\x60?|us(e|ing) \x60%[1]s\x60( (to|for|on|with|and)|[.,:;!?]|$)`
	if strings.Contains(r.Skill, "-") {
		forms = `/?%[1]s`
	}
	forms = fmt.Sprintf(`(?i)(^|[^\w-])(`+forms+`)([^\w-]|$)`, regexp.QuoteMeta(strings.ToValidUTF8(r.Skill, "?")))
	if regexp.MustCompile(forms).MatchString(c.Said(c.Prompt)) {
		r.report(f, offset, Warning, "describe the task without the skill's name",
			"the prompt names the skill, so the run without it learns what is missing")
	}
	r.Cases = append(r.Cases, c)
}

// slug returns the letters and digits of a text in a form for file names.
func slug(text string) string {
	joined := regexp.MustCompile(`[^a-z0-9]+`).ReplaceAllString(strings.ToLower(text), "-")
	return strings.Trim(joined[:min(len(joined), 48)], "-")
}

// input adds an input of a case: a file, or everything in a folder. name is relative to
// the skill's folder or to evals/.
func (r *reader) input(f *file, offset int, c *Case, name string) {
	clean := path.Clean(strings.ReplaceAll(name, `\`, "/"))
	found := slices.DeleteFunc([]string{clean, path.Join("evals", clean)}, func(p string) bool {
		_, err := r.root.Stat(filepath.FromSlash(p))
		return err != nil
	})
	if r.lenient {
		found = found[:0]
		for _, p := range r.candidates(f, name) {
			if _, err := r.root.Stat(filepath.FromSlash(p)); err == nil && len(found) == 0 {
				found = append(found, p)
			}
		}
	}
	if len(found) != 1 {
		fault := "does not exist in the skill"
		if len(found) == 2 {
			fault = "is both in the skill's folder and in evals/"
		}
		help := "name one file relative to the skill's folder, or to evals/"
		r.report(f, offset, Error, help, "the file %s %s", printable.Quote(name), fault)
		return
	}
	// The path in the run's folder is that of the prompt, else without the folders of evals.
	inside := path.Clean("/" + clean)[1:]
	if !strings.Contains(c.Prompt, clean) {
		inside = strings.TrimPrefix(strings.TrimPrefix(inside, "evals/"), "files/")
	}
	err := fs.WalkDir(r.root.FS(), found[0], func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		target := path.Join(inside, strings.TrimPrefix(p, found[0]))
		switch {
		case !d.Type().IsRegular():
			return files.ErrIrregular
		case len(c.Files) == maxInputs:
			return errors.New("the case has more than 1000 input files")
		case slices.ContainsFunc(c.Files, func(other File) bool { return other.Path == target }):
			return fmt.Errorf("another input is already %s in the run's folder", printable.Quote(target))
		}
		c.Files = append(c.Files, File{Path: target, Source: filepath.Join(r.Dir, filepath.FromSlash(p))})
		return nil
	})
	if err != nil {
		r.report(f, offset, Error, "use regular files inside the skill", "the file %s cannot be used: %s",
			printable.Quote(name), printable.Line(err.Error()))
	}
}
