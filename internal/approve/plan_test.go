package approve

import (
	"bytes"
	"errors"
	"strings"
	"testing"
)

// TestPlan answers the question about a plan, with an editor that changes it or fails.
func TestPlan(t *testing.T) {
	add := func(text string) (string, error) { return text + "\n2. More.", nil }
	for typed, tt := range map[string]struct {
		edit func(string) (string, error)
		want PlanAnswer
	}{
		"y\n":                     {add, PlanAnswer{Approved: true, Text: "1. Go."}},
		"e\nYES\n":                {add, PlanAnswer{Approved: true, Text: "1. Go.\n2. More."}},
		"e\ne\ny\n":               {add, PlanAnswer{Approved: true, Text: "1. Go.\n2. More.\n2. More."}},
		"e\nn\n":                  {add, PlanAnswer{}},
		"n\n":                     {add, PlanAnswer{}},
		"no, in two steps\n":      {add, PlanAnswer{Reason: "in two steps"}},
		"":                        {add, PlanAnswer{}},
		"go\n?\na\nr\ny\n":        {add, PlanAnswer{Approved: true, Text: "1. Go."}},
		"e\ny\n":                  {func(string) (string, error) { return "", errors.New("no vi") }, PlanAnswer{Approved: true, Text: "1. Go."}},
		"edit\ny\n":               {func(string) (string, error) { return " \n", nil }, PlanAnswer{Approved: true, Text: "1. Go."}},
		strings.Repeat("x\n", 11): {add, PlanAnswer{}},
	} {
		var out bytes.Buffer
		got, err := consoleOf(strings.NewReader(typed), &out).plan(t.Context(), "1. Go.", tt.edit)
		if err != nil || got != tt.want {
			t.Errorf("%q: got %+v, %v, want %+v\n%s", typed, got, err, tt.want, out.String())
		}
	}
}
