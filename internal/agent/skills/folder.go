package skills

// Skills name their own folder in many ways, as variables of some client or as the place
// where it is usually installed. A model cannot know these, so in the text that it gets they
// are replaced by the folder's path, and a line below says so. Only whole words count: other
// names that begin in the same way, and URLs, stay as they are. Files are never changed.

import (
	"cmp"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"skills/internal/loader"
)

// spelling is a text that means a folder.
type spelling struct {
	text, folder string
	before       string                 // characters that cannot stand before it
	after        func(rest string) bool // whether it ends there
	path         bool
}

// spellings returns the texts that mean the folder of a skill, the longest first.
func spellings(s *loader.Skill) (all []spelling) {
	add := func(text, folder string) {
		all = append(all, spelling{text: text, folder: folder, before: `\$`, after: func(rest string) bool {
			return strings.HasSuffix(text, "}") || !startsWord(rest, "")
		}})
	}
	all = append(all, spelling{text: "{baseDir}", folder: s.Dir, before: `\${`, after: func(rest string) bool { return !strings.HasPrefix(rest, "}") }})
	for _, name := range []string{"CLAUDE_SKILL_DIR", "SKILL_DIR", "SKILL_ROOT"} {
		add("$"+name, s.Dir)
		add("${"+name+"}", s.Dir)
	}
	if plugin := pluginRoot(s.Dir); plugin != "" {
		add("$CLAUDE_PLUGIN_ROOT", plugin)
		add("${CLAUDE_PLUGIN_ROOT}", plugin)
	}
	for _, name := range slices.Compact([]string{s.Name, filepath.Base(s.Dir)}) {
		for _, place := range []string{
			"skills", ".claude/skills", ".agents/skills", "./skills", "./.claude/skills", "./.agents/skills",
			"~/.claude/skills", "~/.agents/skills", "$HOME/.claude/skills", "${HOME}/.claude/skills",
		} {
			all = append(all, spelling{text: path.Join(place, name), folder: s.Dir, before: `\/.-~$}@:%#`, after: endsName, path: true})
			if strings.HasPrefix(place, "./") { // Join removes it
				all[len(all)-1].text = place + "/" + name
			}
		}
	}
	slices.SortStableFunc(all, func(a, b spelling) int { return cmp.Compare(len(b.text), len(a.text)) })
	return all
}

// pluginRoot returns the folder of the plugin that a skill belongs to, or "".
func pluginRoot(dir string) string {
	for range 4 { // such as plugins/NAME/skills/GROUP/NAME
		info, err := os.Stat(filepath.Join(dir, ".claude-plugin", "plugin.json"))
		if err == nil && info.Mode().IsRegular() {
			return dir
		}
		dir = filepath.Dir(dir)
	}
	return ""
}

// startsWord reports whether a text begins with a character of a word, or one of others.
func startsWord(text, others string) bool {
	for _, r := range text {
		return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune(others, r)
	}
	return false
}

// endsName reports whether a file name ends where rest begins.
func endsName(rest string) bool {
	after, dot := strings.CutPrefix(rest, ".")
	return !startsWord(rest, "-") && !(dot && startsWord(after, "-."))
}

// at reports whether the spelling is at a position of a text.
func (s spelling) at(text string, i int) bool {
	if !strings.HasPrefix(text[i:], s.text) || !s.after(text[i+len(s.text):]) {
		return false
	}
	if i == 0 {
		return true
	}
	last, _ := utf8.DecodeLastRuneInString(text[:i])
	if strings.ContainsRune(s.before, last) {
		return false
	}
	return !s.path || !startsWord(string(last), "") && !inURL(text[:i])
}

// inURL reports whether the last word of a text is the beginning of a URL.
func inURL(text string) bool {
	text = text[max(0, len(text)-2048):]
	return strings.Contains(text[strings.LastIndexAny(text, " \t\r\n\"'`<>()[]")+1:], "://")
}

// filled returns a text of a skill in which the spellings of its folder are replaced, with a
// line below that says so.
func filled(s *loader.Skill, text string) string {
	if s.Dir == "" || strings.ContainsFunc(s.Dir, unicode.IsControl) {
		return text
	}
	all := slices.DeleteFunc(spellings(s), func(s spelling) bool { return !strings.Contains(text, s.text) })
	if len(all) == 0 {
		return text
	}
	var b strings.Builder
	var done []string
	for i := 0; i < len(text); {
		k := slices.IndexFunc(all, func(s spelling) bool { return s.at(text, i) })
		if k < 0 {
			b.WriteByte(text[i])
			i++
			continue
		}
		b.WriteString(all[k].folder)
		i += len(all[k].text)
		if !slices.Contains(done, all[k].text) {
			done = append(done, all[k].text)
		}
	}
	if len(done) == 0 {
		return text
	}
	return strings.TrimRight(b.String(), " \t\r\n") + "\n\n[Replaced by absolute paths in the text above: " + strings.Join(done, ", ") + "]"
}
