package hook

import (
	"path/filepath"
	"slices"
	"strings"

	"skills/internal/files"
	"skills/internal/script/sandbox"
)

// plainProgram is a program that runs no code of others. It says which of its arguments
// are data and which are files; what it does not say is exposed.
type plainProgram struct {
	anything bool   // all arguments are data
	flags    string // options without a value, as letters
	values   string // options with a value that is data
	data     int    // how many operands are data, before those that are files
}

const allData = 1 << 20

// plainPrograms read and write data, and cannot be made to run code.
var plainPrograms = map[string]plainProgram{
	"cat":    {flags: "AbEensTtuv"},
	"cut":    {flags: "nsz", values: "bcdf"},
	"date":   {flags: "uRI", data: allData},
	"echo":   {anything: true},
	"false":  {anything: true},
	"grep":   {flags: "acEFGHhilLnoPqsvwxz", values: "Am", data: 1},
	"head":   {flags: "qvz", values: "cn"},
	"jq":     {flags: "acCejMnrRsS", data: 1},
	"logger": {flags: "is", values: "pt", data: allData},
	"printf": {anything: true},
	"tail":   {flags: "qvz", values: "cn"},
	"tee":    {flags: "aip"},
	"tr":     {flags: "cCdst", data: allData},
	"true":   {anything: true},
	"uniq":   {flags: "cdDiuz", values: "fsw"},
	"wc":     {flags: "cLlmw"},
}

// plain reports whether a program reads and writes data, and runs no code of others. Its
// own code is where scripts cannot write.
func (o *PinnedRunner) plain(program string) bool {
	real := sandbox.Real(program)
	_, named := plainPrograms[baseName(program)]
	_, itself := plainPrograms[baseName(real)]
	itself = itself || slices.Contains([]string{"coreutils", "busybox", "ggrep"}, baseName(real))
	return named && itself && !isShim(program) && !o.inside(program)
}

// data decides on the arguments of a plain program.
func (o *PinnedRunner) data(name string, args []string) Exposure {
	of := plainPrograms[name]
	if of.anything {
		return Exposure{}
	}
	operands := 0
	for i := 0; i < len(args); i++ {
		word := args[i]
		if strings.HasPrefix(word, "-") && word != "-" {
			ok, next := of.option(word[1:])
			if !ok || next && i+1 == len(args) {
				return exposed(name + " " + printableName(word) + " may use a file that scripts can replace")
			}
			if next {
				i++
			}
			continue
		}
		operands++
		switch {
		case operands <= of.data && name == "jq" && loads(word):
			return exposed("the filter of jq may load code")
		case operands <= of.data, word == "-" && name != "tee" && name != "uniq": // standard input
		case o.replaceable(word):
			return Exposure{
				Reason: printableName(word) + " is, or may become, a file in a folder that scripts can write to, where they can put a link to any other file",
				Advice: adviceFile,
			}
		}
	}
	return Exposure{}
}

// option reports whether the letters of an option have a known meaning, and whether its
// value is the next word.
func (p plainProgram) option(letters string) (known, next bool) {
	for i, letter := range letters {
		switch {
		case strings.ContainsRune(p.values, letter):
			return true, i == len(letters)-1
		case !strings.ContainsRune(p.flags, letter):
			return false, false
		}
	}
	return true, false
}

// loads reports whether a filter of jq may load other files.
func loads(filter string) bool {
	return slices.ContainsFunc([]string{"import", "include", "modulemeta"}, func(word string) bool { return strings.Contains(filter, word) })
}

// replaceable reports whether scripts can decide what a path leads to.
func (o *PinnedRunner) replaceable(word string) bool {
	dir, climbed := o.start(word)
	return climbed || o.inside(files.Absolute(dir, word)) || o.inside(filepath.Clean(files.Absolute(dir, word)))
}
