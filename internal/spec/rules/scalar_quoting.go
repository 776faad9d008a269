package rules

import (
	"fmt"
	"strconv"
	"strings"

	"skills/internal/lazyregexp"
	"skills/internal/printable"
	"skills/internal/spec"
	"skills/internal/spec/frontmatter"
)

var scalarQuoting = &spec.Rule{
	ID:     "scalar-quoting",
	Title:  "text that YAML reads as another type is quoted",
	Level:  spec.Warning,
	Source: `specification, "Frontmatter": the fields are strings; YAML 1.1 and 1.2 read plain numbers, dates and words such as true as something else`,
	Fix:    "quotes the value",
	Check: func(p *spec.Pass) {
		for i := range p.Doc.Fields {
			f := &p.Doc.Fields[i]
			if f.Key != "metadata" {
				checkQuotes(p, f, f.Key)
				continue
			}
			if v := f.Value; v.Kind == spec.Null && v.Tag == "" && !v.Alias {
				p.Report(f.Place(), "write the keys below it, indented, or delete the line",
					"metadata is empty: some validators read null, which is not a mapping, and refuse it")
			}
			for j := range f.Value.Fields {
				m := &f.Value.Fields[j]
				if m.Key == "internal" && m.Value.Kind == spec.Bool {
					continue // installers expect a boolean
				}
				checkQuotes(p, m, "metadata value of "+printable.Quote(m.Key))
			}
		}
	},
}

// checkQuotes reports a text field with a plain value that some parsers do not
// read as text.
func checkQuotes(p *spec.Pass, f *spec.Field, what string) {
	v := f.Value
	isTop := what == f.Key // not inside metadata
	isRequired := isTop && (f.Key == "name" || f.Key == "description")
	switch {
	case isTop && !isSpecField(f.Key):
		return
	case v.Style != spec.Plain, v.Tag != "", v.Alias, !v.Scalar():
		return
	case isRequired && v.Kind == spec.Null:
		return // name-required and description-required report it
	}
	switch read := ambiguousScalar(v); {
	case read == "":
	case v.Kind == spec.Null && v.Text == "":
		if !isTop { // every client treats an empty optional field as absent
			p.Report(f.KeySpan, fmt.Sprintf(`write %s: "" or delete the line`, printable.Quoted(f.Key)),
				"%s is empty: some parsers read null, which is not text", what)
		}
	case v.Kind == spec.Null:
		p.Report(v.Span, fmt.Sprintf("delete the line, or write %s: %s if that is the text", printable.Quoted(f.Key), frontmatter.Quote(v.Text)),
			"%s is plain %s: some parsers read %s, others text", what, printable.Quoted(v.Text), read)
	default:
		p.ReportFix(v.Span, p.Doc.Requote(v, v.Text, "quote the value"),
			fmt.Sprintf("write %s: %s", printable.Quoted(f.Key), shorten(frontmatter.Quote(v.Text))),
			"%s is plain %s: some parsers read %s, others text", what, printable.Quoted(v.Text), read)
	}
}

// ambiguousScalar returns how some YAML parsers read a plain scalar other than
// as its text, or "". The forms are those of the YAML 1.2 core schema and of
// the YAML 1.1 types, which PyYAML still supports.
func ambiguousScalar(v spec.Value) string {
	switch v.Kind {
	case spec.Null:
		return "nothing"
	case spec.Bool:
		return "the boolean " + strings.ToLower(v.Text)
	case spec.Timestamp:
		return "a date"
	case spec.Number:
		return readNumber(v.Text)
	case spec.String:
		return oldScalar(v.Text)
	}
	return ""
}

// readNumber returns a number as a parser would print it.
func readNumber(text string) string {
	bare, again := strings.ReplaceAll(text, "_", ""), ""
	if n, err := strconv.ParseInt(bare, 0, 64); err == nil {
		again = strconv.FormatInt(n, 10)
	} else if f, err := strconv.ParseFloat(bare, 64); err == nil {
		again = strconv.FormatFloat(f, 'g', -1, 64)
	}
	if again == "" || again == text || len(again) >= 20 {
		return "a number"
	}
	return "the number " + again
}

// oldScalar returns what only YAML 1.1 does not read as text: yes and no,
// sexagesimal numbers, invalid dates, and two characters with a special
// meaning, for which PyYAML fails.
func oldScalar(text string) string {
	switch text {
	case "yes", "Yes", "YES", "on", "On", "ON", "y", "Y":
		return "the boolean true"
	case "no", "No", "NO", "off", "Off", "OFF", "n", "N":
		return "the boolean false"
	case "=":
		return "the sign of a default value, and fail"
	case "<<":
		return "the sign of a merge, and fail"
	}
	switch {
	case text == "" || !strings.ContainsRune("0123456789+-", rune(text[0])):
		return ""
	case base60().MatchString(text):
		return "a number in base 60"
	case oldDate().MatchString(text):
		return "a date that does not exist, and may fail"
	}
	return ""
}

// base60 and oldDate match the YAML 1.1 numbers such as 1:30, which is 90, and
// dates, as PyYAML reads them.
var (
	base60  = lazyregexp.New(`^[-+]?(?:[1-9][0-9]*(?::[0-5]?[0-9])+|[0-9]+(?::[0-5]?[0-9])+\.[0-9]*)$`)
	oldDate = lazyregexp.New(`^[0-9]{4}-(?:[0-9]{2}-[0-9]{2}|[0-9]{1,2}-[0-9]{1,2}(?:[Tt]|[ \t]+)[0-9]{1,2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]*)?(?:[ \t]*(?:Z|[-+][0-9]{1,2}(?::[0-9]{2})?))?)$`)
)
