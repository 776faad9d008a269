package strictyaml

// merges builds the mappings that a << key brings in.
func (b *builder) merges(p *part, deep bool) ([]*Node, error) {
	var found bool
	var merged []*Node
	for i, k := range p.keys {
		if !isMerge(k) {
			continue
		}
		if found {
			return nil, refuse(k.at, Merge, "two << keys in one mapping")
		}
		found = true
		sources := []*part{p.items[i]}
		if p.items[i].kind == Sequence {
			sources = p.items[i].items
		}
		for _, s := range sources {
			if s.kind != Mapping {
				return nil, refuse(s.at, Merge, "a << key takes a mapping or a list of mappings; quote it to mean the text")
			}
			m, err := b.merge(s, deep)
			if err != nil {
				return nil, err
			}
			merged = append(merged, m)
		}
	}
	return merged, nil
}

// merge builds one of them. Outside the values of a mapping it is still empty
// when the original merges it and never looked at afterwards, which spares it
// some of the checks.
func (b *builder) merge(s *part, deep bool) (*Node, error) {
	if !deep {
		b.unseen++
		defer func() { b.unseen-- }()
	}
	return b.node(s, deep)
}

// mergeFrom adds the pairs whose keys n does not have; of several the first
// counts.
func (n *Node) mergeFrom(merged []*Node) {
	if len(merged) == 0 {
		return
	}
	have := keySet{}
	for _, p := range n.Pairs {
		have.add(p.Key.Text)
	}
	for _, m := range merged {
		for _, p := range m.Pairs {
			if have.add(p.Key.Text) {
				n.Pairs = append(n.Pairs, p)
			}
		}
	}
}
