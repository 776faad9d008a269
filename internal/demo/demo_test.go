package demo

import (
	"strings"
	"testing"
)

func TestConversation(t *testing.T) {
	if !strings.Contains(Conversation, Prompt) {
		t.Error("the recording does not begin with the demo's prompt")
	}
}
