// Package loader goes from folders and code to skills: it finds them, reads
// them and combines the places they come from.
//
// It is lenient where an agent loads (a skill that can be used is used, with
// its findings beside it; one unreadable skill never costs the others). It
// prints nothing and runs nothing.
package loader

import (
	"context"
	"encoding/json"
	"io/fs"
	"sync"
)

// Skill is a skill as an agent uses it, whatever its origin: a folder, Go
// code, or memory. The frontmatter is there at once, the rest is read on
// first use.
type Skill struct {
	Name          string
	Description   string
	License       string
	Compatibility string
	AllowedTools  string

	// Dir is the absolute path of the skill's folder and Location that of its
	// SKILL.md; both are "" for skills without files.
	Dir      string
	Location string
	// Origin says where the skill comes from, for people: a path as given, or
	// "built in".
	Origin string

	// Hidden says that only a person calls the skill (the field
	// disable-model-invocation), NotUser that only the model does
	// (user-invocable: false).
	Hidden, NotUser bool

	// Load reads the rest; called at most once with success.
	Load func(ctx context.Context) (Contents, error)
	// Scripted, where given, reports whether there is a script without reading
	// more than that takes.
	Scripted func(ctx context.Context) (bool, error)

	mu     sync.Mutex
	loaded *Contents
}

// Contents is what a skill holds besides its frontmatter.
type Contents struct {
	// Text is what the model is given: the SKILL.md as it is in the file.
	Text string
	// Instructions are those of a skill that has no file; Text is empty then.
	Instructions string

	Resources []Resource // sorted by name
	Scripts   []Script   // sorted by name
}

// Contents returns the skill's contents, reading them on the first call. A
// failure is not kept: the next call tries again.
func (s *Skill) Contents(ctx context.Context) (Contents, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.loaded == nil {
		c, err := s.Load(ctx)
		if err != nil {
			return Contents{}, err
		}
		s.loaded = &c
	}
	return *s.loaded, nil
}

// Resource is something a skill offers for reading.
type Resource struct {
	Name        string // relative path with slashes, extension included; or any unique name
	Description string
	// Read returns up to limit bytes from offset, and the resource's whole
	// size in bytes.
	Read func(ctx context.Context, offset, limit int64) (data []byte, size int64, err error)
}

// Script is something a skill offers for running: a file of its folder, or a
// function.
type Script struct {
	Name        string // relative path with slashes, extension included; or any unique name
	Description string
	// Schema is the JSON Schema of the arguments; a file's is an array of
	// strings, as the framework has it.
	Schema map[string]any
	// Digest is the SHA-256 of a file's content when it was listed, in
	// hexadecimal, and Folder the skill's folder then: what is run should still
	// be that. Empty and nil where they are not known, and for functions.
	Digest string
	Folder fs.FileInfo
	// Call runs a script that is a function; nil for files, which are run from
	// Skill.Dir under Name.
	Call func(ctx context.Context, arguments json.RawMessage) (string, error)
}
