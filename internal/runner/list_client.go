package runner

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"skills/internal/clients"
	"skills/internal/loader"
	"skills/internal/safefile"
)

// ListClient returns the catalogue that a client shows to its model, with the omitted
// skills, and the folders that the client searches. window is the model's context
// window in tokens, 0 if unknown. Paths replace the client's folders. Errors are those
// of [loader.Search.Find].
func ListClient(ctx context.Context, o ListOptions, c *clients.Client, window int) (list clients.Catalogue, folders []string, err error) {
	var found []clients.Entry
	seen := map[string]bool{}
	for _, place := range o.places(c) {
		if !place.elsewhere {
			folders = append(folders, o.shown(place.dir))
		}
		if info, err := os.Stat(place.dir); len(o.Paths) == 0 && (err != nil || !info.IsDir()) {
			continue
		}
		skills, err := loader.Search{Nested: true, OwnIgnores: true, Notify: o.Notify}.Find(ctx, place.dir)
		if err != nil {
			return list, folders, err
		}
		for _, f := range skills {
			if f.File == "" || seen[f.Real] {
				continue
			}
			seen[f.Real] = true
			e := readEntry(c, f)
			e.Root, e.Scope = place.dir, place.scope
			level, why := strings.Count(strings.TrimPrefix(f.Dir, place.dir), string(filepath.Separator)), ""
			if place.elsewhere {
				why = fmt.Sprintf("%s does not look in %s", c.Title, o.shown(place.dir))
			} else if c.Discovery.Depth > 0 && level > c.Discovery.Depth {
				why = fmt.Sprintf("%s looks %d level deep, and it is %d levels below %s", c.Title, c.Discovery.Depth, level, o.shown(place.dir))
			}
			if why != "" {
				e.Listed, e.Reasons = false, []string{why}
			}
			found = append(found, e)
		}
	}
	return c.Catalogue(found, window), folders, nil
}

// readEntry returns a client's entry for a skill that was found.
func readEntry(c *clients.Client, f loader.Found) clients.Entry {
	file := filepath.Join(f.Dir, f.File)
	src, fault := loader.ReadSkillFile(f.Dir, f.File)
	skill, verdict := c.Read(clients.File{Source: src, Entry: f.File, Folder: filepath.Base(f.Dir), Path: file})
	e := clients.Entry{Skill: skill, Listed: skill.Path != "" && verdict.Outcome != clients.Hidden, Reasons: verdict.Reasons}
	if src == nil && fault != nil {
		e.Listed, e.Reasons = false, []string{fault.Message}
	}
	if skill.Path == "" {
		e.Name, e.Path = filepath.Base(f.Dir), file
	}
	return e
}

// clientPlace is a folder of skills. scope is 0 for the project's and 1 for the user's.
type clientPlace struct {
	dir       string
	scope     int
	elsewhere bool // only other clients search it
}

// places returns the folders that a client searches, in its order, then the project's
// folders that only other clients search.
func (o ListOptions) places(c *clients.Client) (places []clientPlace) {
	for _, path := range o.Paths {
		if !filepath.IsAbs(path) {
			path = filepath.Join(o.Dir, path)
		}
		places = append(places, clientPlace{dir: filepath.Clean(path)})
	}
	if len(o.Paths) > 0 {
		return places
	}
	add := func(base string, scope int, elsewhere bool, dirs ...string) {
		for _, dir := range dirs {
			places = append(places, clientPlace{filepath.Join(base, dir), scope, elsewhere})
		}
	}
	user := func() {
		if o.Home != "" {
			add(o.Home, 1, false, c.Discovery.User...)
		}
	}
	if c.Discovery.UserFirst {
		user()
	}
	add(o.Dir, 0, false, c.Discovery.Project...)
	if root, ok := safefile.Repository(o.Dir); ok {
		for above := o.Dir; above != root; {
			above = filepath.Dir(above)
			add(above, 0, false, c.Discovery.Parents...)
		}
	}
	if !c.Discovery.UserFirst {
		user()
	}
	add(o.Dir, 0, true, "skills")
	for _, other := range clients.All() {
		add(o.Dir, 0, true, other.Discovery.Project...)
	}
	return places
}

// shown returns a folder's path for messages, relative to the working directory or the
// home folder.
func (o ListOptions) shown(dir string) string {
	if rel, err := filepath.Rel(o.Dir, dir); err == nil && filepath.IsLocal(rel) {
		return rel
	}
	if rel, err := filepath.Rel(o.Home, dir); err == nil && o.Home != "" && filepath.IsLocal(rel) {
		return filepath.Join("~", rel)
	}
	return dir
}
