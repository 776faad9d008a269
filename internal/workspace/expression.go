package workspace

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"regexp"
	"regexp/syntax"
	"time"
)

// Limits of a search: its pattern, the steps of a match that cannot be ended, and its time.
const (
	maxPattern    = 1000 // bytes
	maxProgram    = 10_000
	maxSteps      = 1 << 24
	maxSearchTime = time.Minute
)

// expression is a regular expression whose matching can be ended: that takes a time which
// grows with the length of the line and the size of the expression.
type expression struct {
	*regexp.Regexp
	size int // instructions
}

// parseExpression parses a pattern of the model; fault is what is wrong with it.
func parseExpression(pattern string) (e expression, fault string) {
	if pattern == "" {
		return e, "The pattern cannot be empty."
	}
	parsed, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return e, fmt.Sprintf("The pattern is no regular expression (RE2): %v. Put a backslash before . * + ? ( ) [ ] { } | ^ $ to search for it.", err)
	}
	const large = "The pattern is too large. Use a shorter one, with fewer repetitions."
	if len(pattern) > maxPattern {
		return e, large
	}
	program, err := syntax.Compile(parsed.Simplify())
	if err != nil || len(program.Inst) > maxProgram {
		return e, large
	}
	e.size = len(program.Inst)
	e.Regexp, err = regexp.Compile(pattern)
	if err != nil {
		return e, large
	}
	return e, ""
}

// matches reports whether a line matches. If the context ends, the answer is of no use.
func (e expression) matches(ctx context.Context, line []byte) bool {
	if len(line)*e.size <= maxSteps {
		return e.Match(line)
	}
	return e.MatchReader(&lineReader{ctx: ctx, line: bytes.NewReader(line)})
}

// lineReader reads a line until the context ends.
type lineReader struct {
	ctx   context.Context
	line  *bytes.Reader
	count int
}

func (r *lineReader) ReadRune() (c rune, size int, err error) {
	r.count++
	if r.count%256 == 0 && r.ctx.Err() != nil {
		return 0, 0, io.EOF
	}
	return r.line.ReadRune()
}
