package agent_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"skills/internal/agent"
	"skills/internal/testing/openaitest"
)

// TestRedirects checks that redirects are followed only on the same host and if method
// and body stay the same. Others are errors that name the target.
func TestRedirects(t *testing.T) {
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("the other host got %s with %q and %q", r.Method, r.Header.Get("Authorization"), r.Header.Get("Api-Key"))
	}))
	defer other.Close()
	for _, status := range []int{301, 302, 303, 307, 308} {
		for _, away := range []bool{false, true} {
			t.Run(fmt.Sprint(status, " to another host: ", away), func(t *testing.T) {
				server := openaitest.New(t)
				target := server.URL
				if away {
					target = strings.Replace(other.URL, "http://", "http://me:hidden@", 1) + "/v1"
				}
				from := http.NewServeMux()
				from.HandleFunc("/old/chat/completions", func(w http.ResponseWriter, r *http.Request) {
					http.Redirect(w, r, target+"/chat/completions", status)
				})
				from.HandleFunc("/v1/chat/completions", func(w http.ResponseWriter, r *http.Request) {
					if r.Method != http.MethodPost || r.ContentLength <= 0 || r.Header.Get("Authorization") != "Bearer sk-test-key" || r.Header.Get("Api-Key") != "gw-test" {
						t.Errorf("redirected to %s with %d bytes and %q", r.Method, r.ContentLength, r.Header.Get("Authorization"))
					}
					fmt.Fprint(w, openaitest.Text("done").Completion("m"))
				})
				front := httptest.NewServer(from)
				defer front.Close()
				if !away {
					target = front.URL + "/v1"
				}
				s := start(t, server, func(c *agent.Config) {
					c.Server.BaseURL, c.Server.APIKey, c.Server.Retries = front.URL+"/old", "sk-test-key", 0
					c.Server.Headers = []agent.Header{{Name: "api-key", Value: "gw-test"}}
				})
				result, err := s.run(t, "hi")
				if !away && status >= 307 {
					if err != nil || result.Text != "done" {
						t.Errorf("got %q, %v", result.Text, err)
					}
					return
				}
				var failure *agent.Error
				shown := strings.Replace(target, "me:hidden@", "", 1)
				if !errors.As(err, &failure) || failure.Message != fmt.Sprintf("the server at %s redirects to %s (%d)", front.URL, shown, status) ||
					failure.Hint != "pass the final address as the base URL: --base-url "+shown || failure.Temporary {
					t.Errorf("got %+v", err)
				}
			})
		}
	}
}

// TestDeadProxy checks that the error names the proxy that does not answer, without its
// credentials, and not the server behind it.
func TestDeadProxy(t *testing.T) {
	closed := httptest.NewServer(http.NotFoundHandler())
	closed.Close()
	proxy, err := url.Parse(strings.Replace(closed.URL, "http://", "http://me:hidden@", 1))
	if err != nil {
		t.Fatal(err)
	}
	for _, base := range []string{"http://model.example.test/v1", "https://model.example.test/v1"} {
		s := start(t, openaitest.New(t), func(c *agent.Config) {
			c.Server.BaseURL, c.Server.Transport, c.Server.Retries = base, &http.Transport{Proxy: http.ProxyURL(proxy)}, 0
		})
		_, err := s.run(t, "hi")
		var failure *agent.Error
		if !errors.As(err, &failure) || !strings.HasPrefix(failure.Message, "the proxy cannot be reached: dial tcp "+strings.TrimPrefix(closed.URL, "http://")) ||
			!strings.Contains(failure.Hint, "HTTP_PROXY") || strings.Contains(failure.Message+failure.Hint, "hidden") || !failure.Temporary {
			t.Errorf("%s: got %+v", base, err)
		}
	}
}
