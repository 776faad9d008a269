package rules

// Scripts name their dependencies in many forms: a metadata block, imports, gems and
// commands that download a program. Each form is read with the places of the names.

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
			var found []dependency
			block := max(bytes.Index(t.src, []byte("# /// script")), 0)
			for _, d := range m.Dependencies {
				if pythonBare().MatchString(d) {
					at := bytes.IndexFunc(t.src[block:], func(r rune) bool { return r == '"' || r == '\'' })
					for _, quote := range []string{`"`, "'"} {
						if n := bytes.Index(t.src[block:], []byte(quote+d+quote)); n >= 0 {
							at = n + 1
						}
					}
					found = append(found, dependency{d, block + max(at, 0)})
				}
			}
			reportPins(p, t, found)
		}
		for t, language := range scripts(p.Doc) {
			var found []dependency
			switch language {
			case "shell":
				found = shellFetches(t.src)
			case "javascript":
				if !slices.ContainsFunc(filesOf(p.Doc), fixesImports) {
					found = imported(t.src, bareImport, "npm:", "jsr:", "https://")
				}
			case "ruby":
				found = imported(t.src, bareGem, "bundler/inline")
			}
			reportPins(p, t, found)
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
func imported(src []byte, expr func() *regexp.Regexp, words ...string) []dependency {
	const limit = 100
	if !holdsAny(src, words) {
		return nil
	}
	var out []dependency
	for _, at := range expr().FindAllSubmatchIndex(src, limit) {
		out = append(out, dependency{string(src[at[2]:at[3]]), at[2]})
	}
	return out
}

// shellFetches returns the packages that a shell script downloads and runs
// without a version.
func shellFetches(src []byte) []dependency {
	var out []dependency
	for _, c := range references.ShellCommands(string(src)) {
		if w, _, ok := fetched(c.Words); ok {
			start := w.Start
			if c := src[start]; c == '"' || c == '\'' {
				start++
			}
			out = append(out, dependency{strings.TrimSuffix(w.Text, "@latest"), start})
		}
	}
	return out
}

// dependency is a package that a script names at an offset.
type dependency struct {
	name string
	at   int
}

// reportPins reports the unpinned dependencies of a script as one finding, at the first
// by name.
func reportPins(p *spec.Pass, t *text, found []dependency) {
	const most = 5
	if len(found) == 0 {
		return
	}
	slices.SortStableFunc(found, func(a, b dependency) int { return strings.Compare(a.name, b.name) })
	first := found[0]
	var names []string
	for _, d := range found {
		names = append(names, d.name)
	}
	names = slices.Compact(names)
	if len(names) > most {
		names = append(names[:most], printable.Plural(len(names)-most, "other"))
	}
	t.report(p, first.at, first.at+len(first.name), "pin the versions that you tested, for example with == or @",
		"the newest version is installed of %s, which may change or break", printable.Quoted(listed(names)))
}
