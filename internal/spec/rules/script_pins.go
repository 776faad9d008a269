package rules

import (
	"bytes"
	"path"
	"regexp"
	"slices"
	"strings"

	"skills/internal/lazyregexp"
	"skills/internal/printable"
	"skills/internal/pymeta"
	"skills/internal/spec"
	"skills/internal/spec/frontmatter"
	"skills/internal/spec/references"
)

var scriptMetadata = &spec.Rule{
	ID:     "script-metadata",
	Title:  "the metadata of Python scripts is valid",
	Level:  spec.Warning,
	Needs:  spec.NeedsBody,
	Source: "PEP 723",
	Check: func(p *spec.Pass) {
		for t, m := range inlineMetadata(p) {
			if m.Fault == "" {
				continue
			}
			at := frontmatter.IndexLines(t.src).Starts[m.Line-1]
			t.report(p, at, at+t.lineLength(at), "follow PEP 723 (packaging.python.org): uv rejects or ignores anything else", "%s", m.Fault)
		}
	},
}

// inlineMetadata yields the Python scripts with a metadata block, complete or
// not.
func inlineMetadata(p *spec.Pass) func(yield func(*text, pymeta.Metadata) bool) {
	return func(yield func(*text, pymeta.Metadata) bool) {
		for t, language := range scripts(p.Doc) {
			if language != "python" || !bytes.Contains(t.src, []byte("# /// script")) {
				continue
			}
			if m, ok := pymeta.Read(t.src); (ok || m.Fault != "") && !yield(t, m) {
				return
			}
		}
	}
}

var scriptPins = &spec.Rule{
	ID:     "script-pins",
	Title:  "dependencies of scripts have a version",
	Level:  spec.Info,
	Needs:  spec.NeedsBody,
	Source: "agentskills.io, using scripts: pin versions",
	Check: func(p *spec.Pass) {
		for t, m := range inlineMetadata(p) {
			if _, locked := fileOf(p.Doc, t.name+".lock"); locked || bytes.Contains(t.src, []byte("exclude-newer")) {
				continue
			}
			var names []string
			for _, d := range m.Dependencies {
				if pythonBare().MatchString(d) {
					names = append(names, d)
				}
			}
			reportPins(p, t, names)
		}
		for t, language := range scripts(p.Doc) {
			var names []string
			switch language {
			case "shell":
				names = shellFetches(t.src)
			case "javascript":
				if !slices.ContainsFunc(filesOf(p.Doc), fixesImports) {
					names = imported(t.src, bareImport, "npm:", "jsr:", "https://")
				}
			case "ruby":
				names = imported(t.src, bareGem, "bundler/inline")
			}
			reportPins(p, t, names)
		}
	},
}

var (
	pythonBare = lazyregexp.New(`^[A-Za-z0-9][A-Za-z0-9._-]*(?:\[[^\]]*\])?[ \t]*(?:;.*)?$`)
	bareImport = lazyregexp.New(`(?:\bfrom|\bimport)[ \t]*\(?[ \t]*["']((?:(?:npm|jsr):(?:@[\w.-]+/)?[\w.-]+|https://(?:deno\.land/(?:std|x/[\w-]+)|esm\.sh/(?:@[\w.-]+/)?[\w.-]+))(?:/[^"'@]*)?)["']`)
	bareGem    = lazyregexp.New(`(?m)^[ \t]*gem[ \t]*\(?["']([\w-]+)["']\)?[ \t]*(?:#.*)?$`)
)

// fixesImports reports whether a file sets the versions of imports.
func fixesImports(f spec.File) bool {
	return slices.Contains([]string{"deno.json", "deno.jsonc", "deno.lock", "package.json", "import_map.json"}, path.Base(f.Name))
}

// imported returns the matches of expr in a program that contains one of the
// words.
func imported(src []byte, expr func() *regexp.Regexp, words ...string) []string {
	const limit = 100
	if !holdsAny(src, words) {
		return nil
	}
	var out []string
	for _, m := range expr().FindAllSubmatch(src, limit) {
		out = append(out, string(m[1]))
	}
	return out
}

// shellFetches returns the packages that a shell script downloads and runs
// without a version.
func shellFetches(src []byte) []string {
	var out []string
	for _, c := range references.ShellCommands(string(src)) {
		if w, _, ok := fetched(c.Words); ok {
			out = append(out, strings.TrimSuffix(w.Text, "@latest"))
		}
	}
	return out
}

// reportPins reports the unpinned dependencies of a script as one finding.
func reportPins(p *spec.Pass, t *text, names []string) {
	const most = 5
	if len(names) == 0 {
		return
	}
	slices.Sort(names)
	names = slices.Compact(names)
	if len(names) > most {
		names = append(names[:most], printable.Plural(len(names)-most, "other"))
	}
	at := max(bytes.Index(t.src, []byte(names[0])), 0)
	t.report(p, at, at+len(names[0]), "pin the versions that you tested, for example with == or @",
		"the newest version is installed of %s, which may change or break", printable.Quoted(listed(names)))
}
