package skills

// What a script takes is read from its text, without running it. It is part of what
// load_skill returns, and a call that does not fit is answered before anything runs.

import (
	"slices"
	"sync"

	"skills/internal/loader"
	"skills/internal/script"
)

// Bounds of the schemas in the result of load_skill, in bytes.
const (
	maxTakes    = 2 << 10 // of one script
	maxAllTakes = 12 << 10
	minTakes    = 300 // of one script, however many there are

	maxDescribed = 100 // scripts of a skill
)

// takesIndex remembers what files of skills take, by their text.
type takesIndex struct {
	mu    sync.Mutex
	known map[string]script.Takes
}

// Takes returns what a script of a skill takes now. A file that cannot be read takes
// anything: running it reports the error.
func (p *Provider) Takes(s *loader.Skill, x loader.Script) script.Takes { return p.takes.of(s, x) }

func (i *takesIndex) of(s *loader.Skill, x loader.Script) script.Takes {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.known == nil {
		i.known = map[string]script.Takes{}
	}
	x.Digest = "" // a file that has changed is approved again, and takes what it says now
	t, _ := describe(s, x, i.known)
	return t
}

// Describe returns what a script of a skill takes, as its schema or the text of its file
// says. The error is the reason why the file cannot be read.
func Describe(s *loader.Skill, x loader.Script) (script.Takes, error) { return describe(s, x, nil) }

func describe(s *loader.Skill, x loader.Script, known map[string]script.Takes) (script.Takes, error) {
	if x.Call != nil || s.Dir == "" {
		return script.Takes{Schema: x.Schema, Certain: x.Call != nil && x.Schema["type"] == "object"}, nil
	}
	return script.Describe(script.Script{Skill: s.Name, Name: x.Name, Dir: s.Dir, Digest: x.Digest, Folder: x.Folder}, known)
}

// described fills in what the script files of a skill take, for its listing.
func (p *Provider) described(s *loader.Skill, c loader.Contents) loader.Contents {
	if p.opt.NoScripts || s.Dir == "" || p.runner(s) == nil {
		return c
	}
	c.Scripts = slices.Clone(c.Scripts)
	limit := max(minTakes, min(maxTakes, maxAllTakes/max(len(c.Scripts), 1)))
	for i, x := range c.Scripts[:min(len(c.Scripts), maxDescribed)] {
		if t := p.Takes(s, x); t.Usage != nil {
			c.Scripts[i].Takes = t.Usage.Compact(limit)
		}
	}
	return c
}
