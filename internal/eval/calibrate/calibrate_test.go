package calibrate

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"skills/internal/agent/model"
	"skills/internal/eval/judge"
	"skills/internal/eval/suite"
)

// transport answers the requests of a judge with a function of their text.
type transport func(text string) string

func (f transport) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	var request struct{ Messages []struct{ Content string } }
	if err := json.Unmarshal(body, &request); err != nil {
		return nil, err
	}
	content, _ := json.Marshal(f(request.Messages[1].Content))
	text := `{"choices":[{"index":0,"finish_reason":"stop","message":{"role":"assistant","content":` + string(content) + `}}],"usage":{"prompt_tokens":10,"completion_tokens":5,"total_tokens":15}}`
	return &http.Response{StatusCode: 200, Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(strings.NewReader(text)), Request: r}, nil
}

// judging has a judge decide examples, one at a time.
func judging(t *testing.T, votes int, f transport, examples []suite.Example) *Report {
	t.Helper()
	j, err := judge.New(model.Server{BaseURL: "http://judge.example/v1", Transport: f}, "j", votes)
	if err != nil {
		t.Fatal(err)
	}
	results, err := askAll(t.Context(), j, 1, examples)
	if err != nil {
		t.Fatal(err)
	}
	return newReport(j, votes, examples, results)
}

// answers returns the two works of a comparison, in their order.
func answers(text string) [2]string {
	parts := regexp.MustCompile(`(?m)^=====[0-9a-f]{32}=====$`).Split(text, -1)
	return [2]string{parts[1], parts[3]}
}

// pairs returns examples in which the person prefers the answer that is right: the longer one
// and the shorter one in turn.
func pairs(n int) (list []suite.Example) {
	for i := range n {
		right, wrong := "right", "wrong "+strings.Repeat("and long ", 1+i/2)
		if i%2 == 0 {
			right, wrong = right+strings.Repeat(" and long", 1+i/2), "wrong"
		}
		e := suite.Example{ID: fmt.Sprint(i), Prompt: "p", Answers: []suite.Work{{Answer: right}, {Answer: wrong}}, Preferred: new(judge.First)}
		if i%4 > 1 {
			e.Answers[0], e.Answers[1], e.Preferred = e.Answers[1], e.Answers[0], new(judge.Second)
		}
		list = append(list, e)
	}
	return list
}

func winner(name string) string { return fmt.Sprintf(`{"reason": "r", "winner": %q}`, name) }

func isAbout(v *float64, want float64) bool { return v != nil && math.Abs(*v-want) < 0.001 }

// TestPairBias checks that a judge that is right, one that prefers a place and one that
// prefers length are distinguished.
func TestPairBias(t *testing.T) {
	right := func(text string) string {
		if strings.Contains(answers(text)[0], "right") {
			return winner(judge.First)
		}
		return winner(judge.Second)
	}
	p := judging(t, 1, right, pairs(8)).Pairs
	if p.Agreement.Passed != 8 || !isAbout(p.Kappa, 1) || p.Position.Changed.Passed != 0 || p.Position.Prefers != "neither" || p.Position.P != nil ||
		p.Position.First != 8 || p.Length.Judge.Passed != 4 || p.Length.Judge.Total != 8 || p.Length.Against.Passed != 0 || p.Length.Against.Total != 4 {
		t.Errorf("right: %+v", p)
	}
	p = judging(t, 1, func(string) string { return winner(judge.First) }, pairs(8)).Pairs
	if p.Agreement.Passed != 0 || p.Position.Changed.Passed != 8 || p.Position.Prefers != judge.First || !isAbout(p.Position.P, 2.0/256) || p.Position.First != 16 {
		t.Errorf("first: %+v", p)
	}
	long := func(text string) string {
		if a := answers(text); len(a[0]) > len(a[1]) {
			return winner(judge.First)
		}
		return winner(judge.Second)
	}
	p = judging(t, 1, long, pairs(8)).Pairs
	if p.Agreement.Passed != 4 || p.Length.Judge.Passed != 8 || p.Length.Person.Passed != 4 || p.Length.Against.Passed != 4 ||
		p.Length.JudgeCorrelation == nil || *p.Length.JudgeCorrelation < 0.9 || math.Abs(*p.Length.PersonCorrelation) > 0.5 {
		t.Errorf("long: %+v", p)
	}
}

// TestSentences checks agreement, kappa, false passes and false fails of a judge that passes
// too much, and that what is open is neither asked nor counted.
func TestSentences(t *testing.T) {
	var list []suite.Example
	for i := range 10 {
		list = append(list, suite.Example{ID: fmt.Sprint(i), Prompt: "p", Answer: "an answer", Sentences: []suite.Sentence{
			{Text: "open"}, {Text: fmt.Sprintf("sentence %d", i), Passed: new(i < 5)},
		}})
	}
	n := 0
	r := judging(t, 1, func(text string) string {
		n++
		if strings.Contains(text, "open") {
			t.Error("what is open is asked")
		}
		passed := !strings.Contains(text, "sentence 0") && !strings.Contains(text, "sentence 9")
		return fmt.Sprintf(`{"results": [{"index": 1, "passed": %v, "evidence": "an answer"}]}`, passed)
	}, list)
	s := r.Sentences
	if n != 10 || r.Unlabelled != 10 || r.Agreement.Passed != 5 || s.Agreement.Total != 10 || s.FalsePass.Passed != 4 || s.FalsePass.Total != 5 || s.FalseFail.Passed != 1 || s.FalseFail.Total != 5 || !isAbout(s.Kappa, 0) {
		t.Errorf("%d requests, %+v", n, r)
	}
	if len(r.Disagreements) != 5 || r.Disagreements[0] != (Disagreement{"0", "sentence 0", "passed", "failed", "an answer"}) {
		t.Errorf("%+v", r.Disagreements)
	}
	if r.Missed(0.5) != "" || r.Missed(0.6) != "the agreement 0.50 is below 0.6" {
		t.Error(r.Missed(0.5), r.Missed(0.6))
	}
}

// TestConsistency checks that votes that differ are counted, and that an example that the
// judge does not answer is an error.
func TestConsistency(t *testing.T) {
	n := 0
	list := append(pairs(2), suite.Example{ID: "x", Prompt: "broken", Answers: []suite.Work{{Answer: "a"}, {Answer: "b"}}, Preferred: new(judge.Tie)})
	r := judging(t, 3, func(text string) string {
		n++
		switch {
		case strings.Contains(text, "broken"):
			return "no"
		case n == 2:
			return winner(judge.Tie)
		}
		return winner(judge.First)
	}, list)
	if r.Consistency.Passed != 3 || r.Consistency.Total != 4 || len(r.Errors) != 1 || r.Incomplete() != "1 of 3 examples were not judged" {
		t.Errorf("%+v", r)
	}
}

// TestKappa checks known values.
func TestKappa(t *testing.T) {
	for _, tt := range []struct {
		table [][]int
		want  float64
	}{
		{[][]int{{20, 5}, {10, 15}}, 0.4},
		{[][]int{{5, 0}, {0, 5}}, 1},
		{[][]int{{0, 5}, {5, 0}}, -1},
	} {
		if k := kappa(tt.table); !isAbout(k, tt.want) {
			t.Errorf("%v: %v, want %v", tt.table, k, tt.want)
		}
	}
	if k := kappa([][]int{{7, 0}, {0, 0}}); k != nil {
		t.Error(*k)
	}
}
