package model

// Servers put what a model thought into fields of their own, and many want them back with
// the calls that followed from it, signatures and encrypted parts unchanged. Which fields
// these are is a table. All others of a server's message are dropped, because strict
// servers refuse what they do not know.

import (
	"cmp"
	"encoding/json"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"skills/internal/params"
	"skills/internal/printable"
)

// Fields are fields of an assistant message as the server sent them, by name.
type Fields map[string]RawJSON

// defaultReasoning is the field of the reasoning if a message names no other, and
// contentField that of reasoning which is a part of the content (Mistral).
const (
	defaultReasoning = "reasoning_content"
	contentField     = "content"
)

// replyFields are the fields of an assistant message that are kept and sent back, by name
// or pattern. A string in a field with text is a piece of the reasoning; of several such
// fields the first counts, because servers send the same text twice.
var replyFields = []struct {
	pattern string
	text    bool
}{
	{defaultReasoning, true},     // DeepSeek, llama.cpp, SGLang, Qwen
	{"reasoning", true},          // vLLM, Ollama, Groq, OpenRouter
	{"reasoning_text", true},     // GitHub Copilot
	{"thinking", true},           // gateways to Ollama
	{"reasoning_details", false}, // OpenRouter
	{"thinking_blocks", false},   // LiteLLM
	{"extra_content", false},     // Gemini
	{"reasoning_*", false},       // gateways
	{"thinking_*", false},
	{"thought*", false},
	{"*_signature", false},
	{"encrypted_*", false},
}

// replyField returns the index of the row for a field, or -1.
func replyField(name string) int {
	for i, row := range replyFields {
		if ok, _ := path.Match(row.pattern, name); ok {
			return i
		}
	}
	return -1
}

// addFields keeps the fields of a message or of a piece of one.
func (r *replyReader) addFields(message gjson.Result) {
	best, text, from := len(replyFields), "", ""
	candidate := func(i int, piece, name string) {
		if piece != "" && i < best {
			best, text, from = i, piece, name
		}
	}
	message.ForEach(func(key, value gjson.Result) bool {
		i := replyField(key.Str)
		switch {
		case i < 0 || value.Type == gjson.Null:
		case replyFields[i].text && value.Type == gjson.String:
			candidate(i, ValidText(value.Str), key.Str)
		default:
			if r.fields[key.Str] == nil {
				if r.fields == nil {
					r.fields = map[string]*fieldBuilder{}
				}
				r.fields[key.Str] = &fieldBuilder{}
			}
			candidate(i, r.fields[key.Str].add(value), key.Str)
		}
		return true
	})
	r.addThought(text, from)
}

// kept returns the fields of the complete message.
func (r *replyReader) kept() Fields {
	out := Fields{}
	for name, b := range r.fields {
		if raw := b.value(); raw != "" {
			out[name] = raw
		}
	}
	if len(out) == 0 {
		return nil
	}
	return out
}

// fieldBuilder collects the pieces of a field: elements of arrays are joined, of objects
// the last value of a key counts.
type fieldBuilder struct {
	size     int
	last     string // JSON of a value that is no array and no object
	object   map[string]json.RawMessage
	elements []*fieldElement
}

// fieldElement is an element of an array, such as a block of reasoning.
type fieldElement struct {
	raw    string // if it is no object
	values map[string]string
	texts  map[string]*strings.Builder
}

// pieceKeys are the keys of an element whose strings come in pieces; identityKeys tell
// elements apart.
var (
	pieceKeys    = []string{"text", "summary", "thinking"}
	identityKeys = []string{"index", "type", "id", "data", "signature"}
)

// add adds a piece, and returns the readable text in it.
func (b *fieldBuilder) add(v gjson.Result) (text string) {
	b.size += len(v.Raw)
	if b.size > params.MaxArguments {
		return ""
	}
	switch {
	case v.IsArray():
		v.ForEach(func(_, element gjson.Result) bool {
			text += b.addElement(element)
			return true
		})
	case v.IsObject():
		if b.object == nil {
			b.object = map[string]json.RawMessage{}
		}
		v.ForEach(func(key, value gjson.Result) bool {
			b.object[key.Str] = json.RawMessage(value.Raw)
			return true
		})
	default:
		b.last = v.Raw
	}
	return text
}

func (b *fieldBuilder) addElement(v gjson.Result) (text string) {
	if !v.IsObject() {
		b.elements = append(b.elements, &fieldElement{raw: v.Raw})
		return ""
	}
	var e *fieldElement
	for _, before := range slices.Backward(b.elements) {
		if before.continues(v) {
			e = before
			break
		}
		if !v.Get("index").Exists() {
			break // without an index it can only continue the last
		}
	}
	if e == nil {
		e = &fieldElement{values: map[string]string{}, texts: map[string]*strings.Builder{}}
		b.elements = append(b.elements, e)
	}
	v.ForEach(func(key, value gjson.Result) bool {
		switch {
		case slices.Contains(pieceKeys, key.Str) && value.Type == gjson.String:
			if e.texts[key.Str] == nil {
				e.texts[key.Str] = &strings.Builder{}
			}
			piece := ValidText(value.Str)
			e.texts[key.Str].WriteString(piece)
			text += piece
		case value.Type != gjson.Null || e.values[key.Str] == "":
			e.values[key.Str] = value.Raw
		}
		return true
	})
	return text
}

// continues reports whether v is a piece of the element: nothing that identifies it is
// another, and no text follows a signature.
func (e *fieldElement) continues(v gjson.Result) bool {
	if e.values == nil {
		return false
	}
	null := func(raw string) bool { return raw == "" || raw == "null" || raw == `""` }
	for _, key := range identityKeys {
		if raw := v.Get(key).Raw; !null(raw) && !null(e.values[key]) && raw != e.values[key] {
			return false
		}
	}
	indexed := v.Get("index").Exists()
	more := slices.ContainsFunc(pieceKeys, func(key string) bool { return v.Get(key).Str != "" })
	return indexed || !more || null(e.values["signature"])
}

// value returns the complete field, or "" if it is too large to be sent back.
func (b *fieldBuilder) value() RawJSON {
	var v any = json.RawMessage(b.last)
	switch {
	case b.size > params.MaxArguments:
		return ""
	case b.elements != nil:
		list := []json.RawMessage{}
		for _, e := range b.elements {
			list = append(list, e.value())
		}
		v = list
	case b.object != nil:
		v = b.object
	case b.last == "":
		return "" // an empty array
	}
	raw, err := json.Marshal(v)
	if err != nil {
		return ""
	}
	return RawJSON(raw)
}

func (e *fieldElement) value() json.RawMessage {
	if e.values == nil {
		return json.RawMessage(e.raw)
	}
	out := map[string]json.RawMessage{}
	for key, raw := range e.values {
		out[key] = json.RawMessage(raw)
	}
	for key, text := range e.texts {
		out[key] = json.RawMessage(printable.JSONText(text.String()))
	}
	raw, _ := json.Marshal(out)
	return raw
}

// sentFields returns what is sent back with an assistant message besides its content and
// calls, by name.
func (m Message) sentFields() map[string]any {
	out := map[string]any{}
	for name, raw := range m.Fields {
		out[name] = json.RawMessage(raw)
	}
	field := cmp.Or(m.ReasoningField, defaultReasoning)
	_, tagged := tagOf(field)
	switch {
	case m.Reasoning == "" || tagged || out[field] != nil:
	case out["reasoning_details"] != nil: // it has the text too
	case field == contentField:
		out[field] = []map[string]any{
			{"type": "thinking", "thinking": []map[string]any{{"type": "text", "text": ValidText(m.Reasoning)}}},
			{"type": "text", "text": ValidText(m.Text)},
		}
	default:
		out[field] = ValidText(m.Reasoning)
	}
	return out
}

// Sent returns what is sent back of an assistant message, without its calls.
func (m Message) Sent() map[string]any {
	out := map[string]any{"content": m.sentContent()}
	maps.Copy(out, m.sentFields())
	return out
}

// sentContent returns the text of an assistant message with its reasoning, if that was
// part of it.
func (m Message) sentContent() string {
	tag, ok := tagOf(m.ReasoningField)
	if !ok || m.Reasoning == "" {
		return ValidText(m.Text)
	}
	return ValidText(thinkTags[tag].open + m.Reasoning + thinkTags[tag].end + "\n\n" + m.Text)
}
