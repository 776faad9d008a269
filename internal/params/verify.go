package params

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// DecodeAll is [Decode] for a struct whose [Schema] the model was given: what
// is required has to be there, and a value with an enum to be one of it, in any
// case of its letters.
func DecodeAll(raw json.RawMessage, v any) error {
	if err := Decode(raw, v); err != nil {
		return err
	}
	return verify(raw, reflect.ValueOf(v).Elem(), "")
}

// verify holds a decoded value against what its type demands.
func verify(raw json.RawMessage, v reflect.Value, path string) error {
	if t := v.Type(); t == rawMessage || t == timeType || strings.TrimSpace(string(raw)) == "null" {
		return nil
	}
	switch v.Kind() {
	case reflect.Pointer:
		return verify(raw, v.Elem(), path)
	case reflect.Struct:
		return verifyStruct(raw, v, path)
	case reflect.Slice:
		var items []json.RawMessage
		if json.Unmarshal(raw, &items) != nil {
			return nil // decoding has said so
		}
		for i, item := range items {
			if err := verify(item, v.Index(i), fmt.Sprintf("%s[%d]", path, i)); err != nil {
				return err
			}
		}
	case reflect.Map:
		members, _ := membersOf(raw)
		for _, m := range members {
			key := reflect.ValueOf(m.name).Convert(v.Type().Key())
			item := reflect.New(v.Type().Elem()).Elem()
			item.Set(v.MapIndex(key))
			if err := verify(m.value, item, join(path, m.name)); err != nil {
				return err
			}
			v.SetMapIndex(key, item)
		}
	}
	return nil
}

func verifyStruct(raw json.RawMessage, v reflect.Value, path string) error {
	members, err := membersOf(raw)
	if err != nil {
		return nil // decoding has said so
	}
	list := fields(v.Type())
	given := map[int]json.RawMessage{}
	for _, m := range members {
		if p, ok := find(list, m.name); ok && strings.TrimSpace(string(m.value)) != "null" {
			given[p.index] = m.value
		}
	}
	for _, p := range list {
		field, at := v.Type().Field(p.index), join(path, p.name)
		value, ok := given[p.index]
		if !ok {
			if isRequired(field) {
				return fmt.Errorf("parameter %q is missing", at)
			}
			continue
		}
		if err := verify(value, v.Field(p.index), at); err != nil {
			return err
		}
		if err := oneOf(enumOf(field), v.Field(p.index), at, value); err != nil {
			return err
		}
	}
	return nil
}

// oneOf holds a text against the values it may have, and writes it as the one
// it means.
func oneOf(values []string, v reflect.Value, path string, raw json.RawMessage) error {
	if values == nil {
		return nil
	}
	if v.Kind() == reflect.Pointer {
		v = v.Elem()
	}
	text := strings.TrimSpace(v.String())
	i := slices.Index(values, text)
	if i < 0 {
		i = slices.IndexFunc(values, func(s string) bool { return strings.EqualFold(s, text) })
	}
	if i < 0 {
		return &typeError{path, "one of " + strings.Join(values, ", "), raw}
	}
	v.SetString(values[i])
	return nil
}
