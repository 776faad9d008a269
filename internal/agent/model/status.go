package model

import (
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/tidwall/gjson"
)

// maxRetryAfter is how long a server may ask to wait; a longer wait ends the
// run at once, saying when to come back.
const maxRetryAfter = 2 * time.Minute

// statusError explains a status of 400 or more.
func (c *Client) statusError(status int, header http.Header, body []byte) *Error {
	// The key is removed before the text is cut, which could leave a part of it.
	said := c.key.hide(serverText([]byte(c.key.hide(string(body)))))
	wait, asked := retryAfter(header, c.options.Now())
	e := &Error{Status: status, Temporary: isTemporary(status), RetryAfter: wait}
	low := strings.ToLower(said)
	switch {
	case status == http.StatusUnauthorized && c.options.APIKey == "":
		e.Message, e.Hint = "the server at "+c.host+" wants a key, and none was sent", "set the variable that holds the key"
	case status == http.StatusUnauthorized:
		e.Message, e.Hint = "the server at "+c.host+" refused the key", "check that the key belongs to this server and is still valid"
	case status == http.StatusForbidden:
		e.Message, e.Hint = "the server at "+c.host+" does not allow this request", "check what the key may be used for"
	case strings.Contains(low, "does not support tools") || strings.Contains(low, "tool use"):
		e.Message, e.Hint = fmt.Sprintf("model %q at %s cannot call tools", c.options.Model, c.host), "choose a model that can, with -m"
	case isUnknownModel(status, low):
		e.Message = fmt.Sprintf("model %q is not known at %s", c.options.Model, c.host)
		e.Hint = "name one of the server's models with -m; GET " + c.host + "/v1/models usually lists them"
	case status == http.StatusNotFound || status == http.StatusMethodNotAllowed:
		e.Message, e.Hint = "the server at "+c.host+" has no chat completions at this address", "check the base URL: it usually ends in /v1"
	case status == http.StatusTooManyRequests && (strings.Contains(string(body), "insufficient_quota") || strings.Contains(low, "billing")):
		e.Message, e.Hint, e.Temporary = "the quota at "+c.host+" is used up", "check the plan and the billing of the account", false
	case status == http.StatusTooManyRequests:
		e.Message, e.Hint = "rate limited by the server at "+c.host, "wait a while and run it again"
	case status >= http.StatusInternalServerError:
		e.Message = fmt.Sprintf("the server at %s failed (%s)", c.host, statusText(status))
		e.Hint = "this is a fault of the server: run it again later, or name another with --base-url"
	default:
		e.Message = fmt.Sprintf("the server at %s refused the request (%s)", c.host, statusText(status))
	}
	if said != "" {
		e.Message += ": " + said
	}
	if asked && wait > maxRetryAfter && e.Temporary {
		e.Temporary = false
		e.Hint = "the server asks for a very long wait"
		if wait < 24*365*time.Hour {
			e.Hint = "the server says to come back in " + wait.Round(time.Second).String() + ", at " + c.options.Now().Add(wait).Format("15:04 on 2 January 2006")
		}
	}
	e.withoutUsage = (status == http.StatusBadRequest || status == http.StatusUnprocessableEntity) &&
		(strings.Contains(low, "stream_options") || strings.Contains(low, "include_usage"))
	e.withoutStream = refusesStream(status, body)
	return e
}

// isTemporary reports whether a status is worth another attempt.
func isTemporary(status int) bool {
	switch status {
	case http.StatusRequestTimeout, http.StatusConflict, http.StatusTooManyRequests:
		return true
	}
	return status >= http.StatusInternalServerError
}

// refusesStream reports whether a refusal may be one of streaming: the status
// says so, or the words name it.
func refusesStream(status int, body []byte) bool {
	switch status {
	case http.StatusNotAcceptable, http.StatusUnsupportedMediaType, http.StatusNotImplemented:
		return true
	case http.StatusBadRequest, http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusUnprocessableEntity:
		return streamWord.Match(body)
	}
	return false
}

// streamWord finds the word in all its forms, but not in stream_options or
// upstream.
var streamWord = regexp.MustCompile(`(?i)\bstream(s|ed|ing)?\b`)

var unknownModelWords = regexp.MustCompile(`model.*(not found|not exist|not_found|not known)|(unknown|invalid|no such|not a valid) model|(not found|not exist|not_found|not known).*model`)

func isUnknownModel(status int, low string) bool {
	return (status == http.StatusNotFound || status == http.StatusBadRequest) && unknownModelWords.MatchString(low)
}

func statusText(status int) string {
	return strings.TrimSpace(fmt.Sprintf("%d %s", status, http.StatusText(status)))
}

// retryAfter returns how long a server asks to wait, as milliseconds, seconds
// or a date, and whether it does.
func retryAfter(h http.Header, now time.Time) (time.Duration, bool) {
	if ms, err := strconv.ParseFloat(h.Get("Retry-After-Ms"), 64); err == nil && ms >= 0 {
		return seconds(ms / 1000), true
	}
	text := h.Get("Retry-After")
	if s, err := strconv.ParseFloat(text, 64); err == nil && s >= 0 {
		return seconds(s), true
	}
	if at, err := http.ParseTime(text); err == nil {
		return max(0, at.Sub(now)), true
	}
	return 0, false
}

// seconds returns a duration, the longest one for what does not fit.
func seconds(s float64) time.Duration {
	if s > float64(math.MaxInt64/int64(time.Second)) {
		return math.MaxInt64
	}
	return time.Duration(s * float64(time.Second))
}

// serverText returns what an error's body says, cleaned; servers have many
// forms for it.
func serverText(body []byte) string {
	text := strings.TrimSpace(string(body))
	if strings.HasPrefix(text, "<") {
		return "a web page"
	}
	if !json.Valid(body) {
		return clean(text)
	}
	v := gjson.Parse(text)
	if found := messageIn(v, 0); found != "" {
		return clean(found)
	}
	if v.Get("error").Type != gjson.Null || text == "{}" || text == "[]" || text == "null" {
		return "" // the usual form, without words in it
	}
	return clean(text)
}

// messageIn looks for the words in an error's JSON value.
func messageIn(v gjson.Result, depth int) string {
	switch {
	case depth > 4:
	case v.Type == gjson.String:
		return v.Str
	case v.IsArray():
		return messageIn(v.Get("0"), depth+1)
	case v.IsObject():
		for _, key := range []string{"error", "message", "detail", "msg", "error_description"} {
			if found := messageIn(v.Get(key), depth+1); found != "" {
				return found
			}
		}
	}
	return ""
}
