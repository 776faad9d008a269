package sandbox

import (
	"slices"

	"skills/internal/files"
)

// Reach follows an absolute path link by link. inside is whether a step is in one of the
// folders, or the end is one; link is whether such a step is a link, which whoever can write
// there can replace. The folders are absolute, with links resolved.
func Reach(path string, folders []string) (inside, link bool) {
	end, ok := files.Follow(path, func(step, target string) {
		below := slices.ContainsFunc(folders, func(dir string) bool { return step != dir && Within(step, dir) })
		inside = inside || below
		link = link || below && target != ""
	})
	return inside || !ok || slices.Contains(folders, end), link || !ok
}
