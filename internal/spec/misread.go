package spec

import (
	"fmt"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"
)

// misread says what some YAML parsers read in place of a plain scalar's text,
// "" where all read the text. The forms are those of the core schema of YAML
// 1.2 and of the types of YAML 1.1, which PyYAML and its kin still read.
func misread(v Value) string {
	switch v.Kind {
	case Null:
		return "nothing"
	case Bool:
		return "the boolean " + strings.ToLower(v.Text)
	case Timestamp:
		return "a date"
	case Number:
		return misreadNumber(v.Text)
	case String:
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

// misreadOld finds what only YAML 1.1 takes for something else: yes and no, and
// numbers to the base of 60.
func misreadOld(text string) string {
	switch text {
	case "yes", "Yes", "YES", "on", "On", "ON", "y", "Y":
		return "the boolean true"
	case "no", "No", "NO", "off", "Off", "OFF", "n", "N":
		return "the boolean false"
	}
	if n, ok := sexagesimal(text); ok {
		return fmt.Sprintf("the number %d", n)
	}
	return ""
}

// sexagesimal reads 1:30 as YAML 1.1 does: 90. A leading zero makes it text.
func sexagesimal(text string) (n int, ok bool) {
	parts := strings.Split(strings.TrimLeft(text, "+-"), ":")
	if len(parts) < 2 || len(parts) > 5 || len(text)-len(strings.Join(parts, ":")) > 1 || strings.HasPrefix(parts[0], "0") {
		return 0, false
	}
	for i, part := range parts {
		digits := strings.Trim(part, "0123456789") == "" && part != ""
		v, err := strconv.Atoi(part)
		if !digits || err != nil || i > 0 && (v > 59 || len(part) > 2) || i == 0 && v > 1_000_000 {
			return 0, false
		}
		n = n*60 + v
	}
	if strings.HasPrefix(text, "-") {
		n = -n
	}
	return n, true
}

// mayMisread is a cheap look at whether a text may be anything but text to a
// YAML parser: it starts like a number or is one of the few words.
func mayMisread(text string) bool {
	if text == "" || len(text) > 40 {
		return false
	}
	return strings.ContainsRune("0123456789+-.~", rune(text[0])) || len(text) <= 5 && strings.ContainsRune("tTfFnNyYoO", rune(text[0]))
}

// plainKind is what a plain scalar is to a reader of the core schema.
func plainKind(text string) Kind {
	var node yaml.Node
	if err := yaml.Load([]byte(text), &node); err != nil || len(node.Content) != 1 || node.Content[0].Kind != yaml.ScalarNode {
		return String
	}
	kind, _ := tagKind(node.Content[0].ShortTag())
	return kind
}

// tagKind is what a reader of the core schema takes a scalar with a tag for; ok
// is false where the tag is none of YAML's own.
func tagKind(tag string) (kind Kind, ok bool) {
	switch tag {
	case "!!str", "!!binary", "!!merge":
		return String, true
	case "!!null":
		return Null, true
	case "!!bool":
		return Bool, true
	case "!!int", "!!float":
		return Number, true
	case "!!timestamp":
		return Timestamp, true
	}
	return String, false
}
