package workspace

import (
	"path/filepath"
	"strings"
	"testing"

	"skills/internal/agent"
)

// TestSkillSecrets: the .env files of a loaded skill are hidden from every tool.
func TestSkillSecrets(t *testing.T) {
	dir := folder(t, map[string]string{
		"work/a.txt": "one", "home/": "", "skills/s/SKILL.md": "skill", "skills/s/x.md": "text", "skills/s/.env": "SECRET=1", "skills/s/link": "->.env",
		"skills/s/.env.local": "->secret.txt", "skills/s/secret.txt": "SECRET=2", "skills/o/SKILL.md": "skill", "skills/o/.env": "SECRET=3",
	})
	skill := filepath.Join(dir, "skills/s")
	tools, _ := confined(t, dir, skill, filepath.Join(dir, "skills/o"))
	for _, got := range []agent.ToolResult{
		call(t, tools["read_file"], in{"path": skill + "/.env"}), call(t, tools["read_file"], in{"path": skill + "/link"}), call(t, tools["read_file"], in{"path": skill + "/secret.txt"}),
		call(t, tools["search_files"], in{"path": skill, "pattern": "SECRET"}), call(t, tools["run_command"], in{"command": "grep -r SECRET= " + dir + "/skills"}),
		call(t, tools["run_command"], in{"command": "cat .env link secret.txt ../o/.env", "skill": "s"}),
	} {
		if strings.Contains(got.Text, "SECRET=") {
			t.Errorf("got %s", got.Text)
		}
	}
	for _, got := range []agent.ToolResult{
		call(t, tools["read_file"], in{"path": skill + "/x.md"}), // also below /tmp, of which commands see another
		call(t, tools["run_command"], in{"command": "cat " + skill + "/x.md"}), call(t, tools["run_command"], in{"command": "cat x.md", "skill": "s"}),
	} {
		if strings.TrimSpace(got.Text) != "text" {
			t.Errorf("got %s", got.Text)
		}
	}
	if got := call(t, tools["run_command"], in{"command": "echo x >" + skill + "/new"}); !got.Failed {
		t.Errorf("got %+v", got)
	}
}
