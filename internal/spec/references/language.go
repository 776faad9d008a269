package references

import (
	"bytes"
	"path"
	"slices"
	"strings"
)

// IsScriptName reports whether a file name has the extension of a script.
func IsScriptName(name string) bool {
	return path.Ext(name) != "" && Language(name, nil) != "" || slices.Contains([]string{".tsx", ".swift", ".clj", ".cs", ".csx", ".java", ".applescript", ".scpt"}, path.Ext(name))
}

// languages maps the extensions of scripts to their languages.
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
	if ext := path.Ext(name); ext != "" {
		return languages[strings.ToLower(ext)]
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
