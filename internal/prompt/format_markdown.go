package prompt

import (
	"bytes"
	"fmt"
	"strings"
)

// markdown writes a heading and one list item a skill; nothing without skills.
// White space in values is collapsed, so that a description with line breaks
// stays within its item.
func markdown(b *bytes.Buffer, entries []Entry) {
	if len(entries) == 0 {
		return
	}
	b.WriteString("## Available skills\n\n")
	for _, e := range entries {
		fmt.Fprintf(b, "- %s: %s\n", codeSpan(e.Name), oneLine(e.Description))
		if e.Location != "" {
			fmt.Fprintf(b, "  Location: %s\n", codeSpan(e.Location))
		}
	}
}

// codeSpan puts text between as many backticks as it takes for none of its own
// to end the span (CommonMark, code spans).
func codeSpan(text string) string {
	text = oneLine(text)
	fence := "`"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	if strings.HasPrefix(text, "`") || strings.HasSuffix(text, "`") {
		text = " " + text + " "
	}
	return fence + text + fence
}
