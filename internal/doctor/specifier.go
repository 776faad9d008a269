package doctor

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Specifier says which versions will do: all its clauses must allow one.
type Specifier []clause

// clause is one bound. any says that the version ends in ".*": further numbers
// are disregarded.
type clause struct {
	op, version string
	any         bool
}

// clauseForm is a clause of PEP 440. Marks of pre- and post-releases are
// disregarded: programs print their numbers only.
var clauseForm = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)^(~=|===|==|!=|<=|>=|<|>)\s*v?(\d+(?:\.\d+)*)(?:[-_.]?(?:alpha|beta|preview|pre|post|rev|dev|rc|a|b|c|r)[-_.]?\d*)*(\.\*)?$`)
})

// ParseSpecifier reads clauses separated by commas, as ">=3.9, <4". The empty
// text allows every version; ok is false if the text is not valid.
func ParseSpecifier(text string) (s Specifier, ok bool) {
	for one := range strings.SplitSeq(text, ",") {
		if one = strings.TrimSpace(one); one == "" {
			continue
		}
		found := clauseForm().FindStringSubmatch(one)
		if found == nil {
			return nil, false
		}
		c := clause{found[1], found[2], found[3] != ""}
		if c.any && c.op != "==" && c.op != "!=" || c.op == "~=" && !strings.Contains(c.version, ".") {
			return nil, false
		}
		s = append(s, c)
	}
	return s, true
}

// Allows reports whether a version will do.
func (s Specifier) Allows(version string) bool {
	return !slices.ContainsFunc(s, func(c clause) bool { return !c.allows(version) })
}

func (c clause) allows(version string) bool {
	parts := strings.Split(version, ".")
	if n := strings.Count(c.version, ".") + 1; c.any && n < len(parts) {
		version = strings.Join(parts[:n], ".")
	}
	order := compare(version, c.version)
	switch c.op {
	case "<":
		return order < 0
	case "<=":
		return order <= 0
	case ">":
		return order > 0
	case "!=":
		return order != 0
	case "==", "===":
		return order == 0
	case "~=": // all its numbers but the last stay
		same := c.version[:strings.LastIndexByte(c.version, '.')]
		return order >= 0 && clause{"==", same, true}.allows(version)
	}
	return order >= 0
}

// least is the version of a specifier that is only a lowest one.
func (s Specifier) least() (version string, ok bool) {
	if len(s) != 1 || s[0].op != ">=" {
		return "", false
	}
	return s[0].version, true
}

// String writes the clauses, a lowest version alone as that version.
func (s Specifier) String() string {
	if version, ok := s.least(); ok {
		return version
	}
	var out []string
	for _, c := range s {
		text := c.op + c.version
		if c.any {
			text += ".*"
		}
		out = append(out, text)
	}
	return strings.Join(out, ",")
}

// compare orders two versions. Numbers that one of them lacks count as 0.
func compare(a, b string) int { return slices.Compare(numbers(a), numbers(b)) }

// numbers are those of a version, without zeros at the end.
func numbers(version string) (list []int) {
	for field := range strings.SplitSeq(version, ".") {
		n, _ := strconv.Atoi(field) // digits only; the highest number on overflow
		list = append(list, n)
	}
	for len(list) > 0 && list[len(list)-1] == 0 {
		list = list[:len(list)-1]
	}
	return list
}
