package model

import (
	"fmt"
	"net/http"
	"strings"
)

// maxRedirects is how many redirects of one request are followed.
const maxRedirects = 5

// redirectError says that a redirect is not followed.
type redirectError struct {
	status int
	target string // the base URL that it leads to, without credentials
}

func (e *redirectError) Error() string {
	return fmt.Sprintf("redirected to %s (%d)", e.target, e.status)
}

// checkRedirect follows a redirect only where the request stays what it is: 307
// and 308 keep the method and the body, all others turn a POST into a GET. The
// key never goes to another host.
func checkRedirect(req *http.Request, via []*http.Request) error {
	first, status := via[0], req.Response.StatusCode
	keeps := status == http.StatusTemporaryRedirect || status == http.StatusPermanentRedirect
	if keeps && req.URL.Scheme == first.URL.Scheme && req.URL.Host == first.URL.Host && len(via) <= maxRedirects {
		return nil
	}
	target := *req.URL
	target.User, target.RawQuery, target.Fragment = nil, "", ""
	return &redirectError{status, strings.TrimSuffix(strings.TrimSuffix(target.String(), "/"), "/chat/completions")}
}
