package report

import (
	"bytes"
	"fmt"
	"strings"

	"skills/internal/printable"
	"skills/internal/spec"
)

// junit writes a test case for each skill, in the text format: findings that
// fail the check as a failure, other findings as output.
type junit struct {
	Options
	failed int
}

func newJUnit(opt Options) writer { return &junit{Options: opt} }

func (j *junit) frame(c Counts) (head, tail string) {
	head = fmt.Sprintf("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"skills validate\" tests=\"%d\" failures=\"%d\" errors=\"0\">\n"+
		"  <testsuite name=\"skills\" tests=\"%[1]d\" failures=\"%[2]d\" errors=\"0\" skipped=\"0\">\n", c.Skills+c.Plugins, j.failed)
	return head, "  </testsuite>\n</testsuites>\n"
}

func (j *junit) skill(w *bytes.Buffer, s Skill) {
	failures, rest := s.split(j.Options)
	fmt.Fprintf(w, "    <testcase classname=\"skills\" name=\"%s\"", XMLText(printable.Line(s.Path)))
	if len(failures)+len(rest) == 0 {
		fmt.Fprint(w, "/>\n")
		return
	}
	fmt.Fprint(w, ">\n")
	if len(failures) > 0 {
		j.failed++
		message := failures[0].Message
		if n := len(failures) - 1; n > 0 {
			message += fmt.Sprintf(" (and %d more)", n)
		}
		fmt.Fprintf(w, "      <failure type=\"%s\" message=\"%s\">%s</failure>\n", XMLText(printable.Line(failures[0].Rule)),
			XMLText(printable.Line(message)), XMLText(plain(failures, j.Options)))
	}
	if len(rest) > 0 {
		fmt.Fprintf(w, "      <system-out>%s</system-out>\n", XMLText(plain(rest, j.Options)))
	}
	fmt.Fprint(w, "    </testcase>\n")
}

// split separates the findings that fail the check from the others.
func (s Skill) split(opt Options) (failures, rest []spec.Diagnostic) {
	for _, d := range s.Diagnostics {
		if fails(d.Level, opt) {
			failures = append(failures, d)
		} else {
			rest = append(rest, d)
		}
	}
	return failures, rest
}

// plain returns findings in the text format, without styles.
func plain(ds []spec.Diagnostic, opt Options) string {
	var b strings.Builder
	opt.Colour, opt.Links = false, false
	t := newText(opt).(*text)
	for _, d := range ds {
		t.finding(&b, d)
	}
	return b.String()
}

// XMLText escapes text for an element or an attribute and removes characters
// that XML 1.0 does not allow (section 2.2, Char).
func XMLText(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case r == '\t', r == '\n':
			return r
		case r < 0x20, r == 0xFFFE, r == 0xFFFF:
			return -1
		}
		return r
	}, s)
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;").Replace(s)
}
