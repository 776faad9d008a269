package loader

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"syscall"
	"testing"
)

// TestReadSmallDir holds the quick way to list a folder against that of os, and
// that it leaves what is not plain to the other.
func TestReadSmallDir(t *testing.T) {
	root := tree{"plain/a": "x", "plain/.b/": "", "plain/link": "-> a", "plain/\xff\n": "x", "empty/": "", "odd/a": "x", "file": "x"}.in(t)
	ok(t, syscall.Mkfifo(filepath.Join(root, "odd", "pipe"), 0o600))
	ok(t, os.Mkdir(filepath.Join(root, "large"), 0o755))
	for i := range 3000 {
		ok(t, os.WriteFile(filepath.Join(root, "large", fmt.Sprintf("file-%d", i)), nil, 0o644))
	}
	type described struct {
		name string
		mode fs.FileMode
		size int64
	}
	describe := func(entries []fs.DirEntry) (all []described) {
		for _, e := range entries {
			info, err := e.Info()
			ok(t, err)
			if e.IsDir() != info.IsDir() || e.Type() != info.Mode().Type() {
				t.Errorf("%s: listed as %v, is %v", e.Name(), e.Type(), info.Mode())
			}
			all = append(all, described{e.Name(), info.Mode(), info.Size()})
		}
		return all
	}
	for name, quick := range map[string]bool{"plain": true, "empty": true, "odd": false, "large": false, "file": false, "none": false} {
		dir := filepath.Join(root, name)
		if _, ok := readSmallDir(dir); ok != quick {
			t.Errorf("%s: listed quickly: %t, want %t", name, ok, quick)
		}
		want, wantErr := readAnyDir(dir)
		got, err := readDir(dir)
		if !reflect.DeepEqual(describe(got), describe(want)) || fmt.Sprint(err) != fmt.Sprint(wantErr) {
			t.Errorf("%s: got %v, %v, want %v, %v", name, got, err, want, wantErr)
		}
	}
}
