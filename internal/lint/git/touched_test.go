package git

import (
	"path/filepath"
	"slices"
	"testing"
)

func TestTouched(t *testing.T) {
	for name, tc := range map[string]struct {
		files, dirs, want []string
		fold              bool
	}{
		"a file inside":                                 {[]string{"/r/a/x/y.md"}, []string{"/r/a", "/r/b"}, []string{"/r/a"}, false},
		"order is kept":                                 {[]string{"/r/a/1", "/r/b/1", "/r/c/1"}, []string{"/r/c", "/r/x", "/r/a"}, []string{"/r/c", "/r/a"}, false},
		"a name that only starts so":                    {[]string{"/r/ab/SKILL.md"}, []string{"/r/a"}, nil, false},
		"the folder itself (deleted)":                   {[]string{"/r/a"}, []string{"/r/a"}, []string{"/r/a"}, false},
		"a submodule above":                             {[]string{"/r/sub"}, []string{"/r/sub/skills/a", "/r/subs/a"}, []string{"/r/sub/skills/a"}, false},
		"a file beside":                                 {[]string{"/r/README.md"}, []string{"/r/a"}, nil, false},
		"the repository is a skill":                     {[]string{"/r/README.md"}, []string{"/r"}, []string{"/r"}, false},
		"the root of the disk":                          {[]string{"/x"}, []string{"/"}, []string{"/"}, false},
		"nothing changed":                               {nil, []string{"/r/a"}, nil, false},
		"other case, where it counts":                   {[]string{"/r/A/x"}, []string{"/r/a"}, nil, false},
		"other case, where it doesn't, composed or not": {[]string{"/r/A\u00e9/x"}, []string{"/R/ae\u0301"}, []string{"/R/ae\u0301"}, true},
	} {
		t.Run(name, func(t *testing.T) {
			native := func(paths []string) (out []string) {
				for _, p := range paths {
					out = append(out, filepath.FromSlash(p))
				}
				return out
			}
			in := touched(native(tc.files), tc.fold)
			got := slices.DeleteFunc(native(tc.dirs), func(dir string) bool { return !in(dir) })
			if !slices.Equal(got, native(tc.want)) {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
	if in := Touched([]string{filepath.Join("x", "a")}); !in("x") || in("y") {
		t.Errorf("Touched: got %t, %t", in("x"), in("y"))
	}
}
