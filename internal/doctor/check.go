package doctor

import (
	"context"
	"fmt"
	"slices"

	"skills/internal/loader"
	"skills/internal/script"
)

// State says what came of a check.
type State string

const (
	OK      State = "ok"
	Missing State = "missing" // the skill needs it, and it is not here
	Unsure  State = "warning" // it may be needed, or nothing can tell
)

// Check is one thing that a skill needs.
type Check struct {
	State   State    `json:"state"`
	Kind    string   `json:"kind"`    // interpreter, dependencies, command, script or skill
	Name    string   `json:"name"`    // what is needed
	For     []string `json:"for"`     // the scripts that need it; [] where the compatibility field names it
	Path    string   `json:"path"`    // where it is, "" for nowhere
	Version string   `json:"version"` // which it is, "" where it was not asked
	Wanted  string   `json:"wanted"`  // the lowest version that will do, or a specifier such as ">=3.9,<4"; "" for any
	Message string   `json:"message"` // what is wrong, "" for nothing
	Hint    string   `json:"hint"`    // what to do about it
}

// Skill is what was found out about a skill.
type Skill struct {
	Name   string  `json:"name"`
	Path   string  `json:"path"` // its folder; "" where it has none
	OK     bool    `json:"ok"`   // nothing that it needs is missing
	Checks []Check `json:"checks"`
}

// Doctor examines skills.
type Doctor struct {
	// Runner would run their scripts: what it finds is what they get.
	Runner *script.Runner

	versions map[string]answer // what programs said, by path
}

// Examine checks one skill. The error is that of the context.
func (d *Doctor) Examine(ctx context.Context, s *loader.Skill) (Skill, error) {
	out := Skill{Name: s.Name, Path: s.Dir, Checks: []Check{}}
	contents, err := s.Contents(ctx)
	if err != nil {
		out.Checks = append(out.Checks, Check{State: Missing, Kind: "skill", Name: s.Name, Message: err.Error()})
	}
	for _, x := range contents.Scripts {
		if x.Call == nil && s.Dir != "" {
			for _, c := range d.script(ctx, s, x.Name) {
				out.Checks = together(out.Checks, c)
			}
		}
	}
	if c, ok := unlisted(s); ok {
		out.Checks = append(out.Checks, c)
	}
	for _, r := range Recognise(s.Compatibility) {
		c := d.command(ctx, r)
		same := func(o Check) bool { return o.State == OK && c.State == OK && o.Path == c.Path && c.Wanted == "" }
		if !slices.ContainsFunc(out.Checks, same) { // its interpreter, once more
			out.Checks = append(out.Checks, c)
		}
	}
	out.OK = !slices.ContainsFunc(out.Checks, func(c Check) bool { return c.State == Missing })
	for i := range out.Checks {
		if out.Checks[i].For == nil {
			out.Checks[i].For = []string{}
		}
	}
	return out, context.Cause(ctx)
}

// together adds a check, or its script to one that says the same.
func together(all []Check, c Check) []Check {
	for i := range all {
		a, b := all[i], c
		a.For, b.For = nil, nil
		if a.Kind == b.Kind && a.Name == b.Name && a.State == b.State && a.Path == b.Path && a.Wanted == b.Wanted && a.Message == b.Message {
			all[i].For = append(all[i].For, c.For...)
			return all
		}
	}
	return append(all, c)
}

// command checks a program that the compatibility field names: of several that
// will do, the one that does best.
func (d *Doctor) command(ctx context.Context, r Requirement) Check {
	c := Check{State: OK, Kind: "command", Name: r.Name, Hint: r.Install}
	best := Check{}
	for _, choice := range r.Choices {
		if path, ok := d.Runner.Find(choice.Program); ok {
			c.Path = path
			if got := d.versioned(ctx, c, choice.Wanted); best.Path == "" || rank(got.State) > rank(best.State) {
				best = got
			}
		}
	}
	if best.Path == "" {
		best = c
		best.State, best.Message, best.Wanted = Missing, "not on PATH", r.Choices[0].Wanted.String()
		if r.Unknown {
			best.Message = "not on PATH, if a program is meant"
		}
	}
	if r.Soft && best.Path == "" {
		best.State = Unsure
	}
	return best
}

// rank orders states, the worst first.
func rank(s State) int { return slices.Index([]State{Missing, Unsure, OK}, s) }

// versioned asks a program for its version, where some will not do.
func (d *Doctor) versioned(ctx context.Context, c Check, wanted specifier) Check {
	c.Wanted = wanted.String()
	if len(wanted) == 0 {
		c.Hint = ""
		return c
	}
	told := d.version(ctx, c.Path)
	c.Version = told.version
	switch least, only := wanted.least(); {
	case c.Version == "":
		c.State, c.Message, c.Hint = Unsure, fmt.Sprintf("%s is wanted, and its version is not known", wanted.told()), ""
		if told.why != "" {
			c.Message += ": " + told.why
		}
	case wanted.allows(c.Version):
		c.Hint = ""
	case only:
		c.State, c.Message = Missing, fmt.Sprintf("%s is older than %s", c.Version, least)
	default:
		c.State, c.Message = Missing, fmt.Sprintf("%s is here, and %s is wanted", c.Version, wanted)
	}
	return c
}
