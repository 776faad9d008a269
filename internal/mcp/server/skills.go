package server

import (
	"context"
	"crypto/sha256"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"skills/internal/loader"
	"skills/internal/spec"
)

// Limits of the extension for one skill, and how many skills a page has.
const (
	maxFiles = 512
	maxBytes = 16 << 20
	pageSize = 50
	scheme   = "skill://"
	mainFile = "SKILL.md"
)

type listParams struct {
	mcp.ParamsBase
	Cursor string `json:"cursor"`
}

type getParams struct {
	mcp.ParamsBase
	URI string `json:"uri"`
}

type listResult struct {
	mcp.ResultBase
	ResultType string  `json:"resultType"`
	Skills     []skill `json:"skills"`
	NextCursor string  `json:"nextCursor,omitempty"`
	TTL        int     `json:"ttlMs"`
	CacheScope string  `json:"cacheScope"`
}

type getResult struct {
	mcp.ResultBase
	ResultType string `json:"resultType"`
	Skill      skill  `json:"skill"`
	TTL        int    `json:"ttlMs"`
	CacheScope string `json:"cacheScope"`
}

type skill struct {
	URI         string          `json:"uri"`
	Frontmatter spec.Properties `json:"frontmatter"`
	Resources   any             `json:"resources"` // []file, or "dynamic" beyond the limits
}

type file struct {
	URI    string `json:"uri"`
	Digest string `json:"digest"`
	Size   int    `json:"size"`
}

// addSkills adds the extension's methods and the resources.
func (s *server) addSkills(out *mcp.Server) error {
	out.AddResourceTemplate(&mcp.ResourceTemplate{Name: "skill files", URITemplate: scheme + "{+path}", Description: "The files of the skills."}, s.read)
	err := mcp.AddReceivingCustomMethod(out, "skills/list", func(ctx context.Context, _ *mcp.ServerSession, p *listParams) (*listResult, error) {
		all, err := s.files(ctx)
		if err != nil {
			return nil, err
		}
		from, err := strconv.Atoi("0" + p.Cursor)
		if err != nil || from > len(all) {
			return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "unknown cursor"}
		}
		r := &listResult{ResultType: "complete", Skills: []skill{}, CacheScope: "private"}
		for _, one := range all[from:min(from+pageSize, len(all))] {
			if described, err := describe(ctx, one); err == nil { // one that cannot be read is left out
				r.Skills = append(r.Skills, described)
			}
		}
		if from+pageSize < len(all) {
			r.NextCursor = strconv.Itoa(from + pageSize)
		}
		return r, nil
	})
	if err != nil {
		return err
	}
	return mcp.AddReceivingCustomMethod(out, "skills/get", func(ctx context.Context, _ *mcp.ServerSession, p *getParams) (*getResult, error) {
		one, name, err := s.find(ctx, p.URI)
		if err != nil {
			return nil, err
		}
		if name != mainFile {
			return nil, unknown(p.URI)
		}
		described, err := describe(ctx, one)
		return &getResult{ResultType: "complete", Skill: described, CacheScope: "private"}, err
	})
}

func unknown(uri string) error {
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: fmt.Sprintf("unknown URI %q", uri)}
}

// files returns the skills that have a folder.
func (s *server) files(ctx context.Context) ([]*loader.Skill, error) {
	all, err := s.Source.Skills(ctx)
	return slices.DeleteFunc(slices.Clone(all), func(s *loader.Skill) bool { return s.Dir == "" || s.Hidden }), err
}

// find returns the skill and the file that a URI names.
func (s *server) find(ctx context.Context, uri string) (*loader.Skill, string, error) {
	all, err := s.files(ctx)
	if err != nil {
		return nil, "", err
	}
	for _, one := range all {
		names, err := listed(ctx, one)
		if !strings.HasPrefix(uri, address(one.Name, "")) || err != nil {
			continue
		}
		for _, name := range names {
			if uri == address(one.Name, name) {
				return one, name, nil
			}
		}
	}
	return nil, "", unknown(uri)
}

// address is the URI of a file.
func address(skill, name string) string {
	return scheme + url.PathEscape(skill) + "/" + (&url.URL{Path: name}).EscapedPath()
}

// listed returns the names of a skill's files.
func listed(ctx context.Context, s *loader.Skill) ([]string, error) {
	contents, err := s.Contents(ctx)
	names := []string{mainFile}
	for _, r := range contents.Resources {
		names = append(names, r.Name)
	}
	for _, x := range contents.Scripts {
		names = append(names, x.Name)
	}
	slices.Sort(names)
	return slices.Compact(names), err
}

// describe returns a skill with the digests of its files.
func describe(ctx context.Context, s *loader.Skill) (out skill, err error) {
	out.URI = address(s.Name, mainFile)
	doc := loader.OpenDocument(loader.Found{Dir: s.Dir, File: mainFile})
	if out.Frontmatter, err = spec.UsableProperties(doc); err != nil {
		return out, err
	}
	names, err := listed(ctx, s)
	if err != nil {
		return out, err
	}
	files, total := []file{}, 0
	for _, name := range names {
		data, size, err := whole(ctx, s.Dir, name)
		if err != nil {
			return out, err
		}
		if total += int(size); total > maxBytes || len(names) > maxFiles {
			out.Resources = "dynamic"
			return out, nil
		}
		files = append(files, file{address(s.Name, name), fmt.Sprintf("sha256:%x", sha256.Sum256(data)), len(data)})
	}
	out.Resources = files
	return out, nil
}

// whole reads a file up to maxBytes, and returns its size.
func whole(ctx context.Context, dir, name string) (data []byte, size int64, err error) {
	for {
		piece, now, err := loader.ReadFile(ctx, dir, name, int64(len(data)), maxBytes-int64(len(data)))
		data, size = append(data, piece...), now
		if err != nil || len(piece) == 0 || len(data) >= maxBytes || int64(len(data)) >= size {
			return data, size, err
		}
	}
}

// read returns the content of a file.
func (s *server) read(ctx context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
	one, name, err := s.find(ctx, req.Params.URI)
	if err != nil {
		return nil, err
	}
	data, size, err := whole(ctx, one.Dir, name)
	if err == nil && size > int64(len(data)) {
		err = fmt.Errorf("%s is larger than %d MiB", req.Params.URI, maxBytes>>20)
	}
	if err != nil {
		return nil, err
	}
	content := &mcp.ResourceContents{URI: req.Params.URI}
	if utf8.Valid(data) {
		content.Text = string(data)
	} else {
		content.Blob = data
	}
	return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{content}}, nil
}
