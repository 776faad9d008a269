package run

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"
)

// TestFolderRecord checks that a record is kept for each folder, that what is unreadable
// is as none, and that only so many records are kept.
func TestFolderRecord(t *testing.T) {
	state := t.TempDir()
	in := func(dir string) Env { return Env{Dir: dir, Cache: state} }
	a, b := in(t.TempDir()), in(t.TempDir())
	want := folderRecord{Server: "https://example.org/v1", EnvLeft: true}
	if err := a.saveRecord(want); err != nil {
		t.Fatal(err)
	}
	if got, other := a.loadRecord(), b.loadRecord(); !reflect.DeepEqual(got, want) || !reflect.DeepEqual(other, folderRecord{}) {
		t.Errorf("got %+v, and %+v for another folder", got, other)
	}
	for _, text := range []string{"", "{", `{"server":1}`, `{"server":"` + strings.Repeat("x", maxRecord) + `"}`} {
		if err := os.WriteFile(a.recordPath(), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := a.loadRecord(); !reflect.DeepEqual(got, folderRecord{}) {
			t.Errorf("%.20q: got %+v", text, got)
		}
	}
	folder := filepath.Dir(a.recordPath())
	for i := range maxRecords + 5 {
		path := filepath.Join(folder, fmt.Sprint(i))
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, time.Time{}, time.Now().Add(-time.Hour)); err != nil {
			t.Fatal(err)
		}
	}
	if err := a.saveRecord(want); err != nil {
		t.Fatal(err)
	}
	if entries, err := os.ReadDir(folder); err != nil || len(entries) != maxRecords || !reflect.DeepEqual(a.loadRecord(), want) {
		t.Errorf("%d records, %v, %+v", len(entries), err, a.loadRecord())
	}
}

// TestRecordPath checks that no record is kept where a repository or a script can write.
func TestRecordPath(t *testing.T) {
	work, state := t.TempDir(), t.TempDir()
	for _, tt := range []struct {
		variable, cache string
		kept            bool
	}{
		{"", state, true}, {state, "", true}, {"relative", "", false}, {"", "", false},
		{work, "", false}, {filepath.Join(work, "sub"), state, false}, {"", filepath.Join(work, "cache"), false},
	} {
		env := Env{Dir: work, Cache: tt.cache, Environ: []string{"XDG_STATE_HOME=" + tt.variable}}
		if got := env.recordPath(); (got != "") != tt.kept {
			t.Errorf("%+v: got %q", tt, got)
		}
	}
}
