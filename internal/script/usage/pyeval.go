package usage

import (
	"strings"

	"skills/internal/script/usage/pyast"
)

// ends is the value of an expression that ends the program.
type ends struct{}

// eval returns the value of an expression.
func (in *interpreter) eval(f *frame, x pyast.Expr) value {
	in.step()
	switch x := x.(type) {
	case pyast.Const:
		return x.Value
	case pyast.Name:
		return in.variable(f, string(x))
	case pyast.Format:
		return collectionsOf(in).format(f, x)
	case pyast.Sequence:
		return collectionsOf(in).literal(f, x)
	case pyast.Dict:
		return collectionsOf(in).dictionary(f, x)
	case pyast.Attr:
		return classesOf(in).attr(in.eval(f, x.X), x.Name)
	case pyast.Index:
		return collectionsOf(in).index(in.eval(f, x.X), collectionsOf(in).key(f, x.Key))
	case pyast.Call:
		return in.call(f, x)
	case pyast.Unary:
		return unary(x.Op, in.eval(f, x.X))
	case pyast.Binary:
		if x.Op == "and" || x.Op == "or" {
			return in.either(f, x)
		}
		return collectionsOf(in).binary(x.Op, in.eval(f, x.X), in.eval(f, x.Y))
	case pyast.Cond:
		if is, known := truth(in.eval(f, x.Test)); known {
			if is {
				return in.eval(f, x.Then)
			}
			return in.eval(f, x.Else)
		}
		a, b := in.perhaps(f, x.Then), in.perhaps(f, x.Else)
		if same(a, b) {
			return a
		}
	case pyast.Lambda:
		return converter{}
	case pyast.Comprehension:
		return collectionsOf(in).comprehension(f, x)
	case pyast.Walrus:
		v := in.eval(f, x.X)
		statementsOf(in).set(f.scope, x.Name, v)
		return v
	case pyast.Other:
		for _, part := range x.Parts {
			in.eval(f, part)
		}
	}
	return unknown{}
}

// perhaps evaluates an expression that may not be evaluated.
func (in *interpreter) perhaps(f *frame, x pyast.Expr) value {
	in.depth++
	in.branches++
	depth, branches := in.depth, in.branches
	v := in.eval(f, x)
	in.depth, in.branches = depth-1, branches-1
	return v
}

// either evaluates "and" and "or".
func (in *interpreter) either(f *frame, x pyast.Binary) value {
	first := in.eval(f, x.X)
	is, known := truth(first)
	switch {
	case first == (ends{}):
		return first
	case known && is == (x.Op == "or"):
		return first
	case known:
		return in.eval(f, x.Y)
	}
	second := in.perhaps(f, x.Y)
	// Where the result is known to be false, so is a condition.
	is, known = truth(second)
	isFalse := known && !is && second == false
	if isFalse && x.Op == "and" {
		return false
	}
	return unknown{}
}

func (in *interpreter) variable(f *frame, name string) value {
	if s := f.scope.find(name); s != nil {
		return s.vars[name]
	}
	switch name {
	case "__name__":
		return "__main__"
	case "__file__":
		return unknown{}
	case "__doc__":
		return in.module.vars["__doc__"]
	case "NotImplemented", "Ellipsis":
		return unknown{}
	}
	return dotted(name)
}

func (in *interpreter) contains(a, b value, want bool) value {
	if s, ok := b.(string); ok {
		part, ok := a.(string)
		if !ok {
			return unknown{}
		}
		return strings.Contains(s, part) == want
	}
	items, known := collectionsOf(in).items(b)
	in.cost(len(items), 8)
	if !known || !plain(a) {
		return unknown{}
	}
	for _, item := range items {
		if !plain(item) {
			return unknown{}
		}
	}
	return contains(items, a) == want
}
