package doctor

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"skills/internal/loader"
	"skills/internal/script"
)

// shebang completes the check of an interpreter by what the script's first line
// names, where that is not what was found: other programs run what it names and
// nothing else.
func (d *Doctor) shebang(c Check, head []byte) Check {
	named := script.Shebang(head)
	name := named[strings.LastIndex(named, "/")+1:]
	if named == "" || runtime.GOOS == "windows" || c.Kind != "interpreter" {
		return c
	}
	there := false
	if name == named || filepath.IsAbs(named) {
		_, there = d.Runner.Find(named)
	}
	switch {
	case there:
	case c.State == OK && c.Message == "" && (c.Name != "uv" || name == "uv"):
		c.State = Unsure
		c.Message = fmt.Sprintf("the shebang line names %s, which is no program here; this one is run instead", named)
		c.Hint = "write #!/usr/bin/env " + c.Name
	case c.State == Missing && filepath.IsAbs(named):
		if _, err := os.Stat(named); err == nil {
			c.Message, c.Hint = fmt.Sprintf("the shebang line names %s, which is no program", named), "name the interpreter"
			c.Name = named
		}
	}
	return c
}

// unlisted is a check that says why a skill's folder of scripts holds none; ok
// is whether there is something to be said.
func unlisted(s *loader.Skill) (c Check, ok bool) {
	const folder = "scripts"
	info, err := os.Lstat(filepath.Join(s.Dir, folder))
	if s.Dir == "" || err != nil || info.Mode()&os.ModeSymlink == 0 {
		return Check{}, false
	}
	root, err := os.OpenRoot(s.Dir)
	if err != nil {
		return Check{}, false
	}
	defer root.Close()
	if _, err := root.Stat(folder); err == nil {
		return Check{}, false
	}
	return Check{State: Unsure, Kind: "skill", Name: s.Name, Message: folder + " is a link that leads out of the skill or nowhere, so no script in it is listed",
		Hint: "put the scripts themselves there"}, true
}
