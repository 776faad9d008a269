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
	"strings"
	"syscall"
	"time"
)

// Error is a failure of the server or of the way to it, in words for a person.
// A caller that knows more (which variable holds the key, which flag names the
// model) may set Hint before it prints the error. What the server says in it is
// bounded and free of control characters.
type Error struct {
	Message    string
	Hint       string        // what to do about it; empty where nothing is known
	Status     int           // HTTP status; 0 where there was none
	RetryAfter time.Duration // how long the server asked to wait; 0 where it did not
	Temporary  bool          // the same request may succeed later
	Err        error         // what is underneath; nil where the server answered

	body string // of a refusal
}

func (e *Error) Error() string { return e.Message }

func (e *Error) Unwrap() error { return e.Err }

// Final is implemented by errors of a transport that are returned as they are
// and never retried, such as those of a replay.
type Final interface {
	error
	Final()
}

// explain returns a Final error or an *Error; slowness of the server is the attempt's cause.
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

// minKey is the shortest key that is hidden: "x" and "ollama" are no secrets, but in words.
const minKey = 8

// hideKey takes the key out of a text that is cut before everything printed is masked.
func (c *Client) hideKey(text string) string {
	if len(c.options.APIKey) < minKey {
		return text
	}
	return strings.ReplaceAll(text, c.options.APIKey, "[key]")
}

// errTooLarge says that a reply is larger than the client takes.
var errTooLarge = errors.New("the reply is larger than the limit")

// broken is the error of reading a reply that could not be read to its end.
func (r *replyReader) broken(err error) error {
	if errors.As(err, new(*http.MaxBytesError)) || errors.Is(err, bufio.ErrTooLong) {
		return errTooLarge // the client knows the limit
	}
	e := r.incomplete(clean(bottom(err).Error()))
	if errors.Is(err, io.ErrUnexpectedEOF) {
		e.Message = "the server at " + r.host + " closed the connection before the reply was complete"
	}
	e.Err = err
	return e
}

// incomplete is the error of a reply that ended early; another attempt may do better.
func (r *replyReader) incomplete(what string) *Error {
	return &Error{Message: "the reply of the server at " + r.host + " is not complete: " + what, Temporary: true}
}

// unexpected is the error of something that is not a reply at all.
func (r *replyReader) unexpected(what string) *Error {
	return &Error{
		Message: "the server at " + r.host + " does not answer like a chat-completions server: " + what,
		Hint:    "check the base URL: it usually ends in /v1; a proxy or a login page may be in between",
	}
}

// network explains why no response came, or only a part of one.
func (c *Client) network(err error) *Error {
	var dns *net.DNSError
	var op *net.OpError
	var timeout net.Error
	why, text := clean(bottom(err).Error()), err.Error()
	e := &Error{Temporary: true, Err: err}
	switch {
	case errors.Is(err, errTooLarge):
		e.Temporary = false
		e.Message = fmt.Sprintf("the reply of the server at %s is larger than %d bytes", c.host, c.options.MaxReply)
	case errors.As(err, &op) && op.Op == "proxyconnect":
		e.Message = "the proxy cannot be reached: " + clean(op.Err.Error())
		e.Hint = "start the proxy, or correct or unset HTTP_PROXY and HTTPS_PROXY; NO_PROXY lists hosts to reach without it"
	case errors.Is(err, syscall.ECONNREFUSED) || strings.Contains(text, "refused"):
		e.Message = "nothing answers at " + c.host
		e.Hint = "start the server there, or name another with --base-url"
	case errors.As(err, &dns):
		e.Temporary = !dns.IsNotFound
		e.Message = fmt.Sprintf("the host of %s cannot be found: %s", c.host, clean(dns.Err))
		e.Hint = "check the spelling of the base URL, and the network"
	case errors.As(err, new(tls.RecordHeaderError)) || strings.Contains(text, "HTTP response to HTTPS client"):
		e.Temporary = false
		e.Message = "the server at " + c.host + " does not speak TLS"
		e.Hint = "the base URL may have to begin with http://"
	case errors.As(err, new(*tls.CertificateVerificationError)):
		e.Temporary = false
		e.Message = "the certificate of the server at " + c.host + " is not trusted: " + why
		e.Hint = "a proxy that reads TLS needs its certificate in the system's store (SSL_CERT_FILE)"
	case errors.As(err, &timeout) && timeout.Timeout():
		e.Message = "the server at " + c.host + " did not answer in time"
	case strings.Contains(text, "invalid header"):
		// The text of this error may hold the header, and that the key.
		e.Temporary, e.Err = false, errors.New("invalid header")
		e.Message, e.Hint = "the key contains characters that cannot be sent", "check the key for line breaks and spaces"
	default:
		e.Message = "the connection to " + c.host + " failed: " + why
	}
	return e
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
