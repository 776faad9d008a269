package eval_test

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"skills/internal/eval"
	"skills/internal/eval/store"
	"skills/internal/printable"
	"skills/internal/testing/filetest"
	"skills/internal/testing/openaitest"
)

var record = flag.Bool("record", false, "record the demo again")

// converter is a scripted model for the demo. With the skill it looks factors up and runs
// the script; without it, it answers with rounded numbers.
func converter(r request) openaitest.Reply {
	type step struct{ value, factor, answer, without string }
	steps := map[string][]step{
		"one kilogram?": {{"1", "2.20462", "1 kilogram is 2.20462 pounds.", "One kilogram is about 2.2 pounds."}},
		"marathon":      {{"26.2", "1.60934", "26.2 miles are 42.164708 kilometers.", "A marathon is about 42.2 kilometers."}},
		"parcel":        {{"15", "0.453592", "15 pounds are 6.80388 kilograms, about 6.8039.", "The parcel weighs about 6.8 kilograms."}},
		"Canada":        {{"80", "0.621371", "80 kilometers are 49.70968 miles, about 49.7097.", "About 50 miles are left."}},
		"I carry": {
			{"3", "2.20462", "", "About 6.6 pounds over 8 kilometers."},
			{"5", "1.60934", "3 kilograms are 6.61386 pounds, about 6.6139, and 5 miles are 8.0467 kilometers.", ""},
		},
		"gallons": {{"", "", "The table has no factor for liters and gallons, so I cannot convert them.", "10 liters are about 2.64 gallons."}},
	}
	call := func(id, name, arguments string) openaitest.Reply {
		reply := openaitest.Do(openaitest.Call{ID: id, Name: name, Arguments: arguments})
		reply.Usage = &openaitest.Usage{Input: 1400, Output: 40}
		return reply
	}
	for word, list := range steps {
		if !strings.Contains(r.text, word) {
			continue
		}
		n := r.results()
		switch skill := strings.Contains(r.text, "load_skill"); {
		case !skill:
			reply := openaitest.Text(list[0].without)
			reply.Usage = &openaitest.Usage{Input: 600, Output: 20}
			return reply
		case n == 0:
			return call("call_1", "load_skill", `{"skillName":"unit-converter"}`)
		case n == 1:
			return call("call_2", "read_skill_resource", `{"skillName":"unit-converter","resourceName":"conversion-table"}`)
		case n-2 < len(list) && list[n-2].value != "":
			return call("call_"+string(rune('1'+n)), "run_skill_script", `{"skillName":"unit-converter","scriptName":"convert","arguments":{"value":`+list[n-2].value+`,"factor":`+list[n-2].factor+`}}`)
		}
		reply := openaitest.Text(list[len(list)-1].answer)
		reply.Usage = &openaitest.Usage{Input: 1900, Output: 30}
		return reply
	}
	return openaitest.Reply{Status: 500}
}

// TestDemo checks that the recorded demo plays without a server, and gives a verdict
// without a failed run. With -record it is recorded again first.
func TestDemo(t *testing.T) {
	f := newFixture(t, nil, converter)
	f.o.Paths = nil
	recording := "../builtin/iteration-1"
	if *record {
		workspace, o := t.TempDir(), f.o
		f.o.Run.Server.Model = "demo"
		f.o = eval.Recorded(f.o, workspace)
		b := f.must()
		f.o = o
		if err := os.RemoveAll(recording); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"recording.jsonl", "timing.json"} {
			files, err := filepath.Glob(filepath.Join(workspace, "iteration-1", "*", "*", "*", name))
			if err != nil || len(files) == 0 {
				t.Fatal(err)
			}
			for _, file := range files {
				rel, _ := filepath.Rel(filepath.Join(workspace, "iteration-1"), file)
				filetest.Write(t, recording, map[string]string{rel: filetest.Read(t, file)})
			}
		}
		b.Meta.BaseURL, b.Meta.SkillPath, b.Meta.Evals = "", "", nil
		filetest.Write(t, recording, map[string]string{store.BenchmarkFile: printable.JSONText(struct {
			Meta store.Meta `json:"metadata"`
		}{b.Meta}) + "\n"})
		t.Log("recorded; build the program again to play it")
		return
	}
	f.server.Close()
	f.o.Run.Server.BaseURL, f.o.Run.Server.Model, f.o.Demo = "", "", true
	b := f.must()
	if s := b.Statistics; s.Verdict != "better" || s.Cases < 6 || s.ErroredRuns != 0 {
		text, _ := json.Marshal(b)
		t.Errorf("%s", text)
	}
}
