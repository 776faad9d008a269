package model

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/tidwall/gjson"

	"skills/internal/params"
)

// shownArguments is how many bytes of too large arguments are kept.
const shownArguments = 200

// callBuilder is a tool call that may still grow.
type callBuilder struct {
	id, name  string
	arguments strings.Builder
	size      int // of the arguments, also of what is not kept
	extra     RawJSON
}

// setName takes a name. Most servers send it once, some with every fragment,
// and a few in pieces, which only shows where a call has an index and nothing
// of its arguments has come.
func (b *callBuilder) setName(name string, indexed bool) {
	switch {
	case b.name == "" || indexed && b.size == 0 && strings.HasPrefix(name, b.name):
		b.name = name
	case indexed && b.size == 0 && name != "" && len(b.name) < maxName:
		b.name += name
	}
}

// write adds to the arguments.
func (b *callBuilder) write(arguments string) {
	b.size += len(arguments)
	switch kept := b.arguments.Len(); {
	case b.size <= params.MaxArguments:
		b.arguments.WriteString(arguments)
	case kept < shownArguments:
		b.arguments.WriteString(arguments[:min(shownArguments-kept, len(arguments))])
	}
}

// complete reports whether the arguments are a whole JSON value. Only what ends
// like one is parsed: some servers send one character at a time.
func (b *callBuilder) complete() bool {
	text := b.arguments.String()
	return (b.size < 32 || strings.HasSuffix(text, "}")) && json.Valid([]byte(text))
}

// call returns the call; arguments that are too large are replaced by their
// beginning and a mark that [params.Object] refuses.
func (b *callBuilder) call() ToolCall {
	arguments := b.arguments.String()
	if b.size > params.MaxArguments {
		arguments = strings.Clone(wholeRunes(arguments[:min(shownArguments, len(arguments))]))
		arguments = fmt.Sprintf("%s… %d bytes%s", arguments, b.size, params.TooLarge)
	}
	return ToolCall{ID: b.id, Name: ValidText(b.name), Arguments: ValidText(arguments), Extra: b.extra}
}

// addCall adds a whole call, or puts a fragment of one where it belongs: to the
// call of its index, unless it brings a new id and a name; without an index to the call of its
// id; without both to the last call, unless that is visibly complete.
func (a *accumulator) addCall(v gjson.Result, whole bool) {
	if !v.IsObject() {
		return
	}
	id, index, function := lenientText(v.Get("id")), v.Get("index"), v.Get("function")
	if custom := v.Get("custom"); function.Get("name").String() == "" && custom.Exists() {
		function = custom
	}
	name, arguments := lenientText(function.Get("name")), lenientText(function.Get("arguments"))+lenientText(function.Get("input"))
	indexed := index.Type == gjson.Number
	var b *callBuilder
	switch {
	case whole:
	case indexed:
		if b = a.byIndex[index.Int()]; b != nil && id != "" && b.id != "" && id != b.id && name != "" {
			b = nil
		}
	default:
		b = a.unindexed(id, name, arguments)
	}
	if b == nil {
		b = &callBuilder{}
		a.calls = append(a.calls, b)
	}
	if indexed {
		a.byIndex[index.Int()] = b
	}
	if b.id == "" && id != "" {
		b.id = id
		if a.byID[id] == nil {
			a.byID[id] = b
		}
	}
	if extra := v.Get("extra_content"); extra.IsObject() && len(extra.Raw) <= params.MaxArguments {
		b.extra = RawJSON(strings.Clone(extra.Raw))
	}
	b.setName(name, indexed)
	b.write(arguments)
}

// unindexed finds the call of a fragment without an index, nil for a new one.
func (a *accumulator) unindexed(id, name, arguments string) *callBuilder {
	if id != "" {
		return a.byID[id]
	}
	if len(a.calls) == 0 {
		return nil
	}
	last := a.calls[len(a.calls)-1]
	if name == "" || last.name == "" {
		return last
	}
	if name != last.name || strings.TrimSpace(arguments) != "" && last.complete() {
		return nil
	}
	return last
}

// lenientText is the text of a value: an array of content parts is the text of
// all of them, any other value that is not a string is its JSON.
func lenientText(v gjson.Result) string {
	switch {
	case v.Type == gjson.Null:
		return ""
	case v.Type == gjson.String:
		return v.Str
	case !v.IsArray():
		return v.Raw
	}
	var b strings.Builder
	parts := true
	v.ForEach(func(_, part gjson.Result) bool {
		if parts = part.IsObject() || part.Type == gjson.Null; parts {
			b.WriteString(lenientText(part.Get("text")))
		}
		return parts
	})
	if !parts {
		return v.Raw
	}
	return b.String()
}

// wholeRunes returns text without an incomplete character at its end.
func wholeRunes(text string) string {
	for n := 1; n < utf8.UTFMax && n <= len(text); n++ {
		if last := text[len(text)-n:]; utf8.RuneStart(last[0]) {
			if !utf8.FullRuneInString(last) {
				return text[:len(text)-n]
			}
			break
		}
	}
	return text
}
