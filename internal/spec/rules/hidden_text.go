package rules

// Characters that a model reads and a person does not see. What reorders a text or spells
// another one is a warning; single zero-width characters come with copied text, and are
// advice.

import (
	"bytes"
	"html"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"skills/internal/lazyregexp"
	"skills/internal/printable"
	"skills/internal/spec"
	"skills/internal/spec/hidden"
)

var hiddenText = &spec.Rule{
	ID:     "hidden-text",
	Title:  "no invisible characters or hidden text",
	Level:  spec.Warning,
	Needs:  spec.NeedsText,
	Source: "Unicode Technical Standard 39 (security mechanisms); a model reads what its reviewers cannot see",
	Check: func(p *spec.Pass) {
		checkEscapedValues(p, p.Doc.Fields)
		checkMarkup(p, skillOf(p))
		for t := range texts(p) {
			checkHidden(p, t, hidden.Find(t.src, t.isProgram()))
			if t.isProse() {
				checkEscapeSequences(p, t)
			}
		}
	},
}

// checkEscapedValues reports quoted frontmatter values whose escapes produce
// hidden characters.
func checkEscapedValues(p *spec.Pass, fields []spec.Field) {
	for _, f := range fields {
		checkEscapedValues(p, f.Value.Fields)
		text := []byte(f.Value.Text)
		if found := hidden.Find(text, false); f.Value.Style == spec.DoubleQuoted && len(found) > 0 && !bytes.Contains(p.Doc.Source, text[found[0].Start:found[0].End]) {
			r, _ := utf8.DecodeRune(text[found[0].Start:])
			p.Report(f.Value.Span, "remove the escape: a model reads what no reader of the value sees", "an escape in the value of %s makes %s, which is invisible%s",
				printable.Quote(f.Key), printable.Rune(r), andMore(len(found), "place"))
		}
	}
}

var (
	// unseen matches an HTML element whose style hides its text.
	unseen = lazyregexp.New(`(?i)<\w+\b[^<>]*\bstyle\s*=\s*["'][^"'<>]*(?:display\s*:\s*none|visibility\s*:\s*hidden|(?:font-size|opacity)\s*:\s*0(?:px|em|rem|%)?\s*[;"'])[^<>]*>\s*([^<\s][^<]*)`)
	// entities matches ASCII characters written as numeric references.
	entities = lazyregexp.New(`(?:&#(?:x0*[2-7][0-9a-fA-F]|X0*[2-7][0-9a-fA-F]|0*(?:3[2-9]|[4-9]\d|1[01]\d|12[0-6]));\s?){4,}`)
)

// checkMarkup reports Markdown text that a model reads but that is invisible in
// the rendered page or in the source.
func checkMarkup(p *spec.Pass, s *skill) {
	for _, in := range s.linkedPages() {
		check := func(maybe bool, expr func() *regexp.Regexp, group int, help, format string) {
			if !maybe { // expr is slow
				return
			}
			for _, at := range expr().FindAllStringSubmatchIndex(in.Body, maxHidden) {
				if text := html.UnescapeString(in.Body[at[2*group]:at[2*group+1]]); !in.InCode(at[0]) && strings.ContainsFunc(text, unicode.IsLetter) {
					in.reportBody(p, at[0], at[1], help, format, printable.Quote(strings.TrimSpace(text)))
				}
			}
		}
		check(setsStyle(in.Body), unseen, 1, "show the text, or remove it: a model reads what no reader of the page sees", "the style of this element hides %s")
		check(strings.Contains(in.Body, "&#"), entities, 0, "write the letters: a model may decode what no reader of the file understands", "character references spell %s")
	}
}

// setsStyle reports whether a text may have a style attribute.
func setsStyle(body string) bool {
	for _, word := range []string{"tyle", "TYLE"} { // in any case that people write
		for at := 0; ; {
			n := strings.Index(body[at:], word)
			if n < 0 {
				break
			}
			at += n + len(word)
			if strings.HasPrefix(strings.TrimLeft(body[at:min(at+100, len(body))], " \t\r\n"), "=") {
				return true
			}
		}
	}
	return false
}

// maxHidden limits the findings of one kind in a page.
const maxHidden = 100

// checkHidden reports every hidden message. Of every other kind it reports the
// first occurrence, with their number.
func checkHidden(p *spec.Pass, t *text, found []hidden.Range) {
	var bidi, zero, runs []hidden.Range
	for _, h := range found {
		switch {
		case h.Kind == hidden.Bidi:
			bidi = append(bidi, h)
		case h.Kind == hidden.ZeroWidth:
			switch {
			case t.lineLength(h.Start) >= maxWrittenLine:
			case utf8.RuneCount(t.src[h.Start:h.End]) >= longRun:
				runs = append(runs, h)
			default:
				zero = append(zero, h)
			}
		default:
			count := utf8.RuneCount(t.src[h.Start:h.End])
			text := "; they spell nothing readable"
			if payload := h.Payload(t.src); payload != "" {
				text = ": " + printable.Quote(payload)
			}
			t.report(p, h.Start, h.End, "remove them: a model may read and follow what no reader of the file sees",
				"%s text%s", hide(count, h.Kind), text)
		}
	}
	reportFirst := func(report reporter, found []hidden.Range, help, format, what string) {
		if len(found) > 0 {
			r, _ := utf8.DecodeRune(t.src[found[0].Start:])
			report(t.path(p), t.span(found[0].Start, found[0].End), nil, help, format, printable.Rune(r), andMore(len(found), what))
		}
	}
	reportFirst(p.ReportIn, bidi, "remove it: what is shown is not what is read", "%s reorders what is shown%s", "line")
	reportFirst(p.ReportIn, runs, "remove them: such a run can spell a text that no reader of the file sees", "%s and others are an invisible run%s", "place")
	reportFirst(p.AdviseIn, zero, "remove it, or write it as an escape where a program needs it", "%s is invisible%s", "place")
}

// reporter is [spec.Pass.ReportIn] or [spec.Pass.AdviseIn].
type reporter func(path string, span spec.Span, fix *spec.Fix, help, format string, args ...any) *spec.Diagnostic

// longRun is the number of zero-width characters in a row that can encode a byte. Fewer
// come from copied text.
const longRun = 8

// checkEscapeSequences reports the first escape sequence, with their number.
func checkEscapeSequences(p *spec.Pass, t *text) {
	if found := hidden.Escapes(t.src); len(found) > 0 {
		first := found[0]
		t.report(p, first.Start, first.End, "remove it, or write it as \\x1b[…",
			"%s is an escape sequence: a terminal may show something else than a model reads%s", printable.Quote(string(t.src[first.Start:first.End])), andMore(len(found), "place"))
	}
}

// maxWrittenLine is the length in bytes of the longest line that is probably
// not generated: minified programs contain zero-width characters in regular
// expressions.
const maxWrittenLine = 5000

// andMore formats the number of further occurrences: what is a place or a line in
// a file, or a script.
func andMore(n int, what string) string {
	switch more := printable.Plural(n-1, "more "+what); {
	case n == 1:
		return ""
	case what == "script":
		return " (and " + more + ")"
	default:
		return " (and " + more + " in this file)"
	}
}

// hide describes a number of hidden tags or selectors.
func hide(count int, kind hidden.Kind) string {
	verb := " hide"
	if count == 1 {
		verb = " hides"
	}
	return printable.Plural(count, [...]string{hidden.Tags: "Unicode tag character", hidden.Selectors: "variation selector"}[kind]) + verb
}
