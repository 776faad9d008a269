package approve

import (
	"fmt"
	"path"
	"strings"

	"skills/internal/fault"
)

// Pattern is a value of --allow-script or --allow-tool: an owner and a part of it.
type Pattern struct {
	Text        string
	owner, part string // patterns for path.Match; slashes in part are replaced
}

// ParsePattern parses a pattern such as "pdf/*". The error is a *fault.Error; owner and
// part name the two components in its text.
func ParsePattern(text, owner, part string) (Pattern, error) {
	before, after, ok := strings.Cut(text, "/")
	if !ok || before == "" || after == "" {
		return Pattern{}, &fault.Error{
			Message: fmt.Sprintf("the pattern %q does not name a %s and a %s", text, owner, part),
			Hint:    fmt.Sprintf("write %s/%s, for example '%s/*' for all %ss of a %s", owner, part, strings.Trim(text, "/"), part, owner),
		}
	}
	p := Pattern{Text: text, owner: before, part: flat(after)}
	for _, component := range []string{p.owner, p.part} {
		if _, err := path.Match(component, ""); err != nil {
			return Pattern{}, &fault.Error{Message: fmt.Sprintf("the pattern %q is malformed", text), Hint: "close every [, and put a character after every \\"}
		}
	}
	return p, nil
}

// Matches reports whether the pattern matches a part of an owner, such as a script as
// its skill lists it.
func (p Pattern) Matches(owner, part string) bool {
	match, _ := path.Match(p.part, flat(part)) // the patterns are valid
	return match && p.MatchesOwner(owner)
}

// MatchesOwner reports whether the pattern can match parts of an owner.
func (p Pattern) MatchesOwner(owner string) bool {
	match, _ := path.Match(p.owner, owner)
	return match
}

// flat replaces slashes, which * does not match, by a byte that no file name contains.
func flat(name string) string { return strings.ReplaceAll(name, "/", "\x00") }
