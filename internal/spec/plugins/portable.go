package plugins

// A plugin of the Agent Plugins specification has a closed set of fields: unknown ones are
// reported and ignored, any other fault of the manifest makes clients reject the plugin.

import (
	"bytes"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"skills/internal/jsonpos"
	"skills/internal/lazyregexp"
	"skills/internal/printable"
	"skills/internal/suggest"
)

const (
	schemaHost     = "agent-plugins.org"
	pluginSchema   = "https://agent-plugins.org/schemas/1.0.0/plugin.schema.json"
	mcpSchema      = "https://agent-plugins.org/schemas/1.0.0/mcp.schema.json"
	rejected       = "clients reject the plugin"
	maxName        = 64
	unknownVersion = "%s names %s, not the version 1.0.0 of Agent Plugins: clients of that version %s"
)

var (
	portableName   = lazyregexp.New(`^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$`)
	portableFields = []string{"$schema", "name", "version", "description", "author", "homepage", "repository", "license", "keywords", "extensions"}
	authorFields   = []string{"name", "email", "url"}
	textFields     = []string{"version", "description", "homepage", "repository", "license"}
)

// portable checks plugins of Agent Plugins.
type portable struct{ *checker }

// Is reports whether the folder is a plugin or a marketplace, and whether it is a plugin of
// Agent Plugins.
func Is(fsys fs.FS) (is, portable bool) {
	c := tree{fsys}
	is, portable = c.isPortable()
	client := func(name string) bool { at := c.stat(name); return at.outside || at.FileInfo != nil && !at.IsDir() }
	return is || client(clientManifest) || client(marketplaceFile), portable
}

// isPortable reports whether plugin.json is the manifest of a plugin, and whether it, or the
// mcp.json next to it, names a schema of Agent Plugins.
func (c tree) isPortable() (is, named bool) {
	at := c.stat(manifestFile)
	if at.outside {
		return c.hasSkills(), false
	}
	if at.FileInfo == nil || !at.Mode().IsRegular() {
		return false, false
	}
	src, _ := c.read(manifestFile)
	mcp, _ := c.read(mcpFile)
	named = bytes.Contains(src, []byte(schemaHost)) || bytes.Contains(mcp, []byte(schemaHost))
	return named || c.hasSkills(), named
}

// check checks the plugin.json of a folder. Other programs have files of this name as
// well: one counts if it, or the mcp.json next to it, names a schema of Agent Plugins, or
// if the folder has skills where a plugin has them.
func (c portable) check() {
	is, named := c.isPortable()
	if !is {
		return
	}
	if c.stat(manifestFile).outside {
		c.is(manifestFile, "")
		c.report(c.file(manifestFile, nil), pathRule, 0, 0, "put the file itself into the plugin", "%s is a link out of the plugin: %s", manifestFile, rejected)
		return
	}
	c.out.Portable = named
	f := c.readJSON(manifestFile, manifestRule, rejected)
	if f.json == nil {
		c.is(manifestFile, "")
		return
	}
	schema := f.json.Field("$schema")
	if !named {
		if schema == nil && f.json.Field("name") != nil {
			c.is(manifestFile, text(f.json.Field("name")))
			c.advise(f, manifestRule, f.json.Start, f.json.Start+1, `add "$schema": "`+pluginSchema+`" if the plugin is for them`,
				"%s has no $schema: clients of Agent Plugins reject the plugin", manifestFile)
		}
		return
	}
	c.is(manifestFile, text(f.json.Field("name")))
	if !c.manifest(f) {
		return
	}
	c.servers(text(schema))
	c.links()
	search{c.checker, false, nil}.skills("")
}

// links reports the other links at the root that leave the plugin, to which clients deny access.
func (c portable) links() {
	for _, e := range c.list(".") {
		fixed := slices.Contains([]string{manifestFile, mcpFile, "skills"}, e.Name())
		if e.Type()&fs.ModeSymlink != 0 && !fixed && c.stat(e.Name()).outside {
			c.report(c.file(e.Name(), nil), pathRule, 0, 0, "put the files themselves into the plugin", "%s is a link out of the plugin: clients deny access to it", printable.Line(e.Name()))
		}
	}
}

// hasSkills reports whether the folder has a skill where plugins have them.
func (c tree) hasSkills() bool {
	return slices.ContainsFunc(c.list("skills"), func(e fs.DirEntry) bool {
		return c.stat("skills/"+e.Name()+"/SKILL.md").FileInfo != nil
	})
}

// manifest checks the fields of a manifest. It returns false if its version is
// unknown, so that its other fields cannot be judged.
func (c portable) manifest(f *file) bool {
	root := f.json
	c.repeated(f, fieldRule, root, "the field")
	for _, m := range root.Members() {
		if slices.Contains(portableFields, m.Key) {
			continue
		}
		help := "move it into extensions, or delete it"
		if meant := suggest.Nearest(m.Key, portableFields); meant != "" {
			help = "did you mean " + meant + "?"
		}
		c.report(f, fieldRule, m.KeyStart, m.KeyEnd, help, "%s is not a field of Agent Plugins: clients report and ignore it", printable.Quote(m.Key))
	}
	if !c.schema(f, pluginSchema, "reject the plugin") {
		return false
	}
	c.name(f, root)
	for _, key := range textFields {
		c.wantKind(f, manifestRule, root.Field(key), key, "a string", rejected)
	}
	c.wantTexts(f, manifestRule, root.Field("keywords"), "keywords", rejected)
	author := root.Field("author")
	if c.wantKind(f, manifestRule, author, "author", "an object", rejected) {
		for _, m := range author.Members() {
			if !slices.Contains(authorFields, m.Key) {
				c.report(f, manifestRule, m.KeyStart, m.KeyEnd, "keep name, email and url", "author has the field %s, which is not allowed: %s", printable.Quote(m.Key), rejected)
				continue
			}
			c.wantKind(f, manifestRule, m.Node, "author."+m.Key, "a string", rejected)
		}
	}
	c.extensions(f, root.Field("extensions"))
	return true
}

// schema checks the required $schema of a file; effect is what clients do otherwise. It
// returns false if the version is unknown.
func (c portable) schema(f *file, want, effect string) bool {
	rule := manifestRule
	if f.name == mcpFile {
		rule = mcpRule
	}
	schema := f.json.Field("$schema")
	help := "write " + printable.Quote(want)
	switch value := text(schema); {
	case schema == nil:
		c.report(f, rule, f.json.Start, f.json.Start+1, `add "$schema": "`+want+`"`, "$schema is missing: clients %s", effect)
	case value == want:
	case strings.Contains(value, schemaHost+"/schemas/") && !strings.Contains(value, "/1.0.0/"):
		c.report(f, rule, schema.Start, schema.End, help, unknownVersion, "$schema", printable.Quote(value), effect)
		return false
	default:
		c.report(f, rule, schema.Start, schema.End, help, "$schema is not the identifier of the schema of Agent Plugins 1.0.0: clients %s", effect)
	}
	return true
}

// name checks the required name.
func (c portable) name(f *file, root *jsonpos.Node) {
	name := root.Field("name")
	if name == nil {
		c.report(f, manifestRule, root.Start, root.Start+1, "add a name in a-z, 0-9, hyphens and periods", "name is missing: %s", rejected)
		return
	}
	if !c.wantKind(f, manifestRule, name, "name", "a string", rejected) {
		return
	}
	value, fault := text(name), ""
	switch {
	case value == "":
		fault = "is empty"
	case len([]rune(value)) > maxName:
		fault = fmt.Sprintf("is longer than %d characters", maxName)
	case strings.Contains(value, "--"), strings.Contains(value, ".."):
		fault = "has two hyphens or periods in a row"
	case !portableName().MatchString(value):
		fault = "may only have a-z, 0-9, hyphens and periods, and starts and ends with a letter or digit"
	default:
		return
	}
	c.report(f, manifestRule, name.Start, name.End, "write a name such as my-plugin", "name %s %s: %s", printable.Quote(value), fault, rejected)
}

// extensions checks the data of clients, whose contents are theirs.
func (c portable) extensions(f *file, n *jsonpos.Node) {
	if n == nil {
		return
	}
	if n.Fields() == nil {
		c.report(f, fieldRule, n.Start, n.End, "write an object of namespaces", "extensions is %s, not an object: clients report and ignore it", n.Kind())
		return
	}
	for _, m := range n.Members() {
		if m.Fields() == nil {
			c.report(f, manifestRule, m.Start, m.End, "write an object", "extensions.%s is %s, not an object: %s that validate it", printable.Line(m.Key), m.Kind(), rejected)
		}
	}
}
