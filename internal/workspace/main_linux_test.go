package workspace

import (
	"os"
	"testing"

	"skills/internal/script/supervisor"
)

// TestMain makes the test binary the supervisor of commands where that is asked for.
func TestMain(m *testing.M) {
	if code, ok := supervisor.Main(os.Args); ok {
		os.Exit(code)
	}
	os.Exit(m.Run())
}
