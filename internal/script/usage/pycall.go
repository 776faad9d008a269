package usage

// Calls: their arguments, and what is called. Functions of the script are followed; anything
// else may change the lists and dictionaries that it is given.

import (
	"maps"
	"slices"

	"skills/internal/script/usage/pyast"
)

// arguments are the arguments of a call.
type arguments struct {
	positional []value
	named      map[string]value
	order      []string // of named
	open       bool     // there may be further ones
}

// at returns the argument with this position or name.
func (a arguments) at(position int, name string) (value, bool) {
	if v, ok := a.named[name]; ok {
		return v, true
	}
	if position >= 0 && position < len(a.positional) {
		return a.positional[position], true
	}
	return nil, false
}

// text returns a named argument that is a known text, or "".
func (a arguments) text(name string) string {
	s, _ := a.named[name].(string)
	return s
}

// all returns every value.
func (a arguments) all() []value {
	return append(slices.Clone(a.positional), slices.Collect(maps.Values(a.named))...)
}

func (in *interpreter) arguments(f *frame, args []pyast.Arg) (out arguments, ended bool) {
	out.named = map[string]value{}
	for _, a := range args {
		v := in.eval(f, a.Value)
		switch {
		case v == (ends{}):
			ended = true
		case a.Star == 1:
			items, known := collectionsOf(in).items(v)
			out.open = out.open || !known
			if len(out.positional)+len(items) <= maxItems {
				out.positional = append(out.positional, items...)
			}
		case a.Star == 2:
			d, ok := v.(*dict)
			out.open = out.open || !ok || d.open
			if ok {
				for i, k := range d.keys {
					if s, ok := k.(string); ok {
						out.named[s] = d.values[i]
						out.order = append(out.order, s)
					}
				}
			}
		case a.Name != "":
			out.named[a.Name] = v
			out.order = append(out.order, a.Name)
		default:
			out.positional = append(out.positional, v)
		}
	}
	return out, ended
}

// call calls a function, as far as it is known.
func (in *interpreter) call(f *frame, x pyast.Call) value {
	target := in.eval(f, x.Func)
	args, ended := in.arguments(f, x.Args)
	if ended {
		return ends{}
	}
	return in.apply(target, args)
}

func (in *interpreter) apply(target value, args arguments) value {
	for _, v := range args.all() {
		in.cost(size(v), 8)
	}
	switch t := target.(type) {
	case function:
		return in.invoke(t, args)
	case *class:
		return classesOf(in).construct(t, args)
	case dotted:
		return builtinsOf(in).builtin(string(t), args)
	case method:
		return builtinsOf(in).method(t, args)
	case *clickCommand:
		in.clicked = append(in.clicked, t)
		return ends{}
	}
	in.escape(args)
	return unknown{}
}

// escape marks what an unknown function gets: it may change it.
func (in *interpreter) escape(args arguments) {
	for _, v := range args.all() {
		switch v := v.(type) {
		case *parser:
			v.partial = true
		case *group:
			v.of.partial = true
		case *subparsers:
			v.of.partial = true
		case *sequence:
			v.open = true
		case *dict:
			v.open = true
		}
	}
}

// invoke runs a function of the script.
func (in *interpreter) invoke(fn function, args arguments) value {
	active := 0
	for _, d := range in.calls {
		if d == fn.def {
			active++
		}
	}
	if active > 1 || len(in.calls) >= maxCalls || fn.def.Generator {
		in.escape(args)
		return unknown{}
	}
	if c := in.commands[fn.def]; c != nil && len(args.positional) == 0 {
		in.clicked = append(in.clicked, c)
		return ends{}
	}
	in.called[fn.def] = true
	in.calls = append(in.calls, fn.def)
	depth := in.depth
	local := &frame{scope: newScope(fn.scope)}
	if class := fn.scope; class != nil { // the scope of a class is not visible in its methods
		local.scope.parent = visible(class)
	}
	in.bind(local, fn, args)
	how := in.block(local, fn.def.Body)
	in.depth = depth
	in.calls = in.calls[:len(in.calls)-1]
	switch {
	case how == stopped && !local.has:
		return ends{}
	case how == onward && local.has && local.result != nil:
		return unknown{}
	}
	return local.result
}

// visible returns the nearest scope whose variables a function sees.
func visible(s *scope) *scope {
	for s.class && s.parent != nil {
		s = s.parent
	}
	return s
}

// bind sets the parameters of a function.
func (in *interpreter) bind(f *frame, fn function, args arguments) {
	positional := args.positional
	if fn.self != nil && !hasDecorator(fn.def, "staticmethod") {
		positional = append([]value{fn.self}, positional...)
	}
	used := map[string]bool{}
	for _, p := range fn.def.Params {
		switch {
		case p.Star == 1:
			f.scope.vars[p.Name] = &sequence{kind: '(', items: positional, open: args.open, depth: in.depth}
			positional = nil
			continue
		case p.Star == 2:
			rest := &dict{open: args.open, depth: in.depth}
			for _, name := range args.order {
				if !used[name] {
					rest.set(name, args.named[name])
				}
			}
			f.scope.vars[p.Name] = rest
			continue
		}
		v, given := args.named[p.Name]
		switch {
		case given:
			used[p.Name] = true
		case len(positional) > 0:
			v, positional = positional[0], positional[1:]
		case args.open || p.Default == nil:
			v = unknown{}
		default:
			v = in.eval(&frame{scope: fn.scope}, p.Default)
		}
		f.scope.vars[p.Name] = v
	}
}
