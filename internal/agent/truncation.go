package agent

// Some servers shorten a request that is too long for the model's context, without an
// error: the model then sees neither its instructions nor the beginning of the
// conversation. The server's own count of the tokens gives it away.
//
// The count is compared with a cautious estimate, because vocabularies differ, and some
// servers leave out what they had in their cache.

import (
	"fmt"

	"skills/internal/agent/model"
	"skills/internal/lazyregexp"
	"skills/internal/printable"
	"skills/internal/spec/tokens"
)

const (
	// surelySent is the part of the estimated tokens that every vocabulary needs.
	surelySent = 0.6
	// leastCounted is a count below which most of the request was in a cache.
	leastCounted = 200
	// newCounted is how many times the estimate of what is new since the last requests a
	// server may count for it.
	newCounted = 1.5
	// leastDenied is the estimated size of a request from which on an answer that denies
	// its contents is taken seriously.
	leastDenied = 2000
)

// truncation notices that the server shortens requests. It is reported once.
type truncation struct{ reported bool }

// check returns a warning about the reply to a request that the server has shortened, and
// the size of the context that this shows, 0 if it is unknown. The warning is "" if there
// is nothing to report.
func (t *truncation) check(request Request, reply model.Reply, kind model.Kind) (warning string, window int64) {
	if t.reported {
		return "", 0
	}
	sent := int64(requestTokens(request))
	switch {
	case reply.Usage == nil && sent >= leastDenied && denies(request, reply):
		warning = fmt.Sprintf("the answer shows that the model has not seen its instructions: the server may have shortened the request of about %s tokens", printable.Grouped(sent))
	case reply.Usage != nil && isShortened(request, counted(*reply.Usage, reply.Apart, kind)):
		window = reply.Usage.InputTokens
		warning = fmt.Sprintf("the server counts %s tokens in a request of about %s: it seems to shorten what is too long, and the model does not see all of it",
			printable.Grouped(window), printable.Grouped(sent))
	default:
		return "", 0
	}
	t.reported = true
	return warning + "; " + kind.Setting(roomFor(sent)), window
}

// roomFor returns a size of the context that is enough for a request of so many tokens,
// its reply, and some more turns.
func roomFor(sent int64) int64 {
	size := int64(8192)
	for size < 2*sent {
		size *= 2
	}
	return size
}

// counted returns how many tokens of the input the server knows, at most: servers count
// those in their cache in different ways.
func counted(u Usage, apart int64, kind model.Kind) int64 {
	n := u.InputTokens + apart
	if !kind.CutsSilently {
		n += u.CachedTokens // which may be left out of the input
	}
	return n
}

// isShortened reports whether a server that counts n tokens cannot have read the whole
// request. A server that leaves out what it had in its cache counts only what is new, or
// almost nothing.
func isShortened(request Request, n int64) bool {
	sure := tokens.Estimate(request.Instructions)
	last, fresh, replies := 0, 0, 0 // tokens since the last reply, and since the one before it
	for i := len(request.Messages) - 1; i >= 0; i-- {
		m := request.Messages[i]
		sure += messageTokens(m) - tokens.Estimate(m.Reasoning) // templates leave it out
		if m.Role == Assistant {
			replies++
		}
		if replies < 1 {
			last += messageTokens(m)
		}
		if replies < 2 { // the end of the last request may be read again
			fresh += messageTokens(m)
		}
	}
	atLeast := func(estimate int) int64 { return int64(surelySent * float64(estimate)) }
	onlyNew := n <= int64(newCounted*float64(fresh)) && n >= atLeast(last)
	return n >= leastCounted && n < atLeast(sure) && !onlyNew
}

// denial matches an answer that says that there are no tools, skills or instructions.
var denial = lazyregexp.New(`(?i)\b(i|we) (do not|don't|cannot|can't|am unable to|currently don't) (actually |currently )?(have|see|find|access)( access to)?( any| the| your)? ` +
	`(\w+ )?(tools?|skills?|functions?|instructions?|system prompt|previous (message|conversation)s?)\b|\bno (tools|skills|functions|instructions) (are|were|have been) (available|provided|given)\b`)

// denies reports whether an answer denies what was in the request.
func denies(request Request, reply model.Reply) bool {
	return len(request.Tools) > 0 && len(reply.Calls) == 0 && denial().MatchString(reply.Text)
}

// withoutTools matches an answer that says that there are no tools at all; that none fits a
// request is an answer like any other.
var withoutTools = lazyregexp.New(`(?i)\b(do not|don't|cannot|can't|unable to|not able to) (currently |actually )?((have )?access (to )?|use |call |have )(any |the |external |these |those )*(tools|skills|functions)\b` +
	`|\bno (tools|skills|functions) (are|were|have been) (available|provided|given)\b`)

// toolsUnseen returns why the model seems not to have seen the tools of a request that it
// answered without a call, or "": some chat templates leave them out in silence.
func toolsUnseen(request Request, reply model.Reply, kind model.Kind) string {
	sent := requestTokens(request)
	bare := request
	bare.Tools = nil
	switch {
	case len(request.Tools) == 0 || len(reply.Calls) > 0:
		return ""
	case withoutTools().MatchString(reply.Text):
		return "the model says that it has no tools"
	case reply.Usage == nil:
		return ""
	}
	n := counted(*reply.Usage, reply.Apart, kind)
	isWhole := n >= int64(surelySent*float64(sent))
	isCached := n < int64(surelySent*float64(requestTokens(bare)))
	if isWhole || isCached || n < leastCounted {
		return ""
	}
	return fmt.Sprintf("the server counts %s tokens in a request of about %s, as without the tools", printable.Grouped(n), printable.Grouped(int64(sent)))
}
