package redact

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"skills/internal/spec/secrets"
)

// Nobody has these keys; they are put together, so that no scanner finds them.
const (
	key    = "sk-" + "local/9f&3+Zq" + "TTw8\"x=1"
	github = "ghp" + "_" + "w7Rk2pXc9LmQ4vTz8YbN1sHd6FgJ3aKe5UoP"
)

func known() *Masker { return New([]Value{{"OPENAI_API_KEY", key}, {"OTHER", key}}) }

// TestForms checks that a key is masked in every form in which programs print it, and
// nothing around it.
func TestForms(t *testing.T) {
	quoted, err := json.Marshal(key)
	if err != nil {
		t.Fatal(err)
	}
	for name, form := range map[string]string{
		"exact":        key,
		"JSON":         strings.Trim(string(quoted), `"`),
		"query":        url.QueryEscape(key),
		"path":         url.PathEscape(key),
		"lower query":  strings.NewReplacer("%2F", "%2f", "%2B", "%2b", "%3D", "%3d").Replace(url.QueryEscape(key)),
		"hexadecimal":  hex.EncodeToString([]byte(key)),
		"folded":       key[:10] + "\n  " + key[10:],
		"CR LF folded": key[:20] + "\r\n" + key[20:],
	} {
		if got := known().Text("a " + form + " b"); got != "a [masked: OPENAI_API_KEY] b" {
			t.Errorf("%s: got %q", name, got)
		}
	}
	if got := known().Text(github); got != "[masked: GitHub key]" {
		t.Errorf("a shape: got %q", got)
	}
	if got := New([]Value{{"TOKEN", github}}).Text("x=" + github + "!"); got != "x=[masked: TOKEN]!" {
		t.Errorf("a known value of a known shape: got %q", got)
	}
}

// TestBase64 checks that the base64 form of a longer text reveals almost nothing of a key
// in it.
func TestBase64(t *testing.T) {
	for _, encoding := range []*base64.Encoding{base64.StdEncoding, base64.URLEncoding, base64.RawStdEncoding, base64.RawURLEncoding} {
		for _, around := range []string{"KEY", "KEY\n", "user:KEY", "Bearer KEY", "a:KEY:b", "xyzKEYxyz"} {
			text := encoding.EncodeToString([]byte(strings.Replace(around, "KEY", key, 1)))
			got := known().Text(text)
			before, rest, ok := strings.Cut(got, "[masked: OPENAI_API_KEY]")
			whole := encoding.EncodedLen(len(around) - len("KEY"))
			if !ok || len(before)+len(rest) > whole+6 {
				t.Errorf("%q as %q: got %q", around, text, got)
			}
		}
	}
}

// TestPlain checks that words, short values and names of places are not masked.
func TestPlain(t *testing.T) {
	m := New([]Value{{"A", "lm-studio"}, {"B", "sk-1"}, {"C", "not-needed"}, {"D", ""}, {"E", "password"}})
	const text = "sk-1 of lm-studio is not-needed, and no password."
	if got := m.Text(text); got != text {
		t.Errorf("got %q", got)
	}
	for name, value := range map[string]string{
		"OPENAI_BASE_URL": "https://api.example.com/v1", "MAX_TOKENS": "100000000", "KEYBOARD_LAYOUT": "us-intl-1",
		"SSH_KEY_PATH": "id_1", "TLS_KEY": "/etc/ssl/key1.pem", "PUBLIC_KEY": "abc123def456", "TOKEN": "https://example.com/t1", "": "x",
		"PWD": "work-4711-a", "OLDPWD": "work-4711-b", "KEY_FILE": "keys/4711.pem", "AUTH_METHOD": "oauth2-device-1", "TOKEN_TTL": "86400000ms",
		"GIT_AUTHOR_NAME": "author-4711", "SECRET_STORE": `D:\secrets\4711`, "MY_SECRET": `D:\secrets\4711`, "SSH_AUTH_SOCK": "agent.4711.sock",
	} {
		if Holds(name, value) {
			t.Errorf("%s=%s is taken for a key", name, value)
		}
	}
	for name, value := range map[string]string{
		"GITHUB_TOKEN": "x1", "DB_PASSWORD": "hunter22", "api.key": "abc", "MY_APIKEY": "q", "SETTING": github,
		"DATABASE_SECRET": "postgres://u:p4ssw0rd@host/db",
		"AUTH":            "q9", "HTTP_AUTH": "u:p", "AUTHORIZATION": "Bearer q9", "AZURE_OPENAI_KEY1": "q9", "OPENAI_API_KEY_BACKUP": "q9",
		"SECRET_KEY_BASE": "q9", "DB_PWD": "q9", "MYSQL_PWD": "q9", "API_KEYS": "a,b", "KEY_2": "q9", "PGPASSWORD": "q9", "SLACK_COOKIE": "q9",
		"DOCKER_AUTH_CONFIG": "{}", "GH_PAT": "q9", "AUTH_TOKEN_OLD": "q9",
	} {
		if !Holds(name, value) {
			t.Errorf("%s=%s is not taken for a key", name, value)
		}
	}
}

// TestParts checks that the key alone is masked, too, if the value is a whole header.
func TestParts(t *testing.T) {
	for value, want := range map[string]string{
		"plain": "plain", "Bearer abc 1": "Bearer abc 1|abc 1", "basic dTpw": "basic dTpw|dTpw", "Token: x9": "Token: x9|x9", "two words": "two words",
	} {
		if got := strings.Join(Parts(value), "|"); got != want {
			t.Errorf("%q: got %q", value, got)
		}
	}
}

// TestOrdinaryText checks that in the skills of this repository, which contain no keys,
// only what the rule reports is masked.
func TestOrdinaryText(t *testing.T) {
	m, files := known(), 0
	err := filepath.WalkDir("../..", func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			if d != nil && d.Name() == ".git" {
				return filepath.SkipDir
			}
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		files++
		want := len(secrets.FindAll(string(data)))
		if got := len(m.find(string(data))); got != want {
			t.Errorf("%s: %d places are masked, the rule finds %d", path, got, want)
		}
		if want == 0 && m.Text(string(data)) != string(data) {
			t.Errorf("%s is changed", path)
		}
		return nil
	})
	if err != nil || files < 500 {
		t.Fatalf("%d files: %v", files, err)
	}
}

// TestStream checks that a key that arrives in pieces is held back as a whole, and that
// text without a key is printed at once.
func TestStream(t *testing.T) {
	text := "The key is " + key + ", that of GitHub " + github + " and base64 " + base64.StdEncoding.EncodeToString([]byte("u:"+key)) + "."
	want := known().Text(text)
	for size := 1; size < len(text); size++ {
		s := known().Stream()
		var got strings.Builder
		for at := 0; at < len(text); at += size {
			got.WriteString(s.Next(text[at:min(len(text), at+size)]))
			for _, k := range []string{key, github} {
				if strings.Contains(got.String(), k[:8]) {
					t.Fatalf("in pieces of %d bytes, %q is shown", size, got.String())
				}
			}
		}
		got.WriteString(s.Rest())
		if got.String() != want {
			t.Fatalf("in pieces of %d bytes: got %q, want %q", size, got.String(), want)
		}
	}
	s := known().Stream()
	for _, piece := range []string{"Hello.", " It is a ", "line\n", "Is it?\n"} {
		if got := s.Next(piece); got != piece {
			t.Errorf("of %q only %q is shown", piece, got)
		}
	}
}

func TestNil(t *testing.T) {
	var m *Masker
	if got := m.Text(github) + m.Stream().Next(github) + string(m.JSON([]byte(github))); got != github+github+github {
		t.Errorf("no masker masks: %q", got)
	}
}

func FuzzText(f *testing.F) {
	f.Add("a "+key+" b", 3)
	f.Add(`{"a":"\n`+github+`","b":"{\"c\":\"`+github+`\"}"}`, 7)
	f.Add("00000ghp"+"_0000010000020000011789A1BCXYZbcxayz5", 7)
	f.Add("-----BEGIN PRIVATE KEY-----\nMAAA\n-----END PRIVATE KEY-----", 1)
	f.Fuzz(func(t *testing.T, text string, size int) {
		m := known()
		once := m.Text(text)
		if strings.Contains(once, key) {
			t.Fatalf("the key is left in %q", once)
		}
		if size > 0 && size < 1<<20 {
			s := m.Stream()
			got := ""
			for at := 0; at < len(text); at += size {
				got += s.Next(text[at:min(len(text), at+size)])
			}
			got += s.Rest()
			if strings.Contains(got, key) {
				t.Fatalf("the key is left in %q", got)
			}
			if once == text && got != text {
				t.Fatalf("a stream makes %q of %q", got, text)
			}
		}
		if masked := m.JSON([]byte(text)); json.Valid([]byte(text)) != json.Valid(masked) {
			t.Fatalf("%q becomes %q", text, masked)
		}
	})
}

func BenchmarkText(b *testing.B) {
	for name, line := range map[string]string{
		"prose":   "The quick brown fox jumps over the lazy dog, and some sixty sheep sleep.\n",
		"program": "for k in sorted(seen):\n    print(f\"sk-{k}\", out[k], file=sys.stderr)\n",
		"base64":  "c2Vlay1hbmQtaGlkZS1hbmQtc2Vlay1hZ2Fpbi1hbmQtc28tb24tYW5kLXNvLW9uLWFuZA==\n",
	} {
		text := strings.Repeat(line, 64<<10/len(line))
		m := known()
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				m.Text(text)
			}
		})
	}
}

// TestAdd checks that values which become known later are masked from then on.
func TestAdd(t *testing.T) {
	m := New([]Value{{"FIRST", "first-value-1"}})
	m.Add(Value{"token of maps", "later-token-2"}, Value{"short", "x"})
	if got := m.Text("first-value-1 later-token-2 x"); got != "[masked: FIRST] [masked: token of maps] x" {
		t.Errorf("got %q", got)
	}
	(*Masker)(nil).Add(Value{"a", "b"})
}
