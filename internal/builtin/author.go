package builtin

// The built-in skill for writing skills runs this program's own checks, so that an agent
// gets the verdict that its user will get. It works below the working directory, and
// never overwrites anything.

import (
	"context"
	_ "embed" // the skill's texts
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"skills/internal/files"
	"skills/internal/loader"
	"skills/internal/spec"
	"skills/internal/spec/rules"
)

//go:embed skill-author.md
var authorText string

//go:embed fields.md
var fieldsText string

// author is the skill for writing and checking skills, whose scripts share a folder.
type author struct {
	dir string // all paths are below it
}

func (a author) skill() (*loader.Skill, error) {
	return loader.Inline(loader.Frontmatter{
		Name:        "skill-author",
		Description: "Writes, reviews and fixes Agent Skills (SKILL.md). Use when a task asks for a new skill, or what is wrong with one.",
		License:     "MIT",
	}, authorText,
		loader.Value("fields", "The frontmatter's fields and their limits", fieldsText),
		loader.Value("rules", "All rules that validate checks", listRules()),
		loader.Function("validate", "Checks the skill in a folder and returns what it finds", a.validate),
		loader.Function("new", "Writes the skeleton of a new skill; never overwrites", a.create))
}

func listRules() string {
	var b strings.Builder
	b.WriteString("# Rules\n\n| rule | level | what it checks |\n|---|---|---|\n")
	for _, r := range rules.All() {
		fmt.Fprintf(&b, "| %s | %s | %s |\n", r.ID, r.Level, strings.ReplaceAll(r.Title, "|", `\|`))
	}
	return b.String()
}

// below returns the name of a model's path relative to the working directory,
// which root has open.
func (a author) below(path string) (name string, root *os.Root, err error) {
	name = filepath.Clean(filepath.FromSlash(strings.TrimSpace(path)))
	if filepath.IsAbs(name) {
		if rel, err := filepath.Rel(a.dir, name); err == nil {
			name = rel
		}
	}
	if !filepath.IsLocal(name) {
		return "", nil, fmt.Errorf("%s is not below the working folder %s", path, a.dir)
	}
	root, err = files.OpenFolder(a.dir)
	if err != nil {
		return "", nil, fmt.Errorf("opening the working folder: %w", err)
	}
	return name, root, nil
}

// maxFindings is how many findings are returned; the model can fix these first.
const maxFindings = 50

type validation struct {
	Path string `json:"path" desc:"the skill's folder or its SKILL.md, from the working folder"`
	All  bool   `json:"all,omitempty" desc:"advice too, not only errors and warnings"`
}

func (a author) validate(ctx context.Context, in validation) (string, error) {
	name, root, err := a.below(in.Path)
	if err != nil {
		return "", err
	}
	defer root.Close()
	info, err := root.Stat(name) // rejects links that lead out
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", fmt.Errorf("%s does not exist below the working folder %s", in.Path, a.dir)
	case err != nil:
		return "", fmt.Errorf("opening %s: %w", in.Path, err)
	case !info.IsDir():
		name = filepath.Dir(name)
	}
	found, err := loader.Search{}.Inspect(ctx, filepath.Join(a.dir, name))
	if err != nil {
		return "", err
	}
	if found.File == "" {
		return "", fmt.Errorf("%s is not a skill: a skill is a folder with a file SKILL.md in it; the script new writes one", in.Path)
	}
	doc := loader.OpenDocument(found)
	least := spec.Warning
	if in.All {
		least = spec.Info
	}
	return format(a.dir, rules.Check(doc, spec.Options{Least: least}), least), nil
}

// format formats findings, two lines each.
func format(dir string, found []spec.Diagnostic, least spec.Level) string {
	found = slices.DeleteFunc(found, func(d spec.Diagnostic) bool { return d.Level < least })
	if len(found) == 0 {
		return "The skill is valid: nothing to fix.\n"
	}
	var b strings.Builder
	counts := map[spec.Level]int{}
	for i, d := range found {
		counts[d.Level]++
		if i >= maxFindings {
			continue
		}
		d.Path = strings.TrimPrefix(d.Path, dir+string(filepath.Separator))
		fmt.Fprintf(&b, "%s: %s: %s [%s]\n", d.Place(), d.Level, d.Message, d.Rule)
		if d.Help != "" {
			fmt.Fprintf(&b, "  help: %s\n", d.Help)
		}
	}
	if more := len(found) - maxFindings; more > 0 {
		fmt.Fprintf(&b, "… and %d more\n", more)
	}
	verdict := "The skill is valid."
	if counts[spec.Error] > 0 {
		verdict = "The skill is not valid."
	}
	fmt.Fprintf(&b, "%s Errors: %d, warnings: %d, advice: %d.\n", verdict, counts[spec.Error], counts[spec.Warning], counts[spec.Info])
	return b.String()
}

type newSkill struct {
	Name        string            `json:"name" desc:"the skill's name, which is the folder's too: lowercase letters, digits, single hyphens"`
	Description string            `json:"description" desc:"what the skill does and when to use it, at most 1024 characters"`
	Text        string            `json:"instructions,omitempty" desc:"the body of SKILL.md in Markdown; without it an outline is written"`
	Files       map[string]string `json:"files,omitempty" desc:"further files: paths from the skill's folder, such as references/api.md, with their texts"`
	Folder      string            `json:"folder,omitempty" desc:"the folder to write the skill's folder into, from the working folder (skills)"`
	References  bool              `json:"references,omitempty" desc:"with a page under references/"`
	Script      bool              `json:"script,omitempty" desc:"with a Python script under scripts/"`
}

func (a author) create(_ context.Context, in newSkill) (string, error) {
	if strings.TrimSpace(in.Folder) == "" {
		in.Folder = "skills"
	}
	folder, root, err := a.below(in.Folder)
	if err != nil {
		return "", err
	}
	defer root.Close()
	s := Skeleton{Name: in.Name, Description: in.Description, Text: in.Text, Files: in.Files, References: in.References}
	if in.Script {
		s.Script = "python"
	}
	wrote, err := s.Create(root, folder)
	switch {
	case errors.Is(err, fs.ErrExist):
		return "", errors.New(strings.TrimSuffix(err.Error(), ": "+fs.ErrExist.Error()) + "; choose another name, or edit it")
	case err != nil:
		return "", err
	}
	next := "Now run validate."
	if strings.TrimSpace(in.Text) == "" {
		next = "Replace the text in angle brackets, then run validate."
	}
	return "Wrote " + strings.Join(wrote, ", ") + ".\n" + next, nil
}
