package clients

// A SKILL.md is read as a client reads it: its fence, its handling of YAML, its rules for
// names and descriptions. The result is what its model gets, or why the skill is missing.
// Where documentation does not say what happens, the outcome is unknown and not guessed.

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"skills/internal/lazyregexp"
	"skills/internal/printable"
	"skills/internal/spec/frontmatter"
)

// File is a SKILL.md found by a client.
type File struct {
	Source []byte
	Entry  string // name in the folder's listing
	Folder string // name of the folder that contains it, or ""
	Path   string // of the file
}

// Skill is the result of reading a file.
type Skill struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	Path        string `json:"path"`
}

// Outcome is what happens to a skill.
type Outcome string

// Outcomes, best first.
const (
	Loads   Outcome = "loads"
	Altered Outcome = "altered" // loaded, but changed
	Hidden  Outcome = "hidden"  // loaded, but the model does not see it, or not always
	Unknown Outcome = "unknown" // not documented
	Skipped Outcome = "skipped"
)

// Verdict is what a client does with a skill, and why.
type Verdict struct {
	Client  string   `json:"client"`
	Outcome Outcome  `json:"verdict"`
	Reasons []string `json:"reasons"`
}

// Verdicts returns the verdict of every client whose way of reading is known.
func Verdicts(f File) (out []Verdict) {
	for _, c := range table {
		if c.Reader.Fence != nil {
			_, v := c.Read(f)
			out = append(out, v)
		}
	}
	return out
}

// maxRead is how many bytes of a file are read: no frontmatter is longer.
const maxRead = 4 * frontmatter.MaxSize

// Read reads a file like the client. The skill is empty if the client skips it, or if
// that is unknown.
func (c *Client) Read(f File) (Skill, Verdict) {
	r := &reading{Reader: c.Reader, client: c, file: f, verdict: Verdict{c.ID, Loads, []string{}}}
	switch {
	case c.Reader.Fence == nil:
		r.note(Unknown, "how it reads SKILL.md is not documented")
	case f.Entry != "SKILL.md":
		r.note(Skipped, "the file is called %s", printable.Quote(f.Entry))
	case c.Reader.UTF8 && !utf8.Valid(f.Source):
		r.note(Skipped, "the file is not UTF-8")
	default:
		r.read(strings.ToValidUTF8(string(f.Source[:min(len(f.Source), maxRead)]), "\uFFFD"))
	}
	if r.skipped() || r.verdict.Outcome == Unknown {
		return Skill{}, r.verdict
	}
	r.skill.Path = f.Path
	return r.skill, r.verdict
}

// reading is the state of reading one file.
type reading struct {
	Reader
	client  *Client
	file    File
	fields  []frontmatter.Field
	skill   Skill
	verdict Verdict
}

// note adds a reason. The worst outcome counts; for a skipped skill only the reasons
// for that are kept.
func (r *reading) note(o Outcome, format string, args ...any) {
	v, order := &r.verdict, []Outcome{Loads, Altered, Hidden, Unknown, Skipped}
	switch {
	case r.skipped() && o != Skipped:
		return
	case slices.Index(order, o) > slices.Index(order, v.Outcome):
		v.Outcome = o
		if o == Skipped {
			v.Reasons = nil
		}
	}
	v.Reasons = append(v.Reasons, fmt.Sprintf(format, args...))
}

// violation records that the skill violates a rule of the client.
func (r *reading) violation(format string, args ...any) {
	if r.Documented {
		r.note(Unknown, format+"; what it does then is not documented", args...)
		return
	}
	r.note(Skipped, format, args...)
}

// skipped reports whether the client skips the skill, so that nothing else matters.
func (r *reading) skipped() bool { return r.verdict.Outcome == Skipped }

func (r *reading) field(key string) *frontmatter.Value {
	if i := slices.IndexFunc(r.fields, func(f frontmatter.Field) bool { return f.Key == key }); i >= 0 {
		return &r.fields[i].Value
	}
	return nil
}

// hasTexts reports whether YAML reads name and description as text.
func (r *reading) hasTexts() bool {
	name, description := r.field("name"), r.field("description")
	return name != nil && name.Kind == frontmatter.String && description != nil && description.Kind == frontmatter.String
}

var (
	lineBreaks = strings.NewReplacer("\r\n", "\n", "\r", "\n")
	colonValue = lazyregexp.New(`(?m)^([a-zA-Z_]\w*)\s*:[ \t]*([^\s"'>|#][^\n]*:[^\n]*)$`)
	namedLine  = lazyregexp.New(`(?m)^\s*(name|description):[ \t]*(.*(?:\n[ \t]+\S.*)*)$`)
	folds      = lazyregexp.New(`\s*\n\s*`)
	tags       = lazyregexp.New(`<[^>]+>`)
	isTrue     = lazyregexp.New(`(?i)\A(?:true|yes|on|1)\z`)
)

func (r *reading) read(text string) {
	bare := strings.TrimPrefix(text, "\uFEFF")
	marked := bare != text
	if r.StripsBOM {
		text = bare
	}
	if r.AnyBreaks {
		text = lineBreaks.Replace(text)
	}
	at, body := r.Fence().FindStringSubmatchIndex(text), text
	if at != nil {
		r.decode(text[at[2]:at[3]])
		body = text[at[1]:]
	} else {
		r.noFence(marked)
	}
	if r.skipped() || r.verdict.Outcome == Unknown {
		return
	}
	if strings.TrimSpace(body) == "" && r.NeedsBody {
		r.violation("no text after the frontmatter")
	}
	r.cases()
	r.name()
	r.description(body)
	for _, key := range r.Scalars {
		if v := r.field(key); v != nil && !v.Scalar() {
			r.violation("%s is %s", key, v.Kind)
		}
	}
	r.metadata()
	for _, l := range r.Limits {
		r.limit(l)
	}
	r.visibility()
}

// noFence records what the client does with a file in which it finds no frontmatter.
// marked says that a byte order mark is before it.
func (r *reading) noFence(marked bool) {
	switch empty := r.Broken == "no fields"; {
	case marked && (empty || r.Broken == "unknown"):
		r.note(Unknown, "a byte order mark is before the first ---; what it does then is not documented")
	case marked && !r.StripsBOM:
		r.violation("a byte order mark is before the first ---")
	case r.NoFence:
		r.note(Altered, "no frontmatter in it: the whole file is the body")
	case empty:
		r.note(Altered, "no frontmatter in it: the whole file is the body")
	default:
		r.violation("no frontmatter that it recognises")
	}
}

// cases reports fields of the specification that are written in another case.
func (r *reading) cases() {
	for _, f := range r.fields {
		lower := strings.ToLower(f.Key)
		if r.ExactCase && f.Key != lower && slices.Contains(common(), lower) {
			r.violation("the field %s must be written %s", printable.Quote(f.Key), lower)
		}
	}
}

// common returns the fields of the specification.
func common() []string {
	return []string{"name", "description", "license", "compatibility", "metadata", "allowed-tools"}
}

// metadata checks the kind of the field metadata and of its values.
func (r *reading) metadata() {
	m := r.field("metadata")
	if m == nil || m.Kind == frontmatter.Null || r.Metadata == "" {
		return
	}
	nested := slices.IndexFunc(m.Fields, func(f frontmatter.Field) bool { return !f.Value.Scalar() })
	if m.Kind != frontmatter.Mapping {
		r.violation("metadata is %s, not a mapping", m.Kind)
	} else if r.Metadata == "texts" && nested >= 0 {
		r.violation("metadata holds %s", m.Fields[nested].Value.Kind)
	}
}

// decode decodes the YAML, with the client's handling of invalid YAML.
func (r *reading) decode(yaml string) {
	fields, fault := decode(yaml)
	again := fault
	r.fields = fields
	switch {
	case fault == "" && (r.Broken != "lines" || r.hasTexts()):
	case r.Broken == "unknown", r.Broken == "no fields" && !strings.HasPrefix(fault, brokenYAML):
		again = ""
		r.note(Unknown, "%s; what it does then is not documented", fault)
	case r.Broken == "no fields":
		fields, again = nil, ""
		r.note(Altered, "%s: it loads without fields", fault)
	case r.Broken == "quotes":
		fields, again = decode(colonValue().ReplaceAllString(yaml, "$1: |-\n  $2"))
		if again == "" {
			r.note(Altered, "%s: it takes values with a colon as text", fault)
		}
	case r.Broken == "lines":
		fields, again = nil, ""
		for _, m := range namedLine().FindAllStringSubmatch(lineBreaks.Replace(yaml), -1) { // the last one counts
			value := frontmatter.Value{Kind: frontmatter.String, Text: strings.TrimSpace(folds().ReplaceAllString(m[2], " "))}
			fields = slices.Insert(fields, 0, frontmatter.Field{Key: m[1], Value: value})
		}
		if fault != "" { // otherwise it is a number, a date or similar
			r.note(Altered, "%s: it reads name and description line by line", fault)
		}
	}
	r.fields = fields
	if again != "" {
		r.violation("%s", fault)
	}
}

const brokenYAML = "broken YAML: "

// decode decodes YAML. fault is the error of a strict parser, or "".
func decode(yaml string) (fields []frontmatter.Field, fault string) {
	doc := frontmatter.Scan([]byte("---\n" + yaml + "\n---\n"))
	if block := doc.Block(); block.Closed() {
		doc.Decode(bytes.TrimRight(doc.Source[block.Start:block.End], "\n")) // the text that clients pass on
	}
	if len(doc.Faults) > 0 {
		message, broken := strings.CutPrefix(doc.Faults[0].Message, "Invalid YAML in frontmatter: ")
		if broken {
			message = brokenYAML + message
		}
		message, _, _ = strings.Cut(message, ": it is on line ") // the line is not that of the file
		return doc.Fields, message
	}
	return doc.Fields, ""
}
