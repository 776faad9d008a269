//go:build unix

package skills_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"skills/internal/agent"
	"skills/internal/agent/skills"
	"skills/internal/approve"
	"skills/internal/script"
	"skills/internal/testing/filetest"
)

// decoySkill creates a skill surrounded by targets: links out of its folder, secrets
// next to it, scripts that leave a mark when they run.
func decoySkill(f *testing.F) (root, mark string) {
	f.Helper()
	root, err := os.MkdirTemp("", "skills")
	if err == nil {
		root, err = filepath.EvalSymlinks(root)
	}
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { os.RemoveAll(root) })
	mark = filepath.Join(root, "it-ran")
	evil := "#!/bin/sh\necho " + canary + "\n: > " + mark + "\n"
	filetest.Write(f, root, map[string]string{
		"skills/a/SKILL.md":          "---\nname: a\ndescription: x\n---\nText of a.\n",
		"skills/a/references/FAQ.md": "an answer",
		"skills/a/scripts/echo.sh":   "for word; do printf '[%s]' \"$word\"; done\n",
		"skills/a/scripts/-n.sh":     "printf 'dash[%s]' \"$@\"\n",
		"skills/a/.hidden/evil.sh":   evil,
		"skills/a/.hidden.md":        canary,
		"skills/a-evil/secret.md":    canary,
		"skills/secret.md":           canary,
		"skills/evil.sh":             evil,
		"secret.md":                  canary,
		"work/echo.sh":               evil,
		"work/scripts/echo.sh":       evil,
		"work/secret.md":             canary,
	})
	dir := filepath.Join(root, "skills", "a")
	for link, target := range map[string]string{
		"link.md": "../secret.md", "links": "..", "absolute.md": filepath.Join(root, "secret.md"), "scripts/out.sh": "../../evil.sh",
		"references/up": "../../..", "root": "/", "loop": "loop", "scripts/self.sh": "/proc/self/environ",
	} {
		if err := os.Symlink(target, filepath.Join(dir, link)); err != nil {
			f.Fatal(err)
		}
	}
	return root, mark
}

// FuzzTools sends names and arguments of every kind to the three tools, with
// real files and a real runner: nothing outside the skill's folder is opened or
// run, nothing panics, and every call has one text.
func FuzzTools(f *testing.F) {
	root, mark := decoySkill(f)
	for _, name := range []string{
		"references/FAQ.md", "scripts/echo.sh", "SCRIPTS\\Echo.SH", "./scripts/./echo.sh", "scripts/-n.sh", "../evil.sh", "scripts/../../evil.sh",
		"scripts/out.sh", "links/evil.sh", "link.md", "absolute.md", "references/up/secret.md", "root/etc/passwd", "loop", "scripts/self.sh",
		".hidden/evil.sh", ".hidden.md", "a-evil/secret.md", "/etc/passwd", "~/secret.md", "echo.sh", "scripts", "scripts/echo.sh/",
		"scripts/echo.sh\x00.md", "scripts/echo.sh\n", "file:///etc/passwd", "%2e%2e/secret.md", "C:\\secret.md", "\\\\host\\share", "CON", "-", "--help", "",
	} {
		f.Add(byte(1), "a", name, `0`)
		f.Add(byte(2), "a", name, `["x"]`)
		f.Add(byte(0), name, "", ``)
	}
	for _, arguments := range []string{
		`["--", "-x", "$(id)", "; id", "` + "`id`" + `", "\u0000", "\ud800", "é", ""]`, `{"a":1,"b":true,"c":["x",null],"d":{"e":1}}`, `null`, `"[\"x\"]"`,
		`"{\"a\":1}"`, `[1,2.50,1e400]`, `{"-x":"y","":"z","a b":"c","=":"d"}`, `[[[[]]]]`, `{`, `-1`, `9223372036854775807`, `1e999`, `"../../secret.md"`,
	} {
		f.Add(byte(2), "a", "scripts/echo.sh", arguments)
		f.Add(byte(1), "a", "references/FAQ.md", arguments)
		f.Add(byte(3), "a", "scripts/echo.sh", arguments)
	}
	f.Add(byte(5), "a", "", `{"skillName":"a","skill_name":"../a","scriptName":"../evil.sh","script_name":"scripts/echo.sh","args":["x"]}`)
	f.Fuzz(func(t *testing.T, tool byte, skill, name, arguments string) {
		if strings.Contains(skill+name+arguments, "CANARY") {
			return // the mask would change it
		}
		runner := &script.Runner{
			Dir: filepath.Join(root, "work"), Env: []string{"PATH=.:" + os.Getenv("PATH")}, Timeout: 20 * time.Second, Sandbox: script.SandboxOff,
		}
		b := newBench(t, skills.Options{Source: files(filepath.Join(root, "skills")), Runner: runner})
		inv := b.invocation([]string{"load_skill", "read_skill_resource", "run_skill_script"}[tool%3], call(tool, skill, name, arguments))
		got, err := perform(t.Context(), inv)
		if err != nil {
			t.Fatalf("%s: %v", inv.Arguments, err)
		}
		if got.Text == "" || !utf8.ValidString(got.Text) || strings.ContainsRune(got.Text, 0) {
			t.Errorf("%s: the answer is %q", inv.Arguments, got.Text)
		}
		if strings.Contains(got.Text, canary) || strings.Contains(got.Text, "root:x:0:") || strings.Contains(got.Text, "PATH=") {
			t.Errorf("%s: something outside the skill was read: %q", inv.Arguments, got.Text)
		}
		if _, err := os.Lstat(mark); err == nil {
			os.Remove(mark)
			t.Errorf("%s: something other than the scripts of the skill was run: %q", inv.Arguments, got.Text)
		}
		if p := got.Process; p != nil && p.ExitCode != 0 {
			t.Errorf("%s: the script was run in another way: %+v %q", inv.Arguments, *p, got.Text)
		}
		b.agrees(t, inv)
	})
}

// call returns the arguments of a call: the pieces as JSON, or for other kinds of calls
// arguments unchanged.
func call(tool byte, skill, name, arguments string) string {
	if tool >= 3 {
		return strings.ToValidUTF8(arguments, "\uFFFD") // as the loop has them
	}
	in := map[string]any{"skillName": skill}
	switch tool {
	case 1:
		in["resourceName"] = name
		if json.Valid([]byte(arguments)) {
			in["offset"] = json.RawMessage(arguments)
		}
	case 2:
		in["scriptName"], in["arguments"] = name, arguments
		if json.Valid([]byte(arguments)) {
			in["arguments"] = json.RawMessage(arguments)
		}
	}
	text, _ := json.Marshal(in) // strings and valid JSON always can be
	return string(text)
}

// agrees asks the policy about the same call: what is allowed is a script there
// is, and what is not is refused without an error.
func (b *bench) agrees(t *testing.T, inv *agent.Invocation) {
	t.Helper()
	policy := newPolicy(t, b, policyOptions{Mode: approve.Never})
	if d, needed, err := policy.Approve(t.Context(), inv); err != nil || d.Approved || needed && inv.Tool.Name != "run_skill_script" {
		t.Errorf("%s: %+v, needed %t, %v", inv.Arguments, d, needed, err)
	}
}
