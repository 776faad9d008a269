package agent_test

import (
	"strings"
	"testing"

	"skills/internal/agent"
	"skills/internal/testing/openaitest"
)

// use returns a turn with a call that uses tokens.
func use(id string, in, out int64) openaitest.Reply {
	return openaitest.Reply{Calls: []openaitest.Call{call(id, "f", "")}, Usage: &openaitest.Usage{Input: in, Output: out}}
}

// TestBudgets checks that the model gets one note about a budget that is nearly used up, as
// part of the last message, and that its answer is requested while the rest suffices.
func TestBudgets(t *testing.T) {
	for _, test := range []struct {
		name   string
		limits agent.Limits
		turns  []openaitest.Reply
		told   int // the request with the message
		text   string
		limit  string // "" for an answer
		err    string
	}{
		{"tokens", agent.Limits{Tokens: 1000},
			[]openaitest.Reply{use("a", 190, 10), use("b", 190, 10), use("c", 190, 10), openaitest.Text("this far")},
			3, "400 of 1,000 tokens", agent.LimitTokens, "token limit nearly reached (600 of 1,000)"},
		{"cost", agent.Limits{Cost: 0.001, Price: agent.Price{1, 1}},
			[]openaitest.Reply{use("a", 190, 10), use("b", 190, 10), use("c", 190, 10), openaitest.Text("this far")},
			3, "0.0004 of 0.001 in cost", agent.LimitCost, "cost limit nearly reached (0.0006 of 0.001)"},
		{"prices differ", agent.Limits{Cost: 0.001, Price: agent.Price{0, 1}},
			[]openaitest.Reply{use("a", 1000, 10), use("b", 1000, 800), openaitest.Text("this far")},
			0, "", agent.LimitCost, "cost limit nearly reached"},
		{"answers in time", agent.Limits{Tokens: 1000},
			[]openaitest.Reply{use("a", 190, 10), use("b", 190, 10), openaitest.Text("done")}, 3, "400 of 1,000 tokens", "", ""},
		{"turns", agent.Limits{Turns: 5},
			[]openaitest.Reply{use("a", 1, 1), use("b", 1, 1), use("c", 1, 1), use("d", 1, 1), openaitest.Text("done")},
			5, "4 of 5 model requests", "", ""},
		{"few turns", agent.Limits{Turns: 2}, []openaitest.Reply{use("a", 1, 1), openaitest.Text("done")}, 0, "", "", ""},
		{"two budgets", agent.Limits{Turns: 5, Tokens: 1400},
			[]openaitest.Reply{use("a", 190, 10), use("b", 190, 10), use("c", 190, 10), use("d", 190, 10), openaitest.Text("done")},
			5, "800 of 1,400 tokens", "", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := start(t, openaitest.New(t, test.turns...), func(c *agent.Config) { c.Limits, c.Providers = test.limits, tools(echo("f")) })
			result, err := s.run(t, "go")
			if test.limit == "" && err != nil || test.limit != "" && !limited(err, test.limit) || result.Limit != test.limit || result.Turns != len(test.turns) {
				t.Fatalf("got %+v, %v", result, err)
			}
			if err != nil && (!strings.HasPrefix(err.Error(), test.err) || result.Text != "this far") {
				t.Errorf("got %q, %v", result.Text, err)
			}
			for i, r := range s.server.Requests() {
				last := r.Messages[len(r.Messages)-1].Text
				if told := strings.Contains(last, "Most of what this run may use"); told != (i+1 == test.told) || told && !strings.Contains(last, test.text) {
					t.Errorf("request %d: %q", i+1, last)
				}
				if closing := len(r.Tools) == 0; closing != (test.limit != "" && i+1 == len(test.turns)) {
					t.Errorf("request %d: tools %v", i+1, r.Tools)
				}
			}
			for _, m := range result.Messages {
				if strings.Contains(m.Text, "may use is used up") {
					t.Errorf("the conversation keeps %q", m.Text)
				}
			}
		})
	}
}

// TestOverCost checks that nothing is requested once the cost is above its limit.
func TestOverCost(t *testing.T) {
	s := start(t, openaitest.New(t, use("a", 2000, 10)), func(c *agent.Config) {
		c.Limits, c.Providers = agent.Limits{Cost: 0.001, Price: agent.Price{1, 1}}, tools(echo("f"))
	})
	result, err := s.run(t, "go")
	if !limited(err, agent.LimitCost) || err.Error() != "cost limit reached (0.00201 of 0.001)" || result.Limit != "cost" {
		t.Errorf("got %+v, %v", result, err)
	}
}

func TestAmount(t *testing.T) {
	for cost, want := range map[float64]string{0: "0.00", 12.3: "12.30", 1: "1.00", 0.5: "0.50", 0.0213: "0.0213", 0.00012345: "0.000123", 0.00000001: "0.00"} {
		if got := agent.Amount(cost); got != want {
			t.Errorf("%v: got %s, want %s", cost, got, want)
		}
	}
}
