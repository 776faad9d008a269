package strictyaml

import "strconv"

// builder applies the rules that StrictYAML adds when it makes data of the
// parts: duplicate keys, indentation, merge keys, keys that are no strings.
type builder struct {
	unseen int // above 0 inside a part that is built but never looked at
	serial int // of the opaque items in keys
}

// node builds a value. deep says that it stands under a mapping's key: there
// the original builds at once, elsewhere later, which decides about merges.
func (b *builder) node(p *part, deep bool) (*Node, error) {
	n := &Node{Kind: p.kind, Line: p.at.line, Column: p.at.column}
	switch p.kind {
	case Mapping:
		return n, b.mapping(n, p, deep)
	case Sequence:
		for _, item := range p.items {
			child, err := b.node(item, deep)
			if err != nil {
				return nil, err
			}
			n.Items = append(n.Items, child)
		}
	default:
		n.Text = clean(p.text)
		if isOpaque(p) {
			n.Kind = Opaque
		}
	}
	return n, nil
}

func (b *builder) mapping(n *Node, p *part, deep bool) error {
	merged, err := b.merges(p, deep)
	if err != nil {
		return err
	}
	seen := keySet{}
	for i, k := range p.keys {
		if isMerge(k) {
			continue
		}
		id, err := b.keyID(k)
		if err != nil {
			return err
		}
		child, err := b.node(p.items[i], true)
		if err != nil {
			return err
		}
		if !seen.add(id) {
			return refuse(k.at, Duplicate, "key "+strconv.Quote(clean(k.text))+" stands twice in this mapping, which the reference library refuses")
		}
		key := &Node{Kind: Scalar, Text: clean(k.text), Line: k.at.line, Column: k.at.column}
		n.Pairs = append(n.Pairs, Pair{Key: key, Value: child})
	}
	if deep {
		n.mergeFrom(merged)
	}
	return b.indentation(p)
}

// indentation compares the mappings among the values with the first of them.
func (b *builder) indentation(p *part) error {
	column := -1
	for i, v := range p.items {
		if v.kind != Mapping || isMerge(p.keys[i]) {
			continue
		}
		if column < 0 {
			column = v.at.indent
		}
		if v.at.indent != column {
			return refuse(v.at, Indentation, indentMessage)
		}
	}
	return nil
}
