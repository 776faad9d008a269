package frontmatter

import "strings"

// Within returns the span of characters from..to (0-based code points) of a
// field's text, the whole value's where they cannot be told apart.
func (c *Content) Within(f *Field, from, to int) Span {
	places := c.Positions(f.Value)
	if from >= to || to > len(places) {
		return f.Value.Span
	}
	end := places[to-1]
	end.Column = min(end.Column+1, len([]rune(c.Line(end.Line)))+1) // a folded line break takes no room
	return Span{places[from], end}
}

// Positions returns where each code point of a scalar stands in the file, nil
// where that cannot be told. A space or line break that YAML makes of a folded
// line stands at the end of that line.
func (d *Content) Positions(v Value) []Pos {
	if v.Alias || !v.Scalar() || v.Text == "" {
		return nil
	}
	w := &placer{doc: d, style: v.Style, last: d.BodyLine - 2}
	w.enter(v.Span.Start.Line)
	w.at = min(v.Span.Start.Column-1, len(w.runes))
	switch v.Style {
	case SingleQuoted, DoubleQuoted:
		// What was mended to be read may have quotes that are not in the file.
		if w.at == len(w.runes) || w.runes[w.at] != '\'' && w.runes[w.at] != '"' {
			return nil
		}
		w.at++
	case Literal, Folded:
		if !w.enterBlock() {
			return nil
		}
	}
	var out []Pos
	for _, r := range v.Text {
		p, ok := w.take(r)
		if !ok {
			return nil
		}
		out = append(out, p)
	}
	return out
}

// placer walks over the lines of a scalar as its text is read.
type placer struct {
	doc    *Content
	style  Style
	indent int // of a block's text
	line   int
	last   int // line on which the frontmatter ends
	runes  []rune
	at     int // index of the next character on the line
}

// enter goes to a line, behind its indentation.
func (w *placer) enter(line int) {
	w.line, w.runes, w.at = line, []rune(w.doc.Line(line)), 0
	if w.style == Literal || w.style == Folded {
		w.at = min(w.indent, len(w.runes))
		return
	}
	for w.at < len(w.runes) && (w.runes[w.at] == ' ' || w.runes[w.at] == '\t') {
		w.at++
	}
}

// enterBlock goes from a block's header to its text. A header that tells the
// indentation itself is rare, and left alone.
func (w *placer) enterBlock() bool {
	header := string(w.runes[min(w.at, len(w.runes)):])
	if !isBlockHeader(header) || strings.ContainsAny(header, "123456789") {
		return false
	}
	for n := w.line + 1; n <= w.last; n++ {
		if text := w.doc.Line(n); !isBlankLine(text) {
			w.indent = indentOf(text)
			break
		}
	}
	w.enter(w.line + 1)
	return true
}

// atEnd reports whether only blanks are left on the line.
func (w *placer) atEnd() bool { return trimmed(w.runes[w.at:]) == 0 }

// take finds the next character of the text.
func (w *placer) take(r rune) (Pos, bool) {
	for w.line <= w.last {
		here := Pos{w.line, w.at + 1}
		white := r == ' ' || r == '\n' || r == '\t'
		switch {
		case w.at == len(w.runes), w.runes[w.at] != r && w.atEnd():
			w.enter(w.line + 1)
			if white {
				return here, true
			}
		case w.style == DoubleQuoted && w.runes[w.at] == '\\':
			if w.at+1 == len(w.runes) {
				w.enter(w.line + 1)
				continue
			}
			w.at = min(w.at+2+map[rune]int{'x': 2, 'u': 4, 'U': 8}[w.runes[w.at+1]], len(w.runes))
			return here, true
		case w.runes[w.at] == r:
			if w.at++; r == '\'' && w.style == SingleQuoted {
				w.at = min(w.at+1, len(w.runes)) // it is written twice
			}
			return here, true
		case white:
			return here, true
		case w.runes[w.at] == ' ' || w.runes[w.at] == '\t':
			w.at++
		default:
			return Pos{}, false
		}
	}
	return Pos{}, false
}
