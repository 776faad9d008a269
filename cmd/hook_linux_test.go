package cmd

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestScriptCannotBecomeHook checks that a sandboxed script cannot plant code that later
// runs as a hook, outside the sandbox, unless a warning says so.
func TestScriptCannotBecomeHook(t *testing.T) {
	t.Parallel()
	const evil = `{ echo "#!/bin/sh"; echo "echo out >../out/escaped"; } >new; chmod +x new
for f in HOOK; do
cp new $f 2>/dev/null || { rm -f $f && cp new $f; } 2>/dev/null
done
for d in DIR; do
mv $d $d.old && mkdir $d && cp new $d/check.sh
done 2>/dev/null
echo tried
`
	for name, test := range map[string]struct{ hook, files, dir string }{
		"a program":              {"before=./hook.sh", "hook.sh", ""},
		"a script of a shell":    {"before=sh hook.sh", "hook.sh", ""},
		"without an extension":   {"before=sh -e plain", "plain", ""},
		"in the text of a shell": {"before=sh -c 'cat >/dev/null; exec ./hook.sh'", "hook.sh", ""},
		"after the call":         {"after=./hook.sh", "hook.sh", ""},
		"its folder":             {"before=./hooks/check.sh", "", "hooks"},
		"missing at first":       {"after=sh later.sh", "later.sh", ""},
		"behind a link":          {"before=./linked/check.sh", "", "linked"},
		"code that it loads":     {"before=sh tools/check.sh", "tools/common", ""},
		"shell text":             {"before=sh -c '. tools/common'", "tools/common", ""},
	} {
		for _, backend := range backends {
			t.Run(name+"/"+backend, func(t *testing.T) {
				c := sandboxedRun{
					backend: backend, body: strings.NewReplacer("HOOK", test.files, "DIR", test.dir).Replace(evil), calls: 2,
					files: map[string]string{"out/x": "", "safe/check.sh": "#!/bin/sh\n", "work/tools/check.sh": ". tools/common\n"}, links: map[string]string{"work/linked": "../safe"},
					args: []string{"--hook", test.hook},
				}
				for _, name := range []string{"hook.sh", "plain", "hooks/check.sh", "tools/common"} {
					c.files["work/"+name] = "#!/bin/sh\necho ran >>../out/ran\n"
				}
				dir, stdout, stderr := c.do(t)
				_, err := os.Stat(filepath.Join(dir, "out/escaped"))
				warned := strings.Contains(stderr, "warning: scripts may be able to change what the hook")
				if err == nil && !warned {
					t.Errorf("the script's code ran unconfined without a warning: %s %s", stdout, stderr)
				}
				if !warned {
					t.Errorf("no warning: %s", stderr)
				}
				if name == "code that it loads" && backend == "landlock" {
					return // nothing compares what is not named
				}
				if err == nil {
					t.Errorf("the script's code ran unconfined: %s %s", stdout, stderr)
				}
				refused := strings.Contains(stdout, "changed after the run started; a script may have modified it")
				kept := strings.Count(stdout, `"output":"tried`) == 2
				if refused == kept {
					t.Errorf("refused %t, kept as it was %t: %s", refused, kept, stdout)
				}
				// A file that was missing cannot be mounted over, nor what a link leads to
				// by its name.
				covered := backend == "bubblewrap" && name != "missing at first" && name != "behind a link"
				if kept != covered {
					t.Errorf("kept as it was: %t, want %t: %s", kept, covered, stdout)
				}
			})
		}
	}
}
