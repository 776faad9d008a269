// Package strictyaml reads the YAML subset of the format's reference library,
// which hands the frontmatter to StrictYAML: block style only, every scalar a
// string, no anchors, no tags, no duplicate keys.
//
// It exists for one promise: the same text is accepted here exactly when it is
// accepted there, and gives the same data. So it keeps that reader's habits
// where they differ from the YAML specification: tabs are no separators, a
// line break U+0085 does not start a new line for the indentation, a key ends
// within 1,024 characters, a comment in certain places makes it fail. Where
// the original dies of a programming error instead of reporting one, Parse
// refuses the text.
//
// It is not a YAML library: no flow style, no types, no streams of documents,
// no writing, and no comments in the result. The rules of the specification's
// own profile use a YAML 1.2 parser. The package knows nothing of skills,
// fences or files.
//
// The way through it: cursor (characters), scanner (tokens), queue (tokens
// with the comments folded into them), parser (nested parts), builder (Nodes).
package strictyaml

// maxDepth is how many collections may stand in each other. The original is
// recursive and ends at Python's recursion limit, which its command line
// reaches with one more than this.
const maxDepth = 244

// Parse reads text, one YAML document, into its root node. The text is what
// stands between the fences of a SKILL.md, its line breaks already made \n as
// the reference library does on reading a file.
//
// A document that is not a mapping or a sequence (an empty one too) is a
// scalar whose Text is the whole of text, comments included: that is what the
// original returns. The error is always an [*Error].
func Parse(text string) (*Node, error) {
	cur, err := newCursor(text)
	if err != nil {
		return nil, err
	}
	p := &parser{in: &queue{scan: newScanner(cur)}}
	root, err := p.document()
	if err != nil {
		return nil, err
	}
	if root == nil || root.kind == Scalar {
		return &Node{Kind: Scalar, Text: text, Line: 1, Column: 1}, nil
	}
	n, err := (&builder{}).node(root, false)
	if err != nil {
		return nil, err
	}
	return n, nil
}
