package transcript

import "strings"

// link shows where it leads: nothing of it is taken away.
func (s *styler) link(text string, st style, end bool) (int, verdict, string) {
	stop := min(len(text), maxSpan)
	title := strings.IndexAny(text[1:stop], "[]") + 1
	switch {
	case title == 0:
		return 1, undecided(text, end), ""
	case text[title] == '[' || title == 1:
		return 1, literal, ""
	case title+2 > stop:
		return 1, undecided(text, end), ""
	case text[title+1] != '(':
		return 1, literal, ""
	}
	to := strings.IndexAny(text[title+2:stop], ") \t(<") + title + 2
	switch {
	case to == title+1:
		return 1, undecided(text, end), ""
	case text[to] != ')':
		return 1, literal, ""
	}
	return to + 1, span, s.put(st+faint, "[") + s.put(st+underline, text[1:title]) + s.put(st+faint, text[title:to+1])
}

// undecided is wait while enough may still come.
func undecided(text string, end bool) verdict {
	if end || len(text) >= maxSpan {
		return literal
	}
	return wait
}

// address finds the beginning of one: the marks in it are part of it.
func (s *styler) address(text string, end bool) (int, verdict, string) {
	if isWord(s.before) {
		return 1, literal, ""
	}
	for _, scheme := range []string{"http://", "https://"} {
		switch {
		case strings.HasPrefix(text, scheme):
			s.url = true
			return 1, literal, ""
		case strings.HasPrefix(scheme, text) && !end:
			return 0, wait, ""
		}
	}
	return 1, literal, ""
}
