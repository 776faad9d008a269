package textcalls

// Whether a text that is no sequence of calls was meant as one, and, while a reply is
// streamed, whether it may still become one.

import (
	"slices"
	"strings"
)

// markers begin texts that are calls, or were meant to be.
var markers = []string{"<tool_call>", "<tool_calls>", "<function_call>", "<functioncall>", "<function_calls>", "<|python_tag|>", "<|tool_call|>", mistral, function}

const (
	incomplete = "It is not complete, or something else follows it."
	amongWords = "It stands among words."
)

// attempt returns why a text is no call, or "" if it was not meant as one.
func (p *parser) attempt(text string) string {
	if !p.mayBegin(text) && p.ends(text) {
		return amongWords
	}
	body := unfenced(text)
	for _, marker := range markers {
		if strings.HasPrefix(body, marker) {
			return incomplete
		}
	}
	if p.begins(body) || p.bareArguments(body) {
		return incomplete
	}
	return ""
}

// unfenced returns the text inside of a fence at its start.
func unfenced(text string) string {
	if !strings.HasPrefix(text, fence) {
		return text
	}
	language, body, _ := strings.Cut(text[len(fence):], "\n")
	if !slices.Contains(languages, strings.TrimSpace(language)) {
		return text
	}
	return strings.TrimSpace(body)
}

// begins reports whether a text begins with the call of a tool.
func (p *parser) begins(text string) bool {
	name, rest := leadingName(strings.TrimPrefix(text, "print("))
	if p.tools.Named(name) != nil && strings.HasPrefix(rest, "(") {
		return true
	}
	rest = strings.TrimLeft(text, "[{ \t\r\n")
	if rest == text {
		return false
	}
	key, rest, ok := parseString(rest)
	rest, colon := strings.CutPrefix(trimLeft(rest), ":")
	if !ok || !colon {
		return false
	}
	if p.tools.Named(key) != nil {
		return true
	}
	name, _, ok = parseString(trimLeft(rest))
	return ok && slices.Contains(nameFields, key) && p.tools.Named(name) != nil
}

// bareArguments reports whether a text is the arguments of a tool without its name. Only
// names that no person would choose count.
func (p *parser) bareArguments(text string) bool {
	v, _, ok := parseValue(text, 0)
	if !ok || v.kind != '{' || len(v.fields) == 0 {
		return false
	}
	for i := range p.tools {
		tool := &p.tools[i]
		fits, telling := true, false
		for _, f := range v.fields {
			fits = fits && tool.takes(f.name)
			telling = telling || strings.ToLower(f.name) != f.name
		}
		if fits && telling {
			return true
		}
	}
	return false
}

// maxCandidates is how many places of a text are looked at, from its end.
const maxCandidates = 50

// ends reports whether a text of words ends with calls of tools.
func (p *parser) ends(text string) bool {
	starts := append([]string{fence, "\n{", "\n["}, markers...)
	seen := 0
	for at := len(text) - 1; at > 0 && seen < maxCandidates; at-- {
		if !slices.ContainsFunc(starts, func(s string) bool { return strings.HasPrefix(text[at:], s) }) {
			continue
		}
		seen++
		inner := parser{tools: p.tools}
		if inner.all(text[at:], 0) && len(inner.calls) > 0 {
			return true
		}
	}
	return false
}

// Described reports whether a text has a complete fenced block that is a call of a tool, or its
// arguments: a model that writes how it would call tools, step by step, does not call them.
func Described(text string, tools Tools) bool {
	p := parser{tools: tools}
	seen := 0
	for _, rest, found := strings.Cut(text, fence); found && seen < maxCandidates && len(text) <= maxText; _, rest, found = strings.Cut(rest, fence) {
		seen++
		block, _, ends := strings.Cut(rest, fence)
		if !ends {
			return false
		}
		body := unfenced(fence + block)
		inner := parser{tools: tools}
		isCall := inner.all(body, 0) && len(inner.calls) > 0
		if isCall || p.begins(body) || p.bareArguments(body) {
			return true
		}
	}
	return false
}

// mayBegin reports whether a text may be the beginning of calls.
func (p *parser) mayBegin(text string) bool {
	text = strings.TrimLeft(text, " \t\r\n\ufeff")
	starts := func(with string) bool { return strings.HasPrefix(text, with) || strings.HasPrefix(with, text) }
	if slices.ContainsFunc(slices.Concat(markers, tokens, []string{"<tools>", "print("}), starts) {
		return true
	}
	if starts(fence) {
		language, body, complete := strings.Cut(strings.TrimLeft(text, "`"), "\n")
		known := slices.ContainsFunc(languages, func(l string) bool { return strings.HasPrefix(l, strings.TrimSpace(language)) })
		return known && (!complete || slices.Contains(languages, strings.TrimSpace(language)) && p.mayBegin(body))
	}
	switch text[0] {
	case '{':
		return p.mayBeObject(strings.TrimLeft(text, "{ \t\r\n"))
	case '[':
		return p.mayBegin(text[1:])
	}
	return p.mayBeCode(text)
}

// mayBeObject looks at the name of the first field of an object.
func (p *parser) mayBeObject(text string) bool {
	key, rest, ok := parseString(text)
	if !ok {
		return text == "" || text[0] == '"' || text[0] == '\''
	}
	if rest == "" {
		return true
	}
	known := slices.Concat(listFields, nameFields, argumentFields, otherFields)
	takes := func(t Tool) bool { return t.Name == key || t.takes(key) }
	return slices.Contains(known, key) || slices.ContainsFunc(p.tools, takes)
}

// mayBeCode looks at the name at the start of a text.
func (p *parser) mayBeCode(text string) bool {
	for _, prefix := range prefixes {
		if strings.HasPrefix(prefix, text) {
			return true
		}
		text = strings.TrimPrefix(text, prefix)
	}
	name, rest := leadingName(text)
	if rest != "" {
		_, known := p.tools.Resolve(name, "{}")
		return known && rest[0] == '('
	}
	return slices.ContainsFunc(p.tools, func(t Tool) bool {
		return strings.HasPrefix(t.Name, name) || slices.ContainsFunc(t.Aliases, func(a string) bool { return strings.HasPrefix(a, name) })
	})
}

// Stream passes on the pieces of a streamed reply, once it is clear that it is not a call.
type Stream struct {
	parser parser
	show   func(string)
	text   strings.Builder // held back
	passes bool
	shown  int // bytes that were passed on
}

// NewStream returns a stream that passes on text to show.
func NewStream(tools Tools, show func(string)) *Stream {
	return &Stream{parser: parser{tools: tools}, show: show, passes: len(tools) == 0}
}

// Write takes a piece of the reply.
func (s *Stream) Write(piece string) {
	if !s.passes {
		s.text.WriteString(piece)
		if s.text.Len() < maxText && s.parser.mayBegin(s.text.String()) {
			return
		}
		piece = s.text.String()
		s.passes = true
	}
	s.shown += len(piece)
	s.show(piece)
}

// End passes on what was held back of an answer. It does nothing for a reply that was not
// streamed.
func (s *Stream) End(text string) {
	if rest := text[min(s.shown, len(text)):]; rest != "" && s.text.Len() > 0 {
		s.show(rest)
	}
}
