package spec

import (
	"bytes"
	"slices"
)

// pythonPrompts finds calls of input with a prompt (without one it may read
// what is piped, unless a line is printed just before), getpass, and those of
// the usual libraries.
func pythonPrompts(_, code []byte) []prompt {
	out := slices.DeleteFunc(callsOf(code, "input"), func(p prompt) bool {
		arguments := bytes.TrimLeft(code[p.end:min(len(code), p.end+200)], " \t\r\n(")
		return bytes.HasPrefix(arguments, []byte(")")) && !printsJustBefore(code, p.start)
	})
	if len(out) > 0 && ownInput().Match(code) {
		out = nil
	}
	return append(out, callsOf(code, pythonAsks()[1:]...)...)
}

// pythonAsks are the functions that ask, input first.
func pythonAsks() []string {
	return []string{
		"input", "raw_input", "getpass", "getpass.getpass", "click.prompt", "click.confirm", "typer.prompt", "typer.confirm",
		"builtins.input", "prompt_toolkit.prompt", "Prompt.ask", "Confirm.ask", "IntPrompt.ask", "FloatPrompt.ask",
		"questionary.text", "questionary.select", "questionary.confirm", "questionary.checkbox", "questionary.password", "questionary.autocomplete", "questionary.path",
		"inquirer.prompt", "inquirer.text", "inquirer.confirm", "inquirer.list_input", "inquirer.select",
	}
}

// ownInput is found in programs that have another input than Python's.
var ownInput = newPattern(`\bdef[ \t]+input\b|\bimport[ \t][^\n]*\binput\b|\bas[ \t]+input\b|(?m:^[ \t]*input[ \t]*=[^=])`)

func printsJustBefore(code []byte, at int) bool {
	code = code[max(at-1000, 0):at]
	code = bytes.TrimSpace(code[:bytes.LastIndexByte(code, '\n')+1])
	return bytes.HasPrefix(bytes.TrimSpace(code[bytes.LastIndexByte(code, '\n')+1:]), []byte("print("))
}

// javascriptPrompts finds the calls of Node's readline and of the usual
// libraries, and of the browser's prompt where Deno or Bun run the script.
func javascriptPrompts(src, code []byte) []prompt {
	var out []prompt
	if bytes.Contains(src, []byte("readline")) {
		out = append(out, callsOf(code, ".question")...)
	}
	library := func(name string) bool {
		return bytes.Contains(src, []byte("'"+name+"'")) || bytes.Contains(src, []byte(`"`+name+`"`)) ||
			bytes.Contains(src, []byte("npm:"+name))
	}
	if slices.ContainsFunc([]string{"inquirer", "@inquirer/prompts", "@clack/prompts", "enquirer", "prompts", "readline-sync"}, library) {
		for _, name := range []string{"prompt", "prompts", "confirm", "input", "select", "text", "password", "checkbox", "multiselect", "question", "keyInYN"} {
			out = append(out, callsOf(code, name)...)
			out = append(out, callsOf(code, "inquirer."+name, "p."+name, "clack."+name, "enquirer."+name, "readlineSync."+name)...)
		}
	}
	first, _, _ := bytes.Cut(src[:min(len(src), 200)], []byte("\n"))
	if bytes.HasPrefix(first, []byte("#!")) && (bytes.Contains(first, []byte("deno")) || bytes.Contains(first, []byte("bun"))) {
		out = append(out, callsOf(code, "prompt", "confirm", "alert")...)
	}
	return out
}

func powershellPrompts(_, code []byte) []prompt {
	var out []prompt
	lower := lowerASCII(code)
	for _, name := range powershellAsks() {
		out = append(out, wordsOf(lower, name)...)
	}
	for _, at := range pauses().FindAllSubmatchIndex(lower, maxPrompts) {
		out = append(out, prompt{at[2], at[3]})
	}
	return out
}

// pauses is the command that waits for a key.
var pauses = newPattern(`(?m)(?:^|[;{|&])[ \t]*(pause)[ \t]*(?:$|[;}|&\r])`)

func powershellAsks() []string {
	return []string{"read-host", "get-credential", "promptforchoice", "[console]::readkey", "[system.console]::readkey", "rawui.readkey"}
}

// rubyPrompts finds lines that are read from standard input outside of loops
// over them.
func rubyPrompts(_, code []byte) []prompt {
	var out []prompt
	for _, name := range []string{"gets.chomp", "gets.strip", "gets.to_i", "gets.to_f"} {
		for _, w := range wordsOf(code, name) {
			line := before(code, w.start)
			for _, own := range []string{"STDIN.", "$stdin."} {
				if bytes.HasSuffix(line, []byte(own)) {
					line = bytes.TrimSuffix(line, []byte(own))
					w.start -= len(own)
				}
			}
			if !bytes.HasSuffix(line, []byte(".")) && !readsLines().Match(line) {
				out = append(out, w)
			}
		}
	}
	return append(out, wordsOf(code, "STDIN.getpass")...)
}

var readsLines = newPattern(`\b(?:while|until|each)\b`)
