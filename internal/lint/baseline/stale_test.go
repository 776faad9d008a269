package baseline

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"skills/internal/fault"
	"skills/internal/report"
	"skills/internal/spec"
)

// TestApplyDigest checks that a key is identified by itself, not by its line or message.
func TestApplyDigest(t *testing.T) {
	t.Chdir(t.TempDir())
	with := func(text, digest string) report.Skill {
		s := skill("a", text, "1 secret a key of 20 characters")
		s.Diagnostics[0].Digest = digest
		return s
	}
	b := of("baseline.json", with("x = KEY1", "d1"))
	if fresh, _, gone := apply(t, b, spec.Options{}, with("export X=KEY1", "d1")); len(fresh)+len(gone) > 0 {
		t.Errorf("the same key in another line: new %q, gone %q, want neither", fresh, gone)
	}
	if fresh, _, _ := apply(t, b, spec.Options{}, with("x = KEY1", "d2")); len(fresh) != 1 {
		t.Errorf("another key: new %q, want one", fresh)
	}
}

// TestApplyDeletedSkill checks that the entries of a deleted skill are removed from the
// baseline.
func TestApplyDeletedSkill(t *testing.T) {
	t.Chdir(t.TempDir())
	b := of("baseline.json", skill("a", "x", "1 name-lowercase m"), skill("b", "x", "1 name-lowercase m"))
	if err := os.MkdirAll("b", 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join("b", "SKILL.md"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	_, _, gone := apply(t, b, spec.Options{})
	if want := []string{"a/SKILL.md name-lowercase 1"}; !slices.Equal(gone, want) {
		t.Errorf("got %q, want %q", gone, want)
	}
}

func TestNotice(t *testing.T) {
	entry := func(count int) Entry {
		return Entry{Path: "a/SKILL.md", Rule: "link-target", Message: "m", Count: count}
	}
	const hint = "; update it with --write-baseline"
	for _, tt := range []struct {
		gone []Entry
		want []string
	}{
		{nil, nil},
		{[]Entry{entry(1)}, []string{"1 finding of the baseline no longer found" + hint, "a/SKILL.md: m [link-target]"}},
		{[]Entry{entry(1), entry(2)}, []string{"3 findings of the baseline no longer found" + hint, "a/SKILL.md: m [link-target]", "a/SKILL.md: m [link-target] (2 times)"}},
	} {
		if got := notice(tt.gone); !slices.Equal(got, tt.want) {
			t.Errorf("got %q, want %q", got, tt.want)
		}
	}
	many := notice(slices.Repeat([]Entry{entry(2)}, 30))
	if len(many) != 22 || many[21] != "… and 20 more" {
		t.Errorf("got %d lines, the last %q", len(many), many[len(many)-1])
	}
}

func TestKeep(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, name := range []string{"a", "b"} {
		if err := os.MkdirAll(name, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(name, "SKILL.md"), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	old := of("baseline.json", skill("a", "x", "1 name-lowercase old"), skill("b", "x", "1 name-lowercase kept"), skill("deleted", "x", "1 name-lowercase m"))
	now := skill("a", "x", "1 name-lowercase new")
	b := of("baseline.json", now)
	b.Keep(old)
	var got []string
	for _, e := range b.Entries {
		got = append(got, e.Path+" "+e.Message)
	}
	if want := []string{"a/SKILL.md new", "b/SKILL.md kept"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// FuzzParse verifies that everything that can be read can be written and read again
// unchanged.
func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"version":1,"findings":[{"path":"a","rule":"r","message":"m","fingerprint":"00","count":2},{"path":"a","rule":"r","message":"m","fingerprint":"00","count":1}]}`))
	f.Add([]byte(`{"version":1}`))
	f.Add([]byte("<<<<<<< x"))
	f.Fuzz(func(t *testing.T, src []byte) {
		b, err := parse("f", src)
		if err != nil {
			var bad *fault.Error
			if !errors.As(err, &bad) || bad.Hint == "" || bad.Line < 0 || bad.Line > 1+strings.Count(string(src), "\n") {
				t.Errorf("got %#v", err)
			}
			return
		}
		once, err := b.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		again, err := parse("f", once)
		if err != nil {
			t.Fatalf("what was written cannot be read: %v\n%s", err, once)
		}
		if twice, err := again.Bytes(); err != nil || string(twice) != string(once) {
			t.Errorf("%v\n%s\n%s", err, once, twice)
		}
	})
}
