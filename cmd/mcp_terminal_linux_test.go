package cmd

import (
	"path/filepath"
	"strings"
	"testing"

	"skills/internal/testing/openaitest"
)

// TestMCPAtTerminal: the user is asked before a tool of a server is called, with its
// name and arguments. A refusal's reason reaches the model, and "always" holds for that
// tool alone.
func TestMCPAtTerminal(t *testing.T) {
	t.Parallel()
	call := func(id, tool, arguments string) openaitest.Call {
		return openaitest.Call{ID: id, Name: tool, Arguments: arguments}
	}
	model := openaitest.New(t,
		openaitest.Do(call("c1", "get_weather", `{"location":"Leeds"}`)),
		openaitest.Do(call("c2", "get_weather", `{"location":"York"}`)),
		openaitest.Do(call("c3", "get_weather", `{"location":"Hull"}`)),
		openaitest.Do(call("c4", "book_table", `{"restaurant":"Lotus","time":"7 pm"}`)), openaitest.Text("over"))
	server, err := filepath.Abs("../testdata/mcp/travel.py")
	must(t, err)
	c := atConsole(t, model, nil, "run", "--mcp", "travel=python3 "+server, "go")
	for i, keys := range []string{"n too wet\n", "a\n", "y\n"} {
		c.until(promptEnd, i+1)
		c.kind(keys)
		if keys == "a\n" {
			c.until("Which? (Enter: 2, q: back) ", 1)
			c.kind("\n")
		}
	}
	screen, code := c.end()
	if code != 0 || strings.Count(screen, promptEnd) != 3 {
		t.Errorf("exit code %d, screen\n%s", code, screen)
	}
	for _, want := range []string{
		"\nThe model wants to call a tool of an MCP server:\n  server     \"travel\"\n  tool       \"get_weather\"\n  arguments  {\"location\":\"Leeds\"}\n",
		"  tool       \"book_table\"\n  arguments  {\"restaurant\":\"Lotus\",\"time\":\"7 pm\"}\n",
		"answered no: too wet\n", "  Hull: sunny", "Booked at Lotus",
	} {
		if !strings.Contains(screen, want) {
			t.Errorf("%q is missing on the screen\n%s", want, screen)
		}
	}
	var results []string
	for _, m := range model.Requests()[4].Messages {
		if m.Role == "tool" {
			results = append(results, m.Text)
		}
	}
	if len(results) != 4 || !strings.HasSuffix(results[0], "answered no: too wet") || results[1] != "York: sunny, 25 °C" {
		t.Errorf("the model got %q", results)
	}
}
