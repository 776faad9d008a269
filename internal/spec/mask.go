package spec

import "skills/internal/spec/secrets"

// masked removes keys from the texts of diagnostics: a message quotes what it is
// about, and logs of checks are often more public than the files. Edits stay as
// they are. It does not depend on the level of the rule secret.
func (d *Document) masked(found []Diagnostic) []Diagnostic {
	if len(found) == 0 {
		return found
	}
	own := d.ownKeys()
	for i := range found {
		f := &found[i]
		f.Message, f.Help = secrets.Mask(f.Message, own), secrets.Mask(f.Help, own)
		if f.Fix != nil {
			if text := secrets.Mask(f.Fix.Description, own); text != f.Fix.Description {
				fix := *f.Fix
				fix.Description = text
				f.Fix = &fix
			}
		}
	}
	return found
}

// ownKeys returns the keys of issuers in the document.
func (d *Document) ownKeys() []string {
	var own []string
	for _, s := range secrets.Find(d.Source) {
		if s.Issuer != "" {
			own = append(own, string(d.Source[s.Start:s.End]))
		}
	}
	return own
}
