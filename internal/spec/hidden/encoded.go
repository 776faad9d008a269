package hidden

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"skills/internal/lazyregexp"
)

// Parts of expressions for commands that run what they decode or download.
const (
	Fetcher = `\b(?:curl|wget|iwr|irm|Invoke-WebRequest|Invoke-RestMethod)\b`
	// Launch is what may be in front of a program in a pipeline.
	Launch = `(?:(?:sudo|env|exec|nohup)[ \t]+(?:-u[ \t]*\w+[ \t]+|-\w+[ \t]+)*|\w+=\S*[ \t]+)*(?:/(?:usr/)?bin/(?:env )?)?`
	// Piped is the end of a pipeline whose program runs what it reads.
	Piped = `\|&?[ \t]*` + Launch + interpreter + `(?:[ \t]+-s?)?[ \t]*(?:$|[;&|<>)"'` + "`" + `\r\n]|\d>|-s )`
	// Substituted is the start of a command that runs what another one prints. After a
	// backtick, prose may go on.
	Substituted = `(?:(?:\beval|(?:^|[^\w.-])` + interpreter + `[ \t]+-\w*c)[ \t]+["']?(?:\$\(|<\(|` + "`" + `)|(?:\bsource|(?:^|[\s;&(])\.)[ \t]+["']?(?:\$\(|<\()` +
		`|(?:^|[^\w.-])` + interpreter + `[ \t]+(?:-s[ \t]+)?["']?(?:<\(|<<<[ \t]*["']?\$\())`
	// Decoder is a command that decodes.
	Decoder = `(?:base64[ \t]+(?:-\w*[dD]|--decode)|xxd[ \t]+(?:-r[ \t]+-p|-p[ \t]+-r|-rp|-pr|-ps[ \t]+-r)|openssl[ \t]+(?:enc[ \t]+-)?base64[ \t]+-d)\b`

	interpreter = `(?:/(?:usr/)?bin/(?:env )?)?(?:(?:ba|z|da|k)?sh|python[0-9.]*|perl|ruby|node|php)`
	encoded     = `([A-Za-z0-9+/]{16,}={0,2})`
	short       = `([A-Za-z0-9+/]{11,}={0,2})` // 8 bytes, only between commands of a shell
)

// EncodedForm is a form of commands that decode text and run it.
type EncodedForm struct {
	Words string // one of them is on every matching line
	Also  string // and one of these characters
	Expr  func() *regexp.Regexp
}

// EncodedForms returns the known forms.
func EncodedForms() []EncodedForm { return slices.Clone(encodedForms) }

var encodedForms = []EncodedForm{
	{"base64 xxd", "|", lazyregexp.New(`(?m)(?:(?:` + encoded + `|` + Fetcher + `[^\n|]*https?://)[^\n]{0,200}?|` + short + `["']?[ \t]*\|[ \t]*)` + Decoder + `[^\n]*?` + Piped)},
	{"base64 xxd", "(`<", lazyregexp.New(`(?m)` + Substituted + `[^\n]*?(?:` + short + `["']?[ \t]*\|[ \t]*|` + Fetcher + `[^\n|]*https?://[^\n]*?)` + Decoder +
		`|` + Substituted + Decoder + `[^\n]*?<<<[ \t]*["']?` + short)},
	{"b64decode base64_decode FromBase64String atob( Buffer.from fromhex unhexlify", "(", lazyregexp.New(
		`\b(?:exec|eval|system|popen|Popen|execSync|spawnSync|passthru|shell_exec|Function|iex|IEX|Invoke-Expression)\b[ \t]*\(?[^\n]{0,200}?` +
			`(?:b64decode|b16decode|fromhex|unhexlify|atob|base64_decode|Buffer\.from|FromBase64String)[ \t]*\([ \t]*b?["']` + encoded + `["']`)},
	{"powershell PowerShell pwsh", "-/", lazyregexp.New(`(?i)\b(?:powershell|pwsh)(?:\.exe)?\b[^\n]{0,200}?[ \t][-/]e(?:c|n\w*)?[ \t]+["']?` + encoded)},
	{`\x`, "|", lazyregexp.New(`(?m)((?:\\x[0-9A-Fa-f]{2}){8,})[^\n|]*` + Piped)},
}

// Decode returns the text that one of the groups of a match encodes, the match itself
// if its text is downloaded or packed, or no text if the group encodes none.
func Decode(groups []string) string {
	literal := ""
	for _, g := range groups[1:] {
		if g != "" {
			literal = g
		}
	}
	if literal == "" {
		return groups[0]
	}
	literal = strings.ReplaceAll(literal, `\x`, "")
	if text, err := hex.DecodeString(literal); err == nil && isReadable(text) {
		return string(text)
	}
	text, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(literal, "="))
	switch {
	case err != nil || len(text) < 8:
		return ""
	case isReadable(text):
		return string(text)
	case len(text) < 12: // a name, as likely as text of PowerShell
		return ""
	}
	wide := make([]uint16, len(text)/2) // as PowerShell has it
	for i := range wide {
		wide[i] = uint16(text[2*i]) | uint16(text[2*i+1])<<8
	}
	if s := string(utf16.Decode(wide)); isReadable([]byte(s)) {
		return s
	}
	if strings.Contains(groups[0], "zip") || strings.Contains(groups[0], "zlib") {
		return groups[0]
	}
	return ""
}

// isReadable reports whether bytes are text.
func isReadable(text []byte) bool {
	return utf8.Valid(text) && bytes.IndexFunc(text, func(r rune) bool { return !unicode.IsPrint(r) && !unicode.IsSpace(r) }) < 0
}

// Groups returns the text of a match and of its groups.
func Groups(src []byte, match []int) []string {
	out := make([]string, len(match)/2)
	for i := range out {
		if match[2*i] >= 0 {
			out[i] = string(src[match[2*i]:match[2*i+1]])
		}
	}
	return out
}

// JoinedLine returns the line around an offset and its start, not before from. Lines
// that a backslash joins are one line, with spaces for the line break. Of a long line
// it is the part around the offset.
func JoinedLine(src []byte, from, at int) (start int, line []byte) {
	const near = 2000
	joined := func(i int) bool { // the line break at i is escaped
		return i > 0 && src[i] == '\n' && (src[i-1] == '\\' || i > 1 && src[i-1] == '\r' && src[i-2] == '\\')
	}
	start, end := at, at
	for start > max(from, at-near) && (src[start-1] != '\n' || joined(start-1)) {
		start--
	}
	for end < min(len(src), at+near) && (src[end] != '\n' || joined(end)) {
		end++
	}
	line = src[start:end]
	if bytes.IndexByte(line, '\n') >= 0 {
		line = bytes.ReplaceAll(bytes.ReplaceAll(line, []byte("\\\n"), []byte("  ")), []byte("\\\r\n"), []byte("   "))
	}
	return start, line
}
