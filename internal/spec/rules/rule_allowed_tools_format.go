package rules

import (
	"slices"
	"strings"
	"unicode/utf8"

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
			p.Report(f.Place(), "write allowed-tools: Read Grep", "allowed-tools is a mapping: the specification wants text with spaces between the tools")
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

// acceptsClient reports whether one of the wanted clients is of a kind.
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
			tools = append(tools, strings.ReplaceAll(tool, " - ", " ")) // an item that is indented otherwise is text of the one above
		}
	}
	line := strings.Join(tools, " ")
	help := "write allowed-tools: " + shorten(show(frontmatter.Scalar(line)))
	if len(tools) < len(f.Value.Items) {
		help = "write the tools as text with spaces between them: allowed-tools: Read Grep"
	}
	p.ReportFix(f.Place(), toolListFix(p.Doc, f, line), help,
		"allowed-tools is a list: the specification wants text with spaces between the tools, and gh skill publish and some validators refuse a list")
}

// checkToolText looks at allowed-tools as text. Parentheses hold a pattern, which
// may have spaces and commas of its own.
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
			"this ) closes nothing in allowed-tools: Google ADK refuses the skill, others read other tools than were meant")
	case open >= 0:
		p.Report(at(open), "close it after the pattern: Bash(git:*)",
			"this ( is not closed in allowed-tools: Google ADK refuses the skill, others read other tools than were meant")
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
		p.ReportFix(at(first), commaFix(p.Doc, f, commas), "write spaces between the tools: "+shorten(show(withoutCommas(text, commas))),
			"a %s in allowed-tools: the specification wants spaces between the tools, and clients that split there read the %s as part of a name", what, mark)
	}
}

// toolMark returns the mark that stands between tools at the start of a text,
// and what it is called; ok is false for anything else.
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

// scanTools returns the offsets of the commas, and of the marks that people
// write for them, outside parentheses, of the
// first parenthesis that is not closed and of the first that closes nothing;
// -1 where there is none.
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
