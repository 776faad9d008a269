package run

import (
	"context"
	"errors"
	"strings"
	"testing"

	"skills/internal/agent"
	"skills/internal/redact"
)

// TestMaskedCalls checks that neither hooks nor the model nor the user see a key in the
// result of a tool, in what is shown of it, or in its error.
func TestMaskedCalls(t *testing.T) {
	const key = "sk-0123456789abcdefghij"
	mask := redact.New([]redact.Value{{Name: "API_KEY", Text: key}})
	failure := errors.New("refused " + key)
	hook := func(next agent.Handler) agent.Handler {
		return func(ctx context.Context, inv *agent.Invocation) (agent.ToolResult, error) {
			result, err := next(ctx, inv)
			if strings.Contains(result.Text+result.Shown+err.Error(), key) {
				t.Errorf("a hook sees %+v, %v", result, err)
			}
			result.Text += key
			result.Shown += key
			return result, err
		}
	}
	handler := func(context.Context, *agent.Invocation) (agent.ToolResult, error) {
		return agent.ToolResult{Text: "text " + key, Shown: "shown " + key}, failure
	}
	middleware := maskedCalls(mask, []agent.Middleware{hook})
	for i := len(middleware) - 1; i >= 0; i-- {
		handler = middleware[i](handler)
	}
	result, err := handler(t.Context(), &agent.Invocation{})
	for _, text := range []string{result.Text, result.Shown, err.Error()} {
		if strings.Contains(text, key) || !strings.Contains(text, "API_KEY") {
			t.Errorf("got %q", text)
		}
	}
	if !errors.Is(err, failure) {
		t.Errorf("the cause is lost: %v", err)
	}
}
