package params

// Models write arguments that are almost right: a number as text, a name in another style,
// JSON inside a string. What is certainly meant is accepted. What is not gets an error
// that a model can act on: the parameter, what it must be, and what it is.

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"skills/internal/printable"
	"skills/internal/suggest"
)

// wrongType returns the error for a value of the wrong type; path is for
// example items[0].id, or "" for the whole value.
func wrongType(path, want string, got json.RawMessage) error {
	return fmt.Errorf("parameter %q must be %s, got %s", cmp.Or(path, "arguments"), want, Kind(got))
}

var rawMessage = reflect.TypeFor[json.RawMessage]()

// Decode decodes a JSON value written by a model into v, a pointer. It is
// lenient: names match ignoring case, "_" and "-", an integer may be a string
// ("1") or have a zero fraction (1.0), and null leaves the target unchanged.
// The error names the parameter, the actual and the expected value.
func Decode(raw json.RawMessage, v any) error {
	return decoder{}.decode(raw, reflect.ValueOf(v).Elem(), "")
}

// DecodeAll is like [Decode] for a struct with a [Schema], and requires the
// required parameters.
func DecodeAll(raw json.RawMessage, v any) error {
	return decoder{strict: true}.decode(raw, reflect.ValueOf(v).Elem(), "")
}

// Guessed reports whether [Decode] accepts an object for a struct type only because its
// meaning is certain: a name is one of a field's tag `guess:"…"`, or a number is a string.
func Guessed(raw json.RawMessage, t reflect.Type) bool {
	members, _ := membersOf(raw)
	list := fields(t)
	return slices.ContainsFunc(members, func(m member) bool {
		p, ok := find(list, m.name)
		if !ok {
			return false
		}
		number := slices.Contains([]reflect.Kind{reflect.Int, reflect.Int64, reflect.Float64}, p.field.Type.Kind())
		return is(p.guesses, m.name) || number && strings.HasPrefix(strings.TrimSpace(string(m.value)), `"`)
	})
}

// decoder decodes values; if strict, it checks them against the schema.
type decoder struct{ strict bool }

// decode decodes JSON into v, which is settable; path is its name in errors.
func (d decoder) decode(raw json.RawMessage, v reflect.Value, path string) error {
	if v.Type() == rawMessage {
		v.SetBytes(append(json.RawMessage(nil), raw...))
		return nil
	}
	if isNull(raw) {
		return nil
	}
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		return d.decode(raw, v.Elem(), path)
	case reflect.Struct:
		return d.decodeStruct(raw, v, path)
	case reflect.Slice:
		return d.decodeSlice(raw, v, path)
	case reflect.Map:
		return d.decodeMap(raw, v, path)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		n, ok := integer(raw)
		if !ok || v.OverflowInt(n) {
			return wrongType(path, "an integer", raw)
		}
		v.SetInt(n)
		return nil
	case reflect.Float32, reflect.Float64:
		f, ok := number(raw)
		if !ok || v.OverflowFloat(f) {
			return wrongType(path, "a number", raw)
		}
		v.SetFloat(f)
		return nil
	}
	if json.Unmarshal(raw, v.Addr().Interface()) != nil {
		want := map[reflect.Kind]string{reflect.String: "a string", reflect.Bool: "true or false"}[v.Kind()]
		return wrongType(path, cmp.Or(want, "a value of another type"), raw)
	}
	return nil
}

func (d decoder) decodeSlice(raw json.RawMessage, v reflect.Value, path string) error {
	var items []json.RawMessage
	if json.Unmarshal(raw, &items) != nil {
		return wrongType(path, "an array", raw)
	}
	out := reflect.MakeSlice(v.Type(), len(items), len(items))
	for i, item := range items {
		if err := d.decode(item, out.Index(i), fmt.Sprintf("%s[%d]", path, i)); err != nil {
			return err
		}
	}
	v.Set(out)
	return nil
}

func (d decoder) decodeMap(raw json.RawMessage, v reflect.Value, path string) error {
	members, ok := membersOf(raw)
	if !ok || v.Type().Key().Kind() != reflect.String {
		return wrongType(path, "an object", raw)
	}
	out := reflect.MakeMapWithSize(v.Type(), len(members))
	for _, m := range members {
		item := reflect.New(v.Type().Elem()).Elem()
		if err := d.decode(m.value, item, join(path, m.name)); err != nil {
			return err
		}
		out.SetMapIndex(reflect.ValueOf(m.name).Convert(v.Type().Key()), item)
	}
	v.Set(out)
	return nil
}

func (d decoder) decodeStruct(raw json.RawMessage, v reflect.Value, path string) error {
	members, ok := membersOf(raw)
	if !ok {
		return wrongType(path, "an object", raw)
	}
	list := fields(v.Type())
	given := map[string]member{} // by parameter
	for _, m := range members {
		p, ok := find(list, m.name)
		if !ok {
			return unknownParameter(path, m.name, Names(v.Type()))
		}
		if first, twice := given[p.name]; twice && first.name != m.name {
			return fmt.Errorf("parameter %q is given twice, as %q and as %q", join(path, p.name), first.name, m.name)
		}
		given[p.name] = m
		if err := d.decode(m.value, v.FieldByIndex(p.field.Index), join(path, p.name)); err != nil {
			return err
		}
	}
	for _, p := range list {
		value := given[p.name].value
		isMissing := value == nil || isNull(value)
		if d.strict && p.required && isMissing {
			return fmt.Errorf("parameter %q is missing", join(path, p.name))
		}
	}
	return nil
}

func isNull(raw json.RawMessage) bool { return strings.TrimSpace(string(raw)) == "null" }

func unknownParameter(path, name string, names []string) error {
	text := fmt.Sprintf("unknown parameter %q", join(path, name))
	if meant := suggest.Nearest(name, names); meant != "" {
		text += fmt.Sprintf(" (did you mean %q?)", meant)
	}
	if path != "" && len(names) > 0 {
		text += "; expected one of: " + strings.Join(names, ", ")
	}
	return errors.New(text)
}

type member struct {
	name  string
	value json.RawMessage
}

// membersOf returns the members of a JSON object in order.
func membersOf(raw json.RawMessage) (list []member, ok bool) {
	d := json.NewDecoder(bytes.NewReader(raw))
	if open, _ := d.Token(); open != json.Delim('{') {
		return nil, false
	}
	for d.More() {
		var m member
		name, err := d.Token()
		if err != nil {
			return nil, false
		}
		if err := d.Decode(&m.value); err != nil {
			return nil, false
		}
		m.name = fmt.Sprint(name)
		list = append(list, m)
	}
	return list, true
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

// integer parses a whole number, also from a string or with a zero fraction.
func integer(raw json.RawMessage) (int64, bool) {
	text := scalarText(raw)
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return n, true
	}
	f, err := strconv.ParseFloat(text, 64)
	// Beyond 2^53 a float may differ from the number in the text.
	if err != nil || f != math.Trunc(f) || math.Abs(f) > 1<<53 {
		return 0, false
	}
	return int64(f), true
}

// number parses a number, also from a string.
func number(raw json.RawMessage) (float64, bool) {
	var f *float64
	err := json.Unmarshal([]byte(scalarText(raw)), &f)
	if err != nil || f == nil {
		return 0, false
	}
	return *f, true
}

// scalarText returns the text of a string, or the JSON of another value.
func scalarText(raw json.RawMessage) string {
	text := string(raw)
	_ = json.Unmarshal(raw, &text) // other values stay unchanged
	return strings.TrimSpace(text)
}

// maxExcerpt is how many characters of a value are shown in an error.
const maxExcerpt = 60

// Kind returns the schema type of a JSON value, with the value if that is
// short.
func Kind(raw json.RawMessage) string {
	text := strings.TrimSpace(string(raw))
	short := printable.Truncate(text, maxExcerpt)
	switch text[0] {
	case '{':
		return "an object"
	case '[':
		return "an array"
	case 'n':
		return "null"
	case '"':
		return "the string " + short
	case 't', 'f':
		return "the boolean " + short
	}
	return "the number " + short
}
