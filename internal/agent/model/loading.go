package model

// A local server that has just started answers that it is loading the model, which can take
// minutes. That is no failure: the request is sent again until the model is loaded, up to
// the idle timeout, and does not count as a retry.

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"skills/internal/lazyregexp"
)

const (
	loadingPause   = time.Second     // between requests at first, unless the server asks for another
	loadingPauses  = 5 * time.Second // and later
	loadingDefault = 5 * time.Minute // how long is waited without an idle timeout of the user
)

var (
	// isLoading matches the words of servers: llama.cpp, llama-swap, LM Studio, Hugging
	// Face, TGI, vLLM behind a router, Triton and KServe.
	isLoading = lazyregexp.New(`loading (the )?model|(model|weights)\b.{0,120}\b(is|are|being|currently|still|yet) (being )?(loading|loaded|warming up|starting)|` +
		`model\b.{0,120}\bnot (yet )?(ready|loaded yet)|\b(server|engine|service) is (still )?(starting|warming up|loading)`)
	// isLoadFailure matches those that will not change.
	isLoadFailure = lazyregexp.New(`(error|failed|failure|unable|cannot|could not)( (in|to|while|when))?:? load`)
)

// loads reports whether an answer means that the server is loading the model.
func loads(status int, body string) bool {
	body = strings.ToLower(body)
	return status == http.StatusServiceUnavailable && isLoading().MatchString(body) && !isLoadFailure().MatchString(body)
}

// loadWait is the time that a request has waited for the model.
type loadWait struct{ waited time.Duration }

// next waits before a request is sent again, or returns the error of one that has waited
// for too long.
func (w *loadWait) next(ctx context.Context, c *Client, failure *Error, o Observer) error {
	most := c.options.Idle
	if most < 0 {
		most = loadingDefault
	}
	pause := loadingPause
	if w.waited >= 10*loadingPause {
		pause = loadingPauses
	}
	if failure.RetryAfter > 0 {
		pause = min(failure.RetryAfter, loadingPauses)
	}
	switch at, limited := ctx.Deadline(); {
	case most > 0 && w.waited >= most:
		failure.Temporary = false
		failure.Message = fmt.Sprintf("the server at %s is still loading the model after %s", c.host, w.waited)
		failure.Hint = "run it again when the model is loaded, or increase --idle-timeout"
		return failure
	case limited && pause > time.Until(at):
		failure.Temporary = false
		failure.Hint = "the run has no time left to wait for the model; increase it with --timeout"
		return failure
	}
	if w.waited == 0 && o.OnLoading != nil {
		text := fmt.Sprintf("the server at %s is loading the model; waiting for it", c.host)
		if most > 0 {
			text += fmt.Sprintf(" for up to %s (--idle-timeout)", most)
		}
		o.OnLoading(text)
	}
	w.waited += pause
	return c.options.Wait(ctx, pause)
}
