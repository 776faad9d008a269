package eval_test

import (
	"strings"
	"testing"

	"skills/internal/testing/openaitest"
)

// TestInputs checks that the files of a case are in the run's folder in both arms, at every
// depth, and that the model can list and read them there.
func TestInputs(t *testing.T) {
	f := newFixture(t, map[string]string{
		"evals/files/deep/list.md": "madder of the southern hills\n",
		"evals/evals.json": `{"skill_name":"color-names","evals":[{"id":1,"prompt":"What is in the list?",
			"files":["evals/files/deep",{"path":"more.txt","content":"weld of the northern hills"}],"assertions":[{"type":"contains","value":"madder and weld"}]}]}`,
	}, nil)
	f.server = newServer(t, func(r request) openaitest.Reply {
		read := func(name string) openaitest.Reply {
			return openaitest.Do(openaitest.Call{ID: "c" + name[:1], Name: "read_file", Arguments: `{"path":"` + name + `"}`})
		}
		switch {
		case r.results() == 0:
			return openaitest.Do(openaitest.Call{ID: "c0", Name: "list_files", Arguments: `{}`})
		case r.results() == 1 && strings.Contains(r.text, "deep/list.md") && strings.Contains(r.text, "more.txt"):
			return read("deep/list.md")
		case r.results() == 2 && strings.Contains(r.text, "madder of the southern hills"):
			return read("more.txt")
		case strings.Contains(r.text, "weld of the northern hills"):
			return openaitest.Text("madder and weld")
		}
		return openaitest.Text("nothing")
	})
	f.o.Run.Server.BaseURL = f.server.URL + "/v1"
	b := f.must()
	if len(b.Runs) != 2 {
		t.Fatalf("%d runs", len(b.Runs))
	}
	for _, r := range b.Runs {
		if r.Result.Passed != 1 {
			t.Errorf("%s: %+v", r.Configuration, r.Outcomes)
		}
	}
}
