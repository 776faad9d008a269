package prompt

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
	"unicode"

	"skills/internal/loader"
)

// fileSchema is the schema of a script file whose text does not say what it takes: command-line
// words, as in the Microsoft Agent Framework's documentation.
const fileSchema = `{"type":"array","items":{"type":"string"}}`

// ActivationContent returns the result of load_skill: the text of the skill's
// file, the skill's folder (if it has one), and the resources and scripts by
// name, a hundred of each; folders with many are listed by their own names. An
// empty element means that a skill has none: without it a model invents names. A
// skill made in Go has name, description and instructions instead of a file.
//
// Names and descriptions are escaped. The schema is compact JSON with unescaped
// quotes, in which < > & are JSON escapes.
func ActivationContent(s *loader.Skill, c loader.Contents) string { return content(s, c, true) }

// ShownContent returns what [ActivationContent] does for people, without the schemas of
// scripts.
func ShownContent(s *loader.Skill, c loader.Contents) string { return content(s, c, false) }

func content(s *loader.Skill, c loader.Contents, schemas bool) string {
	var b strings.Builder
	text := c.Text
	if text == "" && c.Instructions != "" {
		text = fmt.Sprintf("<name>%s</name>\n<description>%s</description>\n\n<instructions>\n%s\n</instructions>",
			textEscapes.Replace(s.Name), textEscapes.Replace(s.Description), textEscapes.Replace(strings.TrimSpace(c.Instructions)))
	}
	// Some chat-completions servers reject NUL.
	b.WriteString(strings.TrimRight(strings.ReplaceAll(text, "\x00", string(unicode.ReplacementChar)), " \t\r\n"))
	if s.Dir != "" {
		fmt.Fprintf(&b, "\n\nFolder of this skill: %s\nRelative paths in the text above start there.", oneLinePath(s.Dir))
	}
	b.WriteString("\n\n" + resourceList(c.Resources))
	b.WriteString("\n\n" + scriptList(c.Scripts, schemas))
	return b.String()
}

func scriptList(scripts []loader.Script, schemas bool) string {
	var lines []string
	for _, s := range scripts[:min(len(scripts), maxLines)] {
		schema := ""
		if schemas {
			schema = compactSchema(s)
		}
		element := "  <script" + attributes(s.Name, s.Description)
		switch {
		case schema != "":
			element += "><parameters_schema>" + schema + "</parameters_schema></script>"
		case schemas:
			element += "></script>"
		default:
			element += "/>"
		}
		lines = append(lines, element+"\n")
	}
	text := listElement("available_scripts", lines)
	if more := len(scripts) - maxLines; more > 0 {
		text += fmt.Sprintf("\n%d more: call read_skill_resource with the name of their folder.", more)
	}
	return text
}

// listElement wraps lines in an XML element.
func listElement(name string, lines []string) string {
	if len(lines) == 0 {
		return "<" + name + " />"
	}
	return "<" + name + ">\n" + strings.Join(lines, "") + "</" + name + ">"
}

// compactSchema returns the schema on one line with sorted keys, or "" for a
// function without one.
func compactSchema(s loader.Script) string {
	if s.Call == nil {
		return jsonEscapes.Replace(cmp.Or(s.Takes, fileSchema))
	}
	if s.Schema == nil {
		return ""
	}
	raw, _ := json.Marshal(s.Schema) // escapes < > & as \u003c and so on; nil for an invalid one
	return string(raw)
}

func attributes(name, description string) string {
	// A file's name may contain a line feed, and must survive a round trip.
	controls := strings.NewReplacer("\t", "&#9;", "\n", "&#10;", "\r", "&#13;")
	text := fmt.Sprintf(` name="%s"`, controls.Replace(escapeXML(name)))
	description = oneLine(description)
	if description != "" {
		text += fmt.Sprintf(` description="%s"`, escapeXML(description))
	}
	return text
}

// oneLinePath quotes a path that does not fit on one line.
func oneLinePath(path string) string {
	if strings.ContainsFunc(path, unicode.IsControl) {
		return fmt.Sprintf("%q", path)
	}
	return path
}
