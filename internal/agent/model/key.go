package model

import (
	"encoding/base64"
	"net/url"
	"strings"
)

// minSecret is the shortest key that is looked for. What local servers take
// for one ("x", "ollama") is no secret, and would be found inside of words.
const minSecret = 8

// secret takes a key out of texts, should a server or a library repeat it.
type secret struct{ forms *strings.Replacer }

func newSecret(key string) secret {
	if len(key) < minSecret {
		return secret{strings.NewReplacer()}
	}
	var pairs []string
	for _, form := range []string{
		key, url.QueryEscape(key), url.PathEscape(key),
		// Without its last characters, which depend on what follows the key.
		strings.TrimRight(base64.StdEncoding.EncodeToString([]byte(key)[:len(key)/3*3]), "="),
		strings.TrimRight(base64.URLEncoding.EncodeToString([]byte(key)[:len(key)/3*3]), "="),
	} {
		pairs = append(pairs, form, "[key]")
	}
	return secret{strings.NewReplacer(pairs...)}
}

// hide returns text without the key.
func (s secret) hide(text string) string { return s.forms.Replace(text) }
