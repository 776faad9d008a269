// Package markdown finds what a Markdown text refers to: links and images of
// every CommonMark form, HTML attributes, anchors, code and comments, each with
// its place. It knows nothing of skills, files or rules.
package markdown

import (
	"net/url"
	"strings"
)

// Page is what a Markdown text holds. All offsets are bytes of the text that
// was parsed; every list is sorted by them.
type Page struct {
	Links    []Link
	Code     []Code
	Comments []Comment
	// Anchors are the names that a fragment can point at: headings as GitHub
	// makes slugs of them, and id and name attributes.
	Anchors map[string]bool
	// Prose are the stretches of plain text, without code, comments, link
	// destinations and HTML tags; none spans lines.
	Prose []Stretch
	// Unclosed is the line of a fence that opens a block of code which nothing
	// closes, nil if there is none.
	Unclosed *Stretch
	// Cut reports a text that is too large or too costly to be read: the page
	// is empty, or lacks links. That something is not in it means nothing.
	Cut bool
}

// LinkKind is the form in which a link is written.
type LinkKind uint8

const (
	Inline    LinkKind = iota // [text](target)
	Reference                 // [text][label], [label]
	Auto                      // <target>
	Image                     // ![text](target) or ![text][label]
	HTML                      // href or src of a tag
)

// Link is a reference to something. Several references that share one
// definition are one link.
type Link struct {
	Kind LinkKind
	// Target is the destination with escapes, entities and percent-encoding
	// undone, fragment and query included as they are. Only %23, %25 and %3F
	// stay encoded, so that a file's # and ? are not taken for those of the link;
	// Split undoes them.
	Target     string
	Start, End int // the destination as written; of a reference, in its definition
}

// Split takes the target apart: the path, and what follows # without it, both
// decoded. A query is dropped. hasFragment is true for an empty fragment as well.
func (l Link) Split() (path, fragment string, hasFragment bool) {
	path, fragment, hasFragment = strings.Cut(l.Target, "#")
	path, _, _ = strings.Cut(path, "?")
	return unescape(path), unescape(fragment), hasFragment
}

// unescape undoes percent-encoding, and leaves alone what is none.
func unescape(s string) string {
	if out, err := url.PathUnescape(s); err == nil {
		return out
	}
	return s
}

// Code is a code span or block.
type Code struct {
	Block      bool
	Lang       string // first word of a fence's info string
	Text       string // of a block its Lines, joined
	Start, End int    // its text, from the first line to the last
	// Lines are the places of a block's lines, line breaks included: its
	// text can have marks of a list or a quotation in between. Of a span they
	// are the parts that it has when it is broken over lines.
	Lines []Stretch
}

// Offset returns the place in the parsed text of a byte of c.Text.
func (c Code) Offset(i int) int {
	for _, l := range c.Lines {
		if n := l.End - l.Start; i < n {
			return l.Start + max(i, 0)
		} else {
			i -= n
		}
	}
	return c.End
}

// Comment is an HTML comment.
type Comment struct {
	Text       string // between <!-- and -->
	Start, End int    // with the marks
}

// Stretch is a part of the text.
type Stretch struct{ Start, End int }
