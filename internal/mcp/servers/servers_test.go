package servers

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
)

func environment() Environment {
	values := map[string]string{"TOKEN": "t0k3n-value", "HOST": "maps.example"}
	return Environment{Getenv: func(name string) string { return values[name] }, Dir: "/work", Home: "/home/me"}
}

// TestRead reads the files of several clients.
func TestRead(t *testing.T) {
	for name, tt := range map[string]struct {
		file string
		want []Entry
	}{
		"claude": {`{"theme": "dark", "mcpServers": {
			"files": {"command": "npx", "args": ["-y", "server", "${HOME_DIR:-/tmp}"], "env": {"API_TOKEN": "${TOKEN}", "N": 3}},
			"maps": {"type": "http", "url": "https://${HOST}/mcp", "headers": {"Authorization": "Bearer ${TOKEN}"}},
			"old": {"type": "sse", "url": "http://localhost:1/sse"}}}`,
			[]Entry{
				{Name: "files", Line: 2, Command: []string{"npx", "-y", "server", "/tmp"}, Env: []string{"API_TOKEN=t0k3n-value", "N=3"},
					Secrets: []Secret{{"env API_TOKEN", "t0k3n-value"}, {"env API_TOKEN", "t0k3n-value"}}},
				{Name: "maps", Line: 3, URL: "https://maps.example/mcp", Headers: []Header{{"Authorization", "Bearer t0k3n-value"}},
					Secrets: []Secret{{"header Authorization", "Bearer t0k3n-value"}, {"header Authorization", "t0k3n-value"}}},
				{Name: "old", Line: 4, URL: "http://localhost:1/sse", SSE: true},
			}},
		"cursor": {`{"mcpServers": {"my server.v2": {"command": "${workspaceFolder}/serve", "cwd": "${userHome}"},
			"off": {"command": "x", "disabled": true},
			"login": {"url": "https://a.example", "auth": {"CLIENT_ID": "me", "CLIENT_SECRET": "${env:TOKEN}", "scopes": ["a", "b"]}}}}`,
			[]Entry{
				{Name: "my-server-v2", Line: 1, Command: []string{"/work/serve"}, Dir: "/home/me"},
				{Name: "login", Line: 3, URL: "https://a.example", OAuth: OAuth{ClientID: "me", ClientSecret: "t0k3n-value", Scopes: []string{"a", "b"}},
					Secrets: []Secret{{"client secret", "t0k3n-value"}, {"client secret", "t0k3n-value"}}},
			}},
		"code": {"{\n// of VS Code\n\"inputs\": [{\"id\": \"x\",}],\n\"servers\": {/* one */ \"a\": {\"type\": \"stdio\", \"command\": \"a//b\", \"args\": [\"/*\", \",]\",],},},\n}",
			[]Entry{{Name: "a", Line: 4, Command: []string{"a//b", "/*", ",]"}}}},
		"ci": {`{"mcpServers": {"a": {"url": "https://a.example", "oauth": {"grant_type": "client_credentials", "clientId": "i", "clientSecret": "s", "callbackPort": 8080}}, "b": {"url": "https://b.example", "oauth": false}}}`,
			[]Entry{
				{Name: "a", Line: 1, URL: "https://a.example", OAuth: OAuth{ClientID: "i", ClientSecret: "s", Port: 8080, Credentials: true}, Secrets: []Secret{{"client secret", "s"}}},
				{Name: "b", Line: 1, URL: "https://b.example", OAuth: OAuth{Off: true}},
			}},
	} {
		got, skipped, err := Read("f.json", []byte(tt.file), environment())
		if err != nil || len(skipped) > 0 || !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%s: got\n%+v\nwant\n%+v\n%v %v", name, got, tt.want, skipped, err)
		}
	}
}

// TestReadBad checks that an entry which cannot be used is named with its line and its
// reason, without values, and that the others are used.
func TestReadBad(t *testing.T) {
	for entry, want := range map[string]string{
		`3`:                                             "it is not an object",
		`{}`:                                            "it has neither a command nor a url",
		`{"command": "x", "url": "https://x"}`:          "it has a command and a url",
		`{"command": 3}`:                                "command is not a text",
		`{"command": "x", "args": "y"}`:                 "args is not a list",
		`{"command": "x", "args": [{}]}`:                "args[0] is not a text",
		`{"command": "x", "env": ["A=b"]}`:              "env is not an object",
		`{"command": "x", "env": {"A=B": "c"}}`:         `"A=B" is no name of a variable`,
		`{"command": "${NOT_SET}"}`:                     "command: the environment variable NOT_SET is not set",
		`{"command": "${input:key}"}`:                   `command: it asks for the input "key" when it starts`,
		`{"command": "${a b}"}`:                         "${a b} is not known",
		`{"command": "x\u0000y"}`:                       "command has a NUL character",
		`{"command": "x", "envFile": ".env"}`:           "envFile is not read",
		`{"url": "ftp://secret.example"}`:               "its url is not an address with http or https",
		`{"url": "https://\u007f"}`:                     "its url cannot be read",
		`{"url": "https://x", "headers": {"A B": "c"}}`: `the header "A B" cannot be sent`,
		`{"url": "https://x", "headers": {"A": "secret\r\nB: c"}}`:                  `the header "A" cannot be sent`,
		`{"url": "https://x", "headers": {"A": ["secret"]}}`:                        "header A is not a text",
		`{"url": "https://x", "oauth": {"callbackPort": "x"}}`:                      "oauth.callbackPort is not a port",
		`{"url": "https://x", "oauth": {"callbackPort": 70000}}`:                    "oauth.callbackPort is not a port",
		`{"url": "https://x", "oauth": {"grantType": "password"}}`:                  "oauth.grantType is neither",
		`{"url": "https://x", "oauth": {"grantType": "client_credentials"}}`:        "client_credentials need clientId and clientSecret",
		`{"url": "https://x", "oauth": {"clientId": {}, "clientSecret": "secret"}}`: "oauth.clientId is not a text",
	} {
		file := fmt.Sprintf(`{"mcpServers": {"good": {"command": "x"},`+"\n"+`"bad": %s}}`, entry)
		got, skipped, err := Read("f.json", []byte(file), environment())
		if err != nil || len(got) != 1 || len(skipped) != 1 || skipped[0].Line != 2 ||
			!strings.HasPrefix(skipped[0].Text, `the MCP server "bad" is not used: `) || !strings.Contains(skipped[0].Text, want) || strings.Contains(skipped[0].Text, "secret") {
			t.Errorf("%s: got %v, %+v, %v", entry, got, skipped, err)
		}
	}
	for file, want := range map[string]string{
		``: "is damaged", `[]`: "is damaged", `{"a": 1}`: "has no mcpServers", `{"mcpServers": []}`: "mcpServers is a list, not an object",
		`{"mcpServers": {"a": {}, "a": {}}}`: "duplicate key", "{\"mcpServers\": {\"\xff\": {}}}": "not UTF-8",
	} {
		if _, _, err := Read("f.json", []byte(file), environment()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v", file, err)
		}
	}
	var many []string
	for i := range maxServers + 2 {
		many = append(many, fmt.Sprintf(`"s%d": {"command": "x"}`, i))
	}
	got, skipped, err := Read("f.json", []byte(`{"mcpServers": {`+strings.Join(many, ",")+`, "s.1": {"command": "y"}, "s-1": {"command": "y"}}}`), environment())
	if err != nil || len(got) != maxServers || len(skipped) != 4 {
		t.Errorf("%d used, %v, %v", len(got), skipped, err)
	}
}

func FuzzRead(f *testing.F) {
	for _, seed := range []string{`{"mcpServers": {"a": {"command": "x", "args": ["${A:-b}"]}}}`, "{//\n/**/\"servers\":{},}", `{"mcpServers":{"a":{"url":"https://x","oauth":{"scope":"a b"}}}}`, `"\`, `/*`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		if len(plainJSON(src)) != len(src) {
			t.Error("positions changed")
		}
		got, _, err := Read("f", src, environment())
		if err != nil && len(got) > 0 {
			t.Error("servers in spite of an error")
		}
		Names(src)
	})
}
