package agent

// The budgets of a run: tokens, their cost, requests and time. The model gets one note when
// one of them is nearly used up, and is asked for its answer while the rest still suffices
// for it. What the next request will use is judged by the last one.

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"skills/internal/agent/model"
	"skills/internal/printable"
)

// Price is the price of a million input and of a million output tokens.
type Price [2]float64

// Cost returns the price of tokens.
func (p Price) Cost(u Usage) float64 {
	return (float64(u.InputTokens)*p[0] + float64(u.OutputTokens)*p[1]) / 1e6
}

// Amount returns a cost for people, with at least two and at most six decimals.
func Amount(cost float64) string {
	text := strconv.FormatFloat(cost, 'f', 6, 64)
	if cost >= 1 {
		text = strconv.FormatFloat(cost, 'f', 2, 64)
	}
	for strings.HasSuffix(text, "0") && text[len(text)-3] != '.' {
		text = text[:len(text)-1]
	}
	return text
}

// budget is what a run may use, and has used.
type budget struct {
	limits    Limits
	begun     time.Time
	longest   time.Duration // of a turn
	total     Usage         // of all turns, reported or estimated
	last      Usage         // of the last turn
	estimated bool          // the server reported nothing for some turn
	told      map[string]bool
}

func newBudget(limits Limits) budget {
	return budget{limits: limits, begun: time.Now(), told: map[string]bool{}}
}

// spend adds the usage of a turn, which is estimated if there is a limit for it and the
// server reports none. It reports whether this is the first estimate.
func (b *budget) spend(request Request, reply model.Reply) (first bool) {
	switch {
	case reply.Usage != nil:
		b.last = *reply.Usage
	case b.limits.Tokens == 0 && b.limits.Cost == 0:
		return false
	default:
		first, b.estimated = !b.estimated, true
		b.last = Usage{
			InputTokens:  int64(requestTokens(request)),
			OutputTokens: int64(messageTokens(Message{Text: reply.Text, Calls: reply.Calls}) + 1),
		}
	}
	b.total = *b.total.Add(&b.last)
	return first
}

// count is how much of a limit is used, and what the next turn probably needs.
type count struct {
	limit           string
	used, max, next float64
	value, unit     string // the used part and the whole, for people
}

// counts returns the limits that can be used up slowly, after the messages of a request.
func (b *budget) counts(ctx context.Context, turn int, sent []Message) (all []count) {
	next := b.last // the next request has this one, its reply and the results of its calls
	next.InputTokens += next.OutputTokens + int64(resultTokens(sent))
	if most := b.limits.Tokens; most > 0 {
		n := b.total.InputTokens + b.total.OutputTokens
		all = append(all, count{
			limit: LimitTokens, used: float64(n), max: float64(most), next: float64(next.InputTokens + next.OutputTokens),
			value: printable.Grouped(n) + " of " + printable.Grouped(most), unit: " tokens",
		})
	}
	if most := b.limits.Cost; most > 0 {
		cost := b.limits.Price.Cost(b.total)
		all = append(all, count{
			limit: LimitCost, used: cost, max: most, next: b.limits.Price.Cost(next),
			value: Amount(cost) + " of " + Amount(most), unit: " in cost",
		})
	}
	if deadline, ok := ctx.Deadline(); ok {
		total, taken := deadline.Sub(b.begun), time.Since(b.begun)
		all = append(all, count{
			limit: LimitTime, used: taken.Seconds(), max: total.Seconds(), next: b.longest.Seconds(),
			value: taken.Round(time.Second).String() + " of " + total.Round(time.Second).String(),
		})
	}
	turns := b.limits.Turns
	return append(all, count{
		limit: LimitTurns, used: float64(turn - 1), max: float64(turns),
		value: fmt.Sprintf("%d of %d", turn-1, turns), unit: " model requests",
	})
}

// resultTokens returns the estimated tokens of the messages after the last reply.
func resultTokens(sent []Message) (n int) {
	for i := len(sent) - 1; i >= 0 && sent[i].Role != Assistant; i-- {
		n += messageTokens(sent[i])
	}
	return n
}

// noteAbove is the part of a budget above which the model gets a note.
const noteAbove = 0.8

// nearlyUsed returns how much is used of a limit that is nearly reached: above a part of
// it, or if the next turn is the last that may call tools. It returns "" if there is
// none, or if it was returned before.
func (b *budget) nearlyUsed(ctx context.Context, turn int, sent []Message) string {
	if turn == 1 {
		return ""
	}
	for _, c := range b.counts(ctx, turn, sent) {
		near := c.used >= noteAbove*c.max || c.max-c.used < 3*c.next
		if near && !b.told[c.limit] {
			b.told[c.limit] = true
			return c.value + c.unit
		}
	}
	return ""
}

// exhausted returns the limit for which an answer has to be requested now, because the
// rest would not suffice for it after another turn; nil for none.
func (b *budget) exhausted(ctx context.Context, turn int, sent []Message) *LimitError {
	if turn == 1 {
		return nil
	}
	for _, c := range b.counts(ctx, turn, sent) {
		if c.limit != LimitTurns && c.max-c.used < 2*c.next {
			return &LimitError{Limit: c.limit, Value: c.value, Nearly: true, Estimated: b.estimated && c.limit != LimitTime}
		}
	}
	return nil
}

// reached returns an error if the limit of tokens or of their cost is reached, by what the
// server reported and what was estimated.
func (b *budget) reached() *LimitError {
	n, cost := b.total.InputTokens+b.total.OutputTokens, b.limits.Price.Cost(b.total)
	switch {
	case b.limits.Tokens > 0 && n >= b.limits.Tokens:
		return &LimitError{Limit: LimitTokens, Max: b.limits.Tokens, Used: n, Estimated: b.estimated}
	case b.limits.Cost > 0 && cost >= b.limits.Cost:
		return &LimitError{Limit: LimitCost, Value: Amount(cost) + " of " + Amount(b.limits.Cost), Estimated: b.estimated}
	}
	return nil
}

// usedUp returns the message to the model about a budget that is nearly used up, which is
// not kept, because a run that continues the conversation has a new one.
func usedUp(value string) Message {
	text := "Most of what this run may use is used up: " + value + ". Do only what is still necessary, and answer before the rest is gone."
	return Message{Role: User, Source: FromContext, Text: text}
}
