package agent

import (
	"context"
	"testing"
	"time"
)

// TestTimeBudget checks when the time left is too little for another turn. The times are
// far apart, so that a slow machine does not matter.
func TestTimeBudget(t *testing.T) {
	for _, test := range []struct {
		name             string
		passed, left     time.Duration
		longest          time.Duration
		told, exhausting bool
	}{
		{"early", time.Hour, 10 * time.Hour, time.Minute, false, false},
		{"late", 10 * time.Hour, time.Hour, time.Minute, true, false},
		{"slow turns", time.Hour, 10 * time.Hour, 4 * time.Hour, true, false},
		{"no time for two", time.Hour, 10 * time.Hour, 6 * time.Hour, true, true},
	} {
		ctx, cancel := context.WithTimeout(t.Context(), test.left)
		b := newBudget(Limits{Turns: 40})
		b.begun, b.longest = time.Now().Add(-test.passed), test.longest
		limit := b.exhausted(ctx, 2, nil)
		if (limit != nil) != test.exhausting || limit != nil && limit.Limit != LimitTime {
			t.Errorf("%s: got %v", test.name, limit)
		}
		if told := b.nearlyUsed(ctx, 2, nil); (told != "") != test.told {
			t.Errorf("%s: told %v", test.name, told)
		}
		if again := b.nearlyUsed(ctx, 2, nil); again != "" {
			t.Errorf("%s: told again: %v", test.name, again)
		}
		if b.exhausted(ctx, 1, nil) != nil {
			t.Errorf("%s: the first request is not sent", test.name)
		}
		cancel()
	}
}
