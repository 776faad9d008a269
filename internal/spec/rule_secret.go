package spec

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"path"
)

var secretInFile = &Rule{
	ID:     "secret",
	Title:  "no keys and tokens",
	Level:  Warning,
	Needs:  NeedsText,
	Source: "a skill is copied and published as it stands; the issuers' documentation of the keys' forms",
	Check: func(p *Pass) {
		for t := range p.texts() {
			if p.Full() {
				return
			}
			for _, s := range findSecrets(t.src) {
				const help = "revoke it, and let the script read it from the environment: who has the skill has the key"
				before := len(*p.out)
				if s.issuer == privateKey {
					if sampleFolder(t.name) || testFile(path.Base(t.name)) {
						continue // tests make keys of their own
					}
					t.report(p, s.start, s.end, help, "a private key stands in the file")
				} else {
					t.report(p, s.start, s.end, help, "what looks like a key of %s stands in the file: %s… (%d characters)",
						s.issuer, t.src[s.start:s.start+s.shown], s.end-s.start)
				}
				for i := range (*p.out)[before:] {
					(*p.out)[before+i].Digest = s.digest(t.src)
				}
			}
		}
	},
}

// digest tells a key that stands in a text from all others, however its lines
// are indented. What it is made of is too random to be guessed from it.
func (s secret) digest(src []byte) string {
	key := src[s.start:s.end]
	if s.issuer == privateKey {
		key = src[s.end:]
		if end := bytes.Index(key, []byte(endOfKey)); end >= 0 {
			key = key[:end]
		}
	}
	sum := sha256.Sum256(bytes.Join(bytes.Fields(key), nil))
	return hex.EncodeToString(sum[:8])
}
