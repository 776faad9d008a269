package model

import (
	"strings"
	"testing"

	"skills/internal/printable"
)

// replyIn reads a streamed reply whose content comes in pieces of a size; shown is what
// was passed on as text while they arrived.
func replyIn(t *testing.T, content, finish string, size int, expect bool) (reply Reply, shown string, void bool) {
	t.Helper()
	var stream strings.Builder
	for i := 0; i < len(content); {
		n := min(size, len(content)-i)
		for n < len(content)-i && content[i+n]&0xC0 == 0x80 {
			n++ // JSON holds whole characters
		}
		stream.WriteString(`data: {"choices":[{"index":0,"delta":{"content":` + printable.JSONText(content[i:i+n]) + "}}]}\n\n")
		i += n
	}
	stream.WriteString(`data: {"choices":[{"index":0,"delta":{},"finish_reason":"` + finish + "\"}]}\n\n")
	var text strings.Builder
	reader := &replyReader{onEvent: func(bool) {}, observer: Observer{
		OnDelta:     func(s string) { text.WriteString(s) },
		OnReasoning: func(_ string, v bool) { void = void || v },
	}}
	if expect {
		reader.think.expect(0)
	}
	reply, err := reader.read(strings.NewReader(stream.String()))
	if err != nil {
		t.Fatal(err)
	}
	return reply, text.String(), void
}

// TestThinkTags checks that reasoning in the content is separated whatever the pieces are,
// and that an answer about tags is kept.
func TestThinkTags(t *testing.T) {
	for _, test := range []struct{ name, content, reasoning, field, text string }{
		{"plain", "Just text.", "", "", "Just text."},
		{"empty", "", "", "", ""},
		{"white space", " \n", "", "", " \n"},
		{"think", "<think>\nI add.\n</think>\n\n4", "\nI add.\n", "<think>", "4"},
		{"after white space", "\n <think>I add.</think>4", "I add.", "<think>", "4"},
		{"thinking", "<thinking>I add.</thinking>\n4", "I add.", "<thinking>", "4"},
		{"Magistral", "[THINK]I add.[/THINK]4", "I add.", "[THINK]", "4"},
		{"Gemini", "<thought>I add.</thought>4", "I add.", "<thought>", "4"},
		{"Kimi", "◁think▷ 加法。◁/think▷四", " 加法。", "◁think▷", "四"},
		{"nothing thought", "<think>\n\n</think>\n\n4", "", "", "4"},
		{"twice", "<think>One.</think>\n<think>Two.</think>\n4", "One.Two.", "<think>", "4"},
		{"other tags inside", "<think>a <b> </thinking> </thin </think>4", "a <b> </thinking> </thin ", "<think>", "4"},
		{"no end", "<think>I add, and then", "I add, and then", "<think>", ""},
		{"no answer", "<think>I add.</think>\n", "I add.", "<think>", ""},
		{"about a tag", "Models write <think> before and </think> after it.", "", "", "Models write <think> before and </think> after it."},
		{"in code", "`<think>` opens it.", "", "", "`<think>` opens it."},
		{"in a block", "```\n<think>\na\n</think>\n```\nThat is it.", "", "", "```\n<think>\na\n</think>\n```\nThat is it."},
		{"later", "The form is:\n<think>\na\n</think>\n\nb", "", "", "The form is:\n<think>\na\n</think>\n\nb"},
		{"later, in code", "It ends with\n```\n</think>\n```\nand goes on.", "", "", "It ends with\n```\n</think>\n```\nand goes on."},
		{"end in a sentence", "It ends with </think> and goes on.\n\nDone.", "", "", "It ends with </think> and goes on.\n\nDone."},
		{"end in code", "It ends with `</think>\n\n`.", "", "", "It ends with `</think>\n\n`."},
		{"no start", "I add.\n</think>\n\n4", "I add.\n", "<think>", "4"},
		{"no start, in the line", "I add.</think>\n\n4", "I add.", "<think>", "4"},
		{"no start and no answer", "I add.\n</think>", "I add.\n", "<think>", ""},
		{"no start, Magistral", "I add.\n[/THINK]4", "I add.\n", "[THINK]", "4"},
		{"an answer after it", "<think>a</think>The tag </think>\n\nends it.", "a", "<think>", "The tag </think>\n\nends it."},
		{"similar", "<thin>x", "", "", "<thin>x"},
	} {
		t.Run(test.name, func(t *testing.T) {
			for size := 1; size <= len(test.content)+1; size++ {
				reply, shown, void := replyIn(t, test.content, "stop", size, false)
				if reply.Text != test.text || reply.Reasoning != test.reasoning || reply.ReasoningField != test.field {
					t.Fatalf("in pieces of %d: got %+v, want %+v", size, reply, test)
				}
				if want := test.text; !void && shown != want || void && shown != test.content {
					t.Fatalf("in pieces of %d: passed on %q, void: %v", size, shown, void)
				}
				if again := (Message{Text: reply.Text, Reasoning: reply.Reasoning, ReasoningField: reply.ReasoningField}).sentContent(); test.field != "" {
					back, _, _ := replyIn(t, again, "stop", size, false)
					if back.Text != reply.Text || back.Reasoning != reply.Reasoning {
						t.Fatalf("sent back as %q, which is read as %+v", again, back)
					}
				}
			}
		})
	}
}

// TestExpectedThinking checks replies of a server that has sent reasoning without an
// opening tag: nothing is passed on before it is known what it is.
func TestExpectedThinking(t *testing.T) {
	for _, test := range []struct{ content, finish, reasoning, text string }{
		{"I add.\n</think>\n\n4", "stop", "I add.\n", "4"},
		{"I add.</think>4", "stop", "I add.", "4"},
		{"<think>I add.</think>4", "stop", "I add.", "4"},
		{"4", "stop", "", "4"},
		{"I add, and", "length", "I add, and", ""},
		{"a</think><think>b</think>4", "stop", "ab", "4"},
	} {
		for size := 1; size <= len(test.content); size++ {
			reply, shown, void := replyIn(t, test.content, test.finish, size, true)
			if reply.Text != test.text || reply.Reasoning != test.reasoning || shown != test.text || void {
				t.Fatalf("%q in pieces of %d: got %+v, passed on %q", test.content, size, reply, shown)
			}
		}
	}
}

// TestLongThinking checks that the time for many pieces grows with their number.
func TestLongThinking(t *testing.T) {
	var s thinkSplitter
	s.expect(0)
	n := 0
	for range 200_000 {
		reasoning, text := s.add("thinking ")
		n += len(reasoning) + len(text)
	}
	reasoning, text := s.add("</think>done")
	if n != 0 || len(reasoning) != 200_000*len("thinking ") || text != "done" {
		t.Errorf("got %d, %d bytes, %q", n, len(reasoning), text)
	}
}
