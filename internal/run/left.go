package run

import (
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"skills/internal/agent/skills"
	"skills/internal/script"
	"skills/internal/script/sandbox"
)

// leftovers are the warnings about what scripts left behind, for the end of the run.
type leftovers struct {
	mu       sync.Mutex
	warnings []string
}

// maxLeft is how many warnings about leftovers are repeated.
const maxLeft = 20

// noteLeft notes what a script left behind. A server has no end that anybody waits for,
// so the warning is passed on at once.
func (p *Parts) noteLeft(s script.Script, left []script.Leftover) {
	env := slices.ContainsFunc(left, func(l script.Leftover) bool {
		return l.State != "removed" && strings.EqualFold(l.Path, filepath.Join(sandbox.Real(p.Env.Dir), ".env"))
	})
	text := skills.LeftBehind(s.String(), left)
	switch {
	case env && p.Env.markEnvLeft():
		text += "; the next run asks before it uses .env"
	case env:
		text += "; check .env before the next run, which cannot be told about it"
	}
	if p.Options.Serves {
		p.Env.Warn("%s", p.Mask.Text(text))
		return
	}
	p.left.mu.Lock()
	defer p.left.mu.Unlock()
	if len(p.left.warnings) < maxLeft && !slices.Contains(p.left.warnings, text) {
		p.left.warnings = append(p.left.warnings, text)
	}
}

// Left returns the warnings about what scripts left behind, without keys.
func (p *Parts) Left() []string {
	p.left.mu.Lock()
	defer p.left.mu.Unlock()
	warnings := make([]string, len(p.left.warnings))
	for i, text := range p.left.warnings {
		warnings[i] = p.Mask.Text(text)
	}
	return warnings
}
