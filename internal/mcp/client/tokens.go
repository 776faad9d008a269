package client

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"golang.org/x/oauth2"

	"skills/internal/files"
)

// kept is what a file of tokens holds: a token, and what is needed for the next one.
type kept struct {
	URL          string           `json:"url"` // of the MCP server
	ClientID     string           `json:"client_id"`
	ClientSecret string           `json:"client_secret,omitempty"`
	AuthURL      string           `json:"auth_url"`
	TokenURL     string           `json:"token_url"`
	AuthStyle    oauth2.AuthStyle `json:"auth_style"`
	RedirectURL  string           `json:"redirect_url"`
	Scopes       []string         `json:"scopes,omitempty"`
	Token        *oauth2.Token    `json:"token"`
}

const maxTokens = 1 << 20 // bytes of a file of tokens

func newKept(url string, c *oauth2.Config, token *oauth2.Token) *kept {
	return &kept{
		URL: url, ClientID: c.ClientID, ClientSecret: c.ClientSecret, RedirectURL: c.RedirectURL, Scopes: c.Scopes, Token: token,
		AuthURL: c.Endpoint.AuthURL, TokenURL: c.Endpoint.TokenURL, AuthStyle: c.Endpoint.AuthStyle,
	}
}

func (k *kept) config() *oauth2.Config {
	return &oauth2.Config{
		ClientID: k.ClientID, ClientSecret: k.ClientSecret, RedirectURL: k.RedirectURL, Scopes: k.Scopes,
		Endpoint: oauth2.Endpoint{AuthURL: k.AuthURL, TokenURL: k.TokenURL, AuthStyle: k.AuthStyle},
	}
}

// file returns the name of the server's file, which does not tell its address.
func (l *Login) file() string {
	return fmt.Sprintf("%x.json", sha256.Sum256([]byte(l.opt.URL+"\x00"+l.opt.ClientID)))
}

// load returns what was kept, nil for nothing that can be used.
func (l *Login) load() *kept {
	if l.opt.Folder == "" {
		return nil
	}
	data, err := files.ReadRegular(filepath.Join(l.opt.Folder, l.file()), maxTokens)
	if err != nil {
		return nil
	}
	var k kept
	err = json.Unmarshal(data, &k)
	usable := err == nil && k.URL == l.opt.URL && k.Token != nil
	if !usable || k.Token.AccessToken == "" {
		return nil
	}
	l.secret(k.Token)
	if k.ClientSecret != "" {
		l.opt.Secret(k.ClientSecret)
	}
	return &k
}

// save keeps tokens for later runs, as well as it can: without them, a person logs in again.
func (l *Login) save(k *kept) {
	l.secret(k.Token)
	if k.ClientSecret != "" {
		l.opt.Secret(k.ClientSecret)
	}
	if l.opt.Folder == "" || os.MkdirAll(l.opt.Folder, 0o700) != nil {
		return
	}
	root, err := os.OpenRoot(l.opt.Folder)
	if err != nil {
		return
	}
	defer root.Close()
	data, err := json.MarshalIndent(k, "", "  ")
	if err != nil {
		return
	}
	_, _ = files.Replace(root, l.file(), append(data, '\n'), 0o600, true, nil)
}

// saving returns a source that keeps each new token.
func (l *Login) saving(k *kept, source oauth2.TokenSource) oauth2.TokenSource {
	return &savingSource{login: l, kept: *k, source: source}
}

type savingSource struct {
	login  *Login
	source oauth2.TokenSource

	mu   sync.Mutex
	kept kept
}

// Token returns a token, which may be new.
func (s *savingSource) Token() (*oauth2.Token, error) {
	token, err := s.source.Token()
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if token.AccessToken != s.kept.Token.AccessToken {
		s.kept.Token = token
		s.login.save(&s.kept)
	}
	return token, nil
}
