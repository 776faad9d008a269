package doctor

import (
	"slices"
	"strings"

	"skills/internal/lazyregexp"
	"skills/internal/programs"
)

// requirement is a program that a text requires.
type requirement struct {
	Name    string   // as in the text
	Choices []choice // alternatives to search on PATH
	Install string   // how to install it
	Soft    bool     // optional, an alternative, or not certain
	In      string   // the file whose command starts it, "" for the compatibility field
}

// choice is an executable that meets a requirement.
type choice struct {
	File   string
	Wanted specifier // allowed versions; empty for any
}

// maxField is how many characters of a field are read: four times the limit.
const maxField = 2000

var (
	paths            = lazyregexp.New(`\S+://\S+|(^|\s)[~.]{0,2}/\S+`) // URLs and paths
	asides           = lazyregexp.New(`[(（][^()（）]*[)）]`)              // text in parentheses
	pythonVersion    = lazyregexp.New(`(?i)\bpython(\d\.\d+)`)         // a version directly after the name
	orLater          = lazyregexp.New(`(?i)\s+(or|and)\s+(later|newer|higher|above|greater|up)\b`)
	betweenSentences = lazyregexp.New(`[.;!?]+(\s+|$)|[。；！？\n]|\s[–—]\s`)          // between sentences
	betweenItems     = lazyregexp.New(`,\s+|[，、]|\s+and\s+|\s+plus\s+|\s+[&+]\s+`) // between items of a list
	denied           = lazyregexp.New(`(?i)\b(no|not|without|never|install|installed with|instead of|rather than)\b|n't\b`)
	optional         = lazyregexp.New(`(?i)\b(optional|optionally|recommended|if|when|where|may|can|e\.g|such as|like|ideally|prefers?|preferably|any|via)\b`)
	alternative      = lazyregexp.New(`(?i)\bor\b|/`)
	asLanguage       = lazyregexp.New(`^\s+(project|package|code|skill|app)s?\b`) // after a name that means the language
	// Only lower bounds; "<4" and "==3.11" are not read.
	lowerBound = lazyregexp.New("^`?\\s*(?:version|>=|=>|≥|~=|\\^|>|v)?\\s*v?(\\d+(?:\\.\\d+){0,2})")
)

// recognise finds the known programs in a compatibility field, with versions.
// The field is free text: negated programs are omitted; optional ones, those in
// parentheses and alternatives are soft requirements.
func recognise(text string) []requirement {
	text = strings.ToValidUTF8(text[:min(len(text), maxField)], "")
	text = pythonVersion().ReplaceAllString(paths().ReplaceAllString(text, " "), "Python $1")
	text = orLater().ReplaceAllString(text, "")
	var out []requirement
	for _, sentence := range betweenSentences().Split(asides().ReplaceAllString(text, " "), -1) {
		items := []string{sentence}
		if !strings.Contains(sentence, ", or ") {
			items = betweenItems().Split(sentence, -1)
		}
		for _, item := range items {
			out = join(out, inItem(item, false))
		}
	}
	for _, aside := range asides().FindAllString(text, -1) {
		out = join(out, inItem(aside, true))
	}
	return out
}

// inItem finds the programs in a list item; those joined by "or" are one
// requirement.
func inItem(text string, soft bool) []requirement {
	soft = soft || optional().MatchString(text)
	alternatives := len(alternative().FindAllString(text, -1)) + 1
	if cut := denied().FindStringIndex(text); cut != nil {
		text = text[:cut[0]]
	}
	var out []requirement
	for i := 0; i < len(text); i++ {
		if i > 0 && (programs.Continues(text, i-1) || strings.IndexByte("-./:@$=", text[i-1]) >= 0) {
			continue
		}
		row, n := programs.Named(text[i:])
		if n == 0 {
			continue
		}
		name, rest := text[i:i+n], text[i+n:]
		wanted := versionAfter(rest)
		quoted := i > 0 && text[i-1] == '`'
		isProgram := !row.Word || quoted || len(wanted) > 0 // otherwise the name may be a word
		if isProgram && !asLanguage().MatchString(rest) {
			r := requirement{Name: name, Install: row.Install}
			for _, file := range row.Files {
				r.Choices = append(r.Choices, choice{file, wanted})
			}
			out = append(out, r)
		}
		i += n - 1
	}
	for i := range out {
		out[i].Soft = soft || alternatives > 1 && alternatives != len(out)
	}
	if alternatives > 1 && len(out) > 1 {
		for _, r := range out[1:] {
			out[0].Name += " or " + r.Name
			out[0].Install += ", or " + r.Install
			out[0].Choices = append(out[0].Choices, r.Choices...)
		}
		out = out[:1]
	}
	return out
}

// versionAfter parses a lower bound directly after a name: "3.10+", ">= 18",
// "v20".
func versionAfter(text string) specifier {
	if found := lowerBound().FindStringSubmatch(text); found != nil {
		return specifier{{op: ">=", version: found[1]}}
	}
	return nil
}

// join merges requirements; a known one may get a version and become certain.
func join(all, more []requirement) []requirement {
	sameFile := func(a, b choice) bool { return a.File == b.File }
	for _, r := range more {
		i := slices.IndexFunc(all, func(a requirement) bool {
			return slices.EqualFunc(a.Choices, r.Choices, sameFile) || r.In != "" && slices.ContainsFunc(a.Choices, func(c choice) bool { return sameFile(c, r.Choices[0]) })
		})
		if i < 0 {
			all = append(all, r)
			continue
		}
		all[i].Soft = all[i].Soft && r.Soft
		if len(all[i].Choices[0].Wanted) == 0 && r.In == "" {
			all[i].Choices = r.Choices
		}
	}
	return all
}
