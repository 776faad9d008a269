package strictyaml

// tokenKind is a set bit, so that a question can name several kinds.
type tokenKind uint16

const (
	streamStart tokenKind = 1 << iota
	streamEnd
	directive
	documentStart
	documentEnd
	mappingStart
	sequenceStart
	blockEnd
	entry // -
	key   // ? or the start of a key in front of a colon
	value // :
	scalar
	comment // comments and blank lines
)

// token is one part of the text.
type token struct {
	kind       tokenKind
	start, end mark
	text       string // of a scalar; the name of a directive
	plain      bool   // a scalar without quotes, not a block

	notes notes
	about *directiveInfo // of a directive
}

// notes are the comments that hang on a token. The original keeps them to
// write documents back; reading depends on them because it fails when two
// claim the same place.
type notes struct {
	present       bool // there is a place for notes, perhaps an empty one
	after, before bool
}

// addAfter hangs a comment that follows the token.
func (t *token) addAfter() { t.notes.present, t.notes.after = true, true }

// addBefore hangs comments that precede the token; there can be only one such
// set.
func (t *token) addBefore() error {
	if t.notes.before {
		return refuse(t.start, Failure, commentMessage)
	}
	t.notes.present, t.notes.before = true, true
	return nil
}

// handOver gives the notes to the next token, unless that ends or starts a
// document.
func (t *token) handOver(to *token) error {
	if !t.notes.present || to.kind&(streamEnd|documentStart) != 0 {
		return nil
	}
	n := t.notes
	t.notes = notes{}
	if n.after && to.notes.after || n.before && to.notes.before {
		return refuse(to.start, Failure, commentMessage)
	}
	to.notes.present = true
	to.notes.after = to.notes.after || n.after
	to.notes.before = to.notes.before || n.before
	return nil
}

// directiveInfo is what two kinds of directives say.
type directiveInfo struct {
	version [2]int // of YAML
	handle  string // of TAG
}
