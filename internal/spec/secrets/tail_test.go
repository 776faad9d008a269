package secrets

import (
	"crypto/ed25519"
	"crypto/x509"
	"encoding/pem"
	"strings"
	"testing"
)

// privateBlock is a private key that was made a moment ago.
func privateBlock(t *testing.T) string {
	t.Helper()
	_, key, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}))
}

// TestFindAll checks that masking finds more keys than a report lists, and the body of a
// private key.
func TestFindAll(t *testing.T) {
	block := privateBlock(t)
	body := strings.TrimSuffix(strings.TrimPrefix(block, "-----BEGIN PRIVATE KEY-----"), "-----END PRIVATE KEY-----\n")
	var text strings.Builder
	var want []string
	for seed := range uint64(3 * Limit) {
		key := "ghp" + "_" + newChance(seed).text(36, alnum)
		if len(Find([]byte(key))) == 0 {
			continue // chance made one that looks made up
		}
		text.WriteString("a " + key + "\n" + block)
		want = append(want, key, body)
	}
	got := FindAll(text.String())
	if len(got) != len(want) {
		t.Fatalf("%d keys are found, want %d", len(got), len(want))
	}
	for i, k := range got {
		start := k.Start
		if k.Issuer == "" {
			start = k.Label
		}
		if text.String()[start:k.End] != want[i] {
			t.Fatalf("key %d is %q, want %q", i, text.String()[start:k.End], want[i])
		}
	}
}

// TestTail checks that wherever a text is cut, no part of a key is left before the cut.
func TestTail(t *testing.T) {
	texts := []string{"x\n" + privateBlock(t) + "-----END"}
	for _, key := range newChance(1).keys() {
		texts = append(texts, "let k='"+key+"';")
	}
	number := newChance(1).telegram()
	texts = append(texts, "let k='"+number+"';", "https://api.telegram.org/bot"+number+"/getMe")
	for _, text := range texts {
		found := FindAll(text)
		if len(found) != 1 {
			t.Fatalf("%q holds %d keys", text, len(found))
		}
		start := found[0].Start
		if found[0].Issuer == "" {
			start = found[0].Label
		}
		for cut := range len(text) {
			shown := cut - Tail(text[:cut])
			if whole := FindAll(text[:cut]); len(whole) == 1 && whole[0].End <= shown {
				continue // masked by then
			}
			if shown > start {
				t.Fatalf("of %q, %q is shown", text, text[:shown])
			}
		}
	}
	for _, text := range []string{"", "The sky is blue.", "ask", "a -----BEGIN CERTIFICATE-----\nMII", strings.Repeat("s", 2*longestKey), "sk-" + strings.Repeat("s", 2*longestKey)} {
		if got := Tail(text); got != 0 {
			t.Errorf("%d bytes of %.20q… are held back", got, text)
		}
	}
}
