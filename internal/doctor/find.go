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
	named := len(paths) > 0
	if named {
		roots = paths
	}
	var all []*loader.Skill
	for _, root := range roots {
		if _, err := os.Stat(root); err != nil && named {
			return nil, &loader.Error{Message: root + " does not exist", Help: "check the path and the current directory"}
		}
		found, err := loader.Files([]string{root}, loader.FilesOptions{Optional: !named, Notify: notify}).Skills(ctx)
		if err != nil {
			return nil, err
		}
		if len(found) == 0 && named {
			return nil, &loader.Error{Message: "no usable skill in " + root, Help: "a skill is a folder with a file SKILL.md in it; skills validate says what is wrong with one"}
		}
		all = append(all, found...)
	}
	return loader.Deduplicate(loader.Memory(all...), notify).Skills(ctx)
}
