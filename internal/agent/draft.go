package agent

import (
	"encoding/json"
	"fmt"
	"strings"
)

// What one reply may hold. Models that lose their way write for ever; what a
// tool can use is far below.
const (
	maxText      = 8 << 20
	maxCalls     = 1024
	maxExtra     = 1 << 20 // of one call
	maxArguments = 1 << 20 // of one call; what has more is answered with a fault
)

// hugeError says that a reply holds more than can be meant.
type hugeError struct{ what string }

func (e *hugeError) Error() string { return "the reply holds " + e.what }

// bounded checks the size of a reply, whole or on its way.
func bounded(text, calls int) error {
	switch {
	case text > maxText:
		return &hugeError{fmt.Sprintf("more than %d bytes of text", maxText)}
	case calls > maxCalls:
		return &hugeError{fmt.Sprintf("more than %d tool calls", maxCalls)}
	}
	return nil
}

// draft is a call that may still grow.
type draft struct {
	id, name  string
	extra     RawJSON
	arguments strings.Builder
	size      int // of the arguments, also of what is not kept

	// How far the JSON of the arguments is.
	depth           int
	inText, escaped bool
	closed          bool
}

// call adds to the name. Most servers send it once, some with every fragment,
// and a few in pieces, which can be told where a call has an index and nothing
// of its arguments has come.
func (d *draft) call(name string, indexed bool) {
	switch {
	case d.name == "" || indexed && d.size == 0 && strings.HasPrefix(name, d.name):
		d.name = name
	case indexed && d.size == 0 && name != "" && len(d.name) < maxName:
		d.name += name
	}
}

// write adds to the arguments.
func (d *draft) write(arguments string) {
	d.size += len(arguments)
	switch kept := d.arguments.Len(); {
	case d.size <= maxArguments:
		d.arguments.WriteString(arguments)
	case kept < shownArguments:
		d.arguments.WriteString(arguments[:min(shownArguments-kept, len(arguments))])
	}
	for i := range len(arguments) {
		c := arguments[i]
		switch {
		case d.escaped:
			d.escaped = false
		case d.inText:
			d.inText, d.escaped = c != '"', c == '\\'
		case c == '"':
			d.inText = true
		case c == '{' || c == '[':
			d.depth++
		case c == '}' || c == ']':
			d.depth--
			d.closed = d.depth == 0
		}
	}
}

// whole reports whether the arguments look complete. Only short ones are read
// for it: servers send one character at a time.
func (d *draft) whole() bool {
	return d.closed || d.size < 32 && json.Valid([]byte(d.arguments.String()))
}

// taken returns the arguments, or what stands in the place of too large ones.
func (d *draft) taken() string { return takeArguments(d.arguments.String(), d.size) }

// shownArguments is how many bytes of too large arguments are kept.
const shownArguments = 200

// cutMark is how the arguments end that were too large to be taken.
const cutMark = "… (cut off)"

// takeArguments returns arguments of that size, of which the beginning is
// given, in the form in which they are kept.
func takeArguments(arguments string, size int) string {
	if size <= maxArguments {
		return arguments
	}
	arguments = wholeRunes(arguments[:min(shownArguments, len(arguments))])
	return fmt.Sprintf("%s… %d bytes%s", strings.Clone(arguments), size, cutMark)
}
