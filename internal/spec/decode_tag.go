package spec

import (
	"fmt"

	"go.yaml.in/yaml/v4"
)

// unknownTag reports a value that YAML takes for one of a type of its own. It
// returns the text that the value is once the fix has put it in quotes; ok is
// false where there is no fix.
func (r *nodeReader) unknownTag(n *yaml.Node) (text string, ok bool) {
	span, help := r.span(n), "quote a value that starts with !"
	shift := r.doc.block.Line - 1
	var fix *Fix
	s, found := valueAt(r.text.index, span.Start.Line-shift)
	if found && s.value[0] == '!' {
		c, _ := specialStart(s.entry)
		c = s.locate(r.text.index, c)
		help = c.help
		if fix = r.doc.lineFix(r.text.index, c); fix != nil && s.indent == "" {
			fix = fix.of(s.key)
		}
	}
	r.doc.faultFix("frontmatter-syntax", span, fix, fmt.Sprintf("Invalid YAML in frontmatter: unknown tag %s", quote(n.Tag)), help)
	if fix == nil {
		return "", false
	}
	for n := s.first; n <= s.last; n++ {
		r.doc.mend(n + shift)
	}
	return s.value, true
}
