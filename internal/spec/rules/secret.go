package rules

import (
	"sync"

	"skills/internal/lazyregexp"
	"skills/internal/spec"
	"skills/internal/spec/secrets"
)

var secretInFile = &spec.Rule{
	ID:     "secret",
	Title:  "no API keys or private keys",
	Level:  spec.Warning,
	Needs:  spec.NeedsText,
	Source: "a skill is copied and published as it is; the issuers' documentation of the keys' forms",
	Check: func(p *spec.Pass) {
		scanner := sync.OnceValue(func() bool { return scannerTest().MatchString(p.Doc.Text("name") + " " + p.Doc.Text("description")) })
		for t := range texts(p) {
			test := spec.IsSample(t.name)
			for _, s := range secrets.Find(t.src) {
				const help = "revoke it, and read it from the environment: everybody who has the skill has the key"
				var found *spec.Diagnostic
				if s.Issuer == "" {
					if test {
						continue // tests contain generated keys
					}
					found = t.report(p, s.Start, s.Label, help, "private key in the file")
				} else if test && (scanner() || scannerTest().Match(t.src)) {
					continue
				} else {
					found = t.report(p, s.Start, s.End, help, "possible %s key in the file: %s… (%d characters)",
						s.Issuer, t.src[s.Start:s.Label], s.End-s.Start)
				}
				found.Digest = s.Digest(t.src)
			}
		}
	},
}

// scannerTest matches tests of programs that find or hide keys.
var scannerTest = lazyregexp.New(`(?i)redact|leak|detect|mask|saniti[sz]|scan|scrub|gitleaks|trufflehog|find_?secret`)
