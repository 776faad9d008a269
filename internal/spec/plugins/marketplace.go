package plugins

// A marketplace lists plugins. Claude Code refuses the whole list for a fault of its form;
// a source that does not exist makes its plugin fail. A plugin without a manifest of its own
// is defined by its entry, so that its components are checked here.

import (
	"path"
	"slices"
	"strings"

	"skills/internal/jsonpos"
	"skills/internal/printable"
)

const (
	refused       = "Claude Code refuses the marketplace"
	notInstalled  = "Claude Code cannot install the plugin"
	metadataField = "metadata"
)

var (
	marketplaceFields = []string{"$schema", "name", "version", "description", "owner", "plugins", metadataField,
		"forceRemoveDeletedPlugins", "allowCrossMarketplaceDependenciesOn", "renames"}
	entryKnown = append(slices.Clone(clientFields), entryFields...)
	// sourceFields are the fields that a kind of source requires. Kinds that are not listed
	// are not checked: newer releases have more.
	sourceFields = map[string][]string{"github": {"repo"}, "url": {"url"}, "npm": {"package"}, "git-subdir": {"url", "path"}}
)

// marketplace checks marketplaces of Claude Code.
type marketplace struct{ client }

// check checks the marketplace of a folder.
func (c marketplace) check() {
	at := c.stat(marketplaceFile)
	if at.FileInfo == nil || at.IsDir() {
		return
	}
	f := c.readJSON(marketplaceFile, marketplaceRule, refused)
	c.is(marketplaceFile, "")
	root := f.json
	if root == nil {
		return
	}
	c.is(marketplaceFile, text(root.Field("name")))
	c.unknown(f, root, marketplaceFields)
	c.spelled(f, marketplaceRule, root, "name is missing", refused)
	for _, key := range []string{"$schema", "version", "description"} {
		c.wantKind(f, marketplaceRule, root.Field(key), key, "a string", refused)
	}
	c.owner(f, root)
	plugins := root.Field("plugins")
	if plugins == nil {
		c.report(f, marketplaceRule, root.Start, root.Start+1, `add "plugins": [ … ]`, "plugins is missing: %s", refused)
		return
	}
	if !c.wantKind(f, marketplaceRule, plugins, "plugins", "a list", refused) {
		return
	}
	folder := text(root.Field(metadataField).Field("pluginRoot"))
	seen := map[string]bool{}
	for _, entry := range plugins.Items()[:min(len(plugins.Items()), maxEntries)] {
		if !c.wantKind(f, marketplaceRule, entry, "an entry of plugins", "an object", refused) {
			continue
		}
		c.listed(f, entry, folder)
		if name := entry.Field("name"); name != nil && seen[text(name)] {
			c.report(f, marketplaceRule, name.Start, name.End, "give each plugin its own name", "the plugin %s is listed twice: %s", printable.Quote(text(name)), refused)
		}
		seen[text(entry.Field("name"))] = true
	}
}

// owner checks who publishes a marketplace.
func (c marketplace) owner(f *file, root *jsonpos.Node) {
	owner := root.Field("owner")
	switch {
	case owner == nil:
		c.report(f, marketplaceRule, root.Start, root.Start+1, `add "owner": {"name": "…"}`, "owner is missing: %s", refused)
	case !c.wantKind(f, marketplaceRule, owner, "owner", "an object", refused):
	case owner.Field("name") == nil:
		c.report(f, marketplaceRule, owner.Start, owner.End, `add "name"`, "owner has no name: %s", refused)
	default:
		c.wantKind(f, marketplaceRule, owner.Field("name"), "owner.name", "a string", refused)
	}
}

// listed checks one plugin of a marketplace.
func (c marketplace) listed(f *file, entry *jsonpos.Node, folder string) {
	c.unknown(f, entry, entryKnown)
	c.spelled(f, marketplaceRule, entry, "the plugin has no name", refused)
	c.types(f, marketplaceRule, entry, "", refused)
	c.wantTexts(f, marketplaceRule, entry.Field("tags"), "tags", refused)
	c.wantKind(f, marketplaceRule, entry.Field("category"), "category", "a string", refused)
	c.wantKind(f, marketplaceRule, entry.Field("strict"), "strict", "a boolean", refused)
	source := entry.Field("source")
	name := printable.Quote(text(entry.Field("name")))
	switch {
	case source == nil:
		c.report(f, marketplaceRule, entry.Start, entry.Start+1, `add "source": "./…", or an object`, "plugin %s has no source: %s", name, refused)
	case source.Fields() != nil:
		c.remote(f, source, name)
	case c.wantKind(f, marketplaceRule, source, "source", "a string", refused):
		c.local(f, entry, source, name, folder)
	}
}

// remote checks a source elsewhere.
func (c marketplace) remote(f *file, source *jsonpos.Node, name string) {
	kind := source.Field("source")
	if text(kind) == "" {
		c.report(f, marketplaceRule, source.Start, source.Start+1, `add "source": "github", "url", "git-subdir" or "npm"`, "the source of plugin %s has no kind: %s", name, refused)
		return
	}
	for _, field := range sourceFields[text(kind)] {
		if text(source.Field(field)) == "" {
			c.report(f, marketplaceRule, source.Start, source.Start+1, "add "+field, "the source of plugin %s has no %s: %s", name, field, refused)
		}
	}
}

// local checks a source in the folder of the marketplace.
func (c marketplace) local(f *file, entry, source *jsonpos.Node, name, folder string) {
	value := text(source)
	clean, in := inside(value)
	if folder != "" && !strings.HasPrefix(value, "./") {
		base, baseIn := inside(folder)
		clean, in = path.Join(base, clean), in && baseIn
	}
	leaves := !in || strings.Contains("/"+value+"/", "/../")
	at := c.statInside(clean, leaves)
	switch {
	case leaves || at.outside:
		c.report(f, pathRule, source.Start, source.End, "name a folder below that of the marketplace", "the source of plugin %s leaves the marketplace: %s", name, refused)
	case !strings.HasPrefix(value, "./") && value != "." && folder == "":
		c.report(f, marketplaceRule, source.Start, source.End, `write "./`+value+`"`, "the source of plugin %s does not start with ./: %s", name, refused)
	case at.FileInfo == nil:
		c.report(f, pathRule, source.Start, source.End, "correct the path, or add the folder", "the source of plugin %s does not exist: %s", name, notInstalled)
	case !at.IsDir():
		c.report(f, pathRule, source.Start, source.End, "name the plugin's folder", "the source of plugin %s is not a folder: %s", name, notInstalled)
	case c.stat(path.Join(clean, clientManifest)).FileInfo == nil:
		c.components(f, entry, clean)
	default: // the check of the plugin itself sees the rest
		for _, key := range []string{"skills", "commands", "agents", "hooks"} {
			c.paths(f, entry, key, clean)
		}
	}
}

// statInside returns what is at a path that does not leave the folder.
func (c marketplace) statInside(name string, leaves bool) entry {
	if leaves {
		return entry{}
	}
	return c.stat(name)
}
