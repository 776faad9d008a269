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

	"skills/internal/printable"
	"skills/internal/spec/hidden"
	"skills/internal/spec/secrets"
)

// pattern finds a kind of fact in lines that hold one of the words.
type pattern struct {
	kind  string
	words []string
	expr  func() *regexp.Regexp
}

// compiled returns a regular expression that is compiled on first use.
func compiled(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}

const (
	fetchers = `(?:curl|wget|iwr|irm|Invoke-WebRequest|Invoke-RestMethod)`
	shell    = `(?:sudo\s+(?:-\S+\s+)*)?(?:/(?:usr/)?bin/)?(?:env\s+)?(?:ba|z|k|da|fi)?sh`
)

var patterns = []pattern{
	{download, []string{"curl", "wget", "iwr", "irm", "Invoke-", "DownloadString"}, compiled(
		// A tool that only reads data, such as python -m json.tool, is not meant.
		`\b` + fetchers + `\s+[^\s|][^\n]*\|\s*(?:` + shell + `(?:\s|$|["'` + "`" + `);&|])|(?:sudo\s+)?(?:python[\d.]*|node|perl|ruby)(?:\s+-)?\s*(?:$|["'` + "`" + `);&|])|(?i:iex|Invoke-Expression)\b)` +
			`|(?:\b(?:ba|z|da)?sh|\bsource|\beval|(?:^|\s)\.)\s+(?:-\S+\s+)*["']?(?:<\(|\$\(|` + "`" + `)\s*(?:curl|wget)\s` +
			`|(?i:\b(?:iex|Invoke-Expression)\b)[^\n]*(?:DownloadString|\b(?i:irm|iwr|Invoke-WebRequest|Invoke-RestMethod)\s)`)},
	{encoded, []string{"base64", "b64decode", "atob", "xxd", "EncodedCommand", "-enc ", "fromhex"}, compiled(
		`\bbase64\s+(?:-d|-D|--decode)\b[^\n]*\|\s*(?:` + shell + `|python[\d.]*|node|perl)(?:\s|$|["'` + "`" + `);&])|\bxxd\s+-r[^\n]*\|\s*` + shell + `(?:\s|$|["'` + "`" + `);&])` +
			`|\b(?:exec|eval)\(\s*(?:\w+\()*(?:\w+\.)*(?:b64decode|fromhex|atob)\(|\beval\(\s*Buffer\.from\([^\n]*base64|(?i:-e(?:nc|ncodedcommand)?)\s+[A-Za-z0-9+/=]{40,}`)},
	{installHook, []string{"hooksPath", ".git/hooks", "cmdclass"}, compiled(`core\.hooksPath|\.git/hooks/|\bcmdclass\s*=`)},
	{startUp, []string{"PATH", "LD_PRELOAD", "DYLD_INSERT", "Path", "rc", "profile", "fish_add_path"}, compiled(
		`(?:^|[\s;&"'` + "`" + `])(?:export\s+)?(?:PATH|LD_PRELOAD|LD_LIBRARY_PATH|DYLD_INSERT_LIBRARIES|DYLD_LIBRARY_PATH)=["']?[^\s=]` +
			`|(?:environ|process\.env)(?:\.|\[["'])(?:PATH|LD_PRELOAD|LD_LIBRARY_PATH|DYLD_INSERT_LIBRARIES)(?:["']\])?\s*\+?=[^=]` +
			`|(?i:\$env:path\s*\+?=[^=])|\bsetx\s+(?:/M\s+)?PATH\b|\bfish_add_path\s|(?:>>?|\btee\s+-a)\s*["']?(?:~|\$HOME|\$\{HOME\})/\.(?:bashrc|zshrc|zshenv|zprofile|profile|bash_profile|config/fish)\b`)},
}

// searchText adds the facts of a text.
func (f *file) searchText() {
	for _, p := range patterns {
		f.lines(p.words, func(at int, line []byte) {
			if m := p.expr().FindIndex(line); m != nil {
				f.add(p.kind, at+m[0], strings.Join(strings.Fields(string(line)), " ")+decoded(p.kind, line))
			}
		})
	}
	f.addHosts()
	f.addEnvironment()
	f.addHidden()
	for _, s := range secrets.Find(f.src) {
		if s.Issuer == "" {
			f.add(secret, s.Start, "private key")
		} else {
			f.add(secret, s.Start, "possible "+s.Issuer+" key "+string(f.src[s.Start:s.Label])+"…")
		}
	}
	f.addPackage()
	if f.isSkillFile() {
		f.addClient()
	}
}

// window is how many bytes around a word are looked at in a very long line.
const window = 2000

// lines calls use for each line that holds one of the words: for lines that the shell
// continues as one, with spaces for the breaks, and for a very long one with its
// parts. at is the offset of the first byte.
func (f *file) lines(words []string, use func(at int, line []byte)) {
	done := map[int]bool{}
	for _, word := range words {
		for i := 0; ; {
			n := bytes.Index(f.src[i:], []byte(word))
			if n < 0 {
				break
			}
			i += n
			start, end := f.command(i)
			if !done[start] {
				done[start] = true
				line := f.src[start:end]
				if bytes.IndexByte(line, '\n') >= 0 {
					line = bytes.ReplaceAll(bytes.ReplaceAll(line, []byte("\\\n"), []byte("  ")), []byte("\n"), []byte(" "))
				}
				use(start, line)
			}
			i = max(end, i+1)
		}
	}
}

// command returns the line around an offset, with those before and after it that it
// continues or that continue it.
func (f *file) command(at int) (start, end int) {
	start = max(bytes.LastIndexByte(f.src[:at], '\n')+1, at-window)
	for start > 1 && f.src[start-1] == '\n' && at-start < window && continues(f.src[max(start-window, 0):start-1]) {
		start = max(bytes.LastIndexByte(f.src[:start-1], '\n')+1, at-window)
	}
	for end = at; ; end++ {
		n := bytes.IndexByte(f.src[end:min(len(f.src), at+window)], '\n')
		if n < 0 {
			return start, min(len(f.src), at+window)
		}
		end += n
		if !continues(f.src[start:end]) {
			return start, end
		}
	}
}

// continues reports whether a text ends in a line that the shell continues.
func continues(text []byte) bool {
	line := bytes.TrimRight(text[bytes.LastIndexByte(text, '\n')+1:], "\r")
	return bytes.HasSuffix(line, []byte(`\`)) || bytes.HasSuffix(line, []byte("|")) && !bytes.HasPrefix(bytes.TrimLeft(line, " \t"), []byte("|"))
}

var encodedText = compiled(`[A-Za-z0-9+/]{16,}={0,2}`)

// decoded says what the encoded text of a line is, "" if it is no text.
func decoded(kind string, line []byte) string {
	if kind != encoded {
		return ""
	}
	for _, text := range encodedText().FindAll(line, 5) {
		data, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(string(text), "="))
		plain := strings.ReplaceAll(string(data), "\x00", "") // PowerShell's is UTF-16
		if err == nil && utf8.ValidString(plain) && !strings.ContainsFunc(plain, func(r rune) bool { return unicode.IsControl(r) && !unicode.IsSpace(r) }) {
			return " decodes to " + strconv.Quote(strings.TrimSpace(plain))
		}
	}
	return ""
}

var (
	hosts    = compiled(`(?i)\b(?:https?|wss?|ftp|sftp|ssh|git|tcp)://(?:[^\s/@"'<>]*@)?([a-z0-9](?:[a-z0-9_.-]*[a-z0-9])?|\[[0-9a-f:.]+\])(:\d+)?(.?)`)
	networks = compiled(`\b(?:curl|wget|iwr|irm|Invoke-WebRequest|Invoke-RestMethod|ssh|scp|sftp|rsync|nc|git\s+(?:clone|remote\s+add|submodule\s+add)|pip3?\s+install|uv\s+(?:pip|add)|npx|npm\s+(?:install|i)|docker\s+(?:run|pull))\s`)
)

// addHosts adds the hosts of addresses: in a program all but those of comments,
// elsewhere those on the line of a command that uses the network.
func (f *file) addHosts() {
	f.lines([]string{"://"}, func(at int, line []byte) {
		if f.program && isComment(line) {
			return
		}
		if !f.program {
			command := networks().FindIndex(line)
			if command == nil {
				return
			}
			start := command[0]
			if line, at = line[start:], at+start; bytes.Count(f.src[at-start:at], []byte("`"))%2 == 1 { // in a code span
				line, _, _ = bytes.Cut(line, []byte("`"))
			}
		}
		for _, m := range hosts().FindAllSubmatchIndex(line, 100) {
			name := strings.ToLower(string(line[m[2]:m[3]]))
			if next := string(line[m[6]:m[7]]); !isPlaceholder(name) && !strings.ContainsAny(next, "{$<*%") {
				if m[4] >= 0 {
					name += string(line[m[4]:m[5]])
				}
				f.add(host, at+m[0], name)
			}
		}
	})
}

func isComment(line []byte) bool {
	line = bytes.TrimLeft(line, " \t")
	return slices.ContainsFunc([]string{"#", "//", "*", "/*", "<!--", "--", ";", "REM "}, func(mark string) bool { return bytes.HasPrefix(line, []byte(mark)) })
}

// isPlaceholder reports hosts that are not another machine: documentation's, this
// machine, and the names of XML and JSON vocabularies.
func isPlaceholder(name string) bool {
	if !strings.ContainsAny(name, ".:") || strings.HasPrefix(name, "127.") || name == "0.0.0.0" || name == "[::1]" {
		return true
	}
	for _, domain := range []string{"example.com", "example.org", "example.net", "example", "test", "invalid", "localhost", "w3.org", "openxmlformats.org", "schemas.microsoft.com", "purl.org", "json-schema.org", "schema.org", "xmlsoap.org"} {
		if name == domain || strings.HasSuffix(name, "."+domain) {
			return true
		}
	}
	return false
}

var (
	networkUse = compiled(`\b(?:requests\.(?:get|post|put|patch|delete|head|request|Session)\b|httpx\.|urllib\.request|urllib3\.|urlopen\(|aiohttp\.|http\.client|HTTPSConnection|fetch\(|axios\b|got\(|XMLHttpRequest|new WebSocket\(|websockets?\.connect|"net/http"|http\.(?:Get|Post|NewRequest)\(|Net::HTTP|https?\.(?:get|request)\(|(?:curl|wget|nc)\s+[-"'$h]|Invoke-WebRequest|Invoke-RestMethod|DownloadString|socket\.(?:socket\(\s*(?:\)|socket\.AF_INET)|create_connection\()|smtplib\.|paramiko\.|boto3\.)`)
	readsAll   = compiled(`dict\(os\.environ\)|os\.environ\.(?:copy|items)\(|os\.Environ\(\)|\.\.\.process\.env\b|(?:JSON\.stringify|Object\.(?:keys|entries|values))\(process\.env\)|\bprintenv\s*(?:\||$)`)
	reads      = compiled(`(?:os\.environ(?:\.get\(|\[)|os\.getenv\(|os\.Getenv\(|process\.env\[|Deno\.env\.get\(|Bun\.env\[|ENV\[|ENV\.fetch\(|Sys\.getenv\(|getenv\()\s*["']([A-Za-z_]\w*)["']|process\.env\.([A-Za-z_]\w*)|(?i:\$env:)([A-Za-z_]\w*)`)
	shellReads = compiled(`\$\{?([A-Z][A-Z0-9_]{2,})\b`)
)

// addEnvironment adds the variables that a program reads, if it uses the network.
func (f *file) addEnvironment() {
	if !f.program || !f.usesNetwork() {
		return
	}
	f.lines([]string{"environ", "process.env", "printenv"}, func(at int, line []byte) {
		if m := readsAll().FindIndex(line); m != nil && !isComment(line) {
			f.add(environment, at+m[0], "all variables: "+string(line[m[0]:m[1]]))
		}
	})
	words, expr, own := []string{"env", "Env", "ENV"}, reads, map[string]bool{}
	if f.language == "shell" {
		words, expr, own = []string{"$"}, shellReads, f.assigned()
	}
	f.lines(words, func(at int, line []byte) {
		if isComment(line) {
			return
		}
		for _, m := range expr().FindAllSubmatchIndex(line, 100) {
			for g := 2; g < len(m); g += 2 {
				if m[g] < 0 {
					continue
				}
				if name := string(line[m[g]:m[g+1]]); !isOrdinary(name) && !own[name] {
					f.add(environment, at+m[0], name)
				}
			}
		}
	})
}

// usesNetwork reports whether a line that is no comment uses the network.
func (f *file) usesNetwork() (uses bool) {
	f.lines([]string{"requests.", "http", "HTTP", "url", "fetch(", "axios", "got(", "ebSocket", "websocket", "curl", "wget", "nc ", "Invoke-", "DownloadString", "socket.", "smtplib", "paramiko", "boto3"},
		func(_ int, line []byte) { uses = uses || !isComment(line) && networkUse().Match(line) })
	return uses
}

var (
	assignment = compiled(`(?:^|[\s;(])([A-Z][A-Z0-9_]{2,})(?:\+|\[\w*\])?=`)
	loop       = compiled(`\b(?:for|read|local|declare|typeset)\s+(?:-\S+\s+)*([A-Z][A-Z0-9_]{2,})\b`)
)

// assigned are the variables that a shell script sets itself, apart from those whose
// default it sets: X=${X:-1}.
func (f *file) assigned() map[string]bool {
	own := map[string]bool{}
	f.lines([]string{"=", "for ", "read ", "local ", "declare "}, func(_ int, line []byte) {
		for _, m := range append(assignment().FindAllSubmatch(line, 20), loop().FindAllSubmatch(line, 20)...) {
			if name := string(m[1]); !bytes.Contains(line, []byte("${"+name)) {
				own[name] = true
			}
		}
	})
	return own
}

// isOrdinary reports variables that every process has, which are nobody's secret.
func isOrdinary(name string) bool {
	return slices.Contains([]string{
		"PATH", "HOME", "USER", "LOGNAME", "PWD", "OLDPWD", "SHELL", "TERM", "LANG", "TMPDIR", "TEMP", "TMP", "EDITOR", "VISUAL", "PAGER", "DISPLAY", "CI", "DEBUG", "NO_COLOR", "NODE_ENV",
		"COLUMNS", "LINES", "IFS", "EUID", "UID", "PPID", "RANDOM", "SECONDS", "LINENO", "OSTYPE", "HOSTNAME", "BASH", "BASH_SOURCE", "BASH_VERSION", "BASH_REMATCH", "FUNCNAME", "PIPESTATUS", "OPTARG", "OPTIND",
		"SKILL_DIR", "CLAUDE_SKILL_DIR", "CLAUDE_PLUGIN_ROOT", "LOCALAPPDATA", "APPDATA", "USERPROFILE", "PROGRAMFILES", "SYSTEMROOT", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME",
	}, strings.ToUpper(name)) || strings.HasPrefix(name, "LC_")
}

// addHidden adds text that nobody sees, decoded where it spells something.
func (f *file) addHidden() {
	for _, h := range hidden.Find(f.src, f.program) {
		r, _ := utf8.DecodeRune(f.src[h.Start:])
		switch payload := h.Payload(f.src); {
		case payload != "":
			f.add(hiddenText, h.Start, "spells "+strconv.Quote(payload))
		case h.Kind == hidden.ZeroWidth && f.isMinified(h.Start):
		default:
			f.add(hiddenText, h.Start, printable.Rune(r))
		}
	}
	for _, s := range hidden.Escapes(f.src) {
		f.add(hiddenText, s.Start, "escape sequence "+printable.Quote(string(f.src[s.Start:s.End])))
	}
}

// isMinified reports whether a line is too long to have been written by a person.
func (f *file) isMinified(at int) bool {
	start, end := f.command(at)
	return end-start >= window
}
