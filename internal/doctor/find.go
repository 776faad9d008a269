package doctor

import (
	"context"
	"os"

	"skills/internal/loader"
)

// Find loads the skills of the paths; without paths, those of the optional
// roots. Every path must hold a skill that can be used, or the error is a
// *loader.Error. Of several skills with one name the first counts. Other errors are
// those of loading.
func Find(ctx context.Context, paths, roots []string, notify loader.Notify) ([]*loader.Skill, error) {
	files := func(root string) ([]*loader.Skill, error) {
		return loader.Files([]string{root}, loader.FilesOptions{Optional: len(paths) == 0, Notify: notify}).Skills(ctx)
	}
	if len(paths) > 0 {
		roots = paths
	}
	for _, path := range paths {
		if _, err := os.Stat(path); err != nil {
			return nil, &loader.Error{Message: path + " does not exist", Help: "check the path and the current directory"}
		}
	}
	var all []*loader.Skill
	for _, root := range roots {
		found, err := files(root)
		if err != nil {
			return nil, err
		}
		if len(found) == 0 && len(paths) > 0 {
			return nil, &loader.Error{Message: "no usable skill in " + root, Help: "a skill is a folder with a file SKILL.md in it; skills validate says what is wrong with one"}
		}
		all = append(all, found...)
	}
	return loader.Deduplicate(loader.Memory(all...), notify).Skills(ctx)
}
