package suite

// YAML is read as JSON whose values have their places in the file, so that problems in it name
// a line like those in JSON.

import (
	"encoding/json"
	"fmt"
	"strconv"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"

	"skills/internal/jsonpos"
	"skills/internal/lazyregexp"
	"skills/internal/printable"
)

// yamlNode parses YAML, which begins at an offset of a file, as JSON. Nothing in YAML is an
// empty object.
func yamlNode(src []byte, from int) (*jsonpos.Node, error) {
	var document yaml.Node
	var plain any
	if err := yaml.Unmarshal(src, &plain); err != nil {
		return nil, err
	}
	if plain == nil {
		plain = map[string]any{}
	}
	text, err := json.Marshal(plain)
	if err != nil {
		return nil, err
	}
	top := at(jsonpos.Parse(text), from)
	if err := yaml.Unmarshal(src, &document); err == nil && len(document.Content) > 0 {
		yamlPlaces{src, from, lineStarts(src)}.set(top, document.Content[0])
	}
	return top, nil
}

// at returns a copy of a value that is at one offset.
func at(n *jsonpos.Node, offset int) *jsonpos.Node {
	if n == nil {
		return nil
	}
	placed := &jsonpos.Node{Value: n.Value, Start: offset, End: offset}
	if items := n.Items(); items != nil {
		list := make([]*jsonpos.Node, len(items))
		for i, item := range items {
			list[i] = at(item, offset)
		}
		placed.Value = list
	}
	if n.Fields() != nil {
		fields := map[string]*jsonpos.Node{}
		for key, value := range n.Fields() {
			fields[key] = at(value, offset)
		}
		placed.Value = fields
	}
	return placed
}

// moved moves a value, which was parsed on its own, to its place in a file.
func moved(n *jsonpos.Node, by int) *jsonpos.Node {
	n.Start, n.End = n.Start+by, n.End+by
	for _, item := range n.Items() {
		moved(item, by)
	}
	for _, value := range n.Fields() {
		moved(value, by)
	}
	return n
}

// lineStarts returns the offset of each line.
func lineStarts(src []byte) []int {
	starts := []int{0}
	for i, b := range src {
		if b == '\n' {
			starts = append(starts, i+1)
		}
	}
	return starts
}

// yamlPlaces knows where the lines of a YAML text are.
type yamlPlaces struct {
	src   []byte
	from  int // offset of the text in its file
	lines []int
}

// offset returns the place of a node in the file.
func (p yamlPlaces) offset(y *yaml.Node) int {
	at := p.lines[max(0, min(y.Line, len(p.lines))-1)]
	for column := 1; column < y.Column && at < len(p.src) && p.src[at] != '\n'; column++ {
		_, size := utf8.DecodeRune(p.src[at:])
		at += size
	}
	return p.from + at
}

// set gives a value and what is in it the places of a node.
func (p yamlPlaces) set(n *jsonpos.Node, y *yaml.Node) {
	if n == nil {
		return
	}
	n.Start = p.offset(y)
	n.End = n.Start
	if y.Kind == yaml.AliasNode {
		*n = *at(n, n.Start) // where it is used
		return
	}
	for i, item := range y.Content {
		switch {
		case y.Kind == yaml.SequenceNode && i < len(n.Items()):
			p.set(n.Items()[i], item)
		case y.Kind == yaml.MappingNode && i%2 == 1 && y.Content[i-1].Value == "<<":
			for _, value := range n.Fields() {
				*value = *at(value, n.Start) // unless the mapping has its own, below
			}
		}
	}
	if y.Kind != yaml.MappingNode {
		return
	}
	for i := 1; i < len(y.Content); i += 2 {
		p.set(n.Field(y.Content[i-1].Value), y.Content[i])
	}
}

// yamlLine matches the line in an error of the parser.
var yamlLine = lazyregexp.New(`\bline (\d+)(, column \d+)?: `)

// reportYAML reports YAML that begins at an offset of a file and cannot be parsed.
func (r *reader) reportYAML(f *file, from int, level, help string, err error) {
	text := err.Error()
	offset := from
	if found := yamlLine().FindStringSubmatch(text); found != nil {
		line, _ := strconv.Atoi(found[1])
		starts := lineStarts(f.src[min(from, len(f.src)):])
		offset += starts[max(0, min(line, len(starts))-1)]
		text = yamlLine().ReplaceAllString(text, "")
	}
	r.report(f, offset, level, help, "not valid YAML: %s", printable.Line(printable.Truncate(fmt.Sprint(text), 200)))
}
