package usage

// Functions of Python that a script calls while it builds its parser. One that is not known
// has an unknown result.

import (
	"path"
	"slices"
	"sort"
	"strings"
)

// harmless are functions that do not change their arguments.
var harmless = []string{"print", "isinstance", "id", "type", "repr", "hasattr", "len", "argcomplete.autocomplete", "callable", "any", "all", "max", "min", "zip", "map", "filter", "enumerate", "issubclass", "json.dumps", "os.path.join", "textwrap.dedent"}

// builtins are the functions of Python and the methods of its values.
type builtins struct{ *interpreter }

func builtinsOf(in *interpreter) builtins { return builtins{in} }

// builtin calls a function that is not in the script.
func (in builtins) builtin(name string, args arguments) value {
	if v, ok := clickerOf(in.interpreter).click(name, args); ok {
		return v
	}
	switch last := name[strings.LastIndexByte(name, '.')+1:]; {
	case slices.Contains([]string{"sys.exit", "exit", "quit", "os._exit", "SystemExit"}, name):
		return ends{}
	case last == "ArgumentParser":
		return argparserOf(in.interpreter).newParser(args)
	case last == "Path" || last == "PurePath" || last == "PosixPath":
		return newPath(args)
	case last == "run" && len(args.positional) > 0: // asyncio.run(main()), app.run(main)
		if fn, ok := args.positional[0].(function); ok {
			in.apply(fn, arguments{open: true})
			return unknown{}
		}
	}
	if v, ok := in.pure(name, args); ok {
		return v
	}
	if !slices.Contains(harmless, name) {
		in.escape(args)
	}
	return unknown{}
}

func newPath(args arguments) value {
	whole := filePath(".")
	for i, v := range args.positional {
		s, ok := printed(v)
		if !ok || args.open {
			return unknown{}
		}
		if i == 0 || strings.HasPrefix(s, "/") {
			whole = filePath(path.Clean(s))
		} else {
			whole = filePath(path.Join(string(whole), s))
		}
	}
	return whole
}

// pure calls builtin functions without effects on known values.
func (in builtins) pure(name string, args arguments) (value, bool) {
	if name == "dict" {
		return in.newDict(args), true
	}
	if len(args.positional) == 0 {
		switch name {
		case "list", "tuple", "set", "frozenset":
			return &sequence{kind: kinds[name], depth: in.depth}, true
		case "str":
			return "", true
		}
		return nil, false
	}
	first := args.positional[0]
	switch name {
	case "str":
		in.costOf(first)
		if s, ok := printed(first); ok {
			return s, true
		}
		return unknown{}, true
	case "textwrap.dedent", "inspect.cleandoc":
		if s, ok := first.(string); ok {
			return s, true
		}
		return unknown{}, true
	case "int", "float":
		switch n := first.(type) {
		case int64:
			if name == "float" {
				return float64(n), true
			}
			return n, true
		case float64:
			if name == "float" {
				return n, true
			}
		}
		return unknown{}, true
	case "len":
		if items, known := collectionsOf(in.interpreter).items(first); known {
			return int64(len(items)), true
		}
		return unknown{}, true
	case "range":
		return rangeOf(args.positional, in.depth), true
	case "list", "tuple", "set", "frozenset", "sorted", "reversed":
		return in.convert(name, first, args), true
	case "isinstance", "hasattr", "bool":
		return unknown{}, true
	}
	return nil, false
}

// newDict calls dict().
func (in builtins) newDict(args arguments) value {
	d := &dict{depth: in.depth, open: args.open}
	if len(args.positional) > 0 {
		other, ok := args.positional[0].(*dict)
		if !ok {
			return unknown{}
		}
		d.keys, d.values, d.open = slices.Clone(other.keys), slices.Clone(other.values), d.open || other.open
	}
	for _, k := range args.order {
		d.set(k, args.named[k])
	}
	return d
}

// kinds are the kinds of sequences by the function that makes them.
var kinds = map[string]byte{"list": '[', "tuple": '(', "set": '{', "frozenset": '{'}

func rangeOf(args []value, depth int) value {
	bounds := []int64{0, 0, 1}
	for i, v := range args {
		n, ok := v.(int64)
		if !ok || len(args) > 3 {
			return unknown{}
		}
		if len(args) == 1 {
			i = 1
		}
		bounds[i] = n
	}
	out := &sequence{kind: '[', depth: depth}
	if bounds[2] <= 0 || bounds[1]-bounds[0] > maxItems || bounds[1]-bounds[0] < -1<<40 {
		return unknown{}
	}
	for n := bounds[0]; n < bounds[1]; n += bounds[2] {
		out.items = append(out.items, n)
	}
	return out
}

// convert makes a list, tuple or set of the items of a value.
func (in builtins) convert(name string, from value, args arguments) value {
	items, known := collectionsOf(in.interpreter).items(from)
	if !known {
		return unknown{}
	}
	out := &sequence{kind: '[', items: slices.Clone(items), depth: in.depth}
	switch name {
	case "tuple":
		out.kind = '('
	case "set", "frozenset":
		out.kind = '{'
	case "reversed":
		slices.Reverse(out.items)
	case "sorted":
		if len(args.named) > 0 || !sortable(out.items) {
			return unknown{}
		}
		sort.SliceStable(out.items, func(i, j int) bool { return less(out.items[i], out.items[j]) })
	}
	return out
}

func sortable(items []value) bool {
	for _, v := range items {
		_, isText := v.(string)
		_, isInt := v.(int64)
		if !isText && !isInt {
			return false
		}
	}
	return true
}

func less(a, b value) bool {
	if x, ok := a.(int64); ok {
		y, _ := b.(int64)
		return x < y
	}
	x, _ := a.(string)
	y, _ := b.(string)
	return x < y
}
