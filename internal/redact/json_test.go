package redact

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

// TestJSON checks that strings are masked by their decoded value, however they are
// escaped.
func TestJSON(t *testing.T) {
	arguments, err := json.Marshal(map[string]string{"token": "a\n" + github, "name": key})
	if err != nil {
		t.Fatal(err)
	}
	in, err := json.Marshal(map[string]any{
		"text": "line\n" + github + "\n", "list": []any{1, true, key, "<b>"}, "arguments": string(arguments), "unchanged": "<\u202e\n>", key: 1,
	})
	if err != nil {
		t.Fatal(err)
	}
	got := known().JSON(in)
	var out map[string]any
	if err := json.Unmarshal(got, &out); err != nil {
		t.Fatalf("%s: %v", got, err)
	}
	if out["text"] != "line\n[masked: GitHub key]\n" || out["list"].([]any)[2] != "[masked: OPENAI_API_KEY]" || out["unchanged"] != "<\u202e\n>" {
		t.Errorf("got %s", got)
	}
	if out["arguments"] != `{"name":"[masked: OPENAI_API_KEY]","token":"a\n[masked: GitHub key]"}` {
		t.Errorf("JSON in a string: got %s", out["arguments"])
	}
	if out["[masked: OPENAI_API_KEY]"] == nil {
		t.Errorf("a field's name: got %s", got)
	}
	clean := []byte(`{"a":"b\u202e","c":[1.50]}`)
	if got := known().JSON(clean); !bytes.Equal(got, clean) {
		t.Errorf("got %s", got)
	}
	if got := string(known().JSON([]byte(`{"a":"` + github))); strings.Contains(got, github) {
		t.Errorf("broken off: got %s", got)
	}
}

// TestLines checks that whole lines are masked, however they are encoded.
func TestLines(t *testing.T) {
	text := "{\"a\":\"\\n" + github + "\"}\n{\"b\":1}\n[2"
	for size := 1; size <= len(text); size++ {
		var out bytes.Buffer
		w := known().Lines(&out)
		for at := 0; at < len(text); at += size {
			if _, err := w.Write([]byte(text[at:min(len(text), at+size)])); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if want := "{\"a\":\"\\n[masked: GitHub key]\"}\n{\"b\":1}\n[2"; out.String() != want {
			t.Fatalf("in pieces of %d: got %q", size, out.String())
		}
	}
}
