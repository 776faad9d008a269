package openaitest_test

import (
	"strings"
	"testing"

	"skills/internal/testing/openaitest"
)

// TestPortable checks the rules for requests on those that break one of them.
func TestPortable(t *testing.T) {
	request := func(messages, parameters string) string {
		return `{"messages":[` + messages + `],"tools":[{"function":{"name":"f","parameters":` + parameters + `}}]}`
	}
	const system, user, result, object = `{"role":"system","content":"s"}`, `{"role":"user","content":"u"}`, `{"role":"tool","content":"t"}`, `{"type":"object"}`
	calls := `{"role":"assistant","content":"","tool_calls":[{}]}`
	parameter := func(schema string) string { return `{"type":"object","properties":{"a":` + schema + `}}` }
	for body, want := range map[string]string{
		request(system+","+user+","+calls+","+result, object):                            "",
		request(user+","+user, object):                                                   `message 1: a user message after "user"`,
		request(user+","+calls+","+result+","+user, object):                              `message 3: a user message after "tool"`,
		request(user+","+system, object):                                                 `message 1: a system message after "user"`,
		request(user+","+calls+","+calls+","+result, object):                             `message 2: an assistant message after "assistant"`,
		request(user+","+calls, object):                                                  `the last message is of the role "assistant"`,
		request(user+`,{"role":"assistant","content":null},`+user, object):               `message 1: no content`,
		request(user, parameter(`{"type":"string"}`)):                                    `f.a has no description`,
		request(user, parameter(`{"type":["string","null"],"description":"d"}`)):         `f.a has the type [string null]`,
		request(user, parameter(`{"type":"string","description":"d","anyOf":[]}`)):       `f.a has anyOf`,
		request(user, parameter(`{"type":"array","description":"d","items":{"not":1}}`)): `f.a[] has not`,
		request(user, parameter(`{"type":"string","description":"d","enum":[`+strings.TrimSuffix(strings.Repeat(`"x",`, 51), ",")+`]}`)): `f.a lists 51 values`,
		"[": "unexpected end",
	} {
		got := strings.Join(openaitest.Portable([]byte(body)), "; ")
		if want == "" && got != "" || !strings.Contains(got, want) {
			t.Errorf("%s: got %q, want %q", body, got, want)
		}
	}
	one := request(system+","+user, object)
	for next, want := range map[string]string{
		request(system+","+user+","+calls+","+result, object):    "",
		request(system+`,{"role":"user","content":"x"}`, object): "",
		request(user+","+user, object):                           "message 0",
		request(system+","+user, `{}`):                           "the tools differ",
		`{"messages":[]}`:                                        "2 messages are followed by 0",
	} {
		if got := openaitest.Continues([]byte(one), []byte(next)); want == "" && got != "" || !strings.Contains(got, want) {
			t.Errorf("%s: got %q, want %q", next, got, want)
		}
	}
}
