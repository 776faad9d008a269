package transcript

import (
	"strings"
	"testing"

	"skills/internal/agent"
)

// TestTables checks that tables are aligned at a terminal if they fit.
func TestTables(t *testing.T) {
	const table = "| a | longer |\n|---|:-:|\n| 中文 | x |\n| b\\|c |"
	aligned := "assistant\n  before\n\n  | a    | longer |\n  | ---- | ------ |\n  | 中文 | x      |\n  | b\\|c |        |\n  after\n== notes\n"
	text := "before\n\n" + table + "\nafter"
	if got := texts(t, TextOptions{Terminal: true}, modelText(text)); got != aligned {
		t.Errorf("got\n%s\nwant\n%s", got, aligned)
	}
	var pieces []agent.Event
	for _, r := range text {
		pieces = append(pieces, agent.MessageDelta{Text: string(r)})
	}
	if got := texts(t, TextOptions{Terminal: true}, append(pieces, modelText(text))...); got != aligned {
		t.Errorf("streamed: got\n%s\nwant\n%s", got, aligned)
	}
	for _, raw := range []string{"| a |\nb", "|a|", "| not | a |\n| table | x |"} {
		if got, want := texts(t, TextOptions{Terminal: true}, modelText(raw)), "assistant\n  "+strings.ReplaceAll(raw, "\n", "\n  ")+"\n== notes\n"; got != want {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
	}
	for _, tt := range []struct {
		width int
		table string
		want  string
	}{
		{30, "| naïve | n |\n|---|---:|\n| é | 1 |\n| Привет | 10 |", "  | naïve  |   n |\n  | ------ | --- |\n  | é      |   1 |\n  | Привет |  10 |\n"},
		{30, "| a | text |\n|---|---|\n| 1 | more words than fit there |", "  | a   | text              |\n  | --- | ----------------- |\n  | 1   | more words than   |\n  |     | fit there         |\n"},
		{32, "| a | b |\n|---|---|\n| some longer words | interesting thing |", "  | a           | b           |\n  | ----------- | ----------- |\n  | some longer | interesting |\n  | words       | thing       |\n"},
		{24, "| a | text | third |\n|---|---|---|\n| one thing | two things | three things |\n| x | | y |", "  - a: one thing\n    text: two things\n    third: three things\n  - a: x\n    third: y\n"},
	} {
		if got, want := texts(t, TextOptions{Terminal: true, Width: tt.width}, modelText(tt.table)), "assistant\n"+tt.want+"== notes\n"; got != want {
			t.Errorf("%d columns: got\n%s\nwant\n%s", tt.width, got, want)
		}
	}
	if got := texts(t, TextOptions{}, modelText(table)); !strings.Contains(got, "  | 中文 | x |\n") {
		t.Errorf("in a pipe: got\n%s", got)
	}
}
