package loader

import (
	"bytes"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// git runs git in dir, apart from the configuration of whoever runs this.
func git(t testing.TB, dir string, stdin string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "git", args...)
	cmd.Dir = dir
	cmd.Stdin = strings.NewReader(stdin)
	cmd.Env = append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+os.DevNull, "HOME="+dir, "XDG_CONFIG_HOME="+dir, "GIT_CEILING_DIRECTORIES=")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil && (cmd.ProcessState == nil || cmd.ProcessState.ExitCode() != 1) {
		t.Fatalf("git %q: %v: %s", args, err, stderr.String())
	}
	return string(out)
}

// oursIgnored lists what of a repository is ignored, entries of ignored
// folders included, with the code the search uses.
func oursIgnored(t testing.TB, root string) (all, ignored []string) {
	t.Helper()
	gone := map[string]bool{}
	at := map[string]*ignores{}
	ok(t, filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.Name() == ".git" {
			if e.IsDir() {
				return fs.SkipDir
			}
			return err
		}
		if e.IsDir() {
			f := folder{dir: path, abs: path, real: path, ignores: Search{}.ignoresAt(path)}
			entries, _, err := readDir(path)
			ok(t, err)
			f.readIgnores(entries)
			at[path] = f.ignores
		}
		if path == root {
			return nil
		}
		rel, _ := below(root, path)
		all = append(all, rel)
		parent := filepath.Dir(path)
		if gone[parent] || at[parent].ignored(path, e.IsDir()) {
			gone[path] = true
			ignored = append(ignored, rel)
		}
		return nil
	}))
	slices.Sort(ignored)
	return all, ignored
}

func gitIgnored(t testing.TB, root string, all []string) []string {
	t.Helper()
	out := git(t, root, strings.Join(all, "\x00")+"\x00", "check-ignore", "--no-index", "--stdin", "-z")
	list := strings.FieldsFunc(out, func(r rune) bool { return r == 0 })
	slices.Sort(list)
	return list
}

func TestIgnoresAsGit(t *testing.T) {
	files := tree{
		"build/x": "", "src/build/y": "", "doc/a.md": "", "doc/b/c.md": "", "doc/b/d/e.md": "", "a b": "", "trail ": "",
		"#hash": "", "!bang": "", "x1": "", "x2": "", "xa": "", "é": "", "dir/link": "-> ../doc", "back\\slash": "",
		"foo/bar/baz": "", "foo/keep": "", "bar/foo/baz": "", "deep/1/2/3/end": "", "[b]": "", "star*": "", "tab\t": "", "A1": "", ".hid/f": "",
	}
	tests := map[string]tree{
		"plain":             {".gitignore": "build\n*.md\n"},
		"folders only":      {".gitignore": "build/\nlink/\ndoc/a.md/\n"},
		"anchored":          {".gitignore": "/build\n/a.md\ndoc/b\nfoo/bar\n"},
		"negation":          {".gitignore": "*.md\n!c.md\ndoc/b/d/\n!doc/b/d/e.md\n"},
		"negated folder":    {".gitignore": "/*\n!/doc\n/doc/*\n!/doc/b\n"},
		"stars across":      {".gitignore": "**/foo\ndoc/**/e.md\ndeep/**\n!deep/1\n"},
		"stars in a name":   {".gitignore": "f**o\nd*p\n*/b\n"},
		"stars at the end":  {".gitignore": "doc/**/\nfoo/**\n"},
		"many stars":        {".gitignore": "***/c.md\ndeep/****/end\n"},
		"classes":           {".gitignore": "x[0-9]\n[[:upper:]]?\n[!a-z]b\\]\n"},
		"odd classes":       {".gitignore": "x[]1]\n[a\nx[^1-]\n[z-a]\n[[:nope:]]\n[\\b]\n\\[b\\]\n"},
		"escapes":           {".gitignore": "\\#hash\n\\!bang\na\\ b\nback\\\\slash\nfoo\\\n"},
		"comments, blanks":  {".gitignore": "# build\n\n   \n#hash\nx1 \n"},
		"trailing spaces":   {".gitignore": "trail\\ \nx2   \nx1\t\ntab\t\n"},
		"crlf":              {".gitignore": "build\r\n*.md\r\n"},
		"no line end":       {".gitignore": "x1\nx2"},
		"bom":               {".gitignore": "\ufeffx1\nx2\n"},
		"bytes":             {".gitignore": "?\n??\n"},
		"slashes":           {".gitignore": "/\n//\nfoo//\n//build\n/**\n!/**/\n!*.md\n"},
		"deeper file":       {".gitignore": "*.md\n", "doc/.gitignore": "!*.md\nb/\n", "doc/b/.gitignore": "!c.md\n"},
		"deeper anchored":   {"doc/.gitignore": "/b/c.md\n", "foo/.gitignore": "*\n!.gitignore\n"},
		"exclude file":      {".git/info/exclude": "x1\nfoo/\n", ".gitignore": "!x1\n"},
		"linked ignores":    {".gitignore": "-> list", "list": "build\n"},
		"ignores is folder": {".gitignore/x": ""},
		"hidden":            {".gitignore": ".*\n!.gitignore\n"},
		"case":              {".gitignore": "BUILD\na1\n"},
	}
	for name, tr := range tests {
		t.Run(name, func(t *testing.T) {
			root := files.in(t)
			git(t, root, "", "init", "-q")
			ok(t, os.RemoveAll(filepath.Join(root, ".git", "info")))
			tr.write(t, root)
			all, got := oursIgnored(t, root)
			same(t, "ignored", got, gitIgnored(t, root, all))
		})
	}
}

// TestClassesAsGit compares every named character class with git, for every byte a name
// may hold.
func TestClassesAsGit(t *testing.T) {
	files := tree{}
	bytes := 128
	if runtime.GOOS == "linux" { // elsewhere names are text
		bytes = 256
	}
	for b := 1; b < bytes; b++ {
		if !strings.ContainsRune("/.\v\f", rune(b)) { // git's [:space:] lacks the last two
			files["x"+string([]byte{byte(b)})] = ""
		}
	}
	root := files.in(t)
	git(t, root, "", "init", "-q")
	for _, class := range strings.Fields("alnum alpha blank cntrl digit graph lower print punct space upper xdigit nope") {
		for _, line := range []string{"x[[:" + class + ":]]", "x[^[:" + class + ":]a-f]", "x[[:" + class + "]"} {
			ok(t, os.WriteFile(filepath.Join(root, ".gitignore"), []byte(line+"\n"), 0o644))
			all, got := oursIgnored(t, root)
			same(t, line, got, gitIgnored(t, root, all))
		}
	}
}

// TestIgnoresAsGitAtRandom compares random ignore files over a fixed tree with git.
func TestIgnoresAsGitAtRandom(t *testing.T) {
	root := tree{
		"a/b/c/d": "", "a/bb/c": "", "b/a/b": "", "c": "", "ab/c/a": "", "ab/ac": "", "a-b": "", "bc/b/b/c": "", "-": "", "a]": "", "d/*": "",
	}.in(t)
	git(t, root, "", "init", "-q")
	random := rand.New(rand.NewPCG(7, 11))
	parts := []string{"a", "b", "c", "*", "?", "/", "/", "**/", "/**", "[ab]", "[!b]", "[^a-b]", "[]-a]", "[[:alpha:]-]", "\\", "-", "]", "bb", "**"}
	for range 100 {
		var text strings.Builder
		for range 1 + random.IntN(3) {
			if random.IntN(4) == 0 {
				text.WriteByte('!')
			}
			for range 1 + random.IntN(5) {
				text.WriteString(parts[random.IntN(len(parts))])
			}
			text.WriteByte('\n')
		}
		ok(t, os.WriteFile(filepath.Join(root, ".gitignore"), []byte(text.String()), 0o644))
		all, got := oursIgnored(t, root)
		if want := gitIgnored(t, root, all); !slices.Equal(got, want) {
			t.Errorf("%q: got %q, want %q", text.String(), got, want)
		}
	}
}
