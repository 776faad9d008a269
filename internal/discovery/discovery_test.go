package discovery

import (
	"fmt"
	"strings"
	"testing"
)

// TestParse: entries that cannot be used are left out and counted.
func TestParse(t *testing.T) {
	const good = `{"name":"%s","type":"skill-md","description":"D.","url":"skill://a/SKILL.md","more":1}`
	for text, want := range map[string]string{
		`{"$schema":"` + Schema + `","skills":[` + fmt.Sprintf(good, "a") + `]}`: "1 0",
		`{}`: "0 0", `{"skills":null}`: "0 0", `{"skills":{}}`: "error", `[]`: "error", `{`: "error", "": "error",
		`{"skills":[1,"x",null,{},` + fmt.Sprintf(good, "a") + `,` + fmt.Sprintf(good, "a") + `,` + fmt.Sprintf(good, "../a") + `]}`: "1 6",
		`{"skills":[{"name":"a","type":"mcp-resource-template","description":"D.","url":"skill://{x}"}]}`:                            "0 1",
		`{"skills":[{"name":"a","type":"archive","description":"D."}]}`:                                                              "0 1",
		strings.Repeat(" ", maxIndex+1):                                             "error",
		`{"skills":[` + strings.Repeat(`{},`, 5000) + fmt.Sprintf(good, "a") + `]}`: "1 5000",
	} {
		index, skipped, err := Parse([]byte(text))
		got := fmt.Sprint(len(index.Skills), " ", skipped)
		if err != nil {
			got = "error"
		}
		if got != want {
			t.Errorf("%.80s: got %s, %v, want %s", text, got, err, want)
		}
	}
}

// TestVerify: a digest that is given has to be that of the content.
func TestVerify(t *testing.T) {
	content := []byte("x")
	for digest, good := range map[string]bool{
		"": true, Digest(content): true, Digest(nil): false, "md5:1": false, strings.ToUpper(Digest(content)): false, "sha256:": false,
	} {
		if err := (Entry{Digest: digest}).Verify(content); (err == nil) != good {
			t.Errorf("%q: %v", digest, err)
		}
	}
}
