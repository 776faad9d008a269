package strictyaml

import "strconv"

// Reason sorts refusals by what they have in common.
type Reason uint8

const (
	Syntax      Reason = iota // not YAML in the original's eyes
	Character                 // a character that may not stand in YAML text
	FlowStyle                 // [ ] { } , as indicators
	Anchor                    // &name or *name
	Tag                       // !name
	Duplicate                 // the same key twice in a mapping
	Indentation               // mappings under one mapping, indented differently
	Merge                     // a << key that cannot be merged
	ComplexKey                // a list or a mapping as a key
	Depth                     // nested beyond the original's recursion limit
	Failure                   // legal YAML on which the original fails
)

// String gives the reason as a word for tables and tests.
func (r Reason) String() string {
	names := [...]string{
		"syntax", "character", "flow-style", "anchor", "tag", "duplicate",
		"indentation", "merge", "complex-key", "depth", "failure",
	}
	if int(r) < len(names) {
		return names[r]
	}
	return "unknown"
}

// Error is why a text is refused. Line and Column count from 1 in the text
// given to Parse, the column in code points.
type Error struct {
	Line, Column int
	Message      string
	Reason       Reason
}

// Error gives the position and the message.
func (e *Error) Error() string {
	return strconv.Itoa(e.Line) + ":" + strconv.Itoa(e.Column) + ": " + e.Message
}

func refuse(at mark, r Reason, message string) *Error {
	return &Error{Line: at.line, Column: at.column, Message: message, Reason: r}
}

// The refusals that StrictYAML adds to YAML, in one place for their wording.
const (
	flowMessage      = "flow style ([ ] { } ,) is not part of the reference library's YAML subset; quote the text or use block style"
	anchorMessage    = "anchors (&name) are not part of the reference library's YAML subset; quote the text"
	aliasMessage     = "aliases (*name) are not part of the reference library's YAML subset; quote the text"
	tagMessage       = "tags (!name) are not part of the reference library's YAML subset; quote the text"
	indentMessage    = "mapping is indented differently from the mapping before it, which the reference library refuses"
	complexMessage   = "a list or mapping as a key is not part of the reference library's YAML subset"
	depthMessage     = "nested too deeply for the reference library"
	commentMessage   = "the reference library cannot place the comment or blank line here and fails"
	versionMessage   = "the reference library knows no rules for this YAML version and fails"
	codePointMessage = "escape is beyond the last Unicode character"
)
