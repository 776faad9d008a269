package loader

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"skills/internal/params"
	"skills/internal/printable"
)

// Value returns a resource with a fixed text.
func Value(name, description, text string) Part {
	return Part{resource: &Resource{Name: name, Description: description, Read: func(_ context.Context, offset, limit int64) ([]byte, int64, error) {
		size := int64(len(text))
		from := min(max(offset, 0), size)
		return []byte(text[from:min(from+max(limit, 0), size)]), size, nil
	}}}
}

// badPart returns a part that Inline rejects.
func badPart(format string, args ...any) Part { return Part{err: fmt.Errorf(format, args...)} }

// encoded returns a value as text for a model.
func encoded(value any) ([]byte, error) {
	switch v := value.(type) {
	case nil, struct{}:
		return nil, nil
	case string:
		return []byte(v), nil
	case []byte:
		return v, nil
	case json.RawMessage:
		return v, nil
	}
	data, err := printable.JSON(value)
	if err != nil {
		return nil, fmt.Errorf("writing it as JSON: %w", err)
	}
	return data, nil
}

// Function returns a script that is a function. The fields of the struct In are
// the script's parameters, see [params.Schema]; struct{} means none. The result
// is a string or bytes as they are, anything else as JSON.
//
// Arguments are decoded leniently; invalid ones are an error that a model can
// correct. A panic of the function is an error too.
func Function[In, Out any](name, description string, f func(ctx context.Context, in In) (Out, error)) Part {
	if f == nil {
		return badPart("script %q has no function", name)
	}
	in := reflect.TypeFor[In]()
	schema, err := params.Schema(in)
	if err != nil {
		return badPart("script %q: %w", name, err)
	}
	s := &Script{Name: name, Description: description, Schema: schema}
	s.Call = func(ctx context.Context, arguments json.RawMessage) (text string, err error) {
		var input In
		if err := decode(arguments, &input, params.Names(in)); err != nil {
			return "", err
		}
		defer func() {
			if p := recover(); p != nil {
				text, err = "", fmt.Errorf("panic: %v", p)
			}
		}()
		out, err := f(ctx, input)
		if err != nil {
			return "", err
		}
		data, err := encoded(out)
		return string(data), err
	}
	return Part{script: s}
}

// decode decodes the arguments of a function whose parameters are names.
func decode(arguments json.RawMessage, to any, names []string) error {
	text := bytes.TrimSpace(arguments)
	if len(text) == 0 || bytes.Equal(text, []byte("null")) || bytes.Equal(text, []byte("[]")) {
		text = []byte("{}") // forms in which models send no arguments
	}
	known := "it takes no parameters"
	if len(names) > 0 {
		known = "its parameters are " + strings.Join(names, ", ")
	}
	if text[0] != '{' {
		return fmt.Errorf("the script takes its arguments as a JSON object of named values, got %s; %s", params.Kind(text), known)
	}
	if err := params.DecodeAll(text, to); err != nil {
		return errors.New(err.Error() + "; " + known)
	}
	return nil
}
