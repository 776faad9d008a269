package rules

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

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
				if p.Full() {
					return
				}
				m := &f.Value.Fields[j]
				checkQuotedKey(p, m)
				if m.Key == "internal" && m.Value.Kind == spec.Bool {
					continue // installers expect a boolean
				}
				checkQuotes(p, m, "metadata value of "+printable.Quote(m.Key))
			}
		}
	},
}

// checkQuotes reports a text field whose plain value is not text to every parser.
func checkQuotes(p *spec.Pass, f *spec.Field, what string) {
	v := f.Value
	if what == f.Key && !isSpecField(f.Key) || v.Style != spec.Plain || v.Tag != "" || v.Alias || !v.Scalar() {
		return
	}
	if (f.Key == "name" || f.Key == "description") && what == f.Key && v.Kind == spec.Null {
		return // name-required and description-required report it
	}
	switch read := misread(v); {
	case read == "":
	case v.Kind == spec.Null && v.Text == "":
		if what != f.Key { // to every client, an empty optional field is absent
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

// checkQuotedKey reports a key of metadata that is not text to every parser.
func checkQuotedKey(p *spec.Pass, f *spec.Field) {
	quoted := f.KeySpan.End.Column-f.KeySpan.Start.Column != utf8.RuneCountInString(f.Key)
	if quoted || !mayMisread(f.Key) {
		return
	}
	read := misread(spec.Value{Kind: frontmatter.PlainKind(f.Key), Text: f.Key})
	if read == "" || p.Doc.At(f.KeySpan) != f.Key {
		return
	}
	p.ReportFix(f.KeySpan,
		&spec.Fix{Description: "quote the key", Edits: []spec.Edit{p.Doc.Edit(f.KeySpan, frontmatter.Quote(f.Key))}},
		"write "+frontmatter.Quote(f.Key)+":",
		"metadata key is plain %s: some parsers read %s, others text", printable.Quoted(f.Key), read)
}

// misread returns what some YAML parsers read instead of the text of a plain scalar,
// "" if all read the text: the types of the core schema of YAML 1.2, and those of
// YAML 1.1, which PyYAML and others still use.
func misread(v spec.Value) string {
	switch v.Kind {
	case spec.Null:
		return "nothing"
	case spec.Bool:
		return "the boolean " + strings.ToLower(v.Text)
	case spec.Timestamp:
		return "a date"
	case spec.Number:
		return misreadNumber(v.Text)
	case spec.String:
		return misreadOld(v.Text)
	}
	return ""
}

// misreadNumber shows how a number is written out again.
func misreadNumber(text string) string {
	bare := strings.ReplaceAll(text, "_", "")
	if n, err := strconv.ParseInt(bare, 0, 64); err == nil {
		if again := strconv.FormatInt(n, 10); again != text {
			return "the number " + again
		}
		return "a number"
	}
	if f, err := strconv.ParseFloat(bare, 64); err == nil {
		if again := strconv.FormatFloat(f, 'g', -1, 64); again != text && len(again) < 20 {
			return "the number " + again
		}
	}
	return "a number"
}

// misreadOld recognises types of YAML 1.1 only: yes and no, numbers to the base 60,
// dates that do not exist, and two operators. PyYAML fails on the last two.
func misreadOld(text string) string {
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
	if text == "" || !strings.ContainsRune("0123456789+-", rune(text[0])) {
		return ""
	}
	if n, ok := sexagesimal(text); ok {
		return "the number " + n
	}
	if oldDate().MatchString(text) {
		return "a date, and may fail: there is none such"
	}
	return ""
}

// oldDate is the format of dates in YAML 1.1 and PyYAML.
var oldDate = compiled(`^[0-9]{4}-(?:[0-9]{2}-[0-9]{2}|[0-9]{1,2}-[0-9]{1,2}(?:[Tt]|[ \t]+)[0-9]{1,2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]*)?(?:[ \t]*(?:Z|[-+][0-9]{1,2}(?::[0-9]{2})?))?)$`)

// sexagesimal reads 1:30 as 90 and 1:30.5 as 90.5, as YAML 1.1 does. With a leading
// zero, a whole number is text.
func sexagesimal(text string) (n string, ok bool) {
	whole, part, real := strings.Cut(text, ".")
	parts := strings.Split(strings.TrimLeft(whole, "+-"), ":")
	if len(parts) < 2 || len(parts) > 5 || len(whole)-len(strings.Join(parts, ":")) > 1 || !real && strings.HasPrefix(parts[0], "0") ||
		len(part) > 12 || strings.Trim(part, "0123456789") != "" {
		return "", false
	}
	sum := 0
	for i, part := range parts {
		digits := strings.Trim(part, "0123456789") == "" && part != ""
		v, err := strconv.Atoi(part)
		if !digits || err != nil || i > 0 && (v > 59 || len(part) > 2) || i == 0 && v > 1_000_000 {
			return "", false
		}
		sum = sum*60 + v
	}
	n = strconv.Itoa(sum)
	if part = strings.TrimRight(part, "0"); part != "" {
		n += "." + part
	}
	if strings.HasPrefix(text, "-") {
		n = "-" + n
	}
	return n, true
}

// mayMisread is a quick test whether a YAML parser may read something else than text:
// it starts like a number or is one of a few words.
func mayMisread(text string) bool {
	if text == "" || len(text) > 40 {
		return false
	}
	return strings.ContainsRune("0123456789+-.~=", rune(text[0])) || len(text) <= 5 && strings.ContainsRune("tTfFnNyYoO", rune(text[0]))
}
