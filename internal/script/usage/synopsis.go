package usage

// Scripts that read their arguments by hand often print a usage line: x.py INPUT [OUTPUT].
// Its words are the names of the arguments, if they agree with what the code reads.

import (
	"path"
	"slices"
	"strings"
	"unicode"

	"skills/internal/lazyregexp"
	"skills/internal/printable"
)

// maxSynopsis is how many characters of a usage line are kept.
const maxSynopsis = 300

// synopsis is a usage line.
type synopsis struct {
	text    string // behind the name of the script
	slots   []slot
	options bool // it has options, or something else than arguments
}

// slot is one argument of a usage line.
type slot struct {
	name     string // "" for a word that is no name
	optional bool
	many     bool
}

var usageStart = lazyregexp.New(`(?i)^[\s#*]*usage\b\s*:?\s*(.*)$`)

// synopses returns the usage lines in texts of a script. base is its file name.
func synopses(texts []string, base string) (out []synopsis) {
	for _, text := range texts {
		lines := strings.Split(text, "\n")
		for i, line := range lines {
			m := usageStart().FindStringSubmatch(line)
			if m == nil {
				continue
			}
			candidates := []string{m[1]}
			if strings.TrimSpace(m[1]) == "" {
				candidates = lines[i+1 : min(len(lines), i+4)]
			}
			for _, candidate := range candidates {
				rest, ok := afterName(candidate, base)
				if ok {
					out = append(out, newSynopsis(rest))
				}
			}
		}
	}
	return out
}

// afterName returns what follows the name of the script in a command line.
func afterName(line, base string) (rest string, ok bool) {
	line = strings.TrimSpace(strings.Trim(strings.TrimSpace(line), "`"))
	for at, word := range wordsAt(line) {
		plain := strings.Trim(word, `"'`+"`")
		isName := path.Base(plain) == base || plain == "$0" || plain == "{}" || strings.HasPrefix(plain, "$(basename")
		if isName {
			return strings.TrimLeft(line[at+len(word):], `) "'`), true
		}
		if strings.ContainsAny(plain, "<[") {
			return "", false
		}
	}
	return "", false
}

// wordsAt returns the words of a line with their positions.
func wordsAt(line string) func(yield func(int, string) bool) {
	return func(yield func(int, string) bool) {
		at := 0
		for _, word := range strings.Fields(line) {
			at += strings.Index(line[at:], word)
			if !yield(at, word) {
				return
			}
			at += len(word)
		}
	}
}

// newSynopsis parses what follows the name of the script.
func newSynopsis(rest string) synopsis {
	s := synopsis{text: printable.Truncate(printable.Line(strings.TrimSpace(rest)), maxSynopsis)}
	for _, word := range groups(s.text) {
		switch {
		case slices.Contains([]string{"#", "-", "–", "—", "|", "&&", ">", "||", ";"}, word):
			return s
		case word == "..." || word == "…":
			if n := len(s.slots); n > 0 {
				s.slots[n-1].many = true
			}
			continue
		}
		one := slot{}
		for strings.HasSuffix(word, "...") || strings.HasSuffix(word, "…") {
			one.many = true
			word = strings.TrimRight(word, ".…")
		}
		inner, bracketed := strings.CutPrefix(word, "[")
		if bracketed {
			one.optional = true
			inner = strings.TrimSuffix(inner, "]")
			if cut := strings.TrimSuffix(strings.TrimSuffix(inner, "..."), "…"); cut != inner {
				one.many, inner = true, strings.TrimSpace(cut)
			}
		}
		lower := strings.ToLower(strings.Trim(inner, "<>"))
		if strings.HasPrefix(lower, "-") || slices.Contains([]string{"options", "option", "flags", "args", "arguments"}, lower) || strings.Count(inner, "[")+strings.Count(inner, "<") > 1 {
			s.options = true
		}
		named := bracketed || strings.HasPrefix(inner, "<") || inner == strings.ToUpper(inner)
		if named && !strings.ContainsAny(inner, "|/") {
			one.name = slotName(inner)
		}
		s.slots = append(s.slots, one)
	}
	return s
}

// groups splits a usage line into words; brackets keep theirs together.
func groups(line string) (out []string) {
	depth, start := 0, -1
	for i, r := range line {
		switch r {
		case '<', '[':
			depth++
		case '>', ']':
			depth = max(depth-1, 0)
		case ' ', '\t':
			if depth == 0 {
				if start >= 0 {
					out = append(out, line[start:i])
				}
				start = -1
				continue
			}
		}
		if start < 0 {
			start = i
		}
	}
	if start >= 0 {
		out = append(out, line[start:])
	}
	return out
}

// slotName returns a placeholder as the key of a parameter.
func slotName(text string) string {
	name := strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return '_'
	}, strings.Trim(text, "<>[]\"'"))
	name = strings.Trim(name, "_")
	if len(name) > 40 {
		return ""
	}
	return name
}
