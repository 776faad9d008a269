// Package pack creates reproducible archives of skills, and the index for serving them
// from a web server.
package pack

import (
	"archive/zip"
	"bytes"
	"cmp"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"skills/internal/discovery"
	"skills/internal/fault"
	"skills/internal/files"
	"skills/internal/lazyregexp"
	"skills/internal/loader"
	"skills/internal/printable"
	"skills/internal/spec"
	"skills/internal/spec/references"
)

// Target is where an archive is uploaded or served, with its limits. Zero means no
// limit.
type Target struct {
	Name      string
	Files     int
	Bytes     int64 // of all files together
	FileBytes int64 // of one file
	Archive   int64 // bytes of the archive
	Reserved  []string
	Root      bool // SKILL.md is at the top, not in a folder with the skill's name
}

// unportable matches paths with a name that Windows does not allow, or a control character.
var unportable = lazyregexp.New(`(?i)[\p{Cc}\\:*?"<>|]|[. ](/|$)|(^|/)(con|prn|aux|nul|conin\$|conout\$|(com|lpt)[0-9¹²³])(\.[^/]*)?(/|$)`)

const megabyte = 1_000_000 // the smaller interpretation of the vendors' MB

// Targets returns the targets by name; Target{} has no limits.
func Targets() []Target {
	return []Target{
		{Name: "anthropic", Files: 200, Bytes: 30 * megabyte, Reserved: []string{"anthropic", "claude"}},
		{Name: "openai", Files: 500, FileBytes: 25 * megabyte, Archive: 50 * megabyte},
		{Name: "mcp", Files: 512, Bytes: 16 << 20},
		{Name: "well-known", Root: true},
	}
}

// Archive is a packed skill.
type Archive struct {
	Bytes   []byte
	Digest  string   // sha256:… of Bytes
	Files   int      // number of files
	Skipped []string // omitted entries, sorted, folders with a trailing slash

	only string // digest of SKILL.md, if it is the only file
}

// Problems holds the reasons why a skill cannot be packed, each with what to do.
type Problems []*fault.Error

// Error returns the reasons.
func (p Problems) Error() string {
	var all []string
	for _, one := range p {
		all = append(all, one.Message)
	}
	return strings.Join(all, "; ")
}

func (p *Problems) add(help, format string, args ...any) {
	*p = append(*p, &fault.Error{Message: fmt.Sprintf(format, args...), Hint: help})
}

// over adds a limit that is exceeded.
func (p *Problems) over(t Target, what, unit string, n, limit int64) {
	if limit > 0 && n > limit {
		p.add("remove what the skill does not need", "%s has %s %s; %s takes %s", what, printable.Grouped(n), unit, t.Name, printable.Grouped(limit))
	}
}

// maxTotal is how many bytes of files are packed: more than any target allows.
const maxTotal = 256 << 20

// Pack creates the archive of a skill: a zip with sorted names, fixed times, and modes
// that depend only on the contents. Hidden files, evals, bytecode and node_modules are
// omitted. The error is Problems: a link or another file that is not regular, an
// unreadable file, a name that is invalid on some systems, or a limit.
func Pack(dir, name string, target Target) (out Archive, err error) {
	var wrong Problems
	if !filepath.IsLocal(name) || strings.ContainsAny(name, `/\`) {
		return out, Problems{{Message: "its name is not a valid folder name: " + printable.Quote(name), Hint: "rename the skill"}}
	}
	for _, word := range target.Reserved {
		if strings.Contains(name, word) {
			wrong.add("rename the skill", "the name %s contains %q, which %s reserves", name, word, target.Name)
		}
	}
	root, err := files.OpenFolder(dir)
	if err != nil {
		return out, Problems{{Message: "its folder cannot be read: " + files.Reason(err).Error(), Hint: "check its permissions"}}
	}
	defer root.Close()
	listed, unlisted := loader.AllFiles(dir)
	for _, u := range unlisted {
		wrong.add("make it readable, or remove it", "%s %s", cmp.Or(u.Name, "its folder"), u.Reason)
	}
	prefix := name + "/"
	if target.Root {
		prefix = ""
	}
	var archive bytes.Buffer
	p := packer{target: target, root: root, zip: zip.NewWriter(&archive), prefix: prefix, wrong: wrong, folded: map[string]string{}}
	for _, f := range listed { // sorted by name
		if err := p.add(f); err != nil {
			return p.out, err
		}
	}
	if err := p.zip.Close(); err != nil {
		return p.out, fmt.Errorf("packing: %w", err)
	}
	out, wrong = p.out, p.wrong
	if len(p.skills) != 1 {
		wrong.add("pack each skill by itself", "an archive holds exactly one SKILL.md; these would be in it: %s", strings.Join(p.skills, ", "))
	}
	if out.Files > 1 {
		out.only = ""
	}
	wrong.over(target, "the skill", "files", int64(out.Files), int64(target.Files))
	wrong.over(target, "the skill", "bytes", p.total, target.Bytes)
	wrong.over(target, "the archive", "bytes", int64(archive.Len()), target.Archive)
	out.Skipped = slices.Compact(slices.Sorted(slices.Values(out.Skipped)))
	out.Bytes, out.Digest = archive.Bytes(), discovery.Digest(archive.Bytes())
	if len(wrong) > 0 {
		return out, wrong
	}
	return out, nil
}

// packer adds the files of a skill to an archive.
type packer struct {
	target Target
	root   *os.Root // of the skill's folder
	zip    *zip.Writer
	prefix string // of names in the archive

	out    Archive
	wrong  Problems
	folded map[string]string // the names so far, as disks that ignore case have them
	skills []string          // the SKILL.md files
	total  int64             // bytes of the files
}

// add adds one file, or reports why it cannot be in the archive. The error is that of
// writing the archive.
func (p *packer) add(f spec.File) error {
	fold := references.Fold(f.Name)
	switch skipped := excludedEntry(f); {
	case skipped != "":
		p.out.Skipped = append(p.out.Skipped, skipped)
		return nil
	case f.Mode.IsDir():
		return nil
	case f.Link != "":
		p.wrong.add("put the file itself there", "%s is a link", f.Name)
		return nil
	case !f.Mode.IsRegular():
		p.wrong.add("remove it", "%s is %s", f.Name, spec.KindName(f.Mode))
		return nil
	case !utf8.ValidString(f.Name), unportable().MatchString(f.Name):
		p.wrong.add("rename it", "not every system can have a file with the name %s", printable.Quote(f.Name))
	case p.folded[fold] != "":
		p.wrong.add("rename one", "%s and %s are one name on some disks", printable.Quote(p.folded[fold]), printable.Quote(f.Name))
	}
	var content bytes.Buffer
	if err := files.Copy(&content, p.root, f.Name, maxTotal-p.total); err != nil {
		p.wrong.add("make it readable, or remove it", "%s: %v", f.Name, err)
		return nil
	}
	p.folded[fold] = f.Name
	p.out.Files++
	p.total += f.Size
	p.wrong.over(p.target, f.Name, "bytes", f.Size, p.target.FileBytes)
	if strings.EqualFold(path.Base(f.Name), spec.FileName) {
		p.skills, p.out.only = append(p.skills, f.Name), discovery.Digest(content.Bytes())
	}
	return write(p.zip, p.prefix+f.Name, content.Bytes())
}

// excludedEntry returns the entry that is excluded: f itself, or a folder that contains
// it; "" if f is packed.
func excludedEntry(f spec.File) string {
	parts := strings.Split(f.Name, "/")
	for i, part := range parts {
		folder := i < len(parts)-1 || f.Mode.IsDir()
		hidden := strings.HasPrefix(part, ".")
		name := strings.Join(parts[:i+1], "/")
		unneeded := part == "__pycache__" || part == "node_modules" || name == "evals"
		switch {
		case folder && (hidden || unneeded):
			return name + "/"
		case hidden, !folder && strings.HasSuffix(part, ".pyc"):
			return name
		}
	}
	return ""
}

// write adds a file with the earliest time of zip. Its mode depends on the content,
// because Windows does not store the executable bit.
func write(w *zip.Writer, name string, content []byte) error {
	header := &zip.FileHeader{Name: name, Method: zip.Deflate, Modified: time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)}
	header.SetMode(0o644)
	if bytes.HasPrefix(content, []byte("#!")) || bytes.HasPrefix(content, []byte("\x7fELF")) {
		header.SetMode(0o755)
	}
	entry, err := w.CreateHeader(header)
	if err == nil {
		_, err = entry.Write(content)
	}
	if err != nil {
		return fmt.Errorf("packing %s: %w", name, err)
	}
	return nil
}
