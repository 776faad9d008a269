package prompts

import (
	"bytes"
	"slices"
	"strings"

	"skills/internal/lazyregexp"
)

// shellPrompts finds interactive commands: read with a prompt, with hidden
// input or from the terminal, select, and dialog programs. Input from a pipe or
// a file is not interactive.
func shellPrompts(src []byte) []Prompt {
	may := func(name string) bool {
		return slices.ContainsFunc(wordsOf(src, name), func(w Prompt) bool { return name != "read" || readMayAsk().Match(arguments(src, w)) })
	}
	if !slices.ContainsFunc(shellAsks(), may) {
		return nil // true for most scripts; avoids stripping
	}
	code := stripped("shell", src)
	var out []Prompt
	for _, name := range shellAsks() {
		for _, w := range wordsOf(code, name) {
			rest := arguments(code, w)
			quoted := src[w.End:min(len(src), w.End+100)]
			if commandStarts(before(code, w.Start)) && (asksPerson(name, string(rest)) || name == "read" && zshAsks().Match(quoted)) {
				out = append(out, w)
			}
		}
	}
	return out
}

// readMayAsk matches arguments of read that may make it prompt, also in strings.
var readMayAsk = lazyregexp.New(`-\w*[ps]|/dev/tty|\?`)

// arguments returns the rest of a command's line.
func arguments(code []byte, command Prompt) []byte {
	rest, _, _ := bytes.Cut(code[command.End:min(len(code), command.End+500)], []byte("\n"))
	return rest
}

func shellAsks() []string { return []string{"read", "select", "whiptail", "dialog", "gum", "vared"} }

// commandStarts reports whether a command can start after the text before it on
// its line. After a pipe, the command reads piped data.
func commandStarts(before []byte) bool {
	text := strings.TrimRight(string(before), " \t")
	for strings.HasPrefix(text[strings.LastIndexAny(text, " \t;")+1:], "IFS=") {
		text = strings.TrimRight(text[:strings.LastIndexAny(text, " \t;")+1], " \t")
	}
	if text == "" || strings.HasSuffix(text, "||") {
		return true
	}
	if strings.ContainsRune(";&({", rune(text[len(text)-1])) {
		return true
	}
	last := text[strings.LastIndexAny(text, " \t;|&(")+1:]
	return slices.Contains([]string{"then", "do", "else", "if", "elif", "until", "!", "sudo"}, last)
}

var (
	selectIn = lazyregexp.New(`^[ \t]+[A-Za-z_]\w*[ \t]+in\b`)
	zshAsks  = lazyregexp.New(`^(?:[ \t]+-[a-zA-Z]+)*[ \t]+(?:["']\w*\?|\w+\?["'])`)
	gumAsks  = lazyregexp.New(`^[ \t]+(?:input|confirm|choose|write|filter)\b`)
)

// asksPerson reports whether a command with these arguments is interactive.
func asksPerson(name, arguments string) bool {
	switch name {
	case "read":
		return readAsks(arguments)
	case "vared":
		return true
	case "select":
		return selectIn().MatchString(arguments)
	case "gum":
		return gumAsks().MatchString(arguments)
	}
	return strings.HasPrefix(strings.TrimLeft(arguments, " \t"), "--")
}

// readAsks reports whether the arguments make read prompt: -p, or -s for a
// password, without a timeout, another file descriptor or a redirection.
func readAsks(arguments string) bool {
	if i := strings.IndexAny(arguments, ";|&)"); i >= 0 {
		arguments = arguments[:i]
	}
	asks := strings.Contains(arguments, "/dev/tty")
	if strings.Contains(arguments, "<") && !asks {
		return false
	}
	for _, w := range strings.Fields(arguments) {
		if !strings.HasPrefix(w, "-") {
			continue
		}
		if strings.ContainsAny(w, "tu") {
			return false
		}
		asks = asks || strings.ContainsAny(w, "ps")
	}
	return asks
}
