package rules

// Forms of code that hides what it does, or where it comes from. Each is a pattern for one
// line, with words that let nearly all lines be skipped: the expressions are slow, and
// every text of every skill is searched.

import (
	"bytes"
	"net/netip"
	"regexp"
	"strings"
	"sync"

	"skills/internal/lazyregexp"
	"skills/internal/printable"
	"skills/internal/spec"
	"skills/internal/spec/hidden"
	"skills/internal/spec/secrets"
)

var remoteCode = &spec.Rule{
	ID:     "remote-code",
	Title:  "no disguised or anonymous code",
	Level:  spec.Warning,
	Needs:  spec.NeedsText,
	Source: "what malicious skills in a public registry have in common, and others hardly ever have",
	Check: func(p *spec.Pass) {
		words := remoteWords()
		for t := range texts(p) {
			if spec.IsTest(t.name) {
				continue // test data of scanners
			}
			words.find(p, t)
		}
	},
}

// remoteForm is a pattern of obfuscated or remote code.
type remoteForm struct {
	words string // one of them is on every matching line; at least two bytes each
	// maybe reports whether a line with one of the words may match, if it is set: the
	// expressions are slow.
	maybe func(line []byte) bool
	expr  func() *regexp.Regexp
	only  string // extension of the files to which it applies; "" for all
	what  string
	help  string
	// shown returns the part of a match to report, or "" to ignore the match.
	shown func(groups []string) string
}

const byAddress = hidden.Fetcher + `[^\n|;&]*?(?:https?://|[ \t]["']?)(\d{1,3}(?:\.\d{1,3}){3})(?:[:/"' \t]|\b)`

// remoteForms is the table of forms.
func remoteForms() []remoteForm {
	const (
		decoded  = "encoded text is decoded and run: %s"
		fetched  = "a download from an address without a name is run: %s"
		readable = "write the commands as they are, or remove them; read them before you run them"
		unknown  = "publish the file under a name that people can check, and verify its digest before it runs"
		server   = "remove it, or use a server of your own that the skill names"
		picture  = "remove it: a picture needs no script"
		archive  = "publish the files unencrypted: a password keeps scanners from reading them"
		fetchers = "curl wget iwr irm Invoke-"
	)
	forms := []remoteForm{
		{words: fetchers, maybe: holdsAddress, expr: addressPipe, what: fetched, help: unknown, shown: publicAddress},
		{words: fetchers, maybe: holdsAddress, expr: addressSubstitution, what: fetched, help: unknown, shown: publicAddress},
		{words: "webhook.site/ .requestcatcher.com .m.pipedream.net .oast .interact.sh .burpcollaborator.net .dnslog.cn requestbin. hookbin.com/",
			expr: collector, what: "%s is a request collector: it records everything sent to it", help: server, shown: isIssued},
		{words: "<script <SCRIPT", expr: svgScript, only: ".svg", what: "the picture holds a program: %s", help: picture, shown: inPicture},
		{words: ".zip .7z .rar", maybe: holdsPass, expr: archivePassword, what: "the archive is encrypted, and its password is next to it: %s", help: archive, shown: isPassword},
	}
	for _, f := range hidden.EncodedForms() {
		forms = append(forms, remoteForm{words: f.Words, maybe: func(line []byte) bool { return bytes.ContainsAny(line, f.Also) }, expr: f.Expr, what: decoded, help: readable, shown: hidden.Decode})
	}
	return forms
}

var (
	addressPipe         = lazyregexp.New(`(?m)` + byAddress + `[^\n|;]*(?:\|[^\n|]*)?(?:` + hidden.Piped + `|\|[ \t]*(?:iex|Invoke-Expression)\b)`)
	addressSubstitution = lazyregexp.New(`(?m)(?:` + hidden.Substituted + `|\b(?:iex|Invoke-Expression)\b[ \t]*\(?)[^\n]{0,40}?` + byAddress)
	collector           = lazyregexp.New(`(?i)\b(?:webhook\.site/(?:#!/(?:view/)?)?[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[a-z0-9]{16,}\.(?:m\.pipedream\.net|oast(?:ify)?\.(?:com|fun|live|me|online|pro|site)|interact\.sh|burpcollaborator\.net)` +
		`|[a-z0-9]{6}\.dnslog\.cn|[a-z0-9-]{4,}\.requestcatcher\.com/[\w?]|(?:requestbin\.(?:com|net)|hookbin\.com)/(?:r/)?[a-zA-Z0-9]{8,})`)
	svgScript       = lazyregexp.New(`(?i)<script\b([^>]*)>([^<]{0,80})(</script)?`)
	password        = `pass(?:word|code|phrase|wd)?\b[\s*_"']*(?:[:=]|\bis\b)[\s*_"'` + "`" + `]*([^\s"'*` + "`" + `()]{3,40})`
	archivePassword = lazyregexp.New(`(?i)https?://[^\s)>\]"']+\.(?:zip|7z|rar)\b[^\n]{0,160}?[^\w\-.:=/&?]` + password +
		`|(?:^|[^\w\-.:=/&?])` + password + `[^\n]{0,80}?https?://[^\s)>\]"']+\.(?:zip|7z|rar)\b`)
)

// remoteTable finds the words of the forms in a text.
type remoteTable struct {
	forms    []remoteForm
	words    []string
	of       []int // index of the form of each word
	prefixes *secrets.Prefixes
}

var remoteWords = sync.OnceValue(func() *remoteTable {
	t := &remoteTable{forms: remoteForms()}
	for n, f := range t.forms {
		for word := range strings.FieldsSeq(f.words) {
			t.words, t.of = append(t.words, word), append(t.of, n)
		}
	}
	t.prefixes = secrets.NewPrefixes(t.words)
	return t
})

// find reports the first match of each form in a text.
func (r *remoteTable) find(p *spec.Pass, t *text) {
	type place struct {
		start, end, count int
		shown             string
	}
	found, searched := make([]place, len(r.forms)), make([]int, len(r.forms))
	src := t.src
	for i := 0; i+1 < len(src); i++ {
		for _, word := range r.prefixes.Starting(src[i], src[i+1]) {
			if !bytes.HasPrefix(src[i:], []byte(r.words[word])) {
				continue
			}
			n := r.of[word]
			f := &r.forms[n]
			if i < searched[n] || f.only != "" && !t.hasExtension(f.only) {
				continue
			}
			start, line := hidden.JoinedLine(src, 0, i)
			searched[n] = start + len(line)
			if f.maybe != nil && !f.maybe(line) {
				continue
			}
			const limit = 10 // of matches in a line
			for _, at := range f.expr().FindAllSubmatchIndex(line, limit) {
				if shown := f.shown(hidden.Groups(line, at)); shown != "" && !isWarning(p, t, start+at[0]) {
					found[n].count++
					if found[n].count == 1 {
						end := len(bytes.TrimRight(line[:at[1]], " \t\r\n\"'`;&|<>)"))
						found[n] = place{start: start + at[0], end: start + end, count: 1, shown: shown}
					}
					break
				}
			}
		}
	}
	for n, f := range r.forms {
		if at := found[n]; at.count > 0 {
			shown := printable.Quote(printable.TruncateMiddle(strings.Join(strings.Fields(at.shown), " "), 200))
			t.report(p, at.start, at.end, f.help, f.what+"%s", shown, andMore(at.count, "place"))
		}
	}
}

var (
	// bad matches words about code that a text warns of.
	bad = lazyregexp.New(`(?i)red[ _-]?flags?|obfuscat|malicious|suspicious|attack|exploit|malware|phish|detect|indicator|\bioc\b|threat|danger|\b(?:never|don['’]t|do not|avoid|reject|refuse|blocked?|unsafe|insecure|bad|wrong)\b`)
	// telemetry matches records of processes, as queries and logs have them.
	telemetry = lazyregexp.New(`(?i)Command_?Line\b|\bEventID\b|ProcessName|parent_process|\bImage\b["':=]`)
)

// isWarning reports whether a place in a document shows code as a bad example, or is a
// record of telemetry.
func isWarning(p *spec.Pass, t *text, at int) bool {
	if !t.isProse() {
		return false
	}
	line := t.lineAround(at)
	above := t.lineAround(max(at-bytes.Index(line, t.src[at:min(at+8, len(t.src))])-1, 0)) // perhaps a comment
	if bad().Match(line) || bad().Match(above) || telemetry().Match(line) {
		return true
	}
	in := skillOf(p).page(t.name)
	return in != nil && at >= in.start && bad().MatchString(in.Introduction(at-in.start))
}

// holdsAddress reports whether a line may have an IP address: three numbers with a
// period before a fourth.
func holdsAddress(line []byte) bool {
	numbers := 0
	for i := 0; i+1 < len(line); i++ {
		isDigit, next := isDigitByte(line[i]), line[i+1]
		inAddress := isDigit || line[i] == '.' && isDigitByte(next)
		switch {
		case !inAddress:
			numbers = 0
		case isDigit && next == '.':
			numbers++
		}
		if numbers == 3 {
			return true
		}
	}
	return false
}

func isDigitByte(c byte) bool { return '0' <= c && c <= '9' }

// holdsPass reports whether a line may have a password.
func holdsPass(line []byte) bool {
	return bytes.Contains(bytes.ToLower(line), []byte("pass"))
}

// publicAddress returns the match if its address is public. Addresses reserved
// for documentation are not.
func publicAddress(groups []string) string {
	a, err := netip.ParseAddr(groups[len(groups)-1])
	if err != nil || !a.IsGlobalUnicast() || a.IsPrivate() {
		return ""
	}
	for _, net := range []string{"192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24", "100.64.0.0/10", "1.2.3.4/32", "5.6.7.8/32"} {
		if netip.MustParsePrefix(net).Contains(a) {
			return ""
		}
	}
	return groups[0]
}

// documented matches hosts of a collector's own pages.
var documented = lazyregexp.New(`(?i)^(?:docs?|www|api|blog|help|support|status)\.`)

var madeUp = lazyregexp.New(`(?i)^(?:test|my|your|example)[\w-]*\.|123456|abcdef|(?:0000|1111|aaaa|xxxx)|1234-`)

// isIssued returns the match unless its id is a placeholder.
func isIssued(groups []string) string {
	host, path, _ := strings.Cut(groups[0], "/")
	named := strings.HasPrefix(host, "requestbin") || strings.HasPrefix(host, "hookbin")
	isPage := documented().MatchString(host) || named && !strings.ContainsAny(path, "0123456789")
	if isPage || madeUp().MatchString(groups[0]) {
		return ""
	}
	return groups[0]
}

// inPicture returns the tag of a script and what follows, unless the element is empty,
// as editors leave it.
func inPicture(groups []string) string {
	empty := strings.HasSuffix(groups[1], "/") || groups[3] != "" && strings.TrimSpace(groups[2]) == ""
	if empty && !strings.Contains(groups[1], "href") && !strings.Contains(groups[1], "src") {
		return ""
	}
	return strings.TrimSuffix(groups[0], groups[3])
}

// isPassword returns the match unless its password is a placeholder.
func isPassword(groups []string) string {
	word := groups[1] + groups[2]
	if strings.ContainsAny(word, "<>{}$%[]…") || strings.HasPrefix(word, "...") {
		return ""
	}
	return groups[0]
}
