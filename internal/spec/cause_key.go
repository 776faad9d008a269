package spec

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"
)

// boldField finds a field whose name is written in bold, as Markdown has it.
func boldField(line string) (cause, bool) {
	key, value, found := strings.Cut(line, ":")
	stars := utf8.RuneCountInString(key)
	if strings.HasSuffix(key, "**") { // **name**: x
		key = key[:len(key)-2]
	} else if v, ok := strings.CutPrefix(value, "**"); ok { // **name:** x
		value, stars = v, stars+3
	} else {
		return cause{}, false
	}
	name, bold := strings.CutPrefix(key, "**")
	if !found || !bold || !usualField(name) {
		return cause{}, false
	}
	fixed := name + ": " + strings.TrimLeft(value, " \t")
	return cause{from: 1, to: stars + 1, sure: true, message: fmt.Sprintf("the field %s is written in bold", quote(name)),
		help: "write " + shorten(strings.TrimSpace(fixed)), mended: []byte(fixed)}, true
}

// quotedField finds a line that stands in quotes as a whole, a field with its
// value.
func quotedField(line string) (cause, bool) {
	line = strings.TrimRight(line, " \t")
	if len(line) < 2 || line[0] != '"' && line[0] != '\'' || closingQuote(line) != len(line) {
		return cause{}, false
	}
	e, ok := splitEntry(peelBoth.of(line))
	if !ok || !usualField(e.key) {
		return cause{}, false
	}
	fixed := e.key + ": " + quoteYAML(e.value)
	return cause{from: 1, to: utf8.RuneCountInString(line) + 1, sure: true, message: "the whole line is in quotes, the name of the field as well",
		help: "quote the value only: " + shorten(fixed), mended: []byte(fixed)}, true
}

// noSpaces repairs a frontmatter of fields none of which has a space after its
// colon: to YAML that is one text. ok is false for any other text.
func (d *Document) noSpaces(text []byte) (repaired []byte, ok bool) {
	x := indexLines(text)
	if len(text) > maxExplained {
		return nil, false
	}
	var found []cause
	usual := false
	for n := 1; n <= len(x.starts); n++ {
		line := string(x.text(n))
		c, ok := noSpaceAfterColon(line)
		switch {
		case ok && indentOf(line) == 0:
			c.line, c.first, c.last = n, n, n
			found = append(found, c)
			usual = usual || usualField(line[:strings.IndexByte(line, ':')])
		case !isBlankLine(line) && line[0] != '#':
			return nil, false
		}
	}
	if !usual {
		return nil, false
	}
	end := 0
	for i := range found {
		c := &found[i]
		repaired = append(append(repaired, text[end:x.starts[c.line-1]]...), c.mended...)
		end = x.starts[c.line-1] + len(x.text(c.line))
	}
	repaired = append(repaired, text[end:]...)
	for _, c := range found {
		c.repaired = repaired
		d.faultFix("frontmatter-syntax", d.lines().span(c.line+d.block.Line-1, c.from, c.to), d.lineFix(x, c), "Invalid YAML in frontmatter: "+c.message, c.help)
	}
	for _, c := range found {
		d.mend(c.line + d.block.Line - 1)
	}
	return repaired, true
}

// isOneText reports a frontmatter that is one plain text to YAML.
func isOneText(doc *yaml.Node) bool {
	return len(doc.Content) == 1 && doc.Content[0].Kind == yaml.ScalarNode && doc.Content[0].Style == 0
}
