package eval

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"skills/internal/loader"
	"skills/internal/safefile"
	"skills/internal/script/sandbox"
)

const maxFile = 64 << 20 // bytes of a file of a skill, an input or an output

// answerKeys lists what a skill's folder has at its top that no run may read: the eval
// files, and the history that contains them.
var answerKeys = []string{"evals", "eval_set.json", "trigger_evals.json", ".git"}

// tree is the files of a skill that runs may read. They are kept in memory, so that a run
// has them in its own folder only, and that all runs have the same.
type tree struct {
	name  string // of the folder
	files []treeFile
}

type treeFile struct {
	name string // slash-separated
	mode fs.FileMode
	data []byte
}

// readTree reads the skill in a folder. Links count if they lead to a file that counts.
func readTree(dir string) (t tree, err error) {
	t.name = filepath.Base(dir)
	listed, gaps := loader.AllFiles(dir)
	if len(gaps) > 0 {
		return t, fmt.Errorf("%s cannot be read completely: %s %s", dir, gaps[0].Name, gaps[0].Reason)
	}
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return t, err
	}
	root, err := safefile.OpenFolder(real)
	if err != nil {
		return t, err
	}
	defer root.Close()
	for _, f := range listed {
		path, err := filepath.EvalSymlinks(filepath.Join(real, filepath.FromSlash(f.Name)))
		hidden := err != nil || slices.ContainsFunc(answerKeys, func(key string) bool { return sandbox.Within(path, filepath.Join(real, key)) })
		info, err := root.Stat(filepath.FromSlash(f.Name))
		if hidden || err != nil || !info.Mode().IsRegular() {
			continue
		}
		var data bytes.Buffer
		if err := safefile.Copy(&data, root, f.Name, maxFile); err != nil {
			return t, fmt.Errorf("%s: %w", filepath.Join(dir, f.Name), err)
		}
		t.files = append(t.files, treeFile{f.Name, info.Mode().Perm(), data.Bytes()})
	}
	return t, nil
}

// untar reads a skill from an archive, as readTree reads a folder.
func untar(name string, archive []byte) (tree, error) {
	t, files := tree{name: name}, tar.NewReader(bytes.NewReader(archive))
	for {
		h, err := files.Next()
		if errors.Is(err, io.EOF) {
			return t, nil
		}
		first, _, _ := strings.Cut(filepath.ToSlash(h.Name), "/")
		if err == nil && h.Typeflag == tar.TypeReg && filepath.IsLocal(h.Name) && !slices.Contains(answerKeys, first) {
			var data []byte
			data, err = io.ReadAll(files)
			t.files = append(t.files, treeFile{h.Name, h.FileInfo().Mode().Perm(), data})
		}
		if err != nil {
			return t, err
		}
	}
}

// write writes the files below the folder dir.
func (t tree) write(dir string) error {
	for _, f := range t.files {
		if err := writeFile(filepath.Join(dir, t.name, filepath.FromSlash(f.name)), f.data, f.mode&0o111); err != nil {
			return err
		}
	}
	return nil
}

// writeFile writes a file with its folders and execution bits.
func writeFile(path string, data []byte, bits fs.FileMode) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, data, 0o644|bits)
}

// digest returns a digest of the files.
func (t tree) digest() string {
	sum := sha256.New()
	for _, f := range t.files {
		fmt.Fprintf(sum, "%q %t %x\n", f.name, f.mode&0o111 != 0, sha256.Sum256(f.data))
	}
	return fmt.Sprintf("%x", sum.Sum(nil))
}

// text returns the files one after another.
func (t tree) text() string {
	var b strings.Builder
	for _, f := range t.files {
		b.Write(append(f.data, '\n'))
	}
	return b.String()
}
