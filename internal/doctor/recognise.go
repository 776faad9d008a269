package doctor

import (
	"slices"
	"strings"
)

// Requirement is a program that a text says is needed.
type Requirement struct {
	Name     string   // as people write it
	Programs []string // what to look for on the search path, alternatives
	Install  string   // what to do where none is there
	Least    string   // the lowest version that will do, "" for any
	Soft     bool     // optional, or not certain to be meant
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
		out = append(out, items(sentence)...)
	}
	return out
}

// items finds the requirements of a sentence, one list item after another.
func items(sentence string) []Requirement {
	var out []Requirement
	bare := 0 // how many of the last requirements are items of a name alone
	for _, item := range grammar().item.Split(sentence, -1) {
		rest, last := strings.CutPrefix(strings.ToLower(strings.TrimSpace(item)), "or ")
		if last {
			item = item[strings.Index(strings.ToLower(item), "or ")+3:]
		}
		found := inItem(item)
		alone := len(found) == 1 && aloneIn(rest, found[0])
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
func inItem(item string) []Requirement {
	item = grammar().later.ReplaceAllString(item, "+")
	if cut := grammar().denied.FindStringIndex(item); cut != nil {
		item = item[:cut[0]]
	}
	soft := grammar().optional.MatchString(item)
	parts := grammar().alternative.Split(item, -1)
	var found []Requirement
	each := true // whether every alternative is a program that is known
	for _, part := range parts {
		names := inPart(part)
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

// inPart finds the programs that a piece of text names.
func inPart(text string) []Requirement {
	var out []Requirement
	for i := 0; i < len(text); i++ {
		if i > 0 && wordByte(text, i-1) || i > 0 && strings.IndexByte("-./", text[i-1]) >= 0 {
			continue
		}
		p, n := named(text[i:])
		if n == 0 {
			if name, length, code := otherCommand(text[i:]); length > 0 {
				out = append(out, Requirement{Name: name, Programs: []string{name}, Install: "install " + name, Soft: !code})
				i += length - 1
			}
			continue
		}
		rest := text[i+n:]
		least, versioned := leastVersion(rest)
		code := i > 0 && text[i-1] == '`'
		if p.word && !versioned && !code && !aloneWord(text, text[i:i+n]) || grammar().language.MatchString(rest) {
			i += n - 1
			continue
		}
		out = append(out, Requirement{Name: text[i : i+n], Programs: p.onPath(), Install: p.fix(), Least: least})
		i += n - 1
	}
	return out
}

// otherCommand recognises a program that is not in the table: `name` CLI.
func otherCommand(text string) (name string, length int, code bool) {
	found := grammar().command.FindStringSubmatch(text)
	if found == nil || slices.Contains([]string{"the", "an", "any", "this", "your", "cloud", "agent", "coding", "project"}, found[1]) {
		return "", 0, false
	}
	return found[1], len(found[0]), text[0] == '`'
}

// leastVersion reads a version right behind a name: "3.10+", ">= 18", "v20".
func leastVersion(text string) (least string, ok bool) {
	found := grammar().version.FindStringSubmatch(text)
	if found == nil {
		return "", false
	}
	return found[2], true
}
