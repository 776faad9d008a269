package frontmatter

// The parser says where it gave up, which is often not where the mistake is. Here the
// lines of invalid YAML are read as their author meant them: as fields and list items.
// A cause is a difference between that and YAML. Its repair keeps the lines of the file,
// and is offered as a fix only where it is certain what was meant.

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

// misreading is how YAML reads a value otherwise than its author meant it.
type misreading struct {
	from, to int    // byte range of the cause in the value
	message  string // what is wrong
	help     string // "" to quote the value
	intended string // the text that was meant
	sure     bool   // whether that is certain
}

// cause returns what is wrong with a value: an unfilled template, quotes or
// brackets that do not close at its end, or a colon.
func (v value) cause() (c cause, ok bool) {
	m := misreading{to: len(v.text), intended: v.text, sure: v.key != "metadata"}
	switch quoted := quotedText().FindString(v.text); {
	case isPlaceholder(v.text):
		return cause{from: v.start, to: v.start + len(v.text), message: v.describe() + " is a template placeholder", help: placeholderHelp}, true
	case quoted != "":
		ok = v.textAfterQuote(&m, len(quoted))
	case v.text[0] == '"' || v.text[0] == '\'':
		ok = true
		m.message, m.to = "the quote that opens "+v.describe()+" is never closed", 1
		m.intended = strings.TrimRight(v.text[1:], `"'`)
		m.help = "close the quote: " + v.written(Quote(m.intended))
		m.sure = len(m.intended) == len(v.text)-1
	case v.text[0] == '[' || v.text[0] == '{':
		ok = v.bracket(&m)
	default:
		ok = v.plain(&m)
	}
	if !ok {
		return cause{}, false
	}
	c = cause{from: v.start + m.from, to: v.start + m.to, message: m.message, help: m.help,
		repair: Edit{Start: v.start, End: v.start + len(v.text), Text: Quote(m.intended)}}
	if c.help == "" {
		c.help = "quote the value: " + v.written(Quote(m.intended))
	}
	if m.sure && !doubtful().MatchString(m.intended) {
		c.fix = "quote the value"
	}
	return c, true
}

// textAfterQuote explains a value whose first end bytes are quoted text.
func (v value) textAfterQuote(m *misreading, end int) bool {
	rest := strings.TrimSpace(v.text[end:])
	if rest == "" || rest[0] == '#' && comment().MatchString(v.text[end:]) {
		return false
	}
	m.message, m.from = "text follows the closing quote in "+v.describe(), end-1
	switch {
	case end == 2: // one quote too many
		m.intended = strings.Trim(v.text, v.text[:end])
	case quotedWithin(v.text, end):
		m.intended = withoutQuotes(v.text)
	}
	return true
}

// bracket explains a value that starts with a bracket or a brace.
func (v value) bracket(m *misreading) bool {
	unclosed := strings.Count(v.text, "[") > strings.Count(v.text, "]") || strings.Count(v.text, "{") > strings.Count(v.text, "}")
	switch {
	case unclosed:
		m.message, m.to, m.sure = fmt.Sprintf("the %q that opens %s is never closed", v.text[:1], v.describe()), 1, false
		m.help = "close it, or quote the whole value"
	case textAfterBracket().MatchString(v.text):
		m.message, m.to, m.sure = v.cannotStart(), 1, v.key == "description"
	default:
		return false
	}
	return true
}

// plain explains a value without quotes or brackets: a colon in it starts a
// mapping, or its first character has a meaning.
func (v value) plain(m *misreading) bool {
	at, hash := colon().FindStringIndex(v.text), comment().FindStringIndex(v.text)
	if at == nil || hash != nil && hash[0] < at[0] {
		return v.indicator(m)
	}
	m.from, m.to = at[0], at[0]+1
	what, in := `": " in`, printable.Quote(v.key)
	if m.to == len(v.text) {
		what = `":" at the end of`
	}
	if v.key == "" {
		in = "a list item"
	}
	m.message = fmt.Sprintf("%s a plain value starts a new mapping (in %s)", what, in)
	if v.key == "metadata" {
		m.help = "write the keys on lines of their own below metadata:, indented"
	}
	return true
}

// indicator explains a value on one line whose first character has a meaning.
func (v value) indicator(m *misreading) bool {
	if !strings.ContainsRune("`@%*&!|>", rune(v.text[0])) || strings.Contains(v.text, "\n") {
		return false
	}
	m.message, m.to = v.cannotStart(), 1
	switch v.text[0] {
	case '|', '>':
		m.intended, m.sure = strings.TrimLeft(v.text, "|>+- "), false // the text was to be on the next line
	case '*', '&', '!':
		m.sure = m.sure && strings.Contains(v.text, " ") // otherwise it may be an alias or a tag
	}
	return true
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
	isField := ok && e.key != ""
	if !isField || e.indent == 0 || e.indent != indentOf(line) {
		return cause{}, false
	}
	for i := n - 1; i >= max(n-maxTried, 1); i-- {
		above, ok := readEntry(string(x.Text(i)))
		if !ok || above.key == "" {
			continue
		}
		isParent := above.value == "" || isBlockHeader(above.value)
		if above.indent == e.indent || above.indent < e.indent && isParent {
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
		isWhole := isEntry && above.key != "" && above.value != "" && !isBlockHeader(above.value) // nothing can be nested in it
		if isWhole || !isEntry && usualField(below.key) {
			unit, help = strings.Repeat(" ", above.indent), "delete it: "+below.key+" is a field of its own"
		}
	}
	start, end := x.Starts[first-1], x.Starts[last-1]+len(x.Text(last))
	repair := leadWithTab().ReplaceAllStringFunc(string(x.Source[start:end]), func(lead string) string { return strings.ReplaceAll(lead, "\t", unit) })
	return cause{from: start + strings.IndexByte(lead(first), '\t'), to: start + len(lead(first)), message: "a tab is used as indentation",
		help: help, fix: help, repair: Edit{Start: start, End: end, Text: repair}}, true
}
