package secrets

import (
	"bytes"
	"encoding/base64"
	"strings"
)

// findPrivateKeys returns up to limit PEM private keys whose bodies are
// complete and unencrypted. In examples the body consists of dots or a few
// lines.
func findPrivateKeys(src []byte, limit int) []Secret {
	begin, dashes, ending := []byte(beginOfKey), []byte("-----"), []byte(endOfKey)
	var out []Secret
	none := 0 // no ending precedes this offset
	for i := 0; len(out) < limit; {
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
		from, to := max(i, none), min(len(src), i+maxPrivateKey)
		end := bytes.Index(src[min(from, to):to], ending)
		if end < 0 {
			none = max(to-len(ending), 0)
			continue
		}
		end += from
		if bytes.HasPrefix(src[end+len(ending):], label) && isComplete(src[i:end]) {
			out = append(out, Secret{Start: start, Label: i, End: end})
		}
	}
	return out
}

// The delimiters of a body, each followed by a label.
const (
	beginOfKey  = "-----BEGIN "
	endOfKey    = "-----END "
	labelOfKey  = "PRIVATE KEY"
	maxKeyLabel = 64 // bytes of the label and the dashes after it
)

const maxPrivateKey = 20_000 // bytes of a body; the longest RSA keys in use have 13,000

// lineBreaks removes what separates the lines of a body, also in a JSON string
// or in concatenated strings.
var lineBreaks = strings.NewReplacer(`\n`, "", `\r`, "", " ", "", "\t", "", "\r", "", "\n", "", `"`, "", "'", "")

// isComplete reports whether a body decodes to a key: DER with the right length,
// or OpenSSH's own format without encryption.
func isComplete(body []byte) bool {
	key, err := base64.StdEncoding.DecodeString(lineBreaks.Replace(string(body)))
	if err != nil || len(key) < 40 {
		return false
	}
	if open, found := bytes.CutPrefix(key, []byte("openssh-key-v1\x00")); found {
		return len(key) > 200 && bytes.HasPrefix(open, []byte("\x00\x00\x00\x04none"))
	}
	return key[0] == 0x30 && derLength(key) == len(key) && !sequential(key[len(key)-32:])
}

// derLength returns the length of a DER element with its header, or 0.
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
