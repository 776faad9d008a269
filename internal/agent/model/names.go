package model

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

const maxPlainName = 56 // characters of a plain name, before its number

// plainNames returns the names by which a server knows tools that have letters of other
// scripts than English: without marks, else without these letters, with a number. Tools with
// other names are not in the map.
func plainNames(tools []Tool) map[string]string {
	taken, plain := map[string]bool{}, map[string]string{}
	for _, t := range tools {
		if isPlainName(t.Name) {
			taken[t.Name] = true
		}
	}
	for _, t := range tools {
		if isPlainName(t.Name) {
			continue
		}
		name := transliterated(t.Name)
		for n := 1; ; n++ {
			numbered := fmt.Sprintf("%s_%d", name, n)
			if !taken[numbered] {
				plain[t.Name], taken[numbered] = numbered, true
				break
			}
		}
	}
	return plain
}

func isPlainName(name string) bool {
	return !strings.ContainsFunc(name, func(r rune) bool { return r > unicode.MaxASCII })
}

// transliterated returns the letters of a name that English has.
func transliterated(name string) string {
	name = strings.Map(func(r rune) rune {
		switch {
		case unicode.Is(unicode.Mn, r):
			return -1
		case r > unicode.MaxASCII:
			return '_'
		}
		return r
	}, norm.NFKD.String(name))
	parts := strings.FieldsFunc(name, func(r rune) bool { return r == '_' })
	if len(parts) == 0 {
		return "tool"
	}
	name = strings.Join(parts, "_")
	return name[:min(len(name), maxPlainName)]
}

// withPlainNames gives the tools plain names, also in the calls of the conversation. A
// description begins with the name of the tool, which says what the plain one may not.
func withPlainNames(r Request) Request {
	plain := plainNames(r.Tools)
	rename := func(name string) string {
		switch known := plain[name]; {
		case known != "":
			return known
		case isPlainName(name):
			return name
		}
		return transliterated(name) // of a tool that is no longer offered
	}
	r.Tools = slices.Clone(r.Tools)
	for i, t := range r.Tools {
		if plain[t.Name] != "" {
			r.Tools[i].Name, r.Tools[i].Description = plain[t.Name], t.Name+": "+t.Description
		}
	}
	return eachMessage(r, func(m *Message) {
		for i := range m.Calls {
			m.Calls[i].Name = rename(m.Calls[i].Name)
		}
	})
}

// named returns a reply in which plain names are those of the tools again.
func (r Request) named(reply Reply) Reply {
	tools := slices.Concat(r.Tools, r.Withheld)
	plain := plainNames(r.Tools)
	if len(r.Tools) == 0 {
		plain = plainNames(r.Withheld)
	}
	for i, call := range reply.Calls {
		if slices.ContainsFunc(tools, func(t Tool) bool { return t.Name == call.Name }) {
			continue
		}
		for name, other := range plain {
			if other == call.Name {
				reply.Calls[i].Name = name
			}
		}
	}
	return reply
}
