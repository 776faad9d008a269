package spec

import "path"

var secretInFile = &Rule{
	ID:     "secret",
	Title:  "no keys and tokens",
	Level:  Warning,
	Source: "a skill is copied and published as it stands; the issuers' documentation of the keys' forms",
	Check: func(p *Pass) {
		for t := range p.texts() {
			if p.Full() {
				return
			}
			for _, s := range findSecrets(t.src) {
				const help = "revoke it, and let the script read it from the environment: who has the skill has the key"
				if s.issuer == privateKey {
					if sampleFolder(t.name) || testFile(path.Base(t.name)) {
						continue // tests make keys of their own
					}
					t.report(p, s.start, s.end, help, "a private key stands in the file")
					continue
				}
				t.report(p, s.start, s.end, help, "what looks like a key of %s stands in the file: %s… (%d characters)",
					s.issuer, t.src[s.start:s.start+s.shown], s.end-s.start)
			}
		}
	},
}
