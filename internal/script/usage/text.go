package usage

import (
	"fmt"
	"strings"

	"skills/internal/printable"
)

// Bounds of the text for models.
const (
	maxLines = 40
	maxHelp  = 100 // characters of one help text
)

// Text returns a short description for a model: a usage line with the script's name, and
// a line for each parameter that has something to say.
func (u Usage) Text(name string) string {
	var b strings.Builder
	b.WriteString(u.Line(name) + "\n")
	lines := 0
	u.explain(&b, "  ", &lines)
	if lines > maxLines {
		fmt.Fprintf(&b, "  … and %d more\n", lines-maxLines)
	}
	return strings.TrimRight(b.String(), "\n")
}

// Line returns a usage line: the script's name, positionals and required options, then
// optional ones.
func (u Usage) Line(name string) string {
	if u.Synopsis != "" {
		return strings.TrimSpace(name + " " + u.Synopsis)
	}
	words := []string{name}
	var optional []string
	for _, p := range u.Options {
		switch {
		case p.Hidden:
		case p.Required:
			words = append(words, p.syntax())
		default:
			optional = append(optional, "["+p.syntax()+"]")
		}
	}
	words = append(words, optional...)
	for _, p := range u.Positionals {
		words = append(words, p.syntax())
	}
	if len(u.Commands) > 0 {
		word := "COMMAND …"
		if !u.CommandRequired {
			word = "[" + word + "]"
		}
		words = append(words, word)
	}
	if u.Partial {
		words = append(words, "…")
	}
	return printable.Truncate(strings.Join(words, " "), 600)
}

// syntax returns a parameter as in a usage line.
func (p Parameter) syntax() string {
	value := p.placeholder()
	switch {
	case p.Kind == Flag || p.Kind == Count:
		return p.Name()
	case p.Max < 0 && p.Min == 0:
		value = "[" + value + " …]"
	case p.Max < 0:
		value += " …"
	case p.Max > 1:
		value = strings.TrimSpace(strings.Repeat(value+" ", min(p.Max, 4)))
	case p.Min == 0:
		value = "[" + value + "]"
	}
	if p.Positional() {
		return value
	}
	if p.Kind == List {
		value += " …"
	}
	return p.Name() + " " + value
}

// placeholder returns a word for the value.
func (p Parameter) placeholder() string {
	var choices []string
	size := 0
	for _, c := range p.words() {
		word := fmt.Sprint(c)
		choices, size = append(choices, word), size+len(word)
	}
	switch {
	case len(choices) > 0 && size <= 60:
		return strings.Join(choices, "|")
	case p.Metavar != "":
		return p.Metavar
	case p.Positional():
		return strings.ToUpper(p.Key)
	case p.Type != String:
		return strings.ToUpper(string(p.Type))
	}
	return strings.ToUpper(strings.TrimLeft(p.Key, "-"))
}

// explain writes a line for each parameter with a help text, a default or long choices.
func (u Usage) explain(b *strings.Builder, margin string, lines *int) {
	line := func(format string, args ...any) {
		*lines++
		if *lines <= maxLines {
			b.WriteString(margin + fmt.Sprintf(format, args...) + "\n")
		}
	}
	for _, p := range u.parameters() {
		_, hasDefault := p.defaultText()
		if p.Hidden || p.Help == "" && !hasDefault {
			continue
		}
		line("%s: %s", p.Key, printable.Truncate(p.about(), maxHelp))
	}
	for _, g := range u.Exclusive {
		amount := "at most"
		if g.Required {
			amount = "exactly"
		}
		line("%s: %s one of them", strings.Join(g.Keys, ", "), amount)
	}
	for _, c := range u.Commands {
		text := c.Usage.Line(c.Name)
		if c.Help != "" {
			text += ": " + printable.Truncate(c.Help, maxHelp)
		}
		line("%s", text)
		c.Usage.explain(b, margin+"  ", lines)
	}
}
