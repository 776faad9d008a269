package agent_test

import (
	"strings"
	"testing"

	"skills/internal/agent"
	"skills/internal/testing/openaitest"
)

func TestNewRefuses(t *testing.T) {
	good := agent.Config{Model: "m", Server: agent.Server{BaseURL: "http://localhost/v1"}}
	for _, test := range []struct {
		name   string
		change func(*agent.Config)
		want   string
	}{
		{"no model", func(c *agent.Config) { c.Model = "" }, "no model"},
		{"no base", func(c *agent.Config) { c.Server.BaseURL = "" }, "no base URL"},
		{"no scheme", func(c *agent.Config) { c.Server.BaseURL = "localhost:11434/v1" }, "it looks like"},
		{"other scheme", func(c *agent.Config) { c.Server.BaseURL = "ftp://x/v1" }, "it looks like"},
		{"no host", func(c *agent.Config) { c.Server.BaseURL = "http:///v1" }, "it looks like"},
		{"broken", func(c *agent.Config) { c.Server.BaseURL = "http://a b:secret@%zz" }, "it looks like"},
		{"twins", func(c *agent.Config) {
			c.Providers = []agent.ContextProvider{&provider{name: "x"}, &provider{name: "x"}}
		}, `named "x"`},
	} {
		c := good
		test.change(&c)
		if _, err := agent.New(c); err == nil || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: got %v, want %q", test.name, err, test.want)
		}
	}
	if _, err := agent.New(good); err != nil {
		t.Errorf("good: got %v", err)
	}
}

func TestBaseURLForms(t *testing.T) {
	for suffix, query := range map[string]string{"": "", "/": "", "?api-version=1&x=a%20b": "api-version=1&x=a+b", "/?v=2#part": "v=2"} {
		server := openaitest.New(t, openaitest.Text("ok"))
		s := start(t, server, func(c *agent.Config) { c.Server.BaseURL += suffix })
		if _, err := s.run(t, "hi"); err != nil {
			t.Errorf("suffix %q: %v", suffix, err)
			continue
		}
		if got := server.Requests()[0].Query; got != query {
			t.Errorf("suffix %q: got the query %q, want %q", suffix, got, query)
		}
	}
}

func TestEnvironmentIsNotRead(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", "sk-environment")
	t.Setenv("OPENAI_BASE_URL", "http://127.0.0.1:1")
	t.Setenv("OPENAI_ORG_ID", "org-environment")
	t.Setenv("OPENAI_CUSTOM_HEADERS", "X-Secret: environment")
	server := openaitest.New(t, openaitest.Text("ok"))
	if _, err := start(t, server, nil).run(t, "hi"); err != nil {
		t.Fatal(err)
	}
	for name, values := range server.Requests()[0].Header {
		if strings.Contains(strings.Join(values, " "), "environment") {
			t.Errorf("the header %s comes from the environment: %q", name, values)
		}
	}
}
