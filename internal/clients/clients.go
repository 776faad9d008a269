// Package clients is the table of programs that load skills: where each searches for
// them, how it reads a SKILL.md, and how it shows them to its model. A client is one
// row; docs/clients.md has the sources. Facts that they do not contain have the zero
// value and are reported as not documented.
package clients

import (
	"regexp"
	"slices"
)

// Client is a program that loads skills.
type Client struct {
	ID    string // value of --client
	Title string
	// Fields are the top-level fields that it reads in addition to the specification's.
	Fields []string
	// Documented holds other top-level fields that its documentation shows, such as a
	// version. The specification has metadata for them.
	Documented []string
	// ToolLists is true if its documentation allows a YAML list in allowed-tools, and
	// commas between the tools.
	ToolLists bool
	// Metadata holds the keys below metadata for which its documentation uses a mapping.
	Metadata []string

	Discovery Discovery
	Reader    Reader
	Listing   Listing

	Seen Seen // what this row was read from
}

// Seen is what a row was read from. A release that was not recorded is not invented.
type Seen struct {
	Release string // or the branch, or "" for documentation
	Date    string // when it was read, YYYY-MM or YYYY-MM-DD
	How     How
}

// How a row was found out.
type How string

// The ways, best first.
const (
	Run           How = "run"           // the client's loader read the inputs
	Source        How = "source"        // the source was read
	Documentation How = "documentation" // only documentation could be read
)

// Discovery is where a client searches for skills. The zero value means not documented.
type Discovery struct {
	Project   []string // folders of the project, in order
	Parents   []string // those also searched in parent folders, up to the root of the repository
	User      []string // folders below the home folder, in order
	UserFirst bool     // the user's folders are searched before the project's
	Depth     int      // depth of skills below such a folder, 0 for any
	Same      string   // which skills with the same name are used: the first, the last, or all; "" is not documented
}

// Reader is how a client reads a SKILL.md.
type Reader struct {
	// Fence matches the frontmatter, with the YAML in its first group; nil is not
	// documented.
	Fence pattern
	// Documented means that the rules come from documentation that does not describe
	// what happens to a skill that violates them. Otherwise such a skill is skipped.
	Documented bool

	Encoding
	NoFence   bool   // a file without frontmatter is a skill without fields
	NeedsBody bool   // a skill without text after the frontmatter is refused
	ExactCase bool   // refuses a field of the specification in another case, such as Name
	Broken    string // reading of invalid YAML: "lines", "quotes" (values with a colon), "no fields" or "unknown"
	Texts     bool   // rejects a name or description that YAML reads as a number or boolean
	Dates     bool   // also rejects one that YAML reads as a date

	Names
	Descriptions
	Limits   []Limit
	Metadata string   // must be a mapping, or a mapping of strings
	Scalars  []string // other fields that must not be lists or mappings
}

// Encoding is what a client does with a file before it looks for the fence.
type Encoding struct {
	StripsBOM bool // removes a byte order mark
	AnyBreaks bool // converts CR and CRLF to line feeds first
	UTF8      bool // rejects a file that is not UTF-8
}

// Names are a client's rules for the name of a skill.
type Names struct {
	FolderName  string  // the folder's name is used always, or if the field is missing
	BlankName   bool    // an empty name is valid
	NamePattern pattern // valid names, nil for any
	SameFolder  bool    // name and folder must be equal
	FoldsCase   bool    // ignoring case
	Replaces    pattern // characters of the name that become hyphens
}

// Descriptions are a client's rules for the description of a skill.
type Descriptions struct {
	NoDescription string // replacement for a missing description: empty, or the first line of the body; "hidden" hides the skill
	Blank         bool   // a blank description is valid
	Collapses     bool   // collapses white space
	StripsTags    bool   // removes what looks like a tag
}

// Limit is the maximum length of a field.
type Limit struct {
	Field string
	Max   int
	Unit  Unit
	Cuts  bool // a longer value is truncated
}

// Unit is what a limit counts.
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
	// Entry is the template of one skill, with {name}, {description}, {path}, {url} and {id},
	// the name of its folder;
	// "" is not documented. Bare is the template without a description, if different.
	// Head and Foot enclose the entries. Introductory sentences are not part of this
	// table.
	Head, Entry, Bare, Foot string
	XML                     bool   // escapes the five special characters of XML
	Order                   string // by folder, name, path or scope; "" is not documented
	Cap                     int    // maximum characters of a description
	Budget                  Budget
}

// Budget is the maximum size of a list.
type Budget struct {
	Percent int // of the context window
	Max     int // maximum, or number of characters if the window is unknown
	Unit    Unit
	Over    string // "descriptions" or "skills" are omitted, or "shortened"; "none": no budget, "": not documented
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

// Find returns the client with the given id, or nil.
func Find(id string) *Client {
	if i := slices.IndexFunc(table, func(c Client) bool { return c.ID == id }); i >= 0 {
		return &table[i]
	}
	return nil
}

// pattern is a regular expression that is compiled on first use.
type pattern func() *regexp.Regexp
