package spec

import (
	"bytes"
	"slices"
)

// masked returns findings without the keys that their texts would repeat: a
// message names what it found, a help writes a value as it should be, and logs
// of checks are public more often than what they check. Edits are left as they
// are. It is no matter whether the rule about keys runs.
func (d *Document) masked(found []Diagnostic) []Diagnostic {
	if len(found) == 0 {
		return found
	}
	own := d.ownKeys()
	for i := range found {
		f := &found[i]
		f.Message, f.Help = maskKeys(f.Message, own), maskKeys(f.Help, own)
		if f.Fix != nil {
			if text := maskKeys(f.Fix.Description, own); text != f.Fix.Description {
				fix := *f.Fix
				fix.Description = text
				f.Fix = &fix
			}
		}
	}
	return found
}

// ownKeys are the keys that stand in the document.
func (d *Document) ownKeys() []string {
	var own []string
	for _, s := range findSecrets(d.Source) {
		if s.issuer != privateKey {
			own = append(own, string(d.Source[s.start:s.end]))
		}
	}
	return own
}

// HoldsKey reports whether a line holds what looks like a key: it is better not
// printed.
func HoldsKey(line string) bool { return len(findSecrets([]byte(line))) > 0 }

// maskKeys puts … for the keys in a text, and for those named, in whatever case
// they are written there.
func maskKeys(text string, own []string) string {
	src := []byte(text)
	for _, s := range slices.Backward(findSecrets(src)) {
		if s.issuer != privateKey {
			src = slices.Replace(src, s.start+s.shown, s.end, []byte("…")...)
		}
	}
	for _, key := range own {
		key := lowerASCII([]byte(key))
		for at := 0; ; {
			i := bytes.Index(lowerASCII(src[at:]), key)
			if i < 0 {
				break
			}
			src = slices.Replace(src, at+i, at+i+len(key), []byte("…")...)
			at += i
		}
	}
	return string(src)
}
