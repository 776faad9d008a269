package rules

import (
	"strings"
	"testing"
)

func TestHomePath(t *testing.T) {
	for _, tt := range []struct{ body, want string }{
		{"cd /Users/mkowalska/work\n", "SKILL.md:5:4: /Users/mkowalska is one person's home folder"},
		{"`/home/p.novak/x` and /home/p.novak/y\n", "SKILL.md:5:2: /home/p.novak is one person's home folder"},
		{"é C:\\Users\\PNovak\\x\n", "SKILL.md:5:3: C:\\Users\\PNovak is one person's home folder"},
		{"\"C:\\\\Users\\\\PNovak\\\\x\" d:/Users/pn2/x\n", "SKILL.md:5:2: C:\\\\Users\\\\PNovak is one person's home folder\nSKILL.md:5:24: d:/Users/pn2 is one person's home folder"},
		{"file:///Users/mkowalska/x\n", "SKILL.md:5:8: /Users/mkowalska is one person's home folder"},
		{"PATH=/bin:/home/pnovak/bin\n", "SKILL.md:5:11: /home/pnovak is one person's home folder"},

		{"/Users/you/x /home/user/x /home/username/x /Users/yourname/x C:\\Users\\User\\x /home/foo/x /home/runner/work /Users/me/x\n", ""},
		{"/Users/<name>/x /home/$USER/x /Users/{name}/x /home/*/x /Users/.../x /Users/xxx/x /home/${USER}/x C:\\Users\\%USERNAME%\\x\n", ""},
		{"https://example.com/home/pricing/x https://x.example/Users/abc/y /api/Users/abc/ ./home/abc/ ~/home/abc/x\n", ""},
		{"GET /Users/2819c223-7f76-453a-919d-413861904646/x\n", ""},
		{"/Users/mkowalska and /home/pnovak\n", ""},
		{"Run:\n\n```\ncd /Users/mkowalska/work\n```\n", "SKILL.md:8:4: /Users/mkowalska is one person's home folder"},
		{"It prints:\n\n```\nReady: /Users/mkowalska/work\n```\n", ""},
		{"`docker run -v x:/home/pnovak/work img` and `WORKDIR /home/pnovak/app`\n", ""},
		{"/home/ /Users/ C:\\Users\\\n", ""},
		{":\\Users\\ab\\ 12:\\Users\\ab\\\n", ""},
	} {
		if got := strings.Join(findings(bodyWith(tt.body, nil), "home-path"), "\n"); got != tt.want {
			t.Errorf("%s: got  %s\nwant %s", tt.body, got, tt.want)
		}
	}
	files := map[string]string{}
	for _, name := range []string{"references/a.md", "scripts/x.py", "config.json", "data.csv", "assets/a.md", "tests/x.py", "x.log", "benchmarks/results/a.json"} {
		files[name] = "see /home/pnovak/x\n"
	}
	want := "config.json:1:5 references/a.md:1:5 scripts/x.py:1:5"
	var places []string
	for _, f := range findings(bodyWith("", files), "home-path") {
		places = append(places, strings.Split(f, ": ")[0])
	}
	if got := strings.Join(places, " "); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
