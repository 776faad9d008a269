package suite

// Published suites name the same things differently. An object is read by all names that
// were seen for a thing, and remembers which keys were read: the others are named once a
// file, so that nothing is lost in silence.

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"skills/internal/jsonpos"
	"skills/internal/printable"
	"skills/internal/suggest"
)

// object is a JSON object that remembers which of its keys were read.
type object struct {
	*jsonpos.Node
	used  map[string]bool
	asked map[string]bool // keys that have a meaning here
}

// parts are the keys of objects whose keys belong to the case itself.
func parts() []string {
	return []string{"input", "inputs", "scenario", "execution", "expect", "expected", "constraints", "environment", "context", "setup", "behavior"}
}

// newObject returns a node, with the keys of its parts as its own.
func newObject(n *jsonpos.Node) *object {
	fields := maps.Clone(n.Fields())
	for range 2 { // "expected" has "behavior"
		for _, key := range parts() {
			part := fields[key].Fields()
			if part == nil {
				continue
			}
			delete(fields, key)
			for name, value := range part {
				if fields[name] == nil || fields[name].Value == nil {
					fields[name] = value
				}
			}
		}
	}
	return &object{Node: &jsonpos.Node{Value: fields, Start: n.Start, End: n.End}, used: map[string]bool{}, asked: map[string]bool{}}
}

// get returns the value of the first of the keys that has one, or nil.
func (o *object) get(keys ...string) *jsonpos.Node {
	for _, key := range keys {
		if o.asked != nil {
			o.asked[key] = true
		}
	}
	for _, key := range keys {
		if n := o.Field(key); n != nil && n.Value != nil {
			o.used[key] = true
			return n
		}
	}
	return nil
}

// misspelled returns the key that another one, which nothing has read, probably means, or "".
func (o *object) misspelled(key string) string {
	const shortest, most = 5, 2 // letters: shorter words have others like them; that differ
	meant := suggest.Close(key, slices.Sorted(maps.Keys(o.asked)))
	if len(key) < shortest || o.Field(meant) != nil || suggest.Distance(key, meant) > most {
		return ""
	}
	return meant
}

func (o *object) text(keys ...string) string { return text(o.get(keys...)) }

// number returns a number, 0 without one.
func (o *object) number(keys ...string) float64 {
	v, _ := strconv.ParseFloat(o.text(keys...), 64)
	return v
}

// seconds returns a time in seconds: a number, or a text such as 90s. Whoever writes a
// number of ten thousand or more counts milliseconds.
func (o *object) seconds(keys ...string) float64 {
	v := o.text(keys...)
	if d, err := time.ParseDuration(v); err == nil {
		return d.Seconds()
	}
	n, _ := strconv.ParseFloat(v, 64)
	if n >= 10_000 {
		n /= 1000
	}
	return n
}

// each returns the elements of a value: of a list, or the value itself.
func each(n *jsonpos.Node) []*jsonpos.Node {
	switch {
	case n == nil || n.Value == nil:
		return nil
	case n.Items() != nil || n.Kind() == "a list":
		return n.Items()
	}
	return []*jsonpos.Node{n}
}

// leave remembers the keys of an object that nothing has read.
func (r *reader) leave(f *file, o *object) {
	for key, n := range o.Fields() {
		isEmpty := n.Value == nil || text(n) == "" || text(n) == "[]" || text(n) == "{}"
		if o.used[key] || isEmpty {
			continue
		}
		if meant := o.misspelled(key); meant != "" {
			r.report(f, n.Start, Warning, "did you mean "+meant+"?", "the key %s is not used", printable.Quote(printable.Truncate(key, 80)))
			continue
		}
		if r.ignored == nil {
			r.ignored = map[string]*unused{}
		}
		if r.ignored[f.path] == nil {
			r.ignored[f.path] = &unused{f, n.Start, map[string]int{}}
		}
		u := r.ignored[f.path]
		u.first = min(u.first, n.Start)
		u.keys[key]++
	}
}

// unused is the part of a file that no reader has used.
type unused struct {
	f     *file
	first int            // offset
	keys  map[string]int // and how often
}

// nameIgnored adds a note for each file with keys that nothing has read.
func (r *reader) nameIgnored() {
	for _, path := range slices.Sorted(maps.Keys(r.ignored)) {
		u := r.ignored[path]
		names := printable.Map(slices.Sorted(maps.Keys(u.keys)), func(key string) string {
			if n := u.keys[key]; n > 1 {
				return fmt.Sprintf("%s (%d times)", printable.Line(key), n)
			}
			return printable.Line(key)
		})
		r.report(u.f, u.first, Note, "they are notes for people, or mean something to another program", "not used: %s", strings.Join(names, ", "))
	}
}
