package skills_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"

	"skills/internal/agent/skills"
	"skills/internal/loader"
)

// TestNothingIsLoadedAtFirst checks that the first request needs only frontmatter: no
// body is read, and the search for scripts ends at the first.
func TestNothingIsLoadedAtFirst(t *testing.T) {
	var looks atomic.Int64
	var many []*loader.Skill
	for i := range 200 {
		many = append(many, &loader.Skill{
			Name: fmt.Sprintf("s%03d", i), Description: "d", Dir: t.TempDir(),
			Load: func(context.Context) (loader.Contents, error) {
				t.Error("a skill is read")
				return loader.Contents{}, nil
			},
			Scripted: func(context.Context) (bool, error) { looks.Add(1); return true, nil },
		})
	}
	b := newBench(t, skills.Options{Source: loader.Memory(many...), Runner: &recorder{}})
	if len(b.context.Tools) != 3 || looks.Load() > 16 {
		t.Errorf("%d tools after %d looks, want 3 after a few", len(b.context.Tools), looks.Load())
	}
	looks.Store(0)
	b = newBench(t, skills.Options{Source: loader.Memory(many...)})
	if len(b.context.Tools) != 2 || looks.Load() != 0 {
		t.Errorf("without a runner: %d tools after %d looks, want 2 after none", len(b.context.Tools), looks.Load())
	}
}
