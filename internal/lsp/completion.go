package lsp

// What can be written at a position is decided by its line, because the text around it is
// unfinished while someone types: a key or a value of the frontmatter, the target of a link,
// or a path in code.

import (
	"context"
	"path"
	"regexp"
	"slices"
	"strings"

	"skills/internal/clients"
	"skills/internal/lazyregexp"
	"skills/internal/lsp/protocol"
	"skills/internal/spec"
	"skills/internal/spec/references"
	"skills/internal/spec/rules"
)

// The kinds of items.
const (
	itemField = 10 // property
	itemValue = 12 // value
	itemFile  = 17 // file
	itemTitle = 18 // reference
)

// maxItems limits the files in a list.
const maxItems = 1000

// completion returns what can be written at a position.
func (a answers) completion(ctx context.Context, p protocol.PositionParams) (any, error) {
	return a.with(ctx, p.Document.URI, func(q *query) (any, error) {
		offset := q.text.Offset(p.Position)
		line, start := q.line(offset)
		c := completer{query: q, before: line[:min(max(offset-start, 0), len(line))], offset: offset, items: []protocol.CompletionItem{}}
		if c.inFrontmatter() {
			c.frontmatter()
		} else if references.IsMarkdown(q.path) {
			c.body()
		}
		return c.items, nil
	})
}

// completer collects items for the text before a position.
type completer struct {
	*query
	before string // on its line
	offset int
	items  []protocol.CompletionItem
}

// add adds an item that replaces what was typed.
func (c *completer) add(typed string, item protocol.CompletionItem, text string) {
	item.Edit = &protocol.TextEdit{Range: c.text.Range(c.offset-len(typed), c.offset), NewText: text}
	item.Filter = text
	c.items = append(c.items, item)
}

// inFrontmatter reports whether the position is in the frontmatter, which may not be closed
// yet.
func (c *completer) inFrontmatter() bool {
	if !c.isSkillFile() {
		return false
	}
	if block := c.doc.Block(); block.Closed() {
		return block.Start <= c.offset && c.offset <= block.End
	}
	first := string(c.text.Text(1))
	return strings.TrimRight(first, " \t") == "---" && c.offset > len(first)
}

var (
	keyStart   = lazyregexp.New(`^[\w-]*$`)
	valueStart = lazyregexp.New(`^([\w-]+):[ \t]+(?:.*[ \t])?([^ \t]*)$`)
)

// frontmatter adds fields, or the values of one.
func (c *completer) frontmatter() {
	infos := rules.FieldInfos()
	if keyStart().MatchString(c.before) {
		taken := c.keys()
		for _, f := range infos {
			if !taken[f.Name] {
				c.field(f)
			}
		}
		return
	}
	m := valueStart().FindStringSubmatch(c.before)
	if m == nil {
		return
	}
	for _, f := range infos {
		if f.Name != m[1] {
			continue
		}
		values := slices.Concat(f.Values, f.Samples)
		switch f.Name {
		case "name":
			values = []string{c.doc.Dir}
		case "license":
			for _, file := range c.files() {
				if strings.HasPrefix(strings.ToUpper(file.Name), "LICENSE") {
					values = append(values, "Complete terms in "+file.Name)
				}
			}
		}
		for _, v := range values {
			if v != "" {
				c.add(m[2], protocol.CompletionItem{Label: v, Kind: itemValue}, v)
			}
		}
	}
}

// keys returns the fields on other lines. It reads the lines, because the YAML is not valid
// while a key is typed.
func (c *completer) keys() map[string]bool {
	taken := map[string]bool{}
	here := c.text.At(c.offset).Line
	for n := 2; n <= len(c.text.Starts); n++ {
		line := string(c.text.Text(n))
		if strings.HasPrefix(line, "---") {
			break
		}
		if key, _, ok := strings.Cut(line, ":"); ok && n != here {
			taken[key] = true
		}
	}
	return taken
}

// field adds a field: those of the specification first, then those of accepted clients.
func (c *completer) field(f rules.FieldInfo) {
	item := protocol.CompletionItem{Label: f.Name, Kind: itemField, Sort: "0" + f.Name}
	text := c.markdown(f.Meaning)
	item.Documentation = &text
	switch {
	case f.Required:
		item.Detail = "required"
	case len(f.Clients) > 0:
		item.Detail = "read by " + strings.Join(titles(f.Clients), ", ")
		item.Sort = "2" + f.Name
		if slices.ContainsFunc(f.Clients, func(x clients.Client) bool { return slices.Contains(c.opened.Options.Clients, x.ID) }) {
			item.Sort = "1" + f.Name
		}
	}
	c.add(c.before, item, f.Name+": ")
}

var (
	linkStart       = lazyregexp.New(`\]\(<?([^()\s]*)$`)
	definitionStart = lazyregexp.New(`^ {0,3}\[[^\]]+\]:[ \t]*<?(\S*)$`)
	wordStart       = lazyregexp.New("[^\\s`'\"=(]*$")
)

// body adds files: in links relative to the page, in code relative to the skill.
func (c *completer) body() {
	for _, start := range []func() *regexp.Regexp{linkStart, definitionStart} {
		if m := start().FindStringSubmatch(c.before); m != nil {
			if file, typed, ok := strings.Cut(m[1], "#"); ok {
				c.headings(file, typed)
			} else {
				c.paths(m[1], path.Dir(c.name), true)
			}
			return
		}
	}
	if strings.Count(c.before, "`")%2 == 1 || c.inBlock() {
		typed := wordStart().FindString(c.before)
		if at := strings.LastIndex(typed, "}/"); at >= 0 {
			typed = typed[at+len("}/"):]
		}
		c.paths(typed, ".", false)
	}
}

// inBlock reports whether the position is in a fenced block, closed or not.
func (c *completer) inBlock() bool {
	fences := 0
	for n := c.text.At(c.offset).Line - 1; n > 0; n-- {
		if line := strings.TrimLeft(string(c.text.Text(n)), " \t"); strings.HasPrefix(line, "```") || strings.HasPrefix(line, "~~~") {
			fences++
		}
	}
	return fences%2 == 1
}

// files returns the files of the skill except its SKILL.md.
func (c *completer) files() (out []spec.File) {
	if c.doc.Files == nil {
		return nil
	}
	for _, f := range c.doc.Files.List() {
		isHidden := strings.HasPrefix(f.Name, ".") || strings.Contains(f.Name, "/.")
		isFile := !f.Mode.IsDir() && !f.Outside && f.Name != c.doc.File
		if isFile && !isHidden && len(out) < maxItems {
			out = append(out, f)
		}
	}
	return out
}

// paths adds the files of the skill, written from the folder here. In code, scripts come
// first.
func (c *completer) paths(typed, here string, link bool) {
	for _, f := range c.files() {
		base := "."
		if here != "." {
			base = here
		}
		text := references.Place{Base: base, Link: link}.Written(f.Name, here)
		item := protocol.CompletionItem{Label: text, Kind: itemFile, Detail: spec.FormatSize(f.Size), Sort: "1" + f.Name}
		if !link && strings.HasPrefix(f.Name, "scripts/") {
			item.Sort = "0" + f.Name
		}
		c.add(typed, item, text)
	}
}

// headings adds the headings of a Markdown file, as fragments.
func (c *completer) headings(file, typed string) {
	name := c.ruleName()
	if file != "" {
		name = path.Join(path.Dir(c.name), file)
	}
	page, _, ok := c.all.Page(name)
	if !ok {
		return
	}
	for _, h := range page.Headings {
		c.add(typed, protocol.CompletionItem{Label: h.Anchor, Kind: itemTitle, Detail: h.Text}, h.Anchor)
	}
}
