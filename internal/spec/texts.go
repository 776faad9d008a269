package spec

import (
	"bytes"
	"iter"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"skills/internal/spec/frontmatter"
)

// maxText is how much of one file is looked at.
const maxText = 1 << 20

// text is a text file of the skill.
type text struct {
	name string // relative to the skill, with slashes; "" for the SKILL.md
	src  []byte // its first maxText bytes
	file File   // as listed; zero for the SKILL.md

	doc   *Document
	index *frontmatter.Lines // made when first needed
}

// texts yields the SKILL.md and every other text file of the skill, in the
// order of names. Links are left out: what they lead to inside the skill is a
// file of its own.
func (p *Pass) texts() iter.Seq[*text] {
	return func(yield func(*text) bool) {
		if !yield(&text{src: p.Doc.Source, doc: p.Doc}) || p.Doc.Files == nil {
			return
		}
		for _, f := range p.Doc.Files.List() {
			if f.Name == p.Doc.File || !f.Mode.IsRegular() || f.Size == 0 || binaryExtension(f.Name) {
				continue
			}
			if t := p.text(f); t != nil && !yield(t) {
				return
			}
		}
	}
}

// text reads a listed file; nil where it cannot be read or is no text.
func (p *Pass) text(f File) *text {
	src, err := p.Doc.Files.Read(f.Name, maxText)
	if err != nil || !isText(src) {
		return nil
	}
	return &text{name: f.Name, src: src, file: f, doc: p.Doc}
}

// isText tells texts from binary files the way git does.
func isText(src []byte) bool { return bytes.IndexByte(src[:min(len(src), 8000)], 0) < 0 }

// binaryExtension reports names of files that need not be read to know that
// they are no texts.
func binaryExtension(name string) bool {
	switch strings.ToLower(path.Ext(name)) {
	case ".png", ".jpg", ".jpeg", ".gif", ".webp", ".ico", ".bmp", ".tiff", ".heic", ".avif",
		".pdf", ".docx", ".xlsx", ".pptx", ".odt", ".ods", ".odp", ".epub",
		".ttf", ".otf", ".woff", ".woff2", ".eot",
		".zip", ".gz", ".tgz", ".bz2", ".xz", ".zst", ".7z", ".tar", ".jar", ".whl", ".skill",
		".mp3", ".mp4", ".wav", ".ogg", ".webm", ".mov", ".m4a",
		".exe", ".dll", ".so", ".dylib", ".wasm", ".pyc", ".class", ".o", ".a",
		".sqlite", ".db", ".parquet", ".npy", ".npz", ".pkl":
		return true
	}
	return false
}

// report adds a finding about the bytes from start to end.
func (t *text) report(p *Pass, start, end int, help, format string, args ...any) {
	p.ReportIn(t.path(p), t.span(start, end), nil, help, format, args...)
}

func (t *text) path(p *Pass) string {
	if t.name == "" {
		return p.Doc.Path
	}
	return p.Path(t.name)
}

// span returns the place of two byte offsets.
func (t *text) span(start, end int) Span {
	if t.name == "" {
		return t.doc.SourceSpan(start, end)
	}
	if t.index == nil {
		x := frontmatter.IndexLines(t.src)
		t.index = &x
	}
	return Span{Start: t.index.At(start), End: t.index.At(end)}
}

// line returns the line that the byte at an offset is on, and where in it the
// byte is.
func (t *text) line(offset int) (line []byte, at int) {
	from := bytes.LastIndexAny(t.src[:offset], "\r\n") + 1
	to := len(t.src)
	if n := bytes.IndexAny(t.src[offset:], "\r\n"); n >= 0 {
		to = offset + n
	}
	return t.src[from:to], offset - from
}

// prose reports whether a file is read by people rather than run.
func (t *text) prose() bool {
	return t.name == "" || slices.Contains([]string{".md", ".mdx", ".markdown", ".txt", ".rst", ".adoc", ".html", ".htm"}, strings.ToLower(path.Ext(t.name)))
}

// sampleFolder reports files below a folder that holds samples: what stands
// there shows something, and is not the skill's own.
func sampleFolder(name string) bool {
	dir := path.Dir(name)
	for part := range strings.SplitSeq(strings.ToLower(dir), "/") {
		switch part {
		case "testdata", "test", "tests", "__tests__", "spec", "specs", "fixture", "fixtures", "__fixtures__",
			"template", "templates", "example", "examples", "sample", "samples", "assets", "evals", "demo", "demos":
			return true
		}
	}
	return false
}

// lastRune is the last character of a text, 0 where it is empty.
func lastRune(b []byte) rune {
	r, n := utf8.DecodeLastRune(b)
	if n == 0 {
		return 0
	}
	return r
}

// firstRune is the first character of a text, 0 where it is empty.
func firstRune(b []byte) rune {
	r, n := utf8.DecodeRune(b)
	if n == 0 {
		return 0
	}
	return r
}
