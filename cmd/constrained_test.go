package cmd

import (
	"encoding/json"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"skills/internal/prompt"
	"skills/internal/testing/filetest"
	"skills/internal/testing/openaitest"
)

// offered returns the alternatives of a reply in the schema of a request: calls as the tool
// with the constants of its arguments, "list of " the same, and "answer".
func offered(t *testing.T, body []byte) (out []string) {
	t.Helper()
	type schema struct {
		AnyOf      []schema `json:"anyOf"`
		Properties map[string]json.RawMessage
		Items      *schema
		MaxItems   int
	}
	var request struct {
		Format struct {
			JSON struct{ Schema schema } `json:"json_schema"`
		} `json:"response_format"`
	}
	must(t, json.Unmarshal(body, &request))
	constants := regexp.MustCompile(`"enum":\[([^\]]*)\]`)
	var describe func(s schema) string
	describe = func(s schema) string {
		switch {
		case s.Properties["answer"] != nil:
			return "answer"
		case s.Properties["calls"] != nil:
			var list schema
			must(t, json.Unmarshal(s.Properties["calls"], &list))
			if list.MaxItems == 0 {
				t.Error("a list of calls has no end")
			}
			return "list of " + strings.Fields(describe(list.Items.AnyOf[0]))[0]
		}
		var words []string
		for _, part := range []string{"name", "arguments"} {
			for _, found := range constants.FindAllStringSubmatch(string(s.Properties[part]), -1) {
				words = append(words, strings.ReplaceAll(found[1], `"`, ""))
			}
		}
		return strings.Join(words, " ")
	}
	reply := request.Format.JSON.Schema
	if reply.AnyOf == nil {
		return []string{describe(reply)}
	}
	for _, s := range reply.AnyOf {
		out = append(out, describe(s))
	}
	return out
}

// TestOfferedCalls checks what the schema of each request of a run offers.
func TestOfferedCalls(t *testing.T) {
	json1 := func(name, arguments string) openaitest.Reply {
		return openaitest.Text(`{"name":"` + name + `","arguments":` + arguments + `}`)
	}
	const long = `{"skillName":"long","resourceName":"references/long.md"}`
	const others = "release-notes,translator,unit-converter" // of testdata; double is that of runEvents
	load := json1("load_skill", `{"skillName":"long"}`)
	loaded := []string{"read_skill_resource long references/long.md,references/short.md", "run_skill_script long scripts/a.sh", "list of read_skill_resource", "list of run_skill_script", "answer"}
	for name, tt := range map[string]struct {
		prompt  string
		replies []openaitest.Reply
		want    [][]string
	}{
		"a resource in pieces": {"Read the long list of numbers.", []openaitest.Reply{
			load, json1("read_skill_resource", long), json1("read_skill_resource", strings.Replace(long, "}", `,"offset":65536}`, 1)), openaitest.Text(`{"answer":"1"}`),
		}, [][]string{
			{"load_skill blue,double,green,long,red," + others, "answer"}, loaded,
			slices.Concat([]string{"read_skill_resource long references/long.md 65536", "read_skill_resource long references/short.md"}, loaded[1:]),
			slices.Concat([]string{"read_skill_resource long references/short.md"}, loaded[1:]),
		}},
		"no skill fits": {"Wie geht es dir?", []openaitest.Reply{
			json1("load_skill", `{"skillName":"blue"}`), json1("load_skill", `{"skillName":"red"}`), openaitest.Text(`{"answer":"Gut."}`),
		}, [][]string{{"load_skill blue,double,green,long,red," + others, "answer"}, {"load_skill double,green,long,red," + others, "answer"}, {"answer"}}},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			head := func(name, what string) string {
				return "---\nname: " + name + "\ndescription: " + what + "\n---\nDo it.\n"
			}
			filetest.Write(t, dir, map[string]string{
				"skills/long/SKILL.md":            head("long", "Reads a long list of numbers. Use for lists of numbers."),
				"skills/long/references/long.md":  strings.Repeat("a line of fifteen\n", 5000),
				"skills/long/references/short.md": "short\n",
				"skills/long/scripts/a.sh":        "echo a\n",
				"skills/blue/SKILL.md":            head("blue", "Paints walls blue. Use for paint."),
				"skills/red/SKILL.md":             head("red", "Paints walls red. Use for paint."),
				"skills/green/SKILL.md":           head("green", "Paints walls green. Use for paint."),
			})
			server := openaitest.New(t, tt.replies...)
			runEvents(t, server.URL, dir, "--skills", filepath.Join(dir, "skills"), "--tool-calls", "json", tt.prompt)
			for i, r := range server.Requests() {
				if got := offered(t, r.Body); !slices.Equal(got, tt.want[i]) {
					t.Errorf("request %d offers\n%q, want\n%q", i+1, got, tt.want[i])
				}
				last := r.Messages[len(r.Messages)-1].Text
				if isEnd := len(tt.want[i]) == 1; isEnd != strings.Contains(last, "Nothing is left to call.") {
					t.Errorf("request %d ends with %s", i+1, last)
				}
			}
		})
	}
}

// TestSystemTextSize holds the size of what every request has, whatever the skills are:
// small models have small contexts, and local servers read slowly.
func TestSystemTextSize(t *testing.T) {
	skills := regexp.MustCompile(`(?s)<available_skills>.*</available_skills>`)
	for mode, most := range map[string]int{"json": 1000, "native": 2000} {
		server := openaitest.New(t, openaitest.Text(`{"answer":"Yes."}`))
		dir := t.TempDir()
		runEvents(t, server.URL, dir, "--tool-calls", mode, "PROMPT")
		text, _, _ := strings.Cut(server.Requests()[0].Messages[0].Text, "PROMPT")
		text = skills.ReplaceAllString(text, "")
		if n := len(text); n < 400 || n >= most {
			t.Errorf("%s: the fixed part of the system text has %d bytes, want less than %d:\n%s", mode, n, most, text)
		}
		if mode == "native" && len(prompt.Todo()) > len(text)-len(prompt.Todo()) {
			t.Errorf("the instructions of the todo list have %d of %d bytes", len(prompt.Todo()), len(text))
		}
	}
}
