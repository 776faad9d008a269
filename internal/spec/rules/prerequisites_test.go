package rules

import (
	"strings"
	"testing"

	"skills/internal/spec"
)

func TestPrerequisites(t *testing.T) {
	const fence = "```"
	bash := func(command string) string { return fence + "bash\n" + command + "\n" + fence + "\n" }
	for _, tt := range []struct {
		fields, body string
		files        map[string]string
		want         string
	}{
		{"", bash("jq . in.json"), nil, "jq"},
		{"", bash("cat x | jq . > y && sudo docker ps"), nil, "jq and docker"},
		{"", "Then run `kubectl get pods`.\n", nil, "kubectl"},
		{"", "Run `scripts/a.sh`.\n", map[string]string{"scripts/a.sh": "#!/bin/sh\nffmpeg -i a b\n"}, "ffmpeg"},
		{"compatibility: Requires jq", bash("jq . x\ndocker ps"), nil, "docker"},
		{"", bash("uv run scripts/a.py"), nil, "uv"},

		{"", bash("git status\ncurl -s x | python3 -m json.tool\nnpx x\ncargo build"), nil, ""},
		{"", bash("uv run pytest tests/a.py"), nil, ""},
		{"", bash("mytool jq"), nil, ""},
		{"", fence + "python\njq = 1\n" + fence + "\n", nil, ""},
		{"", fence + "\ndocker -> registry\n" + fence + "\n", nil, ""},
		{"", "Use `jq` or `docker`, and the plugin watches `gh pr merge`.\n", nil, ""},
		{"compatibility: Needs JQ 1.6+", bash("jq . x"), nil, ""},
		{"compatibility: Requires the GitHub CLI", bash("gh pr list"), nil, ""},
		{"allowed-tools: Bash(jq:*)", bash("jq . x"), nil, ""},
		{"metadata:\n  requires: jq", bash("jq . x"), nil, ""},
		{"", "Install jq first: `brew install jq`.\n\n" + bash("jq . x"), nil, ""},
		{"", "Prerequisites: jq\n\n" + bash("jq . x"), nil, ""},
		{"", "Run `scripts/a.sh`.\n", map[string]string{"scripts/a.sh": "#!/bin/sh\ncommand -v jq >/dev/null || exit 2\njq . x\n"}, ""},
		{"", "Run `scripts/a.sh`.\n", map[string]string{"scripts/tests/a.sh": "jq . x\n"}, ""},
	} {
		d := skillWith("---\nname: my-skill\ndescription: Does a thing. Use when testing.\n"+tt.fields+"\n---\n"+tt.body, tt.files)
		got := strings.Join(findings(d, "prerequisites"), "\n")
		_, got, _ = strings.Cut(got, "commands need ")
		got = strings.TrimSuffix(got, ", which compatibility does not name")
		if got != tt.want {
			t.Errorf("%s%s: got %q, want %q", tt.fields, tt.body, got, tt.want)
		}
	}
	docker := skillWith("---\nname: docker-files\ndescription: Writes files for containers. Use when testing.\n---\n"+bash("docker ps\ndocker-compose up"), nil)
	if got := findings(docker, "prerequisites"); got != nil {
		t.Errorf("a skill about the program: %v", got)
	}
	if got := Needs(docker); len(got) != 2 || !got[0].Documented || got[0].File != "docker" || got[0].In != spec.FileName {
		t.Errorf("got %+v", got)
	}
}
