package script

import (
	"cmp"
	"context"
	"flag"
	"os"
	"testing"

	"skills/internal/script/supervisor"
)

// self is our own program, whose TestMain is the supervisor where that is asked
// for.
const self = "/proc/self/exe"

// TestMain makes the test binary act as a program that runs a script and is
// killed while the script still runs.
func TestMain(m *testing.M) {
	if code, ok := supervisor.Main(os.Args); ok {
		os.Exit(code)
	}
	if dir := os.Getenv("SCRIPT_TEST_RUN"); dir != "" {
		if os.Getenv("SCRIPT_TEST_GUARD") != "" {
			if err := supervisor.DisableDump(); err != nil {
				panic(err)
			}
		}
		r := &Runner{Dir: dir, Self: self, Sandbox: SandboxOff, Env: os.Environ(), PassEnv: []string{"SCRIPT_TEST_PIPE"}}
		result, _ := r.Run(context.Background(), Script{Name: cmp.Or(os.Getenv("SCRIPT_TEST_NAME"), "a.sh"), Dir: dir}, nil)
		os.Stdout.WriteString(result.Stdout)
		os.Exit(0)
	}
	// Most of these tests wait for processes. -parallel overrides this.
	flag.Set("test.parallel", "6")
	os.Exit(m.Run())
}
