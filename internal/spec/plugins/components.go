package plugins

// Skills are found in the immediate children of skills/ and nowhere else. Commands and
// agents are Markdown files whose frontmatter is dropped as a whole if it is not YAML.

import (
	"bytes"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"skills/internal/printable"
	"skills/internal/spec"
)

type rule = spec.Rule

const skillFile = spec.FileName

// search looks for the skills of a plugin as clients do.
type search struct {
	*checker
	client bool     // Claude Code, else the clients of Agent Plugins
	named  []string // folders of skills that a manifest names besides skills/
}

// skills reports the skills that clients do not find or load. base is the plugin's folder.
func (c search) skills(base string) {
	dir := path.Join(base, "skills")
	who, _ := c.who()
	if c.done[dir] {
		return
	}
	c.done[dir] = true
	at := c.stat(dir)
	f := c.file(dir, nil)
	switch {
	case at.outside:
		c.report(f, pathRule, 0, 0, "put the skills themselves into the plugin", "skills is a link out of the plugin: %s none of its skills", who)
		return
	case at.broken:
		c.report(f, pathRule, 0, 0, "repair or delete the link", "skills is a link to a folder that does not exist: %s none of its skills", who)
		return
	case at.FileInfo == nil:
		c.rootSkill(base)
		return
	case !at.IsDir():
		c.report(f, skillRule, 0, 0, "make it a folder of skills", "skills is a file, not a folder: %s none of its skills", who)
		return
	}
	for _, e := range c.list(dir) {
		name := path.Join(dir, e.Name())
		if strings.HasPrefix(e.Name(), ".") || slices.Contains(c.named, name) {
			continue
		}
		c.skill(name)
	}
}

// rootSkill reports a SKILL.md at the root of a plugin of Agent Plugins without skills/.
func (c search) rootSkill(base string) {
	at := c.stat(path.Join(base, skillFile))
	if c.client || at.FileInfo == nil {
		return // Claude Code takes it as the plugin's one skill
	}
	f := c.file(path.Join(base, skillFile), nil)
	c.report(f, skillRule, 0, 0, "move the skill to skills/NAME/"+skillFile, "a skill at the root of the plugin is never found: clients look at skills/*/%s only", skillFile)
}

// skill checks one entry of skills/.
func (c search) skill(name string) {
	at := c.stat(name)
	switch {
	case at.outside:
		c.report(c.file(name, nil), pathRule, 0, 0, "put the skill itself into the plugin", "%s is a link out of the plugin: the skill is skipped", name)
		return
	case at.FileInfo == nil:
		return
	case !at.IsDir():
		c.flat(name)
		return
	}
	file := path.Join(name, skillFile)
	switch skill := c.stat(file); {
	case skill.outside:
		c.report(c.file(file, nil), pathRule, 0, 0, "put the file itself into the plugin", "%s is a link out of the plugin: the skill is skipped", file)
	case skill.FileInfo == nil && !spec.IsSampleFolder(path.Base(name)):
		c.deep(name, 1)
	}
}

// flat reports a Markdown file that is written like a skill.
func (c search) flat(name string) {
	if path.Ext(name) != ".md" {
		return
	}
	src, _ := c.read(name)
	front := src[:spec.Scan("", "", src).Block().BodyStart]
	if bytes.Contains(front, []byte("\nname:")) && bytes.Contains(front, []byte("\ndescription:")) {
		base := strings.TrimSuffix(path.Base(name), ".md")
		_, look := c.who()
		c.report(c.file(name, src), skillRule, 0, 0, "move it to skills/"+base+"/"+skillFile, "%s is never found: %s at skills/*/%s only", name, look, skillFile)
	}
}

// who returns what clients do with skills.
func (c search) who() (load, look string) {
	if c.client {
		return "Claude Code loads", "Claude Code looks"
	}
	return "clients load", "clients look"
}

// deep reports skills below a folder of skills/ that is no skill itself. Skills
// inside skills and samples are not meant to be found.
func (c search) deep(dir string, depth int) {
	if depth > maxDepth || slices.ContainsFunc(c.named, func(n string) bool { return n == dir || strings.HasPrefix(dir, n+"/") }) {
		return
	}
	_, look := c.who()
	for _, e := range c.list(dir) {
		if !e.IsDir() || skipped(e.Name()) || spec.IsSampleFolder(e.Name()) {
			continue
		}
		name := path.Join(dir, e.Name())
		file := path.Join(name, skillFile)
		if c.stat(file).FileInfo == nil {
			c.deep(name, depth+1)
			continue
		}
		if !slices.Contains(c.named, name) && !slices.Contains(c.named, dir) {
			c.report(c.file(file, nil), skillRule, 0, 0, "move the skill to skills/"+e.Name(), "the skill is never found: %s at skills/*/%s only", look, skillFile)
		}
	}
}

// markdownIn checks the Markdown files of commands or agents in a folder.
func (c client) markdownIn(dir, kind string, depth int) {
	if depth > maxDepth || c.done[kind+" "+dir] {
		return
	}
	c.done[kind+" "+dir] = true
	for _, e := range c.list(dir) {
		name := path.Join(dir, e.Name())
		switch {
		case skipped(e.Name()), e.Type()&fs.ModeSymlink != 0:
		case e.IsDir():
			c.markdownIn(name, kind, depth+1)
		case path.Ext(e.Name()) == ".md":
			c.markdownFile(name, kind)
		}
	}
}

// markdownFile reports frontmatter that is not YAML, or not a mapping.
func (c client) markdownFile(name, kind string) {
	if path.Base(name) == skillFile || c.done[name] || c.markdown == maxEntries {
		return // the check of the skill reports it
	}
	c.done[name] = true
	c.markdown++
	src, _ := c.read(name)
	doc := spec.Scan(filepath.Join(c.dir, filepath.FromSlash(name)), "", src)
	block := doc.Block()
	if !block.Closed() || doc.DecodePlain(src[block.Start:block.End]) {
		return
	}
	doc.Decode(src[block.Start:block.End])
	one := strings.TrimSuffix(kind, "s")
	fault := slices.IndexFunc(doc.Faults, func(f spec.Fault) bool {
		empty := len(bytes.TrimSpace(src[block.Start:block.End])) == 0
		return f.Rule == "frontmatter-syntax" || f.Rule == "frontmatter-mapping" && !empty
	})
	if fault < 0 {
		return
	}
	f := c.file(name, src)
	at := doc.Faults[fault]
	if !c.opts.Off(frontmatterRule) {
		c.pass(f, frontmatterRule).Report(at.Span, at.Help, "%s: Claude Code loads this %s without its description and all other fields", lead(at.Message), one)
	}
}

// lead returns the message of a fault in a SKILL.md for another file.
func lead(message string) string {
	return printable.Truncate(strings.Replace(message, "SKILL.md frontmatter", "the frontmatter", 1), 300)
}

// skipped reports whether folders of this name are not searched.
func skipped(name string) bool { return strings.HasPrefix(name, ".") || name == "node_modules" }
