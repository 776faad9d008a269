package spec

import "skills/internal/suggest"

// checkIgnores reports the comments that do not do what they say. What the
// other rules found stands in the pass already.
func checkIgnores(p *Pass, ignores []ignore, rules []*Rule, opts Options) {
	byID, found := map[string]*Rule{}, map[string]bool{}
	var ids []string
	for _, r := range rules {
		byID[r.ID] = r
		ids = append(ids, r.ID)
	}
	for _, d := range *p.out {
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
			switch {
			case !ok:
				help := "skills rules lists the rules there are"
				if n := suggest.Nearest(r.id, ids); n != "" {
					help = "did you mean " + n + "?"
				}
				p.Report(p.Doc.BodySpan(r.start, r.end), help, "there is no rule %s to ignore", quote(r.id))
			case !ignorable(r.id):
				p.Report(p.Doc.BodySpan(r.start, r.end), "mend what it reports; --rule "+r.id+"=off turns it off",
					"%s cannot be ignored in the body: where it finds something, the body itself is in doubt", r.id)
			case !found[r.id] && conclusive(p.Doc, rule, opts):
				p.Report(p.Doc.BodySpan(r.start, r.end), "take it out of the comment", "the comment ignores %s, which finds nothing here", r.id)
			}
		}
	}
}

// conclusive reports whether a rule that found nothing would have found what
// there is: it ran, on a document that could be read, and its verdict does not
// change with the machine, the flags or the other skills of a run.
func conclusive(d *Document, rule *Rule, opts Options) bool {
	if rule.Check == nil || opts.level(rule) == Off || !d.Mapping || len(d.Faults) > 0 || d.Files == nil {
		return false
	}
	switch rule.ID {
	case "field-client":
		return len(opts.Clients) == 0
	case "script-run", "name-collision": // permission bits; other skills
		return false
	}
	return true
}
