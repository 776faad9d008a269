package prompts

import (
	"bytes"
	"slices"

	"skills/internal/lazyregexp"
)

// pythonPrompts finds calls of getpass, of the usual prompt libraries, and of
// input with a prompt. Without one, input may read piped data, unless the line
// before prints something.
func pythonPrompts(src []byte) []Prompt {
	option := bytes.Contains(src, []byte("prompt=")) && containsAny(src, []string{"click.option", "typer.Option"})
	if !option && len(callsOf(src, pythonAsks()...)) == 0 {
		return nil // true for most scripts; avoids stripping
	}
	code := stripped("python", src)
	out := slices.DeleteFunc(callsOf(code, "input"), func(p Prompt) bool {
		arguments := bytes.TrimLeft(code[p.End:min(len(code), p.End+200)], " \t\r\n(")
		return bytes.HasPrefix(arguments, []byte(")")) && !printsJustBefore(code, p.Start)
	})
	if len(out) > 0 && ownInput().Match(code) {
		out = nil
	}
	out = append(out, callsOf(code, pythonAsks()[1:]...)...)
	if option {
		out = append(out, inLines(code, askingOption)...)
	}
	return out
}

// askingOption matches a click or typer option that prompts for a missing
// value.
const askingOption = `(?:click\.option|typer\.Option)\([^()]*\b(prompt=)(?:True|["'])`

// pythonAsks returns the functions that prompt, input first.
func pythonAsks() []string {
	return []string{
		"input", "raw_input", "getpass", "getpass.getpass", "click.prompt", "click.confirm", "typer.prompt", "typer.confirm",
		"builtins.input", "prompt_toolkit.prompt", "Prompt.ask", "Confirm.ask", "IntPrompt.ask", "FloatPrompt.ask",
		"questionary.text", "questionary.select", "questionary.confirm", "questionary.checkbox", "questionary.password", "questionary.autocomplete", "questionary.path",
		"inquirer.prompt", "inquirer.text", "inquirer.confirm", "inquirer.list_input", "inquirer.select",
	}
}

// ownInput matches programs that define their own input function.
var ownInput = lazyregexp.New(`\bdef[ \t]+input\b|\bimport[ \t][^\n]*\binput\b|\bas[ \t]+input\b|(?m:^[ \t]*input[ \t]*=[^=])`)

func printsJustBefore(code []byte, at int) bool {
	code = code[max(at-1000, 0):at]
	code = bytes.TrimSpace(code[:bytes.LastIndexByte(code, '\n')+1])
	return bytes.HasPrefix(bytes.TrimSpace(code[bytes.LastIndexByte(code, '\n')+1:]), []byte("print("))
}

// javascriptPrompts finds calls of Node's readline and of the usual prompt
// libraries.
func javascriptPrompts(src []byte) []Prompt {
	library := func(name string) bool {
		return containsAny(src, []string{"'" + name + "'", `"` + name + `"`, "npm:" + name})
	}
	known := slices.ContainsFunc([]string{"inquirer", "@inquirer/prompts", "@clack/prompts", "enquirer", "prompts", "readline-sync"}, library)
	if !known && !bytes.Contains(src, []byte("readline")) {
		return nil
	}
	code := stripped("javascript", src)
	out := callsOf(code, ".question")
	if known {
		for _, name := range []string{"prompt", "prompts", "confirm", "input", "select", "text", "password", "checkbox", "multiselect", "question", "keyInYN"} {
			out = append(out, callsOf(code, name, "inquirer."+name, "p."+name, "clack."+name, "enquirer."+name, "readlineSync."+name)...)
		}
	}
	return out
}
