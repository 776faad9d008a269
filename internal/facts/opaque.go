package facts

import (
	"path"
	"strings"

	"skills/internal/spec"
)

// magics are the beginnings of files that people cannot read.
var magics = []struct{ start, kind, what string }{
	{"\x7fELF", program, "ELF program"},
	{"MZ", program, "Windows program"},
	{"\xcf\xfa\xed\xfe", program, "Mach-O program"},
	{"\xce\xfa\xed\xfe", program, "Mach-O program"},
	{"\xca\xfe\xba\xbe", program, "Mach-O program or Java class"},
	{"\x00asm", program, "WebAssembly program"},
	{"PK\x03\x04", archive, "zip archive"},
	{"PK\x05\x06", archive, "zip archive"},
	{"\x1f\x8b", archive, "gzip archive"},
	{"BZh", archive, "bzip2 archive"},
	{"\xfd7zXZ\x00", archive, "xz archive"},
	{"\x28\xb5\x2f\xfd", archive, "zstd archive"},
	{"7z\xbc\xaf\x27\x1c", archive, "7-Zip archive"},
	{"Rar!\x1a\x07", archive, "RAR archive"},
	{"!<arch>\n", archive, "ar archive"},
}

// opaque adds what a file is that people cannot read; false for any other.
func (f *file) opaque(size int64, exists func(name string) bool) bool {
	if strings.HasSuffix(f.name, ".pyc") {
		text := "Python bytecode, " + spec.FormatSize(size)
		if source := pythonSource(f.name); exists(source) {
			text += "; " + source + " is in the skill"
		} else {
			text += ", without " + path.Base(source)
		}
		f.whole(bytecode, text)
		return true
	}
	what, kind := "", ""
	for _, m := range magics {
		// Two letters alone may begin a text.
		if strings.HasPrefix(string(f.src[:min(len(f.src), 8)]), m.start) && (m.start != "MZ" || strings.Contains(string(f.src[:min(len(f.src), 1024)]), "\x00")) {
			what, kind = m.what, m.kind
			break
		}
	}
	if what == "" && len(f.src) > 262 && string(f.src[257:262]) == "ustar" {
		what, kind = "tar archive", archive
	}
	if what == "" {
		return false
	}
	if ext := path.Ext(f.name); kind == archive && ext != "" {
		what += " (" + ext + ")"
	}
	f.whole(kind, what+", "+spec.FormatSize(size))
	return true
}

// pythonSource is the file that a file with bytecode was made of.
func pythonSource(name string) string {
	dir, base := path.Split(name)
	base = strings.TrimSuffix(base, ".pyc")
	if before, found := strings.CutSuffix(dir, "__pycache__/"); found {
		dir = before
		base, _, _ = strings.Cut(base, ".")
	}
	return dir + base + ".py"
}

// issuer names what verifies a file that is a signature, by its name.
func issuer(base string) string {
	switch {
	case base == "skill.oms.sig":
		return "OpenSSF Model Signing; verify it with model_signing"
	case strings.HasSuffix(base, ".sigstore"), strings.HasSuffix(base, ".sigstore.json"):
		return "Sigstore bundle; verify it with cosign"
	}
	return ""
}
