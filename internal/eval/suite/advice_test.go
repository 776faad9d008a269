package suite

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestAdvice checks which checks are said to measure a tool, and that good ones are not.
func TestAdvice(t *testing.T) {
	const (
		none    = "none counts for the difference"
		how     = "none about its result"
		idle    = "a run that does nothing passes"
		tool    = "it measures the tool"
		limit   = "a limit counts the calls"
		program = "only a program can write"
	)
	for name, c := range map[string]struct {
		checks string
		want   []string
	}{
		"answer":         {`{"type":"contains","value":"x"}`, nil},
		"judged":         {`"The list is sorted"`, nil},
		"opposite":       {`{"type":"regex","pattern":"x","not":true},{"type":"contains","value":"y"}`, nil},
		"with the skill": {`{"type":"skill_loaded"},{"type":"script_used","path":"scripts/a.sh"}`, []string{none}},
		"script and file": {`{"type":"script_used","path":"scripts/a.sh"},{"type":"file_exists","path":"out.txt"}`,
			nil},
		"tool of both":   {`{"type":"tool_used","tool":"run_command"}`, []string{how}},
		"todos":          {`{"type":"todos_complete"}`, []string{how}},
		"tool of one":    {`{"type":"tool_used","tool":"run_skill_script"},{"type":"contains","value":"x"}`, []string{tool}},
		"order":          {`{"type":"tool_order","tools":["load_skill","write_file"]},{"type":"contains","value":"x"}`, []string{tool}},
		"not loaded":     {`{"type":"skill_not_loaded","arm":"both"}`, []string{how, tool}},
		"unchanged":      {`{"type":"unchanged","path":"in.txt"}`, []string{idle}},
		"nothing wrong":  {`{"type":"not_contains","value":"x"},{"type":"file_exists","path":"x","not":true}`, []string{idle}},
		"limits":         {`{"type":"max_tool_calls","max":3},{"type":"contains","value":"x"}`, []string{limit}},
		"limits of one":  {`{"type":"max_turns","max":3,"arm":"with"},{"type":"contains","value":"x"}`, nil},
		"program":        {`{"type":"file_exists","path":"out.xlsx"},{"type":"unchanged","path":"in.txt"}`, []string{program}},
		"program or not": {`{"type":"file_exists","path":"out.xlsx"},{"type":"file_exists","path":"out.csv"}`, nil},
	} {
		dir := write(t, map[string]string{
			"SKILL.md": "---\nname: note-taker\ndescription: Takes notes.\n---\n", "scripts/a.sh": "true\n", "in.txt": "x",
			"evals/evals.json":  `{"skill_name":"note-taker","evals":[{"id":1,"prompt":"Take it.","files":["in.txt"]}]}`,
			"evals/checks.json": `{"schema_version":1,"cases":{"1":{"checks":[` + c.checks + `]}}}`,
		})
		s, problems, err := Load(t.Context(), dir)
		if err != nil || len(problems) > 0 {
			t.Fatal(name, err, problems)
		}
		var got []string
		for _, p := range Advice(s, 1, []string{"load_skill", "run_skill_script"}) {
			for _, known := range []string{none, how, idle, tool, limit, program} {
				if strings.Contains(p.Message, known) {
					got = append(got, known)
				}
			}
			if p.Level != Warning || p.Line != 1 || !strings.HasPrefix(p.Message, `case "1": `) || p.Help == "" {
				t.Errorf("%s: %+v", name, p)
			}
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}
