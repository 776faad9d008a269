package usage

import (
	"maps"

	"skills/internal/script/usage/pyast"
)

// statements are those that branch and assign.
type statements struct{ *interpreter }

func statementsOf(in *interpreter) statements { return statements{in} }

// branch runs the branches of a condition.
func (in statements) branch(f *frame, test value, then, otherwise []pyast.Stmt) flow {
	if is, known := truth(test); known {
		if is {
			return in.block(f, then)
		}
		return in.block(f, otherwise)
	}
	return in.alternatives(f, [][]pyast.Stmt{then, otherwise})
}

// alternatives runs blocks of which any one may run, and joins their variables.
func (in statements) alternatives(f *frame, blocks [][]pyast.Stmt) flow {
	before := maps.Clone(f.scope.vars)
	in.cost(len(before)*len(blocks), 8)
	in.branches++
	defer func() { in.branches-- }()
	var after []map[string]value
	var flows []flow
	for _, body := range blocks {
		f.scope.vars = maps.Clone(before)
		in.depth++
		depth := in.depth
		how := in.block(f, body)
		in.depth = depth - 1
		if how != stopped {
			after = append(after, f.scope.vars)
			flows = append(flows, how)
		}
	}
	f.scope.vars = before
	if len(after) == 0 {
		return stopped
	}
	f.scope.vars = join(after)
	for _, how := range flows[1:] {
		if how != flows[0] { // the rest runs only sometimes
			in.depth++
			return onward
		}
	}
	return flows[0]
}

// join returns the variables that are the same in each branch. A variable that only some
// branches set has their value: where it is used, one of them has run.
func join(branches []map[string]value) map[string]value {
	out := maps.Clone(branches[0])
	for _, b := range branches[1:] {
		for name, v := range b {
			if have, ok := out[name]; ok && !same(have, v) {
				v = unknown{}
			}
			out[name] = v
		}
	}
	return out
}

// loop runs a loop once for each item. Items that are not known are run as one.
func (in statements) loop(f *frame, s pyast.For) flow {
	items, known := collectionsOf(in.interpreter).items(in.eval(f, s.Iter))
	depth := in.depth
	defer func() { in.depth = depth }()
	if !known {
		once := append([]pyast.Stmt{pyast.Assign{Op: "=", Targets: []pyast.Expr{s.Target}, Value: pyast.Other{}}}, s.Body...)
		if in.alternatives(f, [][]pyast.Stmt{once, nil}) == left {
			return left
		}
		in.depth = depth
		return in.block(f, s.Else)
	}
	for _, item := range items {
		in.step()
		in.assign(f, s.Target, item)
		switch in.block(f, s.Body) {
		case broken:
			return onward
		case left:
			return left
		case stopped:
			return stopped
		}
	}
	return in.block(f, s.Else)
}

// while runs the body of a loop once.
func (in statements) while(f *frame, s pyast.While) flow {
	depth := in.depth
	test := in.eval(f, s.Test)
	if is, known := truth(test); known && !is {
		return in.block(f, s.Else)
	}
	how := in.alternatives(f, [][]pyast.Stmt{s.Body, nil})
	in.depth = depth
	if how == broken || how == again {
		how = onward
	}
	return how
}

// try runs the body; a handler may run instead of the rest of it.
func (in statements) try(f *frame, s pyast.Try) flow {
	how := in.block(f, append(s.Body[:len(s.Body):len(s.Body)], s.Else...))
	vars := f.scope.vars
	if how != left {
		branches := []map[string]value{vars}
		if how == stopped {
			branches = nil
		}
		for _, handler := range s.Handlers {
			f.scope.vars = maps.Clone(vars)
			in.cost(len(vars), 8)
			in.depth++
			in.branches++
			depth := in.depth
			ended := in.block(f, handler)
			in.depth = depth - 1
			in.branches--
			if ended != stopped {
				branches = append(branches, f.scope.vars)
				if how == stopped {
					how = ended
				}
			}
		}
		f.scope.vars = vars
		if len(branches) > 0 {
			f.scope.vars = join(branches)
		}
	}
	if ended := in.block(f, s.Finally); ended != onward {
		return ended
	}
	return how
}
