// Package plugins checks the packages that skills are distributed in: plugins of the
// Agent Plugins specification 1.0.0 (plugin.json), plugins of Claude Code
// (.claude-plugin/plugin.json) and its marketplaces (.claude-plugin/marketplace.json).
//
// A finding says what a client does about the fault: it skips the plugin, all components
// of a type, a server or a skill. The skills themselves are checked by package rules.
package plugins

// A check reads files below one folder, each once and with limits, and never through a link
// that leaves it: the caller passes the file system of an os.Root. Findings are about the
// text of the files, so JSON is read into values with positions. What only one client
// refuses names that client.

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"skills/internal/jsonpos"
	"skills/internal/printable"
	"skills/internal/spec"
)

// Limits of one check.
const (
	maxFile    = 8 << 20 // bytes of a file
	maxEntries = 4_000   // entries of a folder, and Markdown files of a plugin
	maxDepth   = 6       // levels of folders below skills, commands and agents
)

// The rules of this package. Their findings come from [Check], which checks no skill.
var (
	manifestRule = &spec.Rule{ID: "plugin-manifest", Title: "clients accept the manifest of a plugin", Level: spec.Error,
		Source: "Agent Plugins 1.0.0, section 5; Claude Code, plugins reference"}
	fieldRule = &spec.Rule{ID: "plugin-field", Title: "the manifest of a plugin has only fields that are read", Level: spec.Warning,
		Source: "Agent Plugins 1.0.0, section 5.2"}
	mcpRule = &spec.Rule{ID: "plugin-mcp", Title: "the MCP servers of a plugin can be loaded", Level: spec.Error,
		Source: "Agent Plugins 1.0.0, sections 7.2 and 9.2"}
	skillRule = &spec.Rule{ID: "plugin-skill", Title: "clients find the skills of a plugin", Level: spec.Warning,
		Source: "Agent Plugins 1.0.0, sections 6 and 7.1; Claude Code, plugins reference"}
	pathRule = &spec.Rule{ID: "plugin-path", Title: "paths and links of a plugin exist and stay inside it", Level: spec.Error,
		Source: "Agent Plugins 1.0.0, section 4.1; Claude Code, plugins reference"}
	marketplaceRule = &spec.Rule{ID: "plugin-marketplace", Title: "a marketplace and its entries can be loaded", Level: spec.Error,
		Source: "Claude Code, plugin marketplaces"}
	frontmatterRule = &spec.Rule{ID: "plugin-frontmatter", Title: "the frontmatter of commands and agents is valid YAML", Level: spec.Error,
		Source: "Claude Code, plugins reference"}
)

// Rules returns the rules of this package.
func Rules() []*spec.Rule {
	return []*spec.Rule{manifestRule, fieldRule, mcpRule, skillRule, pathRule, marketplaceRule, frontmatterRule}
}

// Names of files.
const (
	manifestFile    = "plugin.json"
	mcpFile         = "mcp.json"
	clientFolder    = ".claude-plugin"
	marketplaceFile = clientFolder + "/marketplace.json"
	clientManifest  = clientFolder + "/" + manifestFile
)

// May reports whether a folder with these entries may be a plugin or a marketplace.
func May(entries []fs.DirEntry) bool {
	return slices.ContainsFunc(entries, func(e fs.DirEntry) bool {
		return e.Name() == clientFolder || e.Name() == manifestFile && !e.IsDir()
	})
}

// IsManifest reports whether a file is named like a manifest, and returns the folder of
// its plugin or marketplace.
func IsManifest(file string) (dir string, ok bool) {
	dir, base := filepath.Split(file)
	dir = filepath.Clean(dir)
	switch {
	case filepath.Base(dir) == clientFolder && (base == manifestFile || base == "marketplace.json"):
		return filepath.Dir(dir), true
	case base == manifestFile:
		return dir, true
	}
	return "", false
}

// Package is a checked plugin or marketplace.
type Package struct {
	Name     string // as in its manifest, "" if it has none
	Manifest string // the path of its manifest, relative with slashes; "" if the folder is neither
	// Portable is true for a plugin of the Agent Plugins specification, whose clients skip
	// each skill that breaks the specification of skills.
	Portable bool
	Files    []File
}

// File is a file of a package with its findings.
type File struct {
	Doc   *spec.Document
	Found []spec.Diagnostic
}

// Check checks the folder in fsys, which findings call dir.
func Check(fsys fs.FS, dir string, opts spec.Options) Package {
	c := &checker{tree: tree{fsys}, dir: dir, opts: opts, files: map[string]*file{}, named: map[string][]string{}, done: map[string]bool{}}
	portable{c}.check()
	client{c}.check()
	marketplace{client{c}}.check()
	for _, base := range c.bases {
		search{c, true, c.named[base]}.skills(base)
	}
	for _, name := range c.order {
		f := c.files[name]
		var found []spec.Diagnostic
		for _, rule := range Rules() {
			if p := f.passes[rule]; p != nil {
				found = append(found, p.Found()...)
			}
		}
		found = slices.DeleteFunc(found, func(d spec.Diagnostic) bool {
			return d.Level < max(opts.Least, spec.Info) || opts.Ignored != nil && opts.Ignored(d.Rule, d.Path)
		})
		if len(found) > 0 {
			c.out.Files = append(c.out.Files, File{f.doc, spec.Sort(found)})
		}
	}
	return c.out
}

// checker is the state of a check.
type checker struct {
	tree
	dir  string
	opts spec.Options
	out  Package

	files    map[string]*file // by relative path
	order    []string
	markdown int // Markdown files read

	// Of the plugins that Claude Code loads from this folder: their folders in order, and the
	// folders of skills that manifests and entries of marketplaces name.
	bases []string
	named map[string][]string
	done  map[string]bool // folders and Markdown files that were checked
}

// file is a file that was read, or that findings are about.
type file struct {
	name   string
	doc    *spec.Document
	json   *jsonpos.Node // nil unless it was read as JSON
	passes map[*spec.Rule]*spec.Pass

	ignored map[string]bool // fields that were reported as ignored
}

// is records the manifest that makes the folder a package; the first one counts.
func (c *checker) is(manifest, name string) {
	if c.out.Manifest == "" {
		c.out.Manifest = manifest
	}
	if c.out.Name == "" {
		c.out.Name = name
	}
}

// file returns the file with a name for findings; src may be nil.
func (c *checker) file(name string, src []byte) *file {
	if f := c.files[name]; f != nil {
		return f
	}
	f := &file{name: name, doc: spec.NewDocument(filepath.Join(c.dir, filepath.FromSlash(name)), src), passes: map[*spec.Rule]*spec.Pass{}, ignored: map[string]bool{}}
	c.files[name] = f
	c.order = append(c.order, name)
	return f
}

// pass returns the pass of a rule over a file; it drops findings of a rule that is off.
func (c *checker) pass(f *file, rule *spec.Rule) *spec.Pass {
	p := f.passes[rule]
	if p == nil {
		p = spec.NewPass(f.doc, rule, c.opts)
		f.passes[rule] = p
	}
	return p
}

// report adds a finding about a range of a file; no range means the whole file.
func (c *checker) report(f *file, rule *spec.Rule, start, end int, help, format string, args ...any) {
	if !c.opts.Off(rule) {
		c.pass(f, rule).Report(f.span(start, end), help, format, args...)
	}
}

// advise adds a finding that is only advice.
func (c *checker) advise(f *file, rule *spec.Rule, start, end int, help, format string, args ...any) {
	if !c.opts.Off(rule) {
		c.pass(f, rule).AdviseIn(f.doc.Path, f.span(start, end), nil, help, format, args...)
	}
}

func (f *file) span(start, end int) spec.Span {
	if end == 0 {
		return spec.Span{}
	}
	return f.doc.SourceSpan(start, end)
}

// tree is the folder that is checked.
type tree struct{ fs fs.FS }

// entry is what exists at a relative path.
type entry struct {
	fs.FileInfo      // nil if it is missing, leaves the folder or cannot be read
	outside     bool // a link leads out of the folder
	broken      bool // a link leads nowhere
}

// stat returns what is at a relative path. Links are followed inside the folder.
func (c tree) stat(name string) entry {
	info, err := fs.Stat(c.fs, name)
	if err == nil {
		return entry{FileInfo: info}
	}
	for at := name; at != "."; at = path.Dir(at) {
		link, lerr := fs.Lstat(c.fs, at)
		if lerr != nil {
			continue
		}
		isLink := link.Mode()&fs.ModeSymlink != 0
		missing := errors.Is(err, fs.ErrNotExist)
		return entry{outside: isLink && !missing, broken: isLink && missing && at == name}
	}
	return entry{}
}

// list returns the entries of a folder, or nil.
func (c tree) list(name string) []fs.DirEntry {
	entries, _ := fs.ReadDir(c.fs, name)
	return entries[:min(len(entries), maxEntries)]
}

// read returns the text of a regular file, or nil.
func (c tree) read(name string) (src []byte, large bool) {
	info, err := fs.Stat(c.fs, name)
	if err != nil || !info.Mode().IsRegular() {
		return nil, false
	}
	if info.Size() > maxFile {
		return nil, true
	}
	src, err = fs.ReadFile(c.fs, name)
	if err != nil || len(src) > maxFile {
		return nil, err == nil
	}
	return src, false
}

// readJSON reads a JSON object. effect is what clients do if it cannot be read, which is a
// finding of the rule; then the file has no json.
func (c *checker) readJSON(name string, rule *spec.Rule, effect string) *file {
	src, large := c.read(name)
	f := c.file(name, src)
	base := path.Base(name)
	switch {
	case large:
		c.report(f, rule, 0, 0, "make it smaller than "+spec.FormatSize(maxFile), "%s is too large to be checked", base)
		return f
	case src == nil:
		c.report(f, rule, 0, 0, "put a readable JSON file there", "%s is not a file that can be read: %s", base, effect)
		return f
	}
	var value any
	err := json.Unmarshal(src, &value)
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &syntax):
		at := max(min(int(syntax.Offset)-1, len(src)-1), 0)
		help := "correct the JSON"
		if bytes.HasPrefix(src, []byte("\uFEFF")) {
			help = "save the file without a byte order mark"
		}
		c.report(f, rule, at, at+1, help, "%s is not valid JSON (%s): %s", base, printable.Line(syntax.Error()), effect)
		return f
	case err != nil:
		c.report(f, rule, 0, 1, "correct the JSON", "%s is not valid JSON: %s", base, effect)
		return f
	}
	root := jsonpos.Parse(src)
	if root.Fields() == nil {
		c.report(f, rule, root.Start, root.End, "write an object: { … }", "%s is %s, not an object: %s", base, root.Kind(), effect)
		return f
	}
	f.json = root
	return f
}

// text returns the value of a field if it is a string.
func text(n *jsonpos.Node) string {
	if n == nil {
		return ""
	}
	s, _ := n.Value.(string)
	return s
}

// wantKind reports a value of another type than wanted; nil values pass.
func (c *checker) wantKind(f *file, rule *spec.Rule, n *jsonpos.Node, what, kind, effect string) bool {
	if n == nil || n.Kind() == kind {
		return true
	}
	c.report(f, rule, n.Start, n.End, "write "+kind, "%s is %s, not %s: %s", what, n.Kind(), kind, effect)
	return false
}

// wantTexts reports a value that is not a list of strings.
func (c *checker) wantTexts(f *file, rule *spec.Rule, n *jsonpos.Node, what, effect string) {
	if !c.wantKind(f, rule, n, what, "a list", effect) {
		return
	}
	for _, item := range n.Items() {
		if !c.wantKind(f, rule, item, "an item of "+what, "a string", effect) {
			return
		}
	}
}

// repeated reports the keys of an object that it has twice.
func (c *checker) repeated(f *file, rule *spec.Rule, n *jsonpos.Node, what string) {
	seen := map[string]bool{}
	for _, m := range n.Members() {
		if seen[m.Key] {
			c.report(f, rule, m.KeyStart, m.KeyEnd, "keep one of them", "%s %s is defined twice: only the last one counts", what, printable.Quote(m.Key))
		}
		seen[m.Key] = true
	}
}

// inside returns a path of a manifest as a clean relative path; ok is false if it leaves
// the folder.
func inside(value string) (name string, ok bool) {
	name = path.Clean(strings.ReplaceAll(value, `\`, "/"))
	return name, name != ".." && !strings.HasPrefix(name, "../") && !path.IsAbs(name)
}
