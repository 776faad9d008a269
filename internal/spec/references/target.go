package references

import (
	"path"
	"slices"
	"strings"

	"skills/internal/lazyregexp"
	"skills/internal/markdown"
)

// Target is the destination of a link.
type Target struct {
	markdown.Link
	Kind     TargetKind
	Path     string   // clean, relative to the skill's folder; as written if OnDisk
	Others   []string // alternative meanings of the path
	Fragment string
	Anchored bool // has a fragment, possibly empty
}

// TargetKind is the kind of a link's destination.
type TargetKind uint8

// The kinds of targets.
const (
	Elsewhere TargetKind = iota // a URL, a placeholder or a site's path: not a file
	InSkill                     // a path in the skill's folder
	SamePage                    // a fragment of the page itself
	Above                       // a path that leaves the folder by ..
	OnDisk                      // an absolute file path
)

// Resolve returns the target of a link in the page from ("" is the SKILL.md) of
// a skill whose folder is named dir. Paths are relative to the page's folder
// or, as in the specification's guide, to the skill's.
func Resolve(dir, from string, l markdown.Link) Target {
	t := Target{Link: l}
	if l.Kind == markdown.Auto {
		return t
	}
	var written string
	written, t.Fragment, t.Anchored = l.Split()
	written = strings.TrimSpace(written)
	if own := ownFolder().FindString(written); own != "" {
		from, written = "", written[len(own):]
	}
	switch {
	case written == "" && t.Anchored:
		t.Kind = SamePage
		return t
	case written == "" || IsPlaceholder(written):
		return t
	case isAbsolute(written):
		t.Kind, t.Path = OnDisk, written
		return t
	case hasScheme(written) || isSitePath(written):
		return t
	}
	here := path.Dir(from)
	slashed := strings.ReplaceAll(written, `\`, "/")
	t.Kind, t.Path = InSkill, resolveOwnName(dir, path.Join(here, written))
	if alt := resolveOwnName(dir, path.Join(here, slashed)); !IsInside(t.Path) || !IsInside(alt) {
		t.Kind, t.Path = Above, alt
	}
	alternatives := []string{path.Join(here, slashed)}
	if here != "." {
		alternatives = append(alternatives, path.Clean(written))
	}
	raw, _, _ := strings.Cut(l.Target, "#") // a name may contain ? and %
	for _, alt := range append(alternatives, path.Join(here, raw)) {
		alt = resolveOwnName(dir, alt)
		if IsInside(alt) && alt != t.Path {
			t.Others = append(t.Others, alt)
		}
	}
	return t
}

// resolveOwnName turns ../my-skill/x of the skill my-skill into x.
func resolveOwnName(dir, name string) string {
	if rest, ok := strings.CutPrefix(name, "../"+dir+"/"); ok && dir != "" {
		return rest
	}
	return name
}

// IsInside reports whether a clean relative path stays in the folder.
func IsInside(name string) bool { return name != ".." && !strings.HasPrefix(name, "../") }

// hasScheme reports whether s is a URL: a scheme of two letters or more,
// //host, www.example.com, or a path that starts with a host name.
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

// systemRoots are folders of file systems that websites do not have.
var systemRoots = []string{"/home/", "/Users/", "/root/", "/etc/", "/tmp/", "/var/", "/usr/", "/opt/", "/mnt/", "/proc/", "/private/", "/Library/", "/Applications/"}

var windowsPath = lazyregexp.New(`^[A-Za-z]:[\\/]|^\\\\[^\\]`)

// isAbsolute reports whether s is an absolute file path rather than a path of a
// website.
func isAbsolute(s string) bool {
	file := len(s) >= len("file://") && strings.EqualFold(s[:len("file://")], "file://")
	return file || len(s) > 1 && (s[1] == ':' || s[1] == '\\') && windowsPath().MatchString(s) || strings.HasPrefix(s, "~/") ||
		slices.ContainsFunc(systemRoots, func(root string) bool { return strings.HasPrefix(s, root) })
}

// isSitePath reports whether s is a path of a website: /docs, or a part of a
// GitHub repository that is not a file, such as ../issues.
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
