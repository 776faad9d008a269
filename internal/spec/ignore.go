package spec

// A comment in the body that silences rules is read before they run. It has to name each
// rule, so that it cannot hide more than its author has seen. What it names in vain, or
// in the wrong syntax, is itself a finding.

import (
	"slices"
	"strings"
	"unicode"

	"skills/internal/lazyregexp"
	"skills/internal/printable"
	"skills/internal/suggest"
)

// ignoreRule is the id of the rule that reports on ignore comments themselves.
const ignoreRule = "ignore-comment"

// ignore is a comment in the body that suppresses rules for its skill:
//
//	<!-- skills: ignore rule-id, rule-id -- reason -->
//
// Offsets are relative to the body.
type ignore struct {
	rules      []ignoredRule // in the order of the comment; may be empty
	meant      string        // rule named in a comment with the wrong syntax, which suppresses nothing
	start, end int
}

// ignoredRule is a word of an ignore comment; it may not be the id of a rule.
type ignoredRule struct {
	id         string
	start, end int // the whole comment if the word is not in the source verbatim
}

// ignores returns the ignore comments of the body in order. Only HTML comments
// as Markdown defines them count, not examples in code blocks.
func (d *Document) ignores(rules []*Rule) []ignore {
	if !strings.Contains(d.Body, "<!--") {
		return nil // avoid parsing the body
	}
	var out []ignore
	for _, c := range d.Page().Comments {
		at := ignoreComment().FindStringSubmatchIndex(c.Text)
		if at == nil {
			if rule := meantToIgnore(c.Text, rules); rule != "" {
				out = append(out, ignore{meant: rule, start: c.Start, end: c.End})
			}
			continue
		}
		ig := ignore{start: c.Start, end: c.End}
		from := c.Start + len("<!--")
		asWritten := strings.HasPrefix(d.Body[from:], c.Text) // not interrupted by quotation marks (>)
		for _, word := range ignoredWord().FindAllStringIndex(c.Text[at[2]:at[3]], -1) {
			start, end := at[2]+word[0], at[2]+word[1]
			rule := ignoredRule{c.Text[start:end], c.Start, c.End}
			if asWritten {
				rule.start, rule.end = from+start, from+end
			}
			ig.rules = append(ig.rules, rule)
		}
		out = append(out, ig)
	}
	return out
}

// ignoreComment matches the rules of a comment. Some editors
// turn the -- before the reason into a dash.
var (
	ignoreComment = lazyregexp.New(`(?s)^\s*skills:\s*ignore((?:[\s,].*?)?)(?:(?:--|—|–).*)?$`)
	ignoredWord   = lazyregexp.New(`[^\s,]+`)
)

// meantToIgnore returns the rule named in a comment that uses another tool's
// syntax or capitals to ignore it, or "".
func meantToIgnore(text string, rules []*Rule) string {
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return r == ',' || r == ':' || unicode.IsSpace(r) })
	if len(words) < 3 || words[0] != "skills" ||
		!slices.Contains([]string{"ignore", "disable", "suppress", "noqa", "ignore-file", "ignore-line", "ignore-next-line", "disable-line", "disable-next-line"}, words[1]) {
		return ""
	}
	for _, r := range rules {
		if slices.Contains(words[2:], r.ID) {
			return r.ID
		}
	}
	return ""
}

// Ignores reports whether a comment suppresses a rule. Callers use it for
// findings about several skills, which Check does not produce.
func (d *Document) Ignores(rule string) bool { return suppressed(d.ignores(nil))[rule] }

// IgnoreEdit returns the edit of the SKILL.md that adds a comment which suppresses
// rules, as its last line, with a reason unless that is empty. Rules that no comment
// can suppress are left out and returned as left. The edit is nil if that is all of
// them, or if a comment has no effect at the end of this file, for example in a code
// block without an end.
func (d *Document) IgnoreEdit(ids []string, reason string) (edit *Edit, left []string) {
	var can []string
	for _, id := range ids {
		if ignorable(id) {
			can = append(can, id)
		} else {
			left = append(left, id)
		}
	}
	if len(can) == 0 {
		return nil, left
	}
	newline := "\n"
	if strings.Contains(d.Body, "\r\n") {
		newline = "\r\n"
	}
	text := "<!-- skills: ignore " + strings.Join(can, ", ")
	reason = strings.Join(strings.Fields(strings.ReplaceAll(reason, "-->", "→")), " ")
	if reason != "" {
		text += " -- " + reason
	}
	text += " -->" + newline
	rest := d.Body[len(strings.TrimRight(d.Body, " \t\r\n")):]
	if len(rest) < len(d.Body) && strings.Count(rest, "\n") < 2 { // a comment starts a block of its own
		text = newline + text
	}
	if !strings.HasSuffix(string(d.Source), "\n") {
		text = newline + text
	}
	changed := Scan(d.Path, d.Dir, slices.Concat(d.Source, []byte(text)))
	if slices.ContainsFunc(can, func(id string) bool { return !changed.Ignores(id) }) {
		return nil, ids
	}
	return &Edit{Start: len(d.Source), End: len(d.Source), Text: text}, left
}

// suppressed returns the rules that comments name and can suppress.
func suppressed(ignores []ignore) map[string]bool {
	ids := map[string]bool{}
	for _, ig := range ignores {
		for _, r := range ig.rules {
			ids[r.id] = ignorable(r.id)
		}
	}
	return ids
}

// ignorable reports whether a comment can suppress a rule. Faults of the file,
// its encoding and its frontmatter cannot be suppressed: they make the body
// itself uncertain.
func ignorable(rule string) bool {
	return rule != "skill-file" && rule != "encoding" && !strings.HasPrefix(rule, "frontmatter-")
}

// applyIgnores removes suppressed findings, and adds the findings about the
// comments themselves.
func (d *Document) applyIgnores(found []Diagnostic, ignores []ignore, rules []*Rule, opts Options) []Diagnostic {
	if len(ignores) == 0 {
		return found
	}
	if i := slices.IndexFunc(rules, func(r *Rule) bool { return r.ID == ignoreRule }); !opts.Off(rules[i]) {
		pass := NewPass(d, rules[i], opts)
		pass.found = &found
		checkIgnores(pass, ignores, rules, opts)
	}
	ids := suppressed(ignores)
	return slices.DeleteFunc(found, func(f Diagnostic) bool { return ids[f.Rule] })
}

// checkIgnores reports ignore comments without effect. p holds the findings of
// the other rules.
func checkIgnores(p *Pass, ignores []ignore, rules []*Rule, opts Options) {
	byID, found := map[string]*Rule{}, map[string]bool{}
	var ids []string
	for _, r := range rules {
		byID[r.ID] = r
		ids = append(ids, r.ID)
	}
	for _, d := range *p.found {
		found[d.Rule] = true
	}
	for _, ig := range ignores {
		if ig.meant != "" {
			p.Report(p.Doc.BodySpan(ig.start, ig.end), "write <!-- skills: ignore "+ig.meant+" -- reason -->", "this comment silences nothing: it has to begin with skills: ignore")
			continue
		}
		if len(ig.rules) == 0 {
			p.Report(p.Doc.BodySpan(ig.start, ig.end), "write <!-- skills: ignore rule-id -- reason -->", "the ignore comment names no rule")
		}
		for _, r := range ig.rules {
			if p.Full() {
				return
			}
			rule, ok := byID[r.id]
			span := p.Doc.BodySpan(r.start, r.end)
			switch {
			case !ok:
				help := "run skills rules for a list of rules"
				if n := suggest.Nearest(r.id, ids); n != "" {
					help = "did you mean " + n + "?"
				}
				p.Report(span, help, "unknown rule %s in an ignore comment", printable.Quote(r.id))
			case !ignorable(r.id):
				p.Report(span, "fix what it reports, or turn it off with --rule "+r.id+"=off",
					"%s cannot be ignored in the body: its findings put the body itself in doubt", r.id)
			case !found[r.id] && conclusive(p.Doc, rule, opts):
				p.Report(span, "remove it from the comment", "the comment ignores %s, which finds nothing here", r.id)
			}
		}
	}
}

// conclusive reports whether no findings from a rule means that it has nothing
// to report: it ran on a readable document, and its findings do not vary.
func conclusive(d *Document, rule *Rule, opts Options) bool {
	return rule.Check != nil && !opts.Off(rule) && len(d.Faults) == 0 && d.Files != nil &&
		(rule.Varies == nil || !rule.Varies(opts))
}
