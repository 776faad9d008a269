package model

import (
	"fmt"
	"strings"
	"testing"
)

// TestImages checks that images of results are sent after the results of a turn, by both
// protocols, the last ones if they are too many, and not to servers that take none.
func TestImages(t *testing.T) {
	call := func(ids ...string) Message {
		m := Message{Role: Assistant, Source: FromModel}
		for _, id := range ids {
			m.Calls = append(m.Calls, ToolCall{ID: id, Name: "f", Arguments: "{}"})
		}
		return m
	}
	r := Request{Model: "m", Messages: []Message{said("go"), call("a", "b"), withImage(result("a", "one")), result("b", "two"), {Role: Assistant, Source: FromModel, Text: "I see."}, said("and?")}}
	for name, body := range map[string]string{
		"chat": string(bodyOf(r, envelope{api: ChatAPI})), "responses": string(bodyOf(r, envelope{api: ResponsesAPI})),
	} {
		at := strings.Index(body, "data:image/png;base64,eA==")
		if at < strings.Index(body, "two") || at > strings.Index(body, "I see.") || !strings.Contains(body, imagesText) {
			t.Errorf("%s: got %s", name, body)
		}
		if strings.Count(body, "base64") != 1 {
			t.Errorf("%s: sent more than once: %s", name, body)
		}
	}
	plain := string(bodyOf(withoutImages(r), envelope{api: ChatAPI}))
	if strings.Contains(plain, "base64") || strings.Contains(plain, imagesText) || !strings.Contains(plain, `one\n(The image is not sent`) {
		t.Errorf("got %s", plain)
	}
	attached := Request{Model: "m", Messages: []Message{said("go", Part{Name: "mine.png", Type: "image/png", Data: []byte("x")})}}
	if got := string(bodyOf(withoutImages(attached), envelope{api: ChatAPI})); !strings.Contains(got, "base64") {
		t.Errorf("what the user attached is not sent: %s", got)
	}

	many := Request{Model: "m", Messages: []Message{said("go")}}
	for i := range maxImages + 3 {
		id := fmt.Sprint("c", i)
		many.Messages = append(many.Messages, call(id), withImage(result(id, "text")))
	}
	body := string(bodyOf(many, envelope{api: ChatAPI}))
	if strings.Count(body, "base64") != maxImages || strings.Count(body, "no longer shown") != 3 || strings.LastIndex(body, "base64") < strings.LastIndex(body, "no longer") {
		t.Errorf("got %s", body)
	}
}
