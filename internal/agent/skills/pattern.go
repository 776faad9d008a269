package skills

import (
	"fmt"
	"path"
	"strings"
)

// pattern is one --allow-script.
type pattern struct {
	text          string
	skill, script string // patterns of path.Match; the script's with slashes replaced
}

func newPattern(text string) (pattern, error) {
	skill, script, ok := strings.Cut(text, "/")
	if !ok || skill == "" || script == "" {
		return pattern{}, &hintedError{
			text: fmt.Sprintf("the pattern %q does not name a skill and a script", text),
			hint: fmt.Sprintf("write skill/script, for example '%s/*' for all scripts of a skill", strings.Trim(text, "/")),
		}
	}
	p := pattern{text: text, skill: skill, script: flat(script)}
	for _, part := range []string{p.skill, p.script} {
		if _, err := path.Match(part, ""); err != nil {
			return pattern{}, &hintedError{
				text: fmt.Sprintf("the pattern %q is malformed", text),
				hint: "close every [, and put a character after every \\",
			}
		}
	}
	return p, nil
}

// matches reports whether the pattern matches a script, by the names as the
// skill lists them.
func (p pattern) matches(skill, script string) bool {
	one, err := path.Match(p.skill, skill)
	if err != nil || !one {
		return false
	}
	two, err := path.Match(p.script, flat(script))
	return err == nil && two
}

// flat replaces slashes, which path.Match's * does not match, by a byte that no
// name of a file can hold.
func flat(name string) string { return strings.ReplaceAll(name, "/", "\x00") }
