package rules

import (
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"skills/internal/spec"
)

// memoryFiles is a skill's folder in memory.
type memoryFiles struct {
	files   []spec.File
	content map[string]string
	around  map[string]bool // what there is around the folder, nil where that is not known
	lists   int
	reads   map[string]int // how often each file was read
}

// inMemory makes a folder from names relative to the skill and contents; the
// folders on the way are made. A name that ends in "*" is executable, one that
// ends in "/" a folder that is not listed, a content that starts with "-> " a
// link ("-> /" and "-> .." lead out), and a name that starts with "../" is a
// file around the folder.
func inMemory(contents map[string]string) *memoryFiles {
	m := &memoryFiles{content: map[string]string{}, reads: map[string]int{}}
	dirs := map[string]bool{}
	for _, key := range slices.Sorted(maps.Keys(contents)) {
		name, executable := strings.CutSuffix(key, "*")
		if strings.HasPrefix(name, "../") {
			if m.around == nil {
				m.around = map[string]bool{}
			}
			for ; name != "."; name = path.Dir(name) {
				m.around[name] = true
			}
			continue
		}
		f := spec.File{Name: name, Mode: 0o644, Size: int64(len(contents[key]))}
		target, link := strings.CutPrefix(contents[key], "-> ")
		switch {
		case strings.HasSuffix(name, "/"):
			f = spec.File{Name: strings.TrimSuffix(name, "/"), Mode: fs.ModeDir | 0o755, Skipped: true}
		case link:
			f = spec.File{Name: name, Mode: fs.ModeSymlink | 0o777, Link: target, Outside: strings.HasPrefix(target, "/") || strings.HasPrefix(target, "..")}
		case executable:
			f.Mode = 0o755
		}
		m.files = append(m.files, f)
		m.content[f.Name] = contents[key]
		for dir := path.Dir(f.Name); dir != "." && !dirs[dir]; dir = path.Dir(dir) {
			dirs[dir] = true
			m.files = append(m.files, spec.File{Name: dir, Mode: fs.ModeDir | 0o755})
		}
	}
	slices.SortFunc(m.files, func(a, b spec.File) int { return strings.Compare(a.Name, b.Name) })
	return m
}

func (m *memoryFiles) List() []spec.File {
	m.lists++
	return m.files
}

func (m *memoryFiles) Unlisted() []spec.Unlisted { return nil }

func (m *memoryFiles) Read(name string, limit int64) ([]byte, error) {
	m.reads[name]++
	content, ok := m.content[name]
	if !ok {
		return nil, fmt.Errorf("reading %s: %w", name, fs.ErrNotExist)
	}
	return []byte(content[:min(int64(len(content)), limit)]), nil
}

func (m *memoryFiles) Above(name string) (exists, known bool) {
	return m.around[name], m.around != nil
}

// skillWith returns a document with a folder: the SKILL.md with the given text, and
// other files.
func skillWith(src string, contents map[string]string) *spec.Document {
	all := maps.Clone(contents)
	if all == nil {
		all = map[string]string{}
	}
	all[spec.FileName] = src
	d := parse(src)
	d.Files = inMemory(all)
	var nested []string
	for _, f := range d.Files.List() {
		if strings.HasSuffix(f.Name, "/"+spec.FileName) {
			nested = append(nested, f.Name)
		}
	}
	d.Nested = func() []string { return nested }
	return d
}

// bodyWith is skillWith for a body alone.
func bodyWith(body string, contents map[string]string) *spec.Document {
	return skillWith("---\nname: my-skill\ndescription: Does a thing. Use when testing.\n---\n"+body, contents)
}

// findings lists the findings of one rule, as file:line:col: message.
func findings(d *spec.Document, rule string) []string {
	var out []string
	var opts spec.Options
	if Find(rule).Level == spec.Off {
		opts.Levels = map[string]spec.Level{rule: spec.Info}
	}
	for _, x := range Check(d, opts) {
		if x.Rule == rule {
			out = append(out, strings.TrimPrefix(x.Place(), "my-skill/")+": "+x.Message)
		}
	}
	return out
}
