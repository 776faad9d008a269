package spec

import (
	"path"

	"skills/internal/spec/secrets"
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
			for _, s := range secrets.Find(t.src) {
				const help = "revoke it, and let the script read it from the environment: who has the skill has the key"
				before := len(*p.out)
				if s.Issuer == "" {
					if sampleFolder(t.name) || testFile(path.Base(t.name)) {
						continue // tests make keys of their own
					}
					t.report(p, s.Start, s.Label, help, "a private key stands in the file")
				} else {
					t.report(p, s.Start, s.End, help, "what looks like a key of %s stands in the file: %s… (%d characters)",
						s.Issuer, t.src[s.Start:s.Label], s.End-s.Start)
				}
				for i := range (*p.out)[before:] {
					(*p.out)[before+i].Digest = s.Digest(t.src)
				}
			}
		}
	},
}
