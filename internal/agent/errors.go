package agent

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"syscall"
	"time"
)

// maxRetryAfter is how long a server may ask to wait; a longer wait ends the
// run at once, saying when to come back.
const maxRetryAfter = 2 * time.Minute

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

	plain      bool // the server may take the request without stream_options
	unstreamed bool // the server may answer where no stream is asked for
}

func (e *Error) Error() string { return e.Message }

func (e *Error) Unwrap() error { return e.Err }

// explain turns whatever a request failed with into the context's error, a
// *ReplayError or an *Error. attempt is the context of the request, which ends
// also where the server is too slow.
func (c *client) explain(run, attempt context.Context, err error) error {
	if run.Err() != nil {
		return ended(run)
	}
	var late *lateError
	if errors.As(context.Cause(attempt), &late) {
		err = late
	}
	var known *Error
	var replay *ReplayError
	switch {
	case errors.As(err, &known):
		return known
	case errors.As(err, &replay):
		return replay
	}
	e := c.reading(err)
	if e == nil {
		e = c.network(err)
	}
	e.Message = c.secret.hide(e.Message)
	if e.Err == nil {
		e.Err = err
	}
	return e
}

// reading explains an error of readReply; nil where it is none.
func (c *client) reading(err error) *Error {
	var told *toldError
	var broken *brokenError
	var format *formatError
	var late *lateError
	var huge *hugeError
	switch {
	case errors.As(err, &late):
		return &Error{Message: fmt.Sprintf(late.what, c.host, late.limit), Hint: late.hint, Temporary: late.again}
	case errors.As(err, &told):
		said := c.said(told.body)
		if said == "" {
			said = "it says nothing more"
		}
		return &Error{Message: "the server at " + c.host + " sent an error: " + said, Temporary: told.temporary()}
	case errors.As(err, &broken):
		return &Error{Message: "the reply of the server at " + c.host + " cannot be used: " + clean(broken.Error()), Temporary: true}
	case errors.As(err, &format) && format.html:
		return &Error{
			Message: "the server at " + c.host + " answered with a web page instead of a reply",
			Hint:    "check the base URL: it usually ends in /v1; a proxy or a login page may be in between",
		}
	case errors.As(err, &format):
		return &Error{
			Message: "the server at " + c.host + " does not answer like a chat-completions server: " + format.what,
			Hint:    "check the base URL: it usually ends in /v1",
		}
	case errors.As(err, &huge):
		return &Error{Message: "the reply of the server at " + c.host + " holds " + huge.what, Hint: "the model repeats itself: ask for less at once, or name another with -m"}
	case errors.Is(err, errTooLarge):
		return &Error{Message: fmt.Sprintf("the reply of the server at %s is larger than %d bytes", c.host, c.config.Limits.Reply)}
	}
	return nil
}

// network explains why no response came.
func (c *client) network(err error) *Error {
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
	case certificate(err):
		return &Error{
			Message: "the certificate of the server at " + c.host + " is not trusted: " + clean(bottom(err).Error()),
			Hint:    "a proxy that reads TLS needs its certificate in the system's store (SSL_CERT_FILE)",
		}
	case errors.As(err, &timeout) && timeout.Timeout():
		return &Error{Message: "the server at " + c.host + " did not answer in time", Temporary: true}
	case strings.Contains(err.Error(), "invalid header"):
		// The text of this error may hold the header, and that the key.
		return &Error{Message: "the key holds characters that cannot be sent", Hint: "check the key for line breaks and spaces", Err: errors.New("invalid header")}
	}
	return &Error{Message: "the connection to " + c.host + " failed: " + clean(bottom(err).Error()), Temporary: true}
}

// proxyOf returns the address of the proxy that a request failed to reach, ""
// where the failure is not the proxy's.
func (c *client) proxyOf(err error) string {
	var op *net.OpError
	if !errors.As(err, &op) || op.Op != "dial" && op.Op != "proxyconnect" && op.Op != "socks connect" {
		return ""
	}
	proxy, perr := c.proxy(&http.Request{URL: c.base})
	if perr != nil || proxy == nil {
		return ""
	}
	return proxy.Scheme + "://" + proxy.Host
}

func certificate(err error) bool {
	var verification *tls.CertificateVerificationError
	var unknown x509.UnknownAuthorityError
	var host x509.HostnameError
	var invalid x509.CertificateInvalidError
	return errors.As(err, &verification) || errors.As(err, &unknown) || errors.As(err, &host) || errors.As(err, &invalid)
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

// temporary reports whether a status is worth another attempt.
func temporary(status int) bool {
	switch status {
	case http.StatusRequestTimeout, http.StatusConflict, http.StatusTooManyRequests:
		return true
	}
	return status >= http.StatusInternalServerError
}
