package transcript

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"skills/internal/agent"
	"skills/internal/terminal"
)

// screen is a terminal for both streams: it applies carriage returns and erasures.
type screen struct {
	lines  []string
	column int // of the cursor, in the last line
}

func (s *screen) Write(p []byte) (int, error) {
	if s.lines == nil {
		s.lines = []string{""}
	}
	for text := string(p); text != ""; {
		r := []rune(text)[0]
		last := []rune(s.lines[len(s.lines)-1])
		rest, clears := strings.CutPrefix(text, "\x1b[J")
		switch {
		case clears:
			last = last[:min(s.column, len(last))]
		case r == '\r':
			s.column = 0
		case r != '\n':
			last = append(last[:s.column], append([]rune{r}, last[min(s.column+1, len(last)):]...)...)
			s.column++
		}
		s.lines[len(s.lines)-1] = string(last)
		if r == '\n' {
			s.lines, s.column = append(s.lines, ""), 0
		}
		text = text[len(string(r)):]
		if clears {
			text = rest
		}
	}
	return len(p), nil
}

// eighty is the width of a terminal.
func eighty() int { return 80 }

// TestWaiting goes through a run, with a tick after each event: the status line shows
// what comes next, is never mixed with output, and is gone at the end.
func TestWaiting(t *testing.T) {
	s := &screen{}
	clock := time.Unix(0, 0)
	ticks := make(chan time.Time)
	line := terminal.NewStatus(s, eighty, func() time.Time { return clock }, ticks)
	p := Waiting(Text(s, TextOptions{Terminal: true}), line)
	model := func(text string) agent.Event {
		return agent.MessageEvent{Role: agent.Assistant, Source: agent.FromModel, Text: text}
	}
	for i, step := range []struct {
		event agent.Event
		want  string // the last line on the screen two seconds later
	}{
		{Started{Identity: Identity{Model: "m\x1b[2J"}}, "waiting for m␛[2J · 2 s"},
		{agent.MessageEvent{Role: agent.User, Source: agent.FromUser, Text: "hi"}, "waiting for m␛[2J · 4 s"},
		{agent.RequestEvent{Turn: 1}, "waiting for m␛[2J · 6 s"},
		{agent.MessageDelta{Text: "Let me "}, "  Let me"},
		{agent.MessageDelta{Text: "see."}, "  Let me"},
		{model("Let me see."), ""},
		{agent.ToolCallEvent{ID: "a", Name: "look", Turn: 1}, "running look · 2 s"},
		{agent.ToolCallEvent{ID: "b", Name: "run_skill_script", Arguments: []byte(`{"skillName":"s","scriptName":"x.sh"}`), Turn: 1}, "running look, 1 more · 2 s"},
		{agent.ActionEvent{ID: "b", Action: agent.Summary{Kind: agent.KindScript, Owner: "s", Name: "x.sh"}}, "running look, 1 more · 4 s"},
		{agent.UsageEvent{Turn: 1, Usage: agent.Usage{InputTokens: 40, OutputTokens: 2}}, "running look, 1 more · 6 s · 42 tokens"},
		{agent.ToolApproval{ID: "a", Decision: "approved", By: "user"}, "running look, 1 more · 2 s · 42 tokens"},
		{agent.CallProgressEvent{ID: "a", Text: "2 of 5: half way"}, "running look, 1 more · 4 s · 2 of 5: half way"},
		{agent.CallProgressEvent{ID: "x", Text: "of an unknown call"}, "running look, 1 more · 6 s · 2 of 5: half way"},
		{agent.ToolResultEvent{ID: "a", Name: "look", OK: true}, "running s/x.sh · 2 s · 42 tokens"},
		{agent.ToolResultEvent{ID: "b", Name: "touch", OK: true}, ""},
		{agent.RequestEvent{Turn: 2}, "waiting for m␛[2J · 2 s · 42 tokens"},
		{agent.ProgressEvent{Tokens: 1234}, "waiting for m␛[2J · 4 s · about 1,234 tokens received"},
		{agent.ProgressEvent{Tokens: 1235}, "waiting for m␛[2J · 6 s · about 1,235 tokens received"},
		{agent.RetryEvent{Attempt: 1}, "waiting for m␛[2J · 8 s · 42 tokens"},
		{agent.LoadingEvent{Message: "loading"}, "waiting for m␛[2J, which is being loaded · 2 s · 42 tokens"},
		{agent.ProgressEvent{Tokens: 3}, "waiting for m␛[2J · 2 s · about 3 tokens received"},
		{model("Done."), ""},
	} {
		if err := p.Event(step.event); err != nil {
			t.Fatal(err)
		}
		line.Hold()
		clock = clock.Add(2 * time.Second)
		line.Release()
		ticks <- clock
		ticks <- clock
		// The first tick is dealt with, and the second has nothing to draw.
		if got := s.lines[len(s.lines)-1]; got != step.want {
			t.Errorf("after event %d: the last line is %q, want %q", i, got, step.want)
		}
	}
	if err := p.Finish(Result{}); err != nil {
		t.Fatal(err)
	}
	shown := strings.Join(s.lines, "\n")
	if strings.Contains(shown, "waiting") || strings.Contains(shown, "running") || !strings.HasSuffix(shown, "Done.\n") {
		t.Errorf("at the end the screen shows\n%s", shown)
	}
}

// TestWaitingJSON checks that the status line does not change another printer's output.
func TestWaitingJSON(t *testing.T) {
	var out, notes bytes.Buffer
	clock := time.Unix(0, 0)
	ticks := make(chan time.Time)
	line := terminal.NewStatus(&notes, eighty, func() time.Time { return clock }, ticks)
	p := Waiting(JSONL(&out, false), line)
	if err := p.Event(Started{Identity: Identity{Model: "m"}}); err != nil {
		t.Fatal(err)
	}
	line.Hold()
	clock = clock.Add(time.Second)
	line.Release()
	ticks <- clock
	ticks <- clock
	if err := p.Finish(Result{}); err != nil {
		t.Fatal(err)
	}
	if got := notes.String(); got != "\rwaiting for m · 1 s\x1b[J\r\r\x1b[J" {
		t.Errorf("got %q", got)
	}
	if strings.ContainsAny(out.String(), "\r\x1b") || strings.Count(out.String(), "\n") != 2 {
		t.Errorf("got %q", out.String())
	}
}
