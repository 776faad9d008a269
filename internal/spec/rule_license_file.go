package spec

import (
	"path"
	"slices"
	"strings"
	"unicode/utf8"
)

var licenseFile = &Rule{
	ID:     "license-file",
	Title:  "the file that license names is there",
	Level:  Warning,
	Source: "specification, license field: the name of a license or of a bundled license file",
	Check: func(p *Pass) {
		f := p.Doc.Field("license")
		if f == nil || p.Doc.Files == nil || f.Value.Kind != String {
			return
		}
		name := bundledLicense(f.Value.Text)
		if name == "" {
			return
		}
		files := p.Doc.Files.List()
		var other string // the name in another case
		for _, file := range files {
			if file.Skipped && strings.HasPrefix(name, file.Name+"/") {
				return
			}
			stem := strings.TrimSuffix(file.Name, path.Ext(file.Name))
			switch {
			case file.Name == name, path.Ext(name) == "" && strings.EqualFold(stem, name):
				return
			case strings.EqualFold(file.Name, name):
				other = file.Name
			}
		}
		if other != "" {
			p.Report(p.Doc.spanIn(f, name), "write "+other, "license names %s, but the file is called %s", quote(name), quote(other))
			return
		}
		p.Report(p.Doc.spanIn(f, name), "put the file there, or write the license's name: MIT", "license names %s, which is not in the skill's folder", quote(name))
	},
}

// bundledLicense returns the file that a license text says is bundled, "" where
// it names none, or one that lies elsewhere: at an address, in the repository.
func bundledLicense(license string) string {
	words := strings.Fields(license)
	for _, w := range words {
		switch strings.Trim(strings.ToLower(w), ".,;:()'\"") {
		case "repo", "repository", "root", "project", "parent", "upstream", "top-level", "top", "plugin", "package":
			return ""
		}
	}
	for i, w := range words {
		if _, target, ok := strings.Cut(w, "]("); ok { // a link as Markdown writes it
			w, _, _ = strings.Cut(target, "#")
		}
		w = strings.TrimPrefix(strings.Trim(w, "()[]<>'\"`,;:"), "./")
		w = strings.TrimRight(w, ".")
		if w == "" || strings.Contains(w, "://") || strings.HasPrefix(w, "../") || strings.HasPrefix(w, "/") || strings.ContainsAny(w, "\\<>{}$*") {
			continue
		}
		base := strings.ToLower(path.Base(w))
		named := slices.ContainsFunc([]string{"license", "licence", "copying", "notice", "unlicense"}, func(s string) bool { return strings.HasPrefix(base, s) })
		switch path.Ext(base) {
		case ".txt", ".md", ".rst", ".html", ".pdf":
			return path.Clean(w)
		}
		// Without an extension LICENSE is a word as well.
		if named && path.Base(w) == strings.ToUpper(path.Base(w)) && (len(words) == 1 || i > 0 && pointsAt(words[i-1])) {
			return path.Clean(w)
		}
	}
	return ""
}

func pointsAt(word string) bool {
	return slices.Contains([]string{"see", "in", "file", "bundled"}, strings.ToLower(strings.Trim(word, ".,;:()")))
}

// spanIn returns the place of a part of a field's value.
func (d *Document) spanIn(f *Field, part string) Span {
	before, _, found := strings.Cut(f.Value.Text, part)
	if !found {
		return f.place()
	}
	from := utf8.RuneCountInString(before)
	return within(d, f, from, from+utf8.RuneCountInString(part))
}
