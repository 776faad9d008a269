package prompt

import (
	"strings"
	"unicode"
)

// escapeHTML escapes as Python's html.escape(text, quote=True), which the
// reference library uses.
func escapeHTML(text string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "'", "&#x27;").Replace(text)
}

// escapeXML escapes the five characters that have names in XML. What XML cannot
// hold at all (control characters, half surrogates, bytes that are not UTF-8)
// becomes U+FFFD, so that every block can be read back by an XML parser.
func escapeXML(text string) string {
	text = strings.Map(func(r rune) rune {
		switch {
		case r == '\t', r == '\n', r == '\r':
			return r
		case r < ' ', r == 0xFFFE, r == 0xFFFF:
			return unicode.ReplacementChar
		}
		return r // Map has already turned invalid bytes into U+FFFD
	}, text)
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "'", "&apos;").Replace(text)
}

// oneLine joins the words of a text by single spaces, so that a value cannot
// begin a line of its own.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
