package usage

// The words of a command line in a shell script: their uses, and the checks that end the
// script without them.

import (
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"skills/internal/lazyregexp"
)

// optionInTest is a test of a word for an option other than that of a help option.
var optionInTest = lazyregexp.New(`\$\{?[1-9@*](?:[:}"]|\b)[^&|]*(?:=|==|=~|!=)\s*["']?-{1,2}(?:[a-gi-z]|h[a-df-z]|he[a-km-z])|--?[a-z-]+["']?\s*==?\s*"?\$\{?[1-9@*]`)

// refer notes the words in a part of a command. name is the variable that it becomes.
func (r *shellReader) refer(w *syntax.Word, name string, sure bool) {
	if w == nil {
		return
	}
	only, _ := expansion(w)
	syntax.Walk(w, func(n syntax.Node) bool {
		e, ok := n.(*syntax.ParamExp)
		if !ok || e.Param == nil {
			_, isFunction := n.(*syntax.FuncDecl)
			return !isFunction
		}
		index, err := strconv.Atoi(e.Param.Value)
		switch {
		case e.Param.Value == "@" || e.Param.Value == "*":
			r.star(e, name)
		case err == nil && index > 0:
			if only != e.Param.Value {
				name = ""
			}
			r.shellWord(e, index+r.shifted, name, sure)
		}
		return true
	})
}

// star notes the use of all words, or of those from an index on.
func (r *shellReader) star(e *syntax.ParamExp, name string) {
	from := 1
	if e.Length {
		return
	}
	if e.Slice != nil {
		n, err := strconv.Atoi(shellArithmetic(e.Slice.Offset))
		if err != nil || e.Slice.Length != nil {
			r.unclear = true
			return
		}
		from = max(n, 1)
	}
	r.all(from+r.shifted, strings.ToLower(name))
}

func shellArithmetic(x syntax.ArithmExpr) string {
	w, ok := x.(*syntax.Word)
	if !ok {
		return ""
	}
	text, _ := literal(w)
	return strings.TrimSpace(text)
}

// shellWord notes the use of one word.
func (r *shellReader) shellWord(e *syntax.ParamExp, index int, name string, sure bool) {
	if index > maxArgv {
		r.unclear = true
		return
	}
	r.last = max(r.last, index)
	w := &r.words[index]
	if w.name == "" {
		w.name = strings.ToLower(name)
	}
	if e.Exp == nil {
		w.needed = w.needed || sure && r.nounset && w.fallback == nil
		return
	}
	switch e.Exp.Op {
	case syntax.DefaultUnset, syntax.DefaultUnsetOrNull:
		if value, ok := literal(e.Exp.Word); ok && value != "" {
			w.fallback = value
		}
	case syntax.ErrorUnset, syntax.ErrorUnsetOrNull:
		w.needed = w.needed || sure
	}
}

// branch follows an if. A branch that ends the script says what must be given.
func (r *shellReader) branch(c *syntax.IfClause, sure bool) {
	for _, s := range c.Cond {
		r.test(shellText(s))
	}
	known := atoms(c.Cond)
	refuses := r.refuses(c.Then)
	switch {
	case refuses && known != nil:
		r.refuse(known, sure)
	case c.Else != nil && len(c.Else.Cond) == 0 && r.refuses(c.Else.Then):
		r.accept(known, sure)
	}
	if !refuses {
		r.block(c.Then, false)
	}
	if c.Else == nil {
		return
	}
	if len(c.Else.Cond) > 0 {
		r.branch(c.Else, false)
		return
	}
	r.block(c.Else.Then, false)
}

// refuse notes conditions of which each ends the script.
func (r *shellReader) refuse(conditions []string, sure bool) {
	for _, text := range conditions {
		if m := countTest().FindStringSubmatch(text); m != nil && sure {
			n, _ := strconv.Atoi(m[2])
			r.count(m[1], n)
			continue
		}
		m := emptyTest().FindStringSubmatch(text)
		if m == nil || !sure {
			continue
		}
		name := m[1] + m[2]
		if index, err := strconv.Atoi(name); err == nil && index > 0 && index+r.shifted <= maxArgv {
			r.checked, r.least = true, max(r.least, index+r.shifted)
			continue
		}
		r.required[name] = true
		for i, w := range r.words {
			if w.name != "" && w.name == strings.ToLower(name) && w.fallback == nil {
				r.checked, r.least = true, max(r.least, i)
			}
		}
	}
}

// count notes that the script ends if a comparison of the number of words is true.
func (r *shellReader) count(op string, n int) {
	least, most := 0, -1
	switch op {
	case "-lt", "<":
		least = n
	case "-le", "<=":
		least = n + 1
	case "-ne", "!=":
		least, most = n, n
	case "-gt", ">":
		most = n
	case "-ge", ">=":
		most = n - 1
	case "-eq", "==":
		if n != 0 {
			return
		}
		least = 1
	}
	if len(r.options) > 0 || r.form == shellForm {
		return // options are words too
	}
	r.checked = true
	r.least = max(r.least, least+r.shifted)
	if most >= 0 {
		r.exact = true
		r.last = max(r.last, most+r.shifted)
	}
}

// accept notes a condition without which the script ends.
func (r *shellReader) accept(conditions []string, sure bool) {
	if len(conditions) != 1 {
		return
	}
	opposite := map[string]string{"-lt": "-ge", "-le": "-gt", "-eq": "-ne", "-ne": "-eq", "-gt": "-le", "-ge": "-lt", "==": "!=", "!=": "==", "<": ">=", ">": "<=", "<=": ">", ">=": "<"}
	if m := countTest().FindStringSubmatch(conditions[0]); m != nil {
		r.refuse([]string{"$# " + opposite[m[1]] + " " + m[2]}, sure)
		return
	}
	if m := nonEmptyTest().FindStringSubmatch(conditions[0]); m != nil {
		r.refuse([]string{"-z $" + m[1]}, sure)
	}
}

// list follows commands joined by && and ||, of which the last may end the script.
func (r *shellReader) list(c *syntax.BinaryCmd, sure bool) {
	last := []*syntax.Stmt{c.Y}
	switch {
	case c.Op == syntax.AndStmt && r.refuses(last):
		r.refuse(atoms([]*syntax.Stmt{c.X}), sure)
		r.test(shellText(c.X))
		return
	case c.Op == syntax.OrStmt && r.refuses(last):
		r.accept(atoms([]*syntax.Stmt{c.X}), sure)
	}
	r.statement(c.X, sure)
	if !r.refuses(last) {
		r.statement(c.Y, sure && c.Op != syntax.AndStmt && c.Op != syntax.OrStmt)
	}
}

// refuses reports whether a block ends the script, and is not just a part of its work: it
// is short and calls no other function than one for the usage or an error.
func (r *shellReader) refuses(stmts []*syntax.Stmt) bool {
	return len(stmts) > 0 && len(stmts) <= 12 && r.fails(stmts, 0)
}

// fails reports whether the last statement of a block ends the script with a failure.
func (r *shellReader) fails(stmts []*syntax.Stmt, level int) bool {
	if len(stmts) == 0 {
		return false
	}
	last := stmts[len(stmts)-1]
	if block, ok := last.Cmd.(*syntax.Block); ok {
		return len(block.Stmts) > 0 && r.fails(block.Stmts, level)
	}
	name, args := called(last)
	switch {
	case name == "exit" || name == "return" && level == 0:
		if len(args) == 0 {
			return true
		}
		code, _ := literal(args[0])
		return code != "0" || level == 0 && len(stmts) > 1 // the usage was printed
	case r.funcs[name] != nil && level < 3:
		body, ok := r.funcs[name].Body.Cmd.(*syntax.Block)
		return ok && len(body.Stmts) > 0 && r.fails(body.Stmts, level+1)
	}
	return false
}
