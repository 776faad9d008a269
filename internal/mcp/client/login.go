package client

// A server at a URL may require a login by OAuth 2.1. The library knows the protocol; this
// file has what a command line adds: a person who opens an address in a browser, an address
// of this machine to which the browser returns, and tokens that are kept for later runs.

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/auth/extauth"
	"github.com/modelcontextprotocol/go-sdk/oauthex"
	"golang.org/x/oauth2"

	"skills/internal/httpclient"
)

const (
	loginTime    = 5 * time.Minute // for a person to log in
	exchangeTime = 30 * time.Second
	callbackPath = "/callback"
)

// LoginOptions configures the login to one server.
type LoginOptions struct {
	Server string // its name, for people
	URL    string
	Folder string // keeps tokens; "" keeps none

	ClientID, ClientSecret string // "" for a client that registers itself; an ID may be the address of a document about the client
	Scopes                 []string
	Port                   int  // of the address to which the browser returns; 0 for any
	Credentials            bool // the client logs in by its ID and secret, without a person

	// Show shows a person the address that logs in; nil if there is nobody.
	Show func(text string)
	// Secret receives the tokens, so that output can be masked; may be nil.
	Secret func(value string)
}

// Login authorizes the requests to a server. It implements [auth.OAuthHandler].
type Login struct {
	opt  LoginOptions
	turn sync.Mutex // held while somebody logs in

	mu       sync.Mutex // guards the rest
	source   oauth2.TokenSource
	flow     auth.OAuthHandler
	redirect string // the address to which the browser returns
	failed   error  // of an earlier login, which is not tried again
}

// NewLogin returns a login with the tokens that were kept.
func NewLogin(opt LoginOptions) *Login {
	if opt.Secret == nil {
		opt.Secret = func(string) {}
	}
	l := &Login{opt: opt}
	if kept := l.load(); kept != nil && !opt.Credentials {
		l.source = l.saving(kept, kept.config().TokenSource(l.client(context.Background()), kept.Token))
	}
	return l
}

// client returns a context with the client for requests to servers that authorize.
func (l *Login) client(ctx context.Context) context.Context {
	return context.WithValue(ctx, oauth2.HTTPClient, newHTTPClient())
}

func newHTTPClient() *http.Client {
	c := httpclient.New(nil)
	c.Timeout = exchangeTime
	return c
}

// TokenSource returns the tokens for requests, nil for none.
func (l *Login) TokenSource(context.Context) (oauth2.TokenSource, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.source, nil
}

// Authorize logs in after a request was refused.
func (l *Login) Authorize(ctx context.Context, req *http.Request, resp *http.Response) error {
	l.turn.Lock()
	defer l.turn.Unlock()
	defer resp.Body.Close()
	l.mu.Lock()
	failed := l.failed
	l.mu.Unlock()
	if failed != nil {
		return failed
	}
	err := l.authorize(ctx, req, resp)
	if err != nil {
		err = &LoginError{err}
		l.mu.Lock()
		l.failed = err
		l.mu.Unlock()
	}
	return err
}

func (l *Login) authorize(ctx context.Context, req *http.Request, resp *http.Response) error {
	if !l.opt.Credentials && l.opt.Show == nil {
		return fmt.Errorf("it requires a login (%d): run it once at a terminal, or give it a header with a token or client credentials by --mcp-config", resp.StatusCode)
	}
	flow, err := l.newFlow()
	if err != nil {
		return err
	}
	if l.opt.Credentials {
		ctx = context.WithoutCancel(ctx) // the library keeps it for the next token
	}
	err = flow.Authorize(ctx, req, resp)
	if err != nil {
		return fmt.Errorf("the login failed: %w", err)
	}
	source, err := flow.TokenSource(ctx)
	if err != nil {
		return err
	}
	if source != nil {
		token, err := source.Token()
		if err != nil {
			return fmt.Errorf("the login failed: %w", err)
		}
		l.secret(token)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.source = source
	return nil
}

// newFlow returns the flow of the protocol, which is the same for all logins of a run:
// it knows which scopes were granted.
func (l *Login) newFlow() (auth.OAuthHandler, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.flow != nil {
		return l.flow, nil
	}
	var registered *oauthex.ClientCredentials
	if l.opt.ClientID != "" {
		registered = &oauthex.ClientCredentials{ClientID: l.opt.ClientID}
		if l.opt.ClientSecret != "" {
			registered.ClientSecretAuth = &oauthex.ClientSecretAuth{ClientSecret: l.opt.ClientSecret}
		}
	}
	if l.opt.Credentials {
		flow, err := extauth.NewClientCredentialsHandler(&extauth.ClientCredentialsHandlerConfig{Credentials: registered, HTTPClient: newHTTPClient()})
		if err == nil {
			l.flow = flow
		}
		return flow, err
	}
	free, err := listen(l.opt.Port)
	if err != nil {
		return nil, err
	}
	free.Close() // it is needed again when the person logs in
	l.redirect = fmt.Sprintf("http://%s%s", free.Addr(), callbackPath)
	config := &auth.AuthorizationCodeHandlerConfig{
		RedirectURL: l.redirect, AuthorizationCodeFetcher: l.fetch, Client: newHTTPClient(), RequestRefreshToken: true,
		NewTokenSource: func(ctx context.Context, cfg *oauth2.Config, token *oauth2.Token) (oauth2.TokenSource, error) {
			kept := newKept(l.opt.URL, cfg, token)
			l.save(kept)
			return l.saving(kept, cfg.TokenSource(ctx, token)), nil
		},
	}
	if len(l.opt.Scopes) > 0 {
		config.ScopeFilter = func([]string) []string { return l.opt.Scopes }
	}
	switch {
	case strings.HasPrefix(l.opt.ClientID, "https://"):
		config.ClientIDMetadataDocumentConfig = &auth.ClientIDMetadataDocumentConfig{URL: l.opt.ClientID}
	case registered != nil:
		config.PreregisteredClient = registered
	}
	if config.PreregisteredClient == nil {
		config.DynamicClientRegistrationConfig = &auth.DynamicClientRegistrationConfig{Metadata: &oauthex.ClientRegistrationMetadata{
			RedirectURIs: []string{l.redirect}, ClientName: "skills", GrantTypes: []string{"authorization_code", "refresh_token"},
		}}
	}
	flow, err := auth.NewAuthorizationCodeHandler(config)
	if err == nil {
		l.flow = flow
	}
	return flow, err
}

// listen listens at an address of this machine only.
func listen(port int) (net.Listener, error) {
	listener, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
	if err != nil {
		return nil, fmt.Errorf("the browser could not return after a login: %w", err)
	}
	return listener, nil
}

// fetch shows the person the address that logs in, and waits for the browser to return.
func (l *Login) fetch(ctx context.Context, args *auth.AuthorizationArgs) (*auth.AuthorizationResult, error) {
	address, err := url.Parse(args.URL)
	local, localErr := url.Parse(l.redirect)
	err = errors.Join(err, localErr)
	if err != nil {
		return nil, err
	}
	if address.Scheme != "https" && !isLoopback(address.Hostname()) {
		return nil, fmt.Errorf("the address of the login at %s has no https", address.Host)
	}
	listener, err := net.Listen("tcp", local.Host)
	if err != nil {
		return nil, fmt.Errorf("the browser could not return after a login: %w", err)
	}
	defer Unlimited(ctx)()
	ctx, cancel := context.WithTimeoutCause(ctx, loginTime, fmt.Errorf("nobody logged in within %s", loginTime))
	defer cancel()
	returned := make(chan url.Values, 1)
	server := &http.Server{Handler: callback(address.Query().Get("state"), returned), ReadHeaderTimeout: exchangeTime, MaxHeaderBytes: 64 << 10}
	go server.Serve(listener)
	defer func() {
		closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeTime)
		defer cancel()
		if server.Shutdown(closing) != nil { // after the page was sent
			server.Close()
		}
	}()
	l.opt.Show(fmt.Sprintf("log in to the MCP server %s in a browser: %s", l.opt.Server, address))
	select {
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	case q := <-returned:
		if q.Get("error") != "" {
			return nil, fmt.Errorf("the server answered %s", oneLine(strings.TrimSpace(q.Get("error")+" "+q.Get("error_description"))))
		}
		return &auth.AuthorizationResult{Code: q.Get("code"), State: q.Get("state"), Iss: q.Get("iss")}, nil
	}
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// callback answers the browser that returns with the right state. Others may request the
// address too, so they are refused without an effect.
func callback(state string, returned chan<- url.Values) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		if r.URL.Path != callbackPath || state == "" || q.Get("state") != state {
			http.Error(w, "This is not the end of a login.", http.StatusBadRequest)
			return
		}
		fmt.Fprintln(w, "You can close this page and return to the terminal.")
		select {
		case returned <- q:
		default: // it returned before
		}
	})
}

// secret passes the tokens on to be masked.
func (l *Login) secret(token *oauth2.Token) {
	for _, value := range []string{token.AccessToken, token.RefreshToken} {
		if value != "" {
			l.opt.Secret(value)
		}
	}
}
