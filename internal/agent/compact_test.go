package agent_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"skills/internal/agent"
	"skills/internal/agent/replay"
	"skills/internal/testing/openaitest"
)

const recall = "[removed; call f again]"

// recallable returns a provider with a tool whose results can be removed, and an
// ephemeral message.
func recallable(size int) []agent.ContextProvider {
	f := text(size)
	f.Recall = recall
	providers := conversation("/x", "y")
	files := providers[0].(*provider)
	files.context.Tools = append(files.context.Tools, f)
	return providers
}

// rounds is a conversation of n turns with one call each, then an answer.
func rounds(n int, usage *openaitest.Usage) []openaitest.Reply {
	var replies []openaitest.Reply
	for i := range n {
		replies = append(replies, openaitest.Reply{Calls: []openaitest.Call{call(fmt.Sprint("c", i), "f", `{"path":"x"}`)}, Usage: usage})
	}
	return append(replies, openaitest.Text("done"))
}

// parts returns the messages of a request as sent, without the last one, whose text ends in
// that of the ephemeral one, and its tools.
func parts(t *testing.T, body []byte) (messages []json.RawMessage, tools json.RawMessage) {
	t.Helper()
	var request struct {
		Messages []json.RawMessage
		Tools    json.RawMessage
	}
	if err := json.Unmarshal(body, &request); err != nil {
		t.Fatal(err)
	}
	return request.Messages[:len(request.Messages)-1], request.Tools
}

// TestPrefix checks that a request begins with the same bytes as the one before it, its
// ephemeral messages aside, so that servers find it in their cache. After a compaction it
// does up to the first removed result, and the next requests begin with all of it again.
func TestPrefix(t *testing.T) {
	for _, off := range []bool{true, false} {
		t.Run(fmt.Sprint("off ", off), func(t *testing.T) {
			server := openaitest.New(t, rounds(12, nil)...)
			s := start(t, server, func(c *agent.Config) { c.Providers, c.Window, c.NoCompaction = recallable(2000), 4000, off })
			result, err := s.run(t, "go")
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(results(result), ""); strings.Contains(got, recall) {
				t.Error("the conversation itself was changed")
			}
			compacted := map[int]string{} // turn → id of the first removed result
			for _, e := range eventsOf[agent.CompactionEvent](s) {
				compacted[e.Turn] = e.Replaced[0].ID
				if e.AfterTokens >= e.BeforeTokens || e.AfterTokens > 2000 {
					t.Errorf("got %+v", e)
				}
			}
			if len(compacted) != map[bool]int{true: 0, false: 3}[off] {
				t.Errorf("compacted %v", compacted)
			}
			requests := server.Requests()
			for i := 1; i < len(requests); i++ {
				before, toolsBefore := parts(t, requests[i-1].Body)
				after, toolsAfter := parts(t, requests[i].Body)
				if !bytes.Equal(toolsBefore, toolsAfter) {
					t.Errorf("request %d has other tools", i+1)
				}
				same := 0
				for same < len(before) && bytes.Equal(before[same], after[same]) {
					same++
				}
				want := len(before)
				if id := compacted[i+1]; id != "" {
					want = slices.IndexFunc(requests[i].Messages, func(m openaitest.Message) bool { return m.CallID == id })
				}
				if same != want {
					t.Errorf("request %d shares %d messages with the one before it, want %d of %d", i+1, same, want, len(before))
				}
			}
		})
	}
}

// TestUsageForCompaction checks that the server's token count decides when a request is too
// large, and is ignored where it cannot be right.
func TestUsageForCompaction(t *testing.T) {
	for name, tt := range map[string]struct {
		usage *openaitest.Usage
		turns []int
	}{
		"none":          {nil, []int{6, 9, 12}},
		"larger":        {&openaitest.Usage{Input: 3100, Output: 1}, []int{3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13}},
		"of a part":     {&openaitest.Usage{Input: 1, Output: 1}, []int{6, 9, 12}},
		"over a window": {&openaitest.Usage{Input: 1 << 40, Output: 1}, []int{6, 9, 12}},
	} {
		server := openaitest.New(t, rounds(12, tt.usage)...)
		s := start(t, server, func(c *agent.Config) { c.Providers, c.Window = recallable(2000), 4000 })
		if _, err := s.run(t, "go"); err != nil {
			t.Fatal(err)
		}
		var turns []int
		for _, e := range eventsOf[agent.CompactionEvent](s) {
			turns = append(turns, e.Turn)
		}
		if !slices.Equal(turns, tt.turns) {
			t.Errorf("%s: compacted at %v, want %v", name, turns, tt.turns)
		}
	}
}

// TestLearnedWindow checks that the size in a server's error counts for the rest of the
// run: the next compaction comes before an error.
func TestLearnedWindow(t *testing.T) {
	replies := rounds(12, nil)
	full := openaitest.Reply{Status: 400, Body: `{"error":{"message":"maximum context length is 3000 tokens"}}`}
	server := openaitest.New(t, slices.Insert(replies, 6, full)...)
	s := start(t, server, func(c *agent.Config) { c.Providers = recallable(2000) })
	if _, err := s.run(t, "go"); err != nil {
		t.Fatal(err)
	}
	events := eventsOf[agent.CompactionEvent](s)
	if len(events) < 2 || events[0].Turn != 7 || events[1].Turn < 8 || events[1].BeforeTokens > 3000 {
		t.Errorf("got %+v", events)
	}
}

// TestRecordCompaction checks that a recording does not depend on compactions.
func TestRecordCompaction(t *testing.T) {
	var recorded [2]bytes.Buffer
	for i, window := range []int64{0, 4000} {
		recorder := replay.NewRecorder(nil, &recorded[i], nil)
		s := start(t, openaitest.New(t, rounds(12, nil)...), func(c *agent.Config) {
			c.Providers, c.Window, c.Server.Transport = recallable(2000), window, recorder
		})
		if _, err := s.run(t, "go"); err != nil || recorder.Err() != nil {
			t.Fatal(err, recorder.Err())
		}
	}
	if recorded[0].String() != recorded[1].String() {
		t.Errorf("recorded\n%s\nwithout compaction\n%s", recorded[1].String(), recorded[0].String())
	}
}

// TestFullDuringReply checks that the text of a reply is void if the context becomes full
// while the server generates it.
func TestFullDuringReply(t *testing.T) {
	half := openaitest.Reply{SSE: `data: {"choices":[{"index":0,"delta":{"content":"half a "}}]}` + "\n\n" +
		`data: {"error":{"message":"Reached context length of 3000 tokens with this model"}}` + "\n\n"}
	server := openaitest.New(t, slices.Insert(rounds(4, nil), 4, half)...)
	s := start(t, server, func(c *agent.Config) { c.Providers, c.Stream = recallable(2000), true })
	result, err := s.run(t, "go")
	retries := eventsOf[agent.RetryEvent](s)
	if err != nil || result.Text != "done" || len(retries) != 1 || !retries[0].Void || len(eventsOf[agent.CompactionEvent](s)) != 1 {
		t.Errorf("got %+v, %v, retries %+v", result, err, retries)
	}
}
