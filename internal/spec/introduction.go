package spec

import "strings"

// introduction returns what introduces a place of a page, in small letters: the
// last line above its list, table or block that is no part of them, and the
// beginnings of the list items that the place is in.
func (in *page) introduction(at int) string {
	const most, longest = 40, 300 // lines, and bytes of one
	body := in.body()
	var out []string
	tell := func(line string) { out = append(out, strings.ToLower(line[max(len(line)-longest, 0):])) }
	start := in.aboveCode(at, lineStart(body, at))
	indent := indentation(body[start:])
	for lines := 0; start > 0 && lines < most; lines++ {
		next := lineStart(body, start-1)
		if above := in.aboveCode(max(next, start-2), next); above < next {
			start = above // a block of code on the way says nothing
			continue
		}
		raw := body[next : start-1]
		line, depth := strings.TrimSpace(raw), indentation(raw)
		start = next
		switch {
		case line == "" || strings.ContainsRune("|`~", rune(line[0])):
		case strings.ContainsRune("-*+0123456789", rune(line[0])) && !strings.HasPrefix(line, "**"):
			if depth < indent { // the item that the place is in
				tell(line)
				indent = depth
			}
		default:
			tell(line)
			if depth < 2 {
				return strings.Join(out, "\n")
			}
			indent = min(indent, depth) // of an item, whose beginning is further up
		}
	}
	return strings.Join(out, "\n")
}

// aboveCode returns where the line above the block of code starts that a place
// is in, which is its fence where it has one; line where it is in none.
func (in *page) aboveCode(at, line int) int {
	i := pieceOf(in.Code, at)
	if i < 0 || !in.Code[i].Block || at >= in.Code[i].End {
		return line
	}
	body := in.body()
	return lineStart(body, max(lineStart(body, in.Code[i].Start)-1, 0))
}

// lineStart returns where the line that a place is on starts.
func lineStart(s string, at int) int { return strings.LastIndexByte(s[:at], '\n') + 1 }

// indentation is the number of blanks at the start of a text, of a quotation
// behind its marks; a tab counts as four.
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
