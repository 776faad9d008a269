package audit

// Facts that a pattern on a line shows: downloads and encoded text that are run, hooks,
// changes of what a shell starts with, hosts. They are for a person who reviews a skill, so
// a pattern may match something harmless, but not what every skill has. Words let the slow
// expressions skip most lines.

import (
	"bytes"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"skills/internal/lazyregexp"
	"skills/internal/spec/hidden"
)

const (
	shell   = `(?:ba|z|k|da|fi)?sh`
	wordEnd = "(?:\\s|$|[\"'`);&|])"
	// receiver matches a program that runs what is piped into it, and not one that only
	// reads it, such as python -m json.tool.
	receiver = `(?:` + shell + wordEnd + `|(?:python[\d.]*|node|perl|ruby|php)(?:\s+-)?\s*(?:$|["'` + "`" + `);&|]))`
)

// patterns find commands: a kind of fact in lines that contain one of the words.
var patterns = []struct {
	kind  string
	words []string
	expr  func() *regexp.Regexp
}{
	{"piped-download", []string{"curl", "wget", "iwr", "irm", "Invoke-", "DownloadString"}, lazyregexp.New(
		hidden.Fetcher + `\s+[^\s|][^\n]*\|&?\s*(?:` + hidden.Launch + receiver + `|(?i:iex|Invoke-Expression)\b)` +
			`|` + hidden.Substituted + `\s*(?:curl|wget)\s|(?i:\b(?:iex|Invoke-Expression)\b[^\n]*(?:DownloadString|\b(?:irm|iwr|Invoke-WebRequest|Invoke-RestMethod)\s))`)},
	{"encoded-command", []string{"base64", "b64decode", "atob", "xxd", "fromhex"}, lazyregexp.New( // the encoded text is not on the line
		hidden.Decoder + `[^\n]*\|&?\s*` + hidden.Launch + receiver +
			`|\b(?:exec|eval)\(\s*(?:\w+\()*(?:\w+\.)*(?:b64decode|fromhex|atob)\(|\beval\(\s*Buffer\.from\([^\n]*base64`)},
	{"install-hook", []string{"hooksPath", ".git/hooks", "cmdclass"}, lazyregexp.New(`core\.hooksPath|\.git/hooks/|\bcmdclass\s*=`)},
	{"start-up", []string{"PATH", "LD_PRELOAD", "DYLD_INSERT", "Path", "rc", "profile", "fish_add_path"}, lazyregexp.New(
		"(?:^|[\\s;&\"'`])(?:export\\s+)?" + `(?:PATH|LD_PRELOAD|LD_LIBRARY_PATH|DYLD_INSERT_LIBRARIES|DYLD_LIBRARY_PATH)=["']?[^\s=]` +
			`|(?:environ|process\.env)(?:\.|\[["'])(?:PATH|LD_PRELOAD|LD_LIBRARY_PATH|DYLD_INSERT_LIBRARIES)(?:["']\])?\s*\+?=[^=]` +
			`|(?i:\$env:path\s*\+?=[^=])|\bsetx\s+(?:/M\s+)?PATH\b|\bfish_add_path\s|(?:>>?|\btee\s+-a)\s*["']?(?:~|\$HOME|\$\{HOME\})/\.(?:bashrc|zshrc|zshenv|zprofile|profile|bash_profile|config/fish)\b`)},
}

// addCommands adds the lines with commands, and the decoded text of an encoded one.
func (f *file) addCommands() {
	type place struct {
		kind string
		at   int
	}
	done := map[place]bool{}
	add := func(kind string, at int, line []byte, m []int, more string) {
		if p := (place{kind, at}); !done[p] {
			done[p] = true
			f.add(kind, at+m[0], strings.Join(strings.Fields(string(line)), " ")+more)
		}
	}
	for _, form := range hidden.EncodedForms() {
		f.each(strings.Fields(form.Words), form.Expr(), func(at int, line []byte, m []int) {
			groups := hidden.Groups(line, m)
			if text := hidden.Decode(groups); text == groups[0] {
				add("encoded-command", at, line, m, "")
			} else if text != "" {
				add("encoded-command", at, line, m, " (decodes to "+strconv.Quote(strings.TrimSpace(text))+")")
			}
		})
	}
	for _, p := range patterns {
		f.each(p.words, p.expr(), func(at int, line []byte, m []int) { add(p.kind, at, line, m, "") })
	}
}

const hostName = `[a-z0-9][a-z0-9-]*(?:\.[a-z0-9-]+)*\.[a-z]{2,}`

var (
	hosts = lazyregexp.New(`(?i)\b(?:https?|wss?|ftp|sftp|ssh|git|tcp)://(?:[^\s/@"'<>]*@)?([a-z0-9](?:[a-z0-9_.-]*[a-z0-9])?|\[[0-9a-f:.]+\])(:\d+)?(.?)`)
	// bareHosts matches hosts in commands that need no scheme.
	bareHosts = lazyregexp.New("(?i)\\b(?:ssh\\s(?:[^\n`;|&]*?\\s)?[\\w.-]+@(" + hostName + ")|(?:scp|sftp|rsync|git)\\s(?:[^\n`;|&]*?\\s)?(?:[\\w.-]+@)?(" + hostName + "):[/~\\w]" +
		"|(?:curl|wget|nc|telnet)\\s+(?:-[sfLkIqv]+\\s+)*(" + hostName + ")(?:[/\\s:`\"']|$))")
	networks = lazyregexp.New(`\b(?:curl|wget|iwr|irm|Invoke-WebRequest|Invoke-RestMethod|ssh|scp|sftp|rsync|nc|aria2c|git\s+(?:clone|remote\s+add|submodule\s+add)|pip3?\s+install|uv\s+(?:pip|add)|npx|npm\s+(?:install|i)|deno\s+run|docker\s+(?:run|pull))\s`)
	calls    = lazyregexp.New("\\b(?:urlopen|fetch|Download(?:String|File)|requests\\.\\w+|httpx\\.\\w+)\\(\\s*\\w?[\"'`]$")
	// noHosts matches hosts of documentation, of this machine, and of vocabularies.
	noHosts = lazyregexp.New(`^(?:[^.:]*|127\..*|0\.0\.0\.0|\[::1\]|(?:.*\.)?(?:example(?:\.com|\.org|\.net)?|test|invalid|localhost|w3\.org|openxmlformats\.org|schemas\.microsoft\.com|purl\.org|json-schema\.org|schema\.org|xmlsoap\.org))$`)
)

// addHosts adds the hosts of URLs: in a program all except those in comments, elsewhere
// those in commands that use the network.
func (f *file) addHosts() {
	add := func(at int, name, port string) {
		name = strings.ToLower(name)
		if !noHosts().MatchString(name) {
			f.add("host", at, name+port)
		}
	}
	f.each([]string{"://"}, hosts(), func(at int, line []byte, m []int) {
		if f.program && isComment(line) {
			return
		}
		if !f.program { // the command must precede, in the same code span
			command := networks().FindIndex(line[:m[0]])
			if (command == nil || bytes.Count(line[command[1]:m[0]], []byte("`"))%2 == 1) && !calls().Match(line[:m[0]]) {
				return
			}
		}
		if g := hidden.Groups(line, m); !strings.ContainsAny(g[3], "{$<*%") {
			add(at+m[0], g[1], g[2])
		}
	})
	f.each([]string{"ssh ", "scp ", "sftp ", "rsync ", "git ", "curl ", "wget ", "nc ", "telnet "}, bareHosts(), func(at int, line []byte, m []int) {
		if !f.program || !isComment(line) {
			add(at+m[0], strings.Join(hidden.Groups(line, m)[1:], ""), "")
		}
	})
}

func isComment(line []byte) bool {
	line = bytes.TrimLeft(line, " \t")
	return slices.ContainsFunc([]string{"#", "//", "*", "/*", "<!--", "--", ";", "REM "}, func(mark string) bool { return bytes.HasPrefix(line, []byte(mark)) })
}

var (
	networkUse = lazyregexp.New(`\b(?:requests\.(?:get|post|put|patch|delete|head|request|Session)\b|httpx\.|urllib\.request|urllib3\.|urlopen\(|aiohttp\.|http\.client|HTTPSConnection|fetch\(|axios\b|got\(|XMLHttpRequest|new WebSocket\(|websockets?\.connect|"net/http"|http\.(?:Get|Post|NewRequest)\(|Net::HTTP|https?\.(?:get|request)\(|(?:curl|wget|nc)\s+[-"'$h]|Invoke-WebRequest|Invoke-RestMethod|DownloadString|socket\.(?:socket\(\s*(?:\)|socket\.AF_INET)|create_connection\()|smtplib\.|paramiko\.|boto3\.)`)
	// reads matches uses of environment variables. Its groups are: all variables of a
	// program; all of a shell; a credential in a shell script; one named variable; one
	// as a property; several by destructuring.
	reads = lazyregexp.New(`(dict\(os\.environ\)|os\.environ\.(?:copy|items)\b|os\.Environ\(\)|\.\.\.process\.env\b|(?:JSON\.stringify|Object\.(?:keys|entries|values))\(process\.env\))` +
		`|(?:^|[\s;&|(])(env|printenv)\s*(?:[|)]|$)|\$\{?([A-Z0-9_]*(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIAL|AUTH)[A-Z0-9_]*)\b` +
		`|(?:\benviron(?:\.get\(|\[)|os\.(?:Getenv|LookupEnv)\(|process\.env\[|Deno\.env\.get\(|Bun\.env\[|ENV\[|ENV\.fetch\(|\bgetenv\()\s*["']([A-Za-z_]\w*)["']` +
		`|(?:process\.env\.|import\.meta\.env\.|\$(?i:env:))([A-Za-z_]\w*)|(\{[^{}\n]*\}\s*=\s*process\.env)(?:[^.\w\[]|$)`)
	ordinary = lazyregexp.New(`^(?i:PATH|HOME|USER|LOGNAME|PWD|SHELL|TERM|LANG|LC_\w+|TMPDIR|TE?MP|EDITOR|VISUAL|PAGER|DISPLAY|CI|DEBUG|NO_COLOR|NODE_ENV|(?:CLAUDE_)?SKILL_DIR|CLAUDE_PLUGIN_ROOT|(?:LOCAL)?APPDATA|USERPROFILE|PROGRAMFILES|SYSTEMROOT|XDG_\w+)$`)
)

// addEnvironment adds the variables that a program reads, if it uses the network.
func (f *file) addEnvironment() {
	uses := false
	if f.program {
		f.each([]string{"requests.", "http", "HTTP", "url", "fetch(", "axios", "got(", "ebSocket", "websocket", "curl", "wget", "nc ", "Invoke-", "DownloadString", "socket.", "smtplib", "paramiko", "boto3"},
			networkUse(), func(_ int, line []byte, _ []int) { uses = uses || !isComment(line) })
	}
	if !uses {
		return
	}
	f.each([]string{"env", "Env", "ENV", "$"}, reads(), func(at int, line []byte, m []int) {
		for g := 2; g < len(m) && !isComment(line); g += 2 {
			if m[g] < 0 {
				continue
			}
			name := string(line[m[g]:m[g+1]])
			switch own := name + "="; {
			case g <= 4:
				f.add("environment", at+m[0], "all variables: "+name)
			case g == 6 && (bytes.Contains(f.src, []byte("\n"+own)) || bytes.Contains(f.src, []byte(" "+own))): // the script sets it
			case !ordinary().MatchString(name):
				f.add("environment", at+m[0], name)
			}
		}
	})
}
