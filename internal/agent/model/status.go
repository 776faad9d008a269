package model

// What an unsuccessful response means: servers report errors in many forms, some of them
// with a successful status. The status, the code and the words decide whether a retry may
// succeed, and what to do.

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"skills/internal/lazyregexp"
	"skills/internal/printable"
)

const (
	maxRetryAfter     = 2 * time.Minute      // longer delays end the run with the time to retry
	longestRetryAfter = 365 * 24 * time.Hour // some servers request more than a duration can hold
	maxErrorBody      = 64 << 10             // bytes to read
	maxServerText     = 300                  // characters shown of a server's message
)

// statusError returns the error for an unsuccessful response.
func (c *Client) statusError(r *http.Response) *Error {
	// An incomplete body is shown as received. The key is removed before the
	// text is truncated, which could keep a part of it.
	data, _ := io.ReadAll(io.LimitReader(r.Body, maxErrorBody))
	body, status, at := c.hideKey(string(data)), r.StatusCode, "the server at "+c.host
	detail := c.hideKey(serverText(body))
	e := &Error{
		Status: status, Temporary: isTemporary(status), RetryAfter: retryAfter(r.Header, c.options.Now()), body: body, loading: loads(status, body),
	}
	code, low := strings.TrimSpace(fmt.Sprintf("%d %s", status, http.StatusText(status))), strings.ToLower(detail)
	switch {
	case status < 400:
		target := baseURLOf(r)
		e.Message, e.Hint = fmt.Sprintf("%s redirects to %s (%d)", at, target, status), "pass the final address as the base URL: --base-url "+target
		return e
	case status == http.StatusUnauthorized && c.options.APIKey == "":
		e.Message, e.Hint = at+" requires an API key, and none was sent", "set the variable that holds the key"
	case status == http.StatusUnauthorized:
		e.Message, e.Hint = at+" rejected the API key", "check that the key belongs to this server and is still valid"
	case status == http.StatusForbidden:
		e.Message, e.Hint = at+" does not allow this request", "check what the key may be used for"
	case strings.Contains(low, "does not support tools") || strings.Contains(low, "tool use"):
		e.Message, e.Hint = fmt.Sprintf("model %q at %s cannot call tools", c.options.Model, c.host), "choose a model that can, with -m"
	case (status == http.StatusNotFound || status == http.StatusBadRequest) && unknownModel().MatchString(low):
		e.Message = fmt.Sprintf("model %q is not known at %s", c.options.Model, c.host)
		e.Hint = "name one of the server's models with -m; GET " + c.host + "/v1/models usually lists them"
	case (isRefusal(status) || status == http.StatusInternalServerError) && e.isFullContext(strings.ToLower(body)):
		e.Message = fmt.Sprintf("the conversation is larger than the context window of model %q", c.options.Model)
		e.Hint, e.Temporary = fullHint, false
	case status == http.StatusNotFound || status == http.StatusMethodNotAllowed:
		text, advice := protocolOf(r.Request).missing()
		e.Message, e.Hint = at+" "+text, advice+addressHint(c.options.BaseURL)
	case status == http.StatusTooManyRequests && (strings.Contains(body, "insufficient_quota") || strings.Contains(low, "billing")):
		e.Message, e.Hint, e.Temporary = "the quota at "+c.host+" is used up", "check the plan and the billing of the account", false
	case status == http.StatusTooManyRequests:
		e.Message, e.Hint = "rate limited by "+at, "wait a while and run it again"
	case status >= http.StatusInternalServerError:
		e.Message = fmt.Sprintf("%s failed (%s)", at, code)
		e.Hint = "this is a fault of the server: run it again later, or name another with --base-url"
	default:
		e.Message = fmt.Sprintf("API error from %s (%s)", at, code)
	}
	if detail != "" {
		e.Message += ": " + detail
	}
	if e.RetryAfter > maxRetryAfter && e.Temporary {
		e.Temporary = false
		e.Hint = "run it again in " + e.RetryAfter.Round(time.Second).String() + ", at " +
			c.options.Now().Add(e.RetryAfter).Format("15:04 on 2 January 2006")
	}
	return e
}

// fullHint is the hint for a conversation that is too long.
const fullHint = "shorten the prompt or the files that are read, start a new conversation, or choose a model with a larger context with -m"

// baseURLOf returns the base URL that a redirect leads to, without credentials.
func baseURLOf(r *http.Response) string {
	target, err := r.Location()
	if err != nil {
		return "no address"
	}
	target.User, target.RawQuery, target.Fragment = nil, "", ""
	return clean(withoutPath(target.String()))
}

// isTemporary reports whether a retry after this status may succeed.
func isTemporary(status int) bool {
	return slices.Contains([]int{http.StatusRequestTimeout, http.StatusConflict, http.StatusTooManyRequests}, status) ||
		status >= http.StatusInternalServerError
}

var unknownModel = lazyregexp.New(`model.*(not found|not exist|not_found|not known)|(unknown|invalid|no such|not a valid) model|(not found|not exist|not_found|not known).*model`)

// isRefusal reports whether a status means that the server rejected the content
// of a request, such as a conversation that is too long.
func isRefusal(status int) bool {
	return status == http.StatusBadRequest || status == http.StatusRequestEntityTooLarge || status == http.StatusUnprocessableEntity
}

// retryAfter returns the delay that a server requests, or 0.
func retryAfter(h http.Header, now time.Time) time.Duration {
	text, unit := h.Get("Retry-After"), time.Second
	if ms := h.Get("Retry-After-Ms"); ms != "" {
		text, unit = ms, time.Millisecond
	}
	if n, err := strconv.ParseFloat(text, 64); err == nil && n >= 0 {
		return time.Duration(min(n, float64(longestRetryAfter/unit)) * float64(unit))
	}
	at, err := http.ParseTime(text)
	if err != nil {
		return 0
	}
	return max(0, at.Sub(now))
}

// serverText returns the message in an error's body, in any of its many forms.
func serverText(body string) string {
	text := strings.TrimSpace(body)
	if strings.HasPrefix(text, "<") {
		return "an HTML page"
	}
	if !json.Valid([]byte(text)) {
		return clean(text)
	}
	v := gjson.Parse(text)
	found := messageIn(v, 0)
	if raw := v.Get("error.metadata.raw").Str; raw != "" && !strings.Contains(raw, `"metadata"`) { // that of another server (OpenRouter)
		found += ": " + serverText(raw)
	}
	if found != "" {
		return clean(found)
	}
	if v.Get("error").Type != gjson.Null || slices.Contains([]string{"{}", "[]", "null"}, text) {
		return "" // the usual form without a message
	}
	return clean(text)
}

// messageIn returns the message in an error's JSON value.
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

// isError reports whether v is an error instead of a reply, or contains an
// error message next to one.
func isError(v gjson.Result) bool {
	failure := v.Get("error")
	switch failure.Raw {
	case "", "null", "{}", `""`, "false":
		return false
	}
	return !v.Get("choices.0").Exists() || messageIn(failure, 0) != ""
}

// serverError returns the error that the server sent in place of a reply, or
// its rest, with a successful status. It is temporary unless its code or type
// blames the request.
func (r *replyReader) serverError(v gjson.Result) *Error {
	e := &Error{Message: "the server at " + r.host + " sent an error: " + cmp.Or(serverText(v.Raw), "no details"), Temporary: true, body: v.Raw}
	if e.isFullContext(strings.ToLower(v.Raw)) {
		e.Hint, e.Temporary = fullHint, false
	}
	failure := v.Get("error")
	switch failure.Get("type").Str {
	case "invalid_request_error", "authentication_error", "permission_error", "not_found_error", "insufficient_quota":
		e.Temporary = false
	}
	if code, err := strconv.Atoi(failure.Get("code").String()); err == nil && code >= 400 && !isTemporary(code) {
		e.Temporary = false
	}
	return e
}

// clean shortens a server's message to one line without control characters.
func clean(text string) string {
	return printable.Truncate(printable.Line(strings.Join(strings.Fields(text), " ")), maxServerText)
}

// Window returns how many tokens a request to a model can have, 0 if that is
// unknown, as for open weights, whose window the server chooses. The name may
// have the prefix of a provider, as in openai/gpt-4o.
func Window(name string) (window int64) {
	name = strings.ToLower(name[strings.LastIndexByte(name, '/')+1:])
	longest := ""
	for start, size := range map[string]int64{
		"gpt-3.5-turbo": 16_385, "gpt-4-turbo": 128_000, "gpt-4o": 128_000, "gpt-4.1": 1_047_576,
		"gpt-5": 272_000, "gpt-5-chat": 128_000, "o1": 200_000, "o1-mini": 128_000, "o3": 200_000, "o4-mini": 200_000,
		"claude-": 200_000, "gemini-2.0-flash": 1_048_576, "gemini-2.5": 1_048_576,
	} {
		if len(start) > len(longest) && strings.HasPrefix(name, start) {
			longest, window = start, size
		}
	}
	return window
}

// fullContext matches messages about a conversation that is too long, and
// statedWindow the size of the window in them.
var (
	fullContext = lazyregexp.New(`context_length_exceeded|context[ _](length|limit|window|size|the overflows)|exceed_context_size|prompt (is )?too long|too many tokens|` +
		`maximum (context|prompt length)|maximum model length|exceeds the maximum number of tokens|input is too long|` +
		"model token limit|range of input length|`inputs` tokens")
	statedWindow = lazyregexp.New(`(?:(?:context|model|prompt) (?:length|window|size)(?: (?:is|of|only))* \(?|"n_ctx": ?|tokens > |tokens allowed \(|` +
		"token limit: |input length should be \\[1, |` must be <= )(\\d{1,12})\\b")
)

// isFullContext reports whether an error in lower case is about a conversation that is
// too long.
func (e *Error) isFullContext(text string) bool {
	if !fullContext().MatchString(text) {
		return false
	}
	e.FullContext = true
	if found := statedWindow().FindStringSubmatch(text); found != nil {
		e.Window, _ = strconv.ParseInt(found[1], 10, 64)
	}
	return true
}
