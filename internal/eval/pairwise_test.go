package eval_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"skills/internal/eval"
	"skills/internal/eval/report"
	"skills/internal/fault"
	"skills/internal/testing/filetest"
	"skills/internal/testing/openaitest"
)

// comparing answers as skilful, and as a judge that prefers the answer with the house name,
// wherever it is.
func comparing(r request) openaitest.Reply {
	if !strings.Contains(r.text, "The task of both agents") {
		return skilful(r)
	}
	name := strings.Index(r.text, "carmine")
	switch {
	case name < 0:
		return openaitest.Text(`{"reason": "both are empty", "winner": "tie"}`)
	case name < strings.Index(r.text, "What the second agent left"):
		return openaitest.Text(`{"reason": "it names the house name", "winner": "first"}`)
	}
	return openaitest.Text(`{"reason": "it names the house name", "winner": "second"}`)
}

// isComparison reports whether a request is to a judge of pairs.
func isComparison(r request) bool { return strings.Contains(r.text, "The task of both agents") }

// TestPairwise checks that every pair is compared in both orders by a judge that sees neither
// an arm nor the skill, that the result and its cost are in every format, that it is not
// repeated, and that recordings give it byte for byte without a judge.
func TestPairwise(t *testing.T) {
	f := newFixture(t, sixCases(), comparing)
	f.o.Pairwise, f.o.Budget.Price = true, [2]float64{1, 1}
	b := f.must()
	p := b.Pairwise
	if p == nil || p.Wins != 6 || p.Ties+p.Losses+p.Disagreed+p.NotJudged != 0 || p.First != 6 || p.Second != 6 || *p.P != 0.03125 || p.Verdict != "better" || len(p.Pairs) != 6 {
		t.Fatalf("%+v", p)
	}
	if n := f.server.count(); n != 18+12 {
		t.Errorf("%d requests", n)
	}
	for _, r := range f.server.seen {
		for _, word := range []string{"with_skill", "without_skill", "load_skill", "color-names", "House names", "baseline", "answer.md"} {
			if isComparison(r) && strings.Contains(r.text, word) {
				t.Errorf("the judge sees %q in\n%s", word, r.text)
			}
		}
	}
	n := len(b.Usage)
	if u := b.Usage[n-2]; u.Configuration != "pairwise" || *u.JudgeTokens != 1200 || *b.Usage[n-1].JudgeTokens != 1200 || fmt.Sprintf("%.4f", *b.Usage[n-1].JudgeCost) != "0.0012" {
		t.Errorf("usage %+v", b.Usage)
	}
	for format, want := range map[string][]string{
		"text":     {"- Pairwise: 6 cases won, 0 tied, 0 lost; sign test p 0.0312 without the ties: better.", "- pairwise of 6 pairs: 1,200 tokens of the judge (cost 0.0012)", "with_skill first: it names the house name"},
		"markdown": {"### Pairwise"}, "html": {"Pairwise (6)", "it names the house name", ">pairwise<"}, "json": {`"p_sign": 0.03125`}, "jsonl": {`"p_sign":0.03125`},
	} {
		var page strings.Builder
		if err := report.Write(&page, format, report.Target{}, b); err != nil {
			t.Error(err)
		}
		for _, text := range want {
			if !strings.Contains(page.String(), text) {
				t.Errorf("%s: no %q in\n%s", format, text, &page)
			}
		}
	}
	asked := f.server.count()
	if text := f.forecast(); text != "" {
		t.Error(text)
	}
	if b := f.must(); f.server.count() != asked || b.Pairwise == nil || b.Pairwise.Wins != 6 {
		t.Errorf("%d requests, %+v", f.server.count()-asked, b.Pairwise)
	}
	want := filetest.Read(t, f.iteration("2", "benchmark.json"))
	f.o.Stored, f.o.Pairwise = f.iteration("2", ""), false
	if b := f.must(); f.server.count() != asked || b.Pairwise == nil {
		t.Errorf("graded again: %d requests, %+v", f.server.count()-asked, b.Pairwise)
	}
	f.server.Close()
	f.o.Stored, f.o.Offline = "", true
	f.o.Run.Server.BaseURL, f.o.Run.Server.Model, f.o.Budget.Price = "", "", [2]float64{}
	f.must()
	if got := filetest.Read(t, f.iteration("2", "benchmark.json")); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestPairwisePosition checks that a judge that always prefers the first place decides
// nothing, which the report shows.
func TestPairwisePosition(t *testing.T) {
	f := newFixture(t, sixCases(), func(r request) openaitest.Reply {
		if isComparison(r) {
			return openaitest.Text(`{"reason": "A", "winner": "first"}`)
		}
		return skilful(r)
	})
	f.must()
	f.o.Pairwise = true
	if text := f.forecast(); text != "no new runs: typically about 12 requests to the judge, at most 24" {
		t.Error(text)
	}
	p := f.must().Pairwise
	if p.Ties != 6 || p.Wins+p.Losses != 0 || p.Disagreed != 6 || p.P != nil || p.Verdict != "inconclusive" || p.First != 12 || p.Second != 0 {
		t.Errorf("%+v", p)
	}
}

// TestPairwiseStops checks that a budget leaves pairs that the next eval compares, that a
// judge that fails is no result, and that one that refuses everything ends the eval.
func TestPairwiseStops(t *testing.T) {
	status := 0
	f := newFixture(t, sixCases(), func(r request) openaitest.Reply {
		if isComparison(r) && status != 0 {
			return openaitest.Reply{Status: status}
		}
		return comparing(r)
	})
	f.o.Pairwise, f.o.Jobs, f.o.Budget = true, 1, eval.Budget{Calls: 18 + 5}
	b, err := f.run()
	if exitCode(err) != fault.Limit || !strings.Contains(err.Error(), "budget reached (--max-calls 23): 4 pairs not compared") || b.Pairwise.Wins != 2 || b.Pairwise.NotJudged != 4 {
		t.Errorf("%v, %+v", err, b.Pairwise)
	}
	f.o.Budget = eval.Budget{}
	b = f.must()
	if n := f.server.count(); b.Pairwise.Wins != 6 || n != 23+8 {
		t.Errorf("%d requests, %+v", n, b.Pairwise)
	}
	status, f.o.NoCache = 500, true
	b = f.must()
	if b.Pairwise.NotJudged != 6 || len(b.Pairwise.Pairs) != 0 || len(f.warned) != 6 {
		t.Errorf("%+v, warnings %q", b.Pairwise, f.warned)
	}
	status, f.o.NoCache = 401, false
	if _, err := f.run(); exitCode(err) != fault.Failed || !strings.Contains(err.Error(), "stopped at the first refusal: the judge: ") {
		t.Errorf("%v", err)
	}
	status = 0
	b = f.must()
	if b.Pairwise.Wins != 6 {
		t.Errorf("%+v", b.Pairwise)
	}
	path := f.iteration("4", filepath.Join("eval-1", "with_skill", "run-1", "pairwise.json"))
	if err := os.WriteFile(path, []byte(`{"winner":"me","orders":[{},{}]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	f.o.Stored = f.iteration("4", "")
	e, err := eval.New(t.Context(), f.env(), f.o)
	if err == nil {
		e.Close()
	}
	if exitCode(err) != fault.Misuse && !strings.Contains(err.Error(), "pairwise.json: is damaged") {
		t.Errorf("%v", err)
	}
}

// TestPairwiseParts checks that the parts of an eval bring their pairs, and that an eval
// without pairs that reuses the runs has none.
func TestPairwiseParts(t *testing.T) {
	f := newFixture(t, sixCases(), comparing)
	f.o.Pairwise = true
	for number := 1; number <= 2; number++ {
		if err := f.part(t.Context(), number, 2); err != nil {
			t.Fatal(err)
		}
	}
	all, err := f.merge("", eval.Gate{}, f.dir+"-workspace")
	if err != nil || all[0].Pairwise == nil || all[0].Pairwise.Wins != 6 || f.server.count() != 18+12 {
		t.Fatalf("%v, %d requests, %+v", err, f.server.count(), all)
	}
	f.o.Pairwise = false
	if b := f.must(); b.Pairwise != nil || f.server.count() != 18+12 {
		t.Errorf("%d requests, %+v", f.server.count(), b.Pairwise)
	}
}
