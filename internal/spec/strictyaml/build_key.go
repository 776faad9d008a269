package strictyaml

import (
	"slices"
	"strconv"
	"strings"
)

func isMerge(p *part) bool { return p.kind == Scalar && p.plain && p.text == "<<" }

func isOpaque(p *part) bool { return isMerge(p) || p.kind == Scalar && p.plain && p.text == "=" }

// keyID is equal for equal keys. Lists as keys are refused unless nobody looks,
// lists and mappings inside them always.
func (b *builder) keyID(k *part) (string, error) {
	if k.kind == Scalar {
		return k.text, nil
	}
	if k.kind == Mapping || b.unseen == 0 {
		return "", refuse(k.at, ComplexKey, complexMessage)
	}
	var id strings.Builder
	id.WriteString("\xFF") // no text starts like this
	for _, item := range k.items {
		if item.kind != Scalar {
			return "", refuse(item.at, ComplexKey, complexMessage)
		}
		if isOpaque(item) {
			b.serial++ // two of these are never equal
			id.WriteString("o" + strconv.Itoa(b.serial) + ":")
			continue
		}
		id.WriteString(strconv.Itoa(len(item.text)) + ":" + item.text)
	}
	return id.String(), nil
}

// keySet is a set of keys. Most mappings have few, for which a list is faster
// than a map.
type keySet struct {
	few  []string
	many map[string]bool
}

// add reports whether id is new.
func (s *keySet) add(id string) bool {
	if s.many[id] || slices.Contains(s.few, id) {
		return false
	}
	switch {
	case s.many != nil:
		s.many[id] = true
	case len(s.few) < 16:
		s.few = append(s.few, id)
	default:
		s.many = map[string]bool{id: true}
		for _, f := range s.few {
			s.many[f] = true
		}
		s.few = nil
	}
	return true
}
