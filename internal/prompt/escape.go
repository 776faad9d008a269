package prompt

import (
	"strings"
	"unicode"
)

var (
	// textEscapes escapes the characters that start or end an element. Quotes stay:
	// they are not special there, and instructions contain many.
	textEscapes = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")
	// htmlEscapes escapes like Python's html.escape(text, quote=True), which the
	// reference library uses.
	htmlEscapes = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "'", "&#x27;")
	// jsonEscapes escapes the same characters in JSON, where they are only in strings.
	jsonEscapes = strings.NewReplacer("&", `\u0026`, "<", `\u003c`, ">", `\u003e`)
	xmlEscapes  = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "'", "&apos;")
)

// escapeXML escapes the five characters with predefined XML entities.
// Characters that XML does not allow (control characters, lone surrogates,
// invalid UTF-8) become U+FFFD, so that an XML parser can read every block.
func escapeXML(text string) string {
	text = strings.Map(func(r rune) rune { // invalid bytes are already U+FFFD here
		switch {
		case r == '\t', r == '\n', r == '\r':
			return r
		case r < ' ', r == 0xFFFE, r == 0xFFFF:
			return unicode.ReplacementChar
		}
		return r
	}, text)
	return xmlEscapes.Replace(text)
}

// oneLine joins the words of a text with single spaces, so that a value cannot
// start a new line.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
