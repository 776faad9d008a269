package builtin

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"skills/internal/loader"
)

type skeleton struct {
	Name        string            `json:"name" desc:"the skill's name, which is the folder's too: lowercase letters, digits, single hyphens"`
	Description string            `json:"description" desc:"what the skill does and when to use it, at most 1024 characters"`
	Text        string            `json:"instructions,omitempty" desc:"the body of SKILL.md in Markdown; without it a skeleton is written"`
	Files       map[string]string `json:"files,omitempty" desc:"further files: paths from the skill's folder, such as references/api.md, with their texts"`
	Folder      string            `json:"folder,omitempty" desc:"the folder to write the skill's folder into, from the working folder (skills)"`
	References  bool              `json:"references,omitempty" desc:"with a page under references/"`
	Script      bool              `json:"script,omitempty" desc:"with a Python script under scripts/"`
}

// create writes a new skill: what it is given, or a skeleton without findings.
func (a author) create(_ context.Context, in skeleton) (string, error) {
	f := loader.Frontmatter{Name: in.Name, Description: in.Description}
	if err := f.Check(); err != nil {
		return "", err
	}
	for _, name := range slices.Sorted(maps.Keys(in.Files)) {
		if !filepath.IsLocal(filepath.FromSlash(name)) || strings.ContainsAny(name, "\\:") {
			return "", fmt.Errorf("%q is not a path in the skill's folder", name)
		}
	}
	in.Folder = cmp.Or(strings.TrimSpace(in.Folder), "skills")
	folder, root, err := a.below(in.Folder)
	if err != nil {
		return "", err
	}
	defer root.Close()
	if err := root.MkdirAll(folder, 0o755); err != nil {
		return "", fmt.Errorf("making the folder %s: %w", in.Folder, err)
	}
	dir := filepath.Join(folder, in.Name)
	switch err := root.Mkdir(dir, 0o755); {
	case errors.Is(err, fs.ErrExist):
		return "", fmt.Errorf("%s exists, and nothing was changed: choose another name, or edit it", filepath.ToSlash(dir))
	case err != nil:
		return "", fmt.Errorf("making the skill's folder: %w", err)
	}
	var wrote []string
	for _, file := range in.files(f) {
		name := filepath.Join(dir, filepath.FromSlash(file.name))
		if err := write(root, name, file.text); err != nil {
			// The folder was created by this call: half a skill helps nobody.
			return "", errors.Join(fmt.Errorf("writing %s: %w", filepath.ToSlash(name), err), root.RemoveAll(dir))
		}
		wrote = append(wrote, filepath.ToSlash(name))
	}
	next := "Now run validate."
	if strings.TrimSpace(in.Text) == "" {
		next = "Replace the text in angle brackets, then run validate."
	}
	return "Wrote " + strings.Join(wrote, ", ") + ".\n" + next, nil
}

type skeletonFile struct{ name, text string }

// files are the files of the skeleton, SKILL.md first.
func (in skeleton) files(f loader.Frontmatter) []skeletonFile {
	body := "\n# " + strings.ReplaceAll(in.Name, "-", " ") + "\n\n1. <what to do first>\n2. <what to do then>\n"
	var more []skeletonFile
	if in.References {
		body += "\nRead [references/details.md](references/details.md) when <what only some tasks need>.\n"
		more = append(more, skeletonFile{"references/details.md", "# Details\n\n<what the body sends the reader here for>\n"})
	}
	if in.Script {
		body += "\nRun `scripts/main.py --input FILE`; it prints <what> as JSON.\n"
		more = append(more, skeletonFile{"scripts/main.py", script})
	}
	body += "\nIf <something> fails, say so instead of guessing.\n"
	if text := strings.TrimSpace(in.Text); text != "" {
		body = "\n" + text + "\n"
	}
	for _, name := range slices.Sorted(maps.Keys(in.Files)) {
		more = append(more, skeletonFile{path.Clean(name), in.Files[name]})
	}
	return append([]skeletonFile{{"SKILL.md", f.Text() + body}}, more...)
}

const script = `#!/usr/bin/env python3
"""<what it does>: reads a file and prints the result as JSON."""

import argparse
import json
from pathlib import Path


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--input", type=Path, required=True, help="the file to read")
    args = parser.parse_args()
    print(json.dumps({"characters": len(args.input.read_text(encoding="utf-8"))}))


if __name__ == "__main__":
    main()
`

// write creates a file, executable if it has a shebang.
func write(root *os.Root, name, text string) error {
	if err := root.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	mode := fs.FileMode(0o644)
	if strings.HasPrefix(text, "#!") {
		mode = 0o755
	}
	f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Close())
}
