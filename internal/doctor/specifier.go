package doctor

import (
	"regexp"
	"strings"
	"sync"
)

// specifier says which versions will do: its clauses together.
type specifier []clause

// clause is one bound. any says that the version ends in ".*": more numbers
// behind it change nothing.
type clause struct {
	op, version string
	any         bool
}

// clauseForm is a clause as PEP 440 writes it. What marks a version that came
// before or after a release is passed over: programs tell their numbers only.
var clauseForm = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)^(~=|===|==|!=|<=|>=|<|>)\s*v?(\d+(?:\.\d+)*)(?:[-_.]?(?:alpha|beta|preview|pre|post|rev|dev|rc|a|b|c|r)[-_.]?\d*)*(\.\*)?$`)
})

// parseSpecifier reads clauses with commas between them, as ">=3.9, <4". The
// empty text allows every version; ok says whether the text can be understood.
func parseSpecifier(text string) (s specifier, ok bool) {
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

// allows reports whether a version will do.
func (s specifier) allows(version string) bool {
	for _, c := range s {
		if !c.allows(version) {
			return false
		}
	}
	return true
}

func (c clause) allows(version string) bool {
	if c.any {
		version = prefix(version, strings.Count(c.version, ".")+1)
	}
	older, newer := Older(version, c.version), Older(c.version, version)
	switch c.op {
	case "<":
		return older
	case "<=":
		return !newer
	case ">":
		return newer
	case "!=":
		return older || newer
	case "==", "===":
		return !older && !newer
	case "~=": // all its numbers but the last stay
		same := c.version[:strings.LastIndexByte(c.version, '.')]
		return !older && clause{"==", same, true}.allows(version)
	}
	return !older
}

// prefix is the first n numbers of a version.
func prefix(version string, n int) string {
	parts := strings.Split(version, ".")
	return strings.Join(parts[:min(n, len(parts))], ".")
}

// least is the version that a specifier of nothing but a lowest one names.
func (s specifier) least() (version string, ok bool) {
	if len(s) != 1 || s[0].op != ">=" {
		return "", false
	}
	return s[0].version, true
}

// String writes the clauses, a lowest version alone as that version.
func (s specifier) String() string {
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

// told says in words which versions are wanted.
func (s specifier) told() string {
	if version, ok := s.least(); ok {
		return version + " or later"
	}
	return s.String()
}
