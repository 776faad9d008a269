package strictyaml

// part is a node before StrictYAML's own rules have seen it.
type part struct {
	kind  Kind // Scalar, Mapping or Sequence
	text  string
	plain bool
	keys  []*part // of a mapping, beside items
	items []*part
	at    mark
}

// parser nests the tokens. A question to the queue may move comments, so they
// are asked in the original's order; only those that cannot matter are left
// out.
type parser struct {
	in    *queue
	depth int
}

// document parses the text, which must hold one document at most. It returns
// nil where it holds none.
func (p *parser) document() (*part, error) {
	t, err := p.in.next()
	if err != nil {
		return nil, err
	}
	if err := p.handOver(t); err != nil {
		return nil, err
	}
	explicit, err := p.in.at(directive | documentStart | streamEnd)
	if err != nil {
		return nil, err
	}
	var root *part
	if explicit {
		root, err = p.explicitDocument()
		if root == nil || err != nil {
			return nil, err
		}
	} else {
		if _, err = p.in.first(); err != nil {
			return nil, err
		}
		if root, err = p.node(false); err != nil {
			return nil, err
		}
	}
	return root, p.finish()
}

// explicitDocument parses what starts with a directive or ---.
func (p *parser) explicitDocument() (*part, error) {
	if err := p.skipEnds(); err != nil {
		return nil, err
	}
	if over, err := p.in.at(streamEnd); over || err != nil {
		return nil, err
	}
	if _, err := p.in.first(); err != nil {
		return nil, err
	}
	if err := p.directives(); err != nil {
		return nil, err
	}
	started, err := p.in.at(documentStart)
	if err != nil {
		return nil, err
	}
	if !started {
		return nil, p.unexpected("expected --- after a % directive")
	}
	if _, err := p.in.next(); err != nil {
		return nil, err
	}
	empty, err := p.in.at(directive | documentStart | documentEnd | streamEnd)
	if err != nil {
		return nil, err
	}
	if empty {
		return p.empty(nil)
	}
	return p.node(false)
}

// directives checks the % lines in front of a document.
func (p *parser) directives() error {
	var version bool
	handles := map[string]bool{}
	for {
		is, err := p.in.at(directive)
		if err != nil || !is {
			return err
		}
		t, err := p.in.next()
		if err != nil {
			return err
		}
		switch {
		case t.text == "YAML" && version:
			return refuse(t.start, Syntax, "two %YAML directives")
		case t.text == "YAML" && t.about.version[0] != 1:
			return refuse(t.start, Syntax, "only YAML version 1 can be read")
		case t.text == "YAML":
			version = true
		case t.text == "TAG" && handles[t.about.handle]:
			return refuse(t.start, Syntax, "two %TAG directives for "+t.about.handle)
		case t.text == "TAG":
			handles[t.about.handle] = true
		}
	}
}

// finish makes sure that nothing follows the document but its end marker.
func (p *parser) finish() error {
	if _, err := p.in.first(); err != nil {
		return err
	}
	ended, err := p.in.at(documentEnd)
	if err != nil {
		return err
	}
	if ended {
		if _, err := p.in.next(); err != nil {
			return err
		}
	}
	// By the rules of YAML 1.1 the marker may be repeated.
	if p.in.scan.version == [2]int{1, 1} {
		if err := p.skipEnds(); err != nil {
			return err
		}
	} else if explicit, err := p.in.at(directive | documentStart | streamEnd); err != nil {
		return err
	} else if !explicit {
		return p.unexpected("expected the end of the text: only one document is read")
	} else if err := p.skipEnds(); err != nil {
		return err
	}
	over, err := p.in.at(streamEnd)
	if err != nil {
		return err
	}
	if !over {
		return p.unexpected("expected the end of the text: only one document is read")
	}
	return nil
}

func (p *parser) skipEnds() error {
	for {
		is, err := p.in.at(documentEnd)
		if err != nil || !is {
			return err
		}
		if _, err := p.in.next(); err != nil {
			return err
		}
	}
}

func (p *parser) handOver(t *token) error {
	next, err := p.in.first()
	if err != nil {
		return err
	}
	return t.handOver(next)
}

func (p *parser) unexpected(message string) error {
	t, err := p.in.first()
	if err != nil {
		return err
	}
	if t.kind == comment {
		return refuse(t.start, Failure, commentMessage)
	}
	return refuse(t.start, Syntax, message)
}
