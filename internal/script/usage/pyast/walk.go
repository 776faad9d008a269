package pyast

import "reflect"

// maxWalk is how deep a part is inside the others.
const maxWalk = 400

// Walk calls visit for a statement, an expression or a list of them, and for each part of
// it in the order of the text. above are what contains it, the nearest last; visit must not
// keep it. Parts are left out where visit returns false, and below 400 levels.
func Walk(node any, visit func(node any, above []any) bool) {
	w := walker{visit: visit}
	w.walk(reflect.ValueOf(node))
}

// CountName returns how often a name is in a text, outside of strings and comments.
func CountName(src, word string) int {
	n := 0
	for _, t := range lex(src) {
		if t.kind == name && t.text == word {
			n++
		}
	}
	return n
}

type walker struct {
	visit func(node any, above []any) bool
	above []any
}

func (w *walker) walk(v reflect.Value) {
	for v.Kind() == reflect.Interface {
		v = v.Elem()
	}
	switch v.Kind() {
	case reflect.Slice:
		for i := range v.Len() {
			w.walk(v.Index(i))
		}
		return
	case reflect.Pointer, reflect.Struct:
	case reflect.String:
		if v.Type() != reflect.TypeFor[Name]() {
			return
		}
	default:
		return
	}
	node := v.Interface()
	if len(w.above) > maxWalk || !w.visit(node, w.above) {
		return
	}
	w.above = append(w.above, node)
	if v.Kind() == reflect.Pointer {
		v = v.Elem()
	}
	if _, isConst := node.(Const); !isConst && v.Kind() == reflect.Struct {
		for i := range v.NumField() {
			w.walk(v.Field(i))
		}
	}
	w.above = w.above[:len(w.above)-1]
}
