package eval

// What runs may read is in memory, as snapshots of folders. Each run gets its own copy, so
// that all have the same files and no run can change those of another.

import (
	"archive/tar"
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"skills/internal/choice"
	"skills/internal/eval/suite"
	"skills/internal/fault"
	"skills/internal/files"
	"skills/internal/lint"
	"skills/internal/loader"
	"skills/internal/printable"
)

const (
	maxFiles = 20_000   // of a skill, or that a run leaves
	maxBytes = 64 << 20 // of them together, and of an input
)

// answerKeys lists what a skill's folder has at its top that no run may read: the eval
// files, and the history that contains them.
var answerKeys = []string{
	"evals", "eval_set.json", "trigger_evals.json", ".git",
	"evaluations", "evals-extra", "eval.json", "eval.yaml", "trigger-eval.json", "trigger-evals.json", "triggers.json", "skill-tests.yaml", "promptfooconfig.yaml",
}

// snapshot is the content of a folder by slash-separated names. What runs may read is kept in
// memory, so that a run has it in its own folder only, and that all runs have the same.
type snapshot map[string]file

type file struct {
	Mode fs.FileMode
	Data []byte
}

// readFS reads all regular files; links are skipped. prefix begins their names, and
// except lists entries at the top that are not read.
func readFS(fsys fs.FS, prefix string, except ...string) (snapshot, error) {
	all, size := snapshot{}, int64(0)
	return all, fs.WalkDir(fsys, ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case slices.Contains(except, name) && entry.IsDir():
			return fs.SkipDir
		case slices.Contains(except, name) || !entry.Type().IsRegular():
			return nil
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		size += info.Size()
		if size > maxBytes || len(all) == maxFiles {
			return fmt.Errorf("%s has more than %d files or %d MiB", cmp.Or(prefix, "the folder"), maxFiles, maxBytes>>20)
		}
		mode := fs.FileMode(0o644)
		if info.Mode()&0o111 != 0 {
			mode = 0o755
		}
		data, err := fs.ReadFile(fsys, name)
		all[prefix+name] = file{mode, data}
		return err
	})
}

// readTar reads the regular files of a skill in an archive like readFS.
func readTar(archive []byte, prefix string) (snapshot, error) {
	all := snapshot{}
	for r := tar.NewReader(bytes.NewReader(archive)); ; {
		h, err := r.Next()
		if err == io.EOF {
			return all, nil
		} else if err != nil {
			return nil, err
		}
		top, _, _ := strings.Cut(h.Name, "/")
		if h.Typeflag != tar.TypeReg || slices.Contains(answerKeys, top) || !filepath.IsLocal(filepath.FromSlash(h.Name)) {
			continue
		}
		mode := fs.FileMode(0o644)
		if h.Mode&0o111 != 0 {
			mode = 0o755
		}
		data, err := io.ReadAll(r)
		if err != nil {
			return nil, err
		}
		all[prefix+h.Name] = file{mode, data}
	}
}

// choose returns the folders of the skills in paths that flags and configurations choose.
// No configuration excludes a skill whose path is named.
func choose(ctx context.Context, e *Eval, paths []string, o choice.Options) (chosen []string, err error) {
	chooser, err := choice.New(e.env.Dir, o, paths)
	if err != nil {
		return nil, err
	}
	found, err := lint.Find(ctx, loader.Search{}, paths)
	found = slices.DeleteFunc(found, func(f loader.Found) bool { return f.File == "" }) // a folder without a skill
	if err == nil && len(found) == 0 {
		return nil, fault.Usage("name a folder with a file SKILL.md, or one above it", "no skills found in %s", strings.Join(paths, ", "))
	}
	for _, f := range found {
		doc := loader.OpenDocument(loader.Found{Dir: f.Real, Real: f.Real, File: "SKILL.md"})
		summary := doc.Summary()
		if _, use := chooser.Use(f.Dir, cmp.Or(summary.Name, filepath.Base(f.Dir)), summary.Metadata); use {
			chosen = append(chosen, f.Real)
		}
	}
	if err == nil {
		err = chooser.End(e.o.Note)
	}
	if err == nil && len(chosen) == 0 && len(found) > 0 {
		err = fault.Usage("name a skill by its path, or pass --no-config", "no skill is left of %s", printable.Plural(len(found), "skill"))
	}
	return chosen, fault.AsUsageIfHinted(err)
}

// hidden returns the patterns of files that runs of the skill in a folder do not offer.
func (p planner) hidden(dir string) ([]string, error) {
	chooser, err := choice.New(p.env.Dir, choice.Options{Hide: p.o.Run.Skills.Choice.Hide, NoConfig: p.o.Run.Skills.Choice.NoConfig}, []string{dir})
	if err != nil || p.o.Demo {
		return nil, err
	}
	ext, _ := chooser.Use(dir, filepath.Base(dir), nil)
	return ext.Hide, chooser.End(func(string) {})
}

// readSkill reads the skill in a folder, below the folder's name.
func readSkill(dir string) (snapshot, error) {
	root, err := files.OpenFolder(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	return readFS(root.FS(), filepath.Base(dir)+"/", answerKeys...)
}

// loadSkill returns the skill in files as runs load it, nil if they cannot, and notices,
// which name its folder as place.
func (e *Eval) loadSkill(ctx context.Context, f snapshot, place string) (skill *loader.Skill, notices []loader.Notice, err error) {
	tmp, err := os.MkdirTemp(e.temp.Dir, "")
	if err != nil {
		return nil, nil, err
	}
	defer os.RemoveAll(tmp)
	if err := f.write(tmp); err != nil {
		return nil, nil, err
	}
	dir := tmp
	for name := range f {
		folder, _, _ := strings.Cut(name, "/")
		dir = filepath.Join(tmp, folder)
	}
	all, err := loader.Files([]string{dir}, loader.FilesOptions{Notify: func(n loader.Notice) {
		there := func(text string) string { return strings.ReplaceAll(text, dir, place) }
		n.Path, n.Message, n.Hint = there(n.Path), there(n.Message), there(n.Hint)
		notices = append(notices, n)
	}}).Skills(ctx)
	for _, s := range all {
		if s.Dir == dir {
			skill = s
		}
	}
	if skill == nil && len(notices) == 0 {
		notices = []loader.Notice{{Path: place, Message: "skill not loaded: it has no SKILL.md", Hint: "add one"}}
	}
	return skill, notices, err
}

// firstError returns the first problem of level error as a usage error, or nil.
func firstError(problems []suite.Problem) error {
	for _, p := range problems {
		if p.Level == suite.Error {
			return fault.Usage(p.Help, "%s:%d:%d: %s", p.Path, p.Line, p.Col, p.Message)
		}
	}
	return nil
}

// readInputs reads the inputs of the cases.
func (s *skillEval) readInputs() error {
	s.inputs = map[*suite.Case]snapshot{}
	for i := range s.suite.Cases {
		c := &s.suite.Cases[i]
		s.inputs[c] = snapshot{}
		for _, f := range c.Files {
			data, err := f.Read(maxBytes)
			if err != nil {
				return fault.Usage("correct the path in "+c.Path, "case %s: input %s: %w", c.ID, f.Path, err)
			}
			s.inputs[c][f.Path] = file{0o644, data}
		}
	}
	return nil
}

// write writes the files below a folder, which need not exist.
func (f snapshot) write(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for name, file := range f {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, file.Data, file.Mode); err != nil {
			return err
		}
	}
	return nil
}

// text returns the contents, one after another.
func (f snapshot) text() string {
	var b bytes.Buffer
	for _, file := range f {
		b.Write(file.Data)
		b.WriteByte('\n')
	}
	return b.String()
}

func digest(v any) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(printable.JSONText(v)))) }
