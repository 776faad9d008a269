package suite

import (
	"context"
	"embed"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"skills/internal/loader"
)

//go:embed templates
var templates embed.FS

// Templates returns the first eval files of a skill by path: six cases, the fewest with a
// verdict, and a trigger list.
func Templates(skill string) map[string]string {
	files := map[string]string{}
	for _, name := range []string{"evals.json", "triggers.json"} {
		text, _ := templates.ReadFile("templates/" + name) // embedded, so it exists
		files["evals/"+name] = strings.ReplaceAll(string(text), "NAME", skill)
	}
	return files
}

// Init writes the Templates of the skill in the folder dir and returns their paths below
// it. If one of them exists, the error is fs.ErrExist and nothing is written.
func Init(ctx context.Context, dir string) (wrote []string, err error) {
	skill, err := loader.PropertiesAt(ctx, dir)
	if err != nil {
		return nil, err
	}
	files := Templates(skill.Name)
	wrote = slices.Sorted(maps.Keys(files))
	for _, name := range wrote {
		if _, err := os.Lstat(filepath.Join(dir, name)); err == nil {
			return nil, fmt.Errorf("%s: %w", name, fs.ErrExist)
		}
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	if err := root.MkdirAll("evals", 0o755); err != nil {
		return wrote, err
	}
	for _, name := range wrote {
		if err := root.WriteFile(name, []byte(files[name]), 0o644); err != nil {
			return wrote, err
		}
	}
	return wrote, nil
}
