package secrets

import (
	"encoding/base64"
	"math/rand/v2"
	"strings"
	"testing"
)

const (
	alnum  = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
	dashed = alnum + "-_"
	base32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
	digits = "0123456789"
	hexa   = "0123456789abcdef"
)

// chance generates keys, so that no scanner finds one in the source.
type chance struct{ *rand.Rand }

func newChance(seed uint64) chance { return chance{rand.New(rand.NewPCG(seed, 1))} }

func (c chance) text(n int, chars string) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = chars[c.IntN(len(chars))]
	}
	return string(b)
}

// keys are one key of every issuer.
func (c chance) keys() map[string]string {
	id := func() string {
		return c.text(8, hexa) + "-" + c.text(4, hexa) + "-" + c.text(4, hexa) + "-" + c.text(4, hexa) + "-" + c.text(12, hexa)
	}
	keys := map[string]string{
		"sk-lf-":   "sk" + "-lf-" + id(),
		"pat-eu1-": "pat" + "-eu1-" + id(),
		"MTE":      "MT" + "E" + c.text(23, alnum) + "." + c.text(6, dashed) + "." + c.text(38, dashed),
		"pat":      "pa" + "t" + c.text(14, alnum) + "." + c.text(64, hexa),
		"pcsk_":    "pc" + "sk_" + c.text(6, alnum) + "_" + c.text(63, alnum),
		"re_":      "re" + "_" + c.text(8, alnum) + "_" + c.text(24, alnum),
		"xkeysib-": "xkey" + "sib-" + c.text(64, hexa) + "-" + c.text(16, alnum),
		"dt0c01.":  "dt0" + "c01." + c.text(24, base32) + "." + c.text(64, base32),
		"sgp_":     "sg" + "p_" + c.text(16, hexa) + "_" + c.text(40, hexa),
		"eyJ":      c.token(`{"sub":"` + c.text(9, alnum) + `","exp":1999999999}`),

		"discord.com/api/webhooks/": "discord." + "com/api/webhooks/1" + c.text(18, digits) + "/" + c.text(68, dashed),
		"AKIA":                      "AK" + "IA" + c.text(16, base32),
		"ASIA":                      "AS" + "IA" + c.text(16, base32),
		"ghp_":                      "ghp" + "_" + c.text(36, alnum),
		"gho_":                      "gho" + "_" + c.text(36, alnum),
		"github_pat_":               "github" + "_pat_" + c.text(22, alnum) + "_" + c.text(59, alnum),
		"glpat-":                    "glpat" + "-" + c.text(20, dashed),
		"xoxb-":                     "xox" + "b-" + c.text(11, digits) + "-" + c.text(12, digits) + "-" + c.text(24, alnum),
		"xoxp-":                     "xox" + "p-" + c.text(11, digits) + "-" + c.text(11, digits) + "-" + c.text(12, digits) + "-" + c.text(32, hexa),
		"sk_live_":                  "sk" + "_live_" + c.text(24, alnum),
		"sk-ant-":                   "sk" + "-ant-api03-" + c.text(93, dashed) + "AA",
		"sk-proj-":                  "sk" + "-proj-" + c.text(74, dashed) + "T3BlbkFJ" + c.text(74, dashed),
		"sk-":                       "sk" + "-" + c.text(20, alnum) + "T3BlbkFJ" + c.text(20, alnum),
		"sk-or-v1-":                 "sk" + "-or-v1-" + c.text(64, hexa),
		"AIza":                      "AI" + "za" + c.text(35, dashed),
		"npm_":                      "npm" + "_" + c.text(36, alnum),
		"pypi-AgE":                  "pypi" + "-AgEIcHlwaS5vcmc" + c.text(150, dashed),
		"hf_":                       "hf" + "_" + c.text(34, alnum[:52]),
		"AccountKey=":               "Account" + "Key=" + c.text(86, alnum+"+/") + "==",
		"xapp-":                     "xap" + "p-1-A" + c.text(10, base32) + "-" + c.text(13, digits) + "-" + c.text(64, hexa),
		"GOCSPX-":                   "GOC" + "SPX-" + c.text(28, dashed),
		"SG.":                       "S" + "G." + c.text(22, dashed) + "." + c.text(43, dashed),
		"dop_v1_":                   "dop" + "_v1_" + c.text(64, hexa),
		"dapi":                      "da" + "pi" + c.text(32, hexa) + "-2",
		"shpat_":                    "shp" + "at_" + c.text(32, hexa),
		"gsk_":                      "gs" + "k_" + c.text(52, alnum),
		"xai-":                      "xa" + "i-" + c.text(80, alnum),
		"r8_":                       "r" + "8_" + c.text(37, dashed),
		"pplx-":                     "ppl" + "x-" + c.text(48, alnum),
		"nvapi-":                    "nva" + "pi-" + c.text(64, dashed),
		"lsv2_pt_":                  "lsv2" + "_pt_" + c.text(32, hexa) + "_" + c.text(10, hexa),
		"tvly-":                     "tvl" + "y-" + c.text(32, alnum),
		"tvly-dev-":                 "tvl" + "y-dev-" + c.text(5, alnum) + "-" + c.text(44, alnum),
		"lin_api_":                  "lin" + "_api_" + c.text(40, alnum),
		"ntn_":                      "nt" + "n_" + c.text(11, digits) + c.text(35, alnum),
		"ATATT3":                    "ATA" + "TT3xFfGF0" + c.text(171, dashed) + "=" + c.text(8, base32) + "",
		"dckr_pat_":                 "dckr" + "_pat_" + c.text(27, dashed),
		"sbp_":                      "sb" + "p_" + c.text(40, hexa),
		"PMAK-":                     "PMA" + "K-" + c.text(24, hexa) + "-" + c.text(34, hexa),
		"glsa_":                     "gls" + "a_" + c.text(32, alnum) + "_" + c.text(8, hexa),

		"hooks.slack.com/services/T": "hooks.slack." + "com/services/T" + c.text(10, base32) + "/B" + c.text(10, base32) + "/" + c.text(24, alnum),
		"AGE-SECRET-KEY-1":           "AGE-SECRET" + "-KEY-1" + c.text(58, "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L"),
	}
	for _, k := range issuers() {
		if k.also != nil || k.numbered() || keys[k.prefix] != "" {
			continue
		}
		chars := map[string]string{"hex": hexa, "word": alnum, "alnum": alnum, "base64": alnum + "+/", "base32": base32}[k.chars]
		if chars == "" {
			chars = dashed
		}
		end := alnum // the last character separates some classes from the text around
		if k.chars == "hex" || k.chars == "base32" {
			end = chars
		}
		keys[k.prefix] = k.prefix + c.text(k.least-1, chars) + c.text(1, end)
	}
	return keys
}

// token returns a signed token with these claims.
func (c chance) token(claims string) string {
	encode := base64.RawURLEncoding.EncodeToString
	return encode([]byte(`{"alg":"HS256","typ":"JWT"}`)) + "." + encode([]byte(claims)) + "." + c.text(43, dashed)
}

// telegram returns a key whose prefix follows a number.
func (c chance) telegram() string {
	return "7" + c.text(9, digits) + ":A" + "A" + c.text(33, dashed)
}

// TestFind checks that every random key is found in every usual context.
func TestFind(t *testing.T) {
	missed, all := 0, 0
	missedOf := map[string]int{}
	const seeds = 100
	for seed := range uint64(seeds) {
		keys := newChance(seed).keys()
		number := newChance(seed).telegram()
		keys[number[:13]] = number
		for prefix, key := range keys {
			for _, form := range []string{"key = \"KEY\"\n", "export TOKEN=KEY\n", "https://x:KEY@example.com/a", "`KEY`", "KEY", "It is KEY. Use it", "(KEY)", "a;KEY;b"} {
				src := strings.ReplaceAll(form, "KEY", key)
				got := Find([]byte(src))
				all++
				switch {
				case len(got) == 0 && form == "KEY":
					missedOf[strings.TrimLeft(prefix, digits)]++
					fallthrough
				case len(got) == 0:
					missed++
				case len(got) > 1 || src[got[0].Start:got[0].End] != key:
					t.Fatalf("in %q got %v", src, got)
				case src[got[0].Start:got[0].Label] != prefix:
					t.Fatalf("of %q %q is shown, want %q", key, src[got[0].Start:got[0].Label], prefix)
				}
			}
		}
	}
	// Chance makes a few that look made up.
	if missed*100 > all {
		t.Errorf("%d of %d keys were missed", missed, all)
	}
	for prefix, n := range missedOf {
		if n*25 > seeds {
			t.Errorf("%d of %d keys of %s were missed", n, seeds, prefix)
		}
	}
}

// TestIssuers checks what the scan assumes about the table.
func TestIssuers(t *testing.T) {
	formats := issuers()
	for i, k := range formats {
		if len(k.prefix) < 3 || k.least > k.most || len(k.prefix)+k.least < shortestKey || len(k.prefix)+k.most >= longestKey || inClass(k.chars, ' ') {
			t.Errorf("%+v", k)
		}
		for _, other := range formats[:i] {
			if other.prefix == k.prefix && other.most >= k.least && k.most >= other.least || len(other.prefix) < len(k.prefix) && strings.HasPrefix(k.prefix, other.prefix) && other.most >= len(k.prefix)-len(other.prefix)+k.least && other.chars != "alnum" {
				t.Errorf("%s is taken for %s", k.prefix, other.prefix)
			}
		}
	}
}

// TestTelegramTokens checks that a bot's token is found after the bot's number, also in an
// address.
func TestTelegramTokens(t *testing.T) {
	key := newChance(1).telegram()
	if len(Find([]byte(key))) != 1 {
		t.Fatalf("%q is not found", key)
	}
	for src, want := range map[string]int{
		"https://api.telegram.org/bot" + key + "/getMe": 1,
		"bot" + key:                        1,
		"robot" + key:                      0,
		"x" + key:                          0,
		key[4:]:                            0, // too short a number
		"12" + key:                         0, // too long a one
		"99:" + key:                        1,
		key + "a":                          0,
		strings.Replace(key, ":", ": ", 1): 0,
		"7110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw":  0,
		"7110201543:AAExampleTokenOfABot_0123456789abcd": 0,
	} {
		if got := Find([]byte(src)); len(got) != want || want == 1 && src[got[0].Start:got[0].End] != key {
			t.Errorf("in %q got %v, want %d", src, got, want)
		}
	}
}

func TestFindNothing(t *testing.T) {
	c := newChance(7)
	for name, src := range map[string]string{
		"AWS's example":            "AKIAIOSFODNN7EXAMPLE AKIAI44QH8DHBEXAMPLE",
		"GitHub's example":         "ghp" + "_16C7e42F292c6912E7710c838347Ae178B4a",
		"x":                        "ghp_" + strings.Repeat("x", 36) + " AKIA" + strings.Repeat("X", 16) + " sk-" + strings.Repeat("x", 48),
		"sequence":                 "ghp_abcdefghijklmnopqrstuvwxyz0123456789 npm_ABCDEFGHIJKLMNOPQRSTUVWXYZ1234567890",
		"letters in order":         "sk-proj-" + "abc123def456ghi789jkl012mno345pqr678stu901vwx234",
		"two sequences":            "ghp_" + "1a2b3c4d5e6f7g8h9i0j1k2l3m4n5o6p7q8r",
		"repeated":                 "ghp_" + strings.Repeat("aZ3kQ9", 6) + " AKIA" + strings.Repeat("QW7Z", 4),
		"words":                    "sk-ant-api03-your-api-key-goes-here-" + c.text(80, dashed) + " AIzaSyYOUR_API_KEY_HERE" + c.text(18, dashed),
		"dots":                     "sk-ant-api03-... sk-proj-... ghp_... AKIA...",
		"angle brackets":           "ghp_<your token> sk-<key> glpat-<token>",
		"variables":                "ghp_$TOKEN sk-ant-${KEY} xoxb-{{ token }}",
		"too short":                "ghp_" + c.text(20, alnum) + " AKIA" + c.text(12, base32) + " sk-" + c.text(20, alnum),
		"AWS, too long":            "AKIA" + c.text(17, base32),
		"inside base64":            c.text(50, alnum) + "AKIA" + c.text(16, base32) + c.text(50, alnum) + " " + c.text(50, alnum) + "/AKIA" + c.text(16, base32) + "+abc",
		"words with sk-":           "task-" + c.text(48, alnum) + " risk-based sk-learn-estimator-container-div-wrapper-toggle",
		"test mode":                "sk_" + "test_" + c.text(24, alnum),
		"pattern":                  `re.compile(r"ghp_[A-Za-z0-9]{36}|AKIA[0-9A-Z]{16}|sk-ant-[\w-]{80,}")`,
		"digests":                  "sha512-" + c.text(86, alnum) + "== sha256:" + c.text(64, hexa),
		"JWT":                      "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9." + c.text(60, dashed) + "." + c.text(43, dashed),
		"public key":               "-----BEGIN PUBLIC KEY-----\n" + c.text(64, alnum) + "\n-----END PUBLIC KEY-----\n",
		"private key with dots":    "-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA...\n-----END RSA PRIVATE KEY-----\n",
		"part of a private key":    "-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA" + c.text(48, alnum) + "\n" + c.text(64, alnum) + "\n-----END RSA PRIVATE KEY-----\n",
		"private key's marks":      "-----BEGIN PRIVATE KEY-----\n<key>\n-----END PRIVATE KEY-----\n",
		"encrypted private key":    "-----BEGIN ENCRYPTED PRIVATE KEY-----\n" + c.text(64, alnum) + "\n-----END ENCRYPTED PRIVATE KEY-----\n",
		"begin without end":        "-----BEGIN PRIVATE KEY-----" + strings.Repeat("A", 200),
		"begin and nothing":        "-----BEGIN ",
		"Slack without numbers":    "xoxb-" + c.text(20, alnum) + "-" + c.text(30, alnum),
		"hexadecimal all alike":    "sk-or-v1-" + strings.Repeat("0", 64),
		"documentation, redacted":  "ghp_REDACTED" + c.text(28, alnum),
		"hook of nobody":           "https://hooks.slack.com/services/T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX https://hooks.slack.com/services/YOUR/WEBHOOK/URL",
		"hook of three letters":    "https://hooks.slack.com/services/T000/B000/" + c.text(24, alnum),
		"Azurite's key":            "AccountKey=Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==",
		"Azure, any":               "AccountName=x;AccountKey=<key>;EndpointSuffix=core.windows.net AccountKey=" + strings.Repeat("A", 86) + "==",
		"SendGrid, dots":           "SG.xxxxxxxxxxxxxxxxxxxxxx." + strings.Repeat("x", 43) + " SG.your-api-key SG.... SG." + c.text(66, alnum),
		"Databricks, a word":       "dapi" + c.text(32, alnum[:52]) + " dapi-token dapi1234567890abcdef1234567890abcdef",
		"Shopify":                  "shpat_" + strings.Repeat("0", 32) + " shpat_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
		"made up, in steps":        "pplx-" + strings.Repeat("abcdefghijkl", 4) + " gsk_" + strings.Repeat("x", 52) + " lin_api_your_key_here dckr_pat_xxxxxxxxxxxxxxxxxxxxxxxxxxx",
		"Tavily":                   "tvly-YOUR_API_KEY tvly-dev-votre_cle_tavily tvly-xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
		"age, public":              "age1" + c.text(58, "qpzry9x8gf2tvdw0s3jn54khce6mua7l") + " AGE-SECRET-KEY-1XYZ... AGE-SECRET-KEY-1" + strings.Repeat("Q", 58),
		"JWT of the documentation": c.token(`{"sub":"1234567890","name":"John Doe","iat":1516239022}`),
		"JWT for everybody":        c.token(`{"iss":"supabase","ref":"abcdefgh","role":"anon","exp":1999999999}`),
		"Supabase on any machine":  "sb_secret_" + "N7UND0UgjKTVK-Uodkm0Hg_xSvEMPvz",
		"nearly AWS's example":     "AKIAIOSFODNN7EXAMPLF AKIAIOSFODNN7EXBMPLE",
		"nearly GitHub's example":  "ghp" + "_16C7e42F292c6912E7710c838347Ae178B4b",
		"words that begin so":      "patient-record.identifier-" + c.text(64, hexa) + " key-value-store hvs.example re_" + c.text(33, alnum) + " cio" + c.text(40, alnum) + " secret_name",
		"Discord's channel":        "https://discord.com/channels/1234567890123456789/" + c.text(19, digits) + " https://discord.com/api/webhooks/<id>/<token>",
		"words with xai-":          "maxai-" + c.text(80, alnum) + " xai-grok-model r8_model",
	} {
		if got := Find([]byte(src)); len(got) > 0 {
			t.Errorf("%s: got %q", name, src[got[0].Start:got[0].End])
		}
	}
}
