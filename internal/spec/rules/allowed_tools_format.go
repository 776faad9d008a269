package rules

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"

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
		case v.Kind == spec.Sequence:
			if !acceptsClient(p, func(c Client) bool { return c.ToolLists }) {
				checkToolList(p, f)
			}
		case v.Kind == spec.Null && v.Text == "" || v.Kind == spec.String && spec.Trim(v.Text) == "":
			p.Report(f.Place(), "name the tools, or delete the field", "allowed-tools is empty: it names no tool")
		case v.Kind == spec.String:
			checkToolText(p, f)
		}
	},
}

// acceptsClient reports whether one of the accepted clients has a property.
func acceptsClient(p *spec.Pass, is func(Client) bool) bool {
	for _, c := range Clients() {
		if is(c) && accepted([]Client{c}, p.Clients) {
			return true
		}
	}
	return false
}

func checkToolList(p *spec.Pass, f *spec.Field) {
	if len(f.Value.Items) == 0 {
		p.Report(f.Place(), "name the tools, or delete the field", "allowed-tools is empty: it names no tool")
		return
	}
	var tools []string
	for _, item := range f.Value.Items {
		if tool := spec.Trim(item.Text); item.Scalar() && tool != "" {
			tools = append(tools, strings.ReplaceAll(tool, " - ", " ")) // a wrongly indented item is part of the text above it
		}
	}
	line := strings.Join(tools, " ")
	help := "write allowed-tools: " + shorten(printable.Quoted(frontmatter.Scalar(line)))
	if len(tools) < len(f.Value.Items) {
		help = "write the tools as text with spaces between them: allowed-tools: Read Grep"
	}
	p.ReportFix(f.Place(), toolListFix(p.Doc, f, line), help,
		"allowed-tools is a list: the specification requires text with spaces between the tools, and gh skill publish and some validators refuse a list")
}

// checkToolText checks allowed-tools as text. Patterns in parentheses may contain
// spaces and commas.
func checkToolText(p *spec.Pass, f *spec.Field) {
	text := f.Value.Text
	commas, open, stray := scanTools(text)
	at := func(i int) spec.Span {
		n := utf8.RuneCountInString(text[:i])
		return p.Doc.Within(f, n, n+1)
	}
	switch {
	case stray >= 0:
		p.Report(at(stray), "delete it, or open it before the pattern: Bash(git:*)",
			"unmatched ) in allowed-tools: Google ADK refuses the skill, other clients misread the tools")
	case open >= 0:
		p.Report(at(open), "close it after the pattern: Bash(git:*)",
			"unclosed ( in allowed-tools: Google ADK refuses the skill, other clients misread the tools")
	case len(commas) > 0:
		first := commas[0]
		if acceptsClient(p, func(c Client) bool { return c.ToolCommas }) {
			other := slices.IndexFunc(commas, func(i int) bool { return text[i] != ',' })
			if other < 0 {
				return
			}
			first = commas[other]
		}
		mark, what, _ := toolMark(text[first:])
		p.ReportFix(at(first), commaFix(p.Doc, f, commas), "write spaces between the tools: "+shorten(printable.Quoted(withoutCommas(text, commas))),
			"a %s in allowed-tools: the specification requires spaces between the tools; clients read the %s as part of a name", what, mark)
	}
}

// toolMark returns the name of the separator at the start of a text, short and
// long; ok is false if there is none.
func toolMark(text string) (mark, what string, ok bool) {
	switch r, _ := utf8.DecodeRuneInString(text); r {
	case ',':
		return "comma", "comma", true
	case ';':
		return "semicolon", "semicolon", true
	case '|':
		return "bar", "vertical bar", true
	case '\uFF0C', '\u3001', '\uFF1B': // ， 、 ；
		return "mark", "full-width " + string(r), true
	}
	return "", "", false
}

// scanTools returns the offsets of the separators outside parentheses, of the first
// unclosed and of the first unmatched parenthesis, which are -1 if there is none.
func scanTools(text string) (commas []int, open, stray int) {
	open, stray = -1, -1
	depth := 0
	for i := range len(text) {
		switch text[i] {
		case '(':
			if depth++; depth == 1 {
				open = i
			}
		case ')':
			if depth--; depth < 0 {
				return commas, -1, i
			}
			if depth == 0 {
				open = -1
			}
		default:
			if depth > 0 {
				break
			}
			if _, _, ok := toolMark(text[i:]); ok {
				commas = append(commas, i)
			}
		}
	}
	return commas, open, stray
}

// withoutCommas replaces each separator and the white space around it with a space.
func withoutCommas(text string, commas []int) string {
	var out []string
	start := 0
	for _, i := range append(commas, len(text)) {
		if part := strings.TrimSpace(text[start:i]); part != "" {
			out = append(out, part)
		}
		_, size := utf8.DecodeRuneInString(text[i:])
		start = i + size
	}
	return strings.Join(out, " ")
}

// commaFix writes spaces between the tools. It is nil if the text is not on one line
// as it reads.
func commaFix(d *spec.Document, f *spec.Field, commas []int) *spec.Fix {
	v := f.Value
	if v.Alias || v.Anchor != "" || v.Tag != "" || !d.Verbatim(v) {
		return nil
	}
	text := withoutCommas(v.Text, commas)
	switch v.Style {
	case spec.DoubleQuoted:
		text = `"` + text + `"`
	case spec.SingleQuoted:
		text = "'" + text + "'"
	}
	return &spec.Fix{Description: "write spaces between the tools", Field: f.Key, Edits: []spec.Edit{d.Edit(v.Span, text)}}
}

// toolListFix writes a list of tools as text. It is nil if an item is not one tool,
// or if there are comments in the list.
func toolListFix(d *spec.Document, f *spec.Field, line string) *spec.Fix {
	items := f.Value.Items
	for _, item := range items {
		commas, open, stray := scanTools(item.Text)
		if item.Kind != spec.String || item.Alias || item.Anchor != "" || item.Tag != "" || !d.Verbatim(item) ||
			spec.Trim(item.Text) == "" || len(commas) > 0 || open >= 0 || stray >= 0 || splitsOutside(spec.Trim(item.Text)) {
			return nil
		}
	}
	x := d.Lines()
	start := x.Offset(f.KeySpan.End)
	end := x.Offset(items[len(items)-1].Span.End)
	if f.Value.Style == spec.Flow {
		n := bytes.IndexByte(d.Source[end:], ']')
		if n < 0 || len(bytes.Trim(d.Source[end:end+n], " \t\r\n,")) > 0 {
			return nil
		}
		end += n + 1
	}
	if f.Value.Alias || f.Value.Anchor != "" || f.Value.Tag != "" || start >= end || d.Source[start] != ':' || bytes.Contains(d.Source[start:end], []byte("#")) {
		return nil
	}
	return &spec.Fix{Description: "write the tools with spaces between them", Field: f.Key, Edits: []spec.Edit{{Start: start + 1, End: end, Text: " " + frontmatter.Scalar(line)}}}
}

// splitsOutside reports whether there is white space outside parentheses: more than
// one tool.
func splitsOutside(tool string) bool {
	depth := 0
	for _, r := range tool {
		switch {
		case r == '(':
			depth++
		case r == ')':
			depth--
		case depth == 0 && (r == ' ' || r == '\t' || r == '\n'):
			return true
		}
	}
	return false
}
