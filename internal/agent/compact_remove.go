package agent

// What a compaction takes out of requests: results that the model can get back, then whole
// exchanges, then steps. An exchange is a prompt with all that followed from it, a step is
// a reply with the results of its calls, so that no result is ever without its call. The
// system text, the last prompt with what belongs to it, and the last step stay.

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"skills/internal/printable"
	"skills/internal/spec/tokens"
)

// Removed are consecutive messages of requests in whose place they contain one message of
// the agent.
type Removed struct {
	From  int    `json:"from"` // index of the first, in the conversation as it was sent so far
	Count int    `json:"count"`
	Text  string `json:"text"`
}

// compactor is one compaction.
type compactor struct {
	run       *run
	sent      []Message
	event     CompactionEvent
	removed   []Removed // with the texts without a summary
	old       [][]Message
	forgotten []Replaced // results that the model has no longer
}

// over reports whether the request is still larger than it should become.
func (c *compactor) over() bool { return c.run.window.above(compactTo, c.event.AfterTokens) }

// replaceResults replaces the oldest results that the model can get back; all includes
// those of the last turn.
func (c *compactor) replaceResults(all bool) {
	end := len(c.sent)
	for !all && end > 0 && c.sent[end-1].Role != Assistant {
		end--
	}
	for i := range c.sent[:end] {
		if !c.over() {
			return
		}
		m := &c.sent[i]
		tool := c.run.prepared.tool(m.Name)
		replaceable := m.Role == ToolRole && tool != nil && tool.Recall != ""
		if !replaceable || len(m.Text) <= 2*len(tool.Recall) {
			continue
		}
		c.event.AfterTokens -= int64(tokens.Estimate(m.Text) - tokens.Estimate(tool.Recall))
		m.Text, m.Parts = tool.Recall, nil
		c.event.Replaced = append(c.event.Replaced, Replaced{m.CallID, m.Text})
	}
}

// isPrompt reports whether a message is of the user.
func isPrompt(m Message) bool {
	return m.Role == User && m.Provider == "" && (m.Source == FromUser || m.Source == FromHistory)
}

// current returns the index of the last prompt.
func (c *compactor) current() int {
	for i, m := range slices.Backward(c.sent) {
		if isPrompt(m) {
			return i
		}
	}
	return 0
}

// removeExchanges removes the oldest exchanges, as many as it takes.
func (c *compactor) removeExchanges() {
	end, n, last := 0, 0, c.current()
	nextPrompt := func(i int) int {
		for i < last && !isPrompt(c.sent[i]) {
			i++
		}
		return i
	}
	for c.over() {
		first := nextPrompt(end) // after the note of an earlier compaction
		if first >= last {
			break
		}
		next := nextPrompt(first + 1)
		c.event.AfterTokens -= sizeOf(c.sent[end:next])
		end, n = next, n+1
	}
	if n == 0 {
		return
	}
	c.event.Exchanges = n
	c.run.window.exchanges += n
	c.replace(0, end, removedText(c.run.window.exchanges, "earlier exchange", "of this conversation"))
}

// removeSteps removes the oldest steps of the current exchange, as many as it takes, but
// not the last one.
func (c *compactor) removeSteps() {
	start := c.current()
	for start < len(c.sent) && c.sent[start].Role != Assistant {
		start++
	}
	end, n := start, 0
	for c.over() {
		next := end + 1
		for next < len(c.sent) && c.sent[next].Role != Assistant {
			next++
		}
		if next >= len(c.sent) {
			break
		}
		c.event.AfterTokens -= sizeOf(c.sent[end:next])
		end, n = next, n+1
	}
	if n == 0 {
		return
	}
	// The note of an earlier removal is before the steps.
	if before := start - 1; c.run.window.steps > 0 && c.sent[before].Source == FromContext && c.sent[before].Provider == "" {
		start = before
	}
	c.event.Steps = n
	c.run.window.steps += n
	c.replace(start, end, removedText(c.run.window.steps, "earlier step", "of this task"))
}

// sizeOf estimates the tokens of messages.
func sizeOf(messages []Message) (n int64) {
	for _, m := range messages {
		n += int64(messageTokens(m))
	}
	return n
}

// removedText is what requests contain in place of what was removed.
func removedText(n int, what, of string) string {
	were := "were"
	if n == 1 {
		were = "was"
	}
	return fmt.Sprintf("[%s %s %s removed to save space. What you still need of it, such as a skill or a file, get again.]", printable.Plural(n, what), of, were)
}

// replace puts a note in the place of messages.
func (c *compactor) replace(from, end int, text string) {
	old := slices.Clone(c.sent[from:end])
	for _, m := range old {
		c.forgotten = append(c.forgotten, Replaced{ID: m.CallID})
	}
	c.old = append(c.old, old)
	c.removed = append(c.removed, Removed{From: from, Count: end - from, Text: text})
	c.event.AfterTokens += int64(tokens.Estimate(text))
	c.sent = slices.Replace(c.sent, from, end, Message{Role: User, Source: FromContext, Text: text})
}

// finish completes the notes with summaries, if they are wanted.
func (c *compactor) finish(ctx context.Context) {
	c.forgotten = append(c.forgotten, c.event.Replaced...)
	for i := range c.removed {
		removed := &c.removed[i]
		text := c.summary(ctx, c.old[i])
		if text == "" {
			continue
		}
		removed.Text += "\nIn short: " + text
		c.sent[removed.From].Text = removed.Text
		c.event.AfterTokens += int64(tokens.Estimate(text))
	}
	c.event.Removed = c.removed
}

const (
	summaryInstructions = "You shorten a conversation between a user and an assistant. Write one line, of at most 60 words, with what is needed to go on: " +
		"what was asked, what was found or decided, names of files and values. Write nothing else."
	maxSummary      = 500  // characters
	maxSummaryInput = 2000 // characters of one message that is summarised
)

// summary has the model write one line about messages; "" if it is not wanted, or failed.
func (c *compactor) summary(ctx context.Context, messages []Message) string {
	r := c.run
	if !r.agent.config.Summarize || r.over { // the latter if nothing is sent
		return ""
	}
	var text strings.Builder
	for _, m := range messages {
		fmt.Fprintf(&text, "%s: %s\n", m.Role, printable.TruncateMiddle(m.Text, maxSummaryInput))
		for _, call := range m.Calls {
			fmt.Fprintf(&text, "%s calls %s %s\n", m.Role, call.Name, printable.TruncateMiddle(call.Arguments, maxSummaryInput))
		}
	}
	most := int(max(maxSummaryInput, r.window.size)) // a character is at least a quarter of a token
	reply, err := askAside(ctx, r, c.event.Turn, summaryInstructions, printable.TruncateMiddle(text.String(), most))
	line := printable.Truncate(strings.Join(strings.Fields(reply), " "), maxSummary)
	switch {
	case err != nil && ctx.Err() == nil:
		r.warn("what was removed from requests is not summarised: %v", err)
	case err == nil && line == "":
		r.warn("what was removed from requests is not summarised: the model gave an empty reply")
	}
	return line
}
