package rules

import (
	"fmt"

	"skills/internal/spec"
)

var fieldClient = &spec.Rule{
	ID:     "field-client",
	Title:  "a field that only some clients read",
	Level:  spec.Warning,
	Source: "clients' documentation; the specification has six fields",
	Varies: func(o spec.Options) bool { return len(o.Clients) > 0 },
	Check: func(p *spec.Pass) {
		for _, f := range p.Doc.Fields {
			if isSpecField(f.Key) {
				continue
			}
			clients := readers(f.Key)
			if len(clients) == 0 || accepted(clients, p.Clients) {
				continue
			}
			p.Report(f.KeySpan,
				fmt.Sprintf("accept it with --client %s, or delete it for a skill that works everywhere", clients[0].ID),
				"field %s is read by %s only, of the known clients", quote(f.Key), listed(titles(clients)))
		}
	},
}
