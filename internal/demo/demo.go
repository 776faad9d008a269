// Package demo holds what `skills run --demo` needs on a machine that has
// nothing: a skill and a recorded conversation about it. The skill is really
// loaded and its script really run; only the model's turns are played back.
package demo

import (
	"embed"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Prompt is what the recorded conversation begins with.
const Prompt = "How many pounds is one kilogram?"

// Conversation is the recording, as `skills run --record` writes it.
//
//go:embed conversation.jsonl
var Conversation string

//go:embed unit-converter
var files embed.FS

// Unpack writes the skill into a fresh temporary folder, which holds nothing
// else, and returns that folder and a function that removes it.
func Unpack() (dir string, remove func() error, err error) {
	dir, err = os.MkdirTemp("", "skills-demo-")
	if err != nil {
		return "", nil, fmt.Errorf("making a folder for the demo: %w", err)
	}
	remove = func() error { return os.RemoveAll(dir) }
	err = fs.WalkDir(files, ".", func(path string, d fs.DirEntry, err error) error {
		to := filepath.Join(dir, filepath.FromSlash(path))
		if err != nil || d.IsDir() {
			return firstError(err, os.MkdirAll(to, 0o755))
		}
		data, err := files.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(to, data, 0o644)
	})
	if err != nil {
		return "", nil, firstError(fmt.Errorf("unpacking the demo: %w", err), remove())
	}
	return dir, remove, nil
}

func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
