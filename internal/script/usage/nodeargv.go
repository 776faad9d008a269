package usage

// Node scripts that use process.argv by position. There is no tree of the code, so the words
// that must be given are those that a check asks for.

import (
	"slices"
	"strconv"
	"strings"

	"skills/internal/script/usage/jslit"
)

// jsWords collects the uses of process.argv.
type jsWords struct {
	wordUses
	*nodeReader
	aliases  map[string]bool // variables with the words
	required map[string]bool // variables whose absence ends the script
}

// argv returns what a script takes that uses process.argv by position.
func (r *nodeReader) argv(lines []synopsis) (Usage, bool) {
	w := &jsWords{nodeReader: r, aliases: map[string]bool{}, required: r.required()}
	for i := range r.tokens {
		if r.tokens[i].Kind == jslit.Template && strings.Contains(strings.ReplaceAll(r.tokens[i].Code, "argv[1]", ""), "argv") {
			w.unclear = true
		}
		if r.comparesOption(i) {
			w.unclear = true
		}
		if i > 1 && r.tokens[i].Is("argv") {
			w.process(i)
		}
	}
	for i, t := range r.tokens {
		isAlias := t.Kind == jslit.Name && w.aliases[t.Text]
		if isAlias && i > 0 && !r.tokens[i-1].Is(".") {
			w.alias(i)
		}
	}
	for i, word := range w.words {
		if word.name != "" && w.required[word.name] && word.fallback == nil {
			w.least = max(w.least, i)
		}
	}
	if w.total() == 0 {
		return Usage{}, false
	}
	return w.usage(lines)
}

// comparesOption reports whether a token is the text of an option that something is
// compared with.
func (r *nodeReader) comparesOption(i int) bool {
	t := r.tokens[i]
	option := t.Kind == jslit.String && len(t.Text) > 1 && len(t.Text) < 40 && t.Text[0] == '-' && !strings.Contains(t.Text, " ") &&
		!slices.Contains([]string{"-h", "--help", "--version"}, t.Text)
	isDash := t.Kind == jslit.String && t.Text == "-"
	if i < 2 || !option && !isDash {
		return false
	}
	before := r.tokens[i-1]
	if before.Is("(") {
		return slices.Contains([]string{"includes", "startsWith", "indexOf", "has", "find"}, r.tokens[i-2].Text)
	}
	return option && (before.Is("===") || before.Is("==") || before.Is("!==") || before.Is("case") || r.tokens[i+1].Is("==="))
}

// process handles a use of process.argv.
func (w *jsWords) process(i int) {
	t := w.tokens
	if !t[i-1].Is(".") || !t[i-2].Is("process") {
		if !w.aliases["argv"] && !(t[i-1].Is("const") || t[i-1].Is("let")) {
			w.unclear = true
		}
		return
	}
	start := i - 2
	switch {
	case t[i+1].Is("["):
		w.index(start, i+1, -1)
	case w.follows(i+1, ".", "slice", "(") && t[i+4].Text == "2" && t[i+5].Is(")"):
		w.sliced(start, i+6, 0)
	case t[i+1].Is(".") && t[i+2].Is("length"):
		w.length(start, i+3, -2)
	case start > 0 && t[start-1].Is("="):
		w.destructured(start-1, -2)
	default:
		w.unclear = true
	}
}

// sliced handles process.argv.slice(2), which ends before a token.
func (w *jsWords) sliced(start, next, shift int) {
	t := w.tokens
	isValue := endsValue(t[next]) || t[next].Kind == jslit.Name
	switch {
	case t[next].Is("["):
		w.index(start, next, shift+1)
	case t[next].Is(".") && t[next+1].Is("join"):
		w.all(1, w.declared(start))
	case t[next].Is(".") && t[next+1].Is("length"):
		w.length(start, next+2, 0)
	case isValue && w.assigns(start):
		if w.aliases[t[start-2].Text] {
			w.unclear = true
		}
		w.aliases[t[start-2].Text] = true
	case start > 1 && t[start-1].Is("="):
		w.destructured(start-1, 0)
	case start > 0 && t[start-1].Is("of") && t[next].Is(")"):
		w.all(1, t[start-2].Text)
	default:
		w.unclear = true
	}
}

// assigns reports whether what begins at a token becomes a variable.
func (w *jsWords) assigns(start int) bool {
	return start > 1 && w.tokens[start-1].Is("=") && w.tokens[start-2].Kind == jslit.Name
}

// endsValue reports whether a token ends an expression; a line without a semicolon ends before
// a name.
func endsValue(t jslit.Token) bool { return t.Is(";") || t.Is(",") || t.Is(")") || t.Kind == jslit.End }

// alias handles the use of a variable with the words.
func (w *jsWords) alias(i int) {
	t := w.tokens
	switch {
	case t[i-1].Is("const") || t[i-1].Is("let") || t[i-1].Is("var"):
	case t[i+1].Is("=") || t[i+1].Is("=>") || t[i+1].Is(":"):
		w.unclear = true
	default:
		w.sliced(i, i+1, 0)
	}
}

// index handles [n]; the word is n plus shift.
func (w *jsWords) index(start, at, shift int) {
	n, err := strconv.Atoi(w.tokens[at+1].Text)
	if err != nil || !w.tokens[at+2].Is("]") || n+shift > maxArgv {
		w.unclear = true
		return
	}
	if n+shift < 1 {
		return
	}
	w.last = max(w.last, n+shift)
	word := &w.words[n+shift]
	if word.name == "" {
		word.name = w.declared(start)
	}
	if next := w.tokens[at+3]; next.Is("||") || next.Is("??") {
		value, _ := jslit.Value(w.tokens, at+4)
		if text, ok := value.(string); ok && text != "" {
			word.fallback = text
		}
	}
}

// declared returns the variable that is declared with a value from a token on: const x = v,
// also with calls of functions around it.
func (w *jsWords) declared(start int) string {
	t := w.tokens
	at := start - 1
	around := func() bool { // a function, or one of an object
		isName := t[at].Kind == jslit.Name && (t[at+1].Is("(") || t[at+1].Is("."))
		return t[at].Is("(") || t[at].Is(".") || isName
	}
	for at > 1 && around() {
		at--
	}
	if at > 1 && w.assigns(at+1) && w.declares(at-2) {
		return t[at-1].Text
	}
	return ""
}

// destructured handles const [a, b = 'x'] = …, whose = is a token.
func (w *jsWords) destructured(at, shift int) {
	t := w.tokens
	open := at - 1
	for open > 0 && !t[open].Is("[") {
		open--
	}
	if !t[at-1].Is("]") || open == 0 || !w.declares(open-1) {
		w.unclear = true
		return
	}
	index := 1 + shift
	for i := open + 1; i < at-1; i++ {
		switch {
		case t[i].Is(","):
			index++
		case t[i].Is("...") && index > 0:
			w.all(index, t[i+1].Text)
			return
		case index < 1 && t[i].Kind == jslit.Name:
		case t[i].Kind == jslit.Name && index <= maxArgv:
			w.last = max(w.last, index)
			w.words[index].name = t[i].Text
		case t[i].Is("=") && index > 0 && index <= maxArgv:
			value, next := jslit.Value(t, i+1)
			if text, ok := value.(string); ok {
				w.words[index].fallback = text
			}
			i = next - 1
		default:
			w.unclear = true
			return
		}
	}
}

// length handles a comparison of the length, which has shift words more.
func (w *jsWords) length(start, at, shift int) {
	t := w.tokens
	n, err := strconv.Atoi(t[at+1].Text)
	negated := start > 0 && t[start-1].Is("!")
	if negated && t[at].Is(")") { // if (!args.length)
		n, err = 1, nil
	}
	inIf := start > 1 && (t[start-1].Is("(") && t[start-2].Is("if") || negated && t[start-2].Is("("))
	closing := at + 2
	if negated {
		closing = at
	}
	refuses := inIf && t[closing].Is(")") && w.fails(closing+1)
	if err != nil || !refuses {
		return // it says nothing about what must be given
	}
	op := t[at].Text
	if negated {
		op = "<"
	}
	n += shift
	switch {
	case op == "<":
		w.need(n)
	case op == "<=":
		w.need(n + 1)
	case (op == "===" || op == "==") && n == 0:
		w.need(1)
	case op == "!==" || op == "!=":
		w.need(n)
		w.exact = true
	}
}

// need notes that so many words must be given.
func (w *jsWords) need(n int) {
	if n < 0 || n > maxArgv {
		return
	}
	w.checked, w.least, w.last = true, max(w.least, n), max(w.last, n)
}
