package prompts

import (
	"bytes"
	"regexp"
	"slices"
	"strings"

	"skills/internal/lazyregexp"
)

// pythonAsks are the functions that prompt.
const pythonAsks = `input raw_input getpass getpass.getpass click.prompt click.confirm typer.prompt typer.confirm
	builtins.input sys.stdin.readline prompt_toolkit.prompt Prompt.ask Confirm.ask IntPrompt.ask FloatPrompt.ask
	questionary.text questionary.select questionary.confirm questionary.checkbox questionary.password questionary.autocomplete questionary.path
	inquirer.prompt inquirer.text inquirer.confirm inquirer.list_input inquirer.select`

// askingOption matches a click or typer option that prompts for a missing
// value.
const askingOption = `(?:click\.option|typer\.Option)\([^()]*\b(prompt=)(?:True|["'])`

// ownInput matches programs that define their own input function.
var ownInput = lazyregexp.New(`\bdef[ \t]+input\b|\bimport[ \t][^\n]*\binput\b|\bas[ \t]+input\b|(?m:^[ \t]*input[ \t]*=[^=])`)

// pythonPrompts finds calls of getpass, of the usual prompt libraries, and of
// input with a prompt. Without one, input may read piped data, unless the line
// before prints something; so may sys.stdin.readline, unless that is a prompt.
func pythonPrompts(src []byte) []Prompt {
	found := callsOf(src, strings.Fields(pythonAsks)...)
	option := bytes.Contains(src, []byte("prompt=")) && containsAny(src, []string{"click.option", "typer.Option"})
	if !option && len(found) == 0 {
		return nil // true for most scripts; avoids stripping
	}
	code := stripped("python", src)
	own := ownInput().Match(code)
	out := slices.DeleteFunc(outsideText(found, code), func(p Prompt) bool {
		switch string(code[p.Start:p.End]) {
		case "sys.stdin.readline":
			return len(afterPrompt(src, []Prompt{p})) == 0
		case "input":
		default:
			return false
		}
		arguments := bytes.TrimLeft(code[p.End:min(len(code), p.End+200)], " \t\r\n(")
		return own || bytes.HasPrefix(arguments, []byte(")")) && !printsJustBefore(code, p.Start)
	})
	if option {
		out = append(out, inLines(code, askingOption)...)
	}
	return out
}

func printsJustBefore(code []byte, at int) bool {
	code = code[max(at-1000, 0):at]
	code = bytes.TrimSpace(code[:bytes.LastIndexByte(code, '\n')+1])
	return bytes.HasPrefix(bytes.TrimSpace(code[bytes.LastIndexByte(code, '\n')+1:]), []byte("print("))
}

// javascriptPrompts finds calls of Node's readline and of the usual prompt
// libraries.
func javascriptPrompts(src []byte) []Prompt {
	names := []string{".question"}
	library := func(name string) bool {
		return containsAny(src, []string{"'" + name + "'", `"` + name + `"`, "npm:" + name})
	}
	if slices.ContainsFunc([]string{"inquirer", "@inquirer/prompts", "@clack/prompts", "enquirer", "prompts", "readline-sync"}, library) {
		for _, name := range []string{"prompt", "prompts", "confirm", "input", "select", "text", "password", "checkbox", "multiselect", "question", "keyInYN"} {
			names = append(names, name, "inquirer."+name, "p."+name, "clack."+name, "enquirer."+name, "readlineSync."+name)
		}
	} else if !bytes.Contains(src, []byte("readline")) {
		return nil
	}
	found := callsOf(src, names...)
	if len(found) == 0 {
		return nil
	}
	return outsideText(found, stripped("javascript", src))
}

// shellAsks maps interactive commands to the arguments with which they may
// prompt; see readAsks.
var shellAsks = map[string]func() *regexp.Regexp{
	"read":     lazyregexp.New(`-\w*[ps]|/dev/tty|\?`),
	"select":   lazyregexp.New(`^[ \t]+[A-Za-z_]\w*[ \t]+in\b`),
	"whiptail": lazyregexp.New(`^[ \t]*--`),
	"dialog":   lazyregexp.New(`^[ \t]*--`),
	"gum":      lazyregexp.New(`^[ \t]+(?:input|confirm|choose|write|filter)\b`),
	"vared":    lazyregexp.New(``),
}

// commandStart matches the text on a line after which a command can start. After
// a pipe, the command reads piped data.
var commandStart = lazyregexp.New(`(?:^|\|\||[;&({]|(?:^|[ \t;|&(])(?:then|do|else|if|elif|until|!|sudo))[ \t]*(?:IFS=[^ \t;]*[ \t]*)*$`)

// shellPrompts finds interactive commands: read with or after a prompt, with hidden
// input or from the terminal, select, and dialog programs. Input from a pipe or
// a file is not interactive.
func shellPrompts(src []byte) []Prompt {
	asked := afterPrompt(src, wordsOf(src, "read"))
	found := slices.Clone(asked)
	for name, asks := range shellAsks {
		for _, w := range wordsOf(src, name) {
			if asks().Match(arguments(src, w)) {
				found = append(found, w)
			}
		}
	}
	if len(found) == 0 {
		return nil // true for most scripts; avoids stripping
	}
	code := stripped("shell", src)
	return slices.DeleteFunc(outsideText(found, code), func(w Prompt) bool {
		isRead := string(code[w.Start:w.End]) == "read"
		return !commandStart().Match(before(code, w.Start)) || isRead && !zshAsks().Match(arguments(src, w)) && !readAsks(string(arguments(code, w)), slices.Contains(asked, w))
	})
}

// arguments returns the rest of a command's line.
func arguments(code []byte, command Prompt) []byte {
	rest, _, _ := bytes.Cut(code[command.End:min(len(code), command.End+500)], []byte("\n"))
	return rest
}

var (
	zshAsks = lazyregexp.New(`^(?:[ \t]+-[a-zA-Z]+)*[ \t]+(?:["']\w*\?|\w+\?["'])`)
	// promptOption matches -p, and -s for a password; otherInput matches a timeout
	// and another file descriptor.
	promptOption = lazyregexp.New(`(?:^|\s)-\S*[ps]`)
	otherInput   = lazyregexp.New(`(?:^|\s)-\S*[tu]`)
)

// readAsks reports whether read prompts with these arguments, or after a prompt, and
// is not redirected.
func readAsks(arguments string, asked bool) bool {
	if i := strings.IndexAny(arguments, ";|&)"); i >= 0 {
		arguments = arguments[:i]
	}
	terminal := strings.Contains(arguments, "/dev/tty")
	if otherInput().MatchString(arguments) || strings.Contains(arguments, "<") && !terminal {
		return false
	}
	return asked || terminal || promptOption().MatchString(arguments)
}
