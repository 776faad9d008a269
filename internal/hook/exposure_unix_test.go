//go:build unix

package hook

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"skills/internal/script"
	"skills/internal/script/sandbox"
	"skills/internal/testing/filetest"
)

// coverage is what is expected of a command.
type coverage int

const (
	covered coverage = iota // it runs nothing that scripts can write to
	warned                  // a warning says that scripts may be able to change what it runs
)

// TestExposure overwrites everything in the working folder, as a script of an earlier run
// can, or what is not protected, and then runs the command. If the planted code runs, or a
// file outside is overwritten through a planted link, the command must be reported.
func TestExposure(t *testing.T) {
	for line, test := range map[string]struct {
		want coverage
		runs bool // whether the planted code runs if nothing is protected
	}{
		// Shell text, wrappers, inline code, loaders, folders, globs, variables.
		`sh -c 'make -s check'`:                          {warned, true},
		`env A=b make`:                                   {warned, true},
		`timeout 9 make`:                                 {warned, true},
		`sh -c '. tools/env'`:                            {warned, true},
		`awk -f tools/x.awk`:                             {warned, true},
		`python3 tools`:                                  {warned, true},
		`perl -Itools -e 'use Mod'`:                      {warned, true},
		`sh -c '"$PWD/tools/check.py"'`:                  {warned, true},
		`sh -c 'for f in tools/*.sh; do sh "$f"; done'`:  {warned, true},
		`find tools -name check.sh -exec sh {} ';'`:      {warned, true},
		`env -C tools sh check.sh`:                       {warned, true},
		`make`:                                           {warned, true},
		`/usr/bin/make -s check`:                         {warned, true},
		`make -f tools/x.mk`:                             {warned, true},
		`nice -n 1 sh tools/check.sh`:                    {warned, true},
		`nohup sh tools/check.sh`:                        {warned, true},
		`setsid -w sh tools/check.sh`:                    {warned, true},
		`stdbuf -o0 sh tools/check.sh`:                   {warned, true},
		`env -S 'sh tools/check.sh'`:                     {warned, true},
		`xargs -a tools/list sh`:                         {warned, true},
		`sed -n -f tools/x.sed tools/list`:               {warned, true},
		`sh -c 'cd tools && ./check.py'`:                 {warned, true},
		`sh -ec 'cat >/dev/null; exec ./tools/check.sh'`: {warned, true},
		`sh -c ./tools/check.sh`:                         {warned, true},
		`bash --rcfile tools/env -i -c true`:             {warned, true},
		`bash -O extglob tools/check.sh`:                 {warned, true},
		`python3 -m tools.check`:                         {warned, true},
		`python3 -Bm tools.check`:                        {warned, true},
		`python3 -c 'import hook'`:                       {warned, true},
		`python3 -W error::hook.W -c 'import hook'`:      {warned, true},
		`node --require ./tools/lib.js -e 0`:             {warned, true},
		`node --require ./tools/lib.js OUTSIDE/hook.js`:  {warned, true},
		`node -r ./tools/lib.js OUTSIDE/hook.js`:         {warned, true},
		`node tools`:                                     {warned, true},
		`node tools/lib`:                                 {warned, true},
		`perl -MMod -Itools OUTSIDE/hook.pl`:             {warned, true},
		`OUTSIDE/bin/wrapper tools/check.sh`:             {warned, true},
		`sh`:                                             {warned, false},
		`sh -`:                                           {warned, false},
		`git status`:                                     {warned, false},
		`no-such-program`:                                {warned, false},
		`sh OUTSIDE/none.sh`:                             {warned, false},
		`sh OUTSIDE`:                                     {warned, false},
		`OUTSIDE/odd`:                                    {warned, false},
		// Code in the working folder.
		`python3 tools/check.py`:           {warned, true},
		`sh -e tools/check.sh`:             {warned, true},
		`sh -eu ./tools/check.sh x`:        {warned, true},
		`./tools/check.sh`:                 {warned, true},
		`./tools/check.py`:                 {warned, true},
		`WORK/tools/check.sh`:              {warned, true},
		`sh OUTSIDE/into.sh`:               {warned, true},
		`sh tools/later.sh`:                {warned, true},
		`./later.sh`:                       {warned, true},
		`sh top.sh`:                        {warned, true},
		`python3 hook.py`:                  {warned, true},
		`./top.sh`:                         {warned, true},
		`sh linked/check.sh`:               {warned, true},
		`sh link.sh`:                       {warned, true},
		`sh OUTSIDE/through.sh`:            {warned, true},
		`sh x/../tools/check.sh`:           {warned, true},
		`./tools/program`:                  {warned, true},
		`planted`:                          {warned, false},
		`./venv/bin/python tools/check.py`: {warned, true},
		`./tools/odd`:                      {warned, true},
		// Covered.
		`sh OUTSIDE/hook.sh`:                    {covered, false},
		`sh -eu OUTSIDE/hook.sh tools/check.sh`: {covered, false},
		`sh ../outside/hook.sh`:                 {covered, false},
		`bash OUTSIDE/hook.sh`:                  {covered, false},
		`/bin/sh OUTSIDE/hook.sh`:               {covered, false},
		`python3 -I OUTSIDE/hook.py`:            {covered, false},
		`python3 OUTSIDE/hook.py`:               {covered, false},
		`perl -w OUTSIDE/hook.pl`:               {covered, false},
		`node OUTSIDE/hook.js`:                  {covered, false},
		`OUTSIDE/hook.sh`:                       {covered, false},
		`OUTSIDE/hook.py --level 2`:             {covered, false},
		`../outside/hook.sh`:                    {covered, false},
		`OUTSIDE/program`:                       {covered, false},
		`wc -l OUTSIDE/hook.sh`:                 {covered, false},
		`tee -a OUTSIDE/log`:                    {covered, false},
		`grep -q tools/list`:                    {covered, false},
		`grep -cv x - OUTSIDE/hook.sh`:          {covered, false},
		`jq -c '{decision: "allow"}'`:           {covered, false},
		`head -n 5`:                             {covered, false},
		`echo tools/list`:                       {covered, false},
		`true`:                                  {covered, false},
		// Files for programs that run no code.
		`tee -a hooks.log`:                {warned, true},
		`tee new.log`:                     {warned, true},
		`tee -`:                           {warned, true},
		`tee OUTSIDE/log ../work/new.log`: {warned, true},
		`tee OUTSIDE/../work/new.log`:     {warned, true},
		`tee OUTSIDE/work.log`:            {warned, true},
		`tee --append hooks.log`:          {warned, true},
		`uniq - new.log`:                  {warned, true},
		`wc -l tools/list`:                {warned, false},
		`wc --files0-from=tools/list`:     {warned, false},
		`cat notes`:                       {warned, false},
		`grep -f tools/list`:              {warned, false},
		`grep -r x`:                       {warned, true},
		`grep x tools/list`:               {warned, false},
		`head -n`:                         {warned, false},
		`date -f notes`:                   {warned, false},
		`jq -c -f tools/policy.jq`:        {warned, true},
		`jq -cf tools/policy.jq`:          {warned, true},
		`jq 'include "policy" {search: "./tools"}; .'`: {warned, false},
		`jq . tools/list`: {warned, false},
		// Shims.
		`perl -w OUTSIDE/hook.pl SHIMS`:      {warned, true},
		`perl OUTSIDE/hook.pl SHIMS`:         {warned, true},
		`OUTSIDE/env.pl SHIMS`:               {warned, true},
		`OUTSIDE/shims/perl OUTSIDE/hook.pl`: {warned, true},
	} {
		t.Run(line, func(t *testing.T) {
			t.Parallel()
			for _, readOnly := range []bool{true, false} {
				f := newExposedFolder(t)
				line, shims := strings.CutSuffix(line, " SHIMS")
				c, err := Parse(strings.NewReplacer("OUTSIDE", f.outside, "WORK", f.work).Replace(line))
				if err != nil {
					t.Fatal(err)
				}
				if name := c.Words[0]; filepath.Base(name) == name && name != "no-such-program" && name != "planted" {
					if _, err := exec.LookPath(name); err != nil {
						t.Skipf("%s is not installed", name)
					}
				}
				search := withoutShims(os.Getenv("PATH"))
				if shims {
					search = f.outside + "/shims:" + search
				}
				// Entries that scripts can write to are for nothing.
				runner := &script.Runner{Dir: f.work, Env: []string{"PATH=:bin:./bin:" + f.work + "/bin:" + search, "HOME=" + f.outside}, Timeout: time.Minute}
				o := NewPinnedRunner(runner, f.work, []string{f.work}, c)
				got := o.Exposed()
				if expose := test.want == warned; expose != (len(got) == 1) {
					t.Errorf("reported as %+v", got)
				}
				var protect []string
				if readOnly {
					protect = o.Protect()
					if len(protect) == 0 {
						continue // as if nothing is protected
					}
				}
				f.plant(t, protect)
				// Past the comparison of digests, as if the file changed before the run.
				result, err := runner.Ask(t.Context(), c.Words, []byte("{}\n"))
				ran := f.pwned(t) || strings.Contains(result.Stdout, "PWNED")
				if ran && len(got) == 0 {
					t.Errorf("read-only %t: planted code ran without a warning; protected: %q", readOnly, protect)
				}
				if !readOnly && ran != test.runs {
					t.Errorf("planted code ran: %t, want %t: %+v, %v", ran, test.runs, result, err)
				}
			}
		})
	}
}

// withoutShims returns a search path without the shims of the machine.
func withoutShims(path string) string {
	folders := slices.DeleteFunc(filepath.SplitList(path), func(dir string) bool { return filepath.Base(dir) == "shims" })
	return strings.Join(folders, string(os.PathListSeparator))
}

// TestProtectNames checks that what a command names in the working folder is protected:
// files and folders, but never a folder that scripts have to write to.
func TestProtectNames(t *testing.T) {
	for line, want := range map[string][]string{
		`sh -c '. tools/env'`:             {"tools/env"},
		`awk -f tools/x.awk`:              {"tools/x.awk"},
		`python3 tools`:                   {"tools"},
		`perl -Itools -e 'use Mod'`:       {"tools"},
		`sh -c 'for f in tools/*.sh; do'`: {"tools"},
		`sh -c '"$PWD/tools/check.py"'`:   {"tools/check.py"},
		`env -C tools sh check.sh`:        {"tools"},
		`find . -exec sh {} ';'`:          nil,
		`env -C .. sh y`:                  nil,
		`make`:                            nil,
		`wc -l tools/list`:                {"tools/list"},
		`echo tools/list`:                 nil,
		`sh top.sh`:                       {"top.sh"},
		`./tools/program`:                 {"tools"},
	} {
		f := newExposedFolder(t)
		c, err := Parse(line)
		if err != nil {
			t.Fatal(err)
		}
		runner := &script.Runner{Dir: f.work, Env: []string{"PATH=" + os.Getenv("PATH")}}
		var paths []string
		for _, name := range want {
			paths = append(paths, filepath.Join(f.work, name))
		}
		if got := NewPinnedRunner(runner, f.work, []string{f.work}, c).Protect(); !slices.Equal(got, paths) {
			t.Errorf("%s: protected %q, want %q", line, got, paths)
		}
	}
}

// TestExposedOnce checks that a command that is given twice is reported once.
func TestExposedOnce(t *testing.T) {
	f := newExposedFolder(t)
	c, err := Parse("make")
	if err != nil {
		t.Fatal(err)
	}
	o := NewPinnedRunner(&script.Runner{Dir: f.work, Env: []string{"PATH=" + os.Getenv("PATH")}}, f.work, []string{f.work}, c, c)
	if got := o.Exposed(); len(got) != 1 || got[0].Command != "make" {
		t.Errorf("got %+v", got)
	}
}

// TestCoveredPage checks that docs/hooks.md lists what is covered, and nothing else.
func TestCoveredPage(t *testing.T) {
	text, err := os.ReadFile("../../docs/hooks.md")
	if err != nil {
		t.Fatal(err)
	}
	page := string(text)
	if names := "`" + strings.Join(slices.Sorted(maps.Keys(plainPrograms)), "`, `") + "` |"; !strings.Contains(page, "| "+names) {
		t.Errorf("docs/hooks.md lacks a row with %s", names)
	}
	_, options, _ := strings.Cut(page, "Options before the script file")
	options, _, _ = strings.Cut(options, "The interpreter itself")
	for of, letters := range map[string]string{"shells": harmless["sh"], "Python": harmless["python"], "Ruby and Perl": harmless["ruby"]} {
		var list []string
		for _, letter := range letters {
			list = append(list, "`-"+string(letter)+"`")
		}
		if want := strings.Join(list, ", ") + " of " + of; !strings.Contains(strings.ReplaceAll(options, "\n", " "), want) {
			t.Errorf("docs/hooks.md lacks: %s", want)
		}
	}
}

// exposedFolder is a working folder with a folder next to it that scripts cannot write to.
type exposedFolder struct{ work, outside, marker string }

func newExposedFolder(t *testing.T) exposedFolder {
	t.Helper()
	dir := sandbox.Real(t.TempDir())
	f := exposedFolder{filepath.Join(dir, "work"), filepath.Join(dir, "outside"), filepath.Join(dir, "PWNED")}
	files := map[string]string{}
	for _, name := range f.planted() {
		if !strings.Contains(name, "later") && !strings.HasPrefix(name, "linked/") && name != "link.sh" && name != "-" && name != "new.log" && !strings.HasPrefix(name, "bin/") {
			files["work/"+name] = "\n"
		}
	}
	files["work/tools/check.sh"], files["work/top.sh"] = "#!/bin/sh\n", "#!/bin/sh\n"
	files["work/tools/check.py"] = "#!/usr/bin/env python3\nimport json\n"
	files["work/hook.py"], files["work/tools/odd"] = "import json\n", "#!/usr/bin/env -S sh -e\n"
	files["work/x/y"], files["work/notes"] = "", ""
	files["outside/hook.sh"], files["outside/hook.py"] = "#!/bin/sh\n", "#!/usr/bin/env python3\nimport json\n"
	files["outside/hook.js"], files["outside/hook.pl"], files["outside/safe/check.sh"] = "\n", "1;\n", "\n"
	files["outside/victim"], files["outside/log"] = "", ""
	files["outside/shims/perl"], files["outside/env.pl"] = "#!/bin/sh\nif test -f .perl-version; then exec \"$(cat .perl-version)/bin/perl\" \"$@\"; fi\nexec /usr/bin/perl \"$@\"\n", "#!/usr/bin/env perl\n1;\n"
	files["outside/bin/wrapper"], files["outside/odd"] = "#!/bin/sh\nexec sh \"$@\"\n", "#!/usr/bin/make -f\n"
	filetest.Programs(t, dir, files)
	for name, target := range map[string]string{
		"work/linked": "../outside/safe", "work/link.sh": "tools/check.sh", "outside/into.sh": "../work/tools/check.sh",
		"outside/through.sh": "../work/linked/check.sh", "outside/work.log": "../work/hooks.log",
	} {
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	program, err := exec.LookPath("true")
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(program)
	if err != nil {
		t.Fatal(err)
	}
	filetest.Programs(t, dir, map[string]string{"outside/program": string(text), "work/tools/program": string(text)})
	return f
}

// planted are the files that a script tries to write.
func (exposedFolder) planted() []string {
	return []string{
		"Makefile", "GNUmakefile", "top.sh", "hook.py", "json.py", "later.sh", "link.sh", "linked/check.sh", "bin/planted", ".python-version", ".perl-version",
		"bin/sh", "bin/bash", "bin/python3", "bin/node", "bin/perl", "bin/grep", "bin/cat", "bin/tee", "bin/jq", "bin/env", "bin/make",
		"tools/check.sh", "tools/check.py", "tools/env", "tools/x.awk", "tools/x.mk", "tools/x.sed", "tools/list", "tools/__main__.py", "tools/Mod.pm",
		"tools/lib.js", "tools/index.js", "tools/json.py", "tools/later.sh", "tools/program", "tools/odd", "venv/bin/python", "venv/bin/perl",
		"hooks.log", "new.log", "-", "tools/policy.jq",
	}
}

// plant writes code that leaves a marker to every file that is not protected.
func (f exposedFolder) plant(t *testing.T, protect []string) {
	t.Helper()
	for _, name := range f.planted() {
		path := filepath.Join(f.work, name)
		kept := slices.ContainsFunc(protect, func(dir string) bool {
			info, err := os.Lstat(dir)
			return err == nil && info.Mode()&os.ModeSymlink == 0 && sandbox.Within(path, dir)
		})
		if kept {
			continue
		}
		touch := "touch '" + f.marker + "'"
		text := "#!/bin/sh\n" + touch + "\n"
		switch filepath.Ext(name) {
		case ".py":
			text = "#!/usr/bin/env python3\nopen('" + f.marker + "', 'w')\n"
		case ".awk":
			text = `BEGIN { system("` + touch + `") }`
		case ".pm":
			text = "system(\"" + touch + "\"); 1;"
		case ".js":
			text = "require('fs').writeFileSync('" + f.marker + "', '')"
		case ".sed":
			text = "1e " + touch + "\n"
		case ".mk":
			text = "all:\n\t" + touch + "\n"
		case ".jq":
			text = `"PWNED"` + "\n"
		case ".perl-version":
			text = f.work + "/venv\n"
		case ".python-version":
			text = "../../../../../../../.." + f.work + "/venv\n"
		}
		switch name {
		case "Makefile", "GNUmakefile":
			text = "check:\n\t" + touch + "\n"
		case "tools/list":
			text = f.work + "/top.sh\n"
		}
		if filepath.Dir(name) == "linked" {
			os.Remove(filepath.Dir(path))
		}
		os.Remove(path)
		if filepath.Ext(name) == ".log" || name == "-" {
			if err := os.Symlink(filepath.Join(f.outside, "victim"), path); err != nil {
				t.Fatal(err)
			}
			continue
		}
		filetest.Programs(t, f.work, map[string]string{name: text})
	}
}

// pwned reports whether planted code ran, or a planted link was followed.
func (f exposedFolder) pwned(t *testing.T) bool {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(f.outside, "victim"))
	if err != nil {
		t.Fatal(err)
	}
	_, err = os.Stat(f.marker)
	return err == nil || len(text) > 0
}
