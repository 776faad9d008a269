package doctor

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"skills/internal/loader"
	"skills/internal/script"
)

// script checks what a script needs.
func (d *Doctor) script(ctx context.Context, s *loader.Skill, name string) []Check {
	file := script.Script{Skill: s.Name, Name: name, Dir: s.Dir}
	command, err := d.Runner.Command(file, nil)
	var lacks interface{ Needs() []string }
	var hinted interface{ Hint() string }
	c := Check{State: OK, Kind: "interpreter", For: []string{name}}
	switch {
	case err == nil:
		c.Path = d.Runner.Interpreter(command)
		c.Name = strings.TrimSuffix(filepath.Base(c.Path), ".exe")
	case errors.As(err, &lacks) && len(lacks.Needs()) > 0:
		c.State, c.Name = Missing, strings.Join(lacks.Needs(), " or ")
		c.Message = "not on PATH"
	default:
		c.State, c.Kind, c.Name, c.Message = Missing, "script", name, err.Error()
	}
	if errors.As(err, &hinted) {
		c.Hint = hinted.Hint()
	}
	head, _, err := loader.ReadFile(ctx, s.Dir, name, 0, maxHead)
	all := []Check{c}
	m, ok := script.InlineMetadata(head)
	if err == nil && ok && c.State == OK {
		all = d.inline(ctx, c, m)
	}
	all[0] = d.shebang(all[0], head)
	fault := script.InlineFault(head)
	if _, understood := parseSpecifier(m.Python); fault == "" && !understood {
		fault = fmt.Sprintf("requires-python is no version specifier: %q", m.Python)
	}
	if fault != "" {
		all = append(all, Check{State: Unsure, Kind: "script", Name: name, For: []string{name}, Message: name + ": " + fault,
			Hint: "write it as PEP 723 has it (packaging.python.org): uv refuses what is not"})
	}
	return all
}

// maxHead is how far into a file its metadata is looked for.
const maxHead = 64 << 10

// inline checks what a Python file says it needs, beside its interpreter. uv
// brings it along; without uv nothing short of running the file can tell.
func (d *Doctor) inline(ctx context.Context, by Check, m script.Inline) []Check {
	const hint = "install uv (docs.astral.sh/uv), which brings along what a script asks for"
	if by.Name == "uv" {
		return []Check{by}
	}
	if wanted, ok := parseSpecifier(m.Python); ok && len(wanted) > 0 {
		by.Hint = hint
		by = d.versioned(ctx, by, wanted)
	}
	if len(m.Dependencies) == 0 {
		return []Check{by}
	}
	return []Check{by, {
		State: Unsure, Kind: "dependencies", Name: strings.Join(m.Dependencies, ", "), For: by.For,
		Message: "uv is not on PATH, so " + by.Name + " has to have them installed", Hint: hint,
	}}
}
