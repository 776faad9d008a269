// Package clients is the table of programs that load skills: where each looks for
// them, how it reads a SKILL.md, and how it shows them to its model. A client is one
// row, and every row names its sources. What they do not say has the zero value and is
// reported as not documented.
package clients

import (
	"regexp"
	"slices"
	"sync"
)

// Client is a program that loads skills.
type Client struct {
	ID    string // as in --client
	Title string
	// Fields are the top-level fields that it reads beyond the specification's.
	Fields []string
	// ToolLists says that its documentation allows a YAML list in allowed-tools, and
	// commas between the tools.
	ToolLists bool
	// Metadata are the keys below metadata that its documentation gives a mapping.
	Metadata []string

	Discovery Discovery
	Reader    Reader
	Listing   Listing
	Sources   []Source
}

// Source is where facts of a row come from.
type Source struct {
	About, URL string
	Date       string // year and month in which it was read
}

// Discovery is where a client looks for skills. The zero value is not documented.
type Discovery struct {
	Project   []string // folders of the project, in order
	Parents   []string // those of them that count in the folders above too, up to the root of the repository
	User      []string // folders of the home folder, in order
	UserFirst bool     // the user's folders are read before the project's
	Depth     int      // levels below such a folder on which a skill is found, 0 for any
	Same      string   // of skills with one name, the first or the last is used, or all; "" is not documented
}

// Reader is how a client reads a SKILL.md.
type Reader struct {
	// Fence matches the frontmatter; its first group is the YAML. nil is not documented.
	Fence pattern
	// Documented says that the rules are those of its documentation, which does not say
	// what happens to a skill that breaks them. Otherwise such a skill is skipped.
	Documented bool

	StripsBOM bool   // drops a byte order mark
	AnyBreaks bool   // takes CR and CRLF for line breaks before anything else
	UTF8      bool   // refuses a file that is not UTF-8
	Broken    string // broken YAML is read by "lines", with "quotes" around values with a colon, or as "no fields"; "unknown" is not documented
	Texts     bool   // refuses a name or description that YAML reads as a number or boolean
	Dates     bool   // and one that it reads as a date

	FolderName  string  // the folder's name is used always, or if one is missing
	BlankName   bool    // an empty name is a name
	NamePattern pattern // of the names that it takes, nil for any
	SameFolder  bool    // name and folder have to be alike
	FoldsCase   bool    // but for case
	Replaces    pattern // characters of the name that become hyphens

	NoDescription string // a missing description is empty, or the first line of the body
	Blank         bool   // a description of white space only is one
	Collapses     bool   // makes one space of every run of white space
	StripsTags    bool   // deletes what looks like a tag

	Limits   []Limit
	Metadata string   // is refused unless it is a mapping, or a mapping of texts
	Scalars  []string // other fields that must not be lists or mappings
}

// Limit is the most that a field may have.
type Limit struct {
	Field string
	Max   int
	Unit  Unit
	Cuts  bool // a longer value is cut
}

// Unit is what a client counts.
type Unit string

// Units of limits and budgets.
const (
	Characters Unit = "characters"
	UTF16      Unit = "UTF-16 units"
	Bytes      Unit = "bytes"
	Tokens     Unit = "tokens" // estimated as a quarter of the bytes, rounded up
)

// Listing is how a client shows its skills to the model.
type Listing struct {
	// Entry is one skill, with {name}, {description}, {path} and {url}; "" is not
	// documented. Bare is a skill without a description, where that differs. Head and
	// Foot are around the entries. The sentences with which clients introduce the list
	// are not part of this table.
	Head, Entry, Bare, Foot string
	XML                     bool   // the five special characters are XML entities
	Order                   string // by folder, name, path or scope; "" is not documented
	Cap                     int    // characters of a description
	Budget                  Budget
}

// Budget is how much room a list has.
type Budget struct {
	Percent int // of the window
	Max     int // in all, or characters without a known window
	Unit    Unit
	Over    string // over it, "descriptions" or "skills" are left out, or all is "shortened"; "none" is no budget, "" not documented
}

// All returns the known clients.
func All() []Client { return slices.Clone(table) }

// IDs returns the ids of all clients, in the order of the table.
func IDs() (ids []string) {
	for _, c := range table {
		ids = append(ids, c.ID)
	}
	return ids
}

// Find returns the client with an id, nil if there is none.
func Find(id string) *Client {
	if i := slices.IndexFunc(table, func(c Client) bool { return c.ID == id }); i >= 0 {
		return &table[i]
	}
	return nil
}

// pattern is a regular expression that is compiled once it is needed.
type pattern func() *regexp.Regexp

func lazy(expr string) pattern {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}
