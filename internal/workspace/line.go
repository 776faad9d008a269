package workspace

// A command line is parsed as bash does, to show which commands it runs, and to decide
// whether all of them are known. What is not certain is opaque: then nothing but a person
// can approve it.

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"skills/internal/agent"
	"skills/internal/lazyregexp"
	"skills/internal/printable"
	"skills/internal/script/gitline"
)

// Line is a parsed command line.
type Line struct {
	// Commands are the words of each simple command, in order. A word that is not
	// certain is as it is written.
	Commands [][]string
	// Opaque is why not everything that the line does is certain; "" if it is.
	Opaque string
}

// ParseLine parses a command line.
func ParseLine(text string) Line {
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash), syntax.KeepComments(true)).Parse(strings.NewReader(text), "")
	if err != nil {
		return Line{Opaque: "it cannot be parsed"}
	}
	p := lineParser{text: text, plain: map[*syntax.CmdSubst]bool{}}
	p.differences()
	syntax.Walk(file, p.node)
	if len(p.line.Commands) == 0 && p.line.Opaque == "" {
		p.line.Opaque = "it runs no command"
	}
	return p.line
}

// continuedWord matches a continued line that does not end in a blank.
var continuedWord = lazyregexp.New(`(?:^|[^ \t])\\\n`)

// differences looks for what bash and the parser read differently.
func (p *lineParser) differences() {
	if strings.Contains(p.text, "\r") { // an ordinary character for bash, a blank for the parser
		p.opaque("it has carriage returns")
	}
	if continuedWord().MatchString(p.text) { // such as one between $ and (
		p.opaque("a word is continued on the next line")
	}
}

// facts say to people why not all is certain, which a narrow terminal must not cut off, and
// then list the commands.
func (l Line) facts() (facts []agent.Fact) {
	if l.Opaque != "" {
		facts = append(facts, agent.Fact{Label: "uncertain", Value: l.Opaque})
	}
	var all []string
	for _, words := range l.Commands {
		all = append(all, strings.Join(printable.Map(words, printable.ShellWord), " "))
	}
	if len(all) > 0 {
		facts = append(facts, agent.Fact{Label: "runs", Value: strings.Join(all, " · ")})
	}
	return facts
}

// writesHistory reports whether the line, of which all is certain, has a command that writes
// the history of a repository.
func (l Line) writesHistory() bool {
	return l.Opaque == "" && slices.ContainsFunc(l.Commands, gitline.Writes)
}

// starts reports whether one of its commands is the program.
func (l Line) starts(program string) bool {
	return slices.ContainsFunc(l.Commands, func(words []string) bool { return len(words) > 0 && words[0] == program })
}

type lineParser struct {
	text  string
	line  Line
	plain map[*syntax.CmdSubst]bool // substitutions that are text, see hereText
}

func (p *lineParser) opaque(why string) {
	if p.line.Opaque == "" {
		p.line.Opaque = why
	}
}

// node looks at one node of the syntax tree.
func (p *lineParser) node(node syntax.Node) bool {
	switch n := node.(type) {
	case *syntax.CallExpr:
		p.call(n)
	case *syntax.Redirect:
		p.redirect(n)
	case *syntax.DblQuoted:
		for _, part := range n.Parts {
			if subst, ok := part.(*syntax.CmdSubst); ok {
				_, p.plain[subst] = hereText(subst)
			}
		}
	case *syntax.CmdSubst:
		if p.plain[n] {
			return false
		}
		p.opaque("a substitution runs commands")
	case *syntax.ProcSubst:
		p.opaque("a substitution runs commands")
	case *syntax.Comment:
		if strings.Contains(p.text, "\\\n") { // for the parser it continues a comment
			p.opaque("it has a comment and continued lines")
		}
	case *syntax.ParamExp:
		if !plainParameter().MatchString(p.source(n)) {
			p.opaque("it computes a value")
		}
	case *syntax.ArithmExp:
		p.opaque("it computes a value")
	case *syntax.FuncDecl:
		p.opaque("it defines a function")
	case *syntax.CoprocClause:
		p.opaque("it starts a coprocess")
	case *syntax.DeclClause, *syntax.LetClause, *syntax.ArithmCmd, *syntax.ForClause, *syntax.CaseClause, *syntax.TestClause, *syntax.WhileClause:
		p.opaque("its words depend on variables")
	}
	return true
}

// plainParameter matches the use of a variable that has no other effect.
var plainParameter = lazyregexp.New(`^\$(\w+|\{\w+\})$`)

// indirect are commands of the shell that run what their arguments say, or that set
// variables: then the words of later commands, or where their programs are, are not certain.
func indirect() []string {
	return []string{
		"eval", "source", ".", "exec", "command", "builtin", "trap", "alias", "unalias", "enable", "set", "shopt", "hash", "jobs", "fc", "bind", "complete", "compgen",
		"compopt", "history", "read", "mapfile", "readarray", "getopts", "unset", "declare", "typeset", "local", "export", "readonly", "let",
	}
}

// isIndirect reports whether a command is one of indirect, or one with an option that sets or
// evaluates a variable.
func isIndirect(words []string) bool {
	option := map[string]string{"printf": "-v", "wait": "-p", "test": "-v", "[": "-v"}[words[0]]
	sets := option != "" && slices.ContainsFunc(words[1:], func(word string) bool { return strings.HasPrefix(word, "-") && strings.Contains(word, option[1:]) })
	return sets || slices.Contains(indirect(), words[0])
}

// call adds a simple command.
func (p *lineParser) call(n *syntax.CallExpr) {
	if len(n.Assigns) > 0 {
		p.opaque("it sets variables")
	}
	if len(n.Args) == 0 {
		return
	}
	var words []string
	for _, word := range n.Args {
		text, certain := literal(word.Parts)
		if !certain && word.Lit() == "[" { // the program
			text, certain = "[", true
		}
		if !certain {
			p.opaque("a word depends on variables, substitutions or file names")
			text = p.source(word)
		}
		words = append(words, text)
	}
	if first := p.source(n.Args[0]); first != "[" && strings.ContainsAny(first, "*?[") {
		p.opaque("the program depends on file names")
	}
	if isIndirect(words) {
		p.opaque(words[0] + " runs or changes what is not shown")
	}
	p.line.Commands = append(p.line.Commands, words)
}

// source returns a node as it is written.
func (p *lineParser) source(n syntax.Node) string {
	from, to := int(n.Pos().Offset()), int(n.End().Offset())
	if from > to || to > len(p.text) {
		return "…"
	}
	return p.text[from:to]
}

// literal returns the text of a word, and whether it is certain. A pattern of file names
// is, if what is before it keeps the names from looking like options. Braces are not.
func literal(parts []syntax.WordPart) (text string, certain bool) {
	for _, part := range parts {
		switch n := part.(type) {
		case *syntax.Lit:
			value := n.Value
			if i := strings.IndexAny(value, "*?[{~"); i >= 0 {
				before := text + unescaped(value[:i])
				safe := value[i] != '~' && before != "" && before[0] != '-'
				if !safe || strings.Contains(value, "{") {
					return "", false
				}
			}
			text += unescaped(value)
		case *syntax.SglQuoted:
			if n.Dollar {
				return "", false
			}
			text += n.Value
		case *syntax.DblQuoted:
			if n.Dollar {
				return "", false
			}
			for _, inner := range n.Parts {
				switch in := inner.(type) {
				case *syntax.Lit:
					text += quotedText(in.Value)
				case *syntax.CmdSubst:
					here, ok := hereText(in)
					if !ok {
						return "", false
					}
					text += here
				default:
					return "", false
				}
			}
		default:
			return "", false
		}
	}
	return text, true
}

// hereText returns the text of a substitution that only prints a here document without
// expansions, as in "$(cat <<'EOF' ...)".
func hereText(n *syntax.CmdSubst) (text string, ok bool) {
	if len(n.Stmts) != 1 || n.TempFile || n.ReplyVar {
		return "", false
	}
	stmt := n.Stmts[0]
	call, ok := stmt.Cmd.(*syntax.CallExpr)
	cat := ok && len(call.Assigns) == 0 && len(call.Args) == 1 && call.Args[0].Lit() == "cat"
	if !cat || len(stmt.Redirs) != 1 {
		return "", false
	}
	if stmt.Negated || stmt.Background || stmt.Coprocess {
		return "", false
	}
	from := stmt.Redirs[0]
	isHere := from.Op == syntax.Hdoc && from.N == nil && len(from.Word.Parts) == 1
	if !isHere {
		return "", false
	}
	_, quoted := from.Word.Parts[0].(*syntax.SglQuoted)
	if !quoted {
		return "", false
	}
	if from.Hdoc == nil {
		return "", true
	}
	for _, part := range from.Hdoc.Parts {
		lit, isText := part.(*syntax.Lit)
		if !isText {
			return "", false
		}
		text += lit.Value
	}
	return strings.TrimRight(text, "\n"), true
}

// unescaped removes the backslashes of an unquoted text.
func unescaped(text string) string {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] == '\\' && i+1 < len(text) {
			i++
			if text[i] == '\n' {
				continue
			}
		}
		b.WriteByte(text[i])
	}
	return b.String()
}

// quotedText removes the backslashes that count in double quotes.
func quotedText(text string) string {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] == '\\' && i+1 < len(text) && strings.IndexByte("$`\"\\\n", text[i+1]) >= 0 {
			i++
			if text[i] == '\n' {
				continue
			}
		}
		b.WriteByte(text[i])
	}
	return b.String()
}

// redirect notes what is written to files.
func (p *lineParser) redirect(n *syntax.Redirect) {
	target := ""
	if n.Word != nil {
		text, certain := literal(n.Word.Parts)
		if certain {
			target = text
		}
	}
	if n.N != nil && strings.Trim(n.N.Value, "0123456789") != "" {
		p.opaque("it sets variables")
	}
	switch n.Op {
	case syntax.Hdoc, syntax.DashHdoc, syntax.WordHdoc, syntax.RdrIn:
	case syntax.DplOut, syntax.DplIn:
		if !slices.Contains([]string{"0", "1", "2", "-"}, target) {
			p.opaque("it redirects to " + printable.Line(p.source(n.Word)))
		}
	default:
		if target != "/dev/null" {
			p.opaque("it writes to a file: " + printable.Line(p.source(n.Word)))
		}
	}
}
