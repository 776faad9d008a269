package server

// The index skill://index.json is for clients that know Agent Skills Discovery and not the
// extension. A skill that is only a few documents is an archive, because such clients list
// what is in one. Of any other they get the SKILL.md, and read files where they need them:
// they take nothing but documents from an archive, and skip a large one.

import (
	"context"
	"path"
	"slices"
	"strings"
	"unicode/utf16"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"skills/internal/discovery"
	"skills/internal/loader"
	"skills/internal/pack"
	"skills/internal/printable"
	"skills/internal/spec"
)

const archiveEnd = ".zip"

// documents are the endings of files that clients take from an archive, if they are at most
// so many folders deep.
var documents = [...]string{".md", ".txt", ".json", ".yaml", ".yml", ".csv", ".xml"}

const maxDepth = 1

// index returns the content of the index.
func (l library) index(ctx context.Context) ([]byte, error) {
	all, err := l.files(ctx)
	if err != nil {
		return nil, err
	}
	index := discovery.Index{Schema: discovery.Schema, Skills: []discovery.Entry{}}
	for _, one := range all {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		e := discovery.Entry{Name: one.Name, Type: discovery.SkillMD, Description: shortened(one.Description), URL: address(one.Name, mainFile)}
		if !discovery.ValidName(one.Name) || e.Description == "" {
			continue
		}
		archive, ok := l.archive(ctx, one)
		if ok {
			e.Type, e.URL, e.Digest = discovery.Archive, scheme+one.Name+archiveEnd, archive.Digest
		} else {
			data, size, err := whole(ctx, one.Dir, mainFile)
			if err != nil || size > int64(len(data)) {
				continue
			}
			e.Digest = discovery.Digest(data)
		}
		index.Skills = append(index.Skills, e)
	}
	slices.SortFunc(index.Skills, func(a, b discovery.Entry) int { return strings.Compare(a.Name, b.Name) })
	return printable.JSON(index)
}

// shortened returns a description of the length that clients take.
func shortened(text string) string {
	text = strings.TrimSpace(text)
	if len(utf16.Encode([]rune(text))) <= spec.MaxDescription {
		return text
	}
	return printable.Truncate(text, spec.MaxDescription/2) // of characters with two units
}

// archive returns the archive of a skill that clients use completely; ok is false for any
// other.
func (l library) archive(ctx context.Context, one *loader.Skill) (a pack.Archive, ok bool) {
	names, err := listed(ctx, one)
	if err != nil || len(names) < 2 || len(names) > discovery.MaxFiles {
		return a, false
	}
	for _, name := range names {
		document := slices.Contains(documents[:], strings.ToLower(path.Ext(name)))
		inner := name != mainFile && path.Base(name) == mainFile // of another skill
		if !document || inner || strings.Count(name, "/") > maxDepth {
			return a, false
		}
	}
	a, err = pack.Pack(one.Dir, one.Name, pack.Target{Root: true, Files: discovery.MaxFiles, Bytes: discovery.MaxBytes, Archive: discovery.MaxBytes})
	return a, err == nil && a.Files == len(names)
}

// readIndex returns the index as a resource.
func (l library) readIndex(ctx context.Context) (*mcp.ResourceContents, error) {
	data, err := l.index(ctx)
	return &mcp.ResourceContents{URI: discovery.Address, MIMEType: discovery.MIMEType, Text: string(data)}, err
}

// readArchive returns the archive of a skill as a resource; nil if the address is not that
// of an archive in the index.
func (l library) readArchive(ctx context.Context, uri string) (*mcp.ResourceContents, error) {
	all, err := l.files(ctx)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(all, func(one *loader.Skill) bool { return uri == scheme+one.Name+archiveEnd })
	if i < 0 {
		return nil, nil
	}
	a, ok := l.archive(ctx, all[i])
	if !ok {
		return nil, nil
	}
	return &mcp.ResourceContents{URI: uri, MIMEType: discovery.ZipType, Blob: a.Bytes}, nil
}
