package builtin

import (
	"context"
	"errors"
	"io/fs"
	"strings"
)

type newSkill struct {
	Name        string            `json:"name" desc:"the skill's name, which is the folder's too: lowercase letters, digits, single hyphens"`
	Description string            `json:"description" desc:"what the skill does and when to use it, at most 1024 characters"`
	Text        string            `json:"instructions,omitempty" desc:"the body of SKILL.md in Markdown; without it an outline is written"`
	Files       map[string]string `json:"files,omitempty" desc:"further files: paths from the skill's folder, such as references/api.md, with their texts"`
	Folder      string            `json:"folder,omitempty" desc:"the folder to write the skill's folder into, from the working folder (skills)"`
	References  bool              `json:"references,omitempty" desc:"with a page under references/"`
	Script      bool              `json:"script,omitempty" desc:"with a Python script under scripts/"`
}

// create writes a new skill.
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
