// Package doctor checks whether the requirements of skills are installed:
// interpreters for their scripts, and the programs that their compatibility
// field names or their commands start. It runs nothing from a skill, installs
// nothing, changes no file and does not use the network.
package doctor

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"skills/internal/fault"
	"skills/internal/loader"
	"skills/internal/pymeta"
	"skills/internal/script"
	"skills/internal/spec/rules"
)

// State is the result of a check.
type State string

const (
	OK      State = "ok"
	Missing State = "missing" // required but not installed
	Unsure  State = "warning" // may be required, or could not be determined
)

// Check is the result for one requirement.
type Check struct {
	State   State    `json:"state"`
	Kind    string   `json:"kind"`    // interpreter, dependencies, command, script or skill
	Name    string   `json:"name"`    // the requirement
	For     []string `json:"for"`     // the files that need it; [] if the compatibility field names it
	Path    string   `json:"path"`    // where it was found, or ""
	Version string   `json:"version"` // its version, "" if not determined
	Wanted  string   `json:"wanted"`  // the minimum version, or a specifier such as ">=3.9,<4"; "" for any
	Message string   `json:"message"` // what is wrong, or ""
	Hint    string   `json:"hint"`    // how to fix it
}

// Skill is the result for one skill.
type Skill struct {
	Name   string  `json:"name"`
	Path   string  `json:"path"` // its folder, or ""
	OK     bool    `json:"ok"`   // nothing required is missing
	Checks []Check `json:"checks"`
}

// Doctor checks the requirements of skills.
type Doctor struct {
	// Runner is the runner whose programs are checked.
	Runner *script.Runner

	versions map[string]string // cache by path
}

// Examine checks one skill. The error is the context's.
func (d *Doctor) Examine(ctx context.Context, s *loader.Skill) (Skill, error) {
	out := Skill{Name: s.Name, Path: s.Dir, Checks: []Check{}}
	contents, err := s.Contents(ctx)
	if err != nil {
		out.Checks = append(out.Checks, Check{State: Missing, Kind: "skill", Name: s.Name, For: []string{}, Message: err.Error()})
	}
	for _, x := range contents.Scripts {
		if s.Dir != "" {
			for _, c := range d.checkScript(ctx, s, x.Name) {
				out.Checks = addCheck(out.Checks, c)
			}
		}
	}
	wanted := recognise(s.Compatibility)
	if s.Dir != "" {
		doc := loader.OpenDocument(loader.Found{Dir: s.Dir, Real: s.Dir, File: filepath.Base(s.Location)})
		for _, n := range rules.Needs(doc) {
			wanted = join(wanted, []requirement{{Name: n.File, Choices: []choice{{File: n.File}}, Install: n.Install, Soft: true, In: n.In}})
		}
	}
	for _, r := range wanted {
		c := d.checkCommand(ctx, r)
		same := func(o Check) bool { return o.State == OK && c.State == OK && o.Path == c.Path && c.Wanted == "" }
		if !slices.ContainsFunc(out.Checks, same) { // not already checked as an interpreter
			out.Checks = append(out.Checks, c)
		}
	}
	out.OK = !slices.ContainsFunc(out.Checks, func(c Check) bool { return c.State == Missing })
	return out, context.Cause(ctx)
}

// addCheck adds a check, or adds its files to a check with the same result.
func addCheck(all []Check, c Check) []Check {
	for i, a := range all {
		if isSame(a, c) {
			all[i].For = append(a.For, c.For...)
			return all
		}
	}
	return append(all, c)
}

// isSame reports whether two checks are of the same program with the same result.
func isSame(a, b Check) bool {
	return a.Kind == b.Kind && a.Name == b.Name && a.Wanted == b.Wanted && a.State == b.State && a.Path == b.Path && a.Message == b.Message
}

// checkCommand checks a program that the compatibility field names. Of several
// alternatives it returns the best result.
func (d *Doctor) checkCommand(ctx context.Context, r requirement) Check {
	from := []string{}
	if r.In != "" {
		from = append(from, r.In)
	}
	best := Check{Kind: "command", Name: r.Name, For: from, Hint: r.Install, State: Missing, Message: "not on PATH", Wanted: r.Choices[0].Wanted.String()}
	if r.Soft {
		best.State = Unsure
	}
	for _, choice := range r.Choices {
		path, ok := d.Runner.Find(choice.File)
		if !ok {
			continue
		}
		found := d.checkVersion(ctx, Check{State: OK, Kind: "command", Name: r.Name, For: from, Hint: r.Install, Path: path}, choice.Wanted)
		if found.State == OK {
			return found
		}
		if best.Path == "" || found.State == Unsure {
			best = found
		}
	}
	return best
}

// Find loads the skills at the paths, or at the optional roots if there are no
// paths. Every path must contain a usable skill, otherwise the error is a
// *fault.Error. The first skill of each name counts. Other errors are those of
// loading.
func Find(ctx context.Context, paths, roots []string, notify loader.Notify) ([]*loader.Skill, error) {
	named := len(paths) > 0
	if named {
		roots = paths
	}
	var all []*loader.Skill
	for _, root := range roots {
		if _, err := os.Stat(root); err != nil && named {
			return nil, &fault.Error{Message: root + " does not exist", Hint: "check the path and the current directory"}
		}
		found, err := loader.Files([]string{root}, loader.FilesOptions{Optional: !named, Notify: notify}).Skills(ctx)
		if err != nil {
			return nil, err
		}
		if len(found) == 0 && named {
			return nil, &fault.Error{Message: "no usable skill in " + root, Hint: "a skill is a folder with a file SKILL.md in it; skills validate says what is wrong with one"}
		}
		all = append(all, found...)
	}
	return loader.Deduplicate(loader.Memory(all...), notify).Skills(ctx)
}

// maxHead is how many bytes of a file are read for its shebang and metadata.
const maxHead = 64 << 10

func (d *Doctor) checkScript(ctx context.Context, s *loader.Skill, name string) []Check {
	command, err := d.Runner.Command(script.Script{Skill: s.Name, Name: name, Dir: s.Dir}, nil)
	var lacks *script.Missing
	c := Check{State: OK, Kind: "interpreter", For: []string{name}}
	switch {
	case err == nil:
		c.Path = command[0]
		c.Name = strings.TrimSuffix(filepath.Base(c.Path), ".exe")
	case errors.As(err, &lacks):
		c.State, c.Name, c.Message = Missing, strings.Join(lacks.Programs, " or "), "not on PATH"
	default:
		c.State, c.Kind, c.Name, c.Message = Missing, "script", name, err.Error()
	}
	c.Hint = fault.Hint(err)
	head, _, _ := loader.ReadFile(ctx, s.Dir, name, 0, maxHead)
	all := []Check{c}
	m, ok := pymeta.Read(head)
	if ok && c.State == OK {
		all = d.checkInline(ctx, c, m)
	}
	all[0] = d.checkShebang(all[0], head)
	fault := m.Fault
	if _, valid := parseSpecifier(m.Python); fault == "" && !valid {
		fault = fmt.Sprintf("requires-python is not a version specifier: %q", m.Python)
	}
	if fault != "" {
		all = append(all, Check{State: Unsure, Kind: "script", Name: name, For: []string{name}, Message: name + ": " + fault,
			Hint: "follow PEP 723 (packaging.python.org): uv rejects anything else"})
	}
	return all
}

// checkInline checks the PEP 723 metadata of a Python file. uv installs the
// dependencies; without uv, only running the file shows whether they are met.
func (d *Doctor) checkInline(ctx context.Context, by Check, m pymeta.Metadata) []Check {
	const hint = "install uv (docs.astral.sh/uv), which provides the Python and the dependencies that a script names"
	if by.Name == "uv" {
		return []Check{by}
	}
	if wanted, ok := parseSpecifier(m.Python); ok && len(wanted) > 0 {
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

// checkShebang reports a shebang whose program is missing even if another
// program can run the script: other clients run only the shebang's program.
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
	unremarkable := c.State == OK && c.Message == ""
	if unremarkable && (c.Name != "uv" || name == "uv") {
		c.State = Unsure
		c.Message = fmt.Sprintf("the shebang line names %s, which is not installed; this one is run instead", named)
		c.Hint = "write #!/usr/bin/env " + c.Name
	}
	return c
}
