package skills_test

import (
	"strings"
	"testing"

	"skills/internal/agent/skills"
	"skills/internal/loader"
)

// measure is a skill whose scripts say what they take, but for one.
func measure(t *testing.T) (*bench, *recorder) {
	t.Helper()
	root := tree(t, map[string]string{
		"measure/SKILL.md": "---\nname: measure\ndescription: Measures.\n---\nMeasure.\n",
		"measure/scripts/area.py": "import argparse\np = argparse.ArgumentParser()\np.add_argument('shape', choices=['circle', 'square'], help='what <it> is')\n" +
			"p.add_argument('--max-size', type=float, required=True, help='the longest side')\np.add_argument('--unit', default='cm')\np.add_argument('--exact', action='store_true')\np.parse_args()\n",
		"measure/scripts/free.rb":    "puts ARGV\n",
		"measure/scripts/one.py":     "import argparse\np = argparse.ArgumentParser()\np.add_argument('text')\np.parse_args()\n",
		"measure/references/area.md": "of areas\n",
		"measure/references/unit.md": "of units\n",
		"measure/tables/unit.csv":    "cm,in\n",
	})
	runner := &recorder{}
	return newBench(t, skills.Options{Source: files(root), Runner: runner}), runner
}

// TestDescribed checks that a loaded skill says what its scripts take, and that the schema
// of an unknown one is the framework's.
func TestDescribed(t *testing.T) {
	b, _ := measure(t)
	got := b.call("load_skill", `{"name":"measure"}`)
	for _, want := range []string{
		`<script name="scripts/area.py"><parameters_schema>{"type":"object","properties":{"shape":{"type":"string","enum":["circle","square"],"description":"what \u003cit\u003e is"},` +
			`"max-size":{"type":"number","description":"the longest side"},"unit":{"type":"string","description":"Option --unit. (default: cm)"},"exact":{"type":"boolean"}},` +
			`"required":["shape","max-size"]}</parameters_schema></script>`,
		`<script name="scripts/free.rb"><parameters_schema>{"type":"array","items":{"type":"string"}}</parameters_schema></script>`,
	} {
		if !strings.Contains(got.Text, want) {
			t.Errorf("no %s\nin %s", want, got.Text)
		}
	}
	if strings.Contains(got.Shown, "schema") {
		t.Errorf("people see %s", got.Shown)
	}
}

// TestUnderstood checks which calls are repaired, and that their results say how.
func TestUnderstood(t *testing.T) {
	const area = "scripts/area.py"
	for _, test := range []struct{ script, arguments, words, note string }{
		{area, `{"shape":"circle","max-size":2}`, "circle --max-size 2", ""},
		{area, `["circle","--max-size","2"]`, "circle --max-size 2", ""},
		{area, `{"shape":"circle","max_size":"2","exact":true}`, "circle --max-size 2 --exact", `{"shape":"circle","max-size":"2","exact":true}`},
		{area, `[{"shape":"circle","max-size":2}]`, "circle --max-size 2", `{"shape":"circle","max-size":2}`},
		{area, `"{\"shape\":\"circle\",\"max-size\":2}"`, "circle --max-size 2", `{"shape":"circle","max-size":2}`},
		{area, `["{\"shape\":\"circle\",\"max-size\":2}"]`, "circle --max-size 2", `{"shape":"circle","max-size":2}`},
		{area, `"circle --max-size 2 --unit 'in ch'"`, "circle --max-size 2 --unit in ch", `["circle","--max-size","2","--unit","in ch"]`},
		{area, `["circle --max-size=2"]`, "circle --max-size=2", `["circle","--max-size=2"]`},
		{area, `["circle", "--max-size 2"]`, "circle --max-size 2", `["circle","--max-size","2"]`},
		{area, `["circle", "--max_size", "2"]`, "circle --max-size 2", `["circle","--max-size","2"]`},
		{area, `["circle", "-max-size", "2"]`, "circle --max-size 2", `["circle","--max-size","2"]`},
		{"scripts/one.py", `"a text of words"`, "a text of words", ""},
		{"scripts/one.py", `["a text of words"]`, "a text of words", ""},
		{"scripts/one.py", `[{"a": 1}]`, `{"a":1}`, ""},
		{"scripts/free.rb", `"a text --of words"`, "a text --of words", ""},
		{"scripts/free.rb", `[{"value":1}]`, "--value 1", `{"value":1}`},
	} {
		b, runner := measure(t)
		got := b.call("run_skill_script", `{"skillName":"measure","scriptName":"`+test.script+`","arguments":`+test.arguments+`}`)
		if want := "measure/" + test.script + " " + test.words; got.Failed || len(runner.ran) != 1 || strings.ReplaceAll(runner.ran[0], "|", " ") != want {
			t.Errorf("%s: %q ran, want %q: %s", test.arguments, runner.ran, want, got.Text)
		}
		_, note, _ := strings.Cut(got.Text, "\n\n")
		want := ""
		if test.note != "" {
			want = `[Understood as {"skillName":"measure","scriptName":"` + test.script + `","arguments":` + test.note + `}]`
		}
		if note != want {
			t.Errorf("%s:\n got %s\nwant %s", test.arguments, note, want)
		}
	}
}

// TestUnderstoodNames checks which names of files and parameters are repaired.
func TestUnderstoodNames(t *testing.T) {
	b, _ := measure(t)
	const note = "\n\n[Understood as "
	for _, test := range []struct{ tool, arguments, want string }{
		{"read_skill_resource", `{"skillName":"measure","resourceName":"area.md"}`, "of areas" + note + `{"skillName":"measure","resourceName":"references/area.md","offset":0}]`},
		{"read_skill_resource", `{"skill":"measure","resource":"references/area.md"}`, "of areas" + note + `{"skillName":"measure","resourceName":"references/area.md","offset":0}]`},
		{"read_skill_resource", `{"skillName":"measure","resourceName":"docs/unit.csv","offset":"3"}`, "in\n\n[This is the last part: bytes 3 to 6 of 6.]" + note + `{"skillName":"measure","resourceName":"tables/unit.csv","offset":3}]`},
		{"run_skill_script", `{"skill_name":"measure","script":"one","args":["x"]}`, "(no output)" + note + `{"skillName":"measure","scriptName":"scripts/one.py","arguments":["x"]}]`},
		{"run_skill_script", `{"skillName":"measure","scriptName":"bin/free.sh"}`, "(no output)" + note + `{"skillName":"measure","scriptName":"scripts/free.rb"}]`},
		{"run_skill_script", `[{"skillName":"measure","scriptName":"scripts/free.rb"}]`, "(no output)" + note + `{"skillName":"measure","scriptName":"scripts/free.rb"}]`},
	} {
		got := b.call(test.tool, test.arguments)
		if text := strings.ReplaceAll(got.Text, "\n\n\n", "\n\n"); got.Failed || text != test.want {
			t.Errorf("%s:\n got %q\nwant %q", test.arguments, text, test.want)
		}
	}
	for _, name := range []string{"unit", "../references/area.md", "/etc/area.md", "area", ""} {
		got := b.call("read_skill_resource", `{"skillName":"measure","resourceName":"`+name+`"}`)
		if !got.Failed {
			t.Errorf("%q: %s", name, got.Text)
		}
	}
}

// TestRightCall checks that a wrong call is answered with the right one, and does not run.
func TestRightCall(t *testing.T) {
	const call = "\nCall run_skill_script like this"
	const placeholders = call + ", with a value for each <…>:\n"
	for _, test := range []struct{ arguments, reason, want string }{
		{`{}`, `arguments are missing: shape, max-size`, placeholders + `{"skillName":"measure","scriptName":"scripts/area.py","arguments":{"shape":"<circle|square>","max-size":"<number>"}}`},
		{`{"shape":"round","max-size":2}`, `argument "shape" must be one of circle, square, got "round"`,
			placeholders + `{"skillName":"measure","scriptName":"scripts/area.py","arguments":{"shape":"<circle|square>","max-size":2}}` + "\nIt also takes: unit (string, default cm), exact (boolean)."},
		{`{"shape":"circle","max-size":2,"colour":"red"}`, `unknown argument "colour"; it takes shape, max-size, unit, exact`,
			call + ":\n" + `{"skillName":"measure","scriptName":"scripts/area.py","arguments":{"shape":"circle","max-size":2}}`},
		{`["circle","--unit","in"]`, `argument "max-size" is missing: the longest side`,
			placeholders + `{"skillName":"measure","scriptName":"scripts/area.py","arguments":{"shape":"circle","max-size":"<number>","unit":"in"}}` + "\nIt also takes: exact (boolean)."},
		{`"circle --size 2"`, `unexpected word`, placeholders + `{"skillName":"measure"`},
	} {
		b, runner := measure(t)
		got := b.call("run_skill_script", `{"skillName":"measure","scriptName":"scripts/area.py","arguments":`+test.arguments+`}`)
		const failed = "Error: Failed to execute script 'scripts/area.py' from skill 'measure'. Exception: "
		if !got.Failed || !strings.HasPrefix(got.Text, failed+test.reason) && test.reason != "unexpected word" || !strings.Contains(got.Text, test.want) || len(runner.ran) > 0 {
			t.Errorf("%s: %v ran\n got %s\nwant %s%s%s", test.arguments, runner.ran, got.Text, failed, test.reason, test.want)
		}
	}
}

// TestTakes checks what callers learn about scripts of each kind.
func TestTakes(t *testing.T) {
	root := tree(t, map[string]string{
		"a/SKILL.md": "---\nname: a\ndescription: x\n---\n", "a/free.rb": "puts ARGV\n",
		"a/known.py": "import argparse\np = argparse.ArgumentParser()\np.add_argument('text')\np.parse_args()\n",
	})
	source := files(root)
	b := newBench(t, skills.Options{Source: source, Runner: &recorder{}})
	list, err := source.Skills(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	contents, err := list[0].Contents(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	free, known := b.provider.Takes(list[0], contents.Scripts[0]), b.provider.Takes(list[0], contents.Scripts[1])
	if free.Certain || free.Schema["type"] != "array" || !known.Certain || known.Schema["type"] != "object" {
		t.Errorf("%+v, %+v", free, known)
	}
	function := loader.Script{Name: "f", Call: echo, Schema: map[string]any{"type": "object"}}
	if got := b.provider.Takes(list[0], function); !got.Certain || got.Usage != nil {
		t.Errorf("a function: %+v", got)
	}
}
