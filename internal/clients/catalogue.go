package clients

// A catalogue is what a client shows to its model: which skills, in which order, with which
// of their text. Everything is computed from the client's row in the table, so that a
// client with another order or budget is another row.

import (
	"cmp"
	"fmt"
	"net/url"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"
)

// Entry is a skill and its position in a catalogue.
type Entry struct {
	Skill
	Root    string   `json:"-"`       // the folder of skills that contains it
	Scope   int      `json:"-"`       // 0 for the project's folders, 1 for the user's
	Listed  bool     `json:"listed"`  // whether the model sees it
	Cut     int      `json:"cut"`     // characters of the description that the model does not see
	Reasons []string `json:"reasons"` // why it is not listed, or is changed

	line string // in the text
}

// Catalogue is the list of skills that a client shows to its model.
type Catalogue struct {
	Text    string   `json:"text"`
	Limit   int      `json:"limit"` // the budget, 0 if unknown
	Used    int      `json:"used"`
	Unit    Unit     `json:"unit"`
	Entries []Entry  `json:"skills"` // the listed ones in order, then the others
	Notes   []string `json:"notes"`  // what is undocumented, or depends on other things
}

// list is a catalogue under construction.
type list struct {
	Listing
	Catalogue
	shown, others []Entry
	roots         []string // of listed skills, in the order found
	table         string   // Codex's table of folders
}

// Catalogue lists skills, which must be in the order in which the client finds them.
// window is the model's context window in tokens, 0 if unknown.
func (c *Client) Catalogue(found []Entry, window int) Catalogue {
	l := &list{Listing: c.Listing, Catalogue: Catalogue{Notes: []string{}, Entries: []Entry{}}}
	if l.Entry == "" {
		l.Entry, l.Bare = "- {name}: {description}\n", "- {name}\n"
		l.note("the form of the list is not documented: it is shown as name and description")
	}
	if c.Discovery.Same == "" {
		l.note("which of several skills with one name counts is not documented: all are shown")
	}
	l.choose(found, c.Discovery.Same)
	l.fill(window)
	text := ""
	for _, e := range l.shown {
		if e.Listed {
			l.Entries = append(l.Entries, e)
			text += e.line
		}
	}
	left := slices.DeleteFunc(l.shown, func(e Entry) bool { return e.Listed })
	l.Entries = append(append(l.Entries, left...), l.others...) // a list in JSON also if it is empty
	if text != "" {
		l.Text = l.Head + text + l.Foot
	}
	if l.table != "" {
		l.Text = "### Skill roots\n" + l.table + l.Text
	}
	return l.Catalogue
}

func (l *list) note(format string, args ...any) {
	l.Notes = append(l.Notes, fmt.Sprintf(format, args...))
}

// unlisted returns an entry that is not listed.
func unlisted(e Entry, why string) Entry {
	e.Listed, e.Cut, e.Reasons = false, 0, []string{why}
	return e
}

// choose selects among skills with the same name, and sorts the listed ones.
func (l *list) choose(found []Entry, same string) {
	byName := func(a, b Entry) int { return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Path, b.Path)) }
	order, known := map[string]func(a, b Entry) int{
		"folder": func(a, b Entry) int { return 0 },
		"path":   func(a, b Entry) int { return cmp.Compare(strings.ToLower(a.Path), strings.ToLower(b.Path)) },
		"name":   byName,
		"scope":  func(a, b Entry) int { return cmp.Or(a.Scope-b.Scope, byName(a, b)) },
	}[l.Order]
	if !known {
		l.note("the order is not documented: it is shown folder by folder")
	}
	if l.Order == "path" { // sorts before it compares names
		found = slices.SortedStableFunc(slices.Values(found), order)
	}
	first := map[string]int{}
	for _, e := range found {
		i, taken := first[e.Name]
		switch {
		case !e.Listed:
			l.others = append(l.others, e)
		case !taken || same != "first" && same != "last":
			first[e.Name] = len(l.shown)
			l.shown = append(l.shown, e)
			if !slices.Contains(l.roots, e.Root) {
				l.roots = append(l.roots, e.Root)
			}
		default:
			loser := e
			if same == "last" {
				loser, l.shown[i] = l.shown[i], e
			}
			l.others = append(l.others, unlisted(loser, "its name is that of "+l.shown[i].Path))
		}
	}
	if known {
		slices.SortStableFunc(l.shown, order)
	}
}

// fill writes as many lines as the budget allows.
func (l *list) fill(window int) {
	b := l.Budget
	l.Limit, l.Unit = b.Max, cmp.Or(b.Unit, Characters)
	switch {
	case b.Percent > 0 && window > 0 && b.Unit == Tokens:
		l.Limit = max(1, window*b.Percent/100)
	case b.Percent > 0 && window > 0:
		l.Limit = window * 4 * b.Percent / 100 // four characters per token
	case b.Percent > 0:
		l.Unit = Characters
		l.note("the budget is %d %% of the window; for an unknown window it is %d characters", b.Percent, b.Max)
	case b.Over == "":
		l.note("a budget for the list is not documented")
	}
	names := 0 // without descriptions
	for i, e := range l.shown {
		l.shown[i].line = l.format(e, e.Description, e.Path)
		l.Used += Count(l.shown[i].line, l.Unit)
		names += Count(l.format(e, "", e.Path), l.Unit)
	}
	switch over := l.Used > l.Limit; {
	case b.Over == "shortened" && over:
		l.shorten()
	case b.Over == "descriptions" && over:
		l.note("over its budget it keeps the descriptions of the skills that you use most; here those that fit first are kept")
		l.Used = names
		for i, e := range l.shown {
			bare := l.format(e, "", e.Path)
			if n := l.Used + Count(e.line, l.Unit) - Count(bare, l.Unit); n <= l.Limit {
				l.Used = n
			} else {
				l.shown[i].line, l.shown[i].Cut = bare, Count(e.Description, Characters)
			}
		}
	case b.Over == "skills": // until one does not fit; only names and descriptions count
		l.Used = 0
		for i, e := range l.shown {
			if n := l.Used + Count(e.Name+e.Description, l.Unit); n > l.Limit || i > 0 && !l.shown[i-1].Listed {
				l.shown[i] = unlisted(e, overBudget)
			} else {
				l.Used = n
			}
		}
	}
}

const overBudget = "over the budget"

var entities = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "'", "&apos;")

// format returns a skill's line with the given part of its description.
func (l *list) format(e Entry, description, path string) string {
	entry, name := l.Entry, e.Name
	if description == "" && l.Bare != "" {
		entry = l.Bare
	}
	if l.XML {
		name, description = entities.Replace(name), entities.Replace(description)
	}
	file := (&url.URL{Scheme: "file", Path: e.Path}).String()
	return strings.NewReplacer("{name}", name, "{description}", description, "{path}", path, "{url}", file, "{id}", folderOf(e.Path)).Replace(entry)
}

// folderOf returns the name of the folder of a SKILL.md.
func folderOf(file string) string { return path.Base(path.Dir(filepath.ToSlash(file))) }

// shorten implements Codex's handling of its budget: it distributes the room for
// descriptions character by character, and omits skills if the names alone are too
// long. It tries full paths, then short ones with a table of folders, and uses what
// shows more.
func (l *list) shorten() {
	short, table := map[string]string{}, ""
	for i, root := range l.roots {
		short[root] = fmt.Sprintf("r%d", i)
		table += fmt.Sprintf("- `r%d` = `%s`\n", i, root)
	}
	// The text around the list has 2,296 bytes without a table and 2,469 with one.
	cost := 2469 - 2296 + Count(table, l.Unit)
	if l.Unit == Tokens {
		cost = (2469+len(table)+3)/4 - (2296+3)/4
	}
	best := l.fit(l.Limit, func(e Entry) string { return e.Path })
	if l.Limit > cost {
		aliased := l.fit(l.Limit-cost, func(e Entry) string { return short[e.Root] + strings.TrimPrefix(e.Path, e.Root) })
		aliased.used += cost
		if cmp.Or(aliased.listed-best.listed, best.cut-aliased.cut, best.used-aliased.used) > 0 {
			best, l.table = aliased, table
		}
	}
	l.shown, l.Used = best.shown, best.used
}

// fitted is one way to shorten a list.
type fitted struct {
	shown             []Entry
	listed, cut, used int
}

// fit writes the lines within a limit.
func (l *list) fit(limit int, path func(Entry) string) (out fitted) {
	n := len(l.shown)
	taken, costs, names := make([]int, n), make([]int, n), 0 // bytes of the description
	for i, e := range l.shown {
		costs[i] = Count(l.format(e, "", path(e)), l.Unit)
		names += costs[i]
	}
	for room, more := limit-names, true; more && room >= 0; { // one character for each skill in turn
		more = false
		for i, e := range l.shown {
			_, size := utf8.DecodeRuneInString(e.Description[taken[i]:])
			cost := Count(l.format(e, e.Description[:taken[i]+size], path(e)), l.Unit) - costs[i]
			if size > 0 && cost <= room {
				room, more = room-cost, true
				taken[i], costs[i] = taken[i]+size, costs[i]+cost
			}
		}
	}
	for i, e := range l.shown {
		e.Cut = utf8.RuneCountInString(e.Description[taken[i]:])
		out.cut += e.Cut
		if out.used+costs[i] > limit {
			e = unlisted(e, overBudget)
		} else {
			out.used += costs[i]
			out.listed++
		}
		e.line = l.format(e, e.Description[:taken[i]], path(e))
		out.shown = append(out.shown, e)
	}
	return out
}
