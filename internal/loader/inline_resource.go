package loader

import (
	"context"
	"encoding/json"
	"fmt"

	"skills/internal/printable"
)

// Value returns a resource that always holds the same: a string or bytes as
// they are, anything else as JSON.
func Value(name, description string, value any) Part {
	return Part{name, func() (*Resource, *Script, error) {
		data, err := encoded(value)
		if err != nil {
			return nil, nil, fmt.Errorf("resource %q: %w", name, err)
		}
		return resource(name, description, func(context.Context) ([]byte, error) { return data, nil }), nil, nil
	}}
}

// Computed returns a resource that a function computes each time it is read;
// the result becomes text as that of [Value] does.
func Computed[T any](name, description string, f func(ctx context.Context) (T, error)) Part {
	return Part{name, func() (*Resource, *Script, error) {
		if f == nil {
			return nil, nil, fmt.Errorf("resource %q has no function", name)
		}
		return resource(name, description, func(ctx context.Context) ([]byte, error) {
			value, err := f(ctx)
			if err != nil {
				return nil, err
			}
			return encoded(value)
		}), nil, nil
	}}
}

// resource cuts what read gives to what is asked for.
func resource(name, description string, read func(ctx context.Context) ([]byte, error)) *Resource {
	return &Resource{Name: name, Description: description, Read: func(ctx context.Context, offset, limit int64) ([]byte, int64, error) {
		data, err := read(ctx)
		if err != nil {
			return nil, 0, err
		}
		size := int64(len(data))
		from := min(max(offset, 0), size)
		return data[from:min(from+max(limit, 0), size)], size, nil
	}}
}

// encoded returns a value as a model is to read it.
func encoded(value any) ([]byte, error) {
	switch v := value.(type) {
	case nil:
		return nil, nil
	case string:
		return []byte(v), nil
	case []byte:
		return v, nil
	case json.RawMessage:
		return v, nil
	case struct{}:
		return nil, nil
	}
	data, err := printable.JSON(value)
	if err != nil {
		return nil, fmt.Errorf("writing it as JSON: %w", err)
	}
	return data, nil
}
