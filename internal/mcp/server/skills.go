package server

// The methods of the skills extension: listing skills with the digests of their files, and
// reading these files as resources. Files are read when they are asked for, and a skill
// that exceeds a limit of the extension is an error instead of a part of it.

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"skills/internal/discovery"
	"skills/internal/loader"
	"skills/internal/printable"
	"skills/internal/spec/frontmatter"
)

// Limits of the extension for one skill, and how many skills a page has.
const (
	maxFiles = 512
	maxBytes = 16 << 20
	pageSize = 50
	scheme   = "skill://"
	mainFile = "SKILL.md"
)

type params struct {
	mcp.ParamsBase
	Cursor string `json:"cursor"`
	URI    string `json:"uri"`
}

type listResult struct {
	mcp.ResultBase
	mcp.Cacheable
	ResultType string  `json:"resultType"`
	Skills     []skill `json:"skills"`
	NextCursor string  `json:"nextCursor,omitempty"`
}

type getResult struct {
	mcp.ResultBase
	mcp.Cacheable
	ResultType string `json:"resultType"`
	Skill      skill  `json:"skill"`
}

// private is how results may be cached: by this client, and not without asking again.
var private = mcp.Cacheable{CacheScope: "private"}

type skill struct {
	URI         string          `json:"uri"`
	Frontmatter json.RawMessage `json:"frontmatter"`
	Resources   []file          `json:"resources"`
}

type file struct {
	URI    string `json:"uri"`
	Digest string `json:"digest"`
	Size   int    `json:"size"`
}

// library serves the files of skills.
type library struct{ source loader.Source }

// addTo adds the extension's methods.
func (l library) addTo(out *mcp.Server) error {
	return errors.Join(add(out, "skills/list", l.list), add(out, "skills/get", l.get))
}

// skills returns the skills there are now: clients stay connected while people edit.
func (l library) skills(ctx context.Context) ([]*loader.Skill, error) {
	if source, ok := l.source.(interface {
		Refresh(ctx context.Context) ([]*loader.Skill, error)
	}); ok {
		return source.Refresh(ctx)
	}
	return l.source.Skills(ctx)
}

// add adds a method, whose params a client may omit.
func add[R mcp.Result](out *mcp.Server, method string, f func(context.Context, params) (R, error)) error {
	return mcp.AddReceivingCustomMethod(out, method, func(ctx context.Context, _ *mcp.ServerSession, p *params) (R, error) {
		if p == nil {
			p = &params{}
		}
		return f(ctx, *p)
	})
}

func (l library) list(ctx context.Context, p params) (*listResult, error) {
	all, err := l.files(ctx)
	if err != nil {
		return nil, err
	}
	from, err := strconv.Atoi("0" + p.Cursor)
	if err != nil || from > len(all) {
		return nil, invalid("unknown cursor")
	}
	r := &listResult{Cacheable: private, ResultType: "complete", Skills: []skill{}}
	for _, one := range all[from:min(from+pageSize, len(all))] {
		if described, err := describe(ctx, one); err == nil { // skills/get returns the error
			r.Skills = append(r.Skills, described)
		}
	}
	if from+pageSize < len(all) {
		r.NextCursor = strconv.Itoa(from + pageSize)
	}
	return r, nil
}

func (l library) get(ctx context.Context, p params) (*getResult, error) {
	one, name, err := l.find(ctx, p.URI)
	if err != nil {
		return nil, err
	}
	if name != mainFile {
		return nil, invalid("%q is not the SKILL.md of a skill", p.URI)
	}
	described, err := describe(ctx, one)
	return &getResult{Cacheable: private, ResultType: "complete", Skill: described}, err
}

func invalid(format string, args ...any) error {
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: fmt.Sprintf(format, args...)}
}

// notFound is the error for an unknown URI, whose data clients compare.
func notFound(uri string) error {
	return &jsonrpc.Error{
		Code: jsonrpc.CodeInvalidParams, Message: fmt.Sprintf("unknown URI %q", printable.Truncate(uri, maxShown)),
		Data: json.RawMessage(printable.JSONText(map[string]string{"uri": uri})),
	}
}

// files returns the skills whose files are served.
func (l library) files(ctx context.Context) ([]*loader.Skill, error) {
	all, err := l.skills(ctx)
	return slices.DeleteFunc(slices.Clone(all), func(s *loader.Skill) bool { return !served(s) }), err
}

// find returns the skill and the file that a URI names.
func (l library) find(ctx context.Context, uri string) (*loader.Skill, string, error) {
	all, err := l.files(ctx)
	if err != nil {
		return nil, "", err
	}
	for _, one := range all {
		if !strings.HasPrefix(uri, address(one.Name, "")) {
			continue
		}
		names, err := listed(ctx, one)
		if err != nil {
			return nil, "", err
		}
		for _, name := range names {
			if uri == address(one.Name, name) {
				return one, name, nil
			}
		}
	}
	return nil, "", notFound(uri)
}

// address is the URI of a file.
func address(skill, name string) string {
	return scheme + url.PathEscape(skill) + "/" + (&url.URL{Path: name}).EscapedPath()
}

// listed returns the names of a skill's files, which are those that a run lists and the
// files of nested skills. A list that is not complete is an error.
func listed(ctx context.Context, s *loader.Skill) ([]string, error) {
	partial := ""
	list, err := s.Files(ctx, func(n loader.Notice) { partial = n.Message })
	names := slices.Concat(list.SkillFiles, list.Resources, list.Scripts)
	switch {
	case err != nil:
		return nil, err
	case len(names) > maxFiles:
		return nil, invalid("the skill %s has more than %d files", s.Name, maxFiles)
	case partial != "":
		return nil, invalid("the skill %s cannot be listed: %s", s.Name, partial)
	}
	slices.Sort(names)
	return names, nil
}

// describe returns a skill with the digests of its files.
func describe(ctx context.Context, s *loader.Skill) (out skill, err error) {
	out.URI = address(s.Name, mainFile)
	doc := loader.OpenDocument(loader.Found{Dir: s.Dir, File: mainFile})
	fields := frontmatter.Value{Kind: frontmatter.Mapping, Fields: doc.Fields}.Data().(map[string]any)
	// Clients compare the name with the URI, and the fields with those they parse.
	named := loader.Frontmatter{Name: s.Name, Description: s.Description}
	out.Frontmatter, err = json.Marshal(fields) // an error for infinity
	encoded := err == nil && len(doc.Faults) == 0
	if !encoded || fields["name"] != s.Name || named.Check() != nil {
		return out, invalid("the frontmatter of the skill %s does not have the form of the specification", s.Name)
	}
	names, err := listed(ctx, s)
	if err != nil {
		return out, err
	}
	total := 0
	for _, name := range names {
		data, size, err := whole(ctx, s.Dir, name)
		if err != nil {
			return out, err
		}
		total += int(size)
		if total > maxBytes {
			return out, invalid("the files of the skill %s are larger than %d MiB", s.Name, maxBytes>>20)
		}
		out.Resources = append(out.Resources, file{address(s.Name, name), discovery.Digest(data), len(data)})
	}
	return out, nil
}

// whole reads a file up to maxBytes, and returns its size.
func whole(ctx context.Context, dir, name string) (data []byte, size int64, err error) {
	for {
		piece, now, err := loader.ReadFile(ctx, dir, name, int64(len(data)), maxBytes-int64(len(data)))
		data, size = append(data, piece...), now
		complete := len(data) >= maxBytes || int64(len(data)) >= size
		if err != nil || len(piece) == 0 || complete {
			return data, size, err
		}
	}
}

// read returns the content of a file, of an archive or of the index.
func (l library) read(ctx context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
	uri := req.Params.URI
	var content *mcp.ResourceContents
	var err error
	switch {
	case uri == discovery.Address:
		content, err = l.readIndex(ctx)
	case strings.HasSuffix(uri, archiveEnd) && strings.Count(uri, "/") == strings.Count(scheme, "/"):
		content, err = l.readArchive(ctx, uri)
	default:
		content, err = l.readFile(ctx, uri)
	}
	switch {
	case err != nil:
		return nil, err
	case content == nil:
		return nil, notFound(uri)
	}
	return &mcp.ReadResourceResult{Cacheable: private, Contents: []*mcp.ResourceContents{content}}, nil
}

// readFile returns the content of a file.
func (l library) readFile(ctx context.Context, uri string) (*mcp.ResourceContents, error) {
	one, name, err := l.find(ctx, uri)
	if err != nil {
		return nil, err
	}
	data, size, err := whole(ctx, one.Dir, name)
	if err == nil && size > int64(len(data)) {
		err = fmt.Errorf("%s is larger than %d MiB", uri, maxBytes>>20)
	}
	if err != nil {
		return nil, err
	}
	content := &mcp.ResourceContents{URI: uri}
	switch kind := loader.BinaryType(data, false); {
	case kind == "":
		content.MIMEType, content.Text = cmp.Or(typeOf(name), "text/plain"), string(data)
	case strings.Contains(kind, "/"):
		content.MIMEType, content.Blob = kind, data
	default:
		content.MIMEType, content.Blob = "application/octet-stream", data
	}
	return content, nil
}
