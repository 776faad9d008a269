package client

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// authority is an MCP server that requires a login, and the server that grants it.
type authority struct {
	*httptest.Server
	mcp *scripted

	mu      sync.Mutex
	valid   string // the access token that is accepted
	granted int
	expires int // seconds
	asked   []url.Values
	deny    bool
}

func newAuthority(t *testing.T) *authority {
	a := &authority{expires: 3600}
	a.mcp = newScripted(toolCapability, func(_ *scripted, method string, _ json.RawMessage) string {
		switch method {
		case "tools/list":
			return `{"tools":` + oneTool + `}`
		case "tools/call":
			return `{"content":[{"type":"text","text":"called"}]}`
		}
		return ""
	})
	a.Server = httptest.NewServer(a)
	t.Cleanup(a.Close)
	return a
}

func (a *authority) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	a.mu.Lock()
	defer a.mu.Unlock()
	answer := func(status int, v any) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		json.NewEncoder(w).Encode(v)
	}
	switch r.URL.Path {
	case "/mcp":
		if a.valid == "" || r.Header.Get("Authorization") != "Bearer "+a.valid {
			w.Header().Set("WWW-Authenticate", `Bearer resource_metadata="`+a.URL+`/.well-known/oauth-protected-resource/mcp"`)
			http.Error(w, "who are you?", http.StatusUnauthorized)
			return
		}
		a.mu.Unlock()
		a.mcp.ServeHTTP(w, r)
		a.mu.Lock()
	case "/.well-known/oauth-protected-resource/mcp":
		answer(200, map[string]any{"resource": a.URL + "/mcp", "authorization_servers": []string{a.URL}, "scopes_supported": []string{"use"}})
	case "/.well-known/oauth-authorization-server":
		answer(200, map[string]any{
			"issuer": a.URL, "authorization_endpoint": a.URL + "/authorize", "token_endpoint": a.URL + "/token", "registration_endpoint": a.URL + "/register",
			"response_types_supported": []string{"code"}, "code_challenge_methods_supported": []string{"S256"}, "token_endpoint_auth_methods_supported": []string{"client_secret_post"},
		})
	case "/register":
		answer(201, map[string]any{"client_id": "registered", "client_secret": "registered-secret-1", "redirect_uris": []string{"http://127.0.0.1/callback"}, "token_endpoint_auth_method": "client_secret_post"})
	case "/authorize":
		q := r.URL.Query()
		a.asked = append(a.asked, q)
		to := q.Get("redirect_uri") + "?code=the-code&state=" + url.QueryEscape(q.Get("state"))
		if a.deny {
			to = q.Get("redirect_uri") + "?error=access_denied&error_description=not%1b%5b31m+you&state=" + url.QueryEscape(q.Get("state"))
		}
		http.Redirect(w, r, to, http.StatusFound)
	case "/token":
		r.ParseForm()
		a.asked = append(a.asked, r.PostForm)
		a.granted++
		a.valid = fmt.Sprintf("access-token-%d", a.granted)
		answer(200, map[string]any{"access_token": a.valid, "token_type": "Bearer", "expires_in": a.expires, "refresh_token": "refresh-token-1"})
	default:
		http.NotFound(w, r)
	}
}

// browser opens the address that a login shows, after others have tried to end it.
func browser(t *testing.T) func(text string) {
	return func(text string) {
		_, address, _ := strings.Cut(text, "in a browser: ")
		u, err := url.Parse(address)
		if err != nil || !strings.HasPrefix(text, "log in to the MCP server a in a browser: ") {
			t.Errorf("shown: %q", text)
			return
		}
		go func() {
			for _, wrong := range []string{"?code=x&state=wrong", "?error=x", "/other?state=" + u.Query().Get("state")} {
				if reply, err := http.Get(u.Query().Get("redirect_uri") + wrong); err != nil || reply.StatusCode != http.StatusBadRequest {
					t.Errorf("%s: %v, %v", wrong, reply, err)
				}
			}
			reply, err := http.Get(address)
			if err != nil {
				t.Error(err)
				return
			}
			defer reply.Body.Close()
			if page, _ := io.ReadAll(reply.Body); !strings.Contains(string(page), "return to the terminal") {
				t.Errorf("page %q", page)
			}
		}()
	}
}

func (a *authority) connect(t *testing.T, opt LoginOptions) (*Client, []string) {
	opt.Server, opt.URL = "a", a.URL+"/mcp"
	c, warnings := Connect(t.Context(), Options{Timeout: time.Minute, Servers: []Server{{Name: "a", URL: opt.URL, Login: NewLogin(opt)}}})
	t.Cleanup(func() { c.Close() })
	return c, warnings
}

// TestLogin logs in with a browser, and checks that the next runs need none: they use the
// kept tokens, also after these have expired.
func TestLogin(t *testing.T) {
	a := newAuthority(t)
	folder := filepath.Join(t.TempDir(), "skills", "tokens")
	var secrets []string
	opt := LoginOptions{Folder: folder, Secret: func(s string) { secrets = append(secrets, s) }}

	_, warnings := a.connect(t, opt)
	want := "the MCP server a is not available: it requires a login (401): run it once at a terminal, or give it a header with a token or client credentials by --mcp-config"
	if !slices.Equal(warnings, []string{want}) {
		t.Fatalf("without a person: %q", warnings)
	}

	opt.Show = browser(t)
	c, warnings := a.connect(t, opt)
	if len(warnings) > 0 {
		t.Fatal(warnings)
	}
	if got, err := call(t, invoking(t, c).Tools[0], `{}`); err != nil || got.Text != "called" {
		t.Errorf("got %+v, %v", got, err)
	}
	asked := a.asked[0]
	if asked.Get("code_challenge_method") != "S256" || asked.Get("resource") != a.URL+"/mcp" || asked.Get("scope") != "use" || a.asked[1].Get("code_verifier") == "" {
		t.Errorf("asked %v, %v", a.asked[0], a.asked[1])
	}
	for _, secret := range []string{"access-token-1", "refresh-token-1", "registered-secret-1"} {
		if !slices.Contains(secrets, secret) {
			t.Errorf("%s would not be masked: %q", secret, secrets)
		}
	}
	files, err := os.ReadDir(folder)
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	info, err := files[0].Info()
	if err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}

	opt.Show = nil
	if _, warnings := a.connect(t, opt); len(warnings) > 0 || a.granted != 1 {
		t.Errorf("with the kept token: %q, %d tokens granted", warnings, a.granted)
	}
	path := filepath.Join(folder, files[0].Name())
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var k kept
	if err := json.Unmarshal(data, &k); err != nil {
		t.Fatal(err)
	}
	k.Token.Expiry = time.Now().Add(-time.Hour)
	data, _ = json.Marshal(k)
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, warnings := a.connect(t, opt); len(warnings) > 0 || a.granted != 2 || a.asked[len(a.asked)-1].Get("grant_type") != "refresh_token" {
		t.Errorf("after the expiry: %q, %d tokens granted", warnings, a.granted)
	}
	if data, _ := os.ReadFile(path); !strings.Contains(string(data), "access-token-2") {
		t.Errorf("the new token is not kept: %s", data)
	}
	for _, damage := range []string{"", "{", `{"url":"https://other.example","token":{"access_token":"stolen"}}`, strings.Repeat(" ", maxTokens+1)} {
		if err := os.WriteFile(path, []byte(damage), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, warnings := a.connect(t, opt); !slices.Equal(warnings, []string{want}) {
			t.Errorf("with the damaged file %.20q: %q", damage, warnings)
		}
	}
}

// TestLoginDenied checks that a login which fails is not tried again, and says why.
func TestLoginDenied(t *testing.T) {
	a := newAuthority(t)
	a.deny = true
	shown := 0
	show := browser(t)
	_, warnings := a.connect(t, LoginOptions{Show: func(text string) { shown++; show(text) }})
	if want := "the MCP server a is not available: the login failed: the server answered access_denied not you"; !slices.Equal(warnings, []string{want}) || shown != 1 {
		t.Errorf("got %q, shown %d times", warnings, shown)
	}
}

// TestLoginCredentials checks that a client with a secret needs no person.
func TestLoginCredentials(t *testing.T) {
	a := newAuthority(t)
	var secrets []string
	c, warnings := a.connect(t, LoginOptions{ClientID: "ci", ClientSecret: "of-ci-12345", Credentials: true, Secret: func(s string) { secrets = append(secrets, s) }})
	if len(warnings) > 0 {
		t.Fatal(warnings)
	}
	if _, err := call(t, invoking(t, c).Tools[0], `{}`); err != nil {
		t.Error(err)
	}
	if q := a.asked[0]; q.Get("grant_type") != "client_credentials" || q.Get("client_id") != "ci" || q.Get("client_secret") != "of-ci-12345" || !slices.Contains(secrets, "access-token-1") {
		t.Errorf("asked %v, secrets %q", q, secrets)
	}
}

// TestLoginHostile checks addresses that a server must not make a person open, and one that
// never answers.
func TestLoginHostile(t *testing.T) {
	for name, tt := range map[string]struct{ authorize, want string }{
		"script":    {"javascript:alert(1)", "the login failed: "},
		"not https": {"http://evil.example/authorize", "the login failed: "},
		"file":      {"file:///etc/passwd", "the login failed: "},
	} {
		t.Run(name, func(t *testing.T) {
			var web *httptest.Server
			web = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				switch {
				case r.URL.Path == "/mcp":
					w.WriteHeader(http.StatusUnauthorized)
				case r.URL.Path == "/.well-known/oauth-authorization-server" && tt.authorize != "":
					fmt.Fprintf(w, `{"issuer":%q,"authorization_endpoint":%q,"token_endpoint":%q,"registration_endpoint":%q,"response_types_supported":["code"],"code_challenge_methods_supported":["S256"]}`,
						web.URL, tt.authorize, web.URL+"/token", web.URL+"/register")
				case r.URL.Path == "/register":
					w.WriteHeader(http.StatusCreated)
					io.WriteString(w, `{"client_id":"x","redirect_uris":["http://127.0.0.1/callback"]}`)
				default:
					w.WriteHeader(http.StatusNotFound)
				}
			}))
			t.Cleanup(web.Close)
			login := NewLogin(LoginOptions{Server: "a", URL: web.URL + "/mcp", Show: func(text string) { t.Errorf("shown: %s", text) }})
			c, warnings := Connect(context.Background(), Options{Timeout: time.Minute, Servers: []Server{{Name: "a", URL: web.URL + "/mcp", Login: login}}})
			defer c.Close()
			if len(warnings) != 1 || !strings.Contains(warnings[0], tt.want) {
				t.Errorf("got %q", warnings)
			}
		})
	}
}
