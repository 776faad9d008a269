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
		out.Programs = append(out.Programs, r.Programs...)
		if !slices.Contains(installs, r.Install) {
			installs = append(installs, r.Install)
		}
	}
	out.Name, out.Install = strings.Join(names, " or "), strings.Join(installs, ", or ")
	if len(group) == 1 {
		out.Least = group[0].Least
	}
	return out
}

// merged keeps of several requirements for the same programs one: the one that
// is certain, and the highest version.
func merged(all []Requirement) []Requirement {
	var out []Requirement
	for _, r := range all {
		i := slices.IndexFunc(out, func(o Requirement) bool { return slices.Equal(o.Programs, r.Programs) })
		if i < 0 {
			out = append(out, r)
			continue
		}
		out[i].Soft = out[i].Soft && r.Soft
		if out[i].Least == "" || r.Least != "" && Older(out[i].Least, r.Least) {
			out[i].Least = r.Least
		}
	}
	return out
}

// aloneIn reports whether an item says nothing but that a program is needed.
func aloneIn(item string, r Requirement) bool { return aloneWord(item, r.Name) && r.Least == "" }

// aloneWord reports whether a text is a name, perhaps with a few words around
// it that add nothing.
func aloneWord(text, name string) bool {
	low := strings.ToLower(text)
	i := strings.Index(low, strings.ToLower(name))
	if i < 0 {
		return false
	}
	return grammar().before.MatchString(low[:i]) && grammar().after.MatchString(low[i+len(name):])
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
