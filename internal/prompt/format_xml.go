package prompt

import (
	"bytes"
	"fmt"
	"strings"
)

// skillsRef writes what the reference library's to_prompt prints: every tag and
// every value on its own line, name and description escaped as Python's
// html.escape does it, the location as it is. The block stands there without
// skills, too.
func skillsRef(b *bytes.Buffer, entries []Entry) {
	b.WriteString("<available_skills>\n")
	for _, e := range entries {
		fmt.Fprintf(b, "<skill>\n<name>\n%s\n</name>\n<description>\n%s\n</description>\n",
			escapeHTML(e.Name), escapeHTML(e.Description))
		if e.Location != "" {
			fmt.Fprintf(b, "<location>\n%s\n</location>\n", e.Location)
		}
		b.WriteString("</skill>\n")
	}
	b.WriteString("</available_skills>\n")
}

// indentedXML writes the form of the specification's integration guide. All
// values are escaped; without skills there is nothing.
func indentedXML(b *bytes.Buffer, entries []Entry) {
	if len(entries) == 0 {
		return
	}
	b.WriteString("<available_skills>\n")
	for _, e := range entries {
		b.WriteString(element(e) + "\n")
	}
	b.WriteString("</available_skills>\n")
}

// element is one entry as indented XML, without a line feed at its end. It is
// also the form of the framework's catalogue, which has no location.
func element(e Entry) string {
	var b strings.Builder
	fmt.Fprintf(&b, "  <skill>\n    <name>%s</name>\n    <description>%s</description>\n",
		escapeXML(e.Name), escapeXML(e.Description))
	if e.Location != "" {
		fmt.Fprintf(&b, "    <location>%s</location>\n", escapeXML(e.Location))
	}
	b.WriteString("  </skill>")
	return b.String()
}
