package cmd

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"skills/internal/testing/filetest"
)

// addFiles writes files below the skills of a folder.
func addFiles(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	filetest.Write(t, filepath.Join(dir, "skills"), files)
}

// uris returns the URIs of a skill's files.
func uris(s servedSkill) (out []string) {
	for _, r := range s.Resources {
		out = append(out, r.URI)
	}
	return out
}

// TestMCPFrontmatter: the extension has every field of the frontmatter, with the values
// that a YAML parser reads. Params may be absent from skills/list; a cursor that the
// server did not give is invalid.
func TestMCPFrontmatter(t *testing.T) {
	dir := mcpFolder(t)
	addFiles(t, dir, map[string]string{"touch/SKILL.md": `---
name: touch
description: "Touches. "
metadata: {version: 1.5, code: "007", mask: 0x10, draft: TRUE, day: 2026-01-02, none: ~}
other: [a, b: [c]]
user-invocable: true
---
`})
	s := mcpSession(t, dir, "", nil)
	list, err := skillsCall(t, s, "skills/list", nil)
	must(t, err)
	const want = `{"name":"touch","description":"Touches. ","other":["a",{"b":["c"]}],"user-invocable":true,
		"metadata":{"version":1.5,"code":"007","mask":16,"draft":true,"day":"2026-01-02","none":null}}`
	var wanted, got any
	must(t, json.Unmarshal([]byte(want), &wanted))
	must(t, json.Unmarshal(list.Skills[0].Frontmatter, &got))
	if !reflect.DeepEqual(got, wanted) {
		t.Errorf("got %s", list.Skills[0].Frontmatter)
	}
	_, err = skillsCall(t, s, "skills/list", &skillsParams{Cursor: "x"})
	refused(t, err, jsonrpc.CodeInvalidParams, "unknown cursor")
	_, err = skillsCall(t, s, "skills/get", nil)
	refused(t, err, jsonrpc.CodeInvalidParams, "unknown URI")
}

// TestMCPNewSkill: a skill that was created after the start is listed, and can be loaded.
func TestMCPNewSkill(t *testing.T) {
	dir := mcpFolder(t)
	s := mcpSession(t, dir, "", nil)
	addFiles(t, dir, map[string]string{"late/SKILL.md": "---\nname: late\ndescription: Late.\n---\nCame later.\n"})
	loaded, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: "load_skill", Arguments: map[string]any{"skillName": "late"}})
	must(t, err)
	if text := loaded.Content[0].(*mcp.TextContent).Text; loaded.IsError || !strings.Contains(text, "Came later.") {
		t.Errorf("got %s", text)
	}
	list, err := skillsCall(t, s, "skills/list", &skillsParams{})
	must(t, err)
	if len(list.Skills) != 2 || list.Skills[0].URI != "skill://late/SKILL.md" {
		t.Errorf("got %v", list.Skills)
	}
}

// TestMCPFiles: a skill's files include those of a skill in it, and those that were
// added after the start; hidden files are not served. Files have a type, and bytes that
// are not text arrive as they are.
func TestMCPFiles(t *testing.T) {
	t.Parallel()
	dir := mcpFolder(t)
	s := mcpSession(t, dir, "", nil)
	_, err := skillsCall(t, s, "skills/list", &skillsParams{})
	must(t, err)
	picture := "\x89PNG\r\n\x1a\n"
	addFiles(t, dir, map[string]string{
		"touch/in/inner/SKILL.md": "---\nname: inner\ndescription: Inner.\n---\n", "touch/in/inner/a b.txt": "a",
		"touch/.env": "x", "touch/p.png": picture, "touch/q.bin": "\xff\x00",
	})
	one, err := skillsCall(t, s, "skills/get", &skillsParams{URI: "skill://touch/SKILL.md"})
	must(t, err)
	want := []string{"skill://touch/SKILL.md", "skill://touch/in/inner/SKILL.md", "skill://touch/in/inner/a%20b.txt", "skill://touch/p.png", "skill://touch/q.bin", "skill://touch/scripts/touch.sh"}
	if got := uris(one.Skill); !reflect.DeepEqual(got, want) {
		t.Errorf("got %q", got)
	}
	types := []string{"text/markdown", "text/markdown", "text/plain", "image/png", "application/octet-stream", "text/plain"}
	for i, uri := range want {
		got, err := s.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri})
		must(t, err)
		c := got.Contents[0]
		if c.MIMEType != types[i] || len(c.Text)+len(c.Blob) != one.Skill.Resources[i].Size || got.CacheScope != "private" {
			t.Errorf("got %+v, %+v", c, got)
		}
		if strings.HasSuffix(uri, ".png") && string(c.Blob) != picture {
			t.Errorf("got %q", c.Blob)
		}
	}
	_, err = s.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "skill://touch/.env"})
	refused(t, err, jsonrpc.CodeInvalidParams, "unknown URI")
}

// TestMCPPages: more skills than a page holds are listed page by page, each once.
func TestMCPPages(t *testing.T) {
	t.Parallel()
	dir := mcpFolder(t)
	for i := range 50 {
		addFiles(t, dir, map[string]string{fmt.Sprintf("skill-%02d/SKILL.md", i): fmt.Sprintf("---\nname: skill-%02d\ndescription: One of many.\n---\n", i)})
	}
	s := mcpSession(t, dir, "", nil)
	seen, cursor := map[string]bool{}, ""
	for _, n := range []int{50, 1} {
		list, err := skillsCall(t, s, "skills/list", &skillsParams{Cursor: cursor})
		must(t, err)
		if len(list.Skills) != n {
			t.Errorf("a page has %d skills, not %d", len(list.Skills), n)
		}
		for _, one := range list.Skills {
			seen[one.URI] = true
		}
		cursor = list.NextCursor
	}
	if len(seen) != 51 || cursor != "" {
		t.Errorf("%d skills, then cursor %q", len(seen), cursor)
	}
}

// TestMCPLimits: skills of 512 files and of 16 MiB are served. The extension skips
// larger ones, and those whose name or frontmatter clients cannot verify; skills/get
// returns why.
func TestMCPLimits(t *testing.T) {
	t.Parallel()
	dir := mcpFolder(t)
	files := map[string]string{}
	front := func(name string) string { return "---\nname: " + name + "\ndescription: Tests limits.\n---\n" }
	for _, name := range []string{"files", "more-files", "bytes", "more-bytes", "Not_A-name"} {
		files[name+"/SKILL.md"] = front(name)
	}
	files["repaired/SKILL.md"] = "---\nname: repaired\ndescription: Use when: testing.\n---\n"
	files["infinite/SKILL.md"] = "---\nname: infinite\ndescription: Infinite.\nmetadata: {n: .inf}\n---\n"
	for i := range 512 {
		files[fmt.Sprintf("more-files/%d.txt", i)] = ""
	}
	for i := range 511 {
		files[fmt.Sprintf("files/%d.txt", i)] = ""
	}
	files["bytes/large"], files["more-bytes/large"] = "", ""
	addFiles(t, dir, files)
	large := int64(16<<20 - len(front("bytes")))
	must(t, os.Truncate(filepath.Join(dir, "skills", "bytes", "large"), large))
	must(t, os.Truncate(filepath.Join(dir, "skills", "more-bytes", "large"), large))
	s := mcpSession(t, dir, "", nil)
	list, err := skillsCall(t, s, "skills/list", &skillsParams{})
	must(t, err)
	var served []string
	for _, one := range list.Skills {
		served = append(served, fmt.Sprint(one.URI, " ", len(one.Resources)))
	}
	if want := []string{"skill://bytes/SKILL.md 2", "skill://files/SKILL.md 512", "skill://touch/SKILL.md 2"}; !reflect.DeepEqual(served, want) {
		t.Errorf("got %q", served)
	}
	for name, why := range map[string]string{
		"more-files": "more than 512 files", "more-bytes": "larger than 16 MiB", "Not_A-name": "frontmatter", "repaired": "frontmatter", "infinite": "frontmatter",
	} {
		_, err := skillsCall(t, s, "skills/get", &skillsParams{URI: "skill://" + name + "/SKILL.md"})
		refused(t, err, jsonrpc.CodeInvalidParams, why)
	}
}
