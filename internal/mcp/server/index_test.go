package server

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"skills/internal/discovery"
)

// TestIndex: the index has every skill that it can name, as an archive if that has all of
// it for clients, and else as its SKILL.md; the digests are those of what is read.
func TestIndex(t *testing.T) {
	files := map[string]string{
		"one/SKILL.md": front("one"), "docs/SKILL.md": front("docs"), "docs/a.md": "A", "docs/references/b.csv": "1,2",
		"scripted/SKILL.md": front("scripted"), "scripted/scripts/x.py": "", "deep/SKILL.md": front("deep"), "deep/a/b/c.md": "",
		"picture/SKILL.md": front("picture"), "picture/p.png": "\x89PNG", "large/SKILL.md": front("large"), "large/x.txt": strings.Repeat("x", 1<<20),
		"Odd/SKILL.md": front("Odd"), "hidden/SKILL.md": strings.Replace(front("hidden"), "\n---\nText", "\ndisable-model-invocation: true\n---\nText", 1),
		"evals/SKILL.md": front("evals"), "evals/evals/evals.json": "{}",
		"long/SKILL.md": strings.Replace(front("long"), "Does", strings.Repeat("Does 🚀 ", 500), 1),
	}
	for i := range 20 {
		files[fmt.Sprintf("many/%d.md", i)] = ""
		files[fmt.Sprintf("nearly/%02d.md", i)] = "x"
	}
	delete(files, "nearly/00.md")
	files["many/SKILL.md"], files["nearly/SKILL.md"] = front("many"), front("nearly")
	s, _ := serve(t, files)
	session := connect(t, s, "", nil)
	read := func(uri string) *mcp.ResourceContents {
		r, err := session.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri})
		must(t, err)
		return r.Contents[0]
	}
	index, skipped, err := discovery.Parse([]byte(read(discovery.Address).Text))
	must(t, err)
	var got []string
	for _, e := range index.Skills {
		got = append(got, e.Name+" "+e.Type)
		c := read(e.URL)
		content := c.Blob
		if e.Type == discovery.SkillMD {
			content = []byte(c.Text)
		}
		if err := e.Verify(content); err != nil || e.Digest == "" {
			t.Errorf("%s: %v", e.Name, err)
		}
		if e.Name == "docs" {
			archive, err := zip.NewReader(bytes.NewReader(content), int64(len(content)))
			must(t, err)
			f, err := archive.Open("references/b.csv")
			must(t, err)
			if text, err := io.ReadAll(f); string(text) != "1,2" || len(archive.File) != 3 || c.MIMEType != "application/zip" {
				t.Errorf("got %q, %v of %d files", text, err, len(archive.File))
			}
		}
	}
	want := []string{
		"deep skill-md", "docs archive", "evals skill-md", "large skill-md", "long skill-md", "many skill-md", "nearly archive", "one skill-md",
		"picture skill-md", "scripted skill-md",
	}
	if !slices.Equal(got, want) || skipped != 0 || index.Schema != discovery.Schema {
		t.Errorf("got %q, %d skipped", got, skipped)
	}
	if _, err := session.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "skill://scripted.zip"}); err == nil {
		t.Error("an archive that is not in the index can be read")
	}
}
