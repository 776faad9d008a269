package builtin

// A new skill passes every check, and its texts in <> say what to write there. Its files
// are templates that are filled in; nothing that exists is replaced.

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"skills/internal/eval/suite"
	"skills/internal/files"
	"skills/internal/loader"
	"skills/internal/spec"
	"skills/internal/spec/rules"
)

// Skeleton describes a new skill.
type Skeleton struct {
	Name        string
	Description string
	License     string            // or ""
	Text        string            // the body of SKILL.md; "" for an outline
	Files       map[string]string // further files: text by path relative to the skill's folder
	References  bool              // with a page under references/
	Script      string            // with a script in one of ScriptKinds, or ""
	Evals       bool              // with evals/evals.json and evals/triggers.json
}

//go:embed skeleton
var templates embed.FS

// scriptKinds maps languages to the names of a skeleton's scripts.
var scriptKinds = map[string]string{"python": "main.py", "bash": "main.sh", "node": "main.mjs"}

// ScriptKinds returns the values of Skeleton.Script, sorted.
func ScriptKinds() []string { return slices.Sorted(maps.Keys(scriptKinds)) }

// Create writes the skill into a new folder with its name below folder in root,
// and returns the paths of its files in that folder. It never overwrites: the
// error is fs.ErrExist if the skill's folder exists. On error, nothing is left
// behind. Without Text and Files the skill passes validate --strict.
func (s Skeleton) Create(root *os.Root, folder string) (wrote []string, err error) {
	if err := s.Check(); err != nil {
		return nil, err
	}
	if err := root.MkdirAll(folder, 0o755); err != nil {
		return nil, fmt.Errorf("creating the folder %s: %w", folder, err)
	}
	dir := filepath.Join(folder, s.Name)
	if err := root.Mkdir(dir, 0o755); err != nil {
		if errors.Is(err, fs.ErrExist) {
			return nil, fmt.Errorf("%s exists; nothing was changed: %w", filepath.ToSlash(dir), fs.ErrExist)
		}
		return nil, fmt.Errorf("creating the skill's folder: %w", err)
	}
	for _, file := range s.files() {
		name := filepath.Join(dir, filepath.FromSlash(file.name))
		if err := write(root, name, file.text); err != nil {
			// This call created the folder, so an incomplete skill is removed.
			return nil, errors.Join(fmt.Errorf("writing %s: %w", filepath.ToSlash(name), err), root.RemoveAll(dir))
		}
		wrote = append(wrote, filepath.ToSlash(name))
	}
	return wrote, nil
}

// CreateIn is like Create for a folder that is relative to dir, an absolute path, and may
// be a link. The paths begin with the folder.
func (s Skeleton) CreateIn(dir, folder string) (wrote []string, err error) {
	base := files.Absolute(dir, folder)
	if err := os.MkdirAll(base, 0o755); err != nil {
		return nil, err
	}
	root, err := files.OpenFolder(base)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	wrote, err = s.Create(root, ".")
	for i, file := range wrote {
		wrote[i] = filepath.ToSlash(filepath.Join(folder, file))
	}
	return wrote, err
}

// Folder returns the folder for new skills, relative to dir: the first of those that a run
// searches, up to the repository's root, that exists, else skills.
func Folder(dir string) string {
	for _, root := range loader.DefaultRoots(dir, "") {
		if info, err := os.Stat(root); err == nil && info.IsDir() {
			rel, err := filepath.Rel(dir, root)
			if err == nil {
				return rel
			}
		}
	}
	return "skills"
}

// Findings returns what validate --strict reports about the frontmatter.
func (s Skeleton) Findings() []spec.Diagnostic {
	return rules.Check(loader.ParseDocument(spec.FileName, "", []byte(s.frontmatter().Text())), spec.Options{Least: spec.Warning})
}

func (s Skeleton) frontmatter() loader.Frontmatter {
	return loader.Frontmatter{Name: s.Name, Description: s.Description, License: s.License}
}

// Check returns an error if a field violates the specification, or a file is
// outside the skill.
func (s Skeleton) Check() error {
	for _, name := range slices.Sorted(maps.Keys(s.Files)) {
		if !filepath.IsLocal(filepath.FromSlash(name)) || strings.ContainsAny(name, "\\:") {
			return fmt.Errorf("%q is not a path in the skill's folder", name)
		}
	}
	return s.frontmatter().Check()
}

type skeletonFile struct{ name, text string }

// files returns the files of the skeleton, SKILL.md first.
func (s Skeleton) files() []skeletonFile {
	body := "\n# " + strings.ReplaceAll(s.Name, "-", " ") + "\n\n1. <what to do first>\n2. <what to do next>\n"
	var more []skeletonFile
	if s.References {
		body += "\nRead [references/details.md](references/details.md) when <what only some tasks need>.\n"
		more = append(more, skeletonFile{"references/details.md", "# Details\n\n<what the body sends the reader here for>\n"})
	}
	if script := scriptKinds[s.Script]; script != "" {
		body += "\nRun `scripts/" + script + " --input FILE`. It prints <what> as JSON.\n"
		text, _ := templates.ReadFile("skeleton/" + script) // embedded, so it exists
		more = append(more, skeletonFile{"scripts/" + script, string(text)})
	}
	if s.Evals {
		evals := suite.Templates(s.Name)
		for _, name := range slices.Sorted(maps.Keys(evals)) {
			more = append(more, skeletonFile{name, evals[name]})
		}
	}
	body += "\nIf <something> fails, say so instead of guessing.\n"
	if text := strings.TrimSpace(s.Text); text != "" {
		body = "\n" + text + "\n"
	}
	for _, name := range slices.Sorted(maps.Keys(s.Files)) {
		more = append(more, skeletonFile{path.Clean(name), s.Files[name]})
	}
	return append([]skeletonFile{{"SKILL.md", s.frontmatter().Text() + body}}, more...)
}

// write creates a file, executable if it starts with a shebang.
func write(root *os.Root, name, text string) error {
	mode := fs.FileMode(0o644)
	if strings.HasPrefix(text, "#!") {
		mode = 0o755
	}
	if err := root.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Close())
}
