package usage

// The values of the interpreter. Whatever is not one of them is unknown, and stays so in
// everything made of it.

import (
	"slices"

	"skills/internal/script/usage/pyast"
)

// value is a value of the interpreter: nil for None, bool, int64, float64, string, or one
// of the types below.
type value any

type (
	// unknown is a value that the text does not decide.
	unknown struct{}
	// dotted is a module or a member of one, such as argparse.ArgumentParser, or a
	// builtin function.
	dotted string
	// filePath is a pathlib path.
	filePath string
	// converter is a lambda.
	converter struct{}
)

// sequence is a list, a tuple or a set.
type sequence struct {
	kind  byte
	items []value
	open  bool // further or other items are possible
	depth int  // how uncertain the statements were when it was made
}

// dict is a dictionary in the order of its text.
type dict struct {
	keys, values []value
	open         bool
	depth        int
}

func (d *dict) get(key value) (value, bool) {
	if i := slices.IndexFunc(d.keys, func(k value) bool { return same(k, key) }); i >= 0 {
		return d.values[i], true
	}
	return nil, false
}

func (d *dict) set(key, v value) {
	if i := slices.IndexFunc(d.keys, func(k value) bool { return same(k, key) }); i >= 0 {
		d.values[i] = v
		return
	}
	d.keys, d.values = append(d.keys, key), append(d.values, v)
}

// function is a function of the script, with the object it is a method of.
type function struct {
	def   *pyast.Def
	scope *scope
	self  value
}

// class is a class of the script.
type class struct {
	name  string
	base  dotted // its first base class that is not in the script
	outer *class // its first base class in the script
	scope *scope
	def   pyast.Class
}

// lookup finds a member in a class or its base class.
func (c *class) lookup(name string) (value, bool) {
	for ; c != nil; c = c.outer {
		if v, ok := c.scope.vars[name]; ok {
			return v, true
		}
	}
	return nil, false
}

// root returns the base class that is not in the script.
func (c *class) root() dotted {
	for ; c != nil; c = c.outer {
		if c.base != "" {
			return c.base
		}
	}
	return ""
}

// instance is an object of a class of the script.
type instance struct {
	class *class
	attrs map[string]value
}

// method is a method of a value that is not of the script: "x".upper.
type method struct {
	self value
	name string
}

// scope holds the variables of a function or module.
type scope struct {
	vars    map[string]value
	globals map[string]bool
	class   bool // of a class, not visible in its methods
	parent  *scope
}

func newScope(parent *scope) *scope { return &scope{vars: map[string]value{}, parent: parent} }

// find returns the scope that has a variable.
func (s *scope) find(name string) *scope {
	for ; s != nil; s = s.parent {
		if _, ok := s.vars[name]; ok {
			return s
		}
	}
	return nil
}

// maxCompared is how many values are looked at to compare or to show one: lists can
// contain each other.
const maxCompared = 500

// same reports whether two values are known and equal.
func same(a, b value) bool {
	left := maxCompared
	return sameWithin(a, b, &left)
}

// sameWithin is [same] with a limit of comparisons.
func sameWithin(a, b value, left *int) bool {
	*left--
	if *left < 0 {
		return false
	}
	equal := func(a, b value) bool { return sameWithin(a, b, left) }
	switch x := a.(type) {
	case unknown, method:
		return false
	case *sequence:
		y, ok := b.(*sequence)
		return ok && (x == y || !x.open && !y.open && x.kind == y.kind && slices.EqualFunc(x.items, y.items, equal))
	case *dict:
		y, ok := b.(*dict)
		return ok && (x == y || !x.open && !y.open && slices.EqualFunc(x.keys, y.keys, equal) && slices.EqualFunc(x.values, y.values, equal))
	case int64:
		if y, ok := b.(float64); ok {
			return float64(x) == y
		}
	case function:
		y, ok := b.(function)
		return ok && x.def == y.def
	}
	return a == b
}

// truth returns whether a value is true in a condition.
func truth(v value) (is, known bool) {
	switch v := v.(type) {
	case nil:
		return false, true
	case bool:
		return v, true
	case int64:
		return v != 0, true
	case float64:
		return v != 0, true
	case string:
		return v != "", true
	case *sequence:
		return len(v.items) > 0, len(v.items) > 0 || !v.open
	case *dict:
		return len(v.keys) > 0, len(v.keys) > 0 || !v.open
	case function, *class, *parser, *group, *action, *subparsers, filePath:
		return true, true
	}
	return false, false
}
