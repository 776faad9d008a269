package secrets

// A key is a prefix that its issuer documents, followed by a body of a known class of
// bytes and length. Only formats that differ from other text by these are here: finding a
// key without a prefix would be a guess. A short prefix, which is also the start of words,
// needs a strict body.

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"strings"
	"sync"

	"skills/internal/lazyregexp"
)

// format describes one issuer's keys: a prefix and a body. If the prefix starts
// with a colon, an account number precedes it.
type format struct {
	issuer, prefix string
	chars          string // class of the bytes, see inClass
	least, most    int    // length of the body in bytes
	also           func(body []byte) bool
}

// issuers returns the key formats. Prefixes of similar keys share a row. A
// prefix that extends another one comes first.
var issuers = sync.OnceValue(func() (out []format) {
	for _, row := range []format{
		{issuer: "AWS", prefix: "AKIA ASIA", chars: "base32", least: 16, most: 16},
		{issuer: "GitHub", prefix: "ghp_ gho_ ghu_ ghs_ ghr_", chars: "alnum", least: 36, most: 255},
		{issuer: "GitHub", prefix: "github_pat_", chars: "word", least: 82, most: 255},
		{issuer: "GitLab", prefix: "glpat- glptt- gldt- glrt- glcbt- glft- glsoat- glagent- glimt-", chars: "dashed", least: 20, most: 300},
		{issuer: "Slack", prefix: "xoxb- xoxp- xoxa- xoxr- xoxs-", chars: "dashed", least: 40, most: 255, also: like(`^\d{9,}-[\w-]*-\w{24,}$`)},
		{issuer: "Slack", prefix: "xapp-", chars: "dashed", least: 60, most: 255, also: like(`^\d-A[A-Z0-9]{8,12}-\d{8,}-[0-9a-f]{40,}$`)},
		{issuer: "Slack", prefix: "hooks.slack.com/services/T", chars: "path", least: 42, most: 60, also: like(`^[A-Z0-9]{8,12}/B[A-Z0-9]{8,12}/[A-Za-z0-9]{24}$`)},
		{issuer: "Slack", prefix: "xoxe.xoxp-1- xoxe.xoxb-1- xoxe-1-", chars: "dashed", least: 100, most: 255},
		{issuer: "Stripe", prefix: "sk_live_ rk_live_ sk_org_live_", chars: "alnum", least: 24, most: 255},
		{issuer: "Stripe", prefix: "whsec_", chars: "base64", least: 32, most: 88},
		{issuer: "Anthropic", prefix: "sk-ant-", chars: "dashed", least: 80, most: 255},
		{issuer: "OpenAI", prefix: "sk-proj- sk-svcacct- sk-admin-", chars: "dashed", least: 40, most: 255},
		{issuer: "Langfuse", prefix: "sk-lf-", chars: "dashed", least: 36, most: 36, also: like(`^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)},
		{issuer: "OpenAI", prefix: "sk-", chars: "alnum", least: 48, most: 48},
		{issuer: "DeepSeek", prefix: "sk-", chars: "hex", least: 32, most: 32},
		{issuer: "OpenRouter", prefix: "sk-or-v1-", chars: "alnum", least: 64, most: 64},
		{issuer: "Google", prefix: "AIza", chars: "dashed", least: 35, most: 35},
		{issuer: "Google", prefix: "GOCSPX-", chars: "dashed", least: 28, most: 28},
		{issuer: "Google", prefix: "1//0", chars: "dashed", least: 60, most: 200},
		{issuer: "Google", prefix: "ya29.", chars: "dashed", least: 60, most: 1024},
		{issuer: "npm", prefix: "npm_", chars: "alnum", least: 36, most: 36},
		{issuer: "PyPI", prefix: "pypi-AgE", chars: "dashed", least: 80, most: 400},
		{issuer: "Hugging Face", prefix: "hf_", chars: "alnum", least: 34, most: 40},
		{issuer: "SendGrid", prefix: "SG.", chars: "dotted", least: 66, most: 66, also: like(`^[^.]{22}\.[^.]{43}$`)},
		{issuer: "DigitalOcean", prefix: "dop_v1_ doo_v1_ dor_v1_", chars: "hex", least: 64, most: 64},
		{issuer: "Databricks", prefix: "dapi", chars: "dashed", least: 32, most: 34, also: like(`^[0-9a-f]{32}(?:-\d)?$`)},
		{issuer: "Shopify", prefix: "shpat_ shpca_ shppa_ shpss_", chars: "hex", least: 32, most: 32},
		{issuer: "Groq", prefix: "gsk_", chars: "alnum", least: 52, most: 52},
		{issuer: "xAI", prefix: "xai-", chars: "word", least: 80, most: 80},
		{issuer: "Replicate", prefix: "r8_", chars: "dashed", least: 37, most: 37},
		{issuer: "Perplexity", prefix: "pplx-", chars: "alnum", least: 48, most: 48},
		{issuer: "NVIDIA", prefix: "nvapi-", chars: "dashed", least: 64, most: 64},
		{issuer: "LangSmith", prefix: "lsv2_pt_ lsv2_sk_", chars: "word", least: 43, most: 43, also: like(`^[0-9a-f]{32}_[0-9a-f]{10}$`)},
		{issuer: "Tavily", prefix: "tvly-dev- tvly-prod-", chars: "dashed", least: 32, most: 64},
		{issuer: "Tavily", prefix: "tvly-", chars: "alnum", least: 32, most: 32},
		{issuer: "Linear", prefix: "lin_api_", chars: "alnum", least: 40, most: 40},
		{issuer: "Linear", prefix: "lin_oauth_", chars: "hex", least: 64, most: 64},
		{issuer: "Notion", prefix: "ntn_", chars: "alnum", least: 46, most: 46, also: like(`^\d{11}`)},
		{issuer: "Notion", prefix: "secret_", chars: "alnum", least: 43, most: 43},
		{issuer: "Atlassian", prefix: "ATATT3", chars: "padded", least: 186, most: 186},
		{issuer: "Docker", prefix: "dckr_pat_", chars: "dashed", least: 27, most: 27},
		{issuer: "Supabase", prefix: "sbp_", chars: "hex", least: 40, most: 40},
		{issuer: "Supabase", prefix: "sb_secret_", chars: "dashed", least: 31, most: 31},
		{issuer: "Postman", prefix: "PMAK-", chars: "dashed", least: 59, most: 59, also: like(`^[0-9a-f]{24}-[0-9a-f]{34}$`)},
		{issuer: "Grafana", prefix: "glsa_", chars: "word", least: 41, most: 41, also: like(`^[A-Za-z0-9]{32}_[0-9A-Fa-f]{8}$`)},
		{issuer: "Telegram", prefix: ":AA", chars: "dashed", least: 33, most: 33},
		{issuer: "Azure", prefix: "AccountKey=", chars: "base64", least: 88, most: 88, also: like(`^[^=]{86}==$`)},
		{issuer: "JSON Web Token", prefix: "eyJ", chars: "dotted", least: 60, most: 1900, also: isToken},
		{issuer: "Discord", prefix: "MTA MTE MTI MTM MTQ MTU MTY MTc MTg MTk", chars: "dotted", least: 55, most: 70, also: like(`^[\w-]{20,25}\.[\w-]{6}\.[\w-]{27,38}$`)},
		{issuer: "Discord", prefix: "discord.com/api/webhooks/ discordapp.com/api/webhooks/", chars: "paths", least: 85, most: 95, also: like(`^\d{17,20}/[\w-]{60,72}$`)},
		{issuer: "HubSpot", prefix: "pat-na1- pat-na2- pat-eu1-", chars: "dashed", least: 36, most: 36, also: like(`^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)},
		{issuer: "Airtable", prefix: "pat", chars: "dotted", least: 79, most: 79, also: like(`^[A-Za-z0-9]{14}\.[0-9a-f]{64}$`)},
		{issuer: "Figma", prefix: "figd_ figo_ figu_", chars: "dashed", least: 40, most: 45},
		{issuer: "Vault", prefix: "hvs. hvb. hvr.", chars: "dashed", least: 24, most: 300},
		{issuer: "Terraform Cloud", prefix: "atlasv1.", chars: "dashed", least: 60, most: 70},
		{issuer: "Sentry", prefix: "sntryu_", chars: "hex", least: 64, most: 64},
		{issuer: "Sentry", prefix: "sntrys_eyJ", chars: "padded64", least: 60, most: 400},
		{issuer: "Pinecone", prefix: "pcsk_", chars: "word", least: 69, most: 70, also: like(`^[A-Za-z0-9]{5,6}_[A-Za-z0-9]{63}$`)},
		{issuer: "Resend", prefix: "re_", chars: "word", least: 33, most: 33, also: like(`^[A-Za-z0-9]{8}_[A-Za-z0-9]{24}$`)},
		{issuer: "Brevo", prefix: "xkeysib- xsmtpsib-", chars: "dashed", least: 81, most: 81, also: like(`^[0-9a-f]{64}-[A-Za-z0-9]{16}$`)},
		{issuer: "Mailgun", prefix: "key-", chars: "hex", least: 32, most: 32},
		{issuer: "New Relic", prefix: "NRAK-", chars: "alnum", least: 27, most: 27},
		{issuer: "Dynatrace", prefix: "dt0c01. dt0s16.", chars: "dotted", least: 89, most: 89, also: like(`^[A-Z0-9]{24}\.[A-Z0-9]{64}$`)},
		{issuer: "Doppler", prefix: "dp.pt. dp.ct. dp.sa. dp.scim. dp.audit.", chars: "alnum", least: 40, most: 44},
		{issuer: "PlanetScale", prefix: "pscale_tkn_ pscale_pw_ pscale_oauth_", chars: "dashed", least: 32, most: 64},
		{issuer: "Neon", prefix: "napi_", chars: "alnum", least: 64, most: 64},
		{issuer: "MongoDB Atlas", prefix: "mdb_sa_sk_", chars: "dashed", least: 40, most: 40},
		{issuer: "Netlify", prefix: "nfp_ nfc_ nfo_", chars: "alnum", least: 36, most: 36},
		{issuer: "Vercel", prefix: "vercel_blob_rw_", chars: "word", least: 47, most: 50},
		{issuer: "Render", prefix: "rnd_", chars: "alnum", least: 28, most: 32},
		{issuer: "Fly.io", prefix: "fm2_", chars: "base64", least: 100, most: 1500},
		{issuer: "Fly.io", prefix: "fo1_", chars: "dashed", least: 43, most: 43},
		{issuer: "Heroku", prefix: "HRKU-", chars: "dashed", least: 36, most: 65},
		{issuer: "Pulumi", prefix: "pul-", chars: "hex", least: 40, most: 40},
		{issuer: "Prefect", prefix: "pnu_ pnb_", chars: "alnum", least: 36, most: 36},
		{issuer: "RubyGems", prefix: "rubygems_", chars: "hex", least: 48, most: 48},
		{issuer: "crates.io", prefix: "cio", chars: "alnum", least: 32, most: 32},
		{issuer: "JFrog", prefix: "AKCp", chars: "alnum", least: 69, most: 69},
		{issuer: "SonarQube", prefix: "squ_ sqp_ sqa_", chars: "hex", least: 40, most: 40},
		{issuer: "Sourcegraph", prefix: "sgp_", chars: "word", least: 40, most: 57, also: like(`^(?:[0-9a-f]{16}_)?[0-9a-f]{40}$`)},
		{issuer: "CircleCI", prefix: "CCIPAT_", chars: "word", least: 60, most: 70},
		{issuer: "Buildkite", prefix: "bkua_", chars: "hex", least: 40, most: 40},
		{issuer: "Tailscale", prefix: "tskey-auth- tskey-api- tskey-client-", chars: "dashed", least: 25, most: 64},
		{issuer: "1Password", prefix: "ops_eyJ", chars: "dashed", least: 250, most: 1500},
		{issuer: "Grafana", prefix: "glc_eyJ", chars: "base64", least: 60, most: 400},
		{issuer: "Contentful", prefix: "CFPAT-", chars: "dashed", least: 43, most: 43},
		{issuer: "Typeform", prefix: "tfp_", chars: "dashed", least: 59, most: 59},
		{issuer: "Shippo", prefix: "shippo_live_", chars: "hex", least: 40, most: 40},
		{issuer: "Square", prefix: "sq0csp-", chars: "dashed", least: 43, most: 43},
		{issuer: "Square", prefix: "sq0atp-", chars: "dashed", least: 22, most: 22},
		{issuer: "Dropbox", prefix: "sl.u. sl.", chars: "dashed", least: 130, most: 1500},
		{issuer: "Mapbox", prefix: "sk.eyJ", chars: "dotted", least: 60, most: 200},
		{issuer: "PostHog", prefix: "phx_", chars: "alnum", least: 43, most: 48},
		{issuer: "Apify", prefix: "apify_api_", chars: "alnum", least: 36, most: 36},
		{issuer: "ElevenLabs", prefix: "sk_", chars: "hex", least: 48, most: 48},
		{issuer: "Together", prefix: "tgp_v1_", chars: "dashed", least: 43, most: 43},
		{issuer: "Cerebras", prefix: "csk-", chars: "alnum", least: 48, most: 48},
		{issuer: "Voyage", prefix: "pa-", chars: "dashed", least: 43, most: 43},
		{issuer: "Jina", prefix: "jina_", chars: "dashed", least: 60, most: 60},
		{issuer: "Firecrawl", prefix: "fc-", chars: "hex", least: 32, most: 32},
		{issuer: "E2B", prefix: "e2b_", chars: "hex", least: 40, most: 40},
		{issuer: "Alibaba Cloud", prefix: "LTAI", chars: "alnum", least: 20, most: 20},
		{issuer: "age", prefix: "AGE-SECRET-KEY-1", chars: "bech32", least: 58, most: 58},
	} {
		for prefix := range strings.FieldsSeq(row.prefix) {
			row.prefix = prefix
			out = append(out, row)
		}
	}
	return out
})

// like returns a check of bodies with more structure than a class and a length.
func like(expr string) func(body []byte) bool {
	pattern := lazyregexp.New(expr)
	return func(body []byte) bool { return pattern().Match(body) }
}

// isToken reports whether a body is the rest of a signed JSON Web Token that is
// neither an example from documentation nor public.
func isToken(body []byte) bool {
	parts := bytes.Split(append([]byte("eyJ"), body...), []byte("."))
	if len(parts) != 3 || len(parts[2]) < 40 {
		return false
	}
	var header struct{ Alg string }
	var claims map[string]any
	for i, to := range []any{&header, &claims} {
		text, err := base64.RawURLEncoding.DecodeString(string(parts[i]))
		if err != nil || json.Unmarshal(text, to) != nil {
			return false
		}
	}
	public := claims["role"] == "anon" || claims["iss"] == "supabase-demo"
	sample := claims["sub"] == "1234567890" || claims["sub"] == "123" || claims["iat"] == float64(1516239022)
	return header.Alg != "" && !strings.EqualFold(header.Alg, "none") && !public && !sample
}

// numbered reports whether keys start with an account number before the prefix.
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
	return strings.IndexByte(classMarks[class], c) >= 0
}

// classMarks are the bytes of a class besides letters and digits.
var classMarks = map[string]string{
	"word": "_", "dashed": "_-", "dotted": "_-.", "padded": "_-=", "path": "/", "paths": "/_-", "padded64": "/+=_-", "base64": "/+=",
}
