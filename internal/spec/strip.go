package spec

import (
	"bytes"
	"strings"
)

// stripped returns a program's text with its comments and what stands in its
// quotes blanked out, byte for byte in the same places: what is left is what
// runs. Line ends and the quotes stay. Languages it does not know are returned
// blank.
func stripped(language string, src []byte) []byte {
	s := &stripper{src: src, out: bytes.Clone(src)}
	switch language {
	case "python":
		s.python()
	case "shell":
		s.shell()
	case "javascript":
		s.javascript()
	case "powershell":
		s.powershell()
	case "ruby":
		s.ruby()
	default:
		s.blank(0, len(src))
	}
	return s.out
}

type stripper struct {
	src, out []byte
	i        int
	divides  int // up to here a slash of JavaScript divides
}

// blank puts spaces in place of a stretch, line ends kept.
func (s *stripper) blank(from, to int) {
	for i := from; i < min(to, len(s.out)); i++ {
		if s.out[i] != '\n' && s.out[i] != '\r' {
			s.out[i] = ' '
		}
	}
}

// starts reports whether text comes next.
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

// until blanks what follows up to a closing text and moves behind it, or to
// the end of the file.
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

// quoted blanks what follows an opening quote of the given length up to the
// next unescaped closing one; escape 0 is none. Where lines may not end inside,
// a line end closes it.
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

func (s *stripper) powershell() {
	for s.i < len(s.src) {
		switch c := s.src[s.i]; {
		case s.starts("<#"):
			s.until(2, "#>")
		case c == '#':
			s.toLineEnd()
		case s.starts("@'"):
			s.until(2, "\n'@")
		case s.starts(`@"`):
			s.until(2, "\n\"@")
		case c == '"':
			s.quoted(`"`, '`', true)
		case c == '\'':
			s.quoted("'", 0, true)
		case c == '`':
			s.i += 2
		default:
			s.i++
		}
	}
}

func (s *stripper) ruby() {
	for s.i < len(s.src) {
		lineStart := s.i == 0 || s.src[s.i-1] == '\n'
		switch c := s.src[s.i]; {
		case lineStart && s.starts("=begin"):
			s.until(6, "\n=end")
		case lineStart && s.starts("__END__"):
			s.blank(s.i, len(s.src))
			s.i = len(s.src)
		case c == '#':
			s.toLineEnd()
		case c == '"', c == '\'', c == '`':
			s.quoted(string(c), '\\', true)
		case s.starts("<<~"), s.starts("<<-"):
			s.i += 3
			s.rubyHeredoc()
		default:
			s.i++
		}
	}
}

// rubyHeredoc blanks the text up to the line that is the name which follows.
func (s *stripper) rubyHeredoc() {
	name := strings.TrimLeft(string(s.src[s.i:min(len(s.src), s.i+80)]), `"'`)
	end := strings.IndexFunc(name, func(r rune) bool { return !inClass("word", byte(min(r, 0x7f))) })
	if end <= 0 {
		return
	}
	if n := bytes.IndexByte(s.src[s.i:], '\n'); n >= 0 {
		s.heredoc(s.i+n+1, name[:end], true)
	}
}

// heredoc blanks the lines from a place on, up to the one that is the name, and
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
