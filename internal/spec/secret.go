package spec

import (
	"bytes"
	"cmp"
	"math/bits"
	"slices"
	"strings"
	"sync"
)

// secret is a key that stands in a text, in bytes of it.
type secret struct {
	issuer     string // whose key it is
	start, end int
	shown      int // how many of its first bytes say what it is, not which
}

// keyShape is what one issuer's keys look like: a prefix, then a body.
type keyShape struct {
	issuer, prefix string
	chars          string // the bytes of the body: see inClass
	least, most    int    // length of the body
	also           func(body []byte) bool
}

// keyShapes is the table of issuers; a new one is a new row. Where a prefix
// continues another one, it stands first.
func keyShapes() []keyShape {
	return []keyShape{
		{"AWS", "AKIA", "base32", 16, 16, nil},
		{"AWS", "ASIA", "base32", 16, 16, nil},
		{"GitHub", "ghp_", "alnum", 36, 255, nil},
		{"GitHub", "gho_", "alnum", 36, 255, nil},
		{"GitHub", "ghu_", "alnum", 36, 255, nil},
		{"GitHub", "ghs_", "alnum", 36, 255, nil},
		{"GitHub", "ghr_", "alnum", 36, 255, nil},
		{"GitHub", "github_pat_", "word", 82, 255, nil},
		{"GitLab", "glpat-", "dashed", 20, 300, nil},
		{"Slack", "xoxb-", "dashed", 40, 255, slackBody},
		{"Slack", "xoxp-", "dashed", 40, 255, slackBody},
		{"Slack", "xoxa-", "dashed", 40, 255, slackBody},
		{"Slack", "xoxr-", "dashed", 40, 255, slackBody},
		{"Slack", "xoxs-", "dashed", 40, 255, slackBody},
		{"Stripe", "sk_live_", "alnum", 24, 255, nil},
		{"Stripe", "rk_live_", "alnum", 24, 255, nil},
		{"Anthropic", "sk-ant-", "dashed", 80, 255, nil},
		{"OpenAI", "sk-proj-", "dashed", 40, 255, nil},
		{"OpenAI", "sk-svcacct-", "dashed", 40, 255, nil},
		{"OpenAI", "sk-admin-", "dashed", 40, 255, nil},
		{"OpenAI", "sk-", "alnum", 48, 48, nil},
		{"OpenRouter", "sk-or-v1-", "alnum", 64, 64, nil},
		{"Google", "AIza", "dashed", 35, 35, nil},
		{"npm", "npm_", "alnum", 36, 36, nil},
		{"PyPI", "pypi-AgE", "dashed", 80, 400, nil},
		{"Hugging Face", "hf_", "alnum", 34, 40, nil},
	}
}

// inClass reports whether a byte may stand in a body of the named class.
func inClass(class string, c byte) bool {
	switch {
	case 'A' <= c && c <= 'Z':
		return true
	case 'a' <= c && c <= 'z':
		return class != "base32"
	case '0' <= c && c <= '9':
		return class != "base32" || '2' <= c && c <= '7'
	case c == '_':
		return class == "word" || class == "dashed"
	case c == '-':
		return class == "dashed"
	}
	return false
}

// slackBody reports whether a body is numbers of a workspace, then a key.
func slackBody(body []byte) bool {
	parts := bytes.Split(body, []byte("-"))
	last := parts[len(parts)-1]
	return len(parts) >= 3 && len(parts[0]) >= 9 && len(bytes.Trim(parts[0], "0123456789")) == 0 && len(last) >= 24
}

// maxSecrets bounds what is found in one text.
const maxSecrets = 200

// keyTable tells for the first three bytes of a prefix which shapes may start
// with them, one bit a shape: few places of a text are looked at twice.
type keyTable struct {
	shapes []keyShape
	bytes  [3][256]uint32
}

// keys is the table, made when first needed.
var keys = sync.OnceValue(func() *keyTable {
	t := &keyTable{shapes: keyShapes()}
	for n, shape := range t.shapes {
		for i := range t.bytes {
			t.bytes[i][shape.prefix[i]] |= 1 << n
		}
	}
	return t
})

// findSecrets returns the keys in a text that have the length and randomness
// of real ones, in their order. Placeholders and the examples of the issuers'
// documentation are none.
func findSecrets(src []byte) []secret { return scanSecrets(src, maxSecrets) }

// scanSecrets is findSecrets with another bound of what is found.
func scanSecrets(src []byte, most int) []secret {
	var out []secret
	table := keys()
	var looked [32]int // by shape, the end of the last body that was looked at
	for i := 0; i+2 < len(src) && len(out) < most; i++ {
		maybe := table.bytes[0][src[i]] & table.bytes[1][src[i+1]]
		if maybe == 0 {
			continue
		}
		for maybe &= table.bytes[2][src[i+2]]; maybe != 0; maybe &= maybe - 1 {
			n := bits.TrailingZeros32(maybe)
			if i < looked[n] {
				continue
			}
			if s, end, ok := table.shapes[n].at(src, i); ok {
				out = append(out, s)
				i = s.end - 1
				break
			} else if end > 0 {
				looked[n] = end
			}
		}
	}
	if private := findPrivateKeys(src, most); len(private) > 0 {
		out = append(out, private...)
		slices.SortStableFunc(out, func(a, b secret) int { return cmp.Compare(a.start, b.start) })
	}
	return out
}

// at returns the key of this shape that starts at a place, and where the body
// ends, 0 where even the prefix is another one.
func (k *keyShape) at(src []byte, start int) (s secret, end int, ok bool) {
	body := start + len(k.prefix)
	if len(src) < body || string(src[start:body]) != k.prefix {
		return secret{}, 0, false
	}
	end = body
	for end < len(src) && end-body <= k.most && inClass(k.chars, src[end]) {
		end++
	}
	text := src[body:end]
	if len(text) < k.least || len(text) > k.most || !standsAlone(src, start, end) ||
		k.also != nil && !k.also(text) || placeholderKey(src[start:end], text) {
		return secret{}, end, false
	}
	return secret{k.issuer, start, end, len(k.prefix)}, end, true
}

// standsAlone reports whether a key is not a part of something longer, such as
// an embedded picture or a lock file's digest.
func standsAlone(src []byte, start, end int) bool {
	if end < len(src) && (inClass("dashed", src[end]) || strings.IndexByte("+/=%", src[end]) >= 0 && end+1 < len(src) && inClass("alnum", src[end+1])) {
		return false
	}
	if start == 0 {
		return true
	}
	switch before := src[start-1]; {
	case inClass("dashed", before):
		return false
	case before == '+' || before == '/':
		return start == 1 || !inClass("dashed", src[start-2])
	}
	return true
}
