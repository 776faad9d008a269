package runner

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"skills/internal/clients"
	"skills/internal/loader"
	"skills/internal/safefile"
)

// ListClient returns the catalogue that a client shows to its model, with the skills
// that are not in it, and the folders in which the client looks. window is that of the
// model in tokens, 0 if it is not known. With paths, each is taken for a folder in which
// the client looks. Errors are those of [loader.Search.Find].
func ListClient(ctx context.Context, o ListOptions, c *clients.Client, window int) (clients.Catalogue, []string, error) {
	var found []clients.Entry
	var folders []string
	seen := map[string]bool{}
	add := func(dir string, scope int, elsewhere bool) error {
		if info, err := os.Stat(dir); len(o.Paths) == 0 && (err != nil || !info.IsDir()) {
			return nil
		}
		skills, err := loader.Search{Nested: true, OwnIgnores: true, Notify: o.Notify}.Find(ctx, dir)
		for _, f := range skills {
			if f.File == "" || seen[f.Real] {
				continue
			}
			seen[f.Real] = true
			e := readEntry(c, f)
			e.Root, e.Scope = dir, scope
			switch level := levels(dir, f.Dir); {
			case elsewhere:
				e.leaveOut("%s does not look in %s", c.Title, o.shown(dir))
			case c.Discovery.Depth > 0 && level > c.Discovery.Depth:
				e.leaveOut("%s looks %d level deep, and it is %d levels below %s", c.Title, c.Discovery.Depth, level, o.shown(dir))
			}
			found = append(found, e.Entry)
		}
		return err
	}
	for _, p := range o.places(c) {
		folders = append(folders, o.shown(p.dir))
		if err := add(p.dir, p.scope, false); err != nil {
			return clients.Catalogue{}, folders, err
		}
	}
	if len(o.Paths) == 0 {
		for _, other := range append(clients.All(), clients.Client{Discovery: clients.Discovery{Project: []string{"skills"}}}) {
			for _, dir := range other.Discovery.Project {
				if err := add(filepath.Join(o.Dir, dir), 0, true); err != nil {
					return clients.Catalogue{}, folders, err
				}
			}
		}
	}
	return c.Catalogue(found, window), folders, nil
}

// shown is how messages name a folder: from the working folder, or from the home folder.
func (o ListOptions) shown(dir string) string {
	if rel, err := filepath.Rel(o.Dir, dir); err == nil && filepath.IsLocal(rel) {
		return rel
	}
	if rel, err := filepath.Rel(o.Home, dir); err == nil && o.Home != "" && filepath.IsLocal(rel) {
		return filepath.Join("~", rel)
	}
	return dir
}

// clientPlace is a folder in which a client looks; scope is 0 for those of the project
// or the user, whichever comes first, and 1 for the others.
type clientPlace struct {
	dir   string
	scope int
}

// places are the folders in which a client looks, in its order.
func (o ListOptions) places(c *clients.Client) (out []clientPlace) {
	for _, path := range o.Paths {
		if !filepath.IsAbs(path) {
			path = filepath.Join(o.Dir, path)
		}
		out = append(out, clientPlace{filepath.Clean(path), 0})
	}
	if len(o.Paths) > 0 {
		return out
	}
	d := c.Discovery
	var project, user []clientPlace
	for _, dir := range d.Project {
		project = append(project, clientPlace{filepath.Join(o.Dir, dir), 0})
	}
	if root, ok := safefile.Repository(o.Dir); ok {
		for above := o.Dir; above != root; {
			above = filepath.Dir(above)
			for _, dir := range d.Parents {
				project = append(project, clientPlace{filepath.Join(above, dir), 0})
			}
		}
	}
	for _, dir := range d.User {
		if o.Home != "" {
			user = append(user, clientPlace{filepath.Join(o.Home, dir), 1})
		}
	}
	if d.UserFirst {
		return slices.Concat(user, project)
	}
	return slices.Concat(project, user)
}

// clientEntry is what a client makes of a skill that was found.
type clientEntry struct{ clients.Entry }

func (e *clientEntry) leaveOut(format string, args ...any) {
	e.Listed, e.Reasons = false, []string{fmt.Sprintf(format, args...)}
}

func readEntry(c *clients.Client, f loader.Found) clientEntry {
	dir := filepath.Base(f.Dir)
	file := filepath.Join(f.Dir, f.File)
	src, fault := loader.ReadSkillFile(f.Dir, f.File)
	skill, verdict := c.Read(clients.File{Source: src, Entry: f.File, Folder: dir, Path: file})
	e := clientEntry{clients.Entry{Skill: skill, Listed: skill.Path != "" && verdict.Outcome != clients.Hidden, Reasons: verdict.Reasons}}
	if src == nil && fault != nil {
		e.leaveOut("%s", fault.Message)
	}
	if skill.Path == "" {
		e.Name, e.Path = dir, file
	}
	return e
}

// levels is how many levels a folder is below another.
func levels(root, dir string) int {
	rel, err := filepath.Rel(root, dir)
	if err != nil || rel == "." {
		return 0
	}
	return strings.Count(rel, string(filepath.Separator)) + 1
}
