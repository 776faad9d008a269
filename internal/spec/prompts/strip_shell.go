package prompts

import (
	"bytes"
	"strings"
)

// shell strips a shell script, the bodies of here documents included. Quotes may
// span lines.
func (s *stripper) shell() {
	var pending []heredoc // start at the next line
	for s.i < len(s.src) {
		switch c := s.src[s.i]; {
		case c == '\\':
			s.i += 2
		case c == '#' && s.wordStart():
			s.toLineEnd()
		case c == '\'':
			if s.i > 0 && s.src[s.i-1] == '$' {
				s.quoted("'", '\\', true)
			} else {
				s.quoted("'", 0, true)
			}
		case c == '"':
			s.quoted(`"`, '\\', true)
		case s.starts("<<<"):
			s.i += 3
		case s.starts("<<"):
			s.i += 2
			if h, ok := s.heredocName(); ok {
				pending = append(pending, h)
			}
		case c == '\n' && len(pending) > 0:
			for _, h := range pending {
				s.heredoc(min(s.i+1, len(s.src)), h.name, h.tabs)
			}
			pending = nil
		default:
			s.i++
		}
	}
}

// heredoc is a here document whose lines start after the current one.
type heredoc struct {
	name string
	tabs bool // the closing line may be indented
}

func (s *stripper) heredocName() (h heredoc, ok bool) {
	if s.starts("-") {
		h.tabs = true
		s.i++
	}
	rest := s.src[s.i:]
	rest = bytes.TrimLeft(rest[:min(len(rest), 100)], " \t")
	rest = bytes.TrimLeft(rest, `'"\`)
	end := 0
	for end < len(rest) && (isWordByte(rest[end]) || rest[end] == '-') {
		end++
	}
	h.name = string(rest[:end])
	// A number is an operand of a shift: 1 << 2.
	return h, strings.Trim(h.name, "0123456789") != ""
}

// wordStart reports whether a word of a shell can start here.
func (s *stripper) wordStart() bool {
	return s.i == 0 || strings.IndexByte(" \t\r\n;&|()", s.src[s.i-1]) >= 0
}
