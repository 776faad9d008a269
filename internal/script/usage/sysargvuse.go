package usage

// The uses of sys.argv, one by one: each has a form that says which words the script takes,
// or makes it unclear.

import (
	"reflect"
	"slices"
	"strings"

	"skills/internal/script/usage/pyast"
)

// visit handles a use of sys.argv, a check of its length, and comparisons with options.
func (r *argvReader) visit(node any, above []any) bool {
	scope := scopeOf(above)
	switch n := node.(type) {
	case pyast.If:
		r.guard(n, scope, above)
	case pyast.Assign:
		if r.unpack(n, scope) {
			return false
		}
		if name, ok := n.Value.(pyast.Name); len(n.Targets) == 1 && ok { // an alias of its own
			_, is := r.offset(name, scope)
			return !is
		}
	case pyast.Binary:
		if r.comparesOption(n, scope) {
			r.unclear = true
		}
	case pyast.Call:
		if a, ok := n.Func.(pyast.Attr); ok && a.Name == "startswith" && len(n.Args) == 1 {
			r.unclear = r.unclear || isOptionText(n.Args[0].Value) && r.isWord(a.X, scope)
		}
	}
	offset, ok := r.offset(node, scope)
	if !ok || isTarget(node, above) {
		return true
	}
	r.use(node, offset, above)
	return false
}

// isTarget reports whether a name is what an assignment assigns to.
func isTarget(node any, above []any) bool {
	name, isName := node.(pyast.Name)
	if len(above) == 0 || !isName {
		return false
	}
	a, ok := above[len(above)-1].(pyast.Assign)
	return ok && len(a.Targets) == 1 && a.Targets[0] == name
}

// comparesOption reports whether a word is compared with the name of an option, other than
// that of a help option.
func (r *argvReader) comparesOption(b pyast.Binary, scope *pyast.Def) bool {
	if !slices.Contains([]string{"==", "!=", "in", "not in"}, b.Op) {
		return false
	}
	option := false
	pyast.Walk([]pyast.Expr{b.X, b.Y}, func(node any, _ []any) bool {
		option = option || isOptionText(node)
		return true
	})
	return option && r.isWord([]pyast.Expr{b.X, b.Y}, scope)
}

// isWord reports whether a part of an expression is a word of the command line.
func (r *argvReader) isWord(x any, scope *pyast.Def) bool {
	found := false
	pyast.Walk(x, func(node any, _ []any) bool {
		_, isArgv := r.offset(node, scope)
		name, _ := node.(pyast.Name)
		found = found || isArgv || r.holders[string(name)]
		return true
	})
	return found
}

// hold notes the variables that words of the command line become, in the order of the text.
func (r *argvReader) hold(node any, above []any) bool {
	var value, target pyast.Expr
	switch n := node.(type) {
	case pyast.For:
		value, target = n.Iter, n.Target
	case pyast.Comprehension:
		value, target = n.Iter, n.Target
	case pyast.Assign:
		if len(n.Targets) == 1 && n.Value != nil {
			value, target = n.Value, n.Targets[0]
		}
	}
	if target == nil || !r.isWord(value, scopeOf(above)) {
		return true
	}
	pyast.Walk(target, func(node any, _ []any) bool {
		if name, ok := node.(pyast.Name); ok {
			r.holders[string(name)] = true
		}
		return true
	})
	return true
}

// isOptionText reports whether an expression is the text of an option.
func isOptionText(x any) bool {
	c, _ := x.(pyast.Const)
	s, _ := c.Value.(string)
	isHelp := s == "-h" || s == "--help" || s == "-help"
	return strings.HasPrefix(s, "-") && len(s) < 40 && !strings.Contains(s, " ") && !isHelp
}

// use handles sys.argv or its end, from an offset on, by what is around it.
func (r *argvReader) use(node any, offset int, above []any) {
	if len(above) == 0 {
		r.unclear = true
		return
	}
	switch n := above[len(above)-1].(type) {
	case pyast.Index: // one word
		i, ok := argvIndex(n.Key)
		if ok && i+offset <= maxArgv {
			r.word(i+offset, n, above[:len(above)-1])
			return
		}
	case pyast.Arg:
		call, _ := above[len(above)-2].(pyast.Call)
		if r.passed(call, offset, above[:len(above)-2]) {
			return
		}
	case pyast.Assign:
		if _, ok := n.Targets[0].(pyast.Name); ok && len(n.Targets) == 1 && n.Op == "=" {
			return // an alias
		}
	case pyast.For:
		if target, ok := n.Target.(pyast.Name); ok && equalNode(n.Iter, node) {
			r.all(offset, string(target))
			return
		}
	case pyast.If, pyast.Unary, pyast.Binary: // whether there are any
		if isCondition(above) {
			return
		}
	}
	r.unclear = true
}

// equalNode compares a part of a tree with a node.
func equalNode(x pyast.Expr, node any) bool {
	switch node.(type) {
	case pyast.Name, pyast.Attr, pyast.Index:
		return x == node
	}
	return false
}

// isCondition reports whether a node is the test of an if, or a part of it.
func isCondition(above []any) bool {
	for i := len(above) - 1; i >= 0; i-- {
		switch n := above[i].(type) {
		case pyast.Unary:
			if n.Op != "not" {
				return false
			}
		case pyast.Binary:
			if n.Op != "and" && n.Op != "or" {
				return false
			}
		case pyast.If:
			return true
		default:
			return false
		}
	}
	return false
}

// all notes that all words from an index on are used.
func (r *wordUses) all(offset int, name string) {
	if offset == 0 || r.rest > 0 && r.rest != offset {
		r.unclear = true
		return
	}
	r.rest, r.restName = offset, name
}

// passed handles sys.argv as the argument of a call: its length, a text made of it.
func (r *argvReader) passed(call pyast.Call, offset int, above []any) bool {
	switch f := call.Func.(type) {
	case pyast.Name:
		return f == "len" || r.defs[string(f)] != nil
	case pyast.Attr:
		if _, isText := f.X.(pyast.Const); isText && f.Name == "join" {
			r.all(offset, r.assignedName(above))
			return true
		}
	}
	return false
}

// word notes the use of one word.
func (r *argvReader) word(i int, x pyast.Index, above []any) {
	if i == 0 {
		return
	}
	r.last = max(r.last, i)
	w := &r.words[i]
	kind := String
	if len(above) > 1 {
		if call, ok := above[len(above)-2].(pyast.Call); ok {
			switch call.Func {
			case pyast.Name("int"):
				kind = Integer
			case pyast.Name("float"):
				kind = Number
			}
		}
	}
	w.kinds = append(w.kinds, kind)
	if w.name == "" {
		w.name = r.assignedName(above)
	}
	for j := len(above) - 1; j >= 0; j-- {
		if c, ok := above[j].(pyast.Cond); ok && c.Else != nil {
			if value, ok := c.Else.(pyast.Const); ok {
				w.fallback = value.Value
			}
		}
	}
	scope := scopeOf(above)
	elsewhere := scope != nil && scope.Name != "main"
	switch {
	case !conditional(above):
		w.needed = true
	case i > 1 && elsewhere && !r.checked:
		r.unclear = true
	}
}

// conditional reports whether code may not run although the script does.
func conditional(above []any) bool {
	for i, node := range above {
		switch n := node.(type) {
		case pyast.If:
			if !isMainTest(n.Test) {
				return true
			}
		case *pyast.Def:
			if n.Name != "main" && n.Name != "run" && n.Name != "cli" {
				return true
			}
		case pyast.Cond, pyast.Try, pyast.While, pyast.For, pyast.Match:
			return true
		case pyast.Binary:
			if (n.Op == "and" || n.Op == "or") && i < len(above)-1 {
				return true
			}
		}
	}
	return false
}

// isMainTest reports whether a test is whether the file is run.
func isMainTest(x pyast.Expr) bool {
	b, _ := x.(pyast.Binary)
	return b.Op == "==" && (b.X == pyast.Name("__name__") || b.Y == pyast.Name("__name__"))
}

// conversions are functions whose result is still the word.
var conversions = []string{"int", "float", "str", "Path", "abspath", "resolve", "expanduser", "expandvars", "strip", "lower", "upper", "open"}

// assignedName returns the name of the variable or parameter that a word becomes.
func (r *argvReader) assignedName(above []any) string {
	for i := len(above) - 1; i >= 0; i-- {
		switch n := above[i].(type) {
		case pyast.Arg:
			if n.Name != "" {
				return n.Name
			}
		case pyast.Call:
			name := calledName(n.Func)
			if def := r.defs[name]; def != nil && i+1 < len(above) {
				return parameterOf(def, n, above[i+1])
			}
			if !slices.Contains(conversions, name) {
				return ""
			}
		case pyast.Assign:
			if name, ok := n.Targets[0].(pyast.Name); ok && len(n.Targets) == 1 {
				return string(name)
			}
			return ""
		case pyast.Attr, pyast.Cond, pyast.Index:
		default:
			return ""
		}
	}
	return ""
}

// parameterOf returns the parameter of a function that an argument of a call becomes.
func parameterOf(def *pyast.Def, call pyast.Call, argument any) string {
	for i, arg := range call.Args {
		if i < len(def.Params) && arg.Name == "" && reflect.DeepEqual(arg, argument) {
			return def.Params[i].Name
		}
	}
	return ""
}

// unpack handles a, b = sys.argv[1:], and names in a, b = sys.argv[1], sys.argv[2].
func (r *argvReader) unpack(n pyast.Assign, scope *pyast.Def) bool {
	if len(n.Targets) != 1 {
		return false
	}
	targets, ok := n.Targets[0].(pyast.Sequence)
	if !ok {
		return false
	}
	if values, ok := n.Value.(pyast.Sequence); ok && len(values.Items) == len(targets.Items) {
		for i, x := range values.Items {
			index, _ := x.(pyast.Index)
			offset, isArgv := r.offset(index.X, scope)
			at, constant := argvIndex(index.Key)
			name, isName := targets.Items[i].(pyast.Name)
			isWord := isArgv && constant && at+offset <= maxArgv
			if isWord && isName {
				r.words[at+offset].name = string(name)
			}
		}
		return false
	}
	offset, ok := r.offset(n.Value, scope)
	if !ok {
		return false
	}
	for i, target := range targets.Items {
		name, isName := target.(pyast.Name)
		if at := offset + i; at > maxArgv || !isName {
			r.unclear = true
		} else if at > 0 {
			r.words[at].name, r.words[at].needed = string(name), true
			r.words[at].kinds = append(r.words[at].kinds, String)
			r.last = max(r.last, at)
		}
	}
	r.least, r.checked, r.exact = max(r.least, offset+len(targets.Items)-1), true, true
	return true
}

// guard handles an if that ends the script if there are too few or too many words.
func (r *argvReader) guard(n pyast.If, scope *pyast.Def, above []any) {
	least, most, ok := r.lengths(n.Test, scope)
	switch {
	case conditional(above):
		return
	case refuses(n.Then, len(n.Else) > 0):
	case refuses(n.Else, true): // the opposite
		least, most, ok = r.lengths(pyast.Unary{Op: "not", X: n.Test}, scope)
	default:
		return
	}
	if !ok {
		return
	}
	r.checked = true
	r.least = max(r.least, least)
	if most >= 0 {
		r.exact = true
		r.last = max(r.last, most)
	}
}

// refuses reports whether a block only prints and ends the script, or is all that it does.
func refuses(block []pyast.Stmt, all bool) bool {
	for i, s := range block {
		last := i == len(block)-1
		switch s := s.(type) {
		case pyast.Raise:
			return last
		case pyast.Return:
			return last
		case pyast.ExprStmt:
			call, ok := s.X.(pyast.Call)
			name := calledName(call.Func)
			if !ok || !slices.Contains([]string{"print", "exit", "_exit", "quit", "write", "usage", "print_usage", "show_usage", "help", "print_help", "show_help", "error", "abort", "SystemExit"}, name) {
				return false
			}
			if last {
				return all || !slices.Contains([]string{"print", "write"}, name)
			}
		default:
			return false
		}
	}
	return false
}

// calledName returns the last part of the name of a function.
func calledName(f pyast.Expr) string {
	switch f := f.(type) {
	case pyast.Name:
		return string(f)
	case pyast.Attr:
		return f.Name
	}
	return ""
}

// lengths returns the numbers of words for which a test is false: at least least, and at
// most most, -1 for any.
func (r *argvReader) lengths(test pyast.Expr, scope *pyast.Def) (least, most int, ok bool) {
	switch t := test.(type) {
	case pyast.Unary:
		return r.opposite(t, scope)
	case pyast.Binary:
		if t.Op == "or" { // each of them ends the script
			least, most, ok = r.lengths(t.X, scope)
			l, m, more := r.lengths(t.Y, scope)
			if !more {
				return least, most, ok
			}
			if !ok {
				return l, m, true
			}
			return max(least, l), max(most, m), true
		}
		return r.compared(t, scope)
	}
	return 0, -1, false
}

// opposite is lengths for "not X".
func (r *argvReader) opposite(t pyast.Unary, scope *pyast.Def) (least, most int, ok bool) {
	if t.Op != "not" {
		return 0, -1, false
	}
	if offset, ok := r.offset(t.X, scope); ok { // not sys.argv[1:]
		return offset, -1, offset > 0
	}
	b, ok := t.X.(pyast.Binary)
	opposites := map[string]string{"==": "!=", "!=": "==", "<": ">=", ">=": "<", ">": "<=", "<=": ">", "in": "not in", "not in": "in"}
	op := opposites[b.Op]
	if !ok || op == "" {
		return 0, -1, false
	}
	return r.compared(pyast.Binary{Op: op, X: b.X, Y: b.Y}, scope)
}

// compared is lengths for a comparison of len(sys.argv).
func (r *argvReader) compared(b pyast.Binary, scope *pyast.Def) (least, most int, ok bool) {
	call, _ := b.X.(pyast.Call)
	if call.Func != pyast.Name("len") || len(call.Args) != 1 {
		return 0, -1, false
	}
	offset, ok := r.offset(call.Args[0].Value, scope)
	if !ok {
		return 0, -1, false
	}
	before := max(offset-1, -1) // words that the length does not count
	if n, ok := argvIndex(b.Y); ok && b.Y != nil {
		n += before
		switch b.Op {
		case "<":
			return n, -1, true
		case "<=":
			return n + 1, -1, true
		case "!=":
			return n, n, true
		case ">":
			return 0, n, true
		case ">=":
			return 0, n - 1, true
		case "==":
			return n + 1, -1, n == 0
		}
	}
	options, isList := b.Y.(pyast.Sequence)
	if b.Op != "not in" || !isList || len(options.Items) == 0 {
		return 0, -1, false
	}
	least, most = maxArgv, 0
	for _, item := range options.Items {
		n, ok := argvIndex(item)
		if !ok {
			return 0, -1, false
		}
		least, most = min(least, n+before), max(most, n+before)
	}
	return least, most, true
}
