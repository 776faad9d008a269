package doctor

import (
	"regexp"
	"sync"
)

// patterns are what the field's free text is read with.
type patterns struct {
	sentence    *regexp.Regexp // between sentences
	forAgents   *regexp.Regexp // a sentence that says for which agents
	item        *regexp.Regexp // between items of a list
	later       *regexp.Regexp // "or later" behind a version
	denied      *regexp.Regexp // what is behind it is no requirement
	optional    *regexp.Regexp // an item is optional
	alternative *regexp.Regexp // between alternatives
	language    *regexp.Regexp // behind a name that means the language
	command     *regexp.Regexp // a program that is not in the table
	version     *regexp.Regexp // a version behind a name
	aside       *regexp.Regexp // what stands in brackets
	place       *regexp.Regexp // addresses and paths
	python      *regexp.Regexp // a version grown together with the name
	before      *regexp.Regexp // what may stand before a name that stands alone
	after       *regexp.Regexp // and behind it
}

// grammar is the patterns, made when first needed.
var grammar = sync.OnceValue(func() *patterns {
	return &patterns{
		sentence:    regexp.MustCompile(`[.;!?]+(\s+|$)|[。；！？\n]|\s[–—]\s`),
		forAgents:   regexp.MustCompile(`(?i)^\s*(designed|made|built|tested|compatible|also)\b`),
		item:        regexp.MustCompile(`,\s*|[，、]|\s+and\s+|\s+plus\s+|\s*[&+]\s+`),
		later:       regexp.MustCompile(`(?i)\s+(or|and)\s+(later|newer|higher|above|greater|up)\b`),
		denied:      regexp.MustCompile(`(?i)\b(no|not|without|never|install|installed with|instead of|rather than)\b|n't\b`),
		optional:    regexp.MustCompile(`(?i)\b(optional|optionally|recommended|if|when|where|may|can|e\.g|such as|like|ideally|prefers?|preferably|any)\b`),
		alternative: regexp.MustCompile(`(?i)\s+or\s+|/`),
		language:    regexp.MustCompile(`^\s+(project|package|code|skill)s?\b`),
		command:     regexp.MustCompile("^`?([a-z][a-z0-9_-]{1,30})`?\\s+(CLI|binary)\\b"),
		version:     regexp.MustCompile("^`?\\s*(version|>=|=>|≥|~=|\\^|>|v)?\\s*v?(\\d+(\\.\\d+){0,2})"),
		aside:       regexp.MustCompile(`[(（]([^()（）]*)[)）]`),
		place:       regexp.MustCompile(`\S+://\S+|(^|\s)[~.]{0,2}/\S+`),
		python:      regexp.MustCompile(`(?i)\bpython(\d\.\d+)`),
		before:      regexp.MustCompile(`^[\s` + "`" + `]*((requires?|needs?|uses?|either|a|an|the|with|:)[\s` + "`" + `]*)*$`),
		after:       regexp.MustCompile(`^[\s` + "`" + `]*((toolchain|compiler|cli|on|path|command|commands|installed|available)\b[\s` + "`" + `]*)*\.?$`),
	}
})
