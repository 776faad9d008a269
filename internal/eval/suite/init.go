package suite

import (
	"context"
	"embed"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"skills/internal/loader"
	"skills/internal/safefile"
)

//go:embed templates
var templates embed.FS

// Templates returns the first eval files of a skill by path: two cases and a trigger list.
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
	root, err := safefile.OpenFolder(dir)
	if err != nil {
		return nil, fmt.Errorf("opening %s: %w", dir, safefile.Reason(err))
	}
	defer root.Close()
	files := Templates(skill.Name)
	for name := range files {
		if _, err := root.Lstat(filepath.FromSlash(name)); err == nil {
			return nil, fmt.Errorf("%s: %w", name, fs.ErrExist)
		}
	}
	err = root.MkdirAll("evals", 0o755)
	for name, text := range files {
		if err == nil {
			err = root.WriteFile(filepath.FromSlash(name), []byte(text), 0o644)
			wrote = append(wrote, name)
		}
	}
	return wrote, err
}
