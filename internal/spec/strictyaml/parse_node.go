package strictyaml

// node parses one value. A list under a key may start at the key's own column;
// sameColumn says that this is such a place.
func (p *parser) node(sameColumn bool) (*part, error) {
	t, err := p.in.first()
	if err != nil {
		return nil, err
	}
	n := &part{at: t.start}
	if sameColumn {
		is, err := p.in.at(entry)
		if err != nil {
			return nil, err
		}
		if is {
			return p.looseSequence(n)
		}
	}
	is, err := p.in.at(scalar)
	if err != nil {
		return nil, err
	}
	if is {
		return p.scalar(n)
	}
	return p.collection(n)
}

// scalar parses a scalar, for which the YAML version must be one whose rules
// exist if it is unquoted.
func (p *parser) scalar(n *part) (*part, error) {
	t, err := p.in.next()
	if err != nil {
		return nil, err
	}
	n.kind, n.text, n.plain = Scalar, t.text, t.plain
	if t.plain {
		return n, p.knownVersion(n.at)
	}
	return n, nil
}

func (p *parser) knownVersion(at mark) error {
	switch p.in.scan.version {
	case [2]int{}, [2]int{1, 1}, [2]int{1, 2}:
		return nil
	}
	return refuse(at, Failure, versionMessage)
}

// empty is the value that is not there. It stands behind after, or in front of
// the next token.
func (p *parser) empty(after *token) (*part, error) {
	n := &part{plain: true}
	if after != nil {
		n.at = after.end
	} else {
		t, err := p.in.first()
		if err != nil {
			return nil, err
		}
		n.at = t.start
	}
	return n, p.knownVersion(n.at)
}

// collection parses a mapping or a sequence.
func (p *parser) collection(n *part) (*part, error) {
	p.depth++
	defer func() { p.depth-- }()
	if p.depth > maxDepth {
		return nil, refuse(n.at, Depth, depthMessage)
	}
	is, err := p.in.at(sequenceStart)
	if err != nil {
		return nil, err
	}
	if is {
		n.kind = Sequence
		return n, p.sequence(n)
	}
	if is, err = p.in.at(mappingStart); err != nil {
		return nil, err
	}
	if !is {
		return nil, p.unexpected("expected a value here")
	}
	n.kind = Mapping
	return n, p.mapping(n)
}

// sequence parses a list whose items are further in than what it belongs to.
func (p *parser) sequence(n *part) error {
	if _, err := p.in.next(); err != nil {
		return err
	}
	for {
		more, err := p.item(n, entry|blockEnd)
		if err != nil {
			return err
		}
		if !more {
			break
		}
	}
	closed, err := p.in.at(blockEnd)
	if err != nil {
		return err
	}
	if !closed {
		return p.unexpected("expected - or the end of the list")
	}
	_, err = p.in.next()
	return err
}

// looseSequence parses a list that stands at its key's own column.
func (p *parser) looseSequence(n *part) (*part, error) {
	p.depth++
	defer func() { p.depth-- }()
	if p.depth > maxDepth {
		return nil, refuse(n.at, Depth, depthMessage)
	}
	n.kind = Sequence
	t, err := p.in.first()
	if err != nil {
		return nil, err
	}
	t.notes.after = false // that comment is the list's
	if _, err := p.in.first(); err != nil {
		return nil, err
	}
	for {
		more, err := p.item(n, entry|key|value|blockEnd)
		if err != nil {
			return nil, err
		}
		if !more {
			break
		}
	}
	if t, err = p.in.first(); err != nil {
		return nil, err
	}
	t.notes.before = false // that too
	return n, nil
}

// item parses one "- value" and reports whether there was one; closers are
// what may follow a - without a value.
func (p *parser) item(n *part, closers tokenKind) (bool, error) {
	is, err := p.in.at(entry)
	if err != nil || !is {
		return false, err
	}
	t, err := p.in.next()
	if err != nil {
		return false, err
	}
	if err := p.handOver(t); err != nil {
		return false, err
	}
	bare, err := p.in.at(closers)
	if err != nil {
		return false, err
	}
	var item *part
	if bare {
		item, err = p.empty(t)
	} else {
		item, err = p.node(false)
	}
	if err != nil {
		return false, err
	}
	n.items = append(n.items, item)
	return true, nil
}
