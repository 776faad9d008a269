package spec

import (
	"bytes"
	"encoding/base64"
)

// findPrivateKeys returns the private keys in PEM form whose bodies are whole
// and unencrypted, at most so many. In examples the body is dots, or a few
// lines of it.
func findPrivateKeys(src []byte, most int) []secret {
	if !bytes.Contains(src, []byte(labelOfKey)) {
		return nil // capitals are found sooner than dashes
	}
	begin, dashes, ending := []byte(beginOfKey), []byte("-----"), []byte(endOfKey)
	var out []secret
	none := 0 // up to here no ending was found
	for i := 0; len(out) < most; {
		n := bytes.Index(src[i:], begin)
		if n < 0 {
			break
		}
		start := i + n
		i = start + len(begin)
		label, _, found := bytes.Cut(src[i:min(len(src), i+maxKeyLabel)], dashes)
		if !found || !bytes.HasSuffix(label, []byte(labelOfKey)) || bytes.HasPrefix(label, []byte("ENCRYPTED")) {
			continue
		}
		i += len(label) + len(dashes)
		from, limit := max(i, none), min(len(src), i+maxPrivateKey)
		end := bytes.Index(src[min(from, limit):limit], ending)
		if end < 0 {
			none = max(limit-len(ending), 0)
			continue
		}
		end += from
		if bytes.HasPrefix(src[end+len(ending):], label) && wholeKey(src[i:end]) {
			out = append(out, secret{privateKey, start, i, 0})
		}
	}
	return out
}

// privateKey stands for the issuer of keys that anybody makes.
const privateKey = "private key"

// What stands before and after a body, each with a name behind it.
const (
	beginOfKey  = "-----BEGIN "
	endOfKey    = "-----END "
	labelOfKey  = "PRIVATE KEY"
	maxKeyLabel = 64 // bytes of the name and the dashes behind it
)

const maxPrivateKey = 20_000 // bytes of a body; the longest RSA keys in use have 13,000

// wholeKey decodes a body, which may be written with \n as in a JSON string,
// and reports whether it is a key: DER of the length it claims, or OpenSSH's
// own form without encryption.
func wholeKey(body []byte) bool {
	body = bytes.ReplaceAll(body, []byte(`\n`), nil)
	body = bytes.ReplaceAll(body, []byte(`\r`), nil)
	text := make([]byte, 0, len(body))
	for _, c := range body {
		switch c {
		case ' ', '\t', '\r', '\n', '"', '\'': // lines, or strings that are put together
		default:
			text = append(text, c)
		}
	}
	key := make([]byte, base64.StdEncoding.DecodedLen(len(text)))
	n, err := base64.StdEncoding.Decode(key, text)
	if err != nil || n < 40 {
		return false
	}
	key = key[:n]
	if open, found := bytes.CutPrefix(key, []byte("openssh-key-v1\x00")); found {
		return n > 200 && bytes.HasPrefix(open, []byte("\x00\x00\x00\x04none"))
	}
	return key[0] == 0x30 && derLength(key) == n && !sequential(key[n-32:])
}

// derLength is the length of a DER element with its header, 0 where it has
// none.
func derLength(der []byte) int {
	switch size := int(der[1]); {
	case size < 0x80:
		return size + 2
	case size == 0x81:
		return int(der[2]) + 3
	case size == 0x82:
		return int(der[2])<<8 + int(der[3]) + 4
	}
	return 0
}
