package model

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/tidwall/gjson"
)

// Error is a failure of the server or of the way to it, in words for a person.
// A caller that knows more (which variable holds the key, which flag names the
// model) may set Hint before it prints the error. Neither text ever holds the
// key; what the server says in it is bounded and free of control characters.
type Error struct {
	Message    string
	Hint       string        // what to do about it; empty where nothing is known
	Status     int           // HTTP status; 0 where there was none
	RetryAfter time.Duration // how long the server asked to wait; 0 where it did not
	Temporary  bool          // the same request may succeed later
	Err        error         // what is underneath; nil where the server answered

	withoutUsage  bool // the server may take the request without stream_options
	withoutStream bool // the server may answer where no stream is asked for
}

func (e *Error) Error() string { return e.Message }

func (e *Error) Unwrap() error { return e.Err }

// Final is implemented by errors of a transport that are returned as they are
// and never retried, such as those of a replay.
type Final interface {
	error
	Final()
}

// explain turns the error of an attempt into a Final one or an *Error. The
// attempt's context ends also where the server is too slow.
func (c *Client) explain(attempt context.Context, err error) error {
	var known *Error
	if errors.As(context.Cause(attempt), &known) {
		return known
	}
	var final Final
	if errors.As(err, &final) {
		return final
	}
	if !errors.As(err, &known) {
		known = c.network(err)
		if known.Err == nil {
			known.Err = err
		}
	}
	known.Message = c.key.hide(known.Message)
	return known
}

// errTooLarge is what reading beyond the limit of a reply returns.
var errTooLarge = errors.New("the reply is larger than the limit")

// broken is the error of reading a reply that could not be read to its end.
func (r *replyReader) broken(err error) error {
	if errors.Is(err, errTooLarge) || errors.Is(err, bufio.ErrTooLong) {
		return errTooLarge // the client knows the limit
	}
	e := r.incomplete(clean(bottom(err).Error()))
	if errors.Is(err, io.ErrUnexpectedEOF) {
		e.Message = "the server at " + r.host + " closed the connection before the reply was complete"
	}
	e.Err = err
	return e
}

// incomplete is the error of a reply that ended or went wrong before it was
// complete; the same request may be answered well the next time.
func (r *replyReader) incomplete(what string) *Error {
	return &Error{Message: "the reply of the server at " + r.host + " is not complete: " + what, Temporary: true}
}

// unexpected is the error of something that is not a reply at all.
func (r *replyReader) unexpected(what string) *Error {
	return &Error{
		Message: "the server at " + r.host + " does not answer like a chat-completions server: " + what,
		Hint:    "check the base URL: it usually ends in /v1",
	}
}

// excessive is the error of a reply that is larger than can be meant.
func (r *replyReader) excessive(what string) *Error {
	return &Error{
		Message: "the reply of the server at " + r.host + " contains " + what,
		Hint:    "the model repeats itself: ask for less at once, or choose another with -m",
	}
}

// serverError is an error that the server sent in place of a reply, or of its
// rest, under a status that says all is well. Another attempt makes sense
// unless its code or its type says that the request is at fault.
func (r *replyReader) serverError(v gjson.Result) *Error {
	said := serverText([]byte(v.Raw))
	if said == "" {
		said = "it says nothing more"
	}
	e := &Error{Message: "the server at " + r.host + " sent an error: " + said, Temporary: true}
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

// network explains why no response came, or only a part of one.
func (c *Client) network(err error) *Error {
	var dns *net.DNSError
	var record tls.RecordHeaderError
	var timeout net.Error
	var redirect *redirectError
	if proxy := c.proxyOf(err); proxy != "" {
		return &Error{
			Message: "the proxy at " + proxy + " cannot be reached: " + clean(bottom(err).Error()), Temporary: true,
			Hint: "start the proxy, or correct or unset HTTP_PROXY and HTTPS_PROXY; NO_PROXY lists hosts to reach without it",
		}
	}
	switch {
	case errors.Is(err, errTooLarge):
		return &Error{Message: fmt.Sprintf("the reply of the server at %s is larger than %d bytes", c.host, c.options.Limits.Reply)}
	case errors.As(err, &redirect):
		return &Error{
			Message: fmt.Sprintf("the server at %s redirects to %s (%d)", c.host, clean(redirect.target), redirect.status),
			Hint:    "pass the final address as the base URL: --base-url " + clean(redirect.target),
		}
	case errors.Is(err, syscall.ECONNREFUSED) || strings.Contains(err.Error(), "refused"):
		return &Error{
			Message: "nothing answers at " + c.host, Temporary: true,
			Hint: "start the server there, or name another with --base-url",
		}
	case errors.As(err, &dns):
		return &Error{
			Message: fmt.Sprintf("the host of %s cannot be found: %s", c.host, clean(dns.Err)), Temporary: !dns.IsNotFound,
			Hint: "check the spelling of the base URL, and the network",
		}
	case errors.As(err, &record) || strings.Contains(err.Error(), "HTTP response to HTTPS client"):
		return &Error{
			Message: "the server at " + c.host + " does not speak TLS",
			Hint:    "the base URL may have to begin with http://",
		}
	case errors.As(err, new(*tls.CertificateVerificationError)):
		return &Error{
			Message: "the certificate of the server at " + c.host + " is not trusted: " + clean(bottom(err).Error()),
			Hint:    "a proxy that reads TLS needs its certificate in the system's store (SSL_CERT_FILE)",
		}
	case errors.As(err, &timeout) && timeout.Timeout():
		return &Error{Message: "the server at " + c.host + " did not answer in time", Temporary: true}
	case strings.Contains(err.Error(), "invalid header"):
		// The text of this error may hold the header, and that the key.
		return &Error{Message: "the key contains characters that cannot be sent", Hint: "check the key for line breaks and spaces", Err: errors.New("invalid header")}
	}
	return &Error{Message: "the connection to " + c.host + " failed: " + clean(bottom(err).Error()), Temporary: true}
}

// proxyOf returns the address of the proxy that a request failed to reach, ""
// where the failure is not the proxy's.
func (c *Client) proxyOf(err error) string {
	var op *net.OpError
	if !errors.As(err, &op) || op.Op != "dial" && op.Op != "proxyconnect" && op.Op != "socks connect" {
		return ""
	}
	proxy, perr := c.options.Proxy(&http.Request{URL: c.base})
	if perr != nil || proxy == nil {
		return ""
	}
	return proxy.Scheme + "://" + proxy.Host
}

// bottom returns the innermost error: the outer ones repeat the address.
func bottom(err error) error {
	for {
		inner := errors.Unwrap(err)
		if inner == nil {
			return err
		}
		err = inner
	}
}
