package frontmatter

// The parser's tree becomes fields with positions of the file. What the parser does
// otherwise than the clients is undone or reported here: separators that end a line only
// in YAML 1.1, aliases that multiply, tags, keys that occur twice. A text that breaks one
// rule is read on, so that one run reports every problem.

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"

	"skills/internal/printable"
)

// MaxSize is the most YAML text that is read, in bytes. The specification
// recommends about 100 tokens, so longer text is not frontmatter.
const MaxSize = 32 << 10

// Decode parses the YAML between the fences, or a copy of it, into Fields.
// Invalid YAML becomes a fault that explains its cause. If the repair is
// certain, Decode continues with the repaired text, so that one run reports
// every problem.
func (d *Content) Decode(yamlText []byte) {
	if len(yamlText) > MaxSize {
		d.fault("frontmatter-syntax", Span{}, fmt.Sprintf(invalidYAML+"it is %d bytes long, more than the %d that are read", len(yamlText), MaxSize),
			"move long text into the body")
		return
	}
	if i, r := Forbidden(string(yamlText)); i >= 0 {
		d.fault("frontmatter-syntax", d.Lines().Place(d.block.Start+i), fmt.Sprintf(invalidYAML+"control character %s", printable.Rune(r)), "delete it")
		return
	}
	yamlText = d.separators.hide(yamlText)
	for range maxRepairs {
		root, bad := ParseYAML(yamlText)
		if bad == nil {
			bad = textForFields(root, yamlText)
		}
		if bad == nil {
			d.fromNode(root, yamlText)
			return
		}
		// A line that looks like a fence or the body shows where the block should
		// end.
		if block := d.block; len(d.guessed) == 0 {
			if _, found := d.nearFence(block.Line-1, d.BodyLine-2); found {
				if d.block == block {
					return
				}
				yamlText = d.separators.hide(d.Source[d.block.Start:d.block.End])
				continue
			}
		}
		if d.reportBody(IndexLines(yamlText), bad.Line) {
			return
		}
		repaired, ok := d.explain(yamlText, bad)
		if !ok {
			return
		}
		yamlText = repaired
	}
}

// Separators are the Unicode characters that end a line in YAML 1.1 and in the
// parser, but not in YAML 1.2: next line, line and paragraph separator.
const Separators = "\u0085\u2028\u2029"

// substitutes are unassigned or private characters of the same length that
// replace the separators.
const substitutes = "\u07FB\uE028\uE029"

var (
	separatorsAway = strings.NewReplacer("\u0085", "\u07FB", "\u2028", "\uE028", "\u2029", "\uE029")
	separatorsBack = strings.NewReplacer("\u07FB", "\u0085", "\uE028", "\u2028", "\uE029", "\u2029")
)

// hiding keeps the separators of a text from the parser.
type hiding struct {
	active bool // the text has some
}

// hide replaces the separators without moving any byte. A text that already
// contains the substitutes is returned unchanged.
func (h *hiding) hide(text []byte) []byte {
	h.active = hasSeparators(text) && !bytes.ContainsAny(text, substitutes)
	if !h.active {
		return text
	}
	return []byte(separatorsAway.Replace(string(text)))
}

// show undoes hide in a part of the text.
func (h hiding) show(part string) string {
	if !h.active {
		return part
	}
	return separatorsBack.Replace(part)
}

func hasSeparators(text []byte) bool {
	return bytes.Contains(text, []byte("\u0085")) || bytes.Contains(text, []byte("\u2028")) || bytes.Contains(text, []byte("\u2029"))
}

// maxRepairs limits the invalid lines reported in one frontmatter.
const maxRepairs = 20

// fromNode reads the fields of a parsed frontmatter; node is nil for none.
func (d *Content) fromNode(node *yaml.Node, text []byte) {
	const message = "SKILL.md frontmatter must be a YAML mapping; it is "
	r := &nodeReader{doc: d, text: IndexLines(text), left: maxValues}
	if node == nil {
		d.fault("frontmatter-mapping", d.Opening(), message+"empty", "write at least name: and description: between the fences")
		return
	}
	root := r.value(node, 0)
	switch {
	case r.full:
	case root.Kind == Null:
		d.fault("frontmatter-mapping", root.Span, message+"empty", "write fields such as name: my-skill, one a line")
	case root.Kind != Mapping:
		d.fault("frontmatter-mapping", root.Span, message+root.Kind.String(), "write fields such as name: my-skill, one a line")
	default:
		d.Mapping, d.Fields, d.Style = true, root.Fields, root.Style
	}
}

// maxValues limits the expansion of aliases.
const maxValues = 100_000

// nodeReader turns YAML nodes into values with positions in the file.
type nodeReader struct {
	doc  *Content
	text Lines // the YAML text, possibly repaired
	left int   // values that may still be created
	full bool  // whether left reached zero and this was reported
}

const maxDepth = 1000

func (r *nodeReader) value(n *yaml.Node, depth int) Value {
	r.left--
	if r.left < 0 || depth > maxDepth {
		if !r.full {
			r.full = true
			what := fmt.Sprintf("it has more than %d values", maxValues)
			if depth > maxDepth {
				what = fmt.Sprintf("it is nested more than %d levels deep", maxDepth)
			}
			r.doc.fault("frontmatter-syntax", r.span(n), invalidYAML+what+", aliases included",
				"a frontmatter has a handful of fields; move the rest into files")
		}
		return Value{}
	}
	if n.Kind == yaml.AliasNode {
		v := r.value(n.Alias, depth+1)
		v.Alias, v.Anchor, v.Span = true, n.Value, r.span(n)
		return v
	}
	v := Value{Anchor: n.Anchor, Span: r.span(n), Style: style(n)}
	if n.Style&yaml.TaggedStyle != 0 {
		v.Tag = n.Tag
	}
	switch n.Kind {
	case yaml.SequenceNode:
		v.Kind = Sequence
		for _, item := range n.Content {
			v.Items = append(v.Items, r.value(item, depth+1))
			if r.full {
				break
			}
		}
	case yaml.MappingNode:
		v.Kind = Mapping
		v.Fields = r.fields(n, depth)
	default:
		v.Text, v.Kind = r.doc.separators.show(n.Value), String
		if kind, ok := tagKinds[n.ShortTag()]; ok {
			v.Kind = kind
		} else {
			help := "quote a value that starts with !"
			if strings.HasPrefix(n.Tag, "!") && n.Style&^yaml.TaggedStyle == 0 && !strings.Contains(n.Value, "\n") {
				help = "quote the value: " + printable.TruncateMiddle(Quote(strings.TrimSpace(n.Tag+" "+n.Value)), 160)
			}
			r.doc.fault("frontmatter-syntax", v.Span, fmt.Sprintf(invalidYAML+"unknown tag %s", printable.Quote(n.Tag)), help)
		}
	}
	return v
}

// fields reads a mapping. It keeps the order of keys and duplicates, which are
// faults (YAML 1.2, section 3.2.1.1: keys are unique).
func (r *nodeReader) fields(n *yaml.Node, depth int) []Field {
	out := make([]Field, 0, len(n.Content)/2)
	var merged []Field
	seen := map[string]Span{}
	for i := 0; i+1 < len(n.Content) && !r.full; i += 2 {
		key := r.value(n.Content[i], depth+1)
		value := r.value(n.Content[i+1], depth+1)
		if r.full {
			break
		}
		if !key.Scalar() {
			r.complexKey(key)
			continue
		}
		if first, ok := seen[key.Text]; ok {
			r.doc.fault("frontmatter-duplicate-key", key.Span,
				fmt.Sprintf("duplicate key %s: it is on line %d already", printable.Quote(key.Text), first.Start.Line),
				"keep one of the two; parsers disagree over which counts")
		} else {
			seen[key.Text] = key.Span
		}
		if n.Content[i].ShortTag() == "!!merge" {
			merged = append(merged, r.merged(key, value)...)
			continue
		}
		out = append(out, Field{Key: key.Text, KeySpan: key.Span, Value: value})
	}
	// The mapping's own fields take precedence, then the first merged ones.
	for _, f := range merged {
		if _, ok := seen[f.Key]; !ok {
			seen[f.Key] = f.KeySpan
			out = append(out, f)
		}
	}
	return out
}

// merged returns the fields of the mapping, or list of mappings, that the key << adds to
// the mapping around it.
func (r *nodeReader) merged(key, value Value) (fields []Field) {
	from := []Value{value}
	if value.Kind == Sequence {
		from = value.Items
	}
	for _, v := range from {
		fields = append(fields, v.Fields...)
	}
	if len(from) == 0 || slices.ContainsFunc(from, func(v Value) bool { return v.Kind != Mapping }) {
		r.doc.fault("frontmatter-syntax", key.Span, invalidYAML+"<< merges mappings, not "+value.Kind.String(), "write the fields out")
	}
	return fields
}

// complexKey reports a key that is a list or a mapping: valid YAML, but in
// practice an unfilled template.
func (r *nodeReader) complexKey(key Value) {
	line := key.Span.Start.Line
	if e, ok := readEntry(r.doc.Line(line)); ok && isPlaceholder(e.value) {
		r.doc.guessed.add(line)
		column := utf8.RuneCountInString(r.doc.Line(line)[:e.lead]) + 1
		r.doc.fault("frontmatter-syntax", r.doc.Lines().Span(line, column, 0), invalidYAML+e.describe()+" is a template placeholder", placeholderHelp)
		return
	}
	r.doc.fault("frontmatter-syntax", key.Span, fmt.Sprintf(invalidYAML+"a key is %s", key.Kind), "write keys as plain text")
}

func style(n *yaml.Node) Style {
	switch {
	case n.Style&yaml.SingleQuotedStyle != 0:
		return SingleQuoted
	case n.Style&yaml.DoubleQuotedStyle != 0:
		return DoubleQuoted
	case n.Style&yaml.LiteralStyle != 0:
		return Literal
	case n.Style&yaml.FoldedStyle != 0:
		return Folded
	case n.Style&yaml.FlowStyle != 0:
		return Flow
	case n.Kind == yaml.SequenceNode || n.Kind == yaml.MappingNode:
		return Indented
	}
	return Plain
}
