package constrained

import (
	"encoding/json"
	"strings"
	"unicode/utf8"

	"skills/internal/agent/model"
	"skills/internal/agent/textcalls"
	"skills/internal/lazyregexp"
)

// answerStart matches the beginning of a reply that is an answer.
var answerStart = lazyregexp.New(`^\s*\{\s*("answer"\s*:|"name"\s*:\s*"answer"\s*,\s*"arguments"\s*:\s*\{\s*"text"\s*:)\s*"`)

// stream passes on the answer in a reply while its JSON arrives.
type stream struct {
	show  func(string)
	words textcalls.Tools

	raw   strings.Builder
	text  model.Stream // takes over if the reply is no JSON
	start int          // where the answer begins in raw, once known
	next  int          // what of raw is decoded
	done  bool         // the answer is complete
	shown int          // bytes that were passed on
}

// Stream implements [model.Form].
func (f *Form) Stream(show func(string)) model.Stream {
	return &stream{show: show, words: f.Words}
}

// Write takes a piece of the reply.
func (s *stream) Write(piece string) {
	if s.text != nil {
		s.text.Write(piece)
		return
	}
	s.raw.WriteString(piece)
	raw := s.raw.String()
	begin := strings.TrimLeft(raw, " \t\r\n")
	if begin != "" && begin[0] != '{' && begin[0] != '`' {
		s.text = textcalls.NewStream(s.words, s.show)
		s.text.Write(raw)
		return
	}
	if s.start == 0 {
		if s.raw.Len() > maxStart {
			return
		}
		found := answerStart().FindStringIndex(raw)
		if found == nil {
			return
		}
		s.start, s.next = found[1], found[1]
	}
	if s.done {
		return
	}
	var text string
	text, s.next, s.done = decodeString(raw, s.next)
	if text != "" {
		s.shown += len(text)
		s.show(text)
	}
}

// maxStart is the size of the longest beginning of a reply that may be an answer.
const maxStart = 256

// End passes on what was not shown of an answer.
func (s *stream) End(text string) {
	if s.text != nil {
		s.text.End(text)
		return
	}
	if s.raw.Len() > 0 && s.shown < len(text) {
		s.show(text[s.shown:])
	}
}

// decodeString decodes the characters of a JSON string from a position on, as far as they
// are complete, and reports whether the string ends there.
func decodeString(raw string, from int) (text string, next int, ends bool) {
	at := from
	for at < len(raw) {
		size := 1
		switch c := raw[at]; {
		case c == '"':
			ends = true
		case c == '\\':
			size = escapeSize(raw[at:])
		case c >= utf8.RuneSelf && !utf8.FullRuneInString(raw[at:]):
			size = 0
		case c >= utf8.RuneSelf:
			_, size = utf8.DecodeRuneInString(raw[at:])
		}
		if ends || size == 0 {
			break
		}
		at += size
	}
	if json.Unmarshal([]byte(`"`+raw[from:at]+`"`), &text) != nil {
		return "", at, true // it is not JSON: the end shows what is left
	}
	return text, at, ends
}

// escapeSize returns the size of an escape, of both of a surrogate pair, or 0 if it is not
// complete.
func escapeSize(s string) int {
	const unicodeSize = len(`\u0000`)
	switch {
	case len(s) < 2:
		return 0
	case s[1] != 'u':
		return 2
	case len(s) < unicodeSize:
		return 0
	}
	isHigh := strings.EqualFold(s[2:3], "d") && strings.ContainsAny(s[3:4], "89abAB")
	if !isHigh {
		return unicodeSize
	}
	rest := s[unicodeSize:]
	switch {
	case strings.HasPrefix(rest, `\u`) && len(rest) >= unicodeSize:
		return 2 * unicodeSize
	case rest == "" || rest == `\` || strings.HasPrefix(rest, `\u`):
		return 0
	}
	return unicodeSize
}
