package loader

import (
	"cmp"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"skills/internal/suggest"
)

// How many near names a failed look-up offers, and how long a name may be for
// a comparison to be worth it.
const (
	maxNear     = 3
	maxNearName = 200
)

// Lookup finds name among the listed names. The exact name wins; then
// "./refs/doc.md" and "refs\doc.md" are refs/doc.md; then a name that differs
// in case alone, if there is one only. match is always one of names, or "":
// what is not listed is never opened, so absolute paths and ".." lead nowhere.
// Without a match, near holds up to three listed names like it, nearest first.
func Lookup(names []string, name string) (match string, near []string) {
	if slices.Contains(names, name) {
		return name, nil
	}
	plain := plainName(name)
	if slices.Contains(names, plain) {
		return plain, nil
	}
	var alike []string
	for _, n := range names {
		if strings.EqualFold(n, plain) {
			alike = append(alike, n)
		}
	}
	switch len(alike) {
	case 0:
		return "", nearest(names, plain)
	case 1:
		return alike[0], nil
	}
	slices.Sort(alike)
	return "", alike[:min(len(alike), maxNear)]
}

// plainName writes a relative path as names are listed. Paths that climb are
// left as they are: cleaning them would turn them into other names.
func plainName(name string) string {
	slashed := strings.ReplaceAll(strings.TrimSpace(name), `\`, "/")
	if slashed == "" || slices.Contains(strings.Split(slashed, "/"), "..") {
		return name
	}
	return path.Clean(slashed)
}

// nearest returns the names that are most likely meant: the same file in
// another folder or without its extension, then those a few letters away.
func nearest(names []string, name string) []string {
	if name == "" || !utf8.ValidString(name) || utf8.RuneCountInString(name) > maxNearName {
		return nil
	}
	type candidate struct {
		name     string
		distance int
	}
	var out []candidate
	want := strings.ToLower(name)
	most := max(2, utf8.RuneCountInString(want)/3)
	for _, n := range names {
		lower := strings.ToLower(n)
		distance := 0
		if !sameStem(lower, want) {
			if distance = suggest.Distance(lower, want); distance > most {
				continue
			}
		}
		out = append(out, candidate{n, distance})
	}
	slices.SortStableFunc(out, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(a.distance, b.distance), strings.Compare(a.name, b.name))
	})
	var found []string
	for _, c := range out[:min(len(out), maxNear)] {
		found = append(found, c.name)
	}
	return found
}

func sameStem(a, b string) bool {
	stem := func(s string) string {
		s = path.Base(s)
		return strings.TrimSuffix(s, path.Ext(s))
	}
	return stem(a) != "" && stem(a) == stem(b)
}
