package secrets

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
		{"AWS", "AKIA ASIA", "base32", 16, 16, nil},
		{"GitHub", "ghp_ gho_ ghu_ ghs_ ghr_", "alnum", 36, 255, nil},
		{"GitHub", "github_pat_", "word", 82, 255, nil},
		{"GitLab", "glpat- glptt- gldt- glrt- glcbt- glft- glsoat- glagent- glimt-", "dashed", 20, 300, nil},
		{"Slack", "xoxb- xoxp- xoxa- xoxr- xoxs-", "dashed", 40, 255, like(`^\d{9,}-[\w-]*-\w{24,}$`)},
		{"Slack", "xapp-", "dashed", 60, 255, like(`^\d-A[A-Z0-9]{8,12}-\d{8,}-[0-9a-f]{40,}$`)},
		{"Slack", "hooks.slack.com/services/T", "path", 42, 60, like(`^[A-Z0-9]{8,12}/B[A-Z0-9]{8,12}/[A-Za-z0-9]{24}$`)},
		{"Slack", "xoxe.xoxp-1- xoxe.xoxb-1- xoxe-1-", "dashed", 100, 255, nil},
		{"Stripe", "sk_live_ rk_live_ sk_org_live_", "alnum", 24, 255, nil},
		{"Stripe", "whsec_", "base64", 32, 88, nil},
		{"Anthropic", "sk-ant-", "dashed", 80, 255, nil},
		{"OpenAI", "sk-proj- sk-svcacct- sk-admin-", "dashed", 40, 255, nil},
		{"Langfuse", "sk-lf-", "dashed", 36, 36, like(`^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)},
		{"OpenAI", "sk-", "alnum", 48, 48, nil},
		{"DeepSeek", "sk-", "hex", 32, 32, nil},
		{"OpenRouter", "sk-or-v1-", "alnum", 64, 64, nil},
		{"Google", "AIza", "dashed", 35, 35, nil},
		{"Google", "GOCSPX-", "dashed", 28, 28, nil},
		{"Google", "1//0", "dashed", 60, 200, nil},
		{"Google", "ya29.", "dashed", 60, 1024, nil},
		{"npm", "npm_", "alnum", 36, 36, nil},
		{"PyPI", "pypi-AgE", "dashed", 80, 400, nil},
		{"Hugging Face", "hf_", "alnum", 34, 40, nil},
		{"SendGrid", "SG.", "dotted", 66, 66, like(`^[^.]{22}\.[^.]{43}$`)},
		{"DigitalOcean", "dop_v1_ doo_v1_ dor_v1_", "hex", 64, 64, nil},
		{"Databricks", "dapi", "dashed", 32, 34, like(`^[0-9a-f]{32}(?:-\d)?$`)},
		{"Shopify", "shpat_ shpca_ shppa_ shpss_", "hex", 32, 32, nil},
		{"Groq", "gsk_", "alnum", 52, 52, nil},
		{"xAI", "xai-", "word", 80, 80, nil},
		{"Replicate", "r8_", "dashed", 37, 37, nil},
		{"Perplexity", "pplx-", "alnum", 48, 48, nil},
		{"NVIDIA", "nvapi-", "dashed", 64, 64, nil},
		{"LangSmith", "lsv2_pt_ lsv2_sk_", "word", 43, 43, like(`^[0-9a-f]{32}_[0-9a-f]{10}$`)},
		{"Tavily", "tvly-dev- tvly-prod-", "dashed", 32, 64, nil},
		{"Tavily", "tvly-", "alnum", 32, 32, nil},
		{"Linear", "lin_api_", "alnum", 40, 40, nil},
		{"Linear", "lin_oauth_", "hex", 64, 64, nil},
		{"Notion", "ntn_", "alnum", 46, 46, like(`^\d{11}`)},
		{"Notion", "secret_", "alnum", 43, 43, nil},
		{"Atlassian", "ATATT3", "padded", 186, 186, nil},
		{"Docker", "dckr_pat_", "dashed", 27, 27, nil},
		{"Supabase", "sbp_", "hex", 40, 40, nil},
		{"Supabase", "sb_secret_", "dashed", 31, 31, nil},
		{"Postman", "PMAK-", "dashed", 59, 59, like(`^[0-9a-f]{24}-[0-9a-f]{34}$`)},
		{"Grafana", "glsa_", "word", 41, 41, like(`^[A-Za-z0-9]{32}_[0-9A-Fa-f]{8}$`)},
		{"Telegram", ":AA", "dashed", 33, 33, nil},
		{"Azure", "AccountKey=", "base64", 88, 88, like(`^[^=]{86}==$`)},
		{"JSON Web Token", "eyJ", "dotted", 60, 1900, isToken},
		{"Discord", "MTA MTE MTI MTM MTQ MTU MTY MTc MTg MTk", "dotted", 55, 70, like(`^[\w-]{20,25}\.[\w-]{6}\.[\w-]{27,38}$`)},
		{"Discord", "discord.com/api/webhooks/ discordapp.com/api/webhooks/", "paths", 85, 95, like(`^\d{17,20}/[\w-]{60,72}$`)},
		{"HubSpot", "pat-na1- pat-na2- pat-eu1-", "dashed", 36, 36, like(`^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)},
		{"Airtable", "pat", "dotted", 79, 79, like(`^[A-Za-z0-9]{14}\.[0-9a-f]{64}$`)},
		{"Figma", "figd_ figo_ figu_", "dashed", 40, 45, nil},
		{"Vault", "hvs. hvb. hvr.", "dashed", 24, 300, nil},
		{"Terraform Cloud", "atlasv1.", "dashed", 60, 70, nil},
		{"Sentry", "sntryu_", "hex", 64, 64, nil},
		{"Sentry", "sntrys_eyJ", "padded64", 60, 400, nil},
		{"Pinecone", "pcsk_", "word", 69, 70, like(`^[A-Za-z0-9]{5,6}_[A-Za-z0-9]{63}$`)},
		{"Resend", "re_", "word", 33, 33, like(`^[A-Za-z0-9]{8}_[A-Za-z0-9]{24}$`)},
		{"Brevo", "xkeysib- xsmtpsib-", "dashed", 81, 81, like(`^[0-9a-f]{64}-[A-Za-z0-9]{16}$`)},
		{"Mailgun", "key-", "hex", 32, 32, nil},
		{"New Relic", "NRAK-", "alnum", 27, 27, nil},
		{"Dynatrace", "dt0c01. dt0s16.", "dotted", 89, 89, like(`^[A-Z0-9]{24}\.[A-Z0-9]{64}$`)},
		{"Doppler", "dp.pt. dp.ct. dp.sa. dp.scim. dp.audit.", "alnum", 40, 44, nil},
		{"PlanetScale", "pscale_tkn_ pscale_pw_ pscale_oauth_", "dashed", 32, 64, nil},
		{"Neon", "napi_", "alnum", 64, 64, nil},
		{"MongoDB Atlas", "mdb_sa_sk_", "dashed", 40, 40, nil},
		{"Netlify", "nfp_ nfc_ nfo_", "alnum", 36, 36, nil},
		{"Vercel", "vercel_blob_rw_", "word", 47, 50, nil},
		{"Render", "rnd_", "alnum", 28, 32, nil},
		{"Fly.io", "fm2_", "base64", 100, 1500, nil},
		{"Fly.io", "fo1_", "dashed", 43, 43, nil},
		{"Heroku", "HRKU-", "dashed", 36, 65, nil},
		{"Pulumi", "pul-", "hex", 40, 40, nil},
		{"Prefect", "pnu_ pnb_", "alnum", 36, 36, nil},
		{"RubyGems", "rubygems_", "hex", 48, 48, nil},
		{"crates.io", "cio", "alnum", 32, 32, nil},
		{"JFrog", "AKCp", "alnum", 69, 69, nil},
		{"SonarQube", "squ_ sqp_ sqa_", "hex", 40, 40, nil},
		{"Sourcegraph", "sgp_", "word", 40, 57, like(`^(?:[0-9a-f]{16}_)?[0-9a-f]{40}$`)},
		{"CircleCI", "CCIPAT_", "word", 60, 70, nil},
		{"Buildkite", "bkua_", "hex", 40, 40, nil},
		{"Tailscale", "tskey-auth- tskey-api- tskey-client-", "dashed", 25, 64, nil},
		{"1Password", "ops_eyJ", "dashed", 250, 1500, nil},
		{"Grafana", "glc_eyJ", "base64", 60, 400, nil},
		{"Contentful", "CFPAT-", "dashed", 43, 43, nil},
		{"Typeform", "tfp_", "dashed", 59, 59, nil},
		{"Shippo", "shippo_live_", "hex", 40, 40, nil},
		{"Square", "sq0csp-", "dashed", 43, 43, nil},
		{"Square", "sq0atp-", "dashed", 22, 22, nil},
		{"Dropbox", "sl.u. sl.", "dashed", 130, 1500, nil},
		{"Mapbox", "sk.eyJ", "dotted", 60, 200, nil},
		{"PostHog", "phx_", "alnum", 43, 48, nil},
		{"Apify", "apify_api_", "alnum", 36, 36, nil},
		{"ElevenLabs", "sk_", "hex", 48, 48, nil},
		{"Together", "tgp_v1_", "dashed", 43, 43, nil},
		{"Cerebras", "csk-", "alnum", 48, 48, nil},
		{"Voyage", "pa-", "dashed", 43, 43, nil},
		{"Jina", "jina_", "dashed", 60, 60, nil},
		{"Firecrawl", "fc-", "hex", 32, 32, nil},
		{"E2B", "e2b_", "hex", 40, 40, nil},
		{"Alibaba Cloud", "LTAI", "alnum", 20, 20, nil},
		{"age", "AGE-SECRET-KEY-1", "bech32", 58, 58, nil},
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
