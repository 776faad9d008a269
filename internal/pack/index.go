package pack

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf16"

	"skills/internal/loader"
	"skills/internal/printable"
	"skills/internal/spec"
)

// Index is the file /.well-known/agent-skills/index.json of Agent Skills Discovery 0.2.0.
type Index struct {
	Schema string  `json:"$schema"`
	Skills []Entry `json:"skills"` // sorted by name
}

// Entry is a skill in an index.
type Entry struct {
	Name        string `json:"name"`
	Type        string `json:"type"` // skill-md, or archive for a skill with more files
	Description string `json:"description"`
	URL         string `json:"url"`    // relative to the index
	Digest      string `json:"digest"` // of the file at the URL
}

var indexName = regexp.MustCompile(`^[a-z0-9]+(?:-[a-z0-9]+)*$`)

// NewIndex returns the index of skills. A skill with more files than its SKILL.md is
// the archive that Pack creates for the target well-known. Errors are Problems, and
// those of [loader.Properties].
func NewIndex(found []loader.Found) (Index, error) {
	index := Index{"https://schemas.agentskills.io/discovery/0.2.0/schema.json", []Entry{}}
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
		case !indexName.MatchString(p.Name):
			wrong.add("rename the skill", "%s: names in an index are letters a-z, digits and hyphens, not %s", f.Dir, p.Name)
		case len(utf16.Encode([]rune(p.Description))) > spec.MaxDescription:
			wrong.add("shorten it", "%s: clients skip descriptions of more than %s UTF-16 units", f.Dir, printable.Grouped(spec.MaxDescription))
		case slices.ContainsFunc(index.Skills, func(e Entry) bool { return e.Name == p.Name }):
			wrong.add("rename one", "%s: another skill is called %s too", f.Dir, p.Name)
		}
		e := Entry{Name: p.Name, Type: "archive", Description: p.Description, URL: fmt.Sprintf("%s.zip", p.Name), Digest: a.Digest}
		if a.only != "" {
			e.Type, e.URL, e.Digest = "skill-md", p.Name+"/"+spec.FileName, a.only
		}
		index.Skills = append(index.Skills, e)
	}
	slices.SortFunc(index.Skills, func(a, b Entry) int { return strings.Compare(a.Name, b.Name) })
	if len(wrong) > 0 {
		return index, wrong
	}
	return index, nil
}
