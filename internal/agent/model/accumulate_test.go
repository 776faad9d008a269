package model

import (
	"strings"
	"testing"
)

// Many small elements cost little more than their text: what is made of them
// is bounded.
func TestManyElements(t *testing.T) {
	many := "[" + strings.Repeat("{},", 200_000) + "{}]"
	for name, body := range map[string]string{
		"choices":      `{"choices":` + many + `}`,
		"calls":        `{"choices":[{"message":{"content":"a","tool_calls":` + many + `}}]}`,
		"chunk":        `{"choices":[{"delta":{"tool_calls":` + many + `}}]}`,
		"error":        `{"error":` + many + `}`,
		"error beside": `{"choices":[{"message":{"content":"a"}}],"error":` + many + `}`,
		"error code":   `{"error":{"code":` + many + `,"message":"no"}}`,
	} {
		allocated := testing.AllocsPerRun(1, func() {
			a := newAccumulator(func(string) {})
			_ = (&replyReader{}).add(&a, "", []byte(body))
		})
		if allocated > 5000 {
			t.Errorf("%s: %.0f allocations", name, allocated)
		}
	}
}
