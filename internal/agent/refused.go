package agent

import (
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"

	"skills/internal/printable"

	"github.com/tidwall/gjson"
)

// maxServerText is how many characters of a server's own words are repeated.
const maxServerText = 300

// refused explains a status of 400 or more.
func (c *client) refused(status int, header http.Header, body []byte) *Error {
	said := c.said(body)
	wait, asked := retryAfter(header, c.config.Now())
	e := &Error{Status: status, Temporary: temporary(status), RetryAfter: wait}
	low := strings.ToLower(said)
	switch {
	case status == http.StatusUnauthorized && c.key == "":
		e.Message, e.Hint = "the server at "+c.host+" wants a key, and none was sent", "set the variable that holds the key"
	case status == http.StatusUnauthorized:
		e.Message, e.Hint = "the server at "+c.host+" refused the key", "check that the key belongs to this server and is still valid"
	case status == http.StatusForbidden:
		e.Message, e.Hint = "the server at "+c.host+" does not allow this request", "check what the key may be used for"
	case strings.Contains(low, "does not support tools") || strings.Contains(low, "tool use"):
		e.Message, e.Hint = fmt.Sprintf("model %q at %s cannot call tools", c.config.Model, c.host), "choose a model that can, with -m"
	case unknownModel(status, low):
		e.Message = fmt.Sprintf("model %q is not known at %s", c.config.Model, c.host)
		e.Hint = "name one of the server's models with -m; GET " + c.host + "/v1/models usually lists them"
	case status == http.StatusNotFound || status == http.StatusMethodNotAllowed:
		e.Message, e.Hint = "the server at "+c.host+" has no chat completions at this address", "check the base URL: it usually ends in /v1"
	case status == http.StatusTooManyRequests && (strings.Contains(string(body), "insufficient_quota") || strings.Contains(low, "billing")):
		e.Message, e.Hint, e.Temporary = "the quota at "+c.host+" is used up", "check the plan and the billing of the account", false
	case status == http.StatusTooManyRequests:
		e.Message, e.Hint = "the server at "+c.host+" gets too many requests", "wait a while and run it again"
	case status >= http.StatusInternalServerError:
		e.Message = fmt.Sprintf("the server at %s failed (%s)", c.host, statusText(status))
		e.Hint = "the fault is the server's: run it again later, or name another with --base-url"
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
			e.Hint = "the server says to come back in " + wait.Round(time.Second).String() + ", at " + c.config.Now().Add(wait).Format("15:04 on 2 January 2006")
		}
	}
	e.plain = (status == http.StatusBadRequest || status == http.StatusUnprocessableEntity) &&
		(strings.Contains(low, "stream_options") || strings.Contains(low, "include_usage"))
	e.unstreamed = noStreams(status, body)
	return e
}

// noStreams reports whether a refusal may be one of streaming: the status says
// so, or the words name it.
func noStreams(status int, body []byte) bool {
	switch status {
	case http.StatusNotAcceptable, http.StatusUnsupportedMediaType, http.StatusNotImplemented:
		return true
	case http.StatusBadRequest, http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusUnprocessableEntity:
		return namesStream.Match(body)
	}
	return false
}

// namesStream finds the word in all its forms, but not in stream_options or
// upstream.
var namesStream = regexp.MustCompile(`(?i)\bstream(s|ed|ing)?\b`)

func unknownModel(status int, low string) bool {
	if status != http.StatusNotFound && status != http.StatusBadRequest || !strings.Contains(low, "model") {
		return false
	}
	for _, phrase := range []string{"not found", "not exist", "not_found", "unknown model", "not a valid model", "invalid model", "no such model", "not known"} {
		if strings.Contains(low, phrase) {
			return true
		}
	}
	return false
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

// said is what an error's body says, without the key: it is taken out of the
// whole body too, because what is repeated of it may end in the middle.
func (c *client) said(body []byte) string {
	return c.secret.hide(serverText([]byte(c.secret.hide(string(body)))))
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
	if found := message(v, 0); found != "" {
		return clean(found)
	}
	if member(v, "error").Type != gjson.Null || text == "{}" || text == "[]" || text == "null" {
		return "" // the usual form, without words in it
	}
	return clean(text)
}

// message looks for the words in an error's JSON value.
func message(v gjson.Result, depth int) (found string) {
	switch {
	case depth > 4:
	case v.Type == gjson.String:
		return v.Str
	case v.IsArray():
		v.ForEach(func(_, first gjson.Result) bool {
			found = message(first, depth+1)
			return false
		})
	case v.IsObject():
		for _, key := range []string{"error", "message", "detail", "msg", "error_description"} {
			if found = message(v.Get(key), depth+1); found != "" {
				return found
			}
		}
	}
	return found
}

// temporary reports whether an error inside a reply is worth another attempt:
// it is, unless its code or its type says that the request is at fault.
func (e *toldError) temporary() bool {
	failure := member(gjson.ParseBytes(e.body), "error")
	switch member(failure, "type").Str {
	case "invalid_request_error", "authentication_error", "permission_error", "not_found_error", "insufficient_quota":
		return false
	}
	code, err := strconv.Atoi(member(failure, "code").String())
	return err != nil || code < 400 || temporary(code)
}

// clean makes the words of a server fit for a message: one line, no control
// characters, no more than maxServerText characters.
func clean(text string) string {
	return printable.Truncate(printable.Line(strings.Join(strings.Fields(text), " ")), maxServerText)
}
