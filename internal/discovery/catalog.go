package discovery

import (
	"cmp"
	"encoding/json"
	"net/url"
	"path"
	"slices"
	"strings"
)

// CatalogVersion is the version of the AI Catalog specification.
const CatalogVersion = "1.0"

// The media types of skills in an AI Catalog.
const (
	skillMDType  = "application/agent-skills+md"
	skillZipType = "application/agent-skills+zip"
)

// CatalogEntry is a skill in an AI Catalog, the list of everything that a web site offers to
// agents.
type CatalogEntry struct {
	Identifier  string `json:"identifier"`
	DisplayName string `json:"displayName"`
	Description string `json:"description,omitempty"`
	Type        string `json:"type"`
	MediaType   string `json:"mediaType"` // the name of Type in drafts before May 2026
	URL         string `json:"url"`
}

// CatalogEntries returns the entries for the skills of an index. Addresses begin with base,
// that of the index's folder, which also names the publisher unless it is relative.
func CatalogEntries(index Index, base string) []CatalogEntry {
	publisher := "localhost"
	if u, err := url.Parse(base); err == nil {
		publisher = cmp.Or(u.Hostname(), publisher)
	}
	if base != "" && !strings.HasSuffix(base, "/") {
		base += "/"
	}
	out := []CatalogEntry{}
	for _, e := range index.Skills {
		kind := skillZipType
		if e.Type == SkillMD {
			kind = skillMDType
		}
		out = append(out, CatalogEntry{
			Identifier:  "urn:air:" + publisher + ":skill:" + e.Name,
			DisplayName: e.Name,
			Description: e.Description,
			Type:        kind,
			MediaType:   kind,
			URL:         base + e.URL,
		})
	}
	return out
}

// MergeCatalog returns the catalog old, which may be empty, with the given entries: other
// fields and entries stay, except for skills at the addresses of the same folder.
func MergeCatalog(old []byte, entries []CatalogEntry, base string) (map[string]any, error) {
	doc := map[string]any{"specVersion": CatalogVersion}
	if len(old) > 0 {
		if err := json.Unmarshal(old, &doc); err != nil {
			return nil, err
		}
	}
	list, _ := doc["entries"].([]any)
	list = slices.DeleteFunc(list, func(v any) bool {
		e, _ := v.(map[string]any)
		id, _ := e["identifier"].(string)
		address, _ := e["url"].(string)
		kind, _ := e["type"].(string)
		ours := strings.HasPrefix(kind, "application/agent-skills+") && inFolder(address, base)
		return ours || slices.ContainsFunc(entries, func(x CatalogEntry) bool { return x.Identifier == id })
	})
	for _, e := range entries {
		list = append(list, e)
	}
	doc["entries"] = list
	return doc, nil
}

// inFolder reports whether an address is one that [CatalogEntries] makes with a base.
func inFolder(address, base string) bool {
	rest, ok := strings.CutPrefix(address, strings.TrimSuffix(base, "/"))
	rest = strings.TrimPrefix(rest, "/")
	return ok && (path.Base(rest) == "SKILL.md" && strings.Count(rest, "/") == 1 || path.Ext(rest) == ".zip" && !strings.Contains(rest, "/"))
}
