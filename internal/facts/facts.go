// Package facts lists what a reviewer of a skill wants to see first: programs
// without source, hosts, downloads that are run, hidden text, hooks. A fact says
// what is in a file, never whether that is good or bad.
package facts

import (
	"bytes"
	"cmp"
	"path"
	"slices"
	"strings"

	"skills/internal/spec/references"
	"skills/internal/spec/secrets"
)

// Fact is something that is in a file.
type Fact struct {
	Kind string `json:"kind"`
	Line int    `json:"line,omitempty"` // 0 for the whole file
	Text string `json:"text"`           // as in the file, or what it is; keys are masked
	More int    `json:"more,omitempty"` // further places in the file with this text
}

// Kind is a kind of fact.
type Kind struct{ ID, Title string }

// The kinds, by what they are called in output.
const (
	program     = "program"
	archive     = "archive"
	bytecode    = "bytecode"
	host        = "host"
	download    = "piped-download"
	encoded     = "encoded-command"
	hiddenText  = "hidden-text"
	environment = "environment"
	installHook = "install-hook"
	startUp     = "start-up"
	shellTool   = "shell-tool"
	clientHook  = "client-hook"
	secret      = "secret"
	signature   = "signature"
	link        = "link"
	special     = "special-file"
	unread      = "unread"
)

// Kinds returns every kind in the order of output.
func Kinds() []Kind {
	return []Kind{
		{download, "Downloads piped into a program"},
		{encoded, "Encoded text that is decoded and run"},
		{hiddenText, "Hidden text"},
		{clientHook, "Commands that a client runs by itself"},
		{shellTool, "allowed-tools that grant a shell"},
		{installHook, "Install hooks and git hooks"},
		{startUp, "Changes of PATH, LD_PRELOAD or start-up files"},
		{environment, "Environment variables read in a file that uses the network"},
		{host, "Hosts named in programs and network commands"},
		{secret, "Keys"},
		{program, "Compiled programs"},
		{bytecode, "Bytecode"},
		{archive, "Archives"},
		{link, "Links out of the skill"},
		{special, "Files that are neither regular files nor folders"},
		{unread, "Not read"},
		{signature, "Signatures"},
	}
}

// MaxSearched is how many bytes of a file are searched.
const MaxSearched = 8 << 20

// Unread is the fact that a file or folder, or a part of it, was not read.
func Unread(why string) Fact { return Fact{Kind: unread, Text: why} }

// Link is the fact that a link leaves the skill.
func Link(target string) Fact { return Fact{Kind: link, Text: "leads to " + target} }

// Special is the fact that there is a pipe, socket or device.
func Special(kind string) Fact { return Fact{Kind: special, Text: "is " + kind} }

// IsFixture reports whether a file is in a folder for evals or tests, below the
// skill's folder.
func IsFixture(name string) bool {
	for part := range strings.SplitSeq(path.Dir(name), "/") {
		switch strings.ToLower(part) {
		case "evals", "test", "tests", "__tests__", "spec", "specs", "testdata", "fixture", "fixtures", "__fixtures__":
			return true
		}
	}
	return false
}

// file is a file that is searched.
type file struct {
	name     string
	src      []byte
	language string // of a script, "" for others
	program  bool   // source code

	found []Fact
}

// Find returns the facts of a file, sorted by line and kind. src is its
// beginning, at most MaxSearched bytes, and size the size of the whole file.
// exists reports whether the skill has a file of that name.
func Find(name string, src []byte, size int64, exists func(name string) bool) []Fact {
	f := &file{name: name, src: src, language: references.Language(name, src)}
	f.program = f.language != "" || references.IsScriptName(name) || slices.Contains(sourceExtensions(), strings.ToLower(path.Ext(name)))
	if kind := issuer(path.Base(name)); kind != "" {
		f.whole(signature, kind)
	}
	switch {
	case f.opaque(size, exists):
	case bytes.IndexByte(src[:min(len(src), 8000)], 0) >= 0: // as git tells binary files
	default:
		if size > int64(len(src)) {
			f.add(unread, 0, "the first 8 MiB were searched, not the rest")
		}
		f.searchText()
	}
	slices.SortStableFunc(f.found, func(a, b Fact) int { return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Kind, b.Kind)) })
	return f.found
}

func sourceExtensions() []string {
	return []string{".jsx", ".tsx", ".cts", ".psm1", ".rs", ".c", ".cc", ".cpp", ".h", ".kt", ".scala", ".vb", ".vbs", ".sql", ".ex", ".exs", ".dart", ".m"}
}

// maxFacts bounds what is listed of one file and kind: all of it may be facts.
const maxFacts = 200

// add adds a fact at an offset of the file, or counts it where the same is known.
func (f *file) add(kind string, at int, text string) {
	text = strings.TrimSpace(strings.ToValidUTF8(secrets.Mask(text, nil), "\uFFFD"))
	same := func(o Fact) bool { return o.Kind == kind && o.Text == text }
	of := 0
	for i := range f.found {
		if same(f.found[i]) {
			f.found[i].More++
			f.found[i].Line = min(f.found[i].Line, f.line(at))
			return
		}
		if f.found[i].Kind == kind {
			of++
		}
	}
	switch {
	case of < maxFacts:
		f.found = append(f.found, Fact{Kind: kind, Line: f.line(at), Text: text})
	case of == maxFacts:
		f.found = append(f.found, Fact{Kind: kind, Text: "more than 200 in this file: the rest is not listed"})
	}
}

// whole adds a fact about the whole file.
func (f *file) whole(kind, text string) { f.found = append(f.found, Fact{Kind: kind, Text: text}) }

func (f *file) line(at int) int { return 1 + bytes.Count(f.src[:at], []byte("\n")) }
