package skills_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"skills/internal/agent"
	"skills/internal/agent/skills"
	"skills/internal/loader"
	"skills/internal/testing/openaitest"
)

// TestLoadAgain checks that a text that the conversation contains is not sent again: loaded
// before, in the same turn, or by the user. A skill that has changed is sent again, and
// once more when it has changed back.
func TestLoadAgain(t *testing.T) {
	const again = "The skill 'plain' is loaded already. Its content is above, and has not changed since."
	load := func(id string) openaitest.Call {
		return openaitest.Call{ID: id, Name: "load_skill", Arguments: `{"skillName":"Plain"}`}
	}
	other := openaitest.Call{ID: "o", Name: "load_skill", Arguments: `{"skillName":"other"}`}
	for name, tt := range map[string]struct {
		texts    []string // what the skill says at each loading
		activate bool
		parallel bool
		turns    [][]openaitest.Call
		want     []string // starts of the results
	}{
		"before":            {[]string{"One."}, false, false, [][]openaitest.Call{{load("a")}, {other}, {load("b")}, {load("c")}}, []string{"One.", "Be other.", again, again}},
		"repeated":          {[]string{"One."}, false, false, [][]openaitest.Call{{load("a")}, {load("b")}, {load("c")}, {load("d")}, {load("e")}}, []string{"One.", again, again, again, again}},
		"same turn":         {[]string{"One."}, false, false, [][]openaitest.Call{{load("a"), load("b")}}, []string{"One.", again}},
		"same turn at once": {[]string{"One."}, false, true, [][]openaitest.Call{{load("a"), load("b")}}, []string{"One.", again}},
		"by the user":       {[]string{"One."}, true, false, [][]openaitest.Call{{load("a")}}, []string{again}},
		"changed":           {[]string{"One.", "Two."}, false, false, [][]openaitest.Call{{load("a")}, {load("b")}, {load("c")}}, []string{"One.", "Two.", again}},
		"changed back":      {[]string{"One.", "Two.", "One."}, false, false, [][]openaitest.Call{{load("a")}, {load("b")}, {load("c")}}, []string{"One.", "Two.", "One."}},
	} {
		t.Run(name, func(t *testing.T) {
			loaded := -1
			plain := &loader.Skill{Name: "plain", Scripted: func(context.Context) (bool, error) { return false, nil }, Load: func(context.Context) (loader.Contents, error) {
				loaded++
				return loader.Contents{Text: tt.texts[min(loaded, len(tt.texts)-1)]}, nil
			}}
			provider, err := skills.New(skills.Options{Source: loader.Memory(plain, memory("other", "Is other.", loader.Contents{Text: "Be other."}))})
			if err != nil {
				t.Fatal(err)
			}
			var replies []openaitest.Reply
			for _, calls := range tt.turns {
				replies = append(replies, openaitest.Do(calls...))
			}
			server, session := openaitest.New(t, append(replies, openaitest.Text("done"))...), agent.NewSession()
			a, err := agent.New(agent.Config{Server: agent.Server{BaseURL: server.URL}, Model: "m", Parallel: tt.parallel, Providers: []agent.ContextProvider{provider}, Middleware: []agent.Middleware{agent.LimitRepeats(5)}})
			if err != nil {
				t.Fatal(err)
			}
			if tt.activate {
				if _, err := provider.Activate(t.Context(), session, "plain"); err != nil {
					t.Fatal(err)
				}
			}
			result, err := a.Run(t.Context(), session, "go")
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, m := range result.Messages {
				if m.Role == agent.ToolRole {
					text, _, _ := strings.Cut(m.Text, "\n")
					got = append(got, text)
				}
			}
			if fmt.Sprintf("%q", got) != fmt.Sprintf("%q", tt.want) {
				raw, _ := json.Marshal(result.Messages)
				t.Errorf("got %q, want %q: %s", got, tt.want, raw)
			}
		})
	}
}
