package usage

import (
	"slices"
	"strings"

	"skills/internal/script/usage/pyast"
)

// python returns what a Python script takes. base is its file name.
func python(text, base string) (Usage, bool) {
	body := pyast.Parse(text)
	if !slices.ContainsFunc([]string{"argparse", "ArgumentParser", "click", "typer"}, func(word string) bool { return strings.Contains(text, word) }) {
		return sysArgv(body, text, base)
	}
	in := newInterpreter()
	f := &frame{scope: in.module}
	in.module.vars["__doc__"] = nil
	if doc := pyast.Doc(body); doc != "" {
		in.module.vars["__doc__"] = doc
	}
	if !in.follow(func() { in.block(f, body) }) {
		return Usage{}, false
	}
	if u, ok := clickerOf(in).clickUsage(); ok {
		return u, true
	}
	if len(in.found) == 0 {
		in.callRest()
	}
	if u, ok := in.result(); ok || len(in.found) > 0 {
		return u, ok
	}
	return sysArgv(body, text, base)
}

// callRest calls the functions that the script itself did not call, because a parser may
// read the command line there.
func (in *interpreter) callRest() {
	for _, name := range sortedKeys(in.module.vars) {
		fn, ok := in.module.vars[name].(function)
		if !ok || in.called[fn.def] || in.commands[fn.def] != nil {
			continue
		}
		in.steps, in.depth, in.branches, in.calls = 0, 0, 0, nil
		in.follow(func() { in.invoke(fn, arguments{open: true}) })
	}
}

// result returns the usage of the parser that reads the command line, if there is one.
func (in *interpreter) result() (Usage, bool) {
	if len(in.found) == 0 {
		return Usage{}, false
	}
	u := in.found[0].usage(0)
	for _, p := range in.found[1:] {
		if p != in.found[0] && !equal(u, p.usage(0)) {
			return Usage{}, false
		}
	}
	return u, true
}
