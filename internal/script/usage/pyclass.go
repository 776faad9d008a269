package usage

// Classes of the script with their attributes, as far as parsers are built with them:
// enumerations, data classes and plain ones.

import (
	"path"
	"slices"
	"strings"

	"skills/internal/script/usage/pyast"
)

// classes are the classes of the script with their members.
type classes struct{ *interpreter }

func classesOf(in *interpreter) classes { return classes{in} }

// attr returns an attribute of a value.
func (in classes) attr(v value, name string) value {
	switch v := v.(type) {
	case dotted:
		return v + "." + dotted(name)
	case *instance:
		if a, ok := v.attrs[name]; ok {
			return a
		}
		if a, ok := v.class.lookup(name); ok {
			if fn, ok := a.(function); ok {
				fn.self = v
				return fn
			}
			return a
		}
		return unknown{}
	case *class:
		if strings.HasSuffix(string(v.root()), "Enum") {
			return in.member(v, name)
		}
		if name == "__name__" {
			return v.name
		}
		if a, ok := v.lookup(name); ok {
			return a
		}
		return unknown{}
	case *parser:
		if v.class != nil {
			if a, ok := v.class.lookup(name); ok {
				if fn, ok := a.(function); ok {
					fn.self = v
					return fn
				}
			}
		}
		if a, ok := v.attrs[name]; ok {
			return a
		}
		return method{v, name}
	case function:
		switch name {
		case "__doc__":
			return v.def.Doc
		case "__name__":
			return v.def.Name
		}
		return method{v, name}
	case filePath:
		return pathAttr(v, name)
	case string, *sequence, *dict, *group, *subparsers, *action, *clickCommand:
		return method{v, name}
	}
	return unknown{}
}

// pathAttr returns what a path is made of.
func pathAttr(p filePath, name string) value {
	base := path.Base(string(p))
	switch name {
	case "name":
		return base
	case "parent":
		return filePath(path.Dir(string(p)))
	case "suffix":
		return path.Ext(base)
	case "stem":
		return strings.TrimSuffix(base, path.Ext(base))
	}
	return unknown{}
}

func hasDecorator(d *pyast.Def, name string) bool {
	return slices.Contains(d.Decorators, pyast.Expr(pyast.Name(name)))
}

// construct makes an object of a class of the script.
func (in classes) construct(c *class, args arguments) value {
	base := string(c.root())
	if strings.HasSuffix(base, "Enum") {
		return unknown{}
	}
	if strings.HasSuffix(base, "ArgumentParser") {
		p := argparserOf(in.interpreter).newParser(args)
		p.class = c
		for _, name := range []string{"__init__", "add_argument", "parse_args", "parse_known_args", "add_subparsers", "convert_arg_line_to_args"} {
			if _, ok := c.lookup(name); ok {
				p.partial = true
			}
		}
		return p
	}
	o := &instance{class: c, attrs: map[string]value{}}
	if init, ok := c.lookup("__init__"); ok {
		if fn, ok := init.(function); ok {
			fn.self = o
			if in.invoke(fn, args) == (ends{}) {
				return ends{}
			}
		}
		return o
	}
	in.escape(args)
	for i, s := range c.def.Body { // a dataclass
		a, ok := s.(pyast.Assign)
		if !ok || a.Annotation == nil {
			continue
		}
		if n, ok := a.Targets[0].(pyast.Name); ok {
			v, given := args.at(i, string(n))
			if !given {
				v = unknown{}
			}
			o.attrs[string(n)] = v
		}
	}
	return o
}

// members returns the members of an enumeration.
func (in classes) members(c *class) ([]value, bool) {
	in.cost(len(c.def.Body), 2)
	base := string(c.root())
	if !strings.HasSuffix(base, "Enum") {
		return nil, false
	}
	var out []value
	for _, s := range c.def.Body {
		a, ok := s.(pyast.Assign)
		name, named := any(nil), false
		if ok && len(a.Targets) == 1 && a.Value != nil {
			name, named = a.Targets[0], true
		}
		n, plain := name.(pyast.Name)
		if !named || !plain || strings.HasPrefix(string(n), "_") {
			continue
		}
		out = append(out, in.member(c, string(n)))
	}
	return out, true
}

// member returns one member of an enumeration.
func (in classes) member(c *class, name string) value {
	v, ok := c.scope.vars[name]
	if _, call := v.(unknown); !ok || call {
		return unknown{}
	}
	return &instance{class: c, attrs: map[string]value{"value": v, "name": name}}
}
