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
)

// Function returns a script that is a function. In is a struct whose fields are
// the script's parameters, see [params.Schema]; struct{} stands for none. What
// the function returns becomes text as the value of a resource does.
//
// Arguments are decoded leniently; what is wrong with them is an error that a
// model can mend by. A panic of the function is an error too.
func Function[In, Out any](name, description string, f func(ctx context.Context, in In) (Out, error)) Part {
	return Part{name, func() (*Resource, *Script, error) { return function(name, description, reflect.ValueOf(f)) }}
}

// function makes a script of any func(context.Context, In) (Out, error).
func function(name, description string, f reflect.Value) (*Resource, *Script, error) {
	s := &Script{Name: name, Description: description}
	t := f.Type()
	if t.Kind() != reflect.Func || t.NumIn() != 2 || t.In(0) != contextType || t.NumOut() != 2 || t.Out(1) != errorType || t.IsVariadic() {
		return nil, s, fmt.Errorf("script %q is of type %s, not func(context.Context, In) (Out, error)", name, t)
	}
	if f.IsNil() {
		return nil, s, fmt.Errorf("script %q has no function", name)
	}
	in := t.In(1)
	var err error
	if s.Schema, err = params.Schema(in); err != nil {
		return nil, s, fmt.Errorf("script %q: %w", name, err)
	}
	s.Call = func(ctx context.Context, arguments json.RawMessage) (text string, err error) {
		input := reflect.New(in)
		if err := read(arguments, input.Interface(), params.Names(in)); err != nil {
			return "", err
		}
		defer func() {
			if p := recover(); p != nil {
				text, err = "", fmt.Errorf("panic: %v", p)
			}
		}()
		out := f.Call([]reflect.Value{reflect.ValueOf(&ctx).Elem(), input.Elem()})
		if err, _ := out[1].Interface().(error); err != nil {
			return "", err
		}
		data, err := encoded(out[0].Interface())
		return string(data), err
	}
	return nil, s, nil
}

var (
	contextType = reflect.TypeFor[context.Context]()
	errorType   = reflect.TypeFor[error]()
)

// read decodes the arguments of a function. names are its parameters.
func read(arguments json.RawMessage, to any, names []string) error {
	text := bytes.TrimSpace(arguments)
	if len(text) == 0 || bytes.Equal(text, []byte("null")) || bytes.Equal(text, []byte("[]")) {
		text = []byte("{}") // the ways to send none
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
