package strictyaml

import "slices"

// queue holds the tokens between scanner and parser and hangs comments on
// their neighbours. How far it reads ahead is part of the original's
// behaviour: it decides which comments meet each other.
type queue struct {
	scan   *scanner
	tokens []*token
	taken  int // how many tokens have left the queue
}

// ready fetches until the first token is certain, that is, not a scalar that a
// later colon would turn into a key.
func (q *queue) ready() error {
	for {
		more, err := q.wanting()
		if err != nil || !more {
			return err
		}
		if err := q.scan.next(q); err != nil {
			return err
		}
	}
}

func (q *queue) wanting() (bool, error) {
	if q.scan.done {
		return false, nil
	}
	if len(q.tokens) == 0 {
		return true, nil
	}
	if err := q.scan.dropStaleKey(); err != nil {
		return false, err
	}
	return q.scan.candidate != nil && q.scan.candidate.number == q.taken, nil
}

// drop takes the token at i out.
func (q *queue) drop(i int) *token {
	t := q.tokens[i]
	copy(q.tokens[1:i+1], q.tokens[:i])
	q.tokens = q.tokens[1:]
	q.taken++
	return t
}

func (q *queue) push(t *token) { q.tokens = append(q.tokens, t) }

// insert puts a token in front of the one that has this number.
func (q *queue) insert(number int, t *token) {
	q.tokens = slices.Insert(q.tokens, number-q.taken, t)
}

// settle moves a comment at the front onto the token behind it and reads one
// token further, so that a comment behind the first token is seen.
func (q *queue) settle() error {
	if err := q.ready(); err != nil {
		return err
	}
	if len(q.tokens) == 0 {
		return nil
	}
	folded := false
	if q.tokens[0].kind == comment {
		q.drop(0)
		folded = true
	}
	for {
		more, err := q.wanting()
		if err != nil {
			return err
		}
		if !more {
			break
		}
		if err := q.scan.next(q); err != nil {
			return err
		}
		if q.tokens[0].kind == comment {
			q.drop(0)
			folded = true
		}
	}
	if folded && len(q.tokens) > 0 {
		if err := q.tokens[0].addBefore(); err != nil {
			return err
		}
	}
	if !q.scan.done && len(q.tokens) < 2 {
		return q.scan.next(q)
	}
	return nil
}

// at says whether the first token is one of the kinds.
func (q *queue) at(kinds tokenKind) (bool, error) {
	if err := q.settle(); err != nil {
		return false, err
	}
	return len(q.tokens) > 0 && q.tokens[0].kind&kinds != 0, nil
}

// first returns the first token and leaves it there.
func (q *queue) first() (*token, error) {
	if err := q.settle(); err != nil {
		return nil, err
	}
	if len(q.tokens) == 0 {
		return nil, refuse(q.scan.cur.at, Syntax, "unexpected end of the text")
	}
	return q.tokens[0], nil
}

// next takes the first token out, with the comments that follow it on it.
func (q *queue) next() (*token, error) {
	t, err := q.first()
	if err != nil {
		return nil, err
	}
	if len(q.tokens) > 1 && q.tokens[1].kind == comment {
		sameLine := t.end.line == q.tokens[1].start.line
		if t.kind == scalar || t.kind == value && sameLine {
			if err := q.foldFollowing(t); err != nil {
				return nil, err
			}
		}
	}
	return q.drop(0), nil
}

func (q *queue) foldFollowing(t *token) error {
	for len(q.tokens) > 1 && q.tokens[1].kind == comment {
		q.drop(1)
		if err := q.scan.next(q); err != nil {
			return err
		}
	}
	t.addAfter()
	return nil
}
