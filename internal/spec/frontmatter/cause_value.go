package frontmatter

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"skills/internal/printable"
)

// placeholderValue finds a template that nobody filled in. {{ x }} is YAML too:
// see nodeReader.complexKey.
func placeholderValue(e entry) (wrongValue, bool) {
	if !strings.HasPrefix(e.value, "{{") && !strings.HasPrefix(e.value, "{%") {
		return wrongValue{}, false
	}
	w := e.wrong(0, 0, keepQuotes, "%s is a template placeholder", e.what())
	w.help, w.strip = "fill the template in, or quote the value", nil
	return w, true
}

// HasPlaceholder reports a text with a place in it that a template was to fill.
func HasPlaceholder(text string) bool {
	return slices.ContainsFunc([]string{"{{", "{%", "<%", "${"}, func(mark string) bool { return strings.Contains(text, mark) })
}

// colonInValue finds the fault seen most often: a plain value with a colon and
// a space in it, or a colon at its end.
func colonInValue(e entry) (wrongValue, bool) {
	i := colonIn(e.value)
	if hash := strings.Index(e.value, " #"); i < 0 || hash >= 0 && hash < i {
		return wrongValue{}, false
	}
	at := utf8.RuneCountInString(e.value[:i])
	what, in := `": " in`, printable.Quote(e.key)
	if i == len(e.value)-1 {
		what = `":" at the end of`
	}
	if e.item {
		in = "a list item"
	}
	w := e.wrong(at, at+1, keepQuotes, "%s a plain value starts a new mapping (in %s)", what, in)
	if e.key == "metadata" && e.indent == "" {
		w.help, w.fix = "write the keys on lines of their own below metadata:, indented", ""
	}
	return w, true
}

// colonIn is where a plain value holds a colon that YAML reads as one, -1 where
// it holds none.
func colonIn(value string) int {
	if value == "" || strings.ContainsAny(value[:1], `"'|>[{`) {
		return -1
	}
	i := strings.Index(value, ": ")
	if i < 0 && strings.HasSuffix(value, ":") {
		i = len(value) - 1
	}
	if t := strings.Index(value, ":\t"); i < 0 && t >= 0 {
		i = t
	}
	return i
}

// textAfterQuote finds a value that starts with a quoted word and goes on, or
// one in quotes with quotes in it.
func textAfterQuote(e entry) (wrongValue, bool) {
	end := closingQuote(e.value)
	if end < 0 {
		return wrongValue{}, false
	}
	rest := strings.TrimLeft(e.value[end:], " \t")
	if rest == "" || rest[0] == '#' && len(rest) < len(e.value[end:]) {
		return wrongValue{}, false
	}
	strip := keepQuotes
	if quotedWithin(e.value, end) {
		strip = stripQuotes
	}
	return e.wrong(utf8.RuneCountInString(e.value[:end])-1, 0, strip, "text follows the closing quote in %s", e.what()), true
}

// quotedWithin reports whether the quotes at both ends of a value belong
// together although the one that ends at end closes the first: that one is an
// apostrophe, or opens a quotation.
func quotedWithin(value string, end int) bool {
	if value[len(value)-1] != value[0] || end >= len(value) || end < 2 {
		return false
	}
	before, _ := utf8.DecodeLastRuneInString(value[:end-1])
	after, _ := utf8.DecodeRuneInString(value[end:])
	word := unicode.IsLetter(after) || unicode.IsDigit(after)
	return word && (unicode.IsLetter(before) || unicode.IsDigit(before) || unicode.IsSpace(before) || strings.ContainsRune("([{/=", before)) ||
		unicode.IsSpace(before) && !unicode.IsSpace(after)
}

// closingQuote returns the index after the quote that closes a quoted value, -1
// where none does or the value is not quoted.
func closingQuote(value string) int {
	if value == "" || value[0] != '"' && value[0] != '\'' {
		return -1
	}
	q := value[0]
	for i := 1; i < len(value); i++ {
		switch {
		case q == '"' && value[i] == '\\':
			i++
		case value[i] != q:
		case q == '\'' && i+1 < len(value) && value[i+1] == q:
			i++
		default:
			return i + 1
		}
	}
	return -1
}

func unclosedQuote(e entry) (wrongValue, bool) {
	if e.value == "" || e.value[0] != '"' && e.value[0] != '\'' || closingQuote(e.value) >= 0 {
		return wrongValue{}, false
	}
	w := e.wrong(0, 1, stripOpening, "the quote that opens %s is never closed", e.what())
	w.help = "close the quote: " + e.written(Quote(e.value[1:]))
	if n := len(e.value) - 1; n > 0 && (e.value[n] == '"' || e.value[n] == '\'') {
		w.help, w.fix = "use the same quote at both ends: "+e.written(Quote(e.value[1:n])), ""
	}
	return w, true
}

// unclosedFlow finds a list or mapping that is opened and not closed, where one
// may be meant.
func unclosedFlow(e entry) (wrongValue, bool) {
	missing := missingBrackets(e.value)
	if missing == "" || e.value[0] != '[' && e.value[0] != '{' || strings.HasPrefix(e.value, "{{") ||
		!e.item && e.indent == "" && isTextField(e.key) && e.key != "allowed-tools" {
		return wrongValue{}, false
	}
	w := e.wrong(0, 1, keepQuotes, "the %q that opens %s is never closed", e.value[:1], e.what())
	w.help, w.fix = "close it: "+e.written(e.value+missing), ""
	return w, true
}

// missingBrackets returns what closes the brackets that a value leaves open;
// those in quotes do not count.
func missingBrackets(value string) string {
	var open []byte
	var q byte
	for i := 0; i < len(value); i++ {
		switch c := value[i]; {
		case q == '"' && c == '\\':
			i++
		case c == q:
			q = 0
		case q != 0:
		case (c == '"' || c == '\'') && (i == 0 || strings.IndexByte(" ,[{:", value[i-1]) >= 0):
			q = c
		case c == '[' || c == '{':
			open = append(open, c+2) // ] and } come two after [ and {
		case c == ']' || c == '}':
			open = open[:max(len(open)-1, 0)]
		}
	}
	slices.Reverse(open)
	return string(open)
}

// holdsField reports whether a field follows the end of a sentence or a quote
// in a text: the line break before it may have been lost.
func holdsField(text string) bool {
	for i := range text {
		if text[i] != ':' || i+1 < len(text) && text[i+1] != ' ' {
			continue
		}
		before := strings.TrimRightFunc(text[:i], func(r rune) bool { return r < utf8.RuneSelf && isFieldName(string(r)) })
		last, _ := utf8.DecodeLastRuneInString(strings.TrimRight(before, " "))
		if usualField(text[len(before):i]) && unicode.IsPunct(last) {
			return true
		}
	}
	return false
}
