package usage

// The interpreter's state, and the order of statements. It takes a bounded number of steps,
// and follows code that may not run with a depth, so that its effects are not certain.

import (
	"strings"

	"skills/internal/script/usage/pyast"
)

// Limits of the interpreter.
const (
	maxSteps = 200_000
	maxCalls = 40      // nested calls of functions
	maxText  = 1 << 16 // bytes of a computed text
	maxItems = 2000    // items of a computed list
)

// interpreter follows a Python script from its first statement to the call that reads
// the command line, with values that may be unknown.
//
// Where a condition is unknown, both branches are followed and depth is raised: what is
// done to an object that existed before is then uncertain. Where a branch leaves a
// function or a loop, the rest of it is uncertain as well. A branch that ends the
// program leaves nothing behind.
type interpreter struct {
	module *scope
	depth  int
	steps  int

	branches int // alternatives that are being followed
	calls    []*pyast.Def

	called map[*pyast.Def]bool // functions that were followed

	// found are the parsers that read the command line, in order.
	found []*parser

	commands map[*pyast.Def]*clickCommand
	clicked  []*clickCommand // those that are run
	apps     []*clickCommand // typer applications
}

// stop ends the interpretation.
type stop struct{ reason string }

// flow is how a statement ends.
type flow byte

const (
	onward  flow = iota
	broken       // break
	again        // continue
	left         // return
	stopped      // the end of the program, or an exception
)

// frame is a running function.
type frame struct {
	scope  *scope
	result value
	has    bool // result is set
}

func newInterpreter() *interpreter {
	return &interpreter{module: newScope(nil), called: map[*pyast.Def]bool{}, commands: map[*pyast.Def]*clickCommand{}}
}

// follow runs fn until it ends or stops. It reports whether it ended within the limits.
func (in *interpreter) follow(fn func()) (ok bool) {
	defer func() {
		if r := recover(); r != nil {
			s, isStop := r.(stop)
			if !isStop {
				panic(r)
			}
			ok = s.reason == ""
		}
	}()
	fn()
	return true
}

func (in *interpreter) step() {
	in.steps++
	if in.steps > maxSteps {
		panic(stop{"too many steps"})
	}
}

// cost counts work that is n small parts, of which per are a step.
func (in *interpreter) cost(n, per int) {
	in.steps += n / per
	in.step()
}

// costOf counts the work of comparing or printing a list, which can contain other lists.
func (in *interpreter) costOf(v value) {
	if _, ok := v.(*sequence); ok {
		in.cost(maxPrinted, 8)
	}
}

// block runs statements.
func (in *interpreter) block(f *frame, body []pyast.Stmt) flow {
	for _, s := range body {
		if how := in.statement(f, s); how != onward {
			return how
		}
	}
	return onward
}

func (in *interpreter) statement(f *frame, s pyast.Stmt) flow {
	in.step()
	switch s := s.(type) {
	case pyast.ExprStmt:
		if in.eval(f, s.X) == (ends{}) {
			return stopped
		}
	case pyast.Assign:
		return statementsOf(in).assignment(f, s)
	case pyast.Return:
		return in.returns(f, s)
	case pyast.Raise:
		return stopped
	case pyast.Break:
		return broken
	case pyast.Continue:
		return again
	case pyast.If:
		return statementsOf(in).branch(f, in.eval(f, s.Test), s.Then, s.Else)
	case pyast.For:
		return statementsOf(in).loop(f, s)
	case pyast.While:
		return statementsOf(in).while(f, s)
	case pyast.Try:
		return statementsOf(in).try(f, s)
	case pyast.With:
		for i, item := range s.Items {
			in.eval(f, item)
			if s.Targets[i] != nil {
				statementsOf(in).assign(f, s.Targets[i], unknown{})
			}
		}
		return in.block(f, s.Body)
	case pyast.Match:
		in.eval(f, s.X)
		return statementsOf(in).alternatives(f, append(s.Cases[:len(s.Cases):len(s.Cases)], nil))
	case *pyast.Def:
		statementsOf(in).define(f, s)
	case pyast.Class:
		statementsOf(in).set(f.scope, s.Name, statementsOf(in).class(f, s))
	case pyast.Import:
		for i, name := range s.Names {
			statementsOf(in).set(f.scope, name, dotted(s.Paths[i]))
		}
	case pyast.Global:
		if f.scope.globals == nil {
			f.scope.globals = map[string]bool{}
		}
		for _, name := range s.Names {
			f.scope.globals[name] = true
		}
	case pyast.Bad:
		if strings.Contains(s.Text, "add_argument") || strings.Contains(s.Text, "parse_args") {
			panic(stop{"a statement cannot be parsed"})
		}
	}
	return onward
}

func (in *interpreter) returns(f *frame, s pyast.Return) flow {
	var v value
	if s.X != nil {
		v = in.eval(f, s.X)
	}
	if v == (ends{}) {
		return stopped
	}
	if f.has && !same(f.result, v) {
		v = unknown{}
	}
	f.result, f.has = v, true
	return left
}
