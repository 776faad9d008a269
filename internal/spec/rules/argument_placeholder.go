package rules

import (
	"strings"

	"skills/internal/lazyregexp"
	"skills/internal/printable"
	"skills/internal/spec"
)

var argumentPlaceholder = &spec.Rule{
	ID:     "argument-placeholder",
	Title:  "code has no variables that a client replaces",
	Level:  spec.Warning,
	Needs:  spec.NeedsBody,
	Source: "Claude Code, skills: $ARGUMENTS and $0, $1 … become the arguments of /name",
	Check: func(p *spec.Pass) {
		if p.Doc.Field("argument-hint") != nil || p.Doc.Field("arguments") != nil {
			return // the author knows them
		}
		count, at := 0, [2]int{}
		for _, c := range p.Doc.Page().Code {
			if !strings.Contains(c.Text, "$") { // the expression is slow
				continue
			}
			for _, m := range argumentVariable().FindAllStringSubmatchIndex(c.Text, -1) {
				if m[2] < 0 {
					return // $ARGUMENTS is meant
				}
				if isAmount(c.Text, m[2], m[3]) {
					continue
				}
				count++
				if count == 1 {
					at = [2]int{c.Offset(m[2]), c.Offset(m[3]-1) + 1}
				}
			}
		}
		if count == 0 || argumentsInText().MatchString(p.Doc.Body) {
			return
		}
		variable := p.Doc.Body[at[0]:at[1]]
		p.Report(p.Doc.BodySpan(at[0], at[1]), `write \`+variable+`, or move the code into a script`,
			"Claude Code replaces %s by an argument when a user starts the skill with some%s", printable.Quote(variable), andMore(count, "place"))
	},
}

// isAmount reports whether what looks like a variable is an amount of money: what follows
// is its unit or the end of its range, or its line has other amounts.
func isAmount(text string, start, end int) bool {
	from := strings.LastIndexByte(text[:start], '\n') + 1
	line, _, _ := strings.Cut(text[from:], "\n")
	hasAmounts := otherAmount().MatchString(line) && !strings.Contains(line, "{") // awk has fields above 9
	return hasAmounts || strings.HasSuffix(text[:start], "~") || amountUnit().MatchString(text[end:])
}

var (
	otherAmount = lazyregexp.New(`(?:^|[^\\$\w{])\$(?:[1-9][0-9]+\b|[0-9]+[.,][0-9])`)
	amountUnit  = lazyregexp.New(`^(?:–\$?[0-9]| ?/ ?(?:1?[KM]|[KMGT]B|mo|month|yr|year|hr|hour|seat|MTok)\b| (?:thousand|[mb]illion|an? (?:day|week|month|year)|per (?:day|week|month|year|user|hour|million))\b)`)

	// argumentVariable matches a variable with a number in its group, or $ARGUMENTS. It is
	// not escaped, nor the start of an amount of money.
	argumentVariable = lazyregexp.New(`(?:^|[^\\$\w])(\$[0-9])(?:[^0-9.,\w]|[.,](?:[^0-9]|$)|$)|\$ARGUMENTS\b`)
	argumentsInText  = lazyregexp.New(`\$ARGUMENTS\b|\$\{?CLAUDE_SKILL_ARGS|(?m)^\s*[-*]\s*` + "`?" + `\$[0-9]\b`)
)
