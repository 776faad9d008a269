package pack

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"skills/internal/discovery"
	"skills/internal/fault"
	"skills/internal/files"
	"skills/internal/jsonpos"
)

// CatalogFile is the name of an AI Catalog.
const CatalogFile = "ai-catalog.json"

// WriteCatalog writes the AI Catalog for an index that was written to file, and returns its
// path: next to the index, or next to the folder agent-skills that has it, as on a web
// server. address is that of the index's folder; without one, addresses are relative to the
// catalog. What else a catalog holds stays.
func WriteCatalog(ctx context.Context, index discovery.Index, file, address string) (string, error) {
	const again = "correct it, or delete it to write a new one"
	dir, base := filepath.Dir(file), address
	if filepath.Base(dir) == "agent-skills" {
		dir = filepath.Dir(dir)
		if base == "" {
			base = "agent-skills/"
		}
	}
	path := filepath.Join(dir, CatalogFile)
	var old []byte
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		var doc map[string]any
		old, err = files.Load(path, 4<<20, again, again)
		if err == nil {
			err = jsonpos.DecodeJSON(path, old, &doc, again)
		}
		if err != nil {
			return path, err
		}
	}
	doc, err := discovery.MergeCatalog(old, discovery.CatalogEntries(index, base), base)
	if err != nil {
		return path, &fault.Error{Path: path, Message: "is damaged: " + err.Error(), Hint: again, Err: err}
	}
	return path, files.SaveJSON(ctx, path, doc)
}
