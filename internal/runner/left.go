package runner

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
// so the warning is printed at once.
func (r *Runner) noteLeft(s script.Script, left []script.Leftover) {
	env := slices.ContainsFunc(left, func(l script.Leftover) bool {
		return l.State != "removed" && strings.EqualFold(l.Path, filepath.Join(sandbox.Real(r.Dir), ".env"))
	})
	text := skills.LeftBehind(s.String(), left)
	if env {
		text += "; the next run asks before it uses .env"
		if !r.markEnvLeft() {
			text = skills.LeftBehind(s.String(), left) + "; check .env before the next run, which cannot be told about it"
		}
	}
	if r.serves {
		r.Warn("%s", r.mask.Text(text))
		return
	}
	r.left.mu.Lock()
	defer r.left.mu.Unlock()
	if len(r.left.warnings) < maxLeft && !slices.Contains(r.left.warnings, text) {
		r.left.warnings = append(r.left.warnings, text)
	}
}

// printLeft prints the warnings at the end.
func (r *Runner) printLeft() {
	r.left.mu.Lock()
	defer r.left.mu.Unlock()
	for _, text := range r.left.warnings {
		r.Warn("%s", r.mask.Text(text))
	}
	r.left.warnings = nil
}
