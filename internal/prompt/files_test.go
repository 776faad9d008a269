package prompt_test

import (
	"fmt"
	"strings"
	"testing"

	"skills/internal/loader"
	"skills/internal/prompt"
)

// TestFolderList checks that lists of large folders stay short, and that every file can
// be reached in steps.
func TestFolderList(t *testing.T) {
	var c loader.Contents
	add := func(n int, format string) {
		for i := range n {
			c.Resources = append(c.Resources, loader.Resource{Name: fmt.Sprintf(format, i)})
		}
	}
	add(3, "a/%d.md")
	add(250, "icons/%03d.svg")
	add(1, "logo%d.png")
	c.Resources[253].Type, c.Resources[253].Size = "image/png", 12345
	c.Scripts = []loader.Script{{Name: "scripts/run.sh"}}

	want := `<available_resources>
  <resource name="a/0.md"/>
  <resource name="a/1.md"/>
  <resource name="a/2.md"/>
  <folder name="icons/" files="250"/>
  <resource name="logo0.png" description="image/png, 12,345 bytes"/>
</available_resources>
To list a folder, call read_skill_resource with its name.`
	if got := prompt.ActivationContent(&loader.Skill{}, c); !strings.Contains(got, want) {
		t.Errorf("got %s, want %s", got, want)
	}
	seen, offset := 0, 0
	for {
		text, next := prompt.FolderList(c, "icons/", offset)
		seen += strings.Count(text, "<resource ")
		if next == 0 {
			break
		}
		if next != offset+100 {
			t.Fatalf("after %d comes %d", offset, next)
		}
		offset = next
	}
	if seen != 250 {
		t.Errorf("%d files are listed, want 250", seen)
	}
	if text, _ := prompt.FolderList(c, ".", 0); !strings.Contains(text, `<resource name="scripts/run.sh" description="script"/>`) {
		t.Errorf("all: %s", text)
	}
	for _, none := range []string{"icon", "/icons", "..", "nothing/"} {
		if text, _ := prompt.FolderList(c, none, 0); text != "" {
			t.Errorf("%s: got %s", none, text)
		}
	}
	if text, _ := prompt.FolderList(c, "icons", 250); text != "" {
		t.Errorf("beyond the end: %s", text)
	}

	c.Resources = nil
	add(240, "%03d.md")
	if got := prompt.ActivationContent(&loader.Skill{}, c); strings.Count(got, "<resource ") != 100 || !strings.Contains(got, "\n140 more: call read_skill_resource with resourceName \".\" and offset 100.") {
		t.Errorf("many files in one folder: %s", got)
	}
}
