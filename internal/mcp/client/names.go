package client

import (
	"fmt"
	"unicode/utf8"

	"skills/internal/lazyregexp"
)

var notInName = lazyregexp.New(`[^\p{L}\p{M}\p{N}_-]`)

const maxName = 64 // characters of a function's name in the chat-completions protocol

// toolNames gives the tools of servers the names that the model sees. A tool keeps its name
// for the run. It is the server's own unless another tool has it.
type toolNames struct {
	taken map[string]bool
	given map[[2]string]string // by server and tool
}

func newToolNames(taken []string) toolNames {
	n := toolNames{taken: map[string]bool{}, given: map[[2]string]string{}}
	for _, name := range taken {
		n.taken[name] = true
	}
	return n
}

// assign returns the names of tools, in their order.
func (n toolNames) assign(tools []*tool) (names []string) {
	wanted := map[string]int{}
	for _, t := range tools {
		wanted[clean(t.def.Name)]++
	}
	for _, t := range tools {
		key := [2]string{t.Server.Name, t.def.Name}
		name, known := n.given[key]
		if !known {
			name = clean(t.def.Name)
			if n.taken[name] || wanted[name] > 1 {
				name = clean(t.Server.Name + "_" + t.def.Name)
			}
			name = n.free(name)
			n.given[key], n.taken[name] = name, true
		}
		names = append(names, name)
	}
	return names
}

// free returns the name, with a number if a tool has it.
func (n toolNames) free(name string) string {
	plain := name
	for i := 2; n.taken[name]; i++ {
		end := fmt.Sprintf("_%d", i)
		name = cut(plain, maxName-len(end)) + end
	}
	return name
}

// clean returns a name of letters and digits of any script, - and _. Servers of models that
// refuse such letters get other names from the package model.
func clean(name string) string {
	return cut(notInName().ReplaceAllString(name, "_"), maxName)
}

// cut returns the first n characters.
func cut(text string, n int) string {
	if utf8.RuneCountInString(text) <= n {
		return text
	}
	return string([]rune(text)[:n])
}
