package spec

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Ignored is a finding that a comment silences, with the reason given there.
type Ignored struct {
	Diagnostic
	Reason string // "" where none is given
}

// ignore is a comment of the body that silences rules for its skill:
//
//	<!-- skills: ignore rule-id, rule-id -- reason -->
//
// Offsets count from the body's start: places are made only of what is told,
// for a body can be one long line of such comments.
type ignore struct {
	rules      []ignoredRule // in the order of the comment; empty where it names none
	reason     string        // what stands behind --
	meant      string        // of a comment in other words, which silences nothing, the rule it names
	start, end int
}

// ignoredRule is one word of an ignore comment, perhaps no rule's id.
type ignoredRule struct {
	id         string
	start, end int // of the whole comment where the word could not be found in it
}

// ignores returns the ignore comments of the body, in its order. Only what
// Markdown takes for an HTML comment is one: an example in a code block is
// not.
func (d *Document) ignores(rules []*Rule) []ignore {
	if !d.mayIgnore() {
		return nil // nothing to parse the body for
	}
	var out []ignore
	for _, c := range d.Page().Comments {
		list, ok := ignoreText(c.Text)
		if !ok {
			if rule := meantToIgnore(c.Text, rules); rule != "" {
				out = append(out, ignore{meant: rule, start: c.Start, end: c.End})
			}
			continue
		}
		list, reason := cutReason(list)
		ig := ignore{reason: strings.Join(strings.Fields(reason), " "), start: c.Start, end: c.End}
		from := c.Start + strings.Index(d.Body[c.Start:c.End], "ignore") + len("ignore")
		for _, id := range strings.FieldsFunc(list, func(r rune) bool { return r == ',' || unicode.IsSpace(r) }) {
			rule := ignoredRule{id, c.Start, c.End}
			if i := strings.Index(d.Body[from:c.End], id); i >= 0 {
				from += i + len(id)
				rule.start, rule.end = from-len(id), from
			} else {
				from = c.End // the parser changed something: do not search for the rest
			}
			ig.rules = append(ig.rules, rule)
		}
		out = append(out, ig)
	}
	return out
}

// cutReason splits what follows "ignore" into rules and the reason behind --,
// for which editors with typographic marks write a dash.
func cutReason(list string) (rules, reason string) {
	at, size := strings.Index(list, "--"), 2
	for _, dash := range []string{"—", "–"} {
		if i := strings.Index(list, dash); i >= 0 && (at < 0 || i < at) {
			at, size = i, len(dash)
		}
	}
	if at < 0 {
		return list, ""
	}
	return list[:at], list[at+size:]
}

// mayIgnore reports whether the body can hold an ignore comment.
func (d *Document) mayIgnore() bool {
	return strings.Contains(d.Body, "kills:") || strings.Contains(d.Body, "SKILLS:")
}

// meantToIgnore returns the rule that a comment names which says "ignore" in
// the words of another tool, or in capitals; "" for any other comment.
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

// ignoreText returns what follows "skills: ignore" in a comment's text; ok is
// false for comments about anything else.
func ignoreText(text string) (rest string, ok bool) {
	rest, ok = strings.CutPrefix(strings.TrimSpace(text), "skills:")
	if !ok {
		return "", false
	}
	rest, ok = strings.CutPrefix(strings.TrimSpace(rest), "ignore")
	next, _ := utf8.DecodeRuneInString(rest)
	return rest, ok && (rest == "" || unicode.IsSpace(next) || strings.HasPrefix(rest, ",") || strings.HasPrefix(rest, "--") || next == '—' || next == '–')
}

// Ignoring returns the reason with which a comment of the document silences a
// rule; ok is false where none does. It is for findings that are not made by
// Check, because they are about several skills.
func (d *Document) Ignoring(rule string) (reason string, ok bool) {
	reason, ok = reasons(d.ignores(nil))[rule]
	return reason, ok
}

// reasons are the rules that comments silence, each with the reason that is
// given first.
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

// ignorable reports whether a comment can silence a rule. The faults of file,
// encoding and frontmatter cannot be: where the one is broken, what is read as
// the body is a guess.
func ignorable(rule string) bool {
	return rule != "skill-file" && rule != "encoding" && !strings.HasPrefix(rule, "frontmatter-")
}

// applyIgnores takes the findings that comments silence out of a document's.
// What is wrong with the comments themselves is added.
func (d *Document) applyIgnores(found []Diagnostic, rules []*Rule, opts Options) (kept []Diagnostic, ignored []Ignored) {
	ignores := d.ignores(rules)
	if len(ignores) == 0 {
		return found, nil
	}
	if i := slices.IndexFunc(rules, func(r *Rule) bool { return r.ID == "ignore-comment" }); i >= 0 && opts.level(rules[i]) != Off {
		checkIgnores(&Pass{Doc: d, Clients: opts.Clients, rule: rules[i], level: opts.level(rules[i]), out: &found}, ignores, rules, opts)
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
