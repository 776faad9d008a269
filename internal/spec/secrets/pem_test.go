package secrets

import (
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/x509"
	"encoding/pem"
	"strings"
	"testing"
)

func TestPrivateKeys(t *testing.T) {
	random := newChance(3)
	_, edwards, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	curve, err := ecdsa.GenerateKey(elliptic.P256(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range []any{edwards, curve} {
		der, err := x509.MarshalPKCS8PrivateKey(key)
		if err != nil {
			t.Fatal(err)
		}
		block := string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}))
		for name, src := range map[string]string{
			"file":     block,
			"indented": strings.ReplaceAll("\n"+block, "\n", "\n    "),
			"in JSON":  `{"private_key": "` + strings.ReplaceAll(block, "\n", `\n`) + `"}`,
			"CR LF":    strings.ReplaceAll(block, "\n", "\r\n"),
		} {
			got := Find([]byte(src))
			if len(got) != 1 || src[got[0].Start:got[0].Label] != "-----BEGIN PRIVATE KEY-----" {
				t.Errorf("%s: got %v of %T", name, got, key)
			}
		}
		encrypted := strings.ReplaceAll(block, "PRIVATE", "ENCRYPTED PRIVATE")
		if got := Find([]byte(encrypted)); len(got) > 0 {
			t.Errorf("an encrypted key is reported")
		}
		cut := strings.Replace(block, block[40:60], random.text(10, alnum), 1)
		if got := Find([]byte(cut)); len(got) > 0 {
			t.Errorf("a key that was cut is reported")
		}
	}
}

func TestMask(t *testing.T) {
	c := newChance(1)
	key, own := c.keys()["ghp_"], c.keys()["AKIA"]
	got := Mask("a "+key+" b "+strings.ToLower(own)+" "+own, []string{own})
	if want := "a ghp_… b … AKIA…"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestDigest(t *testing.T) {
	block := privateBlock(t)
	digest := func(text string) string { return Find([]byte(text))[0].Digest([]byte(text)) }
	if digest(block) != digest("  "+strings.ReplaceAll(block, "\n", "\n  ")) {
		t.Error("an indented private key has another digest")
	}
	if digest(block) == digest(privateBlock(t)) {
		t.Error("two private keys have the same digest")
	}
	keys := newChance(1).keys()
	if digest(keys["ghp_"]) == digest(keys["npm_"]) {
		t.Error("two keys have the same digest")
	}
}

// FuzzFind checks that every key is inside the text and after the one before.
func FuzzFind(f *testing.F) {
	for _, key := range newChance(1).keys() {
		f.Add([]byte("x=" + key + "\n"))
		f.Add([]byte("words before it " + key + " and behind"))
	}
	f.Add([]byte("-----BEGIN PRIVATE KEY-----\nMAAA\n-----END PRIVATE KEY-----"))
	f.Add([]byte("-----BEGIN RSA PRIVATE KEY-----\\nMIIEpAIBAAKCAQEA\\n-----END RSA PRIVATE KEY-----"))
	f.Fuzz(func(t *testing.T, src []byte) {
		last := 0
		for _, s := range Find(src) {
			if s.Start < last || s.Label < s.Start || s.End < s.Label || s.End > len(src) {
				t.Fatalf("%+v after %d of %d bytes", s, last, len(src))
			}
			last = s.End
		}
		isPlaceholder(src, src)
		isComplete(src)
	})
}

func BenchmarkFind(b *testing.B) {
	c := newChance(9)
	for name, text := range map[string]string{
		"prose":    "The quick brown fox jumps over the lazy dog – and “again”, at 12:30.\n",
		"base64":   c.text(76, alnum) + "\n",
		"prefixes": "sk-ant-sk-proj-xoxb-AKIAghp_AIza-----BEGIN ",
		"keys":     "ghp_" + c.text(36, alnum) + "\n",
		"PEM":      "-----BEGIN PRIVATE KEY-----\n",
	} {
		src := []byte(strings.Repeat(text, 1<<20/len(text)+1)[:1<<20])
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(src)))
			for b.Loop() {
				Find(src)
			}
		})
	}
}
