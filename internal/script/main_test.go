package script

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
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
	if by := os.Getenv("SCRIPT_TEST_REPLACE"); by != "" {
		os.Exit(runReplaced(by, os.Getenv("SCRIPT_TEST_NAME")))
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

// runReplaced runs a script in the folder in which this process was started, after another
// one has been put in its place.
func runReplaced(by, script string) int {
	dir := started.dir
	if by != "-" && by != dir {
		if err := errors.Join(os.Rename(dir, dir+".old"), os.Rename(by, dir)); err != nil {
			panic(err)
		}
	}
	r := &Runner{Dir: dir, Self: self, Sandbox: SandboxMode(os.Getenv("SCRIPT_TEST_SANDBOX")), Env: os.Environ()}
	defer r.Close()
	s := Script{Name: "a.sh", Dir: script}
	if root, err := os.OpenRoot(script); err == nil { // as the skill is loaded
		if _, err := root.Stat(s.Name); err == nil {
			s.Folder, _ = root.Stat(".")
		}
		root.Close()
	}
	if s.Folder == nil {
		return 1
	}
	result, err := r.Run(context.Background(), s, nil)
	fmt.Println(result.Stdout, err)
	if err != nil {
		return 1
	}
	return 0
}
