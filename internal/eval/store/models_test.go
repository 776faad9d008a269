package store

import (
	"fmt"
	"strings"
	"testing"

	"skills/internal/testing/filetest"
)

// TestReadModels checks that an iteration of several models is a table in the order in which
// they were named, that each is read alone, and that a case may be named models.
func TestReadModels(t *testing.T) {
	dir := filetest.Write(t, t.TempDir(), map[string]string{
		"iteration-1/models/b/eval-1/with_skill/run-1/grading.json":    pass,
		"iteration-1/models/b/eval-1/without_skill/run-1/grading.json": fail,
		"iteration-1/models/b/benchmark.json":                          `{"metadata":{"skill_name":"s","executor_model":"b"}}`,
		"iteration-1/models/a/eval-1/with_skill/run-1/grading.json":    fail,
		"iteration-1/models/a/benchmark.json":                          `{"metadata":{"skill_name":"s","executor_model":"a"}}`,
		"iteration-1/models/empty/notes.txt":                           "interrupted",
		"iteration-1/models.json":                                      `{"models":[{"executor_model":"work/b","directory":"models/b"},{"executor_model":"a","directory":"models/a"}]}`,
	})
	table, err := ReadModels(dir)
	if err != nil || table == nil {
		t.Fatal(table, err)
	}
	var got []string
	for _, m := range table.Models {
		got = append(got, fmt.Sprint(m.Model, " ", *m.With, " ", m.Verdict))
	}
	if text := strings.Join(got, ", "); text != "work/b 1 inconclusive, a 0 inconclusive" || table.Skill != "s" || len(table.Comparisons) != 1 {
		t.Errorf("%s, %+v", text, table)
	}
	if _, _, err := Read(dir); err == nil || !strings.Contains(err.Error(), "has runs of 3 models") {
		t.Error(err)
	}
	one := written(t, map[string]string{"models/with_skill/run-1/grading.json": pass, "models/without_skill/run-1/grading.json": fail})
	if table, err := ReadModels(one); table != nil || err != nil {
		t.Error(table, err)
	}
	if b := read(t, one); b.Statistics.Cases != 1 {
		t.Errorf("%+v", b.Statistics)
	}
}
