package spec

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"skills/internal/printable"
	"skills/internal/suggest"
)

// ignoreRule is the id of the rule about ignore comments, whose findings are made
// when the comments are applied.
const ignoreRule = "ignore-comment"

// Ignored is a finding that a comment silences.
type Ignored struct {
	Diagnostic
	Reason string // of the comment, "" if it gives none
}

// ignore is a comment in the body that silences rules for its skill:
//
//	<!-- skills: ignore rule-id, rule-id -- reason -->
//
// Offsets are those of the body.
type ignore struct {
	rules      []ignoredRule // in the order of the comment; empty if it names none
	reason     string        // the text after --
	meant      string        // the rule in a comment with other words, which silences nothing
	start, end int
}

// ignoredRule is one word of an ignore comment, maybe not the id of a rule.
type ignoredRule struct {
	id         string
	start, end int // of the whole comment if the word is not in it as it reads
}

// ignores returns the ignore comments of the body, in its order. Only what Markdown
// reads as an HTML comment counts: an example in a code block does not.
func (d *Document) ignores(rules []*Rule) []ignore {
	if !strings.Contains(d.Body, "<!--") || !strings.Contains(d.Body, "kills:") && !strings.Contains(d.Body, "SKILLS:") {
		return nil // the body need not be parsed
	}
	var out []ignore
	for _, c := range d.Page().Comments {
		at := ignoreComment.FindStringSubmatchIndex(c.Text)
		if at == nil {
			if rule := meantToIgnore(c.Text, rules); rule != "" {
				out = append(out, ignore{meant: rule, start: c.Start, end: c.End})
			}
			continue
		}
		ig := ignore{start: c.Start, end: c.End}
		if at[4] >= 0 {
			ig.reason = strings.Join(strings.Fields(c.Text[at[4]:at[5]]), " ")
		}
		from := c.Start + len("<!--")
		asWritten := strings.HasPrefix(d.Body[from:], c.Text) // no marks of a quotation inside
		for _, word := range ignoredWord.FindAllStringIndex(c.Text[at[2]:at[3]], -1) {
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

// ignoreComment takes the rules and the reason out of a comment. For the -- before
// the reason some editors write a dash.
var (
	ignoreComment = regexp.MustCompile(`(?s)^\s*skills:\s*ignore((?:[\s,].*?)?)(?:(?:--|—|–)(.*))?$`)
	ignoredWord   = regexp.MustCompile(`[^\s,]+`)
)

// meantToIgnore returns the rule in a comment that says "ignore" in the words of
// another tool, or in capitals; "" for any other comment.
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

// Ignoring returns the reason with which a comment of the document silences a
// rule; ok is false if none does. It is for findings that Check does not make,
// because they are about several skills.
func (d *Document) Ignoring(rule string) (reason string, ok bool) {
	reason, ok = reasons(d.ignores(nil))[rule]
	return reason, ok
}

// reasons returns the silenced rules, each with the first reason that is given.
func reasons(ignores []ignore) map[string]string {
	out := map[string]string{}
	for _, ig := range ignores {
		for _, r := range ig.rules {
			if _, ok := out[r.id]; !ok && ignorable(r.id) {
				out[r.id] = ig.reason
			}
		}
	}
	return out
}

// ignorable reports whether a comment can silence a rule. Faults of the file, its
// encoding and its frontmatter cannot be: they make the body itself a guess.
func ignorable(rule string) bool {
	return rule != "skill-file" && rule != "encoding" && !strings.HasPrefix(rule, "frontmatter-")
}

// applyIgnores splits the findings on a document into those that are kept and those
// that comments silence, and adds the faults of the comments.
func (d *Document) applyIgnores(found []Diagnostic, ignores []ignore, rules []*Rule, opts Options) (kept []Diagnostic, ignored []Ignored) {
	if len(ignores) == 0 {
		return found, nil
	}
	if i := slices.IndexFunc(rules, func(r *Rule) bool { return r.ID == ignoreRule }); i >= 0 && !opts.Off(rules[i]) {
		pass := NewPass(d, rules[i], opts)
		pass.found = &found
		checkIgnores(pass, ignores, rules, opts)
	}
	silenced := reasons(ignores)
	for _, f := range found {
		if reason, ok := silenced[f.Rule]; ok {
			ignored = append(ignored, Ignored{f, reason})
		} else {
			kept = append(kept, f)
		}
	}
	return kept, ignored
}

// checkIgnores reports the comments without an effect. The pass holds the findings
// of the other rules.
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

// conclusive reports whether a rule without findings would have found what there
// is: it ran, on a document that could be read, and its findings do not vary.
func conclusive(d *Document, rule *Rule, opts Options) bool {
	return rule.Check != nil && !opts.Off(rule) && d.Mapping && len(d.Faults) == 0 && d.Files != nil &&
		(rule.Varies == nil || !rule.Varies(opts))
}
