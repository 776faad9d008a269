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
// hold at all (control characters, lone surrogates, bytes that are not UTF-8)
// becomes U+FFFD, so that every block can be read back by an XML parser.
func escapeXML(text string) string {
	text = strings.Map(func(r rune) rune { // invalid bytes come as U+FFFD
		if r < ' ' && r != '\t' && r != '\n' && r != '\r' || r == 0xFFFE || r == 0xFFFF {
			return unicode.ReplacementChar
		}
		return r
	}, text)
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "'", "&apos;").Replace(text)
}

// escapeText escapes what ends or begins an element. Quotes stay: they mean
// nothing there, and instructions are full of them.
func escapeText(text string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(text)
}

// oneLine joins the words of a text by single spaces, so that a value cannot
// begin a line of its own.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
