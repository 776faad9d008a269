package baseline

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"skills/internal/fault"
	"skills/internal/report"
	"skills/internal/spec"
)

// skill is a checked skill at dir whose SKILL.md is text; findings are written
// as "line rule message", line 0 for the file as a whole.
func skill(dir, text string, findings ...string) report.Skill {
	file := filepath.Join(dir, "SKILL.md")
	s := report.Skill{Path: dir}
	for _, f := range findings {
		d := spec.Diagnostic{Level: spec.Warning, Path: file}
		var at int
		if _, err := fmt.Sscanf(f, "%d %s", &at, &d.Rule); err != nil {
			panic(err)
		}
		d.Message = strings.SplitN(f, " ", 3)[2]
		if at > 0 {
			d.Span = spec.Span{Start: spec.Pos{Line: at, Column: 1}, End: spec.Pos{Line: at, Column: 2}}
			d.Snippet = strings.Split(text, "\n")[at-1]
		}
		s.Diagnostics = append(s.Diagnostics, d)
	}
	return s
}

func of(file string, skills ...report.Skill) *Baseline {
	b := New(file)
	for _, s := range skills {
		b.Add(s)
	}
	b.tidy()
	return b
}

// apply returns new, known and gone findings, one line each. Known ones have no
// position.
func apply(t *testing.T, b *Baseline, opts spec.Options, skills ...report.Skill) (fresh, known, gone []string) {
	t.Helper()
	c := b.Compare()
	for _, s := range skills {
		rest := c.New(s, &opts) // in the same order
		for _, d := range rest {
			fresh = append(fresh, fmt.Sprintf("%d %s", d.Span.Start.Line, d.Rule))
		}
		for _, d := range s.Diagnostics {
			if len(rest) > 0 && rest[0].Message == d.Message && rest[0].Span == d.Span {
				rest = rest[1:]
			} else {
				known = append(known, d.Rule)
			}
		}
	}
	for _, e := range c.gone() {
		gone = append(gone, fmt.Sprintf("%s %s %d", e.Path, e.Rule, e.Count))
	}
	return fresh, known, gone
}

func TestApply(t *testing.T) {
	t.Chdir(t.TempDir())
	const text = "a\nname: Foo\nb\nsee [x](x.md) and [y](y.md)\nsee [x](x.md)"
	before := skill("a", text, "0 description-length 501 lines, the limit is 500", "2 name-lowercase 'Foo' must be lowercase",
		"4 field-unknown x.md does not exist", "4 field-unknown y.md does not exist", "5 field-unknown x.md does not exist")
	for name, tc := range map[string]struct {
		opts               spec.Options
		after              []report.Skill
		fresh, known, gone []string
	}{
		"nothing changed": {after: []report.Skill{before},
			known: []string{"description-length", "name-lowercase", "field-unknown", "field-unknown", "field-unknown"}},
		"lines moved, indentation changed, numbers grew": {
			after: []report.Skill{skill("a", "new\na\n  name:  Foo\nb\nsee [x](x.md)\n- \n\tsee [x](x.md) and [y](y.md)",
				"0 description-length 620 lines, the limit is 500", "3 name-lowercase 'Foo' must be lowercase",
				"5 field-unknown x.md does not exist", "7 field-unknown x.md does not exist", "7 field-unknown y.md does not exist")},
			known: []string{"description-length", "name-lowercase", "field-unknown", "field-unknown", "field-unknown"}},
		"the line was edited": {
			after: []report.Skill{skill("a", "\nname: Foo # our name", "2 name-lowercase 'Foo' must be lowercase")},
			known: []string{"name-lowercase"}, gone: []string{"a/SKILL.md description-length 1", "a/SKILL.md field-unknown 1", "a/SKILL.md field-unknown 1", "a/SKILL.md field-unknown 1"}},
		"the message is worded otherwise": {opts: spec.Options{Levels: map[string]spec.Level{"description-length": spec.Off, "field-unknown": spec.Off}},
			after: []report.Skill{skill("a", "\nname: Foo", "2 name-lowercase name has capital letters")},
			known: []string{"name-lowercase"}},
		"another line and another message": {
			after: []report.Skill{skill("a", "\nname: Bar", "2 name-lowercase 'Bar' must be lowercase")},
			fresh: []string{"2 name-lowercase"}, gone: []string{"a/SKILL.md description-length 1", "a/SKILL.md field-unknown 1", "a/SKILL.md field-unknown 1", "a/SKILL.md field-unknown 1", "a/SKILL.md name-lowercase 1"}},
		"one more of a kind": {
			after: []report.Skill{skill("a", text+"\n\nsee [x](x.md)", "2 name-lowercase 'Foo' must be lowercase", "0 description-length 7",
				"4 field-unknown x.md does not exist", "4 field-unknown y.md does not exist", "5 field-unknown x.md does not exist", "7 field-unknown x.md does not exist")},
			fresh: []string{"0 description-length", "7 field-unknown"},
			known: []string{"name-lowercase", "field-unknown", "field-unknown", "field-unknown"}, gone: []string{"a/SKILL.md description-length 1"}},
		"another rule on the same line": {
			after: []report.Skill{skill("a", text, "2 name-directory must match")},
			fresh: []string{"2 name-directory"}, gone: []string{"a/SKILL.md description-length 1", "a/SKILL.md field-unknown 1", "a/SKILL.md field-unknown 1", "a/SKILL.md field-unknown 1", "a/SKILL.md name-lowercase 1"}},
		"everything fixed": {after: []report.Skill{skill("a", text)},
			gone: []string{"a/SKILL.md description-length 1", "a/SKILL.md field-unknown 1", "a/SKILL.md field-unknown 1", "a/SKILL.md field-unknown 1", "a/SKILL.md name-lowercase 1"}},
		"another skill was checked": {after: []report.Skill{skill("b", text, "2 name-lowercase 'Foo' must be lowercase")}, fresh: []string{"2 name-lowercase"}},
		"numbers that are a part of a name": {
			after: []report.Skill{skill("a", "\n\n\nsee", `4 field-unknown "x2.md" does not exist`)},
			fresh: []string{"4 field-unknown"}, gone: []string{"a/SKILL.md description-length 1", "a/SKILL.md field-unknown 1", "a/SKILL.md field-unknown 1", "a/SKILL.md field-unknown 1", "a/SKILL.md name-lowercase 1"}},
		"the reference's rules": {opts: spec.Options{Profile: spec.ProfileReference}, after: []report.Skill{skill("a", text)}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			for _, dir := range []string{"a", "b"} {
				if err := os.MkdirAll(dir, 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(filepath.Join(dir, "SKILL.md"), nil, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			b := of("baseline.json", before)
			fresh, known, gone := apply(t, b, tc.opts, tc.after...)
			if !slices.Equal(fresh, tc.fresh) || !slices.Equal(known, tc.known) || !slices.Equal(gone, tc.gone) {
				t.Errorf("\nnew   %q\nwant  %q\nknown %q\nwant  %q\ngone  %q\nwant  %q", fresh, tc.fresh, known, tc.known, gone, tc.gone)
			}
		})
	}
}

func TestWithoutNumbers(t *testing.T) {
	for message, want := range map[string]string{
		"limit (1030 chars), 1,024 at most: ~10 %":                 "limit (# chars), #,# at most: ~# %",
		`metadata value "version" is plain 1.10: 2024-01-01`:       `metadata value "version" is plain #.#: #-#-#`,
		`"no2.md" does not exist`:                                  `"no2.md" does not exist`,
		`"a 2 b.md" is called "A 2 b.md" on disk, 3 times`:         `"a 2 b.md" is called "A 2 b.md" on disk, # times`,
		"Skill name 'x 64 1' exceeds 64 character limit (65)":      "Skill name 'x 64 1' exceeds # character limit (#)",
		"the name contains U+00E9, and is that of a/my-skill2 too": "the name contains U+00E9, and is that of a/my-skill2 too",
		"the skill's folder holds 5 (\"1 2\", \"3\"), not the 4":   "the skill's folder holds # (\"1 2\", \"3\"), not the #",
		`"`: `"`, "": "", "  7": "  #",
	} {
		if got := withoutNumbers(message); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

// TestApplyJoined checks that a finding that breaks several rules is compared with the
// entries of all of them, whether or not they were one finding when the baseline was
// written.
func TestApplyJoined(t *testing.T) {
	t.Chdir(t.TempDir())
	const text = "name: -Foo"
	joined := func(text, also string) report.Skill {
		s := skill("a", text, "1 name-lowercase '-Foo' must be lowercase")
		s.Diagnostics[0].Also = also
		return s
	}
	separate := skill("a", text, "1 name-lowercase '-Foo' must be lowercase", "1 name-directory 'a' must match '-Foo'", "1 name-hyphens '-Foo' starts with a hyphen")
	now := joined(text, "name-directory name-hyphens")
	for name, tt := range map[string]struct {
		before, after report.Skill
		fresh, gone   int
	}{
		"joined now":     {separate, now, 0, 0},
		"joined, edited": {separate, joined(text+" # ours", "name-directory name-hyphens"), 0, 0},
		"joined before":  {now, now, 0, 0},
		"another rule":   {joined(text, "name-hyphens"), now, 1, 0},
		"a rule is off":  {now, skill("a", text, "1 name-directory 'a' must match '-Foo'"), 0, 2},
		"fewer faults":   {separate, joined(text, ""), 0, 2},
	} {
		b := of("baseline.json", tt.before)
		if fresh, _, gone := apply(t, b, spec.Options{}, tt.after); len(fresh) != tt.fresh || len(gone) != tt.gone {
			t.Errorf("%s: new %q, gone %q, want %d and %d", name, fresh, gone, tt.fresh, tt.gone)
		}
	}
}

func TestBytes(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	x := skill(filepath.Join("skills", "x"), "name: X\nlink\nlink", "1 name-lowercase 'X' <must> be lowercase", "2 link-target gone", "3 link-target gone")
	x.Diagnostics[0].Level = spec.Error
	advice := skill("y", "", "0 body-empty nothing")
	advice.Diagnostics[0].Level = spec.Info
	b := of(filepath.Join("ci", "baseline.json"), x, advice)
	got, err := b.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	const want = `{
  "version": 1,
  "findings": [
    {
      "path": "../skills/x/SKILL.md",
      "rule": "link-target",
      "message": "gone",
      "fingerprint": "b1b1bdb480c61d07",
      "count": 2
    },
    {
      "path": "../skills/x/SKILL.md",
      "rule": "name-lowercase",
      "message": "'X' <must> be lowercase",
      "fingerprint": "03270d483a9088d0",
      "count": 1
    }
  ]
}
`
	if string(got) != want {
		t.Errorf("got\n%s", got)
	}
	slices.Reverse(x.Diagnostics)
	b = of(filepath.Join(dir, "ci", "baseline.json"), advice, x)
	if again, err := b.Bytes(); err != nil || string(again) != want {
		t.Errorf("in another order, with an absolute path: got %v\n%s", err, again)
	}
	empty, err := of("baseline.json").Bytes()
	if err != nil || string(empty) != "{\n  \"version\": 1,\n  \"findings\": []\n}\n" {
		t.Errorf("without findings: got %v\n%s", err, empty)
	}
}

func TestLoad(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, tc := range map[string]struct{ src, want string }{
		"cut off":         {"{\n  \"version\": 1,\n  \"findings\": [\n", "f:3: is damaged: unexpected end of JSON input"},
		"not JSON":        {"{\n  \"version\": 1,\n  findings: []\n}\n", "f:3: is damaged: invalid character 'f' looking for beginning of object key string"},
		"merge conflict":  {"{\n<<<<<<< HEAD\n  \"version\": 1\n}\n", "f:2: has a merge conflict"},
		"text as count":   {"{\"version\": 1, \"findings\": [\n{\"path\": \"a\",\n\"count\": \"1\"}]}", "f:3: is damaged: findings.count cannot be of type string"},
		"newer":           {`{"version": 2, "findings": {}}`, "f: has version 2; this program needs version 1"},
		"something else":  {`{"name": "x"}`, "f: has version 0; this program needs version 1"},
		"a list":          {`[]`, "f:1: is damaged: it cannot be of type array"},
		"empty":           {``, "f:1: is damaged: unexpected end of JSON input"},
		"unknown field":   {`{"version": 1, "finding": []}`, `f: is damaged: json: unknown field "finding"`},
		"no rule":         {`{"version": 1, "findings": [{"path": "a", "message": "m", "count": 1}]}`, "f: finding 1 has no valid path, rule, message or count"},
		"no count":        {`{"version": 1, "findings": [{"path": "a", "rule": "r", "message": "m"}]}`, "f: finding 1 has no valid path, rule, message or count"},
		"too many":        {`{"version": 1, "findings": [{"path": "a", "rule": "r", "message": "m", "count": 9000000000}]}`, "f: finding 1 has no valid path, rule, message or count"},
		"more after that": {`{"version": 1, "findings": []} {}`, "f:1: is damaged: invalid character '{' after top-level value"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			if err := os.WriteFile("f", []byte(tc.src), 0o644); err != nil {
				t.Fatal(err)
			}
			_, err := Load("f")
			var bad *fault.Error
			if !errors.As(err, &bad) || bad.Error() != tc.want || bad.Hint == "" {
				t.Errorf("got  %v\nwant %s, and a hint", err, tc.want)
			}
		})
	}
	if _, err := Load("missing"); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "missing: does not exist") {
		t.Errorf("missing: got %v", err)
	}
	if _, err := Load("."); err == nil || err.Error() != ".: is not a regular file" {
		t.Errorf("a folder: got %v", err)
	}
}

func TestRoundTrip(t *testing.T) {
	t.Chdir(t.TempDir())
	s := skill("a", "x\ny", "1 name-lowercase m 1", "2 link-target n", "0 body-length \u202e\x1b[31m")
	src, err := of("baseline.json", s).Bytes()
	if err != nil {
		t.Fatal(err)
	}
	if strings.ContainsAny(string(src), "\u202e\x1b") {
		t.Errorf("the file has control characters:\n%q", src)
	}
	if err := os.WriteFile("baseline.json", src, 0o644); err != nil {
		t.Fatal(err)
	}
	b, err := Load("baseline.json")
	if err != nil {
		t.Fatal(err)
	}
	if again, err := b.Bytes(); err != nil || string(again) != string(src) {
		t.Errorf("read and written again: %v\n%s", err, again)
	}
	if fresh, _, gone := apply(t, b, spec.Options{}, s); len(fresh)+len(gone) > 0 {
		t.Errorf("new %q, gone %q, want neither", fresh, gone)
	}
}

// TestPlaces checks that the places of a finding are known one by one, also from a file
// in which each was a finding.
func TestPlaces(t *testing.T) {
	t.Chdir(t.TempDir())
	const text = "name: a\nversion: 1\nauthor: b\ntags: c"
	single := skill("a", text, `2 field-unknown "version" is unknown`, `3 field-unknown "author" is unknown`, `4 field-unknown "tags" is unknown`)
	joined := single
	joined.Diagnostics = []spec.Diagnostic{single.Diagnostics[0]}
	d := &joined.Diagnostics[0]
	for _, x := range single.Diagnostics {
		d.Places = append(d.Places, spec.Place{Path: x.Path, Span: x.Span, Message: x.Message, Snippet: x.Snippet})
	}
	old := single
	old.Diagnostics = single.Diagnostics[:2]
	b := of("b.json", old)
	fresh := b.Compare().New(joined, &spec.Options{})
	if len(fresh) != 1 || fresh[0].Span != single.Diagnostics[2].Span || fresh[0].Message != single.Diagnostics[2].Message || fresh[0].Places != nil {
		t.Errorf("got %+v, want only the third place", fresh)
	}
	b = of("b.json", joined)
	if len(b.Entries) != 3 {
		t.Errorf("got %+v, want an entry for each place", b.Entries)
	}
	if fresh := b.Compare().New(joined, &spec.Options{}); fresh != nil {
		t.Errorf("got %+v, want nothing new", fresh)
	}
	if fresh := b.Compare().New(single, &spec.Options{}); fresh != nil {
		t.Errorf("got %+v, want nothing new", fresh)
	}
}
