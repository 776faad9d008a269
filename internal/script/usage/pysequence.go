package usage

// Lists, tuples, sets and dictionaries: literals, comprehensions, indexes and slices.

import (
	"strings"

	"skills/internal/script/usage/pyast"
)

// collections are the values made of others.
type collections struct{ *interpreter }

func collectionsOf(in *interpreter) collections { return collections{in} }

func (in collections) literal(f *frame, x pyast.Sequence) value {
	out := &sequence{kind: x.Kind, depth: in.depth}
	for _, item := range x.Items {
		if star, ok := item.(pyast.Star); ok {
			items, known := in.items(in.eval(f, star.X))
			out.open = out.open || !known || len(out.items)+len(items) > maxItems
			in.cost(len(items), 16)
			if !out.open {
				out.items = append(out.items, items...)
			}
			continue
		}
		v := in.eval(f, item)
		if x.Kind == '{' {
			in.cost(len(out.items), 8)
		}
		if x.Kind == '{' && contains(out.items, v) {
			continue
		}
		out.items = append(out.items, v)
	}
	return out
}

func contains(items []value, v value) bool {
	for _, item := range items {
		if same(item, v) {
			return true
		}
	}
	return false
}

func (in collections) dictionary(f *frame, x pyast.Dict) value {
	out := &dict{depth: in.depth}
	for i, key := range x.Keys {
		v := in.eval(f, x.Values[i])
		if key == nil {
			other, ok := v.(*dict)
			out.open = out.open || !ok || other.open
			if ok {
				for j, k := range other.keys {
					in.cost(len(out.keys), 8)
					out.set(k, other.values[j])
				}
			}
			continue
		}
		k := in.eval(f, key)
		if k == (unknown{}) {
			out.open = true
			continue
		}
		in.cost(len(out.keys), 8)
		out.set(k, v)
	}
	return out
}

// items returns what a loop over a value yields.
func (in collections) items(v value) ([]value, bool) {
	switch v := v.(type) {
	case *sequence:
		return v.items, !v.open
	case *dict:
		return v.keys, !v.open
	case string:
		if len(v) > maxItems {
			return nil, false
		}
		in.cost(len(v), 8)
		var out []value
		for _, r := range v {
			out = append(out, string(r))
		}
		return out, true
	case *class:
		return classesOf(in.interpreter).members(v)
	}
	return nil, false
}

func (in collections) key(f *frame, x pyast.Expr) value {
	if s, ok := x.(pyast.Slice); ok {
		bounds := [2]value{}
		for i, part := range []pyast.Expr{s.Low, s.High} {
			if part != nil {
				bounds[i] = in.eval(f, part)
			}
		}
		return bounds
	}
	return in.eval(f, x)
}

func (in collections) index(v, key value) value {
	switch key := key.(type) {
	case [2]value:
		return slice(v, key)
	case int64:
		items, known := in.items(v)
		if _, isDict := v.(*dict); known && !isDict {
			if key < 0 {
				key += int64(len(items))
			}
			if key >= 0 && key < int64(len(items)) {
				return items[key]
			}
			return unknown{}
		}
	}
	if d, ok := v.(*dict); ok {
		if item, ok := d.get(key); ok && !d.open {
			return item
		}
	}
	return unknown{}
}

// slice returns a part of a list or a text.
func slice(v value, bounds [2]value) value {
	n := 0
	list, isList := v.(*sequence)
	s, isText := v.(string)
	switch {
	case isList && !list.open:
		n = len(list.items)
	case isText && !strings.ContainsFunc(s, func(r rune) bool { return r > 127 }):
		n = len(s)
	default:
		return unknown{}
	}
	ends := [2]int{0, n}
	for i, b := range bounds {
		if b == nil {
			continue
		}
		at, ok := b.(int64)
		if !ok {
			return unknown{}
		}
		if at < 0 {
			at += int64(n)
		}
		ends[i] = int(min(max(at, 0), int64(n)))
	}
	ends[1] = max(ends[0], ends[1])
	if isText {
		return s[ends[0]:ends[1]]
	}
	return &sequence{kind: list.kind, items: append([]value(nil), list.items[ends[0]:ends[1]]...), depth: list.depth}
}

func (in collections) comprehension(f *frame, x pyast.Comprehension) value {
	items, known := in.items(in.eval(f, x.Iter))
	if !known {
		return unknown{}
	}
	local := &frame{scope: newScope(f.scope)}
	list := &sequence{kind: x.Kind, depth: in.depth}
	table := &dict{depth: in.depth}
	for _, item := range items {
		in.step()
		statementsOf(in.interpreter).assign(local, x.Target, item)
		keep := true
		for _, test := range x.Tests {
			is, certain := truth(in.eval(local, test))
			if !certain {
				return unknown{}
			}
			keep = keep && is
		}
		if !keep {
			continue
		}
		if x.Kind == ':' {
			in.cost(len(table.keys), 8)
			table.set(in.eval(local, x.Key), in.eval(local, x.Value))
			continue
		}
		v := in.eval(local, x.Value)
		if x.Kind == '{' {
			in.cost(len(list.items), 8)
		}
		if x.Kind != '{' || !contains(list.items, v) {
			list.items = append(list.items, v)
		}
	}
	if x.Kind == ':' {
		return table
	}
	return list
}

// size returns about how much work it is to copy a value.
func size(v value) int {
	switch v := v.(type) {
	case string:
		return len(v) / 16
	case *sequence:
		return len(v.items)
	case *dict:
		return len(v.keys) * 4
	}
	return 0
}
