// Package usage finds out what arguments a script takes from its text, without running
// it. Python is interpreted as far as its parser of arguments is built (argparse, click,
// typer), or searched for the uses of sys.argv. Shell scripts are followed to the loops over
// their options and the uses of their words; Node scripts are searched for literals.
//
// Nothing is guessed. A part that the text does not decide (a default that is computed, a
// list of choices from another file) is left out of its parameter. If whole parameters
// may be missing, [Usage.Partial] is true, and the arguments are an array of words.
//
// Work is bounded: the size of the text, the nesting, the steps of the interpreter and
// the number of parameters.
package usage

import (
	"maps"
	"path"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"
)

// Limits of a script's text and of what is found in it.
const (
	maxSource     = 512 << 10 // bytes
	maxParameters = 200       // of one command
	maxCommands   = 100
	maxChoices    = 500
	maxLevels     = 4 // of commands below commands
)

// Usage is what a script, or one of its commands, takes.
type Usage struct {
	// Form names the library, or how the arguments are read: "argparse", "click", "typer",
	// "shell", "getopts", "argv" for words by position.
	Form        string `json:"form,omitempty"`
	Description string `json:"description,omitempty"`

	Positionals []Parameter `json:"positionals,omitempty"` // in order
	Options     []Parameter `json:"options,omitempty"`
	Exclusive   []Group     `json:"exclusive,omitempty"` // options that exclude each other

	// Commands are the subcommands. CommandKey is the key of their choice among the
	// arguments.
	Commands        []Command `json:"commands,omitempty"`
	CommandKey      string    `json:"command_key,omitempty"`
	CommandRequired bool      `json:"command_required,omitempty"`

	// Partial is true if there may be further parameters.
	Partial bool `json:"partial,omitempty"`
	// Synopsis is what the script's own usage line has behind its name, if that is all
	// that is known.
	Synopsis string `json:"synopsis,omitempty"`

	lax    bool // unknown options are ignored
	open   bool // more words than described are accepted
	ends   bool // -- ends the options; libraries always take it
	dashes bool // positionals are only accepted behind --
}

// Command is a subcommand.
type Command struct {
	Name    string   `json:"name"`
	Aliases []string `json:"aliases,omitempty"`
	Help    string   `json:"help,omitempty"`
	Usage   Usage    `json:"usage"`
}

// Group is a set of parameters, by key, of which at most one can be given.
type Group struct {
	Keys     []string `json:"keys"`
	Required bool     `json:"required,omitempty"` // one must be given
}

// Kind is how a parameter is written.
type Kind string

// The kinds of parameters.
const (
	Flag  Kind = "flag"  // an option without a value
	Count Kind = "count" // an option without a value that can be repeated: -vv
	Value Kind = "value" // a value, or Min to Max values behind each other
	List  Kind = "list"  // an option that is repeated for each value
)

// Type is the type of a value, in the words of JSON Schema.
type Type string

// The types of values.
const (
	String  Type = "string"
	Integer Type = "integer"
	Number  Type = "number"
	Boolean Type = "boolean"
)

// Parameter is an option or a positional argument.
type Parameter struct {
	// Key is its name among the arguments: the long name of an option without dashes,
	// the short one with its dash if there is no long one, the name of a positional.
	Key   string   `json:"key"`
	Names []string `json:"names,omitempty"` // of an option, with dashes; none for a positional
	Kind  Kind     `json:"kind"`
	Type  Type     `json:"type"`

	// Min and Max are the numbers of values behind the name; Max is -1 for any number.
	Min int `json:"min"`
	Max int `json:"max"`

	Required bool   `json:"required,omitempty"`
	Choices  []any  `json:"choices,omitempty"`
	Default  any    `json:"default,omitempty"` // nil if there is none or it is not known
	Metavar  string `json:"metavar,omitempty"`
	Help     string `json:"help,omitempty"`

	// Rest is true for a positional that takes all further words, options too.
	Rest bool `json:"rest,omitempty"`
	// Hidden is true for an option that the script's own help does not show. It is
	// accepted but not offered.
	Hidden bool `json:"hidden,omitempty"`
	// Uncertain names the fields that the text does not decide: "choices", "default",
	// "help", "required", "type".
	Uncertain []string `json:"uncertain,omitempty"`

	spelling
}

// spelling is how a script treats the words of a parameter.
type spelling struct {
	// converted is true if a function of the script converts the words, so that
	// choices are not the words themselves.
	converted bool
	dest      string   // the name that the script gives to the value
	off       []string // of the names, those that turn a flag off
	joined    bool     // the value is only accepted as --name=value
}

// Many reports whether the parameter takes several values: an array in a call.
func (p Parameter) Many() bool { return p.Kind == List || p.Kind == Value && p.Max != 1 && p.Max != 0 }

func (p Parameter) isFlag() bool { return p.Kind == Flag || p.Kind == Count }

// Positional reports whether the parameter has no name on the command line.
func (p Parameter) Positional() bool { return len(p.Names) == 0 }

// Name returns the parameter as people write it: --name, or NAME for a positional.
func (p Parameter) Name() string {
	if p.Positional() {
		return p.Key
	}
	return longest(p.Names)
}

// Of returns what the script takes; name is its file name, whose extension tells the
// language if the text has no shebang. It returns false if that cannot be told from the
// text: then the arguments are an array of words.
func Of(name string, source []byte) (Usage, bool) {
	if len(source) > maxSource || !utf8.Valid(source) {
		return Usage{}, false
	}
	text := strings.ReplaceAll(string(source), "\r\n", "\n")
	var u Usage
	ok := false
	switch {
	case isPython(name, text):
		u, ok = python(text, path.Base(name))
	case isShell(name, text):
		u, ok = shell(text, path.Base(name))
	case isNode(name, text):
		u, ok = node(text, path.Base(name))
	}
	if !ok || !u.bounded(0) {
		return Usage{}, false
	}
	return u.named(), true
}

// isPython reports whether a script is in Python, by its shebang or else by its extension.
func isPython(name, text string) bool {
	if first, _, _ := strings.Cut(text, "\n"); strings.HasPrefix(first, "#!") {
		return strings.Contains(first, "python") || strings.Contains(first, "uv run")
	}
	return strings.EqualFold(path.Ext(name), ".py")
}

// bounded reports whether a usage is within the limits.
func (u Usage) bounded(level int) bool {
	if len(u.Positionals)+len(u.Options) > maxParameters || len(u.Commands) > maxCommands || level > maxLevels {
		return false
	}
	for _, p := range append(u.Positionals[:len(u.Positionals):len(u.Positionals)], u.Options...) {
		if len(p.Choices) > maxChoices {
			return false
		}
	}
	for _, c := range u.Commands {
		if !c.Usage.bounded(level + 1) {
			return false
		}
	}
	return true
}

// longest returns the option name that says most: the first with two dashes, else the
// first.
func longest(names []string) string {
	for _, n := range names {
		if strings.HasPrefix(n, "--") {
			return n
		}
	}
	return names[0]
}

// named gives each parameter its key. If two parameters of a command would have the same
// key, a positional is written <key>.
func (u Usage) named() Usage {
	taken := map[string]bool{}
	for i, p := range u.Options {
		u.Options[i].Key = strings.TrimPrefix(longest(p.Names), "--")
		taken[u.Options[i].Key] = true
	}
	for i, p := range u.Positionals {
		for taken[p.Key] {
			p.Key = "<" + p.Key + ">"
		}
		taken[p.Key] = true
		u.Positionals[i].Key = p.Key
	}
	if len(u.Commands) > 0 {
		for u.CommandKey == "" || taken[u.CommandKey] {
			u.CommandKey += "command"
		}
	}
	for i := range u.Commands {
		u.Commands[i].Usage = u.Commands[i].Usage.named()
	}
	return u
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// equal reports whether two usages are the same.
func equal(a, b Usage) bool { return reflect.DeepEqual(a, b) }
