package skills

import (
	"testing"

	"skills/internal/fault"
	"skills/internal/script"
)

// TestDetail checks that hints about the sandbox go to the user, not to the model.
func TestDetail(t *testing.T) {
	for _, reason := range []error{script.ErrNoSandbox, script.ErrPolicy} {
		if got := detail(&fault.Error{Hint: "pass --flag", Err: reason}); got != reason.Error() {
			t.Errorf("the model reads %q", got)
		}
	}
	if got, want := detail(&fault.Error{Hint: "pass --flag", Message: "other"}), "other (pass --flag)"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
