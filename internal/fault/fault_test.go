package fault

import (
	"errors"
	"fmt"
	"io/fs"
	"testing"
)

// TestText checks that an error names its place, as far as it is known, and its cause.
func TestText(t *testing.T) {
	cause := errors.New("is damaged")
	for _, tt := range []struct {
		err  Error
		want string
	}{
		{Error{Err: cause}, "is damaged"},
		{Error{Path: "a.json", Err: cause}, "a.json: is damaged"},
		{Error{Path: "a.json", Line: 3, Err: cause}, "a.json:3: is damaged"},
		{Error{Path: "a.json", Line: 3, Column: 7, Message: "is no list", Err: cause}, "a.json:3:7: is no list"},
		{Error{Code: Limit}, "exit code 3"},
	} {
		if got := tt.err.Error(); got != tt.want {
			t.Errorf("got %q, want %q", got, tt.want)
		}
	}
}

// TestHintAndCode checks that the outermost hint and the outermost exit code count, each
// for itself, wherever in a chain of errors they are.
func TestHintAndCode(t *testing.T) {
	inner := &Error{Path: "a.json", Hint: "write it again", Err: fs.ErrNotExist}
	for _, tt := range []struct {
		name string
		err  error
		hint string
		code int
	}{
		{"no error", nil, "", OK},
		{"another error", errors.New("no"), "", Failed},
		{"a hint without a code", inner, "write it again", Failed},
		{"wrapped", fmt.Errorf("--baseline: %w", inner), "write it again", Failed},
		{"as a usage error", AsUsage(fmt.Errorf("--baseline: %w", inner)), "write it again", Misuse},
		{"as one because it has a hint", AsUsageIfHinted(inner), "write it again", Misuse},
		{"not as one without a hint", AsUsageIfHinted(errors.New("no")), "", Failed},
		{"an outer hint", Usage("look here", "--baseline: %w", inner), "look here", Misuse},
		{"an outer code", &Error{Code: Limit, Err: Usage("look here", "no")}, "look here", Limit},
		{"an inner code", &Error{Hint: "outer", Err: Usage("inner", "no")}, "outer", Misuse},
		{"among several", errors.Join(errors.New("no"), inner), "write it again", Failed},
	} {
		if got := Hint(tt.err); got != tt.hint {
			t.Errorf("%s: the hint is %q, want %q", tt.name, got, tt.hint)
		}
		if got := Code(tt.err); got != tt.code {
			t.Errorf("%s: the code is %d, want %d", tt.name, got, tt.code)
		}
	}
	if !errors.Is(Usage("h", "x: %w", inner), fs.ErrNotExist) {
		t.Error("the cause is lost")
	}
	if UsageIf(false, "h", "no") != nil || Code(UsageIf(true, "h", "no")) != Misuse {
		t.Error("UsageIf does not depend on its condition")
	}
}
