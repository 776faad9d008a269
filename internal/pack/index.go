package pack

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf16"

	"skills/internal/discovery"
	"skills/internal/loader"
	"skills/internal/printable"
	"skills/internal/spec"
)

// NewIndex returns the index of skills for the file /.well-known/agent-skills/index.json. A skill with more files than its SKILL.md is
// the archive that Pack creates for the target well-known. Errors are Problems, and
// those of [loader.Properties].
func NewIndex(found []loader.Found) (discovery.Index, error) {
	index := discovery.Index{Schema: discovery.Schema, Skills: []discovery.Entry{}}
	var wrong Problems
	for _, f := range found {
		p, err := loader.Properties(f, spec.UsableProperties)
		if err != nil {
			return index, err
		}
		a, err := Pack(f.Dir, p.Name, Target{Root: true})
		refused, _ := errors.AsType[Problems](err)
		for _, one := range refused {
			wrong.add(one.Hint, "%s: %s", f.Dir, one.Message)
		}
		switch {
		case err != nil && refused == nil:
			return index, err
		case !discovery.ValidName(p.Name):
			wrong.add("rename the skill", "%s: names in an index are letters a-z, digits and hyphens, not %s", f.Dir, p.Name)
		case len(utf16.Encode([]rune(p.Description))) > spec.MaxDescription:
			wrong.add("shorten it", "%s: clients skip descriptions of more than %s UTF-16 units", f.Dir, printable.Grouped(spec.MaxDescription))
		case slices.ContainsFunc(index.Skills, func(e discovery.Entry) bool { return e.Name == p.Name }):
			wrong.add("rename one", "%s: another skill is called %s too", f.Dir, p.Name)
		}
		e := discovery.Entry{Name: p.Name, Type: discovery.Archive, Description: p.Description, URL: fmt.Sprintf("%s.zip", p.Name), Digest: a.Digest}
		if a.only != "" {
			e.Type, e.URL, e.Digest = discovery.SkillMD, p.Name+"/"+spec.FileName, a.only
		}
		index.Skills = append(index.Skills, e)
	}
	slices.SortFunc(index.Skills, func(a, b discovery.Entry) int { return strings.Compare(a.Name, b.Name) })
	if len(wrong) > 0 {
		return index, wrong
	}
	return index, nil
}
