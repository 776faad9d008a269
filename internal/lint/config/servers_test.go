package config

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"skills/internal/fault"
)

const goodServers = `model: azure/gpt-5-mini
servers:
  azure:
    base-url: https://example.openai.azure.com/openai/v1
    api-key-env: AZURE_OPENAI_API_KEY
    headers: {api-key: $AZURE_OPENAI_API_KEY, X-Team: a b}
    api: chat
    params: {reasoning_effort: low, seed: 7, stop: [a], nested: {on: true}}
    models: {gpt-5-mini: {window: 400000, price: [0.25, 2]}, other: }
  local: {base-url: "http://localhost:11434/v1"}
`

func TestServers(t *testing.T) {
	path := filepath.Join(tree(t, map[string]string{"c.yaml": goodServers}), "c.yaml")
	u, err := LoadUser(path)
	if err != nil {
		t.Fatal(err)
	}
	s, model, near := u.SplitModel(u.Model.Text)
	if s.Name != "azure" || model != "gpt-5-mini" || near != "" || s.KeyEnv != "AZURE_OPENAI_API_KEY" || s.API != "chat" {
		t.Errorf("got %+v, %q, %q", s, model, near)
	}
	if len(s.Headers) != 2 || s.Headers[0].Name != "api-key" || s.Headers[0].Text != "$AZURE_OPENAI_API_KEY" || s.Headers[1].Line != 6 {
		t.Errorf("headers: %+v", s.Headers)
	}
	if string(s.Params["nested"]) != `{"on":true}` || string(s.Params["reasoning_effort"]) != `"low"` || string(s.Params["seed"]) != "7" {
		t.Errorf("params: %s", s.Params)
	}
	if m := s.Model("gpt-5-mini"); m.Window != 400000 || *m.Price != [2]float64{0.25, 2} {
		t.Errorf("model: %+v", m)
	}
	if m := s.Model("unknown"); m.Window != 0 || m.Price != nil {
		t.Errorf("unknown model: %+v", m)
	}
	for text, want := range map[string]string{"azrue/x": "azure", "openai/gpt-5": "", "azures/x": "azure", "x": ""} {
		if s, model, near := u.SplitModel(text); s.Name != "" || model != text || near != want {
			t.Errorf("%s: got %q, %q, %q", text, s.Name, model, near)
		}
	}
}

func TestWrongServers(t *testing.T) {
	for text, want := range map[string]string{
		"servers: [a]":                                   "servers must be a mapping",
		"servers:\n  a b: {}":                            "is not a name for a server",
		"servers:\n  a/b: {}":                            "is not a name for a server",
		"servers:\n  a: {}":                              "2:3: the server a has no base-url",
		"servers:\n  a: {base_url: x}":                   `unknown key "base_url"`,
		"servers:\n  a: {base-url: ftp://x}":             "base-url is not the address of a server",
		"servers:\n  a: {api-key-env: sk-1 2}":           "api-key-env is not the name of a variable",
		"servers:\n  a: {api: grpc}":                     `unknown protocol "grpc"`,
		"servers:\n  a: {headers: {x: }}":                "the header x has no value",
		"servers:\n  a: {headers: {x: ''}}":              "the header x has no value",
		"servers:\n  a: {headers: {a b: y}}":             "not the name of a header",
		"servers:\n  a: {headers: {Host: y}}":            "set by the program itself",
		"servers:\n  a: {headers: {x: \"\\n\"}}":         "the header x has no value",
		"servers:\n  a: {params: [x]}":                   "params must be a mapping",
		"servers:\n  a: {params: {x: {1: 2}}}":           "the parameter x cannot be written as JSON",
		"servers:\n  a: {models: {m: {window: x}}}":      "window is not a number of tokens",
		"servers:\n  a: {models: {m: {price: [1]}}}":     "price is not a pair of prices",
		"servers:\n  a: {models: {m: {price: [-1, 1]}}}": "price is not a pair of prices",
		"servers:\n  a: {models: {m: {prize: [1, 1]}}}":  `unknown key "prize"`,
		"servers:\n  a: {params: {x: &y [1], z: *y}}":    "params cannot contain aliases",
		"model: [x]": "model must be text",
	} {
		_, err := parseUser("c.yaml", []byte(text))
		var bad *fault.Error
		if !errors.As(err, &bad) || !strings.Contains(err.Error(), want) || bad.Hint == "" || strings.Contains(err.Error(), "sk-1") {
			t.Errorf("%s: got %v, want %q", text, err, want)
		}
	}
}

// TestServersOfARepository checks that a repository cannot say where a model is asked.
func TestServersOfARepository(t *testing.T) {
	for _, text := range []string{goodServers, "servers: {}", "model: x", "tools: [shell]", "mcp: {a: b}"} {
		if _, err := Parse(FileName, []byte(text)); err == nil || !strings.Contains(err.Error(), "cannot come from a repository") {
			t.Errorf("%s: got %v", text, err)
		}
	}
}
