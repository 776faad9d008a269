// Package loader finds and reads skills from folders and Go code, and combines
// sources of skills.
//
// Loading for an agent is lenient: a usable skill is loaded with its findings
// as notices, and an unreadable skill does not affect others. The package
// prints and runs nothing.
package loader

import (
	"context"
	"encoding/json"
	"io/fs"
	"sync"
)

// Skill is a skill as used by an agent, from a folder, Go code or memory. The
// frontmatter is available immediately, the rest is read on first use.
type Skill struct {
	Name          string
	Description   string
	License       string
	Compatibility string
	AllowedTools  string
	Metadata      map[string]string // the frontmatter's, for [Filter]

	// Dir is the absolute path of the skill's folder and Location that of its
	// SKILL.md; both are "" for skills without files.
	Dir      string
	Location string
	// Origin describes where the skill comes from: a path as given, or "built
	// in".
	Origin string

	// Hidden means that only the user invokes the skill (field
	// disable-model-invocation), NotUser that only the model does
	// (user-invocable: false).
	Hidden, NotUser bool

	// Load reads the rest; after it succeeded, it is called again only after Forget.
	Load func(ctx context.Context) (Contents, error)
	// Scripted, if set, reports whether the skill has a script, without reading
	// more than necessary.
	Scripted func(ctx context.Context) (bool, error)

	cache      cache
	extensions Extensions
}

// cache holds the contents of a skill once they were read.
type cache struct {
	sync.Mutex
	contents *Contents
}

// Contents is the content of a skill besides its frontmatter.
type Contents struct {
	// Text is what the model gets: the complete SKILL.md.
	Text string
	// Instructions replaces Text for a skill without a file.
	Instructions string

	Resources []Resource // sorted by name
	Scripts   []Script   // sorted by name
}

// Contents returns the skill's contents, which the first call reads. Errors are
// not cached.
func (s *Skill) Contents(ctx context.Context) (Contents, error) {
	s.cache.Lock()
	defer s.cache.Unlock()
	if s.cache.contents == nil {
		c, err := s.Load(ctx)
		if err != nil {
			return Contents{}, err
		}
		s.cache.contents = &c
	}
	return *s.cache.contents, nil
}

// Files lists the files of the skill's folder, without those that are hidden.
func (s *Skill) Files(ctx context.Context, notify Notify) (Listing, error) {
	return List(ctx, s.Dir, Extensions{Hide: s.extensions.Hide}, notify)
}

// Forget makes the next call of Contents read the skill again, because files may
// have been added to its folder since.
func (s *Skill) Forget() {
	s.cache.Lock()
	defer s.cache.Unlock()
	s.cache.contents = nil
}

// Resource is content that a skill offers for reading.
type Resource struct {
	Name        string // relative slash path with extension, or any unique name
	Description string
	// Type is the kind of a file that is not text, such as image/png, and Size its
	// bytes; "" for text.
	Type string
	Size int64
	// Read returns up to limit bytes from offset, and the resource's size in
	// bytes.
	Read func(ctx context.Context, offset, limit int64) (data []byte, size int64, err error)
}

// Script is a file or function that a skill offers for running.
type Script struct {
	Name        string // relative slash path with extension, or any unique name
	Description string
	// Schema is the JSON Schema of the arguments. For a file it is an array of
	// strings, as in the Microsoft Agent Framework.
	Schema map[string]any
	// Takes is the schema of a file's arguments as JSON for a model, where the text of
	// the file says more than Schema; "" if it is not known.
	Takes string
	// Digest is the hexadecimal SHA-256 of a file when it was listed, and Folder
	// the skill's folder at that time, to detect later changes. They are empty
	// and nil if unknown, and for functions.
	Digest string
	Folder fs.FileInfo
	// Call runs a function; it is nil for files, which are run from Skill.Dir by
	// Name.
	Call func(ctx context.Context, arguments json.RawMessage) (string, error)
}
