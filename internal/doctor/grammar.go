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
	bound       *regexp.Regexp // a further bound of a version: ">=3.9, <4"
	later       *regexp.Regexp // "or later" behind a version
	only        *regexp.Regexp // a condition without which nothing works
	denied      *regexp.Regexp // what is behind it is no requirement
	optional    *regexp.Regexp // an item is optional
	alternative *regexp.Regexp // between alternatives
	language    *regexp.Regexp // behind a name that means the language
	demand      *regexp.Regexp // a sentence that says what is needed
	library     *regexp.Regexp // a sentence whose names need not be programs
	called      *regexp.Regexp // a program that is not in the table, called one
	word        *regexp.Regexp // a name that may be a program's
	onPath      *regexp.Regexp // behind a name that can only be a program's
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
		item:        regexp.MustCompile(`,\s*|[，、]|\s+and\s+|\s+plus\s+|\s+[&+]\s+`),
		bound:       regexp.MustCompile(`,\s*((?:[<>]=?|[!=~]=)\s*\d)`),
		later:       regexp.MustCompile(`(?i)\s+(or|and)\s+(later|newer|higher|above|greater|up)\b`),
		only:        regexp.MustCompile(`(?i)\bonly\b[^,;]*?\b(if|when|where|with)\b`),
		denied:      regexp.MustCompile(`(?i)\b(no|not|without|never|install|installed with|instead of|rather than)\b|n't\b`),
		optional:    regexp.MustCompile(`(?i)\b(optional|optionally|recommended|if|when|where|may|can|e\.g|such as|like|ideally|prefers?|preferably|any)\b`),
		alternative: regexp.MustCompile(`(?i)\s+or\s+|/`),
		language:    regexp.MustCompile(`^\s+(project|package|code|skill)s?\b`),
		demand:      regexp.MustCompile(`(?i)\b(requires?|required|requirements?|needs?|needed|prerequisites?|dependencies|depends on|must (have|be)|(on|in) (the |your |\$)?path)\b|需要|依赖`),
		library: regexp.MustCompile(`(?i)\b(packages?|librar(y|ies)|modules?|extras?|crates?|gems?|plugins?|extensions?|skills?|mcp|servers?|connectors?|apis?|keys?|` +
			`variables?|files?|folders?|director(y|ies)|branch(es)?|repos?|repositor(y|ies)|fields?|models?|permissions?|scopes?|roles?|accounts?|tools named)\b`),
		called:  regexp.MustCompile("^(?:`([a-z][a-z0-9_-]{1,30})`\\s+(?:CLI|binary|executable|command|program|tool|utility)|([a-z][a-z0-9_-]{1,30})\\s+(?:CLI|binary|executable))\\b"),
		word:    regexp.MustCompile("^(?:`([a-z][a-z0-9_-]{1,30})`|([a-z][a-z0-9_-]{1,30}))"),
		onPath:  regexp.MustCompile(`(?i)^\s+(must be |is |to be )?(on|in) (the |your |\$)?path\b`),
		version: regexp.MustCompile("^`?\\s*(version|<=|<|==|>=|=>|≥|~=|\\^|>|v)?\\s*v?(\\d+(\\.\\d+){0,2})((∧\\s*([<>]=?|[!=~]=)\\s*\\d+(\\.\\d+){0,2}(\\.\\*)?)*)"),
		aside:   regexp.MustCompile(`[(（]([^()（）]*)[)）]`),
		place:   regexp.MustCompile(`\S+://\S+|(^|\s)[~.]{0,2}/\S+`),
		python:  regexp.MustCompile(`(?i)\bpython(\d\.\d+)`),
		before:  regexp.MustCompile(`^[\s` + "`" + `]*((requires?|required|requirements?|needs?|uses?|either|both|also|a|an|the|with|prerequisites?|dependencies|depends on|expects?|assumes|must have|需要|依赖|:)[\s` + "`" + `]*)*$`),
		after:   regexp.MustCompile(`^[\s` + "`" + `]*((toolchain|compiler|cli|binary|executable|tool|utility|on|in|the|your|\$?path|command|commands|installed|available|present|authenticated|required|needed|(is|are|must be|to be))\b[\s` + "`" + `]*)*\.?$`),
	}
})
