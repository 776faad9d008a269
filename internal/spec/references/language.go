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

// Language returns the language of a script from its extension, or from the
// shebang in src: python, shell, javascript, powershell, ruby, perl, php, lua,
// r, go, batch or other. It returns "" if the file is not a script.
func Language(name string, src []byte) string {
	switch strings.ToLower(path.Ext(name)) {
	case ".py":
		return "python"
	case ".sh", ".bash", ".zsh", ".ksh":
		return "shell"
	case ".js", ".mjs", ".cjs", ".ts", ".mts":
		return "javascript"
	case ".ps1":
		return "powershell"
	case ".rb":
		return "ruby"
	case ".pl":
		return "perl"
	case ".php", ".lua", ".r", ".go":
		return strings.ToLower(path.Ext(name))[1:]
	case ".jl", ".awk", ".tcl", ".fish":
		return "other"
	case ".bat", ".cmd":
		return "batch"
	case "":
	default:
		return ""
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
