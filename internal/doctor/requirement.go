package doctor

import (
	"slices"
	"strconv"
	"strings"
)

// either is one requirement of which any program will do.
func either(group []Requirement) Requirement {
	out := Requirement{Soft: group[0].Soft}
	var names, installs []string
	for _, r := range group {
		names = append(names, r.Name)
		out.Choices = append(out.Choices, r.Choices...)
		if !slices.Contains(installs, r.Install) {
			installs = append(installs, r.Install)
		}
	}
	out.Name, out.Install = strings.Join(names, " or "), strings.Join(installs, ", or ")
	return out
}

// merged keeps of several requirements for the same programs one: the one that
// is certain, and all bounds of the version.
func merged(all []Requirement) []Requirement {
	var out []Requirement
	same := func(a, b Choice) bool { return a.Program == b.Program }
	for _, r := range all {
		i := slices.IndexFunc(out, func(o Requirement) bool { return slices.EqualFunc(o.Choices, r.Choices, same) })
		if i < 0 {
			out = append(out, r)
			continue
		}
		out[i].Soft = out[i].Soft && r.Soft
		for j := range out[i].Choices {
			c := &out[i].Choices[j]
			c.Wanted = c.Wanted.with(r.Choices[j].Wanted)
		}
	}
	return out
}

// with is both specifiers together; of two lowest versions the higher counts.
func (s specifier) with(other specifier) specifier {
	a, lower := s.least()
	b, higher := other.least()
	switch {
	case lower && higher && Older(a, b), len(s) == 0:
		return other
	case lower && higher, slices.Equal(s, other):
		return s
	}
	return append(slices.Clip(s), other...)
}

// aloneWord reports whether a text is a name, perhaps with a few words around
// it that add nothing, and with a version.
func aloneWord(text, name string) bool {
	low := strings.ToLower(text)
	i := strings.Index(low, strings.ToLower(name))
	if i < 0 {
		return false
	}
	rest := low[i+len(name):]
	if _, length := wantedVersion(rest); length > 0 {
		rest = strings.TrimPrefix(rest[length:], "+")
	}
	return grammar().before.MatchString(low[:i]) && grammar().after.MatchString(rest)
}

// Older reports whether a version comes before another. Numbers that one of
// them lacks count as 0.
func Older(version, than string) bool {
	a, b := strings.Split(version, "."), strings.Split(than, ".")
	for i := range max(len(a), len(b)) {
		if x, y := part(a, i), part(b, i); x != y {
			return x < y
		}
	}
	return false
}

func part(version []string, i int) int {
	if i >= len(version) {
		return 0
	}
	n, _ := strconv.Atoi(version[i]) // digits only; the highest number where they are too many
	return n
}
