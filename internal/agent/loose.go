package agent

import (
	"strings"

	"github.com/tidwall/gjson"
)

// members calls each for the members of an object; other values have none.
func members(v gjson.Result, each func(name string, v gjson.Result)) {
	if v.IsObject() {
		v.ForEach(func(name, v gjson.Result) bool {
			each(name.Str, v)
			return true
		})
	}
}

// member returns a member of an object, the null of what is none.
func member(v gjson.Result, name string) gjson.Result {
	if !v.IsObject() {
		return gjson.Result{}
	}
	return v.Get(name)
}

// list returns the elements of a list, the first most of them, nil for those that
// are no objects. What comes after them is not made anything of: an element of
// two bytes would become a hundred.
func list[T any](v gjson.Result, most int, parse func(gjson.Result) T) []*T {
	if !v.IsArray() {
		return nil
	}
	var out []*T
	v.ForEach(func(_, v gjson.Result) bool {
		var element *T
		if v.IsObject() {
			parsed := parse(v)
			element = &parsed
		}
		out = append(out, element)
		return len(out) < most
	})
	return out
}

// loose is a string with its bytes as they came, also where they are no UTF-8:
// a character may be cut in two by the chunks of a stream. A list of parts is
// the text of all of them; any other value is its JSON.
func loose(v gjson.Result) string {
	switch {
	case v.Type == gjson.Null:
		return ""
	case v.Type == gjson.String:
		return unescaped(v)
	case !v.IsArray():
		return v.Raw
	}
	var b strings.Builder
	texts := true
	v.ForEach(func(_, part gjson.Result) bool {
		if texts = part.IsObject() || part.Type == gjson.Null; texts {
			b.WriteString(loose(part.Get("text")))
		}
		return texts
	})
	if !texts {
		return v.Raw
	}
	return b.String()
}
