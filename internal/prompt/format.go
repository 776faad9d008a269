// Package prompt turns values into the texts that a model reads: the catalogue
// of skills in the formats of `skills to-prompt`, the instructions of the context
// providers, the descriptions of their tools, and the content that loading a
// skill returns. The same values always give the same bytes.
//
// The texts are Markdown files beside the code, so that they can be read and
// changed as texts.
package prompt

import (
	"fmt"
	"strings"

	"skills/internal/printable"
)

// Entry is one skill in a catalogue.
type Entry struct {
	Name        string
	Description string
	Location    string // absolute path of the SKILL.md; "" for a skill without a file
}

// Format is one way to write a catalogue.
type Format struct {
	Name string // as --format spells it
	Help string // one line for people
	// Text is the block of the entries in the order given. It ends with a line
	// feed where there is anything in it.
	Text func(entries []Entry) string
}

// Formats returns the formats of `skills to-prompt`, the default first.
func Formats() []Format {
	return []Format{
		{"skills-ref", "byte for byte what the reference library prints", skillsRef},
		{"xml", "indented, values inline", indentedXML},
		{"json", "one object with the list available_skills", jsonObject},
		{"markdown", "a list under a heading", markdown},
	}
}

// skillsRef writes what the reference library's to_prompt prints: every tag and
// every value on its own line, name and description escaped as Python's
// html.escape does it, the location as it is. The block is there without skills
// too.
func skillsRef(entries []Entry) string {
	var b strings.Builder
	b.WriteString("<available_skills>\n")
	for _, e := range entries {
		fmt.Fprintf(&b, "<skill>\n<name>\n%s\n</name>\n<description>\n%s\n</description>\n",
			escapeHTML(e.Name), escapeHTML(e.Description))
		if e.Location != "" {
			fmt.Fprintf(&b, "<location>\n%s\n</location>\n", e.Location)
		}
		b.WriteString("</skill>\n")
	}
	return b.String() + "</available_skills>\n"
}

// indentedXML writes the form of the specification's integration guide. All
// values are escaped; without skills there is nothing.
func indentedXML(entries []Entry) string {
	if len(entries) == 0 {
		return ""
	}
	elements := make([]string, len(entries))
	for i, e := range entries {
		elements[i] = element(e) + "\n"
	}
	return "<available_skills>\n" + strings.Join(elements, "") + "</available_skills>\n"
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

// EntryText returns what one skill adds to the system text of every request:
// its element of the catalogue.
func EntryText(e Entry) string { return element(Entry{Name: e.Name, Description: e.Description}) }

// jsonObject writes the object {"available_skills":[{name, description,
// location}]}, indented by two spaces; angle brackets stay readable. The list
// is empty without skills.
func jsonObject(entries []Entry) string {
	type row struct {
		Name        string `json:"name"`
		Description string `json:"description"`
		Location    string `json:"location,omitempty"`
	}
	rows := make([]row, len(entries))
	for i, e := range entries {
		rows[i] = row(e)
	}
	var b strings.Builder
	_ = printable.WriteJSON(&b, map[string][]row{"available_skills": rows}) // strings always encode
	return b.String()
}

// markdown writes a heading and one list item a skill; nothing without skills.
// White space in values is collapsed, so that a description with line breaks
// stays within its item.
func markdown(entries []Entry) string {
	if len(entries) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("## Available skills\n\n")
	for _, e := range entries {
		fmt.Fprintf(&b, "- %s: %s\n", codeSpan(e.Name), oneLine(e.Description))
		if e.Location != "" {
			fmt.Fprintf(&b, "  Location: %s\n", codeSpan(e.Location))
		}
	}
	return b.String()
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
