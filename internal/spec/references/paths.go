package references

import (
	"bytes"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"skills/internal/lazyregexp"
	"skills/internal/programs"
)

var (
	// mark occurs only in placeholders.
	mark = lazyregexp.New(`…|\.\.\.|%[sd]\b|%[A-Z_][A-Z0-9_]{2,}%|脚本名|文件名|名称|(?i:path[/_-]to|yyyy|xxx|placeholder|lorem|\b(?:your|some)[-_]|\bmy[-_](?:file|doc|image|script|post|data|note))`)
)

// isWordByte reports whether c matches \w.
func isWordByte(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// mayHaveMark reports whether a path has a character of what mark matches followed by
// the next one: the expression is slow, and most paths have none.
func mayHaveMark(s string) bool {
	for i := range len(s) {
		if c := s[i]; c >= utf8.RuneSelf || c == '%' {
			return true
		}
		if i+1 == len(s) {
			break
		}
		switch string([]byte{s[i] | 0x20, s[i+1] | 0x20}) {
		case "..", "pa", "pl", "yy", "xx", "lo", "yo", "so", "my":
			return true
		}
	}
	return false
}

// IsPlaceholder reports whether a path is a placeholder: references/<name>.md,
// {x}, path/to/file, url.
func IsPlaceholder(s string) bool {
	if strings.ContainsAny(s, "<>{}*$|[]") || mayHaveMark(s) && mark().MatchString(s) {
		return true
	}
	if isInterval(s) {
		return true // as in [0,2,4](MON/WED/FRI), an interval
	}
	lower := strings.ToLower(s)
	if strings.Contains(s, "/") || path.Ext(s) != "" {
		base := strings.TrimSuffix(path.Base(lower), path.Ext(lower))
		alone := !strings.Contains(strings.TrimPrefix(s, "./"), "/")
		return slices.Contains([]string{"filename", "file-name", "file_name", "script-name", "script_name"}, base) || alone && slices.Contains([]string{"file", "image"}, base)
	}
	switch lower {
	case "url", "uri", "link", "path", "href", "src", "target", "file", "filename", "source", "image", "destination", "address", "anchor", "x", "y", "foo", "bar", "text", "reference", "ref",
		"image-url", "image_url", "link-url", "link_url":
		return true
	}
	return isCapitals(s, "0123456789_-") && !slices.Contains([]string{"LICENSE", "LICENCE", "COPYING", "NOTICE", "README", "CHANGELOG", "AUTHORS", "CONTRIBUTING"}, s)
}

// isInterval reports whether all parts between slashes are words in capitals.
func isInterval(s string) bool {
	if !strings.Contains(s, "/") {
		return false
	}
	for part := range strings.SplitSeq(s, "/") {
		if len(part) < 2 || !isCapitals(part, "") {
			return false
		}
	}
	return true
}

// isCapitals reports whether s is a capital of ASCII, followed by capitals and others.
func isCapitals(s, others string) bool {
	for i := range len(s) {
		if capital := s[i] >= 'A' && s[i] <= 'Z'; !capital && (i == 0 || strings.IndexByte(others, s[i]) < 0) {
			return false
		}
	}
	return s != ""
}

// IsScriptName reports whether a file name has the extension of a script.
func IsScriptName(name string) bool {
	return path.Ext(name) != "" && Language(name, nil) != "" || slices.Contains([]string{".tsx", ".swift", ".clj", ".java", ".applescript", ".scpt"}, path.Ext(name))
}

// languages maps the extensions of scripts to the languages that have patterns of
// their own.
var languages = map[string]string{
	".py": "python", ".sh": "shell", ".bash": "shell", ".zsh": "shell", ".ksh": "shell", ".ps1": "powershell", ".bat": "batch", ".cmd": "batch",
	".js": "javascript", ".mjs": "javascript", ".cjs": "javascript", ".ts": "javascript", ".mts": "javascript",
	".rb": "ruby", ".pl": "perl", ".php": "php", ".lua": "lua", ".r": "r", ".go": "go",
	".jl": "other", ".awk": "other", ".tcl": "other", ".fish": "other",
}

// Language returns the language of a script from its extension, or from the
// shebang in src: python, shell, javascript, powershell, ruby, perl, php, lua,
// r, go, batch or other. It returns "" if the file is not a script.
func Language(name string, src []byte) string {
	if ext := strings.ToLower(path.Ext(name)); ext != "" {
		if languages[ext] == "" && slices.Contains(programs.ScriptExtensions(), ext) {
			return "other"
		}
		return languages[ext]
	}
	line, found := bytes.CutPrefix(src, []byte("#!"))
	if !found {
		return ""
	}
	line = line[:min(len(line), 200)]
	line, _, _ = bytes.Cut(line, []byte("\n"))
	for _, l := range []struct{ program, language string }{
		{"python", "python"}, {"uv run", "python"}, {"pwsh", "powershell"}, {"node", "javascript"}, {"deno", "javascript"}, {"bun", "javascript"},
		{"ruby", "ruby"}, {"perl", "perl"}, {"php", "php"}, {"lua", "lua"}, {"Rscript", "r"}, {"fish", "other"}, {"sh", "shell"},
	} {
		if bytes.Contains(line, []byte(l.program)) {
			return l.language
		}
	}
	return "other"
}
