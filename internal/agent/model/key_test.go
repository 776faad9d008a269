package model

import (
	"encoding/base64"
	"strings"
	"testing"
	"time"
)

func TestSecret(t *testing.T) {
	const key = "sk-a/b+SECRET-1234567"
	for _, text := range []string{
		"refused " + key + " twice " + key,
		"GET /v1?key=sk-a%2Fb%2BSECRET-1234567", "GET /sk-a%2Fb+SECRET-1234567/x",
		"Basic " + base64.StdEncoding.EncodeToString([]byte(key)),
		"Basic " + base64.URLEncoding.EncodeToString([]byte(key+":")),
	} {
		got := newSecret(key).hide(text)
		if !strings.Contains(got, "[key]") || strings.Contains(got, "SECRET") || strings.Contains(got, "U0VDUkVU") {
			t.Errorf("%q: got %q", text, got)
		}
	}
	for _, short := range []string{"", "x", "ollama", "1234567"} {
		if got := newSecret(short).hide("unexpected EOF from ollama at 1234567"); got != "unexpected EOF from ollama at 1234567" {
			t.Errorf("key %q: got %q", short, got)
		}
	}
	if got := newSecret("12345678").hide("a 12345678"); got != "a [key]" {
		t.Errorf("got %q", got)
	}
}

// What is repeated of a server's words is cut: a key at the cut does not stay
// in part.
func TestSecretAtTheCut(t *testing.T) {
	c := &Client{key: newSecret("sk-SECRET-1234"), options: Options{Now: time.Now}}
	body := strings.Repeat("x", maxServerText-6) + "sk-SECRET-1234"
	if got := c.statusError(400, nil, []byte(body)).Message; strings.Contains(got, "sk-") {
		t.Errorf("got %q", got)
	}
}
