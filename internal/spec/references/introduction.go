package references

import "strings"

// Introduction returns the lower-case text that introduces an offset of the
// body: the last line above its list, table or block, and the start of each
// enclosing list item.
func (p *Page) Introduction(at int) string {
	const most, longest = 40, 300 // lines, and bytes per line
	body := p.Body
	var out []string
	add := func(line string) { out = append(out, strings.ToLower(line[max(len(line)-longest, 0):])) }
	start := p.aboveCode(at, lineStart(body, at))
	indent := indentation(body[start:])
	for lines := 0; start > 0 && lines < most; lines++ {
		next := lineStart(body, start-1)
		if above := p.aboveCode(max(next, start-2), next); above < next {
			start = above // a code block in between is not an introduction
			continue
		}
		raw := body[next : start-1]
		line, depth := strings.TrimSpace(raw), indentation(raw)
		start = next
		switch {
		case line == "" || strings.ContainsRune("|`~", rune(line[0])):
		case strings.ContainsRune("-*+0123456789", rune(line[0])) && !strings.HasPrefix(line, "**"):
			if depth < indent { // the item that contains the offset
				add(line)
				indent = depth
			}
		default:
			add(line)
			if depth < 2 {
				return strings.Join(out, "\n")
			}
			indent = min(indent, depth) // continuation of an item that starts further up
		}
	}
	return strings.Join(out, "\n")
}

// aboveCode returns the start of the line above the code block at an offset,
// which is its fence if it has one. Without a block it returns line.
func (p *Page) aboveCode(at, line int) int {
	if !p.InBlock(at) {
		return line
	}
	i := p.pieceAt(at)
	return lineStart(p.Body, max(lineStart(p.Body, p.Code[i].Start)-1, 0))
}

// lineStart returns the start of the line that contains an offset.
func lineStart(s string, at int) int { return strings.LastIndexByte(s[:at], '\n') + 1 }

// indentation returns the width of the blanks and quotation marks at the start
// of a line; a tab counts as four.
func indentation(s string) int {
	n := 0
	for _, c := range s {
		switch c {
		case ' ', '>':
			n++
		case '\t':
			n += 4
		default:
			return n
		}
	}
	return n
}
