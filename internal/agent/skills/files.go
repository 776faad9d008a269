package skills

import (
	"context"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"skills/internal/files"
	"skills/internal/loader"
	"skills/internal/script"
	"skills/internal/script/sandbox"
)

// knownFiles remembers the files of skills as they were first seen in this process: a
// script that a flag approves runs only with these.
type knownFiles struct {
	mu    sync.Mutex
	first map[string]files.Snapshot // by folder
	own   map[string]files.Snapshot // last state of files that the skill's own scripts were allowed to change
}

// pin remembers the files of a skill unless they are known.
func (k *knownFiles) pin(dir string, now files.Snapshot) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.first[dir] == nil {
		k.first[dir] = now
	}
}

// changed returns what differs from earlier files, without what the skill's own scripts
// changed where they may.
func (k *knownFiles) changed(dir string, now, earlier files.Snapshot) []string {
	k.mu.Lock()
	defer k.mu.Unlock()
	own := k.own[dir]
	return slices.DeleteFunc(now.Changed(earlier), func(name string) bool {
		state, written := own[name]
		return written && state == now[name]
	})
}

// changedSinceSeen is changed since the files were first seen.
func (k *knownFiles) changedSinceSeen(dir string, now files.Snapshot) []string {
	k.mu.Lock()
	earlier, known := k.first[dir]
	k.mu.Unlock()
	if !known {
		return nil
	}
	return k.changed(dir, now, earlier)
}

// wrote remembers what a script changed in its skill's folder.
func (k *knownFiles) wrote(dir string, before, after files.Snapshot) {
	k.mu.Lock()
	defer k.mu.Unlock()
	own := maps.Clone(k.own[dir])
	if own == nil {
		own = files.Snapshot{}
	}
	for _, name := range after.Changed(before) {
		own[name] = after[name] // "" for a file that was removed
	}
	k.own[dir] = own
}

// pinFiles remembers the files of a skill that has scripts to run, when it is read.
func (p *Provider) pinFiles(ctx context.Context, s *loader.Skill, c loader.Contents) {
	isFile := func(x loader.Script) bool { return x.Call == nil }
	if p.opt.NoScripts || s.Dir == "" || p.runner(s) == nil {
		return
	}
	if !slices.ContainsFunc(c.Scripts, isFile) {
		return
	}
	p.files.mu.Lock()
	_, known := p.files.first[s.Dir]
	p.files.mu.Unlock()
	if known {
		return
	}
	if now, err := files.TakeSnapshot(ctx, s.Dir); err == nil { // the start of a script reports the error
		p.files.pin(s.Dir, now)
	}
}

// covers returns which files of a skill are compared: all, or if it is itself the working
// folder, which its scripts fill with results, those that scripts cannot change.
func (p *Provider) covers(s *loader.Skill, c loader.Contents) func(name string) bool {
	if p.opt.Scripts.Dir == "" || sandbox.Real(p.opt.Scripts.Dir) != sandbox.Real(s.Dir) {
		return nil
	}
	code := sandbox.SkillParts()
	for _, x := range c.Scripts {
		top, _, _ := strings.Cut(x.Name, "/")
		code = append(code, top)
	}
	return func(name string) bool {
		top, _, _ := strings.Cut(name, "/")
		return slices.Contains(code, top)
	}
}

// mayWrite reports whether the scripts of a skill were allowed to change its folder: the
// user switched the sandbox off, or opened the folder.
func (p *Provider) mayWrite(s *loader.Skill, usedSandbox string) bool {
	return usedSandbox == sandbox.None || slices.ContainsFunc(p.opt.Scripts.Writable, func(dir string) bool {
		return sandbox.Within(sandbox.Real(s.Dir), sandbox.Real(filepath.Clean(dir)))
	})
}

func (c *Call) covered(names []string) []string {
	return slices.DeleteFunc(names, func(name string) bool { return c.covers != nil && !c.covers(name) })
}

// read reads the files of the skill and the command as they are now.
func (c *Call) read(ctx context.Context) {
	c.digest, c.err = script.Digest(c.anyContent())
	if c.err == nil {
		c.Command, c.err = c.runner.Command(c.anyContent(), c.Args)
	}
	if c.err == nil {
		c.files, c.err = script.TakeSnapshot(ctx, c.anyContent())
	}
	c.history = c.writesHistory()
}

// anyContent is the script, whatever its files contain.
func (c *Call) anyContent() script.Script {
	file := c.file()
	file.Digest, file.Files = "", nil
	return file
}

// filesDigest returns a digest of the covered files, or "" for a function.
func (c *Call) filesDigest(now files.Snapshot) string {
	if now == nil {
		return ""
	}
	covered := maps.Clone(now)
	maps.DeleteFunc(covered, func(name, _ string) bool { return c.covers != nil && !c.covers(name) })
	return covered.Digest()
}
