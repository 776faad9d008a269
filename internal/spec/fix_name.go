package spec

import "unicode/utf8"

const nameFixText = "writes the folder's name where that is valid, else the name in an allowed spelling"

// nameFix writes the name in an allowed spelling. The folder decides: its name
// is taken where it is a valid one; where it is spelt as wrongly as the field,
// only a person can rename both.
func (p *Pass) nameFix() *Fix {
	name, _, ok := p.name()
	if !ok {
		return nil
	}
	if fix := p.folderFix(); fix != nil {
		return fix
	}
	if p.Doc.Dir != "" && matchesAny(name, p.Doc.Dir, p.Doc.LinkTarget) || validName(normalName(p.Doc.Dir)) || validName(normalName(p.Doc.LinkTarget)) {
		return nil
	}
	return p.writeName(suggestName(name))
}

// folderFix writes the folder's name into the field, nil where that is no
// valid name, or where the folder is known by two.
func (p *Pass) folderFix() *Fix {
	dir, target := normalName(p.Doc.Dir), normalName(p.Doc.LinkTarget)
	switch {
	case !validName(dir):
		dir = target
	case validName(target) && target != dir:
		return nil
	}
	return p.writeName(dir)
}

// writeName replaces the value of the only name field, nil where the new name
// is not valid or the old one does not stand on one line as it reads.
func (p *Pass) writeName(to string) *Fix {
	f := p.Doc.Field("name")
	n := 0
	for _, other := range p.Doc.Fields {
		if other.Key == "name" {
			n++
		}
	}
	v := f.Value
	if n != 1 || !validName(to) || to == v.Text || v.Alias || v.Anchor != "" || v.Tag != "" || !p.Doc.verbatim(v) {
		return nil
	}
	text := to
	switch {
	case v.Style == DoubleQuoted, v.Style == Plain && misread(Value{Kind: plainKind(to), Text: to}) != "":
		text = `"` + to + `"`
	case v.Style == SingleQuoted:
		text = "'" + to + "'"
	}
	return &Fix{Description: "write name: " + to, Edits: []Edit{p.Doc.edit(v.Span, text)}, Field: "name"}
}

// validName reports whether a name, trimmed and in NFKC, keeps all the rules
// on its spelling.
func validName(s string) bool {
	return s != "" && utf8.RuneCountInString(s) <= maxName && s == normalName(s) && s == suggestName(s)
}
