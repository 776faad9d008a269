package client

// A server can offer skills, in two dialects: by the methods of an extension, which lists the
// files of each skill with their digests, or by an index among its resources. The text of a
// skill and its files are read when they are used. Nothing of a server's skill is run.

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"skills/internal/discovery"
	"skills/internal/printable"
)

const (
	skillsExtension = "io.modelcontextprotocol/skills"
	skillFile       = "SKILL.md"
	maxSkills       = 100  // of a server
	maxAbout        = 1024 // characters of a skill's description
	maxSkillName    = 64
)

// Limits of the files of a skill by the extension. Those of the index are in its package.
const (
	maxSkillFiles = 512
	maxSkillBytes = 16 << 20
)

// Skill is a skill of a server.
type Skill struct {
	Server, Name, Description string
	Hidden, NotUser           bool // only the user invokes it, or only the model does
	// Load returns the text of the SKILL.md, and the other files.
	Load func(ctx context.Context) (text string, files []SkillFile, err error)
}

// SkillFile is a file of a skill.
type SkillFile struct {
	Name string // relative slash path
	Size int64
	Read func(ctx context.Context) ([]byte, error)
}

// library is what a connection has about skills.
type library struct{ *connection }

// Skills returns the skills of all servers, as they were when the servers were started.
func (c *Client) Skills() (all []Skill) {
	for s := range c.live {
		all = append(all, s.skills...)
	}
	return all
}

// findSkills lists the skills. That there are none is no error.
func (c library) findSkills(ctx context.Context) {
	caps := c.capabilities()
	_, extends := caps.Extensions[skillsExtension]
	if !extends && caps.Resources == nil {
		return
	}
	err := c.within(ctx, func(ctx context.Context) error {
		if extends {
			return c.listSkills(ctx)
		}
		return c.readIndex(ctx)
	})
	if err != nil {
		c.skills = nil
		c.warnings = append(c.warnings, fmt.Sprintf("the skills of the MCP server %s are not available: %v", c.Name, err))
	}
}

// addSkill adds a skill with a usable name and description. full reports whether there can be
// no more.
func (c library) addSkill(s Skill) (full bool) {
	s.Server, s.Description = c.Name, strings.TrimSpace(stripped(s.Description))
	fits := discovery.ValidName(s.Name) && len(s.Name) <= maxSkillName && s.Description != "" && utf8.RuneCountInString(s.Description) <= maxAbout
	switch {
	case !fits:
		c.warnings = append(c.warnings, fmt.Sprintf("the skill %s of the MCP server %s is not used: its name or description does not have the form of the specification", printable.Quote(oneLine(s.Name)), c.Name))
		return false
	case slices.ContainsFunc(c.skills, func(o Skill) bool { return o.Name == s.Name }):
		return false
	case len(c.skills) == maxSkills:
		c.warnings = append(c.warnings, fmt.Sprintf("the MCP server %s has more than %d skills; the rest is not used", c.Name, maxSkills))
		return true
	}
	c.skills = append(c.skills, s)
	return false
}

type skillsParams struct {
	mcp.ParamsBase
	Cursor string `json:"cursor,omitempty"`
}

type skillsResult struct {
	mcp.ResultBase
	Skills     []listedSkill `json:"skills"`
	NextCursor string        `json:"nextCursor"`
}

// listedSkill is a skill as the extension lists it.
type listedSkill struct {
	URI         string         `json:"uri"`
	Frontmatter map[string]any `json:"frontmatter"`
	Resources   []listedFile   `json:"resources"`
}

type listedFile struct {
	URI    string `json:"uri"`
	Digest string `json:"digest"`
	Size   int64  `json:"size"`
}

// listSkills lists the skills by the extension.
func (c library) listSkills(ctx context.Context) error {
	p := &skillsParams{}
	for range maxSkills { // a page may be empty
		page, err := mcp.CallCustomMethod[*skillsParams, *skillsResult](ctx, c.session, "skills/list", p)
		if err != nil {
			return err
		}
		for _, one := range page.Skills {
			name, _ := one.Frontmatter["name"].(string)
			description, _ := one.Frontmatter["description"].(string)
			full := c.addSkill(Skill{
				Name: name, Description: description,
				Hidden: one.Frontmatter["disable-model-invocation"] == true, NotUser: one.Frontmatter["user-invocable"] == false,
				Load: func(ctx context.Context) (string, []SkillFile, error) { return c.loadListed(ctx, one) },
			})
			if full {
				return nil
			}
		}
		if page.NextCursor == "" || page.NextCursor == p.Cursor {
			return nil
		}
		p.Cursor = page.NextCursor
	}
	return nil
}

// loadListed reads the SKILL.md of a skill and names its other files.
func (c library) loadListed(ctx context.Context, s listedSkill) (text string, files []SkillFile, err error) {
	base, ok := strings.CutSuffix(s.URI, skillFile)
	if !ok {
		return "", nil, fmt.Errorf("the MCP server %s names no SKILL.md for it", c.Name)
	}
	if len(s.Resources) > maxSkillFiles {
		return "", nil, fmt.Errorf("the MCP server %s lists more than %d files of it", c.Name, maxSkillFiles)
	}
	var total int64
	main := listedFile{URI: s.URI}
	for _, one := range s.Resources {
		escaped, below := strings.CutPrefix(one.URI, base)
		name, err := url.PathUnescape(escaped)
		total += max(one.Size, 0)
		switch {
		case !below || err != nil || !fs.ValidPath(name):
			return "", nil, fmt.Errorf("the MCP server %s lists a file outside of it: %s", c.Name, oneLine(one.URI))
		case total > maxSkillBytes:
			return "", nil, fmt.Errorf("the MCP server %s says that its files are larger than %d MiB", c.Name, maxSkillBytes>>20)
		case name == skillFile:
			main = one
			continue
		}
		files = append(files, SkillFile{Name: name, Size: one.Size, Read: func(ctx context.Context) ([]byte, error) { return c.fetch(ctx, one.URI, one.Digest) }})
	}
	data, err := c.fetch(ctx, main.URI, main.Digest)
	return string(data), files, err
}

// fetch reads a resource that must have a digest, "" for any.
func (c library) fetch(ctx context.Context, uri, digest string) (data []byte, err error) {
	err = c.within(ctx, func(ctx context.Context) error {
		got, err := c.session.ReadResource(ctx, &mcp.ReadResourceParams{URI: uri})
		if err != nil {
			return err
		}
		for _, one := range got.Contents {
			if one == nil {
				continue
			}
			data = one.Blob
			if len(data) == 0 {
				data = []byte(one.Text)
			}
			return discovery.Entry{Digest: digest}.Verify(data)
		}
		return errors.New("it sent no content")
	})
	if err != nil {
		return nil, fmt.Errorf("reading %s from the MCP server %s: %w", oneLine(uri), c.Name, err)
	}
	return data, nil
}

// readIndex reads the index of skills, which most servers do not have.
func (c library) readIndex(ctx context.Context) error {
	got, err := c.session.ReadResource(ctx, &mcp.ReadResourceParams{URI: discovery.Address})
	if refused := (*jsonrpc.Error)(nil); errors.As(err, &refused) {
		return nil
	}
	if err != nil || len(got.Contents) == 0 || got.Contents[0] == nil {
		return err
	}
	content := []byte(got.Contents[0].Text)
	if len(content) == 0 {
		content = got.Contents[0].Blob
	}
	index, skipped, err := discovery.Parse(content)
	if err != nil {
		return err
	}
	if skipped > 0 {
		c.warnings = append(c.warnings, fmt.Sprintf("the MCP server %s has %s that cannot be used in its index", c.Name, printable.Plural(skipped, "skill")))
	}
	for _, e := range index.Skills {
		if !strings.Contains(e.URL, "://") {
			e.URL = "skill://" + strings.TrimPrefix(e.URL, "/")
		}
		load := func(ctx context.Context) (string, []SkillFile, error) { return c.loadMain(ctx, e) }
		if e.Type == discovery.Archive {
			load = func(ctx context.Context) (string, []SkillFile, error) { return c.loadArchive(ctx, e) }
		}
		if c.addSkill(Skill{Name: e.Name, Description: e.Description, Load: load}) {
			return nil
		}
	}
	return nil
}

// loadMain reads the SKILL.md of an entry of the index, and finds its other files among the
// resources.
func (c library) loadMain(ctx context.Context, e discovery.Entry) (string, []SkillFile, error) {
	data, err := c.fetch(ctx, e.URL, e.Digest)
	if err == nil && len(data) > discovery.MaxBytes {
		err = fmt.Errorf("the SKILL.md of the MCP server %s is larger than %d MiB", c.Name, discovery.MaxBytes>>20)
	}
	if err != nil {
		return "", nil, err
	}
	base, found := strings.CutSuffix(e.URL, skillFile)
	if !found {
		return string(data), nil, nil
	}
	var files []SkillFile
	err = c.within(ctx, func(ctx context.Context) error {
		seen := 0
		for r, err := range c.session.Resources(ctx, nil) {
			seen++
			if err != nil || seen > maxResources*10 {
				return nil // they are optional
			}
			if r == nil {
				continue
			}
			name, below := strings.CutPrefix(r.URI, base)
			isFile := below && name != skillFile && fs.ValidPath(name)
			if !isFile || len(files) == discovery.MaxFiles {
				continue
			}
			files = append(files, SkillFile{Name: name, Size: r.Size, Read: func(ctx context.Context) ([]byte, error) {
				data, err := c.fetch(ctx, r.URI, "")
				if err == nil && len(data) > discovery.MaxBytes {
					err = fmt.Errorf("%s of the MCP server %s is larger than %d MiB", oneLine(r.URI), c.Name, discovery.MaxBytes>>20)
				}
				return data, err
			}})
		}
		return nil
	})
	return string(data), files, err
}

// loadArchive reads an archive of the index.
func (c library) loadArchive(ctx context.Context, e discovery.Entry) (string, []SkillFile, error) {
	data, err := c.fetch(ctx, e.URL, e.Digest)
	if err != nil {
		return "", nil, err
	}
	contents, err := unpack(data)
	if err != nil {
		return "", nil, fmt.Errorf("the archive %s of the MCP server %s: %w", oneLine(e.URL), c.Name, err)
	}
	main := contents[skillFile]
	delete(contents, skillFile)
	var files []SkillFile
	for name, content := range contents {
		files = append(files, SkillFile{Name: name, Size: int64(len(content)), Read: func(context.Context) ([]byte, error) { return content, nil }})
	}
	return string(main), files, nil
}

// unpack returns the files of a zip archive by name, in memory. A folder around all of them
// is left out.
func unpack(data []byte) (map[string][]byte, error) {
	if len(data) > discovery.MaxBytes {
		return nil, fmt.Errorf("it is larger than %d MiB", discovery.MaxBytes>>20)
	}
	archive, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, errors.New("it is not a zip archive")
	}
	files, left := map[string][]byte{}, int64(discovery.MaxBytes)
	for _, f := range archive.File {
		switch {
		case f.FileInfo().IsDir():
			continue
		case !f.Mode().IsRegular() || !fs.ValidPath(f.Name) || strings.Contains(f.Name, `\`):
			return nil, fmt.Errorf("%s is not a file in the skill's folder", printable.Quote(oneLine(f.Name)))
		case len(files) == discovery.MaxFiles:
			return nil, fmt.Errorf("it has more than %d files", discovery.MaxFiles)
		}
		content, err := f.Open()
		if err != nil {
			return nil, fmt.Errorf("%s cannot be read", printable.Quote(oneLine(f.Name)))
		}
		text, err := io.ReadAll(io.LimitReader(content, left+1))
		content.Close()
		left -= int64(len(text))
		switch {
		case left < 0:
			return nil, fmt.Errorf("its files are larger than %d MiB", discovery.MaxBytes>>20)
		case err != nil:
			return nil, fmt.Errorf("%s cannot be read", printable.Quote(oneLine(f.Name)))
		}
		files[f.Name] = text
	}
	if _, ok := files[skillFile]; ok {
		return files, nil
	}
	inner := map[string][]byte{}
	for name, text := range files {
		_, rest, _ := strings.Cut(path.Clean(name), "/")
		inner[rest] = text
	}
	if _, ok := inner[skillFile]; !ok || len(inner) != len(files) {
		return nil, errors.New("it has no SKILL.md")
	}
	return inner, nil
}
