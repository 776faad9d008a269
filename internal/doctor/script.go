package doctor

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"

	"skills/internal/loader"
	"skills/internal/script"
)

// maxHead is how much of a file is read for its shebang line and metadata.
const maxHead = 64 << 10

// checkScript checks what a script needs.
func (d *Doctor) checkScript(ctx context.Context, s *loader.Skill, name string) []Check {
	command, err := d.Runner.Command(script.Script{Skill: s.Name, Name: name, Dir: s.Dir}, nil)
	var lacks interface{ Needs() []string }
	var hinted interface{ Hint() string }
	c := Check{State: OK, Kind: "interpreter", For: []string{name}}
	switch {
	case err == nil:
		c.Path = command[0]
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
		all = d.checkInline(ctx, c, m)
	}
	all[0] = d.checkShebang(all[0], head)
	fault := m.Fault
	if _, valid := ParseSpecifier(m.Python); fault == "" && !valid {
		fault = fmt.Sprintf("requires-python is not a version specifier: %q", m.Python)
	}
	if fault != "" {
		all = append(all, Check{State: Unsure, Kind: "script", Name: name, For: []string{name}, Message: name + ": " + fault,
			Hint: "follow PEP 723 (packaging.python.org): uv rejects anything else"})
	}
	return all
}

// checkInline checks the PEP 723 metadata of a Python file. uv provides what it
// asks for; without uv only running the file can tell.
func (d *Doctor) checkInline(ctx context.Context, by Check, m script.Inline) []Check {
	const hint = "install uv (docs.astral.sh/uv), which provides a script's dependencies"
	if by.Name == "uv" {
		return []Check{by}
	}
	if wanted, ok := ParseSpecifier(m.Python); ok && len(wanted) > 0 {
		by.Hint = hint
		by = d.checkVersion(ctx, by, wanted)
	}
	if len(m.Dependencies) == 0 {
		return []Check{by}
	}
	return []Check{by, {
		State: Unsure, Kind: "dependencies", Name: strings.Join(m.Dependencies, ", "), For: by.For,
		Message: "uv is not on PATH, so " + by.Name + " must have them installed", Hint: hint,
	}}
}

// checkShebang reports a shebang line whose program is missing although another
// one runs the script: other clients run what it names and nothing else.
func (d *Doctor) checkShebang(c Check, head []byte) Check {
	named := script.Shebang(head)
	name := named[strings.LastIndex(named, "/")+1:]
	if named == "" || runtime.GOOS == "windows" || c.Kind != "interpreter" {
		return c
	}
	if name == named || filepath.IsAbs(named) {
		if _, found := d.Runner.Find(named); found {
			return c
		}
	}
	if c.State == OK && c.Message == "" && (c.Name != "uv" || name == "uv") {
		c.State = Unsure
		c.Message = fmt.Sprintf("the shebang line names %s, which is not installed; this one is run instead", named)
		c.Hint = "write #!/usr/bin/env " + c.Name
	}
	return c
}
