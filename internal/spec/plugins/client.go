package plugins

// Claude Code loads a plugin by .claude-plugin/plugin.json. Fields that it does not know are
// ignored; a field of another type, or a path that is missing or leaves the plugin, makes it
// report the plugin as failed. The facts are those of its command "plugin validate".

import (
	"path"
	"slices"
	"strings"

	"skills/internal/jsonpos"
	"skills/internal/printable"
	"skills/internal/suggest"
)

const (
	notLoaded  = "Claude Code does not load the plugin"
	partFailed = "Claude Code does not load it"
)

var (
	clientTexts  = []string{"$schema", "displayName", "version", "description", "homepage", "repository", "license"}
	clientFields = append([]string{"name", "author", "keywords", "defaultEnabled", "dependencies", "hooks", "commands", "agents", "skills", "outputStyles",
		"mcpServers", "lspServers", "settings", "userConfig", "channels", "themes", "monitors", "workflows", "experimental"}, clientTexts...)
	// entryFields are fields of marketplaces that authors write into manifests as well.
	entryFields = []string{"source", "category", "tags", "strict", "id"}
)

// client checks plugins of Claude Code.
type client struct{ *checker }

// check checks a folder with the manifest of Claude Code.
func (c client) check() {
	at := c.stat(clientManifest)
	if at.outside {
		c.is(clientManifest, "")
		c.report(c.file(clientManifest, nil), pathRule, 0, 0, "put the file itself into the plugin", "%s is a link out of the plugin: %s", manifestFile, notLoaded)
		return
	}
	if at.FileInfo == nil || at.IsDir() {
		return
	}
	f := c.readJSON(clientManifest, manifestRule, notLoaded)
	c.is(clientManifest, "")
	if f.json == nil {
		return
	}
	c.is(clientManifest, text(f.json.Field("name")))
	c.repeated(f, fieldRule, f.json, "the field")
	c.unknown(f, f.json, clientFields)
	c.spelled(f, manifestRule, f.json, "name is missing", notLoaded)
	c.types(f, manifestRule, f.json, "", notLoaded)
	c.components(f, f.json, "")
}

// unknown reports fields that Claude Code ignores, each once in a file; they are only advice, because other
// clients read the same file.
func (c client) unknown(f *file, n *jsonpos.Node, known []string) {
	for _, m := range n.Members() {
		if slices.Contains(known, m.Key) || f.ignored[m.Key] {
			continue
		}
		f.ignored[m.Key] = true
		help := "delete it unless another client reads it"
		if meant := suggest.Nearest(m.Key, known); meant != "" {
			help = "did you mean " + meant + "?"
		} else if slices.Contains(entryFields, m.Key) {
			help = "it belongs into the plugin's entry of a marketplace"
		}
		c.advise(f, fieldRule, m.KeyStart, m.KeyEnd, help, "Claude Code ignores the field %s", printable.Quote(m.Key))
	}
}

// spelled checks a required name, which is text without spaces.
func (c client) spelled(f *file, rule *rule, n *jsonpos.Node, missing, effect string) {
	name := n.Field("name")
	switch value := text(name); {
	case name == nil:
		c.report(f, rule, n.Start, n.Start+1, "add a name in lower case, such as my-plugin", "%s: %s", missing, effect)
	case !c.wantKind(f, rule, name, "name", "a string", effect):
	case value == "":
		c.report(f, rule, name.Start, name.End, "write a name such as my-plugin", "name is empty: %s", effect)
	case strings.Contains(value, " "):
		c.report(f, rule, name.Start, name.End, "write hyphens instead of spaces", "name %s has spaces: %s", printable.Quote(value), effect)
	}
}

// types checks the types of the fields that manifests and entries share.
func (c client) types(f *file, rule *rule, n *jsonpos.Node, prefix, effect string) {
	for _, key := range clientTexts {
		c.wantKind(f, rule, n.Field(key), prefix+key, "a string", effect)
	}
	c.wantTexts(f, rule, n.Field("keywords"), prefix+"keywords", effect)
	for _, key := range []string{"dependencies", "channels"} {
		c.wantKind(f, rule, n.Field(key), prefix+key, "a list", effect)
	}
	author := n.Field("author")
	if author != nil && c.wantKind(f, rule, author, prefix+"author", "an object", effect) {
		if author.Field("name") == nil {
			c.report(f, rule, author.Start, author.End, `add "name"`, "%sauthor has no name: %s", prefix, effect)
		}
		c.wantKind(f, rule, author.Field("name"), prefix+"author.name", "a string", effect)
	}
	if enabled := n.Field("defaultEnabled"); enabled != nil {
		c.wantKind(f, rule, enabled, prefix+"defaultEnabled", "a boolean", effect)
	}
}

// components checks what a manifest, or an entry of a marketplace, names. base is the
// plugin's folder; n may be nil.
func (c client) components(f *file, n *jsonpos.Node, base string) {
	c.found(base)
	for _, p := range c.paths(f, n, "skills", base) {
		if c.stat(p.name).IsDir() {
			c.named[base] = append(c.named[base], p.name)
			continue
		}
		c.report(f, pathRule, p.node.Start, p.node.End, "name the folder that has the SKILL.md", "skills names a file, not a folder: %s", partFailed)
	}
	for _, kind := range []string{"commands", "agents"} {
		for _, p := range c.paths(f, n, kind, base) {
			at := c.stat(p.name)
			switch {
			case at.IsDir() && kind == "agents":
				c.report(f, manifestRule, p.node.Start, p.node.End, "name the .md files; agents/ itself needs no name",
					"agents names a folder, not a .md file: %s", notLoaded)
			case at.IsDir():
				c.markdownIn(p.name, kind, 0)
			default:
				c.markdownFile(p.name, kind)
			}
		}
	}
	for _, key := range []string{"hooks", "mcpServers", "lspServers", "outputStyles"} {
		c.paths(f, n, key, base)
	}
}

// found checks what Claude Code finds in a plugin's folder without a name, once.
func (c client) found(base string) {
	if _, again := c.named[base]; again {
		return
	}
	c.named[base] = nil
	c.bases = append(c.bases, base)
	c.markdownIn(path.Join(base, "commands"), "commands", 0)
	c.markdownIn(path.Join(base, "agents"), "agents", 0)
	hooks := path.Join(base, "hooks", "hooks.json")
	if c.stat(hooks).FileInfo != nil {
		c.readJSON(hooks, manifestRule, notLoaded)
	}
	c.servers(base)
}

// named is a path that a manifest names.
type named struct {
	name string // relative, with the plugin's folder
	node *jsonpos.Node
}

// paths checks the paths of a field, which is a path or a list, and returns those that
// exist.
func (c client) paths(f *file, n *jsonpos.Node, key, base string) (out []named) {
	field := n.Field(key)
	if field == nil {
		return nil
	}
	values := []*jsonpos.Node{field}
	if items := field.Items(); items != nil {
		values = items
	}
	bare := 0 // paths without ./
	for _, value := range values[:min(len(values), maxEntries)] {
		raw, isText := value.Value.(string)
		isPath := isText && !strings.Contains(raw, "://") && !strings.HasPrefix(raw, "${")
		if !isPath {
			continue
		}
		what := key + " names " + printable.Quote(raw)
		name, in := inside(raw)
		name = path.Join(base, name)
		at := c.stat(name)
		switch {
		case !in, strings.Contains("/"+raw+"/", "/../"), at.outside:
			c.report(f, pathRule, value.Start, value.End, "name something inside the plugin", "%s, which leaves the plugin: %s", what, partFailed)
		case !strings.HasPrefix(raw, "./") && bare > 0: // one habit is one finding
		case !strings.HasPrefix(raw, "./"):
			bare++
			c.report(f, manifestRule, value.Start, value.End, `write "./`+strings.TrimPrefix(raw, "/")+`"`, "%s, which does not start with ./: %s", what, notLoaded)
		case at.FileInfo == nil && key != "mcpServers" && key != "lspServers":
			c.report(f, pathRule, value.Start, value.End, "correct the path, or add what is missing", "%s, which does not exist: %s", what, partFailed)
		case at.FileInfo != nil:
			out = append(out, named{name, value})
		}
	}
	return out
}
