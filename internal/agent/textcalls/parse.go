package textcalls

// The forms of calls. A text is a sequence of them: JSON values, fences and tags around
// other forms, markup with a name in it, and calls as in Python. The parser keeps no calls
// of a text that holds anything else.

import (
	"slices"
	"strings"

	"skills/internal/printable"
)

// parser collects the calls of a text.
type parser struct {
	tools   Tools
	calls   []Call
	unknown string // a called name that is not that of a tool
}

// tags enclose calls; the end of the last one may be missing.
var tags = []string{"tool_call", "tool_calls", "tools", "function_call", "functioncall", "function_calls"}

// tokens of chat templates mean nothing here.
var tokens = []string{
	"<|im_end|>", "<|eot_id|>", "<|eom_id|>", "<|end|>", "<|python_tag|>", "<|tool_call|>", "<|/tool_call|>",
	"<end_of_turn>", "<s>", "</s>", "[/TOOL_CALLS]", mistral,
}

const (
	mistral  = "[TOOL_CALLS]"
	function = "<function="
	fence    = "```"
)

// languages of fences that can hold calls.
var languages = []string{"", "json", "jsonl", "xml", "tool", "tool_call", "tool_code", "python", "py", "text", "plaintext"}

// all reads a sequence of forms up to the end of the text.
func (p *parser) all(s string, depth int) bool {
	for {
		s = strings.TrimLeft(s, " \t\r\n\ufeff,;")
		if s == "" {
			return true
		}
		rest, ok := p.form(s, depth)
		if !ok || len(p.calls) > maxCalls {
			return false
		}
		s = rest
	}
}

const (
	maxCalls  = 128
	maxNested = 8 // of fences and tags
)

// form reads one form at the start of a text.
func (p *parser) form(s string, depth int) (rest string, ok bool) {
	if depth > maxNested {
		return s, false
	}
	for _, token := range tokens {
		if after, found := strings.CutPrefix(s, token); found {
			return p.named(after, token == mistral), true
		}
	}
	for _, tag := range tags {
		if after, found := strings.CutPrefix(s, "<"+tag+">"); found {
			body, rest, _ := strings.Cut(after, "</"+tag+">")
			return rest, p.all(body, depth+1)
		}
	}
	switch {
	case strings.HasPrefix(s, fence):
		language, body, _ := strings.Cut(s[len(fence):], "\n")
		body, rest, _ := strings.Cut(body, fence)
		return rest, slices.Contains(languages, strings.TrimSpace(language)) && p.all(body, depth+1)
	case strings.HasPrefix(s, function):
		return p.markup(s[len(function):])
	case s[0] == '{' || s[0] == '[':
		return p.value(s, depth)
	}
	return p.python(s, depth)
}

// named reads name{…} and name[ARGS]{…}, as they follow the token of Mistral's templates,
// and returns the text after them, or all of it.
func (p *parser) named(s string, follows bool) (rest string) {
	name, after := leadingName(trimLeft(s))
	after = strings.TrimPrefix(after, "[ARGS]")
	if !follows || name == "" || !strings.HasPrefix(after, "{") {
		return s
	}
	v, after, ok := parseValue(after, 0)
	if !ok || !p.call(name, v.json) {
		return s
	}
	return p.named(after, true)
}

// value reads a JSON value of calls, also in braces twice, or a list of calls as in Python.
func (p *parser) value(s string, depth int) (rest string, ok bool) {
	v, rest, ok := parseValue(s, 0)
	if ok {
		return rest, p.fromValue(v)
	}
	if strings.HasPrefix(s, "{{") {
		v, rest, ok = parseValue(s[1:], 0)
		after, closed := strings.CutPrefix(trimLeft(rest), "}")
		return after, ok && closed && p.fromValue(v)
	}
	if list, found := strings.CutPrefix(s, "["); found {
		for {
			list, ok = p.python(trimLeft(list), depth)
			if !ok {
				return s, false
			}
			list, ok = separator(list, ']')
			if !ok {
				return s, false
			}
			if after, ends := strings.CutPrefix(trimLeft(list), "]"); ends {
				return after, true
			}
		}
	}
	return s, false
}

// fromValue reads the calls of a JSON value.
func (p *parser) fromValue(v value) bool {
	if v.kind == '[' {
		return len(v.items) > 0 && !slices.ContainsFunc(v.items, func(item value) bool { return !p.fromValue(item) })
	}
	return v.kind == '{' && p.fromObject(v)
}

// The names of the fields of a call.
var (
	listFields     = []string{"tool_calls", "calls", "function_calls"}
	nameFields     = []string{"name", "tool", "tool_name", "function", "function_name", "action"}
	argumentFields = []string{"arguments", "parameters", "args", "params", "input", "tool_input", "action_input"}
	otherFields    = []string{"type", "id", "index"}
)

// fromObject reads the call, or the calls, of an object.
func (p *parser) fromObject(v value) bool {
	for _, name := range listFields {
		if list, found := v.field(name); found && len(v.fields) == 1 {
			return list.kind == '[' && p.fromValue(list)
		}
	}
	inner, found := v.field("function")
	if found && inner.kind == '{' && !hasOther(v, "function") {
		return p.fromObject(inner)
	}
	if p.byTool(v) {
		return true
	}
	nameKey := firstField(v, nameFields)
	name, _ := v.field(nameKey)
	if name.kind != '"' || name.text == "" {
		return false
	}
	argumentsKey := firstField(v, argumentFields)
	arguments, given := v.field(argumentsKey)
	if !given {
		return p.flat(v, nameKey, name.text)
	}
	arguments, isObject := objectOf(arguments)
	if !isObject || hasOther(v, nameKey, argumentsKey) || isSchema(arguments) {
		return false
	}
	return p.call(name.text, arguments.json)
}

// byTool reads {"load_skill": {…}}.
func (p *parser) byTool(v value) bool {
	for _, f := range v.fields {
		if p.tools.Named(f.name) == nil || f.value.kind != '{' {
			return false
		}
	}
	for _, f := range v.fields {
		p.call(f.name, f.value.json)
	}
	return len(v.fields) > 0
}

// flat reads {"name": "load_skill", "skillName": …}.
func (p *parser) flat(v value, nameKey, name string) bool {
	tool := p.tools.Named(name)
	if tool == nil {
		return false
	}
	var rest []field
	for _, f := range v.fields {
		switch {
		case f.name == nameKey, slices.Contains(otherFields, f.name) && !tool.takes(f.name):
		case tool.takes(f.name):
			rest = append(rest, f)
		default:
			return false
		}
	}
	return (len(rest) > 0 || len(tool.Required) == 0) && p.call(name, object(rest...))
}

// call adds a call, or remembers its unknown name.
func (p *parser) call(name, arguments string) bool {
	call, ok := p.tools.Resolve(name, arguments)
	if !ok {
		p.unknown = name
		return false
	}
	p.calls = append(p.calls, call)
	return true
}

// markup reads name>…</function>, with parameters as tags or as JSON.
func (p *parser) markup(s string) (rest string, ok bool) {
	name, body, found := strings.Cut(s, ">")
	if !found || strings.ContainsAny(name, "\n<{") {
		return s, false
	}
	body, rest, _ = strings.Cut(body, "</function>")
	body = strings.TrimSpace(body)
	if strings.HasPrefix(body, "{") {
		v, after, isValue := parseValue(body, 0)
		return rest, isValue && strings.TrimSpace(after) == "" && p.call(strings.TrimSpace(name), v.json)
	}
	var fields []field
	for body != "" {
		after, begins := strings.CutPrefix(body, "<parameter=")
		key, text, named := strings.Cut(after, ">")
		text, after, closed := strings.Cut(text, "</parameter>")
		if !begins || !named || !closed {
			return s, false
		}
		fields = append(fields, field{strings.TrimSpace(key), literal(strings.TrimSpace(text))})
		body = strings.TrimSpace(after)
	}
	return rest, p.call(strings.TrimSpace(name), object(fields...))
}

// literal returns a text as the value that it is, or else as a string.
func literal(text string) value {
	v, rest, ok := parseValue(text, 0)
	if ok && strings.TrimSpace(rest) == "" {
		return v
	}
	return quoted(text)
}

// prefixes of names in code.
var prefixes = []string{"functions.", "default_api.", "tools."}

// python reads name(…), also as print(name(…)).
func (p *parser) python(s string, depth int) (rest string, ok bool) {
	if inner, found := strings.CutPrefix(s, "print("); found && depth <= maxNested {
		rest, ok = p.python(trimLeft(inner), depth+1)
		after, closed := strings.CutPrefix(trimLeft(rest), ")")
		return after, ok && closed
	}
	for _, prefix := range prefixes {
		s = strings.TrimPrefix(s, prefix)
	}
	name, after := leadingName(s)
	after, found := strings.CutPrefix(after, "(")
	call, known := p.tools.Resolve(name, "{}")
	if !found || !known {
		return s, false
	}
	tool := p.tools.Named(call.Name)
	var fields []field
	for {
		after = trimLeft(after)
		if end, closed := strings.CutPrefix(after, ")"); closed {
			return end, p.call(name, object(fields...))
		}
		key, text := leadingName(after)
		text, isNamed := strings.CutPrefix(trimLeft(text), "=")
		if !isNamed {
			names := tool.parameters()
			if len(fields) >= len(names) {
				return s, false
			}
			key, text = names[len(fields)], after
		}
		v, more, isValue := parseValue(text, 0)
		if !isValue {
			return s, false
		}
		whole := len(v.fields) > 0 && tool.takes(v.fields[0].name)
		if whole && !isNamed && len(fields) == 0 {
			fields = v.fields
		} else {
			fields = append(fields, field{key, v})
		}
		after, ok = separator(more, ')')
		if !ok {
			return s, false
		}
	}
}

// leadingName splits off a name of letters, digits, "_" and "-".
func leadingName(s string) (name, rest string) {
	end := strings.IndexFunc(s, func(r rune) bool { return r != '-' && !isWord(r) })
	if end < 0 {
		end = len(s)
	}
	return s[:end], s[end:]
}

// objectOf returns arguments that are an object, an object in a string, or alone in an
// array.
func objectOf(v value) (value, bool) {
	switch {
	case v.kind == '[' && len(v.items) == 1:
		return v.items[0], v.items[0].kind == '{'
	case v.kind == '"':
		inner, rest, ok := parseValue(v.text, 0)
		return inner, ok && inner.kind == '{' && strings.TrimSpace(rest) == ""
	case v.json == "null":
		return value{json: "{}", kind: '{'}, true
	}
	return v, v.kind == '{'
}

// isSchema reports whether an object describes parameters, as in the definition of a
// function.
func isSchema(v value) bool {
	_, typed := v.field("type")
	properties, found := v.field("properties")
	return typed && found && properties.kind == '{'
}

func firstField(v value, names []string) string {
	for _, name := range names {
		if _, found := v.field(name); found {
			return name
		}
	}
	return ""
}

// hasOther reports whether an object has fields that no call has.
func hasOther(v value, known ...string) bool {
	return slices.ContainsFunc(v.fields, func(f field) bool {
		return !slices.Contains(known, f.name) && !slices.Contains(otherFields, f.name)
	})
}

func object(fields ...field) string {
	var b strings.Builder
	b.WriteByte('{')
	for i, f := range fields {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(printable.JSONText(f.name) + ":" + f.value.json)
	}
	b.WriteByte('}')
	return b.String()
}

func quoted(text string) value { return value{json: printable.JSONText(text), kind: '"', text: text} }

// shown quotes a name that a model made up.
func shown(name string) string {
	return printable.JSONText(printable.Line(printable.Truncate(name, 100)))
}
