// Package discovery is the JSON of Agent Skills Discovery 0.2.0: the index under which web
// servers and MCP servers offer skills, and the check of what is downloaded.
package discovery

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"skills/internal/lazyregexp"
)

// Schema is the address of the schema, which an index names.
const Schema = "https://schemas.agentskills.io/discovery/0.2.0/schema.json"

// The types of entries.
const (
	SkillMD = "skill-md" // the URL is that of the SKILL.md
	Archive = "archive"  // the URL is that of a zip archive of the skill
)

// What an MCP server has for an index.
const (
	Address  = "skill://index.json" // of the index
	MIMEType = "application/json"   // of the index
	ZipType  = "application/zip"    // of an archive
)

// Limits of clients for an archive: its files, its bytes, and the bytes of all its files.
const (
	MaxFiles = 20
	MaxBytes = 1 << 20
)

// Limits of an index that is read.
const (
	maxIndex   = 4 << 20 // bytes
	maxEntries = 1000
)

// Index is an index of skills.
type Index struct {
	Schema string  `json:"$schema"`
	Skills []Entry `json:"skills"` // sorted by name if it was written here
}

// Entry is a skill in an index.
type Entry struct {
	Name        string `json:"name"`
	Type        string `json:"type"` // SkillMD or Archive
	Description string `json:"description"`
	URL         string `json:"url"`              // may be relative to the index
	Digest      string `json:"digest,omitempty"` // of the file at the URL
}

var name = lazyregexp.New(`^[a-z0-9]+(?:-[a-z0-9]+)*$`)

// ValidName reports whether an index can have a skill of this name.
func ValidName(s string) bool { return name().MatchString(s) }

// Digest returns the digest of a file.
func Digest(content []byte) string { return fmt.Sprintf("sha256:%x", sha256.Sum256(content)) }

// Verify compares a file with the digest of an entry. Entries without a digest match
// every file.
func (e Entry) Verify(content []byte) error {
	switch {
	case e.Digest == "":
		return nil
	case !strings.HasPrefix(e.Digest, "sha256:"):
		return fmt.Errorf("the digest in the index is not a SHA-256 digest")
	case e.Digest != Digest(content):
		return errors.New("the content does not have the digest in the index")
	}
	return nil
}

// Parse reads an index. An entry that cannot be read, has an unknown type, or lacks a field
// is left out; skipped says how many. Entries of names that came before are left out too.
// The order is that of the index.
func Parse(content []byte) (index Index, skipped int, err error) {
	if len(content) > maxIndex {
		return index, 0, fmt.Errorf("the index is larger than %d MiB", maxIndex>>20)
	}
	var raw struct {
		Schema string            `json:"$schema"`
		Skills []json.RawMessage `json:"skills"`
	}
	err = json.Unmarshal(content, &raw)
	if err != nil {
		return index, 0, fmt.Errorf("the index is not valid: %w", err)
	}
	index.Schema, index.Skills = raw.Schema, []Entry{}
	seen := map[string]bool{}
	for _, one := range raw.Skills {
		var e Entry
		err := json.Unmarshal(one, &e)
		known := e.Type == SkillMD || e.Type == Archive
		complete := ValidName(e.Name) && e.Description != "" && e.URL != ""
		usable := err == nil && known && complete
		if !usable || seen[e.Name] || len(index.Skills) == maxEntries {
			skipped++
			continue
		}
		seen[e.Name] = true
		index.Skills = append(index.Skills, e)
	}
	return index, skipped, nil
}
