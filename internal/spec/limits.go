package spec

// Limits of the format, in characters: code points of a value without the white space
// around it.
const (
	MaxName          = 64
	MaxDescription   = 1024
	MaxCompatibility = 500
)

// Recommended limits of a SKILL.md.
const (
	MaxLines      = 500
	MaxBodyTokens = 5000
)
