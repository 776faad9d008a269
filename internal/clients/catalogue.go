package clients

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"
)

// Entry is a skill and its place in a catalogue.
type Entry struct {
	Skill
	Root   string `json:"-"` // the folder of skills that it was found in
	Scope  int    `json:"-"` // 0 if it was found among the folders that are read first, project's or user's
	Listed bool   `json:"listed"`
	Cut    int    `json:"cut"` // characters of the description that the model does not see
	// Reasons are why it is not listed, or not as it is written.
	Reasons []string `json:"reasons"`
}

// Catalogue is the list of skills that a client shows to its model.
type Catalogue struct {
	Text    string
	Entries []Entry // those that are listed, in order, then the others
	Limit   int     // of the budget, 0 if none is known
	Used    int
	Unit    Unit
	Notes   []string // what is not documented, and what depends on something else
}

// Catalogue lists skills, which come in the order in which the client finds them. window
// is that of the model in tokens, 0 if it is not known.
func (c *Client) Catalogue(found []Entry, window int) Catalogue {
	l := &list{Listing: c.Listing, Catalogue: Catalogue{Unit: Characters}}
	if l.Entry == "" {
		l.Entry, l.Bare = "- {name}: {description}\n", "- {name}\n"
		l.note("the form of the list is not documented: it is shown as name and description")
	}
	if c.Discovery.Same == "" {
		l.note("which of several skills with one name counts is not documented: all are shown")
	}
	l.choose(found, c.Discovery.Same)
	l.sort()
	l.fill(window)
	var lines string
	for i, e := range l.shown {
		if e.Listed {
			lines += l.lines[i]
		}
	}
	if lines != "" {
		l.Text = l.roots + l.Head + lines + l.Foot
	}
	l.Entries = slices.Concat(l.shown, l.others)
	listed := func(e Entry) bool { return e.Listed }
	l.Entries = append(slices.DeleteFunc(slices.Clone(l.Entries), func(e Entry) bool { return !e.Listed }), slices.DeleteFunc(l.Entries, listed)...)
	return l.Catalogue
}

// list is a catalogue that is being made.
type list struct {
	Listing
	Catalogue
	shown, others []Entry
	lines         []string // of what is shown
	roots         string   // Codex's table of folders
}

func (l *list) note(format string, args ...any) {
	l.Notes = append(l.Notes, fmt.Sprintf(format, args...))
}

func byPath(a, b Entry) int { return cmp.Compare(strings.ToLower(a.Path), strings.ToLower(b.Path)) }

// choose decides between skills with one name.
func (l *list) choose(found []Entry, same string) {
	if l.Order == "path" { // sorts before it compares names
		found = slices.SortedStableFunc(slices.Values(found), byPath)
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
		default:
			loser := e
			if same == "last" {
				loser, l.shown[i] = l.shown[i], e
			}
			loser.Listed = false
			loser.Reasons = []string{"its name is that of " + l.shown[i].Path}
			l.others = append(l.others, loser)
		}
	}
}

func (l *list) sort() {
	switch l.Order {
	case "path":
		slices.SortStableFunc(l.shown, byPath)
	case "name", "scope":
		slices.SortStableFunc(l.shown, func(a, b Entry) int {
			scope := 0
			if l.Order == "scope" {
				scope = a.Scope - b.Scope
			}
			return cmp.Or(scope, cmp.Compare(a.Name, b.Name), cmp.Compare(a.Path, b.Path))
		})
	case "":
		l.note("the order is not documented: it is shown folder by folder")
	}
}

// fill writes the lines, as many as the budget allows.
func (l *list) fill(window int) {
	b := l.Budget
	l.Limit, l.Unit = b.Max, cmp.Or(b.Unit, Characters)
	switch {
	case b.Percent > 0 && window > 0 && b.Unit == Tokens:
		l.Limit = max(1, window*b.Percent/100)
	case b.Percent > 0 && window > 0:
		l.Limit = window * 4 * b.Percent / 100 // four characters a token
	case b.Percent > 0:
		l.Unit = Characters
		l.note("the budget is %d %% of the window; for an unknown window it is %d characters", b.Percent, b.Max)
	case b.Over == "":
		l.note("a budget for the list is not documented")
	}
	bare := make([]string, len(l.shown))
	for i, e := range l.shown {
		l.lines = append(l.lines, l.line(e, e.Description, e.Path))
		bare[i] = l.line(e, "", e.Path)
	}
	switch full := l.cost(l.lines...); {
	case b.Over == "shortened" && full > l.Limit:
		l.shorten()
	case b.Over == "descriptions" && full > l.Limit:
		l.note("over its budget it keeps the descriptions of the skills that you use most; here those that fit first are kept")
		left := l.Limit - l.cost(bare...)
		for i, e := range l.shown {
			if more := l.cost(l.lines[i]) - l.cost(bare[i]); more <= left {
				left -= more
				continue
			}
			l.lines[i], l.shown[i].Cut = bare[i], count(e.Description, Characters)
		}
	case b.Over == "skills": // until one does not fit; only names and descriptions count
		for i, e := range l.shown {
			n := count(e.Name+e.Description, l.Unit)
			if l.Used+n > l.Limit || i > 0 && !l.shown[i-1].Listed {
				l.leaveOut(i)
				continue
			}
			l.Used += n
		}
		return
	}
	for i, e := range l.shown {
		if e.Listed {
			l.Used += l.cost(l.lines[i])
		}
	}
	l.Used += l.tableCost(strings.TrimPrefix(l.roots, tableHead))
}

// leaveOut removes a skill from the list.
func (l *list) leaveOut(i int) {
	e := &l.shown[i]
	e.Listed, e.Cut, e.Reasons = false, 0, []string{"over the budget"}
}

var entities = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "'", "&apos;")

// line is the entry of a skill with this much of its description.
func (l *list) line(e Entry, description, path string) string {
	entry, name := l.Entry, e.Name
	if description == "" && l.Bare != "" {
		entry = l.Bare
	}
	if l.XML {
		name, description = entities.Replace(name), entities.Replace(description)
	}
	file := (&url.URL{Scheme: "file", Path: e.Path}).String()
	return strings.NewReplacer("{name}", name, "{description}", description, "{path}", path, "{url}", file).Replace(entry)
}

// cost is what lines cost of the budget; tokens are rounded up line by line.
func (l *list) cost(lines ...string) (n int) {
	for _, line := range lines {
		n += count(line, l.Unit)
	}
	return n
}

// shorten is what Codex does over its budget: it hands out the room for descriptions
// character by character, and leaves skills out where the names alone are too long. It
// tries full paths, then short ones with a table of folders, and takes what shows more.
func (l *list) shorten() {
	var roots []string
	table := ""
	for _, e := range l.shown {
		if !slices.Contains(roots, e.Root) {
			table += fmt.Sprintf("- `r%d` = `%s`\n", len(roots), e.Root)
			roots = append(roots, e.Root)
		}
	}
	best := l.fit(func(e Entry) string { return e.Path }, l.Limit)
	if room := l.Limit - l.tableCost(table); room > 0 {
		short := l.fit(func(e Entry) string {
			return fmt.Sprintf("r%d%s", slices.Index(roots, e.Root), strings.TrimPrefix(e.Path, e.Root))
		}, room)
		if cmp.Or(short.listed-best.listed, best.cut-short.cut) > 0 {
			best, l.roots = short, tableHead+table
		}
	}
	l.lines = best.lines
	for i := range l.shown {
		if l.shown[i].Cut = best.cuts[i]; best.lines[i] == "" {
			l.leaveOut(i)
		}
	}
}

const tableHead = "### Skill roots\n"

// tableCost is what Codex's table of folders adds: the text around the list has 2,296
// bytes without one and 2,469 with one.
func (l *list) tableCost(table string) int {
	const without, with = 2296, 2469
	switch {
	case table == "":
		return 0
	case l.Unit == Tokens:
		return (with+len(table)+3)/4 - (without+3)/4
	}
	return with - without + count(table, l.Unit)
}

// fitted is one way to shorten a list.
type fitted struct {
	lines       []string // "" for a skill that is left out
	cuts        []int
	listed, cut int
}

func (l *list) fit(path func(Entry) string, left int) (out fitted) {
	texts, got, bytes, costs := make([][]rune, len(l.shown)), make([]int, len(l.shown)), make([]int, len(l.shown)), make([]int, len(l.shown))
	used := 0
	for i, e := range l.shown {
		texts[i] = []rune(e.Description)
		out.lines = append(out.lines, l.line(e, "", path(e)))
		costs[i] = l.cost(out.lines[i])
		used += costs[i]
	}
	fits := used <= left
	for more := fits; more; { // one character for each skill in turn
		more = false
		for i, text := range texts {
			if got[i] == len(text) {
				continue
			}
			size := bytes[i] + utf8.RuneLen(text[got[i]])
			cost := utf8.RuneCountInString(out.lines[i]) + got[i] + 2 // with a space in front
			if l.Unit == Tokens {
				cost = (len(out.lines[i]) + size + 4) / 4
			}
			if used+cost-costs[i] <= left {
				used += cost - costs[i]
				got[i], bytes[i], costs[i], more = got[i]+1, size, cost, true
			}
		}
	}
	used = 0
	for i, e := range l.shown {
		out.cuts = append(out.cuts, len(texts[i])-got[i])
		out.cut += out.cuts[i]
		if !fits && used+costs[i] > left {
			out.lines[i] = ""
			continue
		}
		used += costs[i]
		out.listed++
		out.lines[i] = l.line(e, string(texts[i][:got[i]]), path(e))
	}
	return out
}
