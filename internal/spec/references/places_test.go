package references

import (
	"fmt"
	"strings"
	"testing"

	"skills/internal/markdown"
)

// TestPlaces finds mentions of files, and how they would be written for another file.
func TestPlaces(t *testing.T) {
	folder := NewFolder([]Entry{{Name: "SKILL.md"}, {Name: "references/guide.md"}, {Name: "references/中文 a.md"}, {Name: "scripts/fill.py"}, {Name: "assets/form (1).html"}})
	for _, tt := range []struct {
		from, body, want, renamed string // renamed is the body after references/guide.md became docs/a b.md
	}{
		{"", "See [it](references/guide.md#two) and [it](./references/guide.md).", "references/guide.md ./references/guide.md", "See [it](docs/a%20b.md#two) and [it](docs/a%20b.md)."},
		{"", "Read `references/guide.md`.", "references/guide.md", "Read `docs/a b.md`."},
		{"", "Read references/guide.md first.", "references/guide.md", "Read docs/a b.md first."},
		{"", "[x](references/%E4%B8%AD%E6%96%87%20a.md) [y](<references/中文 a.md>)", "references/%E4%B8%AD%E6%96%87%20a.md references/中文 a.md", ""},
		{"", "```bash\npython3 ${CLAUDE_SKILL_DIR}/scripts/fill.py x\n```\n", "scripts/fill.py", ""},
		{"", "Run `python3 scripts/fill.py --help`.", "scripts/fill.py", ""},
		{"references/other.md", "See [it](guide.md) and [it](../scripts/fill.py), or [it](references/guide.md).", "guide.md ../scripts/fill.py references/guide.md", "See [it](../docs/a%20b.md) and [it](../scripts/fill.py), or [it](docs/a%20b.md)."},
		{"", "[a]: references/guide.md\n\nSee [a] and [b](https://example.com/references/guide.md).", "references/guide.md", "[a]: docs/a%20b.md\n\nSee [a] and [b](https://example.com/references/guide.md)."},
		{"", "[x](references/missing.md) `scripts/missing.py` [y](#here) [z](../other/SKILL.md)", "", ""},
	} {
		page := New(markdown.Parse([]byte(tt.body)), tt.body, "pdf", folder.Exists)
		var got []string
		renamed, shift := tt.body, 0
		here := "."
		if i := strings.LastIndexByte(tt.from, '/'); i >= 0 {
			here = tt.from[:i]
		}
		for _, p := range Places(page, tt.from, folder) {
			got = append(got, tt.body[p.Start:p.End])
			file := p.File
			if file == "references/guide.md" {
				file = "docs/a b.md"
			}
			text := p.Written(file, here)
			if file == p.File {
				text = tt.body[p.Start:p.End]
			}
			renamed = renamed[:p.Start+shift] + text + renamed[p.End+shift:]
			shift += len(text) - (p.End - p.Start)
		}
		if fmt.Sprint(strings.Join(got, " ")) != tt.want {
			t.Errorf("%s: got %q, want %q", tt.body, got, tt.want)
		}
		if tt.renamed != "" && renamed != tt.renamed {
			t.Errorf("%s: renamed to %q, want %q", tt.body, renamed, tt.renamed)
		}
	}
}
