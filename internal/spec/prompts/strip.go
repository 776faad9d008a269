package prompts

import "bytes"

// stripped returns a program with the contents of its comments and quotes replaced
// by spaces, every other byte at its place. Line ends and quotes stay. Of unknown
// languages everything is blank.
func stripped(language string, src []byte) []byte {
	s := &stripper{src: src, out: bytes.Clone(src)}
	switch language {
	case "python":
		s.python()
	case "shell":
		s.shell()
	case "javascript":
		s.javascript()
	default:
		s.blank(0, len(src))
	}
	return s.out
}

type stripper struct {
	src, out []byte
	i        int
	divides  int // before this offset, a slash of JavaScript divides
}

// blank replaces a stretch with spaces, except for line ends.
func (s *stripper) blank(from, to int) {
	for i := from; i < min(to, len(s.out)); i++ {
		if s.out[i] != '\n' && s.out[i] != '\r' {
			s.out[i] = ' '
		}
	}
}

// starts reports whether text is next.
func (s *stripper) starts(text string) bool {
	return len(s.src)-s.i >= len(text) && string(s.src[s.i:s.i+len(text)]) == text
}

// toLineEnd blanks the rest of the line.
func (s *stripper) toLineEnd() {
	end := len(s.src)
	if n := bytes.IndexByte(s.src[s.i:], '\n'); n >= 0 {
		end = s.i + n
	}
	s.blank(s.i, end)
	s.i = end
}

// until blanks the text up to a closing mark and moves past that, or to the end
// of the file.
func (s *stripper) until(open int, closing string) {
	from := s.i + open
	if n := bytes.Index(s.src[min(from, len(s.src)):], []byte(closing)); n >= 0 {
		s.blank(from, from+n)
		s.i = from + n + len(closing)
		return
	}
	s.blank(from, len(s.src))
	s.i = len(s.src)
}

// quoted blanks the text between an opening quote and the next one that is not
// escaped; escape 0 means that there is no escape character. If lines is false, a
// line end closes the quote.
func (s *stripper) quoted(quote string, escape byte, lines bool) {
	s.i += len(quote)
	from := s.i
	for s.i < len(s.src) {
		switch c := s.src[s.i]; {
		case escape != 0 && c == escape:
			s.i++
		case s.starts(quote):
			s.blank(from, s.i)
			s.i += len(quote)
			return
		case c == '\n' && !lines:
			s.blank(from, s.i)
			return
		}
		s.i++
	}
	s.i = len(s.src)
	s.blank(from, s.i)
}

// heredoc blanks the lines from an offset on, up to the one that is the name, and
// moves there.
func (s *stripper) heredoc(from int, name string, indented bool) {
	for at := from; at < len(s.src); {
		line, _, _ := bytes.Cut(s.src[at:], []byte("\n"))
		text := bytes.TrimRight(line, "\r")
		if indented {
			text = bytes.TrimLeft(text, " \t")
		}
		if string(text) == name {
			s.blank(from, at+len(line))
			s.i = at + len(line)
			return
		}
		at += len(line) + 1
	}
	s.blank(from, len(s.src))
	s.i = len(s.src)
}
