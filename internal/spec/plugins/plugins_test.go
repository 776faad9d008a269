package plugins_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"skills/internal/spec"
	"skills/internal/spec/plugins"
	"skills/internal/spec/rules"
	"skills/internal/testing/filetest"
)

// check writes files into a folder and returns the findings as lines.
func check(t *testing.T, files map[string]string, opts spec.Options) (lines []string, p plugins.Package) {
	t.Helper()
	dir := filetest.Write(t, t.TempDir(), files)
	return checkDir(t, dir, opts)
}

func checkDir(t *testing.T, dir string, opts spec.Options) (lines []string, p plugins.Package) {
	t.Helper()
	root, err := os.OpenRoot(dir)
	filetest.Must(t, err)
	defer root.Close()
	p = plugins.Check(root.FS(), "p", opts)
	for _, f := range p.Files {
		for _, d := range f.Found {
			lines = append(lines, filepath.ToSlash(d.String()))
		}
	}
	return lines, p
}

const (
	portable = `{"$schema": "https://agent-plugins.org/schemas/1.0.0/plugin.schema.json", "name": "demo"}`
	servers  = `{"$schema": "https://agent-plugins.org/schemas/1.0.0/mcp.schema.json", "mcpServers": {"s": %s}}`
	skill    = "---\nname: a\ndescription: Does it. Use when asked.\n---\n\nText.\n"
)

// TestPages runs the examples of the pages: the bad one must be reported by the rule of the
// page, the good one by none.
func TestPages(t *testing.T) {
	for _, rule := range plugins.Rules() {
		page := rules.Page(rule.ID)
		bad, _ := check(t, example(t, page, "Bad:"), spec.Options{})
		if !slices.ContainsFunc(bad, func(line string) bool { return strings.HasSuffix(line, "["+rule.ID+"]") }) {
			t.Errorf("the bad example of %s is reported as %q", rule.ID, bad)
		}
		if good, _ := check(t, example(t, page, "Good:"), spec.Options{}); len(good) > 0 {
			t.Errorf("the good example of %s is reported: %q", rule.ID, good)
		}
		off, _ := check(t, example(t, page, "Bad:"), spec.Options{Levels: map[string]spec.Level{rule.ID: spec.Off}})
		if slices.ContainsFunc(off, func(line string) bool { return strings.HasSuffix(line, "["+rule.ID+"]") }) {
			t.Errorf("%s is off and reports %q", rule.ID, off)
		}
	}
}

// example returns the code blocks after a heading of a page, which are named: ```json NAME.
func example(t *testing.T, page, heading string) map[string]string {
	t.Helper()
	_, after, _ := strings.Cut(page, "\n"+heading+"\n")
	after, _, _ = strings.Cut(after, "\nGood:\n")
	files := map[string]string{}
	for {
		_, rest, ok := strings.Cut(after, "\n```")
		if !ok {
			return files
		}
		info, rest, _ := strings.Cut(rest, "\n")
		_, name, ok := strings.Cut(info, " ")
		if !ok {
			t.Fatalf("a block after %q has no name", heading)
		}
		files[name], after, _ = strings.Cut(rest, "\n```\n")
		files[name] += "\n"
	}
}

func TestManifest(t *testing.T) {
	head := `"$schema": "https://agent-plugins.org/schemas/1.0.0/plugin.schema.json"`
	for manifest, want := range map[string]string{
		`{` + head + `, "name": "a.b-c1", "version": "x", "homepage": "y", "license": "z", "keywords": ["k"], "author": {"name": "n", "email": "e", "url": "u"}}`: "",
		`{` + head + `}`:                                                                           "name is missing: clients reject the plugin",
		`{` + head + `, "name": 1}`:                                                                "name is a number, not a string: clients reject the plugin",
		`{` + head + `, "name": ""}`:                                                               `name "" is empty: clients reject the plugin`,
		`{` + head + `, "name": "a..b"}`:                                                           "two hyphens or periods in a row",
		`{` + head + `, "name": "-a"}`:                                                             "starts and ends with a letter or digit",
		`{` + head + `, "name": "a` + strings.Repeat("b", 64) + `"}`:                               "longer than 64 characters",
		`{` + head + `, "name": "a", "version": 1}`:                                                "version is a number, not a string: clients reject the plugin",
		`{` + head + `, "name": "a", "keywords": ["k", 1]}`:                                        "an item of keywords is a number",
		`{` + head + `, "name": "a", "author": "n"}`:                                               "author is a string, not an object: clients reject the plugin",
		`{` + head + `, "name": "a", "author": {"x": 1}}`:                                          `author has the field "x"`,
		`{` + head + `, "name": "a", "licence": "MIT"}`:                                            `"licence" is not a field of Agent Plugins: clients report and ignore it`,
		`{` + head + `, "name": "a", "extensions": 1}`:                                             "extensions is a number, not an object: clients report and ignore it",
		`{"$schema": "https://agent-plugins.org/schemas/2.0.0/plugin.schema.json", "name": "A B"}`: "not the version 1.0.0 of Agent Plugins: clients of that version reject the plugin",
		`{"$schema": "https://agent-plugins.org/plugin.json", "name": "a"}`:                        "$schema is not the identifier",
		`{` + head + `, "name": "a",}`:                                                             "plugin.json is not valid JSON",
		`{` + head + `, "name": "a", "name": "b"}`:                                                 `the field "name" is defined twice`,
	} {
		lines, p := check(t, map[string]string{"plugin.json": manifest}, spec.Options{})
		ok := len(lines) == 1 && strings.Contains(lines[0], want) && strings.HasPrefix(lines[0], "p/plugin.json:1:")
		if want == "" {
			ok = len(lines) == 0
		}
		if !ok || p.Manifest != "plugin.json" || !p.Portable {
			t.Errorf("%s\nhas the findings %q, not %q (%+v)", manifest, lines, want, p)
		}
	}
}

func TestServers(t *testing.T) {
	for server, want := range map[string]string{
		`{"type": "stdio", "command": "./bin/x y", "args": ["${HOME}"], "env": {"A": "${PLUGIN_DATA}"}, "cwd": "${PLUGIN_DATA}/a"}`: "",
		`{"type": "sse", "url": "http://127.0.0.1:8/x"}`:                                "",
		`{"type": "streamable-http", "url": "http://[::1]/x", "headers": {"X-A": "b"}}`: "",
		`1`:                                    "is a number, not an object: clients skip this server",
		`{"command": "x"}`:                     "has no type",
		`{"type": "http", "url": "https://x"}`: `has the type "http", which is unknown`,
		`{"type": "stdio"}`:                    "has no command",
		`{"type": "stdio", "command": 1}`:      "has a command that is not a string",
		`{"type": "stdio", "command": "x", "url": "https://x"}`:                `has the field "url"`,
		`{"type": "stdio", "command": "a b"}`:                                  "has a command of several words",
		`{"type": "stdio", "command": "../x"}`:                                 "has a command outside the plugin: clients skip this server [plugin-path]",
		`{"type": "stdio", "command": "./a/../../x"}`:                          "has a command outside the plugin",
		`{"type": "stdio", "command": "/bin/x"}`:                               "neither a program's name nor a path",
		`{"type": "stdio", "command": "${PLUGIN_ROOT}/x"}`:                     "has a placeholder in its command",
		`{"type": "stdio", "command": "x", "args": "a"}`:                       "has args that are not a list of strings",
		`{"type": "stdio", "command": "x", "env": {"PLUGIN_DATA": "a"}}`:       "sets PLUGIN_DATA, which is reserved",
		`{"type": "stdio", "command": "x", "env": {"A": 1}}`:                   "has an env value that is a number",
		`{"type": "stdio", "command": "x", "env": {"A": "${HOME}"}}`:           "info: the value of A is passed as it is written",
		`{"type": "stdio", "command": "x", "cwd": "data"}`:                     "has a cwd in a form that is not allowed",
		`{"type": "stdio", "command": "x", "cwd": "${PLUGIN_ROOT}/../y"}`:      "has a cwd outside the plugin",
		`{"type": "sse", "url": "http://example.com"}`:                         "has a url without encryption",
		`{"type": "sse", "url": "https://u@example.com"}`:                      "has a url with a user name",
		`{"type": "sse", "url": "https://example.com/#a"}`:                     "has a url with a fragment",
		`{"type": "sse", "url": "/mcp"}`:                                       "not an absolute http or https address",
		`{"type": "sse", "url": "https://${H}/x"}`:                             "has a placeholder in its url",
		`{"type": "sse", "url": "https://x", "headers": {"A": "b", "a": "c"}}`: `has the header "a" twice`,
		`{"type": "sse", "url": "https://x", "headers": {"A B": "c"}}`:         `invalid header name "A B"`,
		`{"type": "sse", "url": "https://x", "headers": {"A": "b\n"}}`:         "has an invalid header value",
		`{"type": "sse", "url": "https://x", "headers": {"A": "${T}"}}`:        "info: the header A is sent as it is written",
	} {
		lines, _ := check(t, map[string]string{"plugin.json": portable, "mcp.json": fmt.Sprintf(servers, server)}, spec.Options{})
		ok := len(lines) == 1 && strings.Contains(lines[0], want) && strings.HasPrefix(lines[0], "p/mcp.json:1:")
		if want == "" {
			ok = len(lines) == 0
		}
		if !ok {
			t.Errorf("%s\nhas the findings %q, not %q", server, lines, want)
		}
	}
}

// TestOthers checks faults that need several files.
func TestOthers(t *testing.T) {
	claude := `{"name": "demo"}`
	for name, c := range map[string]struct {
		files map[string]string
		want  string // parts of the findings, in lines
	}{
		"no plugin":        {map[string]string{"plugin.json": `{"id": "grafana"}`}, ""},
		"other clients":    {map[string]string{"plugin.json": `{"name": "x"}`, "skills/a/SKILL.md": skill}, "info: plugin.json has no $schema"},
		"no schema":        {map[string]string{"plugin.json": `{"name": "x"}`, "mcp.json": `{"$schema": "https://agent-plugins.org/schemas/1.0.0/mcp.schema.json", "mcpServers": {}}`}, "error: $schema is missing"},
		"servers off":      {map[string]string{"plugin.json": portable, "mcp.json": `{"$schema": "https://agent-plugins.org/schemas/1.0.0/mcp.schema.json", "servers": {}}`}, "mcpServers is missing\n\"servers\" may not be in mcp.json"},
		"version":          {map[string]string{"plugin.json": portable, "mcp.json": `{"$schema": "https://agent-plugins.org/schemas/1.1.0/mcp.schema.json", "mcpServers": {}}`}, "load none of the plugin's MCP servers"},
		"skills is a file": {map[string]string{"plugin.json": portable, "skills": "x"}, "skills is a file, not a folder: clients load none of its skills"},
		"skill at root":    {map[string]string{"plugin.json": portable, "SKILL.md": skill}, "a skill at the root of the plugin is never found"},
		"flat":             {map[string]string{"plugin.json": portable, "skills/a.md": skill, "skills/README.md": "# Skills\n"}, "skills/a.md is never found"},
		"nested":           {map[string]string{"plugin.json": portable, "skills/a/SKILL.md": skill, "skills/a/b/SKILL.md": skill, "skills/tests/c/SKILL.md": skill}, ""},
		"named":            {map[string]string{".claude-plugin/plugin.json": `{"name": "demo", "skills": ["./skills/cat"]}`, "skills/cat/a/SKILL.md": skill}, ""},
		"by marketplace":   {map[string]string{".claude-plugin/marketplace.json": `{"name": "m", "owner": {"name": "o"}, "plugins": [{"name": "a", "source": "./", "strict": false, "skills": ["./skills/x/a"]}, {"name": "b", "source": "./", "skills": ["./skills/x/b"]}]}`, "skills/x/a/SKILL.md": skill, "skills/x/b/SKILL.md": skill}, ""},
		"hooks":            {map[string]string{".claude-plugin/plugin.json": claude, "hooks/hooks.json": "{"}, "hooks.json is not valid JSON"},
		"mark":             {map[string]string{".claude-plugin/plugin.json": "\uFEFF" + claude}, "Claude Code does not load the plugin"},
		"unlisted":         {map[string]string{".claude-plugin/marketplace.json": `{"name": "m", "owner": {"name": "o"}, "plugins": [{"name": "a", "source": "./a"}]}`, "a/agents/x.md": "---\ndescription: a: b\n---\n"}, "p/a/agents/x.md:2:15: error: Invalid YAML in frontmatter"},
		"sources":          {map[string]string{".claude-plugin/marketplace.json": `{"name": "m", "owner": {"name": "o"}, "plugins": [{"name": "a", "source": "a"}, {"name": "b", "source": "../b"}, {"name": "c", "source": "./c"}, {"name": "d", "source": {"source": "url"}}]}`, "a/x": ""}, "does not start with ./\nleaves the marketplace\ndoes not exist: Claude Code cannot install the plugin\nhas no url"},
		"servers":          {map[string]string{".claude-plugin/plugin.json": claude, ".mcp.json": "[]"}, "Claude Code loads none of the plugin's MCP servers"},
		"deep JSON":        {map[string]string{".claude-plugin/plugin.json": strings.Repeat("[", 200_000)}, "is not valid JSON"},
		"huge":             {map[string]string{".claude-plugin/plugin.json": claude + strings.Repeat(" ", 9<<20)}, "is too large to be checked"},
	} {
		lines, _ := check(t, c.files, spec.Options{})
		want := slices.DeleteFunc(strings.Split(c.want, "\n"), func(s string) bool { return s == "" })
		ok := len(lines) == len(want)
		for i := range want {
			ok = ok && strings.Contains(lines[i], want[i])
		}
		if !ok {
			t.Errorf("%s: %q, not %q", name, lines, want)
		}
	}
}

// TestLinks checks links out of the plugin, each with its effect.
func TestLinks(t *testing.T) {
	outside := filetest.Write(t, t.TempDir(), map[string]string{"a/SKILL.md": skill, "x": "text", "mcp.json": "{}"})
	dir := filetest.Write(t, t.TempDir(), map[string]string{"plugin.json": portable, "skills/a/SKILL.md": skill, "skills/c/x": ""})
	for link, target := range map[string]string{
		"skills/b": filepath.Join(outside, "a"), "skills/c/SKILL.md": filepath.Join(outside, "a", "SKILL.md"),
		"mcp.json": filepath.Join(outside, "mcp.json"), "skills/d": "a", "docs": outside,
	} {
		if err := os.Symlink(target, filepath.Join(dir, link)); err != nil {
			t.Skip(err)
		}
	}
	lines, _ := checkDir(t, dir, spec.Options{})
	for _, want := range []string{
		"p/mcp.json: error: mcp.json is a link out of the plugin: clients load none of the plugin's MCP servers",
		"p/docs: error: docs is a link out of the plugin: clients deny access to it",
		"p/skills/b: error: skills/b is a link out of the plugin: the skill is skipped",
		"p/skills/c/SKILL.md: error: skills/c/SKILL.md is a link out of the plugin: the skill is skipped",
	} {
		if !slices.ContainsFunc(lines, func(line string) bool { return strings.HasPrefix(line, want) }) {
			t.Errorf("%q is missing in %q", want, lines)
		}
	}
	if len(lines) != 4 {
		t.Errorf("findings: %q", lines)
	}
}

// TestSharedFolder checks that a folder is read once, however many plugins of a marketplace
// name it.
func TestSharedFolder(t *testing.T) {
	entries := make([]string, 2000)
	for i := range entries {
		entries[i] = fmt.Sprintf(`{"name": "p%d", "source": "./", "commands": "./commands"}`, i)
	}
	files := map[string]string{
		".claude-plugin/marketplace.json": `{"name": "m", "owner": {"name": "o"}, "plugins": [` + strings.Join(entries, ",") + `]}`,
		"hooks/hooks.json":                "{",
	}
	for i := range 200 {
		files[fmt.Sprintf("commands/c%d.md", i)] = "---\ndescription: d\n---\n"
	}
	files["commands/bad.md"] = "---\ndescription: a: b\n---\n"
	fsys := &counting{FS: fstest.MapFS{}, reads: map[string]int{}}
	for name, text := range files {
		fsys.FS.(fstest.MapFS)[name] = &fstest.MapFile{Data: []byte(text)}
	}
	p := plugins.Check(fsys, "p", spec.Options{})
	if len(p.Files) != 2 {
		t.Errorf("findings in %d files, not in the hooks and one command: %v", len(p.Files), p.Files)
	}
	for name, n := range fsys.reads {
		if n > 2 && strings.HasPrefix(name, "commands/") {
			t.Errorf("%s was opened %d times", name, n)
		}
	}
}

// counting counts how often files are opened.
type counting struct {
	fs.FS
	reads map[string]int
}

func (c *counting) Open(name string) (fs.File, error) {
	c.reads[name]++
	return c.FS.Open(name)
}

func FuzzCheck(f *testing.F) {
	f.Add(portable, fmt.Sprintf(servers, `{"type": "stdio", "command": "x"}`), `{"name": "m", "plugins": [{"source": "./"}]}`)
	f.Fuzz(func(t *testing.T, plugin, mcp, marketplace string) {
		files := map[string]string{"plugin.json": plugin, "mcp.json": mcp, ".claude-plugin/marketplace.json": marketplace, ".claude-plugin/plugin.json": plugin}
		fsys := fstest.MapFS{}
		for name, text := range files {
			fsys[name] = &fstest.MapFile{Data: []byte(text)}
		}
		for _, file := range plugins.Check(fsys, "p", spec.Options{}).Files {
			for _, d := range file.Found {
				if d.Span.Start.Line > 1+strings.Count(string(file.Doc.Source), "\n")+strings.Count(string(file.Doc.Source), "\r") {
					t.Errorf("%v is behind the end of the file", d)
				}
			}
		}
	})
}
