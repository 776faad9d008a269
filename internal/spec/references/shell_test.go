package references

import "testing"

// TestShellCommand finds commands that a reader is to run, and no examples.
func TestShellCommand(t *testing.T) {
	block := func(code string) string { return "Do this:\n\n```bash\n" + code + "\n```\n" }
	for body, want := range map[string]string{
		block("git log --oneline"):                     "git log --oneline",
		block("cd x && npm test -- a"):                 "npm test -- a",
		"Run `git status --short` first.":              "git status --short",
		block("python scripts/x.py data.csv"):          "",
		block("python {baseDir}/tool.py a"):            "",
		block("python ./skills/x/tool.py a"):           "",
		block(`python scripts\x.py "C:\a.docx"`):       "",
		block("python3 -m uv pip install x"):           "",
		block("pip install x\nnpm install y"):          "",
		block("#!/bin/sh\ngit push origin"):            "",
		block("f() {\n  git push origin\n}"):           "",
		block("export A=b"):                            "",
		block("# a comment"):                           "",
		"```\ngit log --oneline\n```\n":                "",
		"```yaml\nrun: git log\n```\n":                 "",
		"```python\nimport x\n```\n":                   "",
		"Edit the file, then save it.":                 "",
		"The option `git commit --amend` is dangerous": "",
		"": "",
	} {
		got := ShellCommand(body, "x", func(name string) bool { return name == "tool.py" })
		if got != want {
			t.Errorf("%q: got %q, want %q", body, got, want)
		}
	}
}
