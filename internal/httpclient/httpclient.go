// Package httpclient makes the HTTP clients of the program, so that all of them have the
// same rule for redirects.
package httpclient

import (
	"net/http"
	"time"
)

const maxRedirects = 5

// New returns a client with a transport, or [Shared] if it is nil.
//
// The client follows a redirect only if it keeps the method and the body (307 and 308) and
// leads to the same scheme, host and port: no other server may get keys, headers or the
// body. Any other redirect is the response itself.
func New(transport http.RoundTripper) *http.Client {
	if transport == nil {
		transport = Shared()
	}
	return &http.Client{Transport: transport, CheckRedirect: checkRedirect}
}

// Shared returns the transport that clients share.
func Shared() http.RoundTripper { return http.DefaultTransport }

// NewTransport returns a transport for one client, which may keep connections open for as
// long as it is used.
func NewTransport() *http.Transport {
	return &http.Transport{Proxy: http.ProxyFromEnvironment, ForceAttemptHTTP2: true, TLSHandshakeTimeout: 30 * time.Second}
}

// Target returns where a response redirects to, without the values of its query and without
// user and password, if a client does not follow it. The result is "" for other responses.
func Target(r *http.Response) string {
	if r.StatusCode < 300 || r.StatusCode >= 400 || r.Request == nil {
		return ""
	}
	u, err := r.Location()
	if err != nil || follows(r.Request, r.StatusCode, u.Scheme, u.Host) {
		return ""
	}
	u.User, u.RawQuery, u.Fragment = nil, "", ""
	return u.String()
}

func checkRedirect(req *http.Request, via []*http.Request) error {
	if len(via) <= maxRedirects && follows(via[0], req.Response.StatusCode, req.URL.Scheme, req.URL.Host) {
		return nil
	}
	return http.ErrUseLastResponse
}

func follows(from *http.Request, status int, scheme, host string) bool {
	keepsBody := status == http.StatusTemporaryRedirect || status == http.StatusPermanentRedirect
	return keepsBody && scheme == from.URL.Scheme && host == from.URL.Host
}
