package frontmatter

import (
	"slices"
	"strings"
)

// unclosedFlow finds a list or mapping that is opened and not closed. Where
// only text is wanted, specialStart says so.
func unclosedFlow(e entry) (cause, bool) {
	if !wantsFlow(e) || bracketsClose(e.value) {
		return cause{}, false
	}
	c := e.wrong(0, 1, peelNone, "the %q that opens %s is never closed", e.value[:1], e.what())
	c.help, c.fix = "close it: "+e.written(e.value+missingBrackets(e.value)), ""
	return c, true
}

// wantsFlow reports a value that starts like a list or mapping where one may
// be meant.
func wantsFlow(e entry) bool {
	return e.value != "" && (e.value[0] == '[' || e.value[0] == '{') && !strings.HasPrefix(e.value, "{{") &&
		(e.item || e.indent != "" || !isTextField(e.key) || e.key == "allowed-tools")
}

// bracketsClose reports whether every bracket of a value is closed; those in quotes
// do not count.
func bracketsClose(value string) bool { return missingBrackets(value) == "" }

// missingBrackets returns what closes the brackets that a value leaves open.
func missingBrackets(value string) string {
	var open []byte
	eachPlain(value, func(_ int, c byte) {
		switch c {
		case '[', '{':
			open = append(open, c+2) // ] and } stand two after [ and {
		case ']', '}':
			open = open[:max(len(open)-1, 0)]
		}
	})
	slices.Reverse(open)
	return string(open)
}

// eachPlain calls f with every byte of a flow value that stands outside quotes.
func eachPlain(value string, f func(i int, c byte)) {
	var q byte
	for i := 0; i < len(value); i++ {
		c := value[i]
		opens := i == 0 || strings.IndexByte(" ,[{:", value[i-1]) >= 0
		switch {
		case q == '"' && c == '\\':
			i++
		case c == q:
			q = 0
		case q == 0 && opens && (c == '"' || c == '\''):
			q = c
		case q == 0:
			f(i, c)
		}
	}
}
