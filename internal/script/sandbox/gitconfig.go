package sandbox

// What Git reads besides the .git of a repository: files that settings include,
// the settings of the user and of a repository above, and the targets of links.
// Each of them can name a program that Git starts, so each is protected. Conditions
// of settings are not evaluated: a script could make them true. Every search has a
// limit.

import (
	"os"
	"path/filepath"
	"strings"
)

// maxIncludes is how deep Git follows settings that include others.
const maxIncludes = 10

// included returns the files that a file with settings of Git includes, on any condition,
// with those that they include. Files that do not exist are among them.
func included(config string, homes []string) []string {
	found := map[string]bool{}
	var names []string
	var follow func(config string, depth int)
	follow = func(config string, depth int) {
		if depth > maxIncludes {
			return
		}
		dir := Real(filepath.Dir(config)) // a name is relative to where Git finds the file, not to the target of a link
		for _, value := range includePaths(head(config)) {
			paths := []string{relativeTo(dir, value)}
			if rest, ok := strings.CutPrefix(value, "~/"); ok {
				paths = nil
				for _, home := range homes {
					paths = append(paths, filepath.Join(home, rest))
				}
			}
			for _, path := range paths {
				if !found[path] && len(names) < 2*most { // more are an error
					found[path] = true
					names = append(names, path)
					follow(path, depth+1)
				}
			}
		}
	}
	follow(config, 0)
	return names
}

// includePaths returns the values of include.path and includeIf.*.path in settings of Git.
func includePaths(text string) (values []string) {
	eachSetting(text, func(section, name, value string) {
		includes := section == "include" || section == "includeif"
		if includes && name == "path" {
			values = append(values, value)
		}
	})
	return values
}

// eachSetting calls visit with each setting of Git in a text that has a value, by its section
// without the part in quotes, and its name.
func eachSetting(text string, visit func(section, name, value string)) {
	p := settingsParser{text: strings.ReplaceAll(text, "\r\n", "\n") + "\n"}
	section := ""
	for p.at < len(p.text) {
		switch c := p.text[p.at]; {
		case strings.IndexByte(" \t\r\n\v\f", c) >= 0:
			p.at++
		case c == '#' || c == ';':
			p.skipLine()
		case c == '[':
			section = p.section()
		default:
			name, value := p.variable()
			if value != "" {
				visit(section, name, value)
			}
		}
	}
}

// settingsParser reads the format of Git's settings. What Git would reject may be read.
type settingsParser struct {
	text string // ends with a line break
	at   int
}

func (p *settingsParser) skipLine() { p.at += strings.IndexByte(p.text[p.at:], '\n') + 1 }

// section reads a header, and returns its name without the quoted part.
func (p *settingsParser) section() string {
	begin, quoted := p.at+1, false
	for p.at++; p.at < len(p.text); p.at++ {
		switch c := p.text[p.at]; {
		case c == '\n' || c == ']' && !quoted:
			name := p.text[begin:p.at]
			p.at++
			name, _, _ = strings.Cut(name, `"`)
			name, _, _ = strings.Cut(name, ".") // the old form
			return strings.ToLower(strings.TrimSpace(name))
		case c == '\\' && quoted && p.at+1 < len(p.text):
			p.at++
		case c == '"':
			quoted = !quoted
		}
	}
	return ""
}

// variable reads a name in small letters and its value, up to the end of the line.
func (p *settingsParser) variable() (name, value string) {
	begin := p.at
	for p.text[p.at] != '\n' && p.text[p.at] != '=' {
		p.at++
	}
	name = strings.ToLower(strings.TrimSpace(p.text[begin:p.at]))
	if p.text[p.at] == '\n' {
		return name, ""
	}
	p.at++
	return name, p.value()
}

// value reads a value without comments, quotes and escapes. A line that ends with a
// backslash is continued.
func (p *settingsParser) value() string {
	var b strings.Builder
	quoted, kept := false, 0 // kept is the length up to the last character that is no blank, or is quoted
	for ; p.at < len(p.text); p.at++ {
		c := p.text[p.at]
		switch {
		case c == '\n':
			return b.String()[:kept]
		case (c == '#' || c == ';') && !quoted:
			p.skipLine()
			p.at--
			return b.String()[:kept]
		case c == '"':
			quoted = !quoted
			continue
		case c == '\\' && p.at+1 < len(p.text):
			p.at++
			c = p.text[p.at]
			switch c {
			case '\n':
				continue
			case 't':
				c = '\t'
			case 'n':
				c = '\n'
			case 'b':
				c = '\b'
			}
		case (c == ' ' || c == '\t') && !quoted:
			if b.Len() > 0 {
				b.WriteByte(c)
			}
			continue
		}
		b.WriteByte(c)
		kept = b.Len()
	}
	return b.String()[:kept]
}

// userSettings returns the files that the user's own settings of Git include.
func userSettings(homes []string) (found []string) {
	for _, home := range homes {
		for _, name := range []string{".gitconfig", ".config/git/config"} {
			found = append(found, included(filepath.Join(home, filepath.FromSlash(name)), homes)...)
		}
	}
	return found
}

// above returns the parts of the repository in whose working tree a folder is.
func above(dir string, homes []string) []string {
	for parent := filepath.Dir(dir); ; parent = filepath.Dir(parent) {
		if git := filepath.Join(parent, ".git"); exists(git) {
			return append(repository(git, homes), submodules(parent, git, homes)...)
		}
		if parent == filepath.Dir(parent) {
			return nil
		}
	}
}

// Bounds of the search for links in a protected folder.
const (
	maxSearched = 20_000 // files and folders
	maxDepth    = 6
)

// linked returns what links in protected files and folders lead to, with the links on the
// way, and what is missing at the end of a link. Parts of Git directories from which Git
// runs nothing are not searched.
func linked(protected []string) (found, missing []string) {
	for _, root := range protected {
		count := 0
		filepath.WalkDir(root, func(path string, entry os.DirEntry, err error) error {
			count++
			switch {
			case err != nil:
				return nil
			case count > maxSearched:
				return filepath.SkipAll
			case entry.IsDir() && (isData(path) || strings.Count(path[len(root):], "/") >= maxDepth):
				return filepath.SkipDir
			case entry.Type()&os.ModeSymlink == 0:
				return nil
			}
			real, links, err := followLinks(path)
			if err == nil && len(links) > 0 {
				found = append(append(found, links[1:]...), real)
			} else if target, err := os.Readlink(path); err == nil {
				missing = append(missing, relativeTo(Real(filepath.Dir(path)), target))
			}
			return nil
		})
	}
	return found, missing
}

// isData reports whether a folder is a part of a Git directory with content only.
func isData(path string) bool {
	switch filepath.Base(path) {
	case "objects", "refs", "logs", "lfs", "annex":
		return exists(filepath.Join(filepath.Dir(path), "HEAD"))
	}
	return false
}
