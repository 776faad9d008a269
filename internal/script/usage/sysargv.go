package usage

// Python scripts without a parser read sys.argv. What they take is certain if every use of
// it is one of a few forms (an index, its length, the rest in a loop), and a check of the
// length or a usage line says how many words there must be. A script with options of its
// own is not certain: then its usage line is all that is known.

import (
	"fmt"
	"slices"
	"strings"

	"skills/internal/lazyregexp"
	"skills/internal/script/usage/pyast"
)

// byPosition is the form of a script that has no options: a word with a dash is a word.
const byPosition = "argv"

// maxArgv is the highest index of a word.
const maxArgv = 20

// otherParsers are libraries that read sys.argv themselves.
var otherParsers = lazyregexp.New(`(?m)^\s*(?:import|from)\s+(?:argparse|click|typer|getopt|optparse|docopt|fire|absl|plac|cyclopts|tyro|tap)\b`)

// argvReader collects the uses of sys.argv.
type argvReader struct {
	aliases map[argvAlias]int // variables that are sys.argv from an index on
	defs    map[string]*pyast.Def
	holders map[string]bool // names of variables that words become

	texts []string // that the script prints, and its documentation
	seen  int      // names argv in the tree
	wordUses
}

// wordUses are the uses of the words of a command line by their positions, from 1.
type wordUses struct {
	words   [maxArgv + 1]argvWord
	last    int  // the highest index
	least   int  // index of the last word that must be given
	checked bool // their number is checked
	exact   bool // more words are refused
	unclear bool // there is a use of another form

	rest     int // the index from which all words are used; 0 for none
	restName string
}

// argvAlias is a variable of a function; nil for the module.
type argvAlias struct {
	in   *pyast.Def
	name string
}

// argvWord is one word of the command line.
type argvWord struct {
	name     string // of the variable it becomes
	kinds    []Type // of each use
	needed   bool   // it is used whatever was given
	fallback any    // the default
	choices  []any
}

// sysArgv returns what a script takes that reads sys.argv. base is its file name.
func sysArgv(body []pyast.Stmt, text, base string) (Usage, bool) {
	if !strings.Contains(text, "argv") || otherParsers().MatchString(text) {
		return Usage{}, false
	}
	r := &argvReader{aliases: map[argvAlias]int{}, defs: map[string]*pyast.Def{}, holders: map[string]bool{}}
	pyast.Walk(body, r.prepare)
	pyast.Walk(body, r.passOn)
	pyast.Walk(body, r.hold)
	pyast.Walk(body, r.visit)
	if r.seen != pyast.CountName(text, "argv") {
		r.unclear = true // in what the parser leaves out
	}
	lines := synopses(r.texts, base)
	if u, ok := r.usage(lines); ok {
		return u, true
	}
	if len(lines) == 0 || lines[0].text == "" {
		return Usage{}, false
	}
	return Usage{Form: byPosition, Partial: true, Synopsis: lines[0].text}, true
}

// prepare collects functions, texts and variables that are a part of sys.argv.
func (r *argvReader) prepare(node any, above []any) bool {
	for _, x := range above {
		if _, ok := x.(pyast.Format); ok { // the names in it are not counted
			return true
		}
	}
	switch n := node.(type) {
	case *pyast.Def:
		r.defs[n.Name] = n
		r.texts = append(r.texts, n.Doc)
		for _, p := range n.Params {
			r.count(p.Name)
		}
	case pyast.Name:
		r.count(string(n))
	case pyast.Attr:
		r.count(n.Name)
	case pyast.Arg:
		r.count(n.Name)
	case pyast.Walrus:
		r.count(n.Name)
	case pyast.Global:
		for _, name := range n.Names {
			r.count(name)
		}
	case pyast.Import:
		for i, name := range n.Names {
			r.count(name)
			if n.Paths[i] == "sys.argv" {
				r.aliases[argvAlias{nil, name}] = 0
			}
		}
	case pyast.Const:
		if s, ok := n.Value.(string); ok {
			r.texts = append(r.texts, s)
		}
	case pyast.Format:
		r.texts = append(r.texts, formatText(n))
	case pyast.Assign:
		r.alias(n, scopeOf(above))
	}
	return true
}

func (r *argvReader) count(name string) {
	if name == "argv" {
		r.seen++
	}
}

// formatText returns an f-string with {} for each value.
func formatText(f pyast.Format) string {
	var b strings.Builder
	for _, part := range f.Parts {
		if c, ok := part.(pyast.Const); ok {
			s, _ := c.Value.(string)
			b.WriteString(s)
			continue
		}
		b.WriteString("{}")
	}
	return b.String()
}

// scopeOf returns the innermost function.
func scopeOf(above []any) *pyast.Def {
	for i := len(above) - 1; i >= 0; i-- {
		if d, ok := above[i].(*pyast.Def); ok {
			return d
		}
	}
	return nil
}

// alias notes a variable that becomes sys.argv or its end. A second assignment makes it
// unclear.
func (r *argvReader) alias(n pyast.Assign, scope *pyast.Def) {
	if len(n.Targets) != 1 {
		return
	}
	name, ok := n.Targets[0].(pyast.Name)
	if !ok {
		return
	}
	key := argvAlias{scope, string(name)}
	if _, twice := r.aliases[key]; twice {
		r.unclear = true
	}
	if offset, ok := r.offset(n.Value, scope); ok && n.Op == "=" {
		r.aliases[key] = offset
	}
}

// passOn notes the parameters of functions that are given sys.argv or its end.
func (r *argvReader) passOn(node any, above []any) bool {
	call, _ := node.(pyast.Call)
	name, isName := call.Func.(pyast.Name)
	def := r.defs[string(name)]
	if !isName || def == nil {
		return true
	}
	for i, arg := range call.Args {
		offset, ok := r.offset(arg.Value, scopeOf(above))
		positional := arg.Name == "" && arg.Star == 0
		if !ok || !positional || i >= len(def.Params) {
			continue
		}
		key := argvAlias{def, def.Params[i].Name}
		if _, twice := r.aliases[key]; twice || def.Params[i].Star > 0 {
			r.unclear = true
		}
		r.aliases[key] = offset
	}
	return true
}

// offset returns the index at which an expression begins that is sys.argv or its end.
func (r *argvReader) offset(x pyast.Expr, scope *pyast.Def) (int, bool) {
	switch x := x.(type) {
	case pyast.Attr:
		return 0, x == pyast.Attr{X: pyast.Name("sys"), Name: "argv"}
	case pyast.Name:
		if offset, ok := r.aliases[argvAlias{scope, string(x)}]; ok {
			return offset, true
		}
		offset, ok := r.aliases[argvAlias{nil, string(x)}]
		return offset, ok
	case pyast.Index:
		slice, isSlice := x.Key.(pyast.Slice)
		offset, ok := r.offset(x.X, scope)
		low, constant := argvIndex(slice.Low)
		return offset + low, isSlice && ok && constant && slice.High == nil
	}
	return 0, false
}

// argvIndex returns a constant index; a missing one is 0.
func argvIndex(x pyast.Expr) (int, bool) {
	if x == nil {
		return 0, true
	}
	c, _ := x.(pyast.Const)
	n, ok := c.Value.(int64)
	return int(min(n, maxArgv+1)), ok && n >= 0
}

// usage returns what the script takes if that is certain.
func (r *wordUses) usage(lines []synopsis) (Usage, bool) {
	total := r.total()
	line := slices.IndexFunc(lines, func(s synopsis) bool { return !s.options && len(s.slots) == total })
	anything := r.rest == 1 && r.least == 0 && line < 0 // words, as if nothing were known
	disagree := line < 0 && len(lines) > 0
	if total == 0 || anything || disagree {
		return Usage{}, false
	}
	var slots []slot
	if line >= 0 {
		slots = lines[line].slots
	}
	positionals, ok := r.positionals(slots)
	return Usage{Form: byPosition, Positionals: positionals, open: !r.exact}, ok
}

// total returns the number of parameters.
func (r *wordUses) total() int {
	if r.rest > 0 {
		return r.rest
	}
	return max(r.last, r.least)
}

// positionals returns the parameters, with the names of slots if there are any. It returns
// false if they are not certain.
func (r *wordUses) positionals(slots []slot) (out []Parameter, ok bool) {
	least, total := r.least, r.total()
	for i, w := range r.words {
		if w.needed {
			least = max(least, i)
		}
	}
	overlap := r.rest > 0 && r.last >= r.rest
	if r.unclear || total > maxArgv || overlap {
		return nil, false
	}
	taken := map[string]bool{}
	for i := 1; i <= total; i++ {
		p := Parameter{Kind: Value, Type: String, Max: 1, Required: i <= least, Key: r.words[i].name, Choices: r.words[i].choices}
		if i == r.rest {
			p.Key, p.Max = r.restName, -1
		}
		if len(slots) >= i && slots[i-1].name != "" {
			p.Key = slots[i-1].name
		}
		if p.Key == "" || taken[p.Key] {
			p.Key = fmt.Sprintf("arg%d", i)
		}
		taken[p.Key] = true
		if p.Required {
			p.Min = 1
		}
		r.words[i].describe(&p)
		out = append(out, p)
	}
	return out, true
}

// describe fills in type and default.
func (w argvWord) describe(p *Parameter) {
	if kinds := slices.Compact(slices.Sorted(slices.Values(w.kinds))); len(kinds) == 1 {
		p.Type = kinds[0]
	}
	if !p.Required {
		switch w.fallback.(type) {
		case string, int64, float64:
			p.Default = w.fallback
		}
	}
}
