package skills_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"skills/internal/agent/skills"
	"skills/internal/loader"
)

func TestReadResource(t *testing.T) {
	root := converter(t)
	b := newBench(t, skills.Options{Source: files(root), Runner: &recorder{}})
	const table = "| kilograms | pounds | 2.20462 |\n"
	for _, name := range []string{"references/conversion-table.md", "./references/conversion-table.md", `references\\conversion-table.md`, "References/Conversion-Table.MD"} {
		b.text("read_skill_resource", `{"skillName":"unit-converter","resourceName":"`+name+`"}`, table)
	}
	b.text("read_skill_resource", `{"skill_name":"unit-converter","resource_name":"references/conversion-table.md","offset":"0"}`,
		table+"\n"+`[Understood as {"skillName":"unit-converter","resourceName":"references/conversion-table.md","offset":0}]`)
	if got := b.call("read_skill_resource", `{"skillName":"unit-converter","resourceName":"scripts/convert.py"}`).Text; !strings.HasPrefix(got, "import argparse") {
		t.Errorf("the source of a script: %q", got)
	}
	if err := os.Remove(filepath.Join(root, "unit-converter", "references", "conversion-table.md")); err != nil {
		t.Fatal(err)
	}
	b.refused("read_skill_resource", `{"skillName":"unit-converter","resourceName":"references/conversion-table.md"}`,
		"Error: Failed to read resource 'references/conversion-table.md' from skill 'unit-converter'. ")
}

func TestReadResourceInPieces(t *testing.T) {
	text := strings.Repeat("aé漢𝄞", 300) // 10 bytes a round
	root := tree(t, map[string]string{"a/SKILL.md": "---\nname: a\ndescription: x\n---\n", "a/long.txt": text})
	for _, limit := range []int64{1, 7, 64, 1000, int64(len(text)) - 1, int64(len(text)), 0} {
		t.Run(fmt.Sprint(limit), func(t *testing.T) {
			b := newBench(t, skills.Options{Source: files(root), ResourceLimit: limit})
			var whole strings.Builder
			for offset, calls := 0, 0; ; calls++ {
				if calls > len(text) {
					t.Fatal("there is no end")
				}
				got := b.call("read_skill_resource", fmt.Sprintf(`{"skillName":"a","resourceName":"long.txt","offset":%d}`, offset))
				if got.Failed {
					t.Fatal(got.Text)
				}
				piece, note, _ := strings.Cut(got.Text, "\n\n[")
				whole.WriteString(piece)
				if !got.Truncated {
					if offset > 0 && !strings.HasPrefix(note, "This is the last part:") {
						t.Errorf("the last note is %q", note)
					}
					break
				}
				var start, size int
				var end, next int
				if _, err := fmt.Sscanf(note, "This is a part: bytes %d to %d of %d. To read on, call read_skill_resource again with offset %d.]", &start, &end, &size, &next); err != nil {
					t.Fatalf("%v in %q", err, note)
				}
				if start != offset || end != next || end-start != len(piece) || size != len(text) {
					t.Fatalf("the note is %q for %d bytes from %d of %d", note, len(piece), offset, len(text))
				}
				offset = next
			}
			if whole.String() != text {
				t.Errorf("the pieces make %d bytes, want %d", whole.Len(), len(text))
			}
		})
	}
	b := newBench(t, skills.Options{Source: files(root), ResourceLimit: 10})
	if got, want := b.call("read_skill_resource", `{"skillName":"a","resourceName":"long.txt","offset":2}`).Text, "漢𝄞a\n\n[This is a part: bytes 3 to 11 of 3000. To read on, call read_skill_resource again with offset 11.]"; got != want {
		t.Errorf("from the middle of a character: got %q, want %q", got, want)
	}
}

// TestReadResourceWithKey checks that no piece shows a part of a key, wherever it starts.
func TestReadResourceWithKey(t *testing.T) {
	const key = "a-key-that-is-secret"
	text := strings.Repeat("x", 90) + key + strings.Repeat("y", 90) + key
	root := tree(t, map[string]string{"a/SKILL.md": "---\nname: a\ndescription: x\n---\n", "a/long.txt": text})
	mask := func(text string) string { return strings.ReplaceAll(text, key, "[masked]") }
	b := newBench(t, skills.Options{Source: files(root), ResourceLimit: 100, Mask: mask})
	for offset := range text {
		piece, _, _ := strings.Cut(mask(b.call("read_skill_resource", fmt.Sprintf(`{"skillName":"a","resourceName":"long.txt","offset":%d}`, offset)).Text), "\n\n[")
		if rest := strings.ReplaceAll(piece, "[masked]", ""); strings.Trim(rest, "xy") != "" || piece == "" {
			t.Errorf("from %d: %q", offset, piece)
		}
	}
}

func TestReadBinary(t *testing.T) {
	png := "\x89PNG\r\n\x1a\n" + strings.Repeat("\x00\x01", 6000)
	root := tree(t, map[string]string{
		"a/SKILL.md":   "---\nname: a\ndescription: x\n---\n",
		"a/image.txt":  png,
		"a/latin1.txt": "caf\xe9",
		"a/utf16.txt":  "\xff\xfeh\x00i\x00",
		"a/empty.txt":  "",
		"a/nul.txt":    "a\x00b",
	})
	b := newBench(t, skills.Options{Source: files(root), ResourceLimit: 100})
	at := func(name string) string { return "\nIt is at " + filepath.Join(root, "a", name) }
	for _, tt := range []struct{ name, offset, want string }{
		{"image.txt", "0", "Binary file, image/png, 12,008 bytes: not shown." + at("image.txt")},
		{"image.txt", "5000", "Binary file, application/octet-stream, 12,008 bytes: not shown." + at("image.txt")},
		{"latin1.txt", "0", "Binary file, not UTF-8 text, 4 bytes: not shown." + at("latin1.txt")},
		{"utf16.txt", "0", "Binary file, not UTF-8 text, 6 bytes: not shown." + at("utf16.txt")},
		{"nul.txt", "0", "Binary file, application/octet-stream, 3 bytes: not shown." + at("nul.txt")},
		{"empty.txt", "0", "(the resource is empty)"},
		{"empty.txt", "9", "(the resource is empty)"},
	} {
		b.text("read_skill_resource", `{"skillName":"a","resourceName":"`+tt.name+`","offset":`+tt.offset+`}`, tt.want)
	}
}

func TestReadMemoryResources(t *testing.T) {
	resource := func(name string, read func(offset, limit int64) ([]byte, int64, error)) loader.Resource {
		return loader.Resource{Name: name, Read: func(_ context.Context, offset, limit int64) ([]byte, int64, error) { return read(offset, limit) }}
	}
	b := newBench(t, skills.Options{ResourceLimit: 8, Source: loader.Memory(memory("m", "x", loader.Contents{
		Resources: []loader.Resource{
			resource("binary", func(int64, int64) ([]byte, int64, error) { return []byte("\x00"), 1, nil }),
			resource("large", func(int64, int64) ([]byte, int64, error) { return []byte("text"), 64 << 20, nil }),
			resource("huge-binary", func(int64, int64) ([]byte, int64, error) { return []byte("\x00"), 64<<20 + 1, nil }),
			resource("fails", func(int64, int64) ([]byte, int64, error) { return nil, 0, errors.New("gone") }),
			resource("greedy", func(int64, int64) ([]byte, int64, error) { return []byte("0123456789"), 10, nil }),
			resource("nothing", func(int64, int64) ([]byte, int64, error) { return nil, 5, nil }),
			resource("panics", func(int64, int64) ([]byte, int64, error) { panic("boom") }),
			resource("sizeless", func(int64, int64) ([]byte, int64, error) { return []byte("text"), 0, nil }),
		},
		Scripts: []loader.Script{{Name: "fn", Call: echo}, {Name: "no-folder.py"}},
	}))})
	read := func(name string) string { return `{"skillName":"m","resourceName":"` + name + `"}` }
	b.text("read_skill_resource", read("sizeless"), "text")
	b.text("read_skill_resource", read("binary"), "Binary file, application/octet-stream, 1 bytes: not shown.")
	b.text("read_skill_resource", read("huge-binary"), "Binary file, application/octet-stream, 67,108,865 bytes: not shown.")
	b.text("read_skill_resource", read("large"), "text\n\n[This is a part: bytes 0 to 4 of 67108864. To read on, call read_skill_resource again with offset 4.]")
	b.text("read_skill_resource", read("greedy"), "01234567\n\n[This is a part: bytes 0 to 8 of 10. To read on, call read_skill_resource again with offset 8.]")
	b.refused("read_skill_resource", read("fails"), "Error: Failed to read resource 'fails' from skill 'm'. gone")
	b.refused("read_skill_resource", read("panics"), "Error: Failed to read resource 'panics' from skill 'm'. panic: boom")
	b.refused("read_skill_resource", read("nothing"), "Error: Failed to read resource 'nothing' from skill 'm'. nothing could be read")
	b.refused("read_skill_resource", read("fn"), "Error: Resource 'fn' not found in skill 'm'.\nAvailable resources: binary, large, huge-binary, fails, greedy, nothing, panics, sizeless.")
	b.refused("read_skill_resource", read("no-folder.py"), "Error: Resource 'no-folder.py' not found in skill 'm'.")
}
