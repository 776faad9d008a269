package rules

// Rules read the files of a skill through the iterators of this file, which know what a
// text, a script and a sample is. Each file is read at most once, and not beyond maxText.

import (
	"bytes"
	"iter"
	"path"
	"slices"
	"strings"

	"skills/internal/printable"
	"skills/internal/spec"
	"skills/internal/spec/frontmatter"
	"skills/internal/spec/references"
)

// maxText is the number of bytes that rules read of a file.
const maxText = 1 << 20

// text is a text file of the skill.
type text struct {
	name string    // relative to the skill's folder, with slashes; "" for the SKILL.md
	src  []byte    // its first maxText bytes
	file spec.File // as listed; zero for the SKILL.md

	lines *frontmatter.Lines // built on first use
}

// texts yields the SKILL.md and every other text file of the skill, sorted by
// name, until the rule has reported enough. Links are omitted, because their
// targets in the skill are files too.
func texts(p *spec.Pass) iter.Seq[*text] {
	return func(yield func(*text) bool) {
		doc := p.Doc
		if !yield(&text{src: doc.Source}) {
			return
		}
		for _, f := range filesOf(doc) {
			if p.Full() || f.Name == doc.File || !hasText(f) {
				continue
			}
			if t := readText(doc, f); t != nil && !yield(t) {
				return
			}
		}
	}
}

// hasText reports whether a file may be a text, by its name and size.
func hasText(f spec.File) bool {
	return f.Mode.IsRegular() && f.Size > 0 && !isBinaryName(f.Name)
}

// scripts yields the skill's own scripts with their languages: files with the
// extension of a script language, and files without an extension that have a
// shebang or are in a folder for programs. Samples and tests are omitted.
func scripts(doc *spec.Document) iter.Seq2[*text, string] {
	return func(yield func(*text, string) bool) {
		for _, f := range filesOf(doc) {
			ext := path.Ext(f.Name)
			if !f.Mode.IsRegular() || f.Size == 0 || spec.IsSample(f.Name) {
				continue
			}
			if ext != "" && references.Language(f.Name, nil) == "" {
				continue
			}
			t := readText(doc, f)
			if t == nil {
				continue
			}
			program := ext == "" && (strings.HasPrefix(f.Name, "scripts/") || strings.HasPrefix(f.Name, "bin/"))
			if language := references.Language(f.Name, t.src); language != "" || program {
				if !yield(t, language) {
					return
				}
			}
		}
	}
}

// filesOf returns the files of a document's folder without those of skills inside it,
// which are checked with them; none if they are unknown.
func filesOf(doc *spec.Document) []spec.File {
	all := allFiles(doc)
	nested := nestedFolders(doc)
	if len(nested) == 0 {
		return all
	}
	return slices.DeleteFunc(slices.Clone(all), func(f spec.File) bool { return inFolderOf(nested, f.Name) })
}

func allFiles(doc *spec.Document) []spec.File {
	if doc.Files == nil {
		return nil
	}
	return doc.Files.List()
}

// nestedFolders returns the folders of the skills inside a skill that are checked on
// their own: those in folders for examples are not.
func nestedFolders(doc *spec.Document) map[string]bool {
	if doc.Nested == nil {
		return nil
	}
	names := doc.Nested()
	if len(names) == 0 {
		return nil
	}
	folders := map[string]bool{}
	for _, name := range names {
		if !spec.IsSample(name) {
			folders[path.Dir(name)] = true
		}
	}
	return folders
}

// inFolderOf reports whether a file is in one of the folders.
func inFolderOf(folders map[string]bool, name string) bool {
	for dir := path.Dir(name); len(folders) > 0 && dir != "." && dir != "/"; dir = path.Dir(dir) {
		if folders[dir] {
			return true
		}
	}
	return false
}

// fileOf returns the file of a document with the given name.
func fileOf(doc *spec.Document, name string) (spec.File, bool) {
	return spec.FindFile(allFiles(doc), name)
}

// readText reads a listed file, or returns nil if it is unreadable or binary.
func readText(doc *spec.Document, f spec.File) *text {
	src, err := doc.Files.Read(f.Name, maxText)
	if err != nil || bytes.IndexByte(src[:min(len(src), 8000)], 0) >= 0 { // git's test for binary files
		return nil
	}
	return &text{name: f.Name, src: src, file: f}
}

// isBinaryName reports whether a file's extension is that of a binary format.
func isBinaryName(name string) bool {
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

// reportFile adds a finding about a whole file of the skill.
func reportFile(p *spec.Pass, name, help, format string, args ...any) *spec.Diagnostic {
	return p.ReportIn(p.Path(name), spec.Span{}, nil, help, format, args...)
}

// report adds a finding about the bytes from start to end.
func (t *text) report(p *spec.Pass, start, end int, help, format string, args ...any) *spec.Diagnostic {
	return p.ReportIn(t.path(p), t.span(start, end), nil, help, format, args...)
}

// path returns the name of the file in findings.
func (t *text) path(p *spec.Pass) string {
	if t.name == "" {
		return p.Doc.Path
	}
	return p.Path(t.name)
}

// span converts two byte offsets to a span.
func (t *text) span(start, end int) spec.Span {
	if t.lines == nil {
		x := frontmatter.IndexLines(t.src)
		t.lines = &x
	}
	return spec.Span{Start: t.lines.At(start), End: t.lines.At(end)}
}

// lineLength returns the length in bytes of the line around an offset.
func (t *text) lineLength(offset int) int {
	from := bytes.LastIndexAny(t.src[:offset], "\r\n") + 1
	if n := bytes.IndexAny(t.src[offset:], "\r\n"); n >= 0 {
		return offset + n - from
	}
	return len(t.src) - from
}

// lineAround returns the line around an offset. Of a long line, which may be the whole
// file, it is the part around the offset.
func (t *text) lineAround(offset int) []byte {
	const reach = 1000 // bytes on each side
	from := max(offset-reach, 0)
	before, after := t.src[from:offset], t.src[offset:min(offset+reach, len(t.src))]
	after, _, _ = bytes.Cut(after, []byte("\n"))
	return t.src[from+bytes.LastIndexByte(before, '\n')+1 : offset+len(after)]
}

// hasExtension reports whether a text has one of the extensions, ignoring case.
func (t *text) hasExtension(extensions ...string) bool {
	return slices.Contains(extensions, strings.ToLower(path.Ext(t.name)))
}

// isProse reports whether a text is documentation rather than code.
func (t *text) isProse() bool {
	return t.name == "" || t.hasExtension(".md", ".mdx", ".markdown", ".txt", ".rst", ".adoc", ".html", ".htm")
}

// isProgram reports whether a text is source code.
func (t *text) isProgram() bool {
	return bytes.HasPrefix(t.src, []byte("#!")) || t.hasExtension(
		".py", ".pyi", ".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx", ".sh", ".bash", ".zsh", ".fish", ".ps1", ".psm1", ".bat", ".cmd",
		".rb", ".pl", ".pm", ".php", ".lua", ".r", ".go", ".rs", ".c", ".h", ".cc", ".cpp", ".hpp", ".cs", ".csx", ".java", ".kt", ".swift", ".scala", ".sql")
}

// isConfiguration reports whether a text is a configuration file.
func (t *text) isConfiguration() bool {
	return t.hasExtension(".json", ".jsonc", ".yaml", ".yml", ".toml", ".ini", ".cfg", ".conf", ".env")
}

const byteOrderMark = "\xEF\xBB\xBF"

// shorten limits a suggestion to two lines of a terminal.
func shorten(s string) string { return printable.TruncateMiddle(s, 160) }

// quotedPath is printable.Quote for paths: backslashes are not escaped.
func quotedPath(s string) string { return `"` + printable.Quoted(s) + `"` }
