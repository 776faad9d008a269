// Package markdown extracts references from Markdown: links and images in every
// CommonMark form, HTML attributes, anchors, code and comments, with positions.
package markdown

import (
	"net/url"
	"strings"
)

// Page holds the parts of a Markdown text. All offsets are bytes in the parsed
// text; every list is sorted by them.
type Page struct {
	Links    []Link
	Code     []Code
	Comments []Comment
	Headings []Heading
	// Anchors are the valid fragments: slugs of headings as on GitHub, and id
	// and name attributes.
	Anchors map[string]bool
	// Prose holds the ranges of plain text, without code, comments, link
	// destinations and HTML tags; none spans lines.
	Prose []Range
	// Unclosed is the opening fence of a code block that is never closed, or
	// nil.
	Unclosed *Range
	// Cut is true if the text was too large or too costly to parse: the page is
	// empty or incomplete, so the absence of something means nothing.
	Cut bool
}

// LinkKind is the syntax of a link.
type LinkKind uint8

const (
	Inline    LinkKind = iota // [text](target)
	Reference                 // [text][label], [label]
	Auto                      // <target>
	Image                     // ![text](target) or ![text][label]
	HTML                      // href or src attribute of a tag
)

// Link is a reference. Several references with the same definition are one
// link.
type Link struct {
	Kind LinkKind
	// Target is the destination with escapes, entities and percent-encoding
	// decoded, including fragment and query. Only %23, %25 and %3F stay encoded,
	// so that # and ? in a file name are not confused with the link's own; Split
	// decodes them.
	Target     string
	Start, End int // the destination as written, for a reference in its definition
}

// Split returns the decoded path, and the decoded fragment after #. The query
// is dropped. hasFragment is also true for an empty fragment.
func (l Link) Split() (path, fragment string, hasFragment bool) {
	path, fragment, hasFragment = strings.Cut(l.Target, "#")
	path, _, _ = strings.Cut(path, "?")
	return unescape(path), unescape(fragment), hasFragment
}

// unescape decodes percent-encoding, and returns invalid encoding unchanged.
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
	Text       string // for a block, its joined Lines
	Start, End int    // the text, from the first line to the last
	// Lines are the ranges of a block's lines including line breaks, because
	// marks of a list or a quotation may be in between. For a span they are its
	// parts on each line.
	Lines []Range
}

// Offset converts an offset in c.Text to one in the parsed text.
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

// Heading is a heading of Markdown, not one of HTML.
type Heading struct {
	Level      int // 1 to 6
	Text       string
	Anchor     string // its fragment as on GitHub
	Start, End int    // the text as written
}

// Comment is an HTML comment.
type Comment struct {
	Text       string // between <!-- and -->
	Start, End int    // including the delimiters
}

// Range is a range of the text.
type Range struct{ Start, End int }

// Path returns the decoded path of the link, without fragment and query.
func (l Link) Path() string {
	path, _, _ := l.Split()
	return path
}
