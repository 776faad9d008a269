package rules

import (
	"path"
	"slices"
	"strings"

	"skills/internal/lazyregexp"
	"skills/internal/printable"
	"skills/internal/spec"
)

var licenseType = &spec.Rule{
	ID:     "license-type",
	Title:  "license is a string",
	Level:  spec.Error,
	Source: `specification, "license field"`,
	Check:  func(p *spec.Pass) { checkString(p, "license", "Apache-2.0") },
}

var licenseFile = &spec.Rule{
	ID:     "license-file",
	Title:  "the file named in license exists",
	Level:  spec.Warning,
	Source: "specification, license field: the name of a license or of a bundled license file",
	Check: func(p *spec.Pass) {
		f := p.Doc.Field("license")
		if f == nil || f.Value.Kind != spec.String {
			return
		}
		name := bundledLicense(f.Value.Text)
		if name == "" {
			return
		}
		other, known := skillOf(p).folder.Find(name)
		anyExtension := func(file spec.File) bool {
			return path.Ext(name) == "" && strings.EqualFold(strings.TrimSuffix(file.Name, path.Ext(file.Name)), name)
		}
		if !known || other == name || slices.ContainsFunc(filesOf(p.Doc), anyExtension) {
			return
		}
		if other != "" {
			p.Report(spanIn(p.Doc, f, name), "write "+other, "license names %s, but the file is called %s", printable.Quote(name), printable.Quote(other))
			return
		}
		p.Report(spanIn(p.Doc, f, name), "add the file, or write the name of the license: MIT", "license names %s, which is not in the skill's folder", printable.Quote(name))
	},
}

// bundledLicense returns the skill's file that a license text names. It returns
// "" if there is none, or if it is a URL or in the repository.
func bundledLicense(license string) string {
	words := strings.Fields(license)
	if slices.ContainsFunc(words, func(w string) bool {
		return slices.Contains([]string{"repo", "repository", "root", "project", "parent", "upstream", "top-level", "top", "plugin", "package"},
			strings.Trim(strings.ToLower(w), ".,;:()'\""))
	}) {
		return ""
	}
	for i, w := range words {
		w = strings.TrimRight(strings.TrimPrefix(strings.Trim(w, "()<>'\"`,;:"), "./"), ".")
		outside := strings.HasPrefix(w, "../") || strings.HasPrefix(w, "/")
		if w == "" || outside || strings.ContainsAny(w, `\<>[]{}$*:`) {
			continue
		}
		named := licenseName().MatchString(path.Base(w))
		switch host, _, below := strings.Cut(w, "/"); strings.ToLower(path.Ext(w)) {
		case ".txt", ".md", ".rst", ".html", ".pdf":
			if below && !named && strings.Contains(host, ".") {
				continue // a URL
			}
			return path.Clean(w)
		}
		// Without an extension, LICENSE may be a word, and UNLICENSE is a
		// license.
		pointed := i > 0 && pointsAt(words[i-1]) || i > 1 && strings.EqualFold(words[i-1], "the") && pointsAt(words[i-2])
		alone := len(words) == 1 && !strings.EqualFold(w, "unlicense")
		isFile := named && path.Base(w) == strings.ToUpper(path.Base(w))
		if isFile && (pointed || alone) {
			return path.Clean(w)
		}
	}
	return ""
}

// licenseName matches file names that start with a word for a license.
var licenseName = lazyregexp.New(`(?i)^(?:license|licence|copying|notice|unlicense)(?:[^a-z]|$)`)

func pointsAt(word string) bool {
	return slices.Contains([]string{"see", "in", "file", "bundled"}, strings.ToLower(strings.Trim(word, ".,;:()")))
}

// spanIn returns the span of a part of a field's value.
func spanIn(d *spec.Document, f *spec.Field, part string) spec.Span {
	from := strings.Index(f.Value.Text, part)
	if from < 0 {
		return f.Place()
	}
	return d.Within(f, from, from+len(part))
}
