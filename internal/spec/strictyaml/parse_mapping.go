package strictyaml

// mapping parses the pairs of a mapping up to its end.
func (p *parser) mapping(n *part) error {
	if _, err := p.in.next(); err != nil {
		return err
	}
	for {
		k, err := p.mappingKey()
		if err != nil {
			return err
		}
		if k == nil {
			return p.mappingEnd()
		}
		v, err := p.mappingValue()
		if err != nil {
			return err
		}
		n.keys = append(n.keys, k)
		n.items = append(n.items, v)
	}
}

// mappingKey parses a key, which is empty where the value's colon comes first.
// It returns nil where there is no more.
func (p *parser) mappingKey() (*part, error) {
	is, err := p.in.at(key)
	if err != nil {
		return nil, err
	}
	if is {
		t, err := p.in.next()
		if err != nil {
			return nil, err
		}
		if err := p.handOver(t); err != nil {
			return nil, err
		}
		bare, err := p.in.at(key | value | blockEnd)
		if err != nil {
			return nil, err
		}
		if bare {
			return p.empty(t)
		}
		return p.node(true)
	}
	// The older rules know no empty keys.
	if !p.in.scan.newRules() {
		return nil, nil
	}
	if is, err = p.in.at(value); err != nil || !is {
		return nil, err
	}
	return p.empty(nil)
}

func (p *parser) mappingEnd() error {
	closed, err := p.in.at(blockEnd)
	if err != nil {
		return err
	}
	if !closed {
		return p.unexpected("expected a key or the end of the mapping; is the indentation the same as in the line before?")
	}
	t, err := p.in.next()
	if err != nil {
		return err
	}
	return p.handOver(t)
}

// mappingValue parses what belongs to the key before.
func (p *parser) mappingValue() (*part, error) {
	is, err := p.in.at(value)
	if err != nil {
		return nil, err
	}
	if !is {
		return p.empty(nil)
	}
	t, err := p.in.next()
	if err != nil {
		return nil, err
	}
	if err := p.valueNotes(t); err != nil {
		return nil, err
	}
	bare, err := p.in.at(key | value | blockEnd)
	if err != nil {
		return nil, err
	}
	if !bare {
		return p.node(true)
	}
	if !t.notes.present {
		next, err := p.in.first()
		if err != nil {
			return nil, err
		}
		next.notes.after = false // that comment is the empty value's
	}
	return p.empty(t)
}

// valueNotes hands the comments of a colon on, unless the next key follows at
// once: then they stay with the empty value.
func (p *parser) valueNotes(t *token) error {
	again, err := p.in.at(value)
	if err != nil {
		return err
	}
	if !again {
		keyNext, err := p.in.at(key)
		if err != nil || keyNext {
			return err
		}
	}
	return p.handOver(t)
}
