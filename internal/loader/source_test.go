package loader

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

func named(names ...string) (out []*Skill) {
	for i, n := range names {
		out = append(out, &Skill{Name: n, Origin: fmt.Sprint("place ", i)})
	}
	return out
}

func skillNames(t testing.TB, s Source) []string {
	t.Helper()
	skills, err := s.Skills(t.Context())
	ok(t, err)
	var out []string
	for _, k := range skills {
		out = append(out, k.Name)
	}
	return out
}

func TestCombining(t *testing.T) {
	broken := SourceFunc(func(context.Context) ([]*Skill, error) { return nil, errors.ErrUnsupported })
	memory := Memory(named("b", "a")...)
	same(t, "memory", skillNames(t, memory), []string{"b", "a"})
	both := Aggregate(memory, Memory(named("A", "c")...))
	same(t, "aggregate", skillNames(t, both), []string{"b", "a", "A", "c"})
	same(t, "deduplicate, unheard", skillNames(t, Deduplicate(both, nil)), []string{"b", "a", "c"})
	for name, s := range map[string]Source{
		"aggregate": Aggregate(memory, broken), "deduplicate": Deduplicate(broken, nil), "cache": Cache(broken),
	} {
		if _, err := s.Skills(t.Context()); !errors.Is(err, errors.ErrUnsupported) {
			t.Errorf("%s of a broken source: got %v", name, err)
		}
	}
}

func TestDeduplicate(t *testing.T) {
	skills := named("Foo", "bar", "foo", "Bar", "ÄÖ", "äö")
	skills[3].Dir, skills[1].Dir = "/same", "/same"
	skills = append(skills, skills[0])
	var n notes
	source := SourceFunc(func(context.Context) ([]*Skill, error) { return skills, nil })
	same(t, "skills", skillNames(t, Deduplicate(source, n.add)), []string{"Foo", "bar", "ÄÖ"})
	if len(n.all) != 2 || n.all[0].Path != "place 2" || !strings.Contains(n.all[0].Message, "place 0") || n.all[1].Path != "place 5" {
		t.Errorf("notices: got %q, want one for foo and one for äö with both places", n.text())
	}
}

// gate is a source that the test lets return.
type gate struct {
	calls   atomic.Int64
	started chan struct{}
	answer  chan error
}

func newGate() *gate { return &gate{started: make(chan struct{}), answer: make(chan error)} }

func (g *gate) Skills(ctx context.Context) ([]*Skill, error) {
	g.calls.Add(1)
	g.started <- struct{}{}
	select {
	case err := <-g.answer:
		return named("a"), err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// load starts a caller.
func load(ctx context.Context, source Source) <-chan error {
	result := make(chan error, 1)
	go func() {
		skills, err := source.Skills(ctx)
		if err == nil && (len(skills) != 1 || skills[0].Name != "a") {
			err = fmt.Errorf("got %v", skills)
		}
		result <- err
	}()
	return result
}

func TestCacheLoadsOnce(t *testing.T) {
	g := newGate()
	c := Cache(g)
	var results []<-chan error
	for range 10 {
		results = append(results, load(t.Context(), c))
	}
	<-g.started
	g.answer <- nil
	for _, r := range results {
		ok(t, <-r)
	}
	skills, err := c.Skills(t.Context())
	ok(t, err)
	skills[0] = nil // the caller's copy
	same(t, "kept", skillNames(t, c), []string{"a"})
	if n := g.calls.Load(); n != 1 {
		t.Errorf("got %d calls, want 1", n)
	}
}

func TestCacheKeepsNoFailure(t *testing.T) {
	g := newGate()
	c := Cache(g)
	for _, want := range []error{errors.ErrUnsupported, nil} {
		result := load(t.Context(), c)
		<-g.started
		g.answer <- want
		if err := <-result; !errors.Is(err, want) {
			t.Errorf("got %v, want %v", err, want)
		}
	}
}

// TestCacheCancelled checks that a cancelled caller returns at once, whether it loads or
// waits, and that other callers are not affected.
func TestCacheCancelled(t *testing.T) {
	g := newGate()
	c := Cache(g)
	ctx, cancel := context.WithCancel(t.Context())
	first := load(ctx, c)
	<-g.started
	ended, end := context.WithCancel(t.Context())
	end()
	if err := <-load(ended, c); !errors.Is(err, context.Canceled) {
		t.Errorf("while waiting: got %v, want Canceled", err)
	}
	second := load(t.Context(), c)
	cancel()
	if err := <-first; !errors.Is(err, context.Canceled) {
		t.Errorf("while loading: got %v, want Canceled", err)
	}
	<-g.started
	g.answer <- nil
	ok(t, <-second)
	if _, err := c.Skills(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled caller: got %v, want Canceled", err)
	}
}

func TestNotifyOnce(t *testing.T) {
	var n notes // not safe for several goroutines by itself
	notify := once(n.add)
	var group sync.WaitGroup
	for i := range 8 {
		group.Go(func() { notify(Notice{Path: strconv.Itoa(i)}) })
		group.Go(func() { notify(Notice{Path: "0"}) })
	}
	group.Wait()
	if len(n.all) != 8 {
		t.Errorf("got %d notices, want 8", len(n.all))
	}
}
