package cmd

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"skills/internal/testing/openaitest"
)

// TestEnvAtTerminal changes the server in .env between runs in a folder: the user is asked
// with both servers, a no ends the run, and a yes is remembered.
func TestEnvAtTerminal(t *testing.T) {
	t.Parallel()
	server := openaitest.New(t, openaitest.Text("one"), openaitest.Text("two"), openaitest.Text("three"), openaitest.Text("four"))
	dir, home := t.TempDir(), t.TempDir()
	run := func(url string, keys string) (screen string, code int) {
		makeFile(t, filepath.Join(dir, ".env"), "OPENAI_BASE_URL="+url+"\n")
		c := startConsole(t, nil, func(cmd *exec.Cmd) {
			cmd.Dir, cmd.Env = dir, []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "TERM=xterm", "LANG=C.UTF-8", "NO_COLOR=1"}
		}, "skills", "run", "--no-builtin", "go")
		const question = "[y]es  [n]o: "
		if keys != "" {
			c.until(question, 1)
			c.kind(keys)
		}
		screen, code = c.end()
		if asked := strings.Count(screen, question); (asked == 0) != (keys == "") {
			t.Errorf("asked %d times\n%s", asked, screen)
		}
		return screen, code
	}
	other := server.URL + "/." // another URL of the same server
	if screen, code := run(server.URL, ""); code != 0 {
		t.Errorf("the first run: exit code %d\n%s", code, screen)
	}
	screen, code := run(other, "n")
	if code != 2 || !strings.Contains(screen, "error: .env is not used: you answered no\n") {
		t.Errorf("no: exit code %d\n%s", code, screen)
	}
	for _, want := range []string{
		"  file         \"" + dir + "/.env\"\n", "  server       " + other + "\n", "  last server  " + server.URL + "\n",
		"  warning      it names another server than the last run here\n",
	} {
		if !strings.Contains(screen, want) {
			t.Errorf("%q is missing in\n%s", want, screen)
		}
	}
	for _, keys := range []string{"y", "", ""} {
		if screen, code := run(other, keys); code != 0 {
			t.Errorf("%q: exit code %d\n%s", keys, code, screen)
		}
	}
}
