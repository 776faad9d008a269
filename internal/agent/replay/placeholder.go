package replay

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"skills/internal/printable"
)

// Placeholder replaces a text of one machine in a recording, such as a path.
type Placeholder struct {
	Text string // the text on this machine, for example /home/me/skills
	Name string // the name in the recording, for example {skills}
	// Now returns the text if it is known only later, and "" until then.
	Now func() string
}

// placeholders replace longer texts first: folders inside others keep their names.
type placeholders []Placeholder

func newPlaceholders(list []Placeholder) placeholders {
	p := slices.Clone(list)
	for i, x := range p {
		if x.Now != nil {
			p[i].Text = x.Now()
		}
	}
	p = slices.DeleteFunc(p, func(x Placeholder) bool { return strings.Trim(x.Text, `/\`) == "" || x.Name == "" })
	slices.SortStableFunc(p, func(a, b Placeholder) int { return cmp.Compare(len(b.Text), len(a.Text)) })
	return p
}

// hide replaces this machine's texts with names, also where they are JSON-escaped.
func (p placeholders) hide(text string) string {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	for _, x := range p {
		text = replaceWord(replaceWord(text, x.Text, x.Name), escaped(x.Text), x.Name)
	}
	return text
}

// show replaces names with this machine's texts.
func (p placeholders) show(text string) string {
	for _, x := range p {
		text = strings.ReplaceAll(text, x.Name, x.Text)
	}
	return text
}

// showJSON does the same inside the strings of a JSON text.
func (p placeholders) showJSON(text string) string {
	for _, x := range p {
		text = strings.ReplaceAll(text, x.Name, escaped(x.Text))
	}
	return text
}

// escaped returns text as it is written inside a JSON string.
func escaped(text string) string {
	quoted := printable.JSONText(text)
	return quoted[1 : len(quoted)-1]
}

// replaceWord replaces whole words: /home/me is not replaced in /home/melissa.
func replaceWord(text, old, with string) string {
	var b strings.Builder
	last, _ := utf8.DecodeLastRuneInString(old)
	for {
		i := strings.Index(text, old)
		if i < 0 {
			b.WriteString(text)
			return b.String()
		}
		end := i + len(old)
		next, _ := utf8.DecodeRuneInString(text[end:])
		if end < len(text) && isWord(last) && isWord(next) {
			b.WriteString(text[:end])
		} else {
			b.WriteString(text[:i])
			b.WriteString(with)
		}
		text = text[end:]
	}
}

func isWord(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' || r == '-'
}
