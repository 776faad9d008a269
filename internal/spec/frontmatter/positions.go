package frontmatter

import (
	"strings"
	"unicode"
)

// Within returns the span of characters from..to (code points from 0) of a
// field's text, the whole value's where their positions are unknown.
func (d *Content) Within(f *Field, from, to int) Span {
	positions := d.Positions(f.Value)
	if from >= to || to > len(positions) {
		return f.Value.Span
	}
	end := positions[to-1]
	end.Column = min(end.Column+1, len([]rune(d.Line(end.Line)))+1) // a folded line break takes no room
	return Span{positions[from], end}
}

// Positions returns where each code point of a scalar is in the file, nil where
// that is unknown. A space or line break that YAML makes of a folded line is
// at the end of that line.
func (d *Content) Positions(v Value) []Pos {
	if v.Alias || !v.Scalar() || v.Text == "" {
		return nil
	}
	chars := d.characters(v)
	out := make([]Pos, 0, len(chars))
	for _, r := range v.Text {
		for len(chars) > 0 && !chars[0].is(r) && !unicode.IsSpace(r) && unicode.IsSpace(chars[0].r) {
			chars = chars[1:]
		}
		if len(chars) == 0 || !chars[0].is(r) && !unicode.IsSpace(r) {
			return nil
		}
		out = append(out, chars[0].at)
		if chars[0].is(r) || unicode.IsSpace(chars[0].r) {
			chars = chars[1:]
		}
	}
	return out
}

// character is one character of a scalar as it is written.
type character struct {
	r  rune // anyRune for an escape
	at Pos
}

const anyRune = -1

func (c character) is(r rune) bool { return c.r == r || c.r == anyRune }

// characters returns the characters of a scalar from its place to the end of
// the frontmatter, without its quotes and without what indents its lines.
func (d *Content) characters(v Value) []character {
	var out []character
	n, skip, indent := v.Span.Start.Line, v.Span.Start.Column-1, -1
	switch v.Style {
	case SingleQuoted, DoubleQuoted:
		skip++
		if quote := d.At(Span{v.Span.Start, Pos{n, skip + 1}}); quote != `"` && quote != "'" {
			return nil // quotes that only the repaired text has
		}
	case Literal, Folded:
		// A header that gives the indentation is rare, and not followed.
		if header := d.At(v.Span); !isBlockHeader(header) || strings.ContainsAny(header, "123456789") {
			return nil
		}
		n, skip = n+1, 0
		for first := n; indent < 0 && first < d.BodyLine-1; first++ {
			if line := d.Line(first); !isBlankLine(line) {
				indent = indentOf(line)
			}
		}
	}
	for ; n < d.BodyLine-1; n, skip = n+1, 0 {
		line := []rune(strings.TrimRight(d.Line(n), " \t"))
		if skip == 0 {
			skip = len(line) - len([]rune(strings.TrimLeft(string(line), " \t")))
			if indent >= 0 {
				skip = min(skip, indent)
			}
		}
		broken := true
		for i := skip; i < len(line); i++ {
			ch := character{line[i], Pos{n, i + 1}}
			switch {
			case v.Style == SingleQuoted && line[i] == '\'':
				i++ // it is written twice
			case v.Style == DoubleQuoted && line[i] == '\\' && i+1 == len(line):
				broken = false
				continue
			case v.Style == DoubleQuoted && line[i] == '\\':
				ch.r = anyRune
				i += 1 + map[rune]int{'x': 2, 'u': 4, 'U': 8}[line[i+1]]
			}
			out = append(out, ch)
		}
		if broken {
			out = append(out, character{'\n', Pos{n, len(line) + 1}})
		}
	}
	return out
}
