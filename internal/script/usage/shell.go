package usage

// Shell scripts are followed as far as they read their command line: statements in order,
// with the functions that get "$@". Options are those of a loop over "$1" with a case and
// shift, or of getopts. A use of another form makes the script uncertain: then its usage
// line is all that is known.

import (
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Limits of a shell script; its parser is recursive.
const (
	maxShellSource  = 128 << 10
	maxShellNesting = 400
)

// The forms of shell scripts with options.
const (
	shellForm   = "shell"
	getoptsForm = "getopts"
)

// shellReader follows a shell script.
type shellReader struct {
	wordUses
	form     string
	funcs    map[string]*syntax.FuncDecl
	open     map[string]bool // functions being followed
	texts    []string        // that it prints, and comments
	values   map[string]any  // literal values of variables
	required map[string]bool // variables whose emptiness ends the script
	options  []shellOption
	shifted  int
	ends     bool // it takes -- as the end of options
	nounset  bool // a missing word ends the script
	steps    int
}

// shellOption is an option with the variable that it sets.
type shellOption struct {
	Parameter
	variable string
}

// isShell reports whether a script is for bash or sh, by its shebang or else by its
// extension.
func isShell(name, text string) bool {
	first, _, _ := strings.Cut(text, "\n")
	if strings.HasPrefix(first, "#!") {
		words := strings.FieldsFunc(first, func(r rune) bool { return r == '/' || r == ' ' || r == '!' })
		last := ""
		for _, word := range words[1:] {
			if !strings.HasPrefix(word, "-") {
				last = word
			}
		}
		return last == "bash" || last == "sh" || last == "dash" || last == "ksh"
	}
	return strings.HasSuffix(name, ".sh") || strings.HasSuffix(name, ".bash")
}

// shell returns what a shell script takes. base is its file name.
func shell(text, base string) (Usage, bool) {
	if len(text) > maxShellSource || nesting(text) > maxShellNesting {
		return Usage{}, false
	}
	file, err := syntax.NewParser(syntax.KeepComments(true)).Parse(strings.NewReader(text), "")
	if err != nil {
		return Usage{}, false
	}
	r := &shellReader{
		funcs: map[string]*syntax.FuncDecl{}, open: map[string]bool{}, values: map[string]any{}, required: map[string]bool{}, form: byPosition,
	}
	syntax.Walk(file, r.collect)
	r.block(file.Stmts, true)
	lines := synopses(r.texts, base)
	u, ok := r.describe(lines)
	if ok && (len(u.Options) > 0 || len(u.Positionals) > 0) {
		return u, true
	}
	if len(lines) == 0 || lines[0].text == "" {
		return Usage{}, false
	}
	return Usage{Form: shellForm, Partial: true, Synopsis: lines[0].text}, true
}

// nesting returns how deep brackets are nested at most, whatever they mean.
func nesting(text string) int {
	depth, most := 0, 0
	for i := range len(text) {
		switch text[i] {
		case '(', '{', '[', '`':
			depth++
			most = max(most, depth)
		case ')', '}', ']':
			depth = max(depth-1, 0)
		}
	}
	return most - strings.Count(text, "`")
}

// collect collects functions and texts.
func (r *shellReader) collect(node syntax.Node) bool {
	switch n := node.(type) {
	case *syntax.FuncDecl:
		if n.Name != nil {
			r.funcs[n.Name.Value] = n
		}
	case *syntax.Comment:
		r.comment(n.Text)
	case *syntax.Redirect:
		if n.Hdoc != nil {
			r.texts = append(r.texts, plainText(n.Hdoc))
		}
	case *syntax.ParamExp:
		if n.Exp != nil && n.Exp.Word != nil {
			r.texts = append(r.texts, plainText(n.Exp.Word))
		}
	case *syntax.CallExpr:
		for _, w := range n.Args {
			r.texts = append(r.texts, plainText(w))
		}
	}
	return true
}

// comment adds a line of a comment to the lines before it.
func (r *shellReader) comment(line string) {
	const mark = "# "
	line = mark + strings.TrimPrefix(line, " ")
	if n := len(r.texts); n > 0 && strings.HasPrefix(r.texts[n-1], mark) {
		r.texts[n-1] += "\n" + strings.TrimPrefix(line, mark)
		return
	}
	r.texts = append(r.texts, line)
}

// describe returns the usage if it is certain.
func (r *shellReader) describe(lines []synopsis) (Usage, bool) {
	if len(r.options) == 0 {
		return r.usage(lines)
	}
	positionals, ok := r.positionals(nil)
	if !ok {
		return Usage{}, false
	}
	u := Usage{Form: r.form, Positionals: positionals, open: !r.exact && r.rest == 0, ends: r.ends, dashes: r.ends && r.exact}
	help := optionHelp(r.texts)
	for _, o := range r.options {
		p := o.Parameter
		value, known := r.values[o.variable]
		p.Required = o.variable != "" && r.required[o.variable] && (!known || value == "")
		hasDefault := known && value != ""
		if hasDefault && !p.Required && p.Kind == Value {
			p.Default = value
		}
		for _, name := range p.Names {
			if p.Help == "" {
				p.Help = help[name]
			}
		}
		u.Options = append(u.Options, p)
	}
	return u, true
}

// block follows statements. sure is true if they run whatever was given.
func (r *shellReader) block(stmts []*syntax.Stmt, sure bool) {
	for i, s := range stmts {
		r.steps++
		if r.steps > 20_000 {
			r.unclear = true
			return
		}
		r.statement(s, sure)
		name, _ := called(s)
		ended := sure && (name == "exit" || name == "exec")
		if ended && i < len(stmts)-1 {
			return
		}
	}
}

// statement follows one statement.
func (r *shellReader) statement(s *syntax.Stmt, sure bool) {
	for _, redirect := range s.Redirs {
		r.refer(redirect.Word, "", sure)
		r.refer(redirect.Hdoc, "", sure)
	}
	switch c := s.Cmd.(type) {
	case *syntax.CallExpr:
		r.call(c, sure)
	case *syntax.DeclClause:
		for _, a := range c.Args {
			r.assign(a, sure)
		}
	case *syntax.IfClause:
		r.branch(c, sure)
	case *syntax.WhileClause:
		shellLoops{r}.while(c, sure)
	case *syntax.ForClause:
		shellLoops{r}.loop(c, sure)
	case *syntax.CaseClause:
		shellLoops{r}.cases(c, sure)
	case *syntax.BinaryCmd:
		r.list(c, sure)
	case *syntax.Block:
		r.block(c.Stmts, sure)
	case *syntax.Subshell:
		r.block(c.Stmts, sure)
	case *syntax.TimeClause:
		if c.Stmt != nil {
			r.statement(c.Stmt, sure)
		}
	case *syntax.TestClause:
		r.test(shellText(s))
	case *syntax.FuncDecl, nil:
	default:
		syntax.Walk(c, func(n syntax.Node) bool {
			if w, ok := n.(*syntax.Word); ok {
				r.refer(w, "", false)
				return false
			}
			return true
		})
	}
}

// call follows a command, or assignments.
func (r *shellReader) call(c *syntax.CallExpr, sure bool) {
	for _, a := range c.Assigns {
		r.assign(a, sure)
	}
	if len(c.Args) == 0 {
		return
	}
	name, _ := literal(c.Args[0])
	args := c.Args[1:]
	switch f := r.funcs[name]; {
	case name == "shift":
		n := 1
		if len(args) > 0 {
			text, _ := literal(args[0])
			count, err := strconv.Atoi(text)
			if r.form == getoptsForm && err != nil {
				return // shift $((OPTIND - 1)): the words are those without the options
			}
			n = count
			r.unclear = r.unclear || err != nil || count < 0
		}
		r.shifted += n
		r.unclear = r.unclear || !sure || r.shifted > maxArgv
		return
	case name == "set":
		r.set(args)
		return
	case name == "[" || name == "test":
		r.test(shellText(c))
		return
	case f != nil && len(args) == 1 && isAll(args[0]):
		if !r.open[name] {
			r.open[name] = true
			r.statement(f.Body, sure)
		}
		return
	}
	for _, w := range args {
		if isAll(w) { // another program reads them
			r.unclear = true
			return
		}
		r.refer(w, "", sure)
	}
}

// isAll reports whether a word is "$@".
func isAll(w *syntax.Word) bool {
	name, ok := expansion(w)
	return ok && (name == "@" || name == "*") && !strings.Contains(shellText(w), ":")
}

// set notes set -u, and that the words are replaced.
func (r *shellReader) set(args []*syntax.Word) {
	for _, w := range args {
		text, ok := literal(w)
		switch {
		case text == "--" || !ok:
			r.unclear = true
			return
		case text == "nounset", strings.HasPrefix(text, "-") && strings.Contains(text, "u"):
			r.nounset = true
		}
	}
}

// test looks for options in a test.
func (r *shellReader) test(text string) {
	if optionInTest().MatchString(text) {
		r.unclear = true
	}
}

// assign notes the value of a variable, and the words in it.
func (r *shellReader) assign(a *syntax.Assign, sure bool) {
	if a.Name == nil || a.Naked {
		return
	}
	name := a.Name.Value
	if a.Array != nil {
		for _, e := range a.Array.Elems {
			r.refer(e.Value, name, sure)
		}
		return
	}
	if value, ok := literal(a.Value); ok && sure && !a.Append {
		if _, known := r.values[name]; !known {
			r.values[name] = value
		}
		return
	}
	if _, known := r.values[name]; !known {
		r.values[name] = nil // computed
	}
	if own, ok := expansion(a.Value); ok && own == name {
		return
	}
	r.refer(a.Value, name, sure)
}
