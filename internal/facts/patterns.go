package facts

import (
	"bytes"
	"encoding/base64"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// compiled returns a regular expression that is compiled on first use.
func compiled(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}

const (
	fetchers = `(?:curl|wget|iwr|irm|Invoke-WebRequest|Invoke-RestMethod)`
	shell    = `(?:sudo\s+(?:-\S+\s+)*)?(?:/(?:usr/)?bin/)?(?:env\s+)?(?:ba|z|k|da|fi)?sh`
	wordEnd  = "(?:\\s|$|[\"'`);&|])"
)

// patterns find commands: a kind of fact in lines that hold one of the words.
var patterns = []struct {
	kind  string
	words []string
	expr  func() *regexp.Regexp
}{
	{"piped-download", []string{"curl", "wget", "iwr", "irm", "Invoke-", "DownloadString"}, compiled(
		// A program that only reads data, such as python -m json.tool, is not meant.
		`\b` + fetchers + `\s+[^\s|][^\n]*\|\s*(?:` + shell + wordEnd + `|(?:sudo\s+)?(?:python[\d.]*|node|perl|ruby)(?:\s+-)?\s*(?:$|["'` + "`" + `);&|])|(?i:iex|Invoke-Expression)\b)` +
			`|(?:\b(?:ba|z|da)?sh|\bsource|\beval|(?:^|\s)\.)\s+(?:-\S+\s+)*["']?(?:<\(|\$\(|` + "`" + `)\s*(?:curl|wget)\s` +
			`|(?i:\b(?:iex|Invoke-Expression)\b[^\n]*(?:DownloadString|\b(?:irm|iwr|Invoke-WebRequest|Invoke-RestMethod)\s))`)},
	{"encoded-command", []string{"base64", "b64decode", "atob", "xxd", "EncodedCommand", "-enc ", "fromhex"}, compiled(
		`\bbase64\s+(?:-d|-D|--decode)\b[^\n]*\|\s*(?:` + shell + `|python[\d.]*|node|perl)` + wordEnd + `|\bxxd\s+-r[^\n]*\|\s*` + shell + wordEnd +
			`|\b(?:exec|eval)\(\s*(?:\w+\()*(?:\w+\.)*(?:b64decode|fromhex|atob)\(|\beval\(\s*Buffer\.from\([^\n]*base64|(?i:-e(?:nc|ncodedcommand)?)\s+[A-Za-z0-9+/=]{40,}`)},
	{"install-hook", []string{"hooksPath", ".git/hooks", "cmdclass"}, compiled(`core\.hooksPath|\.git/hooks/|\bcmdclass\s*=`)},
	{"start-up", []string{"PATH", "LD_PRELOAD", "DYLD_INSERT", "Path", "rc", "profile", "fish_add_path"}, compiled(
		"(?:^|[\\s;&\"'`])(?:export\\s+)?" + `(?:PATH|LD_PRELOAD|LD_LIBRARY_PATH|DYLD_INSERT_LIBRARIES|DYLD_LIBRARY_PATH)=["']?[^\s=]` +
			`|(?:environ|process\.env)(?:\.|\[["'])(?:PATH|LD_PRELOAD|LD_LIBRARY_PATH|DYLD_INSERT_LIBRARIES)(?:["']\])?\s*\+?=[^=]` +
			`|(?i:\$env:path\s*\+?=[^=])|\bsetx\s+(?:/M\s+)?PATH\b|\bfish_add_path\s|(?:>>?|\btee\s+-a)\s*["']?(?:~|\$HOME|\$\{HOME\})/\.(?:bashrc|zshrc|zshenv|zprofile|profile|bash_profile|config/fish)\b`)},
}

var encodedText = compiled(`[A-Za-z0-9+/]{16,}`)

// addCommands adds the lines of patterns, with the text that an encoded one spells.
func (f *file) addCommands() {
	for _, p := range patterns {
		last := -1
		f.each(p.words, p.expr(), func(at int, line []byte, m []int) {
			if at == last {
				return
			}
			last = at
			text := strings.Join(strings.Fields(string(line)), " ")
			if p.kind == "encoded-command" {
				data, err := base64.RawStdEncoding.DecodeString(string(encodedText().Find(line)))
				plain := strings.ReplaceAll(string(data), "\x00", "") // PowerShell's is UTF-16
				if err == nil && plain != "" && utf8.ValidString(plain) && !strings.ContainsFunc(plain, func(r rune) bool { return unicode.IsControl(r) && !unicode.IsSpace(r) }) {
					text += " (decodes to " + strconv.Quote(strings.TrimSpace(plain)) + ")"
				}
			}
			f.add(p.kind, at+m[0], text)
		})
	}
}

var (
	hosts    = compiled(`(?i)\b(?:https?|wss?|ftp|sftp|ssh|git|tcp)://(?:[^\s/@"'<>]*@)?([a-z0-9](?:[a-z0-9_.-]*[a-z0-9])?|\[[0-9a-f:.]+\])(:\d+)?(.?)`)
	networks = compiled(`\b(?:curl|wget|iwr|irm|Invoke-WebRequest|Invoke-RestMethod|ssh|scp|sftp|rsync|nc|git\s+(?:clone|remote\s+add|submodule\s+add)|pip3?\s+install|uv\s+(?:pip|add)|npx|npm\s+(?:install|i)|docker\s+(?:run|pull))\s`)
	// noHosts are the hosts of documentation, of this machine, and of vocabularies.
	noHosts = compiled(`^(?:[^.:]*|127\..*|0\.0\.0\.0|\[::1\]|(?:.*\.)?(?:example(?:\.com|\.org|\.net)?|test|invalid|localhost|w3\.org|openxmlformats\.org|schemas\.microsoft\.com|purl\.org|json-schema\.org|schema\.org|xmlsoap\.org))$`)
)

// addHosts adds the hosts of addresses: in a program all but those of comments,
// elsewhere those of commands that use the network.
func (f *file) addHosts() {
	f.each([]string{"://"}, hosts(), func(at int, line []byte, m []int) {
		if f.program && isComment(line) {
			return
		}
		if !f.program { // the command must precede, in the same code span
			command := networks().FindIndex(line[:m[0]])
			if command == nil || bytes.Count(line[command[1]:m[0]], []byte("`"))%2 == 1 {
				return
			}
		}
		name := strings.ToLower(string(line[m[2]:m[3]]))
		if noHosts().MatchString(name) || bytes.ContainsAny(line[m[6]:m[7]], "{$<*%") {
			return
		}
		if m[4] >= 0 {
			name += string(line[m[4]:m[5]])
		}
		f.add("host", at+m[0], name)
	})
}

func isComment(line []byte) bool {
	line = bytes.TrimLeft(line, " \t")
	return slices.ContainsFunc([]string{"#", "//", "*", "/*", "<!--", "--", ";", "REM "}, func(mark string) bool { return bytes.HasPrefix(line, []byte(mark)) })
}

var (
	networkUse = compiled(`\b(?:requests\.(?:get|post|put|patch|delete|head|request|Session)\b|httpx\.|urllib\.request|urllib3\.|urlopen\(|aiohttp\.|http\.client|HTTPSConnection|fetch\(|axios\b|got\(|XMLHttpRequest|new WebSocket\(|websockets?\.connect|"net/http"|http\.(?:Get|Post|NewRequest)\(|Net::HTTP|https?\.(?:get|request)\(|(?:curl|wget|nc)\s+[-"'$h]|Invoke-WebRequest|Invoke-RestMethod|DownloadString|socket\.(?:socket\(\s*(?:\)|socket\.AF_INET)|create_connection\()|smtplib\.|paramiko\.|boto3\.)`)
	// reads finds variables: all of them, one in a program, a credential in a shell script.
	reads = compiled(`(dict\(os\.environ\)|os\.environ\.(?:copy|items)\(|os\.Environ\(\)|\.\.\.process\.env\b|(?:JSON\.stringify|Object\.(?:keys|entries|values))\(process\.env\)|\bprintenv\s*(?:\||$))` +
		`|(?:os\.environ(?:\.get\(|\[)|os\.getenv\(|os\.Getenv\(|process\.env\[|Deno\.env\.get\(|Bun\.env\[|ENV\[|ENV\.fetch\(|Sys\.getenv\(|getenv\()\s*["']([A-Za-z_]\w*)["']` +
		`|(?:process\.env\.|\$(?i:env:))([A-Za-z_]\w*)|\$\{?([A-Z0-9_]*(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIAL|AUTH)[A-Z0-9_]*)\b`)
	ordinary = compiled(`^(?i:PATH|HOME|USER|LOGNAME|PWD|SHELL|TERM|LANG|LC_\w+|TMPDIR|TE?MP|EDITOR|VISUAL|PAGER|DISPLAY|CI|DEBUG|NO_COLOR|NODE_ENV|(?:CLAUDE_)?SKILL_DIR|CLAUDE_PLUGIN_ROOT|(?:LOCAL)?APPDATA|USERPROFILE|PROGRAMFILES|SYSTEMROOT|XDG_\w+)$`)
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
			case g == 2:
				f.add("environment", at+m[0], "all variables: "+name)
			case g == 8 && (bytes.Contains(f.src, []byte("\n"+own)) || bytes.Contains(f.src, []byte(" "+own))): // the script sets it
			case !ordinary().MatchString(name):
				f.add("environment", at+m[0], name)
			}
		}
	})
}
