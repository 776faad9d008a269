package spec

import (
	"path"
	"slices"
	"strings"

	"skills/internal/markdown"
)

// target is where a link of one of the skill's files leads.
type target struct {
	markdown.Link
	kind     targetKind
	path     string   // relative to the skill, as written from the file's folder; of an absolute one as written
	others   []string // what else the path may mean
	fragment string
	anchored bool // whether there is a fragment
}

type targetKind uint8

const (
	toElsewhere targetKind = iota // an address, a placeholder, a site's path: nothing to look for
	toFile                        // a path in the skill's folder
	toSelf                        // a fragment of the file itself
	toAbove                       // a path that leaves the folder by ..
	toDisk                        // a path of the file system
)

// target sorts out a link that stands in the file named from, "" being the
// SKILL.md. Paths count from the file's folder, or, as the specification's
// guide has it for reference files, from the skill's.
func (d *Document) target(from string, l markdown.Link) target {
	t := target{Link: l}
	if l.Kind == markdown.Auto {
		return t
	}
	var written string
	written, t.fragment, t.anchored = l.Split()
	written = strings.TrimSpace(written)
	switch {
	case written == "" && t.anchored:
		t.kind = toSelf
		return t
	case written == "" || isPlaceholder(written):
		return t
	case absolutePath(written):
		t.kind, t.path = toDisk, written
		return t
	case hasScheme(written) || isSitePath(written):
		return t
	}
	dir := path.Dir(from)
	t.kind, t.path = toFile, d.backInside(path.Join(dir, written))
	if slashes := d.backInside(path.Join(dir, strings.ReplaceAll(written, `\`, "/"))); !isInside(t.path) || !isInside(slashes) {
		t.kind, t.path = toAbove, slashes
	}
	alternatives := []string{path.Join(dir, strings.ReplaceAll(written, `\`, "/"))}
	if dir != "." {
		alternatives = append(alternatives, path.Clean(written))
	}
	raw, _, _ := strings.Cut(l.Target, "#") // a name can have ? and % in it
	for _, alt := range append(alternatives, path.Join(dir, raw)) {
		if alt = d.backInside(alt); isInside(alt) && alt != t.path {
			t.others = append(t.others, alt)
		}
	}
	return t
}

// isInside reports whether a clean relative path stays in the folder.
func isInside(name string) bool { return name != ".." && !strings.HasPrefix(name, "../") }

// backInside takes ../my-skill/x for x in the folder my-skill.
func (d *Document) backInside(name string) string {
	if rest, ok := strings.CutPrefix(name, "../"+d.Dir+"/"); ok && d.Dir != "" {
		return rest
	}
	return name
}

// hasScheme reports addresses: a scheme of two letters or more, //host,
// www.example.com, or a path that starts with a host's name.
func hasScheme(s string) bool {
	if strings.HasPrefix(s, "//") || strings.HasPrefix(s, "www.") {
		return true
	}
	scheme, _, found := strings.Cut(s, ":")
	if found && len(scheme) > 1 && strings.Trim(strings.ToLower(scheme), "abcdefghijklmnopqrstuvwxyz0123456789+.-_") == "" {
		return true
	}
	host, _, slash := strings.Cut(s, "/")
	return slash && slices.Contains([]string{".com", ".org", ".net", ".io", ".dev", ".ai", ".gov", ".edu"}, path.Ext(strings.ToLower(host)))
}

// systemRoots are folders that no web site has and every machine does.
var systemRoots = []string{"/home/", "/Users/", "/root/", "/etc/", "/tmp/", "/var/", "/usr/", "/opt/", "/mnt/", "/proc/", "/private/", "/Library/", "/Applications/"}

var windowsPath = newPattern(`^[A-Za-z]:[\\/]|^\\\\[^\\]`)

// absolutePath reports paths of a file system, as far as they can be told from
// those of a web site.
func absolutePath(s string) bool {
	file := len(s) >= len("file://") && strings.EqualFold(s[:len("file://")], "file://")
	return file || len(s) > 1 && (s[1] == ':' || s[1] == '\\') && windowsPath().MatchString(s) || strings.HasPrefix(s, "~/") ||
		slices.ContainsFunc(systemRoots, func(root string) bool { return strings.HasPrefix(s, root) })
}

// isSitePath reports the paths of a web site: /docs, and what repositories on
// GitHub have beside their files.
func isSitePath(s string) bool {
	if strings.HasPrefix(s, "/") {
		return true
	}
	rest := strings.TrimLeft(s, "./")
	if !strings.HasPrefix(s, "../") {
		return false
	}
	first, _, _ := strings.Cut(rest, "/")
	return slices.Contains([]string{"issues", "pull", "pulls", "wiki", "releases", "discussions", "actions", "commit", "commits", "compare", "graphs"}, first)
}

var (
	formatVerb      = newPattern(`%[sd]\b|%[A-Z_][A-Z0-9_]{2,}%`) // and the variables of Windows
	placeholderWord = newPattern(`^[A-Z][A-Z0-9_-]*$`)
)

// placeholderParts and placeholderStarts are what only names have that stand
// for others, the latter at the start of a word.
var (
	placeholderParts  = []string{"path/to", "path-to", "path_to", "yyyy", "xxx", "placeholder", "lorem"}
	placeholderStarts = []string{"your-", "your_", "some-", "some_",
		"my-file", "my_file", "my-doc", "my_doc", "my-image", "my_image", "my-script", "my_script"}
)

// holdsMark reports what marks a name as one that stands for others. It is
// asked of every word of every command.
func holdsMark(s string) bool {
	if strings.ContainsAny(s, "<>{}*$|[]…") || strings.Contains(s, "...") || strings.Contains(s, "%") && formatVerb().MatchString(s) {
		return true
	}
	s = strings.ToLower(s)
	return slices.ContainsFunc(placeholderParts, func(part string) bool { return strings.Contains(s, part) }) ||
		slices.ContainsFunc(placeholderStarts, func(word string) bool { return startsWord(s, word) })
}

// startsWord reports whether a word of s starts with prefix.
func startsWord(s, prefix string) bool {
	for from := 0; ; {
		i := strings.Index(s[from:], prefix)
		if i < 0 {
			return false
		}
		if at := from + i; at == 0 || !isWordByte(s[at-1]) {
			return true
		}
		from += i + 1
	}
}

// isWordByte reports the characters of \w.
func isWordByte(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// isPlaceholder reports targets that stand for others: references/<name>.md,
// {x}, path/to/file, url.
func isPlaceholder(s string) bool {
	if holdsMark(s) {
		return true
	}
	if strings.Contains(s, "/") || path.Ext(s) != "" {
		base := strings.ToLower(strings.TrimSuffix(path.Base(s), path.Ext(s)))
		alone := !strings.Contains(strings.TrimPrefix(s, "./"), "/")
		return slices.Contains([]string{"filename", "file-name", "file_name"}, base) || alone && slices.Contains([]string{"file", "image"}, base)
	}
	switch strings.ToLower(s) {
	case "url", "uri", "link", "path", "href", "src", "target", "file", "filename", "source", "image", "destination", "address", "anchor", "x", "y", "foo", "bar", "text", "reference", "ref",
		"image-url", "image_url", "link-url", "link_url":
		return true
	}
	return placeholderWord().MatchString(s) && !slices.Contains([]string{"LICENSE", "LICENCE", "COPYING", "NOTICE", "README", "CHANGELOG", "AUTHORS", "CONTRIBUTING"}, s)
}

// quotePath is quote for paths: a backslash stays one.
func quotePath(s string) string { return `"` + show(s) + `"` }
