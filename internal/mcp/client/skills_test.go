package client

import (
	"archive/zip"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"skills/internal/discovery"
)

// zipped returns an archive of files, given as names and contents.
func zipped(t *testing.T, files ...string) []byte {
	t.Helper()
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for i := 0; i < len(files); i += 2 {
		f, err := w.Create(files[i])
		if err != nil {
			t.Fatal(err)
		}
		f.Write([]byte(files[i+1]))
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// offering returns a server with resources, which also answers other methods.
func offering(capabilities string, resources map[string][]byte, other func(method string) string) func() *scripted {
	return func() *scripted {
		return newScripted(`"capabilities":`+capabilities, func(_ *scripted, method string, p json.RawMessage) string {
			if method == "tools/list" {
				return `{"tools":[]}`
			}
			if method != "resources/read" {
				return other(method)
			}
			var params struct{ URI string }
			json.Unmarshal(p, &params)
			data, ok := resources[params.URI]
			if !ok {
				return ""
			}
			return fmt.Sprintf(`{"contents":[{"uri":%q,"blob":%q}]}`, params.URI, base64.StdEncoding.EncodeToString(data))
		})
	}
}

// loaded returns the text of a skill, and its files with their contents.
func loaded(t *testing.T, s Skill) (text string, files []string, err error) {
	t.Helper()
	text, list, err := s.Load(t.Context())
	for _, f := range list {
		data, err := f.Read(t.Context())
		if err != nil {
			data = []byte(err.Error())
		}
		files = append(files, f.Name+": "+string(data))
	}
	slices.Sort(files)
	return text, files, err
}

// TestSkillsByExtension checks skills that a server lists by the methods of the extension.
func TestSkillsByExtension(t *testing.T) {
	digest := func(text string) string { return discovery.Digest([]byte(text)) }
	list := fmt.Sprintf(`{"skills":[
		{"uri":"skill://one/SKILL.md","frontmatter":{"name":"one","description":"First.","disable-model-invocation":true},"resources":[
			{"uri":"skill://one/SKILL.md","digest":%q,"size":4},{"uri":"skill://one/docs/a%%20b.md","digest":%q,"size":1},{"uri":"skill://one/changed.md","digest":%q,"size":1}]},
		{"uri":"skill://out/SKILL.md","frontmatter":{"name":"out","description":"Leaves its folder."},"resources":[{"uri":"skill://out/../one/x"}]},
		{"uri":"skill://huge/SKILL.md","frontmatter":{"name":"huge","description":"Is large."},"resources":[{"uri":"skill://huge/x","size":99999999}]},
		{"uri":"skill://wrong","frontmatter":{"name":"wrong","description":"Has no SKILL.md."}},
		{"uri":"skill://Bad/SKILL.md","frontmatter":{"name":"Bad \u001b[31mName","description":"x"}},
		{"uri":"skill://one/SKILL.md","frontmatter":{"name":"one","description":"Again."}},
		{"uri":"skill://long/SKILL.md","frontmatter":{"name":"long","description":%q}}]}`, digest("Text"), digest("a"), digest("b"), longText(1025))
	resources := map[string][]byte{"skill://one/SKILL.md": []byte("Text"), "skill://one/docs/a%20b.md": []byte("a"), "skill://one/changed.md": []byte("other")}
	everyTransport(t, offering(`{"tools":{},"resources":{},"extensions":{"io.modelcontextprotocol/skills":{}}}`, resources, func(method string) string {
		if method == "skills/list" {
			return string(mustCompact(list))
		}
		return ""
	}), func(t *testing.T, _ *scripted, c *Client, warnings []string) {
		wantParts(t, strings.Join(warnings, "\n"), `the skill "Bad Name" of the MCP server a is not used`, `the skill "long" of the MCP server a is not used`)
		all := c.Skills()
		var names []string
		for _, s := range all {
			names = append(names, s.Name)
		}
		if !slices.Equal(names, []string{"one", "out", "huge", "wrong"}) || !all[0].Hidden || all[1].Hidden || all[0].Server != "a" {
			t.Fatalf("skills %+v", all)
		}
		text, files, err := loaded(t, all[0])
		want := []string{"changed.md: reading skill://one/changed.md from the MCP server a: the content does not have the digest in the index", "docs/a b.md: a"}
		if err != nil || text != "Text" || !slices.Equal(files, want) {
			t.Errorf("got %q, %q, %v", text, files, err)
		}
		for i, want := range []string{"", "lists a file outside of it", "its files are larger than 16 MiB", "names no SKILL.md"} {
			if _, _, err := loaded(t, all[i]); want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
				t.Errorf("%s: %v", all[i].Name, err)
			}
		}
	})
}

// TestSkillsByIndex checks skills in the index of a server: a file with others beside it, and
// an archive with its limits.
func TestSkillsByIndex(t *testing.T) {
	many := []string{"SKILL.md", "x"}
	for i := range discovery.MaxFiles {
		many = append(many, fmt.Sprintf("f%d", i), "")
	}
	archives := map[string]struct {
		data []byte
		want string // the error
	}{
		"good":   {zipped(t, "good/SKILL.md", "Text", "good/docs/a.md", "a"), ""},
		"flat":   {zipped(t, "SKILL.md", "Text"), ""},
		"many":   {zipped(t, many...), "it has more than 20 files"},
		"bomb":   {zipped(t, "SKILL.md", "x", "zeros", longText(4<<20)), "its files are larger than 1 MiB"},
		"large":  {bytes.Repeat([]byte("x"), 1<<20+1), "it is larger than 1 MiB"},
		"junk":   {[]byte("PK junk"), "it is not a zip archive"},
		"up":     {zipped(t, "SKILL.md", "x", "../up", "y"), "is not a file in the skill's folder"},
		"rooted": {zipped(t, "SKILL.md", "x", "/etc/passwd", "y"), "is not a file in the skill's folder"},
		"back":   {zipped(t, "SKILL.md", "x", `..\up`, "y"), "is not a file in the skill's folder"},
		"empty":  {zipped(t), "it has no SKILL.md"},
		"none":   {zipped(t, "README.md", "x"), "it has no SKILL.md"},
		"forged": {zipped(t, "SKILL.md", "x"), "the content does not have the digest in the index"},
		"absent": {nil, "reading skill://absent.zip from the MCP server a"},
	}
	resources := map[string][]byte{"skill://main/SKILL.md": []byte("Main"), "skill://main/b.md": []byte("b")}
	entries := []string{`{"name":"main","type":"skill-md","description":"Main.","url":"main/SKILL.md"}`, `{"name":"odd","type":"tar","description":"x","url":"x"}`, `3`}
	for name, a := range archives {
		digest := discovery.Digest(a.data)
		if name == "forged" {
			digest = discovery.Digest([]byte("other"))
		}
		entries = append(entries, fmt.Sprintf(`{"name":%q,"type":"archive","description":"x","url":"skill://%s.zip","digest":%q}`, name, name, digest))
		if a.data != nil {
			resources["skill://"+name+".zip"] = a.data
		}
	}
	resources[discovery.Address] = []byte(`{"$schema":"` + discovery.Schema + `","skills":[` + strings.Join(entries, ",") + `]}`)
	everyTransport(t, offering(`{"tools":{},"resources":{}}`, resources, func(method string) string {
		if method == "resources/list" {
			return `{"resources":[{"uri":"skill://main/b.md","name":"b"},{"uri":"skill://main/../c","name":"c"},{"uri":"other:1","name":"o"},null]}`
		}
		return ""
	}), func(t *testing.T, _ *scripted, c *Client, warnings []string) {
		wantParts(t, strings.Join(warnings, "\n"), "the MCP server a has 2 skills that cannot be used in its index")
		all := c.Skills()
		if len(all) != len(archives)+1 {
			t.Fatalf("%d skills", len(all))
		}
		text, files, err := loaded(t, all[0])
		if err != nil || text != "Main" || !slices.Equal(files, []string{"b.md: b"}) {
			t.Errorf("got %q, %q, %v", text, files, err)
		}
		for _, s := range all[1:] {
			text, files, err := loaded(t, s)
			want := archives[s.Name].want
			switch {
			case want != "":
				if err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("%s: %v", s.Name, err)
				}
			case err != nil || text != "Text" || s.Name == "good" && !slices.Equal(files, []string{"docs/a.md: a"}):
				t.Errorf("%s: %q, %q, %v", s.Name, text, files, err)
			}
		}
	})
}

// TestUnpackLinks checks that an archive cannot have links or devices.
func TestUnpackLinks(t *testing.T) {
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	h := &zip.FileHeader{Name: "SKILL.md"}
	h.SetMode(fs.ModeSymlink | 0o777)
	f, err := w.CreateHeader(h)
	if err != nil {
		t.Fatal(err)
	}
	f.Write([]byte("/etc/passwd"))
	w.Close()
	if _, err := unpack(out.Bytes()); err == nil {
		t.Error("a link was unpacked")
	}
}

// TestSkillsBad checks that a list or an index that cannot be read is a warning, and that a
// server without skills is none.
func TestSkillsBad(t *testing.T) {
	for name, tt := range map[string]struct {
		capabilities, list, index string
		want                      string // the warning, "" for none
	}{
		"none":       {`{"tools":{},"resources":{}}`, "", "", ""},
		"junk":       {`{"tools":{},"resources":{}}`, "", "<html>", "the skills of the MCP server a are not available: the index is not valid"},
		"no list":    {`{"tools":{},"extensions":{"io.modelcontextprotocol/skills":{}}}`, "", "", "the skills of the MCP server a are not available: "},
		"wrong list": {`{"tools":{},"extensions":{"io.modelcontextprotocol/skills":{}}}`, `{"skills":{"a":1}}`, "", "the skills of the MCP server a are not available: "},
		"no end":     {`{"tools":{},"extensions":{"io.modelcontextprotocol/skills":{}}}`, `{"skills":[],"nextCursor":"again"}`, "", ""},
	} {
		resources := map[string][]byte{}
		if tt.index != "" {
			resources[discovery.Address] = []byte(tt.index)
		}
		everyTransport(t, offering(tt.capabilities, resources, func(string) string { return tt.list }), func(t *testing.T, _ *scripted, c *Client, warnings []string) {
			got := strings.Join(warnings, "\n")
			if (got == "") != (tt.want == "") || !strings.HasPrefix(got, tt.want) || len(c.Skills()) > 0 || len(c.Servers()) != 1 {
				t.Errorf("%s: warnings %q, skills %v, servers %q", name, got, c.Skills(), c.Servers())
			}
		})
	}
}

// TestPrompts checks prompts of a server with their arguments, and what is said about those
// that it does not have.
func TestPrompts(t *testing.T) {
	everyTransport(t, func() *scripted {
		return newScripted(`"capabilities":{"tools":{},"prompts":{}}`, func(_ *scripted, method string, p json.RawMessage) string {
			switch method {
			case "tools/list":
				return `{"tools":[]}`
			case "prompts/list":
				return `{"prompts":[{"name":"review","arguments":[{"name":"file","required":true},{"name":"focus"}]},{"name":"plain"},{"name":"empty"},null]}`
			case "prompts/get":
				var params struct {
					Name      string
					Arguments map[string]string
				}
				json.Unmarshal(p, &params)
				if params.Name == "empty" {
					return `{"messages":[]}`
				}
				if params.Name == "plain" {
					return `{"messages":[{"role":"user","content":{"type":"text","text":"Hello\u001b[31m."}},{"role":"assistant","content":{"type":"text","text":"Yes?"}},{"role":"user","content":{"type":"image","data":"AA==","mimeType":"image/png"}}]}`
				}
				text, _ := json.Marshal(fmt.Sprintf("Review %s for %s.", params.Arguments["file"], params.Arguments["focus"]))
				return `{"messages":[{"role":"user","content":{"type":"text","text":` + string(text) + `}}]}`
			}
			return ""
		})
	}, func(t *testing.T, _ *scripted, c *Client, _ []string) {
		for text, want := range map[string]string{
			"/a:review main.go":                      "Review main.go for .",
			"/a:review main.go speed and safety":     "Review main.go for speed and safety.",
			"/a:review focus='a b' main.go and more": "Review main.go and more for a b.",
			"  /a:review \"my file.go\"":             "Review my file.go for .",
			"/a:plain then this":                     "user: Hello.\n\nassistant: Yes?\n\nuser: [image: image/png, 1 bytes, not shown]\n\nthen this",
			"/a:review":                              "error: the MCP server a: the prompt needs the argument file",
			"/a:review 'x":                           "error: the MCP server a: the quote ' has no end",
			"/a:reviw x":                             `error: the MCP server a: it has no prompt "reviw"`,
			"/a:empty":                               "error: the MCP server a: the prompt is empty",
			"/b:review x":                            "no prompt", "/a: x": "no prompt", "a:review x": "no prompt", "/review x": "no prompt",
		} {
			server, name, rest, ok := c.IsPrompt(text)
			got := "no prompt"
			if ok {
				var err error
				got, err = c.Prompt(t.Context(), server, name, rest)
				if err != nil {
					got = "error: " + err.Error()
				}
			}
			if !strings.HasPrefix(got, want) {
				t.Errorf("%s: got %q, want %q", text, got, want)
			}
		}
	})
}

// TestSkillsNewer checks a program that offers its skills by the newer handshake only.
func TestSkillsNewer(t *testing.T) {
	both := program(func(method string, _ json.RawMessage) string {
		switch method {
		case "initialize":
			return `{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"x","version":"1"}}`
		case "server/discover":
			return `{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{},"extensions":{"io.modelcontextprotocol/skills":{}}}}`
		case "tools/list":
			return `{"resultType":"complete","tools":[]}`
		case "skills/list":
			return `{"resultType":"complete","skills":[{"uri":"skill://one/SKILL.md","frontmatter":{"name":"one","description":"One."}}]}`
		}
		return "error"
	})
	c, warnings, _ := start(t, Options{}, both, serving("[]", nil))
	if all := c.Skills(); len(warnings) > 0 || len(all) != 1 || all[0].Name != "one" || !slices.Equal(c.Servers(), []string{"a", "b"}) {
		t.Errorf("skills %+v, servers %q, warnings %q", all, c.Servers(), warnings)
	}
}
