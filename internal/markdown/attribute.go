package markdown

import (
	"bytes"
	"html"
	"strings"
)

// tag takes the attributes of the opening tag at i, and returns its name in
// small letters and where it ends.
func (b *builder) tag(p pieces, i int) (name string, end int) {
	t := p.text
	j := i + 1
	for j < len(t) && !isSpace(t[j]) && t[j] != '>' && t[j] != '/' {
		j++
	}
	name = strings.ToLower(string(t[i+1 : j]))
	for j < len(t) && t[j] != '>' {
		if isSpace(t[j]) || t[j] == '/' {
			j++
			continue
		}
		key := j
		for j++; j < len(t) && !isSpace(t[j]) && t[j] != '=' && t[j] != '>' && t[j] != '/'; j++ {
		}
		attr := strings.ToLower(string(t[key:j]))
		k := j
		for k < len(t) && isSpace(t[k]) {
			k++
		}
		if k == len(t) || t[k] != '=' {
			continue
		}
		var start, stop int
		start, stop, j = attributeValue(t, k+1)
		b.attribute(p, name, attr, start, stop)
	}
	return name, min(j+1, len(t))
}

// attributeValue returns the stretch of the value that follows a = and where
// to read on.
func attributeValue(t []byte, i int) (start, stop, end int) {
	for i < len(t) && isSpace(t[i]) {
		i++
	}
	if i < len(t) && (t[i] == '"' || t[i] == '\'') {
		if n := bytes.IndexByte(t[i+1:], t[i]); n >= 0 {
			return i + 1, i + 1 + n, i + n + 2
		}
		return i + 1, len(t), len(t)
	}
	for start = i; i < len(t) && !isSpace(t[i]) && t[i] != '>'; i++ {
	}
	return start, i, i
}

// linkAttributes are the attributes that name a file or page, by tag.
var linkAttributes = map[string]string{
	"a": "href", "area": "href", "link": "href",
	"img": "src", "script": "src", "source": "src", "audio": "src", "video": "src",
	"track": "src", "iframe": "src", "embed": "src",
}

func (b *builder) attribute(p pieces, tag, name string, start, stop int) {
	switch value := bytes.TrimSpace(p.text[start:stop]); {
	case len(value) == 0:
	case name == "id" || name == "name":
		b.page.Anchors[html.UnescapeString(string(value))] = true
	case linkAttributes[tag] == name:
		start += bytes.Index(p.text[start:stop], value)
		from, to := p.span(start, start+len(value))
		b.link(HTML, []byte(html.UnescapeString(string(value))), from, to)
	}
}
