package rules

// Clients split allowed-tools at white space, outside parentheses. Text that has other
// separators, or a YAML list, gives a tool that no client knows, or none. A fix rewrites
// it only where each item is certainly one tool.

import (
	"bytes"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"skills/internal/clients"
	"skills/internal/printable"
	"skills/internal/spec"
	"skills/internal/spec/frontmatter"
)

var allowedToolsFormat = &spec.Rule{
	ID:     "allowed-tools-format",
	Title:  "allowed-tools is text with white space between the tools",
	Level:  spec.Warning,
	Source: `specification, "allowed-tools field": a space-separated string`,
	Fix:    "writes the tools of a list, or between commas, with spaces between them",
	Check: func(p *spec.Pass) {
		f := p.Doc.Field("allowed-tools")
		if f == nil {
			return
		}
		switch v := f.Value; {
		case v.Kind == spec.Mapping:
			p.Report(f.Place(), "write allowed-tools: Read Grep", "allowed-tools is a mapping: the specification requires text with spaces between the tools")
		case v.Kind == spec.Sequence && acceptsToolLists(p):
		case v.Kind == spec.Sequence && len(v.Items) > 0:
			checkToolList(p, f)
		case v.Kind == spec.Sequence, v.Kind == spec.Null && v.Text == "", v.Kind == spec.String && spec.Trim(v.Text) == "":
			p.Report(f.Place(), "name the tools, or delete the field", "allowed-tools is empty: it names no tool")
		case v.Kind == spec.String:
			checkToolText(p, f)
		}
	},
}

// acceptsToolLists reports whether an accepted client supports lists and
// commas.
func acceptsToolLists(p *spec.Pass) bool {
	return accepted(slices.DeleteFunc(clients.All(), func(c clients.Client) bool { return !c.ToolLists }), p.Clients)
}

func checkToolList(p *spec.Pass, f *spec.Field) {
	var tools []string
	for _, item := range f.Value.Items {
		if tool := spec.Trim(item.Text); item.Scalar() && tool != "" {
			tools = append(tools, strings.ReplaceAll(tool, " - ", " ")) // a wrongly indented item is part of the text above it
		}
	}
	line := strings.Join(tools, " ")
	help := "write allowed-tools: " + shorten(printable.Quoted(frontmatter.Scalar(line)))
	switch {
	case slices.ContainsFunc(tools, func(tool string) bool { return scanTools(tool).spaces && strings.Contains(tool, "/") }):
		help = "accept the list with --client copilot: text cannot hold a tool of a server whose name has a space"
	case slices.ContainsFunc(tools, func(tool string) bool { return strings.Contains(tool, ", ") }):
		help = "accept the list with --client claude-code: other clients split text at the spaces inside a tool"
	case len(tools) < len(f.Value.Items):
		help = "write the tools as text with spaces between them: allowed-tools: Read Grep"
	}
	p.ReportFix(f.Place(), toolListFix(p.Doc, f, line), help,
		"allowed-tools is a list: the specification requires text with spaces between the tools, Microsoft Agent Framework drops the skill, and gh skill publish and some validators refuse a list")
}

// checkToolText checks allowed-tools written as a string. Patterns in
// parentheses may contain spaces and commas.
func checkToolText(p *spec.Pass, f *spec.Field) {
	text := f.Value.Text
	scan := scanTools(text)
	at := func(i int) spec.Span {
		_, size := utf8.DecodeRuneInString(text[i:])
		return p.Doc.Within(f, i, i+size)
	}
	switch {
	case scan.stray >= 0:
		p.Report(at(scan.stray), "delete it, or open it before the pattern: Bash(git:*)",
			"unmatched ) in allowed-tools: Google ADK refuses the skill, other clients misread the tools")
	case scan.open >= 0:
		p.Report(at(scan.open), "close it after the pattern: Bash(git:*)",
			"unclosed ( in allowed-tools: Google ADK refuses the skill, other clients misread the tools")
	case len(scan.separators) > 0:
		first := scan.separators[0]
		if acceptsToolLists(p) {
			other := slices.IndexFunc(scan.separators, func(i int) bool { return text[i] != ',' })
			if other < 0 {
				return
			}
			first = scan.separators[other]
		}
		mark, _ := utf8.DecodeRuneInString(text[first:])
		spaced := withSpaces(text, scan.separators)
		p.ReportFix(at(first), p.Doc.Rewrite(f, spaced, "write spaces between the tools"), "write spaces between the tools: "+shorten(printable.Quoted(spaced)),
			"%s in allowed-tools: the specification requires spaces between the tools; some clients read it as part of a name", printable.Rune(mark))
	}
}

// toolScan holds the byte offsets of the parts of a tool list.
type toolScan struct {
	separators []int // outside parentheses
	spaces     bool  // white space outside parentheses exists
	open       int   // the first unclosed parenthesis, -1 if there is none
	stray      int   // the first unmatched closing parenthesis, -1 if there is none
}

func scanTools(text string) toolScan {
	scan := toolScan{open: -1, stray: -1}
	depth := 0
	for i, r := range text {
		switch {
		case r == '(':
			depth++
			if depth == 1 {
				scan.open = i
			}
		case r == ')':
			depth--
			if depth < 0 {
				scan.open, scan.stray = -1, i
				return scan
			}
			if depth == 0 {
				scan.open = -1
			}
		case depth > 0:
		case unicode.IsSpace(r):
			scan.spaces = true
		case strings.ContainsRune(",;|\uFF0C\u3001\uFF1B", r): // the last three are full-width
			scan.separators = append(scan.separators, i)
		}
	}
	return scan
}

// isOneTool reports whether every client reads a text as the name of one tool.
func isOneTool(text string) bool {
	scan := scanTools(text)
	closed := scan.open < 0 && scan.stray < 0
	return text != "" && closed && len(scan.separators) == 0 && !strings.ContainsFunc(text, unicode.IsSpace)
}

// hasProperties reports whether a value is more than its text in YAML.
func hasProperties(v spec.Value) bool { return v.Alias || v.Anchor != "" || v.Tag != "" }

// withSpaces replaces each separator and the white space around it with a space.
func withSpaces(text string, separators []int) string {
	var out []string
	start := 0
	for _, i := range append(separators, len(text)) {
		if part := strings.TrimSpace(text[start:i]); part != "" {
			out = append(out, part)
		}
		_, size := utf8.DecodeRuneInString(text[i:])
		start = i + size
	}
	return strings.Join(out, " ")
}

// toolListFix replaces a YAML list of tools by a string. It returns nil if the
// list has comments, or if an item is not one tool or has a space, at which
// some clients split.
func toolListFix(d *spec.Document, f *spec.Field, line string) *spec.Fix {
	items := f.Value.Items
	for _, item := range items {
		isText := item.Kind == spec.String && !hasProperties(item) && d.Verbatim(item)
		if !isText || !isOneTool(item.Text) {
			return nil
		}
	}
	x := d.Lines()
	value := bytes.TrimLeft(d.Source[x.Offset(f.KeySpan.End):], " \t\r\n")
	if !bytes.HasPrefix(value, []byte(":")) { // the key has an anchor or a tag
		return nil
	}
	start, end := len(d.Source)-len(value)+len(":"), x.Offset(items[len(items)-1].Span.End)
	if f.Value.Style == spec.Flow {
		rest := d.Source[end:]
		end += 1 + bytes.IndexByte(rest, ']')
		if len(bytes.Trim(d.Source[len(d.Source)-len(rest):end], " \t\r\n,]")) > 0 {
			return nil
		}
	}
	if hasProperties(f.Value) || bytes.Contains(d.Source[start:end], []byte("#")) {
		return nil
	}
	return &spec.Fix{Description: "write the tools with spaces between them", Field: f.Key, Edits: []spec.Edit{{Start: start, End: end, Text: " " + frontmatter.Scalar(line)}}}
}
