// Package list lists skills with their cost and state, and as a client shows them to its
// model.
package list

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"skills/internal/builtin"
	"skills/internal/choice"
	"skills/internal/clients"
	"skills/internal/files"
	"skills/internal/lint"
	"skills/internal/loader"
	"skills/internal/printable"
	"skills/internal/prompt"
	"skills/internal/report"
	"skills/internal/spec"
	"skills/internal/spec/tokens"
)

// Options selects the skills to list.
type Options struct {
	Choice    choice.Options
	Dir, Home string   // working directory, absolute, and home folder or ""
	Paths     []string // empty for the places that a run searches
	Builtin   bool     // include the built-in skills
	Scripts   bool     // include the scripts with what they take
	Notify    loader.Notify
	Note      func(text string) // receives what a configuration excludes
}

// State is the state of a listed skill.
type State string

const (
	StateOK       State = "ok"
	StateWarnings State = "warnings"
	StateErrors   State = "errors"
	StateShadowed State = "shadowed" // another skill with its name takes precedence
	StateBuiltin  State = "builtin"
)

// Skill is a skill of a list. Tokens are estimates.
type Skill struct {
	Name            string `json:"name"`
	Description     string `json:"description"`
	Path            string `json:"path,omitempty"`   // absent for built-in skills
	CatalogueTokens int    `json:"catalogue_tokens"` // in every request
	BodyTokens      int    `json:"body_tokens"`      // when it is loaded
	State           State  `json:"state"`
	ShadowedBy      string `json:"shadowed_by,omitempty"`
	SearchOnly      bool   `json:"search_only,omitempty"` // a run does not list it: its model finds it by search
	Errors          int    `json:"errors"`
	Warnings        int    `json:"warnings"`

	Scripts []Script `json:"scripts"` // with [Options.Scripts]

	usable bool // a run would load it
	hidden bool // only the user invokes it

	metadata map[string]string
}

// Find finds and checks skills; errors are those of [lint.Find] and
// [loader.Search.Find].
func Find(ctx context.Context, o Options) ([]Skill, error) {
	found, err := o.findInOrder(ctx)
	if err != nil {
		return nil, err
	}
	found = slices.DeleteFunc(found, func(f loader.Found) bool { return f.File == "" })
	chooser, err := choice.New(o.Dir, o.Choice, o.Paths)
	if err != nil {
		return nil, err
	}
	rows, kept := make([]Skill, len(found)), []Skill{}
	err = lint.Check(ctx, found, spec.Options{Least: spec.Warning}, func(i int, doc *spec.Document, _ *report.Skill) {
		rows[i] = listed(doc)
	}, func(i int, s report.Skill) error {
		row := rows[i]
		extensions, use := chooser.Use(found[i].Dir, cmp.Or(row.Name, filepath.Base(found[i].Dir)), row.metadata)
		if !use {
			return nil
		}
		if o.Scripts {
			row.Scripts = scripts(ctx, found[i].Real, extensions)
		}
		var n report.Counts
		n.Add(s, report.Options{})
		row.Path, row.BodyTokens, row.Errors, row.Warnings, row.State = s.Path, s.Tokens, n.Errors, n.Warnings, StateOK
		if n.Errors > 0 {
			row.State = StateErrors
		} else if n.Warnings > 0 {
			row.State = StateWarnings
		}
		kept = append(kept, row)
		return nil
	})
	if err == nil && o.Builtin {
		kept, err = appendBuiltin(ctx, o.Dir, kept, chooser)
	}
	first := map[string]string{} // paths by name
	for i, row := range kept {
		key := strings.ToLower(row.Name)
		if earlier, taken := first[key]; taken && row.usable {
			kept[i].State, kept[i].ShadowedBy = StateShadowed, earlier
		} else if row.usable {
			first[key] = row.Path
		}
	}
	markSearchOnly(kept)
	ended := chooser.End(o.Note)
	return kept, cmp.Or(err, ended)
}

// markSearchOnly marks the skills that do not fit into the catalogue of a run.
func markSearchOnly(rows []Skill) {
	var entries []prompt.Entry
	for _, row := range rows {
		if row.inCatalogue() {
			entries = append(entries, prompt.Entry{Name: row.Name, Description: row.Description})
		}
	}
	_, fit := prompt.FitCatalogue(entries)
	for i, row := range rows {
		rows[i].SearchOnly = row.inCatalogue() && slices.Contains(fit.Dropped, row.Name)
	}
}

// inCatalogue reports whether a run offers the skill to its model.
func (s Skill) inCatalogue() bool {
	return s.usable && !s.hidden && s.State != StateShadowed && s.State != StateBuiltin
}

// appendBuiltin appends the built-in skills to a list.
func appendBuiltin(ctx context.Context, dir string, rows []Skill, chooser *choice.Chooser) ([]Skill, error) {
	own, err := builtin.Skills(dir)
	if err != nil {
		return nil, err
	}
	for _, s := range own {
		if _, use := chooser.Use("", s.Name, s.Metadata); !use {
			continue
		}
		c, err := s.Contents(ctx)
		if err != nil {
			return nil, err
		}
		// The model does not see them, so they add nothing to a request.
		rows = append(rows, Skill{
			Name: s.Name, Description: s.Description, BodyTokens: tokens.Estimate(c.Instructions), State: StateBuiltin, usable: true,
			Scripts: functions(c),
		})
	}
	return rows, nil
}

// findInOrder finds the skills at the paths, or in the places that a run searches, in the
// order of the list: one path or place after another, and the skills of each by path. If
// there are none, it searches the working directory.
func (o Options) findInOrder(ctx context.Context) ([]loader.Found, error) {
	if len(o.Paths) > 0 {
		return lint.Find(ctx, loader.Search{Nested: true, Notify: o.Notify}, o.Paths)
	}
	search := loader.Search{Nested: true, OwnIgnores: true, Notify: o.Notify}
	var found []loader.Found
	roots := loader.DefaultRoots(".", o.Home)
	for _, root := range roots {
		if info, err := os.Stat(root); err != nil || !info.IsDir() {
			continue
		}
		more, err := search.Find(ctx, root)
		if err != nil {
			return nil, err
		}
		found = append(found, more...)
	}
	if len(found) > 0 {
		return loader.Unique(found), nil
	}
	found, err := loader.Search{Nested: true, Notify: o.Notify}.Find(ctx, ".")
	notice := loader.Notice{Message: "no skills found in " + strings.Join(roots, ", ")}
	if len(found) > 0 {
		notice.Message += "; these are below the working folder"
		notice.Hint = "run does not look there: name a folder with --skills"
	} else {
		notice.Message += ", nor in the working folder (searched 6 levels deep)"
		notice.Hint = "create one with: skills new NAME"
	}
	if err == nil {
		o.Notify(notice)
	}
	return found, err
}

// listed describes one skill.
func listed(doc *spec.Document) Skill {
	p, err := spec.UsableProperties(doc)
	if err != nil {
		p.Name, p.Description = doc.Text("name"), doc.Text("description")
	}
	row := Skill{Name: p.Name, Description: p.Description, usable: err == nil, hidden: doc.Summary().Hidden, metadata: doc.Summary().Metadata}
	if !row.hidden {
		row.CatalogueTokens = tokens.Estimate(prompt.EntryText(prompt.Entry{Name: p.Name, Description: p.Description}))
	}
	return row
}

// CatalogueTokens estimates the tokens of a skill's entry in the catalogue.
func CatalogueTokens(doc *spec.Document) int { return listed(doc).CatalogueTokens }

// Client returns the catalogue that a client shows to its model, with the omitted
// skills, and the folders that the client searches. window is the model's context
// window in tokens, 0 if unknown. Paths replace the client's folders. Errors are those
// of [loader.Search.Find].
func Client(ctx context.Context, o Options, c *clients.Client, window int) (list clients.Catalogue, folders []string, err error) {
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
				why = fmt.Sprintf("%s searches %s deep, and it is %s below %s", c.Title, printable.Plural(c.Discovery.Depth, "level"), printable.Plural(level, "level"), o.shown(place.dir))
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
func (o Options) places(c *clients.Client) (places []clientPlace) {
	in := func(base string, scope int, elsewhere bool, dirs []string) (places []clientPlace) {
		for _, dir := range dirs {
			places = append(places, clientPlace{files.Absolute(base, dir), scope, elsewhere})
		}
		return places
	}
	if len(o.Paths) > 0 {
		return in(o.Dir, 0, false, o.Paths)
	}
	project := in(o.Dir, 0, false, c.Discovery.Project)
	if root, ok := loader.Repository(o.Dir); ok {
		for above := o.Dir; above != root; {
			above = filepath.Dir(above)
			project = append(project, in(above, 0, false, c.Discovery.Parents)...)
		}
	}
	var user []clientPlace
	if o.Home != "" {
		user = in(o.Home, 1, false, c.Discovery.User)
	}
	places = slices.Concat(project, user)
	if c.Discovery.UserFirst {
		places = slices.Concat(user, project)
	}
	others := []string{"skills"}
	for _, other := range clients.All() {
		others = append(others, other.Discovery.Project...)
	}
	return append(places, in(o.Dir, 0, true, others)...)
}

// shown returns a folder's path for messages, relative to the working directory or the
// home folder.
func (o Options) shown(dir string) string {
	if relative := files.Shown(o.Dir, dir); relative != dir {
		return relative
	}
	if rel, err := filepath.Rel(o.Home, dir); err == nil && o.Home != "" && filepath.IsLocal(rel) {
		return filepath.Join("~", rel)
	}
	return dir
}
