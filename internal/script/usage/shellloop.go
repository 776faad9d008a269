package usage

// The loops in which a shell script reads its options: a case on "$1" with shift, a case on
// the variable of a loop over "$@", and getopts.

import (
	"slices"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// shellLoops reads the loops and cases of a script.
type shellLoops struct{ *shellReader }

// while follows a loop: over the options, over getopts, or over all words.
func (r shellLoops) while(c *syntax.WhileClause, sure bool) {
	if len(c.Cond) == 1 {
		if name, args := called(c.Cond[0]); name == "getopts" && len(args) >= 2 {
			r.getopts(args, c.Do, sure)
			return
		}
	}
	at := slices.IndexFunc(c.Do, func(s *syntax.Stmt) bool { return r.isWordCase(s, "1") })
	if at < 0 {
		r.each(c, sure)
		return
	}
	if !sure || r.begun() {
		r.unclear = true
		return
	}
	after, ok := 0, true
	for i, s := range c.Do {
		if i == at {
			continue
		}
		e := r.effect([]*syntax.Stmt{s})
		ok = ok && e.known && !e.leaves
		after += e.shifts
	}
	r.form = shellForm
	r.items(c.Do[at].Cmd.(*syntax.CaseClause), after, ok)
}

// begun reports whether words were taken or options read before.
func (r shellLoops) begun() bool { return r.shifted > 0 || len(r.options) > 0 }

// isWordCase reports whether a statement is a case on the parameter with a name.
func (r shellLoops) isWordCase(s *syntax.Stmt, name string) bool {
	c, ok := s.Cmd.(*syntax.CaseClause)
	if !ok {
		return false
	}
	word, ok := expansion(c.Word)
	return ok && word == name
}

// each follows a loop over all words: while [ $# -gt 0 ]; do … "$1"; shift; done.
func (r shellLoops) each(c *syntax.WhileClause, sure bool) {
	counts := strings.Contains(shellText(c.Cond[0]), "#")
	e := r.effect(c.Do)
	if !counts || e.shifts == 0 && e.known {
		before := r.shifted
		r.block(c.Do, false)
		r.unclear = r.unclear || r.shifted != before
		return
	}
	if !e.known || e.shifts != 1 || !sure {
		r.unclear = true
		return
	}
	r.all(1+r.shifted, "")
	inner := &shellReader{funcs: r.funcs, values: map[string]any{}, required: map[string]bool{}, open: map[string]bool{}}
	inner.block(slices.DeleteFunc(slices.Clone(c.Do), func(s *syntax.Stmt) bool {
		name, _ := called(s)
		return name == "shift"
	}), false)
	r.restName = inner.words[1].name
	r.unclear = r.unclear || inner.unclear || inner.last > 1
}

// loop follows a for loop, over all words or over anything else.
func (r shellLoops) loop(c *syntax.ForClause, sure bool) {
	words, ok := c.Loop.(*syntax.WordIter)
	if !ok {
		r.block(c.Do, false)
		return
	}
	all := len(words.Items) == 0 && !words.InPos.IsValid() || len(words.Items) == 1 && isAll(words.Items[0])
	if !all {
		for _, w := range words.Items {
			r.refer(w, words.Name.Value, sure)
		}
		r.block(c.Do, false)
		return
	}
	at := slices.IndexFunc(c.Do, func(s *syntax.Stmt) bool { return r.isWordCase(s, words.Name.Value) })
	if at < 0 {
		text := shellText(c)
		r.unclear = r.unclear || strings.Contains(text, "$"+words.Name.Value+`" == -`) || strings.Contains(text, "$"+words.Name.Value+`" = "-`) || strings.Contains(text, "shift")
		r.all(1+r.shifted, strings.ToLower(words.Name.Value))
		r.block(c.Do, false)
		return
	}
	alone := len(c.Do) == 1 && !strings.Contains(shellText(c), "shift")
	if !sure || r.begun() || !alone {
		r.unclear = true
		return
	}
	r.form = shellForm
	r.items(c.Do[at].Cmd.(*syntax.CaseClause), 1, true)
}

// items reads the options of a case in a loop. after is the number of shifts behind it.
func (r shellLoops) items(c *syntax.CaseClause, after int, ok bool) {
	r.unclear = r.unclear || !ok
	closed := false
	for _, item := range c.Items {
		e := r.effect(item.Stmts)
		var names []string
		joined := false
		other := ""
		for _, w := range item.Patterns {
			text := shellText(w)
			pattern, plain := literal(w)
			switch {
			case plain && pattern == "--":
				r.ends = true
				other = "--"
			case plain && strings.HasPrefix(pattern, "-") && !strings.ContainsAny(pattern, "*?["):
				names = append(names, pattern)
			case strings.HasSuffix(text, "=*") && strings.HasPrefix(text, "--"):
				names, joined = append(names, strings.TrimSuffix(text, "=*")), true
			default:
				other = text
			}
		}
		switch {
		case len(names) > 0 && other != "":
			r.unclear = true
		case len(names) > 0:
			r.option(names, joined, e, after, item.Stmts)
		case other == "--":
			r.behind(item.Stmts)
		case e.fails || r.fails(item.Stmts, 0):
			closed = true
			r.exact = r.exact || other == "*"
		case other == "*" || other == "[!-]*" || other == "[^-]*":
			r.plainWord(e, after, item.Stmts)
			closed = true
		default:
			r.unclear = true // a pattern such as -*, or a word
		}
	}
	r.unclear = r.unclear || !closed
}

// behind reads the case of --, which may keep the words behind it.
func (r shellLoops) behind(stmts []*syntax.Stmt) {
	for _, s := range stmts {
		syntax.Walk(s, func(n syntax.Node) bool {
			a, ok := n.(*syntax.Assign)
			isList := ok && a.Array != nil && len(a.Array.Elems) == 1
			if isList && isAll(a.Array.Elems[0].Value) {
				r.all(1, strings.ToLower(a.Name.Value))
			}
			return true
		})
	}
}

// option adds an option of a case.
func (r shellLoops) option(names []string, joined bool, e effect, after int, body []*syntax.Stmt) {
	isHelp := slices.Contains(names, "--help") || slices.Contains(names, "-h") && (e.exits || r.fails(body, 0))
	if isHelp || slices.Contains(names, "--version") && e.exits {
		return
	}
	o := shellOption{Parameter: Parameter{Names: slices.Compact(names), Type: String, Kind: Value, Min: 1, Max: 1}, variable: e.variable}
	o.joined = joined
	switch shifts := e.shifts + after; {
	case !e.known || e.exits && !e.fails:
		r.unclear = true
	case joined || e.second && shifts == 2:
	case !e.second && shifts == 1:
		o.Kind, o.Type, o.Min, o.Max = Flag, Boolean, 0, 0
	default:
		r.unclear = true
	}
	if e.appends && o.Kind == Value {
		o.Kind = List
	}
	for i, old := range r.options {
		if same := slices.ContainsFunc(names, func(n string) bool { return slices.Contains(old.Names, n) }); same {
			r.options[i].joined = r.options[i].joined && joined // --name value is accepted as well
			return
		}
	}
	r.options = append(r.options, o)
}

// plainWord reads the case of a word that is no option.
func (r shellLoops) plainWord(e effect, after int, body []*syntax.Stmt) {
	shifts := e.shifts + after
	switch {
	case e.leaves && shifts-after == 0: // the words follow the options
		return
	case !e.known || shifts != 1 || e.second:
		r.unclear = true
	case e.appends:
		r.all(1, strings.ToLower(e.variable))
	case e.variable != "" && len(body) <= 2 && !e.branches:
		r.last = max(r.last, 1)
		r.words[1].name = strings.ToLower(e.variable)
		if value, ok := r.values[e.variable].(string); ok && value != "" {
			r.words[1].fallback = value
		}
	default:
		r.unclear = true
	}
}

// getopts reads the options of getopts.
func (r shellLoops) getopts(args []*syntax.Word, body []*syntax.Stmt, sure bool) {
	spec, ok := literal(args[0])
	variable, _ := literal(args[1])
	known := ok && len(args) == 2 && len(r.options) == 0
	if !known || !sure {
		r.unclear = true
		return
	}
	r.form, r.ends = getoptsForm, true
	effects := map[string]effect{}
	for _, s := range body {
		if c, isCase := s.Cmd.(*syntax.CaseClause); isCase && r.isWordCase(s, variable) {
			for _, item := range c.Items {
				for _, w := range item.Patterns {
					name, _ := literal(w)
					effects[name] = r.effect(item.Stmts)
				}
			}
		}
	}
	spec = strings.TrimPrefix(spec, ":")
	for i := range len(spec) {
		if spec[i] == ':' {
			continue
		}
		e := effects[spec[i:i+1]]
		p := Parameter{Names: []string{"-" + spec[i:i+1]}, Kind: Flag, Type: Boolean}
		if i+1 < len(spec) && spec[i+1] == ':' {
			p.Kind, p.Type, p.Min, p.Max = Value, String, 1, 1
			if e.appends {
				p.Kind = List
			}
		}
		if spec[i] == 'h' && p.Kind == Flag {
			continue
		}
		r.options = append(r.options, shellOption{p, e.variable})
	}
}

// cases follows a case outside of a loop: one on "$1" names the choices of the first word.
func (r shellLoops) cases(c *syntax.CaseClause, sure bool) {
	r.refer(c.Word, "", false)
	name, isWord := expansion(c.Word)
	index, err := strconv.Atoi(name)
	isWord = isWord && err == nil && index > 0 && index+r.shifted <= maxArgv
	var choices []any
	closed := false
	for _, item := range c.Items {
		fails := r.fails(item.Stmts, 0)
		for _, w := range item.Patterns {
			text, plain := literal(w)
			isHelp := text == "-h" || text == "--help" || text == "help"
			switch {
			case isWord && strings.HasPrefix(text, "-") && !isHelp:
				r.unclear = true
			case text == "*" && fails:
				closed = true
			case isHelp || text == "" || fails:
			case plain && !strings.ContainsAny(text, "*?["):
				choices = append(choices, text)
			default:
				isWord = false
			}
		}
		if !fails {
			before := r.shifted
			r.block(item.Stmts, false)
			r.shifted = before
		}
	}
	isChoice := isWord && closed && len(choices) > 0
	if isChoice && sure {
		w := &r.words[index+r.shifted]
		w.choices = choices
		r.checked, r.least = true, max(r.least, index+r.shifted)
		if w.fallback != nil {
			r.least = min(r.least, index+r.shifted-1)
		}
	}
}

// effect is what the statements of a case do with the words.
type effect struct {
	shifts   int
	known    bool // the number of shifts is certain
	second   bool // "$2" is used
	variable string
	appends  bool // to an array or a text
	exits    bool // the script ends
	fails    bool // with a failure
	leaves   bool // the loop ends
	branches bool
}

// effect returns what statements do with the words.
func (r shellLoops) effect(stmts []*syntax.Stmt) effect {
	e := effect{known: true}
	for _, s := range stmts {
		r.statementEffect(s, &e)
	}
	return e
}

func (r shellLoops) statementEffect(s *syntax.Stmt, e *effect) {
	switch c := s.Cmd.(type) {
	case *syntax.CallExpr:
		for _, a := range c.Assigns {
			assignEffect(a, e)
		}
		name, args := called(s)
		switch name {
		case "shift":
			n := 1
			if len(args) > 0 {
				text, _ := literal(args[0])
				count, err := strconv.Atoi(text)
				n, e.known = count, e.known && err == nil
			}
			e.shifts += n
		case "break":
			e.leaves = true
		case "exit", "return":
			code := "0"
			if len(args) > 0 {
				code, _ = literal(args[0])
			}
			e.exits, e.fails = true, code != "0"
		default:
			if r.fails([]*syntax.Stmt{s}, 0) {
				e.exits, e.fails = true, true
			}
		}
		e.second = e.second || usesSecond(c)
	case *syntax.DeclClause:
		for _, a := range c.Args {
			assignEffect(a, e)
		}
		e.second = e.second || usesSecond(c)
	case *syntax.Block:
		for _, inner := range c.Stmts {
			r.statementEffect(inner, e)
		}
	case nil:
	default:
		r.branchEffect(s, e)
	}
}

// branchEffect adds what branches do: those that end the script do not count, the others
// must not shift.
func (r shellLoops) branchEffect(s *syntax.Stmt, e *effect) {
	e.branches = true
	e.second = e.second || usesSecond(s.Cmd)
	syntax.Walk(s, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Stmt:
			if name, _ := called(n); name == "shift" || name == "break" {
				e.known = false
			}
		case *syntax.Assign:
			if e.variable == "" {
				assignEffect(n, e)
			}
		}
		return true
	})
}

// assignEffect notes the variable that becomes a word.
func assignEffect(a *syntax.Assign, e *effect) {
	if a.Name == nil || a.Naked {
		return
	}
	e.variable = a.Name.Value
	e.appends = e.appends || a.Append || strings.HasPrefix(shellText(a), a.Name.Value+`="$`+a.Name.Value)
}

// usesSecond reports whether "$2" is used.
func usesSecond(n syntax.Node) bool {
	found := false
	syntax.Walk(n, func(n syntax.Node) bool {
		e, ok := n.(*syntax.ParamExp)
		found = found || ok && e.Param != nil && e.Param.Value == "2"
		return !found
	})
	return found
}
