package rules

import (
	"io/fs"
	"slices"
	"strings"
	"testing"

	"skills/internal/spec"
)

func TestScriptRun(t *testing.T) {
	const sh = "#!/bin/sh\necho\n"
	run := func(command string) string { return "Run:\n\n```bash\n" + command + "\n```\n" }
	for _, tt := range []struct {
		name, body string
		files      map[string]string
		want       string // "" is silence
	}{
		{"in a block", run("./scripts/x.sh in"), map[string]string{"scripts/x.sh": sh}, `SKILL.md:8:1: "scripts/x.sh" is started directly but is not executable`},
		{"without ./", run("scripts/x.sh in"), map[string]string{"scripts/x.sh": sh}, `SKILL.md:8:1: "scripts/x.sh" is started directly but is not executable`},
		{"behind others", run("cd x && FOO=1 sudo ./scripts/x.sh | tee"), map[string]string{"scripts/x.sh": sh}, `SKILL.md:8:20: "scripts/x.sh" is started directly but is not executable`},
		{"behind a prompt", "```console\n$ scripts/x.sh\n```\n", map[string]string{"scripts/x.sh": sh}, `SKILL.md:6:3: "scripts/x.sh" is started directly but is not executable`},
		{"quoted, with a variable", run(`"${SKILL_DIR}/scripts/x.sh" in`), map[string]string{"scripts/x.sh": sh}, `SKILL.md:8:1: "scripts/x.sh" is started directly but is not executable`},
		{"stand-in", run("{baseDir}/scripts/x.sh in"), map[string]string{"scripts/x.sh": sh}, `SKILL.md:8:1: "scripts/x.sh" is started directly but is not executable`},
		{"at the top", run("./x.sh"), map[string]string{"x.sh": sh}, `SKILL.md:8:1: "x.sh" is started directly but is not executable`},
		{"in a sentence", "Run `scripts/x.sh in.pdf` now.\n", map[string]string{"scripts/x.sh": sh}, `SKILL.md:5:6: "scripts/x.sh" is started directly but is not executable`},
		{"named to be run", "Run `./scripts/x.sh`.\n", map[string]string{"scripts/x.sh": sh}, `SKILL.md:5:6: "scripts/x.sh" is started directly but is not executable`},
		{"named", "See `./scripts/x.sh`.\n\n- `./scripts/x.sh`\n\nRun `scripts/x.sh`.\n", map[string]string{"scripts/x.sh": sh}, ""},
		{"twice", run("./scripts/x.sh a\n./scripts/x.sh b"), map[string]string{"scripts/x.sh": sh}, `SKILL.md:8:1: "scripts/x.sh" is started directly but is not executable`},
		{"no shebang either", run("./scripts/x.py in"), map[string]string{"scripts/x.py": "print(1)\n"}, `SKILL.md:8:1: "scripts/x.py" is started directly but is not executable and has no shebang`},
		{"executable without shebang", "", map[string]string{"scripts/x.py*": "print(1)\n"}, "scripts/x.py:1:1: the script is executable but has no shebang: if it is started directly, a shell runs it"},
		{"executable without shebang, to be run", "Run `./scripts/y.py`.", map[string]string{"scripts/x.py*": "print(1)\n", "scripts/y.py*": "print(1)\n"}, "scripts/y.py:1:1: the script is executable but has no shebang: if it is started directly, a shell runs it (and 1 more script)"},
		{"several, executable without shebang", run("python3 scripts/x.py\nscripts/y.py 1"), map[string]string{"scripts/x.py*": "print(1)\n", "scripts/y.py*": "print(1)\n"}, "scripts/y.py:1:1: the script is executable but has no shebang: if it is started directly, a shell runs it (and 1 more script)"},
		{"package", "", map[string]string{"scripts/__init__.py*": "x = 1\n"}, ""},
		{"the same, without extension", "", map[string]string{"scripts/x*": "echo\n"}, "scripts/x:1:1: the script is executable but has no shebang: if it is started directly, a shell runs it"},
		{"CR LF", "", map[string]string{"scripts/x.sh*": "#!/bin/sh\r\necho\r\n"}, "scripts/x.sh:1:1: the shebang ends in CR LF: the system looks for a program whose name ends in a carriage return"},
		{"byte order mark", "", map[string]string{"scripts/x.sh*": "\uFEFF#!/bin/sh\n"}, "scripts/x.sh:1:1: a byte order mark precedes the shebang and hides it from the system"},

		{"executable", run("./scripts/x.sh in"), map[string]string{"scripts/x.sh*": sh}, ""},
		{"the program is left to the reader", run("scripts/x.py in"), map[string]string{"scripts/x.py": "print(1)\n"}, ""},
		{"named program", run("bash scripts/x.sh in\npython3 ./scripts/x.py\nsource ./scripts/x.sh\n. ./scripts/x.sh"), map[string]string{"scripts/x.sh": sh, "scripts/x.py": "print(1)\n"}, ""},
		{"made executable by chmod", run("chmod +x scripts/*.sh\n./scripts/x.sh in"), map[string]string{"scripts/x.sh": sh}, ""},
		{"mentioned", "The script `scripts/x.sh` and `./scripts/x.sh` do it.\n", map[string]string{"scripts/x.sh": sh}, ""},
		{"listed", "```\nscripts/x.sh    extracts\nreferences/a.md tells\n```\n", map[string]string{"scripts/x.sh": sh, "references/a.md": "x\n"}, ""},
		{"another language", "```python\nscripts/x.sh in\n```\n", map[string]string{"scripts/x.sh": sh}, ""},
		{"comment", run("# ./scripts/x.sh in"), map[string]string{"scripts/x.sh": sh}, ""},
		{"of the user's project", run("./gradlew build\n./scripts/build.sh"), map[string]string{"scripts/x.sh": sh}, ""},
		{"no script", run("./references/a.md x"), map[string]string{"references/a.md": "x\n"}, ""},
		{"executable text that is no script", "", map[string]string{"references/a.md*": "x\n", "LICENSE*": "x\n", "data.json*": "{}"}, ""},
		{"executable program", "", map[string]string{"scripts/x*": "\x7fELF\x00\x01"}, ""},
		{"PowerShell and batch", "", map[string]string{"scripts/x.ps1*": "echo\r\n", "scripts/x.cmd*": "echo\r\n"}, ""},
		{"empty module", "", map[string]string{"scripts/__init__.py*": ""}, ""},
		{"samples and tests", "", map[string]string{"assets/x.py*": "print(1)\n", "scripts/tests/x.py*": "print(1)\n", "scripts/test_x.py*": "print(1)\n"}, ""},
		{"link", "", map[string]string{"scripts/x.py": "-> ../x"}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := strings.Join(findings(bodyWith(tt.body, tt.files), "script-run"), "\n"); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

// TestScriptRunInterpreted checks that an executable script without a shebang is
// reported as advice unless a command starts it.
func TestScriptRunInterpreted(t *testing.T) {
	for command, want := range map[string]spec.Level{"python3 scripts/x.py": spec.Info, "scripts/x.py 1": spec.Warning} {
		for _, x := range Check(bodyWith("```sh\n"+command+"\n```\n", map[string]string{"scripts/x.py*": "print(1)\n"}), spec.Options{}) {
			if x.Rule == "script-run" && x.Level == want {
				want = 0
			}
		}
		if want != 0 {
			t.Errorf("%s: not reported at level %s", command, want)
		}
	}
}

func TestScriptRunFix(t *testing.T) {
	d := bodyWith("```sh\n./scripts/x.sh\n```\n", map[string]string{"scripts/x.sh": "#!/bin/sh\n"})
	ds := Check(d, spec.Options{})
	i := slices.IndexFunc(ds, func(x spec.Diagnostic) bool { return x.Rule == "script-run" })
	if i < 0 || ds[i].Fix == nil || !slices.Equal(ds[i].Fix.Executable, []string{"scripts/x.sh"}) || len(ds[i].Fix.Edits) > 0 {
		t.Fatalf("got %+v, want a fix that makes scripts/x.sh executable", ds)
	}
	// A bit alone does not make a file without shebang run as it should.
	d = bodyWith("```sh\n./scripts/x.py\n```\n", map[string]string{"scripts/x.py": "print(1)\n"})
	for _, x := range Check(d, spec.Options{}) {
		if x.Fix != nil {
			t.Errorf("%v has the fix %+v", x, x.Fix)
		}
	}
}

// TestScriptRunLineEnds checks the fix of a script whose shebang ends in CR LF.
func TestScriptRunLineEnds(t *testing.T) {
	edit := func(start, end int) spec.Edit {
		return spec.Edit{File: "scripts/x.sh", Start: start, End: end, Text: "\n"}
	}
	for text, want := range map[string][]spec.Edit{
		"#!/bin/sh\r\necho \rx\r\n\r\n":              {edit(9, 11), edit(18, 20), edit(20, 22)},
		"#!/bin/sh\r\necho\r\r\necho\necho\r":        {edit(9, 11), edit(15, 18), edit(27, 28)},
		"#!/bin/sh\r":                                {edit(9, 10)},
		strings.Repeat("#!/bin/sh\r\n", 2001):        nil,
		"#!/bin/sh\r\n" + strings.Repeat("x", 2<<20): nil, // not read to its end
	} {
		found := slices.DeleteFunc(Check(bodyWith("", map[string]string{"scripts/x.sh*": text}), spec.Options{}), func(d spec.Diagnostic) bool { return d.Rule != "script-run" })
		var got []spec.Edit
		if len(found) == 1 && found[0].Fix != nil {
			got = found[0].Fix.Edits
		}
		if len(found) != 1 || !slices.Equal(got, want) {
			t.Errorf("%.40q: got %+v, want the edits %+v", text, found, want)
		}
	}
}

// TestScriptRunWithoutModes checks that nothing is reported on file systems without
// executable bits.
func TestScriptRunWithoutModes(t *testing.T) {
	const body = "```sh\n./scripts/x.sh\n```\n"
	for _, mode := range []fs.FileMode{0o666, 0o444, 0o777, 0o755} {
		d := bodyWith(body, map[string]string{"scripts/x.sh": "#!/bin/sh\n", "scripts/y.py": "print(1)\n"})
		m := d.Files.(*memoryFiles)
		for i := range m.files {
			if m.files[i].Mode.IsRegular() {
				m.files[i].Mode = m.files[i].Mode&^0o777 | mode
			}
		}
		if got := findings(d, "script-run"); len(got) > 0 {
			t.Errorf("mode %o: got %q", mode, got)
		}
	}
	d := bodyWith(body, nil)
	d.Files = nil
	if got := findings(d, "script-run"); len(got) > 0 {
		t.Errorf("without a folder: got %q", got)
	}
	// A checkout on Windows: all files end their lines so.
	d = skillWith(strings.ReplaceAll("---\nname: my-skill\ndescription: Does a thing. Use when testing.\n---\nx\n", "\n", "\r\n"), map[string]string{"scripts/x.sh": "#!/bin/sh\r\n"})
	for i := range d.Files.(*memoryFiles).files {
		d.Files.(*memoryFiles).files[i].Mode |= 0o666
	}
	if got := findings(d, "script-run"); len(got) > 0 {
		t.Errorf("Windows checkout: got %q", got)
	}
}
