// Package prompt writes the texts for the model: the catalogue of skills in the
// formats of `skills to-prompt`, the instructions of the context providers, the
// descriptions of their tools, and the content of a loaded skill. Output is
// deterministic.
//
// The fixed texts are Markdown files in the text folder.
package prompt

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"unicode"

	"skills/internal/loader"
	"skills/internal/printable"
	"skills/internal/spec"
)

// Entry is one skill in a catalogue.
type Entry struct {
	Name        string
	Description string
	Location    string // absolute path of the SKILL.md, or ""
}

// Format is a format of the catalogue.
type Format struct {
	Name string // value of --format
	// Text returns the block for the entries, in the given order. Unless empty,
	// it ends with a line feed.
	Text func(entries []Entry) string
	read func(*spec.Document) (spec.Properties, error)
	// verbatim is whether locations are not escaped.
	verbatim bool
}

// Formats returns the formats of `skills to-prompt`, the default first.
func Formats() []Format {
	return []Format{
		{Name: "skills-ref", Text: skillsRef, read: spec.PromptProperties, verbatim: true},
		{Name: "xml", Text: indentedXML, read: spec.UsableProperties},
		{Name: "json", Text: jsonObject, read: spec.UsableProperties},
		{Name: "markdown", Text: markdown, read: spec.UsableProperties},
	}
}

// Entries reads the catalogue entries of skills, in their order, and returns those that
// use accepts. A skill whose frontmatter cannot be read has a *fault.Error in failed
// instead, and use gets the name of its folder. err is the context's cause.
func (f Format) Entries(ctx context.Context, found []loader.Found, use func(f loader.Found, name string, metadata map[string]string) bool) (entries []Entry, failed []error, err error) {
	all, errs, metadata := make([]Entry, len(found)), make([]error, len(found)), make([]map[string]string, len(found))
	err = loader.Parallel(ctx, len(found), func(i int) {
		p, err := loader.Properties(found[i], func(doc *spec.Document) (spec.Properties, error) {
			metadata[i] = doc.Summary().Metadata
			return f.read(doc)
		})
		all[i], errs[i] = Entry{Name: p.Name, Description: p.Description, Location: filepath.Join(found[i].Real, found[i].File)}, err
	})
	for i, e := range all {
		if !use(found[i], cmp.Or(e.Name, filepath.Base(found[i].Dir)), metadata[i]) {
			continue
		}
		if errs[i] != nil {
			failed = append(failed, errs[i])
		} else {
			entries = append(entries, e)
		}
	}
	return entries, failed, err
}

// Refuse returns the entries that the format can hold, and the locations of the others: the
// reference library writes locations verbatim, so that control characters in one could begin
// a line or reach a terminal.
func (f Format) Refuse(entries []Entry) (kept []Entry, refused []string) {
	for _, e := range entries {
		if f.verbatim && strings.ContainsFunc(e.Location, unicode.IsControl) {
			refused = append(refused, e.Location)
		} else {
			kept = append(kept, e)
		}
	}
	return kept, refused
}

// skillsRef returns the output of the reference library's to_prompt: every tag
// and every value on its own line, name and description escaped like Python's
// html.escape, the location verbatim. Without skills the block is empty but
// present.
func skillsRef(entries []Entry) string {
	var b strings.Builder
	b.WriteString("<available_skills>\n")
	for _, e := range entries {
		fmt.Fprintf(&b, "<skill>\n<name>\n%s\n</name>\n<description>\n%s\n</description>\n",
			htmlEscapes.Replace(e.Name), htmlEscapes.Replace(e.Description))
		if e.Location != "" {
			fmt.Fprintf(&b, "<location>\n%s\n</location>\n", e.Location)
		}
		b.WriteString("</skill>\n")
	}
	return b.String() + "</available_skills>\n"
}

// indentedXML returns the form in the specification's integration guide, with
// all values escaped; "" without skills.
func indentedXML(entries []Entry) string {
	if len(entries) == 0 {
		return ""
	}
	var b strings.Builder
	for _, e := range entries {
		b.WriteString(element(e) + "\n")
	}
	return "<available_skills>\n" + b.String() + "</available_skills>\n"
}

// element returns one entry as indented XML, without a final line feed. The
// framework's catalogue has the same form, without a location.
func element(e Entry) string {
	location := ""
	if e.Location != "" {
		location = "    <location>" + escapeXML(e.Location) + "</location>\n"
	}
	return fmt.Sprintf("  <skill>\n    <name>%s</name>\n    <description>%s</description>\n%s  </skill>",
		escapeXML(e.Name), escapeXML(e.Description), location)
}

// EntryText returns a skill's element in the system text of every request.
func EntryText(e Entry) string { return element(Entry{Name: e.Name, Description: e.Description}) }

// jsonObject returns the object {"available_skills":[{name, description,
// location}]}, indented by two spaces, with unescaped angle brackets. Without
// skills the list is empty.
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

// markdown returns a heading and one list item per skill; "" without skills.
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

// codeSpan encloses text in enough backticks that none of its own ends the span
// (CommonMark, code spans).
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
