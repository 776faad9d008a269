package script

import (
	"errors"
	"os"
)

// seatbelt fences a script in with macOS's sandbox-exec.
type seatbelt struct{}

// sandboxExec is where the system has it. Elsewhere it would be somebody else's.
const sandboxExec = "/usr/bin/sandbox-exec"

// fences are the fences of this system. They are tried by our own program.
func (r *Runner) fences() []fence {
	if r.Self == "" {
		return nil
	}
	return []fence{seatbelt{}}
}

func (seatbelt) name() string { return "seatbelt" }

func (seatbelt) suits(policy) error {
	if _, err := os.Stat(sandboxExec); err != nil {
		return errors.New("there is no " + sandboxExec)
	}
	return nil
}

func (seatbelt) open(policy) []string { return nil }

func (seatbelt) gaps(policy) []string {
	return []string{
		"processes, memory and the size of files are not limited, and a child in a session of its own stays behind",
		"launchd and other services of the system can be asked to start programs",
	}
}

func (seatbelt) launch(command []string, p policy, env []string) (*launch, error) {
	return direct(append([]string{sandboxExec, "-p", seatbeltProfile(p)}, command...), p.dir, env), nil
}

func (f unfenced) launch(command []string, p policy, env []string) (*launch, error) {
	return direct(command, p.dir, env), nil
}
