package secrets

import (
	"bytes"
	"regexp"
	"strings"
	"sync"
)

// format describes one issuer's keys: a prefix, then a body. A prefix that starts
// with a colon has the number of an account before it.
type format struct {
	issuer, prefix string
	chars          string // the bytes of the body: see inClass
	least, most    int    // length of the body in bytes
	also           func(body []byte) bool
}

// issuers is the table of key formats. Prefixes of keys that are alike share a row. A
// prefix that continues another one comes first.
func issuers() []format {
	var out []format
	for _, row := range []format{
		{"AWS", "AKIA ASIA", "base32", 16, 16, nil},
		{"GitHub", "ghp_ gho_ ghu_ ghs_ ghr_", "alnum", 36, 255, nil},
		{"GitHub", "github_pat_", "word", 82, 255, nil},
		{"GitLab", "glpat-", "dashed", 20, 300, nil},
		{"Slack", "xoxb- xoxp- xoxa- xoxr- xoxs-", "dashed", 40, 255, slackBody},
		{"Slack", "xapp-", "dashed", 60, 255, like(slackApp)},
		{"Slack", "hooks.slack.com/services/T", "path", 42, 60, like(slackHook)},
		{"Stripe", "sk_live_ rk_live_", "alnum", 24, 255, nil},
		{"Anthropic", "sk-ant-", "dashed", 80, 255, nil},
		{"OpenAI", "sk-proj- sk-svcacct- sk-admin-", "dashed", 40, 255, nil},
		{"OpenAI", "sk-", "alnum", 48, 48, nil},
		{"OpenRouter", "sk-or-v1-", "alnum", 64, 64, nil},
		{"Google", "AIza", "dashed", 35, 35, nil},
		{"Google", "GOCSPX-", "dashed", 28, 28, nil},
		{"npm", "npm_", "alnum", 36, 36, nil},
		{"PyPI", "pypi-AgE", "dashed", 80, 400, nil},
		{"Hugging Face", "hf_", "alnum", 34, 40, nil},
		{"SendGrid", "SG.", "dotted", 66, 66, like(sendGrid)},
		{"DigitalOcean", "dop_v1_ doo_v1_ dor_v1_", "hex", 64, 64, nil},
		{"Databricks", "dapi", "dashed", 32, 34, like(databricks)},
		{"Shopify", "shpat_ shpca_ shppa_ shpss_", "hex", 32, 32, nil},
		{"Groq", "gsk_", "alnum", 52, 52, nil},
		{"xAI", "xai-", "word", 80, 80, nil},
		{"Replicate", "r8_", "dashed", 37, 37, nil},
		{"Perplexity", "pplx-", "alnum", 48, 48, nil},
		{"NVIDIA", "nvapi-", "dashed", 64, 64, nil},
		{"LangSmith", "lsv2_pt_ lsv2_sk_", "word", 43, 43, like(langSmith)},
		{"Tavily", "tvly-dev- tvly-prod-", "dashed", 32, 64, nil},
		{"Tavily", "tvly-", "alnum", 32, 32, nil},
		{"Linear", "lin_api_", "alnum", 40, 40, nil},
		{"Notion", "ntn_", "alnum", 46, 46, like(notion)},
		{"Atlassian", "ATATT3", "padded", 186, 186, nil},
		{"Docker", "dckr_pat_", "dashed", 27, 27, nil},
		{"Supabase", "sbp_", "hex", 40, 40, nil},
		{"Postman", "PMAK-", "dashed", 59, 59, like(postman)},
		{"Grafana", "glsa_", "word", 41, 41, like(grafana)},
		{"Telegram", ":AA", "dashed", 33, 33, nil},
		{"Azure", "AccountKey=", "base64", 88, 88, like(azure)},
		{"age", "AGE-SECRET-KEY-1", "bech32", 58, 58, nil},
	} {
		for prefix := range strings.FieldsSeq(row.prefix) {
			row.prefix = prefix
			out = append(out, row)
		}
	}
	return out
}

// Bodies with more structure than bytes and length.
var (
	slackApp   = compiled(`^\d-A[A-Z0-9]{8,12}-\d{8,}-[0-9a-f]{40,}$`)
	slackHook  = compiled(`^[A-Z0-9]{8,12}/B[A-Z0-9]{8,12}/[A-Za-z0-9]{24}$`)
	sendGrid   = compiled(`^[^.]{22}\.[^.]{43}$`)
	databricks = compiled(`^[0-9a-f]{32}(?:-\d)?$`)
	langSmith  = compiled(`^[0-9a-f]{32}_[0-9a-f]{10}$`)
	notion     = compiled(`^\d{11}`)
	postman    = compiled(`^[0-9a-f]{24}-[0-9a-f]{34}$`)
	grafana    = compiled(`^[A-Za-z0-9]{32}_[0-9A-Fa-f]{8}$`)
	azure      = compiled(`^[^=]{86}==$`)
)

// compiled returns a regular expression that is compiled on first use: most runs
// never need it.
func compiled(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}

func like(pattern func() *regexp.Regexp) func([]byte) bool {
	return func(body []byte) bool { return pattern().Match(body) }
}

// slackBody reports whether a body is the numbers of a workspace, then a key.
func slackBody(body []byte) bool {
	parts := bytes.Split(body, []byte("-"))
	last := parts[len(parts)-1]
	return len(parts) >= 3 && len(parts[0]) >= 9 && len(bytes.Trim(parts[0], "0123456789")) == 0 && len(last) >= 24
}

// numbered reports whether keys start with the number of an account, before the
// prefix.
func (k *format) numbered() bool { return k.prefix[0] == ':' }

// inClass reports whether a byte is in the named class of bytes.
func inClass(class string, c byte) bool {
	switch {
	case class == "bech32":
		return strings.IndexByte("QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L", c) >= 0
	case 'A' <= c && c <= 'Z':
		return class != "hex" || c <= 'F'
	case 'a' <= c && c <= 'z':
		return class != "base32" && (class != "hex" || c <= 'f')
	case '0' <= c && c <= '9':
		return class != "base32" || '2' <= c && c <= '7'
	}
	switch class {
	case "word":
		return c == '_'
	case "dashed":
		return c == '_' || c == '-'
	case "dotted":
		return c == '_' || c == '-' || c == '.'
	case "padded":
		return c == '_' || c == '-' || c == '='
	case "path":
		return c == '/'
	case "base64":
		return c == '/' || c == '+' || c == '='
	}
	return false
}
