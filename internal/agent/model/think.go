package model

// Many models write their reasoning into the content, between tags. It is separated from
// the answer while the pieces arrive, whose borders may cut a tag.
//
// Tags count at the start of the content only: an answer may be about them. Templates that
// open a tag in the prompt leave only the closing one in the reply, which is recognised by
// its place, at the end. From then on the replies of this server are expected to be of this
// form.

import "strings"

// thinkTags are the tags around reasoning.
var thinkTags = []struct{ open, end string }{
	{"<think>", "</think>"},       // DeepSeek, Qwen, MiniMax and most others
	{"<thinking>", "</thinking>"}, // models that were taught by prompts
	{"[THINK]", "[/THINK]"},       // Magistral
	{"<thought>", "</thought>"},   // Gemini
	{"<seed:think>", "</seed:think>"},
	{"◁think▷", "◁/think▷"}, // Kimi
}

// thinkSplitter separates reasoning from the text after it.
type thinkSplitter struct {
	tag     int    // of the last reasoning
	found   bool   // whether there is any
	state   int    // what the next characters are
	pending string // characters of which this is not known yet
	blank   bool   // whether white space at the start of the text is omitted

	held strings.Builder // of content that may be reasoning without an opening tag
}

// The states of a splitter.
const (
	thinkStart  = iota // white space, or an opening tag
	thinkInside        // reasoning
	thinkText          // the answer
	thinkHeld          // reasoning if it has an end, else the answer
)

// expect makes the splitter expect reasoning without the opening tag.
func (s *thinkSplitter) expect(tag int) { s.state, s.tag = thinkHeld, tag }

// add takes a piece of the content, and returns the parts of which it is known what they
// are.
func (s *thinkSplitter) add(piece string) (reasoning, text string) {
	s.pending += piece
	for s.pending != "" {
		switch s.state {
		case thinkStart:
			if !s.opened() {
				return reasoning, text
			}
		case thinkInside:
			end := thinkTags[s.tag].end
			before, after, ended := strings.Cut(s.pending, end)
			if !ended {
				keep := partial(s.pending, end)
				before, after = s.pending[:len(s.pending)-keep], s.pending[len(s.pending)-keep:]
			}
			reasoning, s.pending = reasoning+before, after
			if !ended {
				return reasoning, text
			}
			s.state, s.found, s.blank = thinkStart, true, true
		case thinkHeld:
			if !s.ended() {
				return reasoning, text
			}
			reasoning += s.held.String()
		default:
			text += s.pending
			s.pending = ""
		}
	}
	return reasoning, text
}

// ended adds the next characters to those that are held, and reports whether they have the
// closing tag.
func (s *thinkSplitter) ended() bool {
	tag := thinkTags[s.tag]
	from := max(0, s.held.Len()-len(tag.end))
	s.held.WriteString(s.pending)
	s.pending = ""
	held := s.held.String()
	i := strings.Index(held[from:], tag.end)
	if i < 0 {
		return false
	}
	before := strings.TrimPrefix(strings.TrimLeft(held[:from+i], " \t\r\n"), tag.open)
	s.held = strings.Builder{}
	s.held.WriteString(before)
	s.pending, s.state, s.found, s.blank = held[from+i+len(tag.end):], thinkStart, true, true
	return true
}

// opened looks for an opening tag at the start, and reports whether it is known if there
// is one.
func (s *thinkSplitter) opened() bool {
	start := strings.TrimLeft(s.pending, " \t\r\n")
	for i, tag := range thinkTags {
		if after, ok := strings.CutPrefix(start, tag.open); ok {
			s.pending, s.state, s.tag = after, thinkInside, i
			return true
		}
		if strings.HasPrefix(tag.open, start) {
			return false
		}
	}
	if s.blank { // it follows the reasoning
		s.pending = start
	}
	s.state = thinkText
	return true
}

// end returns the rest after the last piece. Reasoning that does not end is no answer;
// what may be reasoning is some if the reply was cut.
func (s *thinkSplitter) end(cut bool) (reasoning, text string) {
	rest := s.pending
	s.pending = ""
	switch {
	case s.state == thinkHeld && cut:
		return s.held.String(), ""
	case s.state == thinkHeld:
		return "", s.held.String()
	case s.state == thinkInside:
		s.found = true
		return rest, ""
	case s.blank && strings.TrimSpace(rest) == "":
		return "", ""
	}
	return "", rest
}

// partial returns the length of the start of a tag at the end of a text.
func partial(text, tag string) int {
	for n := min(len(tag)-1, len(text)); n > 0; n-- {
		if strings.HasSuffix(text, tag[:n]) {
			return n
		}
	}
	return 0
}

// splitUnopened separates reasoning without an opening tag from the text after it. The
// closing tag must be at the start of a line, or before an empty one, outside of code and
// without an opening tag before it.
func splitUnopened(content string) (reasoning, text string, tag int, ok bool) {
	for i, tag := range thinkTags {
		before, after, found := strings.Cut(content, tag.end)
		if !found || strings.Contains(before, tag.open) {
			continue
		}
		line := before[strings.LastIndexByte(before, '\n')+1:]
		alone := strings.TrimSpace(line) == "" && before != ""
		rest := strings.TrimLeft(after, " \t\r")
		last := rest == "" || strings.HasPrefix(rest, "\n\n") || strings.HasPrefix(rest, "\n\r\n")
		inCode := strings.Count(before, "```")%2 == 1 || strings.Count(line, "`")%2 == 1
		if (alone || last) && !inCode {
			return before, strings.TrimLeft(after, " \t\r\n"), i, true
		}
	}
	return "", content, 0, false
}

// tagOf returns the index of an opening tag.
func tagOf(open string) (int, bool) {
	for i, tag := range thinkTags {
		if tag.open == open {
			return i, true
		}
	}
	return 0, false
}
