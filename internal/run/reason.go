package run

import (
	"strings"

	"skills/internal/agent"
	"skills/internal/lazyregexp"
)

// Reasons of run.result besides the names of limits.
const (
	reasonCompleted  = "completed"
	reasonNeedsInput = "needs_input" // the answer ends with a question to the person
	reasonStopped    = "stopped"     // by a hook
	reasonFailed     = "failed"
	reasonCalls      = "calls" // the limit that is called tool_calls elsewhere
)

// reason returns why the run ended, in one word.
func (e Ended) reason() string {
	switch {
	case e.Status == agent.Interrupted:
		return string(agent.Interrupted)
	case e.Limit == agent.LimitToolCalls:
		return reasonCalls
	case e.Limit != "":
		return e.Limit
	case e.Status != agent.Completed:
		return reasonFailed
	case e.Stopped != "":
		return reasonStopped
	case e.Cut == "" && asks(e.Text):
		return reasonNeedsInput
	}
	return reasonCompleted
}

var (
	// sentenceEnd separates the sentences of a line.
	sentenceEnd = lazyregexp.New(`[.!?:;][)"'*_]*\s+|[。！？：；]`)
	// closingMarks may follow a question mark.
	closingMarks = " \t\r\n*_`\"')]}>”’」』»"
	// politeOffer matches a question that ends an answer politely.
	politeOffer = lazyregexp.New(`(?i)\b(anything|something) else\b|\bany (other|more|further)\b|\bfurther (questions|help)\b|\b(can|may|could) i (help|assist)\b|` +
		`\bnoch (etwas|fragen)\b|\bsonst noch\b|\balgo más\b|\bautre chose\b|还有|其他|别的|他に`)
)

// asks reports whether an answer ends with a question to the person: its last sentence
// ends with a question mark, and is not an offer of more help. The last line of code is
// none.
func asks(text string) bool {
	text = strings.TrimSpace(text)
	if strings.HasSuffix(text, "```") || strings.HasSuffix(text, "~~~") {
		return false
	}
	text = strings.TrimRight(text, closingMarks)
	body := strings.TrimRight(text, "?？؟")
	if body == text {
		return false
	}
	last := body[strings.LastIndexByte(body, '\n')+1:]
	ends := sentenceEnd().FindAllStringIndex(last, -1)
	if len(ends) > 0 {
		last = last[ends[len(ends)-1][1]:]
	}
	return strings.TrimSpace(last) != "" && !politeOffer().MatchString(last)
}
