package frontmatter

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"skills/internal/lazyregexp"
	"skills/internal/printable"
)

// cause is the reason why a line of YAML cannot be parsed.
type cause struct {
	from, to      int // byte range of the error in the YAML text
	message, help string
	repair        Edit   // of the YAML text, keeping its lines; zero if the user has to decide
	fix           string // what --fix does, "" if the repair is a guess
}

const placeholderHelp = "fill the template in, or quote the value"

// HasPlaceholder reports whether text contains a template placeholder.
func HasPlaceholder(text string) bool {
	return strings.Contains(text, "{{") || strings.Contains(text, "{%") || strings.Contains(text, "<%") || strings.Contains(text, "${")
}

func isPlaceholder(value string) bool {
	return strings.HasPrefix(value, "{{") || strings.HasPrefix(value, "{%")
}

var (
	quotedText = lazyregexp.New(`(?s)^(?:"(?:[^"\\]|\\.)*"|'(?:[^']|'')*')`)
	comment    = lazyregexp.New(`\s#`)
	colon      = lazyregexp.New(`:(?:\s|$)`)
	// textAfterBracket matches text that only begins like a list or a mapping.
	textAfterBracket = lazyregexp.New(`^(?:\[[^\[\]{}\n]*\]|\{[^\[\]{}\n]*\})[ \t]*[^\s#\]}][^\n]*$`)
	// doubtful matches texts that may be more than one value: they contain a
	// comment, a list item or a field on its own line, or a field that lost its
	// line break.
	doubtful = lazyregexp.New(`\s#|\n\s*(?:-\s|[a-z][\w-]*:\s)|[[:punct:]。，；：！？”’」）] ?(?:` + strings.Join(usualFields, "|") + `):(?:\s|$)`)
)

// cause returns what is wrong with a value: an unfilled template, quotes or
// brackets that do not close at its end, or a colon.
func (v value) cause() (c cause, ok bool) {
	from, to := 0, len(v.text)
	text, sure := v.text, v.key != "metadata" // the intended text, and whether it is certain
	message, help := "", ""
	switch quoted := quotedText().FindString(v.text); {
	case isPlaceholder(v.text):
		return cause{from: v.start, to: v.start + to, message: v.describe() + " is a template placeholder", help: placeholderHelp}, true
	case quoted != "":
		rest := v.text[len(quoted):]
		if strings.TrimSpace(rest) == "" || comment().MatchString(rest) && strings.TrimSpace(rest)[0] == '#' {
			return cause{}, false
		}
		message, from = "text follows the closing quote in "+v.describe(), len(quoted)-1
		switch {
		case len(quoted) == 2: // one quote too many
			text = strings.Trim(v.text, quoted)
		case quotedWithin(v.text, len(quoted)):
			text = withoutQuotes(v.text)
		}
	case v.text[0] == '"' || v.text[0] == '\'':
		message, to = "the quote that opens "+v.describe()+" is never closed", 1
		text = strings.TrimRight(v.text[1:], `"'`)
		help, sure = "close the quote: "+v.written(Quote(text)), len(text) == len(v.text)-1
	case v.text[0] == '[' || v.text[0] == '{':
		if strings.Count(v.text, "[") <= strings.Count(v.text, "]") && strings.Count(v.text, "{") <= strings.Count(v.text, "}") {
			if !textAfterBracket().MatchString(v.text) {
				return cause{}, false
			}
			message, to, sure = v.cannotStart(), 1, v.key == "description"
			break
		}
		message, to, sure = fmt.Sprintf("the %q that opens %s is never closed", v.text[:1], v.describe()), 1, false
		help = "close it, or quote the whole value"
	default:
		at, hash := colon().FindStringIndex(v.text), comment().FindStringIndex(v.text)
		if at == nil || hash != nil && hash[0] < at[0] {
			if !strings.ContainsRune("`@%*&!|>", rune(v.text[0])) || strings.Contains(v.text, "\n") {
				return cause{}, false
			}
			message, to = v.cannotStart(), 1
			switch v.text[0] {
			case '|', '>':
				text, sure = strings.TrimLeft(v.text, "|>+- "), false // the text was to be on the next line
			case '*', '&', '!':
				sure = sure && strings.Contains(v.text, " ") // otherwise it may be an alias or a tag
			}
			break
		}
		from, to = at[0], at[0]+1
		what, in := `": " in`, printable.Quote(v.key)
		if to == len(v.text) {
			what = `":" at the end of`
		}
		if v.key == "" {
			in = "a list item"
		}
		message = fmt.Sprintf("%s a plain value starts a new mapping (in %s)", what, in)
		if v.key == "metadata" {
			help = "write the keys on lines of their own below metadata:, indented"
		}
	}
	if help == "" {
		help = "quote the value: " + v.written(Quote(text))
	}
	c = cause{from: v.start + from, to: v.start + to, message: message, help: help,
		repair: Edit{Start: v.start, End: v.start + len(v.text), Text: Quote(text)}}
	if sure && !doubtful().MatchString(text) {
		c.fix = "quote the value"
	}
	return c, true
}

func (v value) cannotStart() string {
	return v.describe() + " cannot start with " + v.text[:1] + " unless it is quoted"
}

// quotedWithin reports whether the quotes at both ends of a value match,
// although the quote before end closes the first one: that is an apostrophe or
// opens a quotation.
func quotedWithin(text string, end int) bool {
	before, _ := utf8.DecodeLastRuneInString(text[:end-1])
	after, _ := utf8.DecodeRuneInString(text[end:])
	return text[len(text)-1] == text[0] && (unicode.IsLetter(after) || unicode.IsDigit(after) || unicode.IsSpace(before) && !unicode.IsSpace(after))
}

// withoutQuotes returns text without its first and last character, and with inner
// quotes unescaped.
func withoutQuotes(text string) string {
	if text[0] == '"' {
		return strings.ReplaceAll(text[1:len(text)-1], `\"`, `"`)
	}
	return strings.ReplaceAll(text[1:len(text)-1], "''", "'")
}

// wrongIndent finds a field whose indentation matches neither the field above
// it nor a mapping that the field above starts.
func wrongIndent(x Lines, n int) (cause, bool) {
	line := string(x.Text(n))
	e, ok := readEntry(line)
	if !ok || e.key == "" || e.indent == 0 || e.indent != indentOf(line) {
		return cause{}, false
	}
	for i := n - 1; i >= max(n-maxTried, 1); i-- {
		above, ok := readEntry(string(x.Text(i)))
		if !ok || above.key == "" {
			continue
		}
		if above.indent == e.indent || above.indent < e.indent && (above.value == "" || isBlockHeader(above.value)) {
			break
		}
		start := x.Starts[n-1]
		return cause{from: start + e.indent, to: start + e.indent + len(e.key), help: "indent fields of one mapping alike",
			message: fmt.Sprintf("%s is indented by %d, the field above it by %d", printable.Quote(e.key), e.indent, above.indent),
			repair:  Edit{Start: start, End: start + e.indent, Text: strings.Repeat(" ", above.indent)}}, true
	}
	return cause{}, false
}

var leadWithTab = lazyregexp.New(`(?m)^ *\t[ \t]*`)

// tabIndent finds a tab where YAML allows only spaces, together with the
// surrounding lines that tabs indent: they form one block.
func tabIndent(x Lines, n int) (cause, bool) {
	lead := func(n int) string {
		line := string(x.Text(n))
		return line[:len(line)-len(strings.TrimLeft(line, " \t"))]
	}
	tabbed := func(n int) bool { return strings.Contains(lead(n), "\t") && !isBlankLine(string(x.Text(n))) }
	if !tabbed(n) {
		return cause{}, false
	}
	first, last := n, n
	for first > max(n-maxTried, 1) && tabbed(first-1) {
		first--
	}
	for last < min(n+maxTried, len(x.Starts)) && tabbed(last+1) {
		last++
	}
	unit, help := "  ", "indent with spaces" // or the indentation of the first line below the field
	for i := first - 1; i > 0 && (lead(i) != "" || isBlankLine(string(x.Text(i)))); i-- {
		if !isBlankLine(string(x.Text(i))) && !tabbed(i) {
			unit = lead(i)
		}
	}
	if below, ok := readEntry(strings.TrimLeft(string(x.Text(first)), " \t")); ok && below.key != "" && first > 1 {
		above, isEntry := readEntry(string(x.Text(first - 1)))
		if !isEntry {
			above.indent = 0
		}
		if isEntry && above.key != "" && above.value != "" && !isBlockHeader(above.value) || !isEntry && usualField(below.key) {
			unit, help = strings.Repeat(" ", above.indent), "delete it: "+below.key+" is a field of its own"
		}
	}
	start, end := x.Starts[first-1], x.Starts[last-1]+len(x.Text(last))
	repair := leadWithTab().ReplaceAllStringFunc(string(x.Source[start:end]), func(lead string) string { return strings.ReplaceAll(lead, "\t", unit) })
	return cause{from: start + strings.IndexByte(lead(first), '\t'), to: start + len(lead(first)), message: "a tab is used as indentation",
		help: help, fix: help, repair: Edit{Start: start, End: end, Text: repair}}, true
}
