package rules

import (
	"strconv"
	"strings"

	"skills/internal/spec"
)

// misread says what some YAML parsers read in place of a plain scalar's text,
// "" where all read the text. The forms are those of the core schema of YAML
// 1.2 and of the types of YAML 1.1, which PyYAML and its kin still read.
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

// misreadNumber shows how a number looks to who writes it out again.
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

// misreadOld finds what only YAML 1.1 takes for something else: yes and no,
// numbers to the base of 60, dates that do not exist, and two signs that it has
// a use for. At the last two PyYAML stops with an error.
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

// oldDate is the form by which YAML 1.1 knows dates, and PyYAML no other.
var oldDate = newPattern(`^[0-9]{4}-(?:[0-9]{2}-[0-9]{2}|[0-9]{1,2}-[0-9]{1,2}(?:[Tt]|[ \t]+)[0-9]{1,2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]*)?(?:[ \t]*(?:Z|[-+][0-9]{1,2}(?::[0-9]{2})?))?)$`)

// sexagesimal reads 1:30 as YAML 1.1 does: 90; and 1:30.5 as 90.5. A leading
// zero makes the first of them text.
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

// mayMisread is a cheap look at whether a text may be anything but text to a
// YAML parser: it starts like a number or is one of the few words.
func mayMisread(text string) bool {
	if text == "" || len(text) > 40 {
		return false
	}
	return strings.ContainsRune("0123456789+-.~=", rune(text[0])) || len(text) <= 5 && strings.ContainsRune("tTfFnNyYoO", rune(text[0]))
}
