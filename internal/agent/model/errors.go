package model

// An error of the server or the network says what is wrong, what to do about it, and
// whether a retry may succeed. Text from a server is shortened and never contains the key.

import (
	"bufio"
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"syscall"
	"time"
)

// Error is a failure of the server or of the connection to it, in words for the
// user. A caller that knows more (which variable contains the key, which flag
// selects the model) may set Hint before it prints the error. Text from the
// server is limited and free of control characters.
type Error struct {
	Message    string
	Hint       string        // how to fix it, or ""
	Status     int           // HTTP status, or 0
	RetryAfter time.Duration // delay requested by the server, or 0
	Temporary  bool          // the same request may succeed later
	Err        error         // the cause; nil if the server answered
	// FullContext is true if the conversation is larger than the model's context
	// window. Window is the size that the server states, in tokens, or 0.
	FullContext bool
	Window      int64

	Request *Shape // the request that the server refused; nil if it did not answer

	body    string // body of an error response
	endless bool   // the reply was stopped because it repeats itself
	loading bool   // the server is loading the model
}

// Error returns the message.
func (e *Error) Error() string { return e.Message }

// lower returns the server's answer in lower case and on one line. Some servers escape
// quotes in their words, or quote the answer of another server.
func (e *Error) lower() string {
	return strings.ToLower(strings.NewReplacer(`\u0027`, "'", `\u0060`, "`", `\"`, `"`, `\n`, " ", "\n", " ").Replace(e.body))
}

// Endless reports whether the reply was stopped because it repeats itself.
func (e *Error) Endless() bool { return e.endless }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Final is implemented by errors of a transport that are returned unchanged and
// never retried, such as those of a replay.
type Final interface {
	error
	Final() // marks the error; it does nothing
}

// explain returns a Final error or an *Error. attempt's cause is set if the
// server was too slow.
func (c *Client) explain(attempt context.Context, err error) error {
	if tooSlow, ok := errors.AsType[*Error](context.Cause(attempt)); ok {
		return tooSlow
	}
	if final, ok := errors.AsType[Final](err); ok {
		return final
	}
	known, ok := errors.AsType[*Error](err)
	if !ok {
		known = c.network(err)
	}
	known.Message = c.hideKey(known.Message)
	return known
}

// minKey is the minimum length of a key that is masked: "x" and "ollama" are
// not secret, but occur in words.
const minKey = 8

// hideKey removes the key and the values of headers from a text that is truncated before
// all output is masked.
func (c *Client) hideKey(text string) string {
	hide := func(value, mark string) {
		if len(value) >= minKey {
			text = strings.ReplaceAll(text, value, mark)
		}
	}
	hide(c.options.APIKey, "[key]")
	for _, h := range c.options.Headers {
		hide(h.Value, "[header]")
		_, key, _ := strings.Cut(h.Value, " ")
		if strings.EqualFold(h.Name, "Authorization") { // after the scheme
			hide(key, "[header]")
		}
	}
	return text
}

// broken returns the error for a reply that could not be read completely.
func (r *replyReader) broken(err error) error {
	tooLarge := &http.MaxBytesError{Limit: defaultReply} // which is also the decoder's limit of an event
	if errors.As(err, &tooLarge) || errors.Is(err, bufio.ErrTooLong) {
		return &Error{Message: fmt.Sprintf("the reply of the server at %s is larger than %d bytes", r.host, tooLarge.Limit)}
	}
	e := r.incomplete(clean(innermost(err).Error()))
	if errors.Is(err, io.ErrUnexpectedEOF) {
		e.Message = "the server at " + r.host + " closed the connection before the reply was complete"
	}
	e.Err = err
	return e
}

// incomplete returns the error for a reply that ended early; a retry may
// succeed.
func (r *replyReader) incomplete(what string) *Error {
	return &Error{Message: "the reply of the server at " + r.host + " is not complete: " + what, Temporary: true}
}

// endless returns the error for a reply that repeats itself.
func (r *replyReader) endless() *Error {
	return &Error{
		Message: fmt.Sprintf("the reply of model %q was stopped: it repeats %s without end", r.model, r.looping), endless: true,
		Hint: "choose another model with -m, or change the prompt or the parameters of the request (--param)",
	}
}

// unexpected returns the error for something that is not a reply.
func (r *replyReader) unexpected(what string) *Error {
	return &Error{
		Message: "the server at " + r.host + " does not answer like a " + cmp.Or(r.api, protocols[0].name()) + " server: " + what,
		Hint:    cmp.Or(r.address, addressHint("")) + "; a proxy or a login page may be in between",
	}
}

// network explains why no response, or only a part of one, was received.
func (c *Client) network(err error) *Error {
	var dns *net.DNSError
	var op *net.OpError
	var timeout net.Error
	why, text := clean(innermost(err).Error()), err.Error()
	e := &Error{Temporary: true, Err: err}
	switch {
	case errors.As(err, &op) && op.Op == "proxyconnect":
		e.Message = "the proxy cannot be reached: " + clean(op.Err.Error())
		e.Hint = "start the proxy, or correct or unset HTTP_PROXY and HTTPS_PROXY; NO_PROXY lists hosts to reach without it"
	case errors.Is(err, syscall.ECONNREFUSED) || strings.Contains(text, "refused"):
		e.Message = "cannot connect to " + c.host + ": connection refused"
		e.Hint = "start the server, or name another with --base-url"
	case errors.As(err, &dns):
		e.Temporary = !dns.IsNotFound
		e.Message = fmt.Sprintf("the host of %s cannot be found: %s", c.host, clean(dns.Err))
		e.Hint = "check the spelling of the base URL, and the network"
	case errors.As(err, new(tls.RecordHeaderError)) || strings.Contains(text, "HTTP response to HTTPS client"):
		e.Temporary = false
		e.Message = "the server at " + c.host + " does not support TLS"
		e.Hint = "the base URL may have to begin with http://"
	case errors.As(err, new(*tls.CertificateVerificationError)):
		e.Temporary = false
		e.Message = "the certificate of the server at " + c.host + " is not trusted: " + why
		e.Hint = "a proxy that reads TLS needs its certificate in the system's store (SSL_CERT_FILE)"
	case errors.As(err, &timeout) && timeout.Timeout():
		e.Message = "the server at " + c.host + " did not answer in time"
	case strings.Contains(text, "invalid header"):
		// The text of this error may contain the header with the key.
		e.Temporary, e.Err = false, errors.New("invalid header")
		e.Message, e.Hint = "the key contains characters that cannot be sent", "check the key for line breaks and spaces"
	default:
		e.Message = "the connection to " + c.host + " failed: " + why
	}
	return e
}

// innermost returns the innermost error: the outer ones repeat the address.
func innermost(err error) error {
	for {
		inner := errors.Unwrap(err)
		if inner == nil {
			return err
		}
		err = inner
	}
}
