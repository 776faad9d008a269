package usage

import (
	"strings"

	"skills/internal/script/usage/pyast"
)

// define makes a function. Decorators do not change it.
func (in statements) define(f *frame, d *pyast.Def) {
	fn := function{def: d, scope: f.scope}
	clickerOf(in.interpreter).decorate(f, fn)
	in.set(f.scope, d.Name, fn)
}

// class runs the body of a class in a scope of its own.
func (in statements) class(f *frame, s pyast.Class) value {
	c := &class{name: s.Name, scope: newScope(f.scope), def: s}
	c.scope.class = true
	for _, b := range s.Bases {
		switch base := in.eval(f, b.Value).(type) {
		case dotted:
			if c.base == "" || strings.HasSuffix(string(base), "Enum") { // class Kind(str, Enum)
				c.base = base
			}
		case *class:
			if c.outer == nil {
				c.outer = base
			}
		}
	}
	in.block(&frame{scope: c.scope}, s.Body)
	return c
}

// set assigns a variable of this scope, or of the module if it is declared global.
func (in statements) set(s *scope, name string, v value) {
	if s.globals[name] {
		s = in.module
		if in.depth > 0 && !same(s.vars[name], v) {
			if _, exists := s.vars[name]; exists {
				v = unknown{}
			}
		}
	}
	s.vars[name] = v
}

func (in statements) assignment(f *frame, s pyast.Assign) flow {
	if s.Value == nil {
		return onward
	}
	v := in.eval(f, s.Value)
	if v == (ends{}) {
		return stopped
	}
	if s.Op != "=" {
		old := in.eval(f, s.Targets[0])
		if list, ok := old.(*sequence); ok && list.kind == '[' { // changes the list itself
			builtinsOf(in.interpreter).extend(list, v)
			return onward
		}
		v = collectionsOf(in.interpreter).binary(s.Op, old, v)
	}
	for _, target := range s.Targets {
		in.assign(f, target, v)
	}
	return onward
}

// assign assigns a value to a target: a variable, an attribute, an item, or several.
func (in statements) assign(f *frame, target pyast.Expr, v value) {
	switch t := target.(type) {
	case pyast.Name:
		in.set(f.scope, string(t), v)
	case pyast.Attr:
		in.setAttr(in.eval(f, t.X), t.Name, v)
	case pyast.Index:
		switch object := in.eval(f, t.X).(type) {
		case *dict:
			key := in.eval(f, t.Key)
			if key == (unknown{}) || in.depth > object.depth || len(object.keys) > maxItems {
				object.open = true
				return
			}
			in.cost(len(object.keys), 8)
			object.set(key, v)
		case *sequence:
			object.open = true
		}
	case pyast.Sequence:
		items, known := collectionsOf(in.interpreter).items(v)
		for i, part := range t.Items {
			if known && len(items) == len(t.Items) {
				in.assign(f, part, items[i])
			} else {
				in.assign(f, part, unknown{})
			}
		}
	case pyast.Star:
		in.assign(f, t.X, unknown{})
	}
}

func (in statements) setAttr(object value, name string, v value) {
	switch o := object.(type) {
	case *instance:
		if old, exists := o.attrs[name]; exists && in.depth > 0 && !same(old, v) {
			v = unknown{}
		}
		o.attrs[name] = v
	case *parser:
		o.setAttr(in.interpreter, name, v)
	case *action:
		o.setAttr(in.interpreter, name, v)
	case *subparsers:
		if name == "required" {
			is, known := truth(v)
			o.required = is && known
		}
		if text, ok := v.(string); ok && name == "dest" {
			o.dest = text
		}
	}
}
