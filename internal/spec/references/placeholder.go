package references

import (
	"path"
	"slices"
	"strings"
)

var (
	formatVerb      = compiled(`%[sd]\b|%[A-Z_][A-Z0-9_]{2,}%`) // and the variables of Windows
	placeholderWord = compiled(`^[A-Z][A-Z0-9_-]*$`)
)

// placeholderParts occur only in placeholders, placeholderStarts only at the start
// of a word of one.
var (
	placeholderParts  = []string{"path/to", "path-to", "path_to", "yyyy", "xxx", "placeholder", "lorem"}
	placeholderStarts = []string{"your-", "your_", "some-", "some_",
		"my-file", "my_file", "my-doc", "my_doc", "my-image", "my_image", "my-script", "my_script"}
)

// hasMark reports whether a name has a mark of a placeholder. It is called for
// every word of every command.
func hasMark(s string) bool {
	if strings.ContainsAny(s, "<>{}*$|[]…") || strings.Contains(s, "...") || strings.Contains(s, "%") && formatVerb().MatchString(s) {
		return true
	}
	s = strings.ToLower(s)
	return slices.ContainsFunc(placeholderParts, func(part string) bool { return strings.Contains(s, part) }) ||
		slices.ContainsFunc(placeholderStarts, func(word string) bool { return startsWord(s, word) })
}

// startsWord reports whether a word in s starts with prefix.
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

// isWordByte reports whether c matches \w.
func isWordByte(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// IsPlaceholder reports whether a path is a placeholder for others: references/<name>.md,
// {x}, path/to/file, url.
func IsPlaceholder(s string) bool {
	if hasMark(s) {
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
