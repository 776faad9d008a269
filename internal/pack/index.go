package pack

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf16"

	"skills/internal/loader"
	"skills/internal/spec"
)

// Schema names the form of an index: Agent Skills Discovery 0.2.0.
const Schema = "https://schemas.agentskills.io/discovery/0.2.0/schema.json"

// Index is the file /.well-known/agent-skills/index.json.
type Index struct {
	Schema string  `json:"$schema"`
	Skills []Entry `json:"skills"`
}

// Entry is a skill of an index.
type Entry struct {
	Name        string `json:"name"`
	Type        string `json:"type"` // skill-md, or archive for a skill with more files
	Description string `json:"description"`
	URL         string `json:"url"`    // relative to the index
	Digest      string `json:"digest"` // of what is at the URL
}

var indexName = regexp.MustCompile(`^[a-z0-9]+(?:-[a-z0-9]+)*$`)

// NewIndex makes the index of skills, sorted by name. A skill with more files than its
// SKILL.md is the archive that Pack makes for the target well-known. The error is an
// *Error.
func NewIndex(found []loader.Found) (Index, error) {
	index := Index{Schema: Schema, Skills: []Entry{}}
	target, _ := FindTarget("well-known")
	for _, f := range found {
		refuse := &Error{Path: f.Dir}
		p, err := loader.Properties(f, spec.UsableProperties)
		if err != nil {
			return index, err
		}
		switch {
		case !indexName.MatchString(p.Name):
			refuse.add("names in an index are letters a-z, digits and hyphens, not %s", p.Name)
		case len(utf16.Encode([]rune(p.Description))) > 1024:
			refuse.add("clients skip descriptions of more than 1,024 UTF-16 units")
		case slices.ContainsFunc(index.Skills, func(e Entry) bool { return e.Name == p.Name }):
			refuse.add("another skill is called %s too", p.Name)
		}
		if len(refuse.Problems) > 0 {
			return index, refuse
		}
		a, err := Pack(f.Dir, p.Name, target)
		if err != nil {
			return index, err
		}
		e := Entry{p.Name, "archive", p.Description, fmt.Sprintf("%s.zip", p.Name), a.Digest}
		if a.only != "" {
			e.Type, e.URL, e.Digest = "skill-md", p.Name+"/"+spec.FileName, a.only
		}
		index.Skills = append(index.Skills, e)
	}
	slices.SortFunc(index.Skills, func(a, b Entry) int { return strings.Compare(a.Name, b.Name) })
	return index, nil
}
