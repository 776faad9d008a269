package doctor

import "strings"

// Requirement is a program that a text says is needed.
type Requirement struct {
	Name    string   // as people write it
	Choices []Choice // what to look for on the search path, alternatives
	Install string   // what to do where none is there
	Soft    bool     // optional, or not certain to be meant
	Unknown bool     // in no table: it may be no program at all
}

// Choice is a program that will do.
type Choice struct {
	Program string
	Wanted  specifier // the versions that will do; empty for any
}

// Recognise finds the programs that a compatibility field names. The field is
// free text, so it is careful: what is denied or optional, a mere example, or
// a word that can mean something else is no requirement, or a soft one.
func Recognise(text string) []Requirement {
	text = harmlessText(strings.ToValidUTF8(text[:min(len(text), maxField)], ""))
	var out []Requirement
	aside := grammar().aside
	for _, found := range aside.FindAllStringSubmatch(text, -1) {
		for _, r := range sentences(found[1]) {
			r.Soft = true
			out = append(out, r)
		}
	}
	return merged(append(sentences(aside.ReplaceAllString(text, " ")), out...))
}

// maxField is how much of a field is read: four times what the specification
// allows.
const maxField = 2000

// harmlessText leaves out addresses and paths, and takes "python3.11" apart.
func harmlessText(text string) string {
	text = grammar().place.ReplaceAllString(text, " ")
	return grammar().python.ReplaceAllString(text, "Python $1")
}

// sentences finds the requirements of each sentence.
func sentences(text string) []Requirement {
	var out []Requirement
	for _, sentence := range grammar().sentence.Split(text, -1) {
		if grammar().forAgents.MatchString(sentence) {
			continue // says for which agents
		}
		sentence = grammar().bound.ReplaceAllString(grammar().only.ReplaceAllString(sentence, "requires"), "∧$1")
		out = append(out, items(sentence)...)
	}
	return out
}

// items finds the requirements of a sentence, one list item after another.
func items(sentence string) []Requirement {
	var out []Requirement
	about := subject{demand: grammar().demand.MatchString(sentence), library: grammar().library.MatchString(sentence), list: true}
	bare := 0 // how many of the last requirements are items of a name alone
	for _, item := range grammar().item.Split(sentence, -1) {
		rest, last := strings.CutPrefix(strings.ToLower(strings.TrimSpace(item)), "or ")
		if last {
			item = item[strings.Index(strings.ToLower(item), "or ")+3:]
		}
		found := inItem(item, about)
		about.list = about.list && (len(found) > 0 || len(strings.Fields(item)) <= maxItem)
		alone := len(found) == 1 && aloneWord(rest, found[0].Name)
		if last && len(found) == 1 && bare > 0 { // "npm, pnpm, or yarn"
			group := append(out[len(out)-bare:], found[0])
			out = append(out[:len(out)-bare], either(group))
			bare = 0
			continue
		}
		out = append(out, found...)
		if alone {
			bare++
		} else {
			bare = 0
		}
	}
	return out
}

// inItem finds the requirements of a list item.
func inItem(item string, about subject) []Requirement {
	item = grammar().later.ReplaceAllString(item, "+")
	if cut := grammar().denied.FindStringIndex(item); cut != nil {
		item = item[:cut[0]]
	}
	soft := grammar().optional.MatchString(item)
	parts := grammar().alternative.Split(item, -1)
	var found []Requirement
	each := true // whether every alternative is a program that is known
	for _, part := range parts {
		names := inPart(part, about)
		each = each && len(names) == 1
		found = append(found, names...)
	}
	if len(parts) > 1 && each {
		found = []Requirement{either(found)}
	} else if len(parts) > 1 {
		soft = true
	}
	for i := range found {
		found[i].Soft = found[i].Soft || soft
	}
	return found
}

// subject is what a sentence is about.
type subject struct {
	demand  bool // what is needed
	library bool // things that need not be programs
	list    bool // so far it is a list of what is needed
}

// maxItem is how many words an item may have that names no program, in a list
// of what is needed.
const maxItem = 4

// inPart finds the programs that a piece of text names.
func inPart(text string, about subject) []Requirement {
	var out []Requirement
	for i := 0; i < len(text); i++ {
		if i > 0 && (wordByte(text, i-1) || strings.IndexByte("-./:@$=", text[i-1]) >= 0) {
			continue
		}
		p, n := named(text[i:])
		if n == 0 {
			if r, length := unknown(text, i, about); length > 0 {
				out = append(out, r)
				i += length - 1
			}
			continue
		}
		rest := text[i+n:]
		wanted, length := wantedVersion(rest)
		code := i > 0 && text[i-1] == '`'
		if p.word && length == 0 && !code && !aloneWord(text, text[i:i+n]) || grammar().language.MatchString(rest) {
			i += n - 1
			continue
		}
		out = append(out, Requirement{Name: text[i : i+n], Choices: choices(p.onPath(), wanted), Install: p.fix()})
		i += n - 1
	}
	return out
}

// choices are programs of which the same version is wanted.
func choices(programs []string, wanted specifier) []Choice {
	var out []Choice
	for _, name := range programs {
		out = append(out, Choice{name, wanted})
	}
	return out
}

// wantedVersion reads a version right behind a name: "3.10+", ">= 18", "v20",
// "<4". People who write "up to 3.12" mean what follows 3.12, too. length is
// how much of the text it takes, 0 for no version.
func wantedVersion(text string) (wanted specifier, length int) {
	found := grammar().version.FindStringSubmatch(text)
	if found == nil {
		return nil, 0
	}
	first := clause{op: ">=", version: found[2]}
	switch found[1] {
	case "<", "<=", "==":
		first.op, first.any = found[1], found[1] != "<"
	case "~=":
		if strings.Contains(first.version, ".") {
			first.op = "~="
		}
	}
	more, _ := parseSpecifier(strings.ReplaceAll(found[4], "∧", ",")) // none where it has a form of its own
	return append(specifier{first}, more...), len(found[0])
}
