package report

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"skills/internal/spec"
)

// FuzzFormats writes reports of arbitrary texts in every format. JSON and
// SARIF are valid, XML is well-formed, a GitHub command is one line, a row of a
// Markdown table has its four cells, and twice gives the same bytes.
func FuzzFormats(f *testing.F) {
	for _, s := range []string{"plain", "a\nb", "::error::x", "a,b:c%", "]]>", "<b>|`", "\x00\x1b[2J\u202e", "\xff\xfe", "\ufffe\uffff", "[a](b)", "\U000E0041", "\r", strings.Repeat("x", 1000)} {
		f.Add(s, "message "+s, s, "SKILL.md/"+s, 2, 3, 2, 7, uint8(6))
		f.Add("path", s, "help", s, 0, 0, 0, 0, uint8(1))
	}
	f.Add("p", "m", "h", "f", 5, 9, 5, 2, uint8(3))
	f.Add("p", "m", "h", "f", -5, 9, 1, -2, uint8(11))
	f.Add("0", "0", "0", "0", 34, 0, 0, 0, uint8(1))
	f.Fuzz(func(t *testing.T, path, message, help, file string, line, column, endLine, endColumn int, bits uint8) {
		span := spec.Span{Start: spec.Pos{Line: max(line, 0), Column: max(column, 0)}, End: spec.Pos{Line: max(endLine, 0), Column: max(endColumn, 0)}}
		d := spec.Diagnostic{Rule: "name-lowercase", Level: spec.Level(1 + bits%3), Path: file, Span: span, Message: message, Help: help}
		if bits&8 != 0 {
			d.Rule = message
		}
		if bits&4 != 0 {
			d.Fix = &spec.Fix{Description: help, Edits: []spec.Edit{{Text: message, Path: file, Span: span}}}
		}
		d.Snippet = strings.NewReplacer("\n", "", "\r", "").Replace(message)
		skills := []Skill{{Path: path, Name: message, Diagnostics: []spec.Diagnostic{d, d}}}
		opt := Options{Verbose: bits&16 != 0, Strict: bits&32 != 0, Quiet: bits&64 != 0}
		for _, format := range Formats() {
			var out, again bytes.Buffer
			if err := writeReport(format.Name, &out, skills, opt); err != nil {
				t.Fatal(err)
			}
			if err := writeReport(format.Name, &again, skills, opt); err != nil || again.String() != out.String() {
				t.Fatalf("%s: second run differs (%v)", format.Name, err)
			}
			text := out.String()
			if !utf8.ValidString(text) || strings.ContainsAny(text, "\x00\x1b\r\u202e") {
				t.Fatalf("%s: harmful characters in %q", format.Name, text)
			}
			switch format.Name {
			case "json", "sarif":
				validate(t, format.Name, out.Bytes())
			case "junit":
				wellFormed(t, text)
			case "github":
				for l := range strings.Lines(text) {
					if _, data, ok := strings.Cut(l[2:], "::"); !strings.HasPrefix(l, "::") || !ok || !strings.HasSuffix(data, "\n") {
						t.Fatalf("no command: %q", l)
					}
				}
				if n, want := strings.Count(text, "\n"), map[bool]int{true: 2}[shown(d.Level, opt)]; n != want {
					t.Fatalf("got %d commands, want %d: %q", n, want, text)
				}
			case "markdown":
				for l := range strings.Lines(text) {
					if bars := strings.Count(l, "|") - strings.Count(l, `\|`); bars != 0 && bars != 5 {
						t.Fatalf("a row with %d bars: %q", bars, l)
					}
				}
			}
		}
	})
}

func wellFormed(t *testing.T, text string) {
	t.Helper()
	dec := xml.NewDecoder(strings.NewReader(text))
	for {
		if _, err := dec.Token(); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			t.Fatalf("no XML: %v\n%s", err, text)
		}
	}
}

// TestMarkdownKeepsErrors checks that errors at the end are not cut off by warnings.
func TestMarkdownKeepsErrors(t *testing.T) {
	skills := []Skill{{Path: "a"}, {Path: "b", Diagnostics: []spec.Diagnostic{{Rule: "r", Level: spec.Error, Path: "b", Message: "the error"}}}}
	for range maxRows {
		skills[0].Diagnostics = append(skills[0].Diagnostics, spec.Diagnostic{Rule: "r", Level: spec.Warning, Path: "a"})
	}
	var out bytes.Buffer
	if err := writeReport("markdown", &out, skills, Options{}); err != nil || !strings.Contains(out.String(), "### b\n") ||
		!strings.Contains(out.String(), "| error | the error |") || !strings.Contains(out.String(), "and 1 more") {
		t.Errorf("got %v and no error in\n%s", err, out.String())
	}
}

// TestMarkdownIsBounded lists some of many findings and the number of the others.
func TestMarkdownIsBounded(t *testing.T) {
	long := strings.Repeat("&", 10_000)
	ds := make([]spec.Diagnostic, maxRows+100)
	for i := range ds {
		ds[i] = spec.Diagnostic{Rule: "link-target", Level: spec.Warning, Path: long, Message: long, Help: long}
	}
	for _, d := range [][]spec.Diagnostic{ds, {}} {
		if len(d) == 0 {
			for range maxRows + 100 {
				d = append(d, spec.Diagnostic{Rule: "r", Level: spec.Error, Path: "p", Message: "short"})
			}
		}
		var out bytes.Buffer
		if err := writeReport("markdown", &out, []Skill{{Path: "a", Diagnostics: d}, {Path: "b", Diagnostics: d}}, Options{}); err != nil {
			t.Fatal(err)
		}
		rows := strings.Count(out.String(), "| link-target |") + strings.Count(out.String(), "| r |")
		if want := 2*len(d) - rows; out.Len() > maxBytes+10_000 || rows > maxRows || !strings.Contains(out.String(), "and "+strconv.Itoa(want)+" more") {
			t.Errorf("%d bytes, %d rows; want %d to be omitted", out.Len(), rows, want)
		}
	}
}
