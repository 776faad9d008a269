package console

import (
	"bytes"
	"crypto/rand"
	"fmt"
	"io"
)

// The log of a GitHub Actions job is read for commands: lines that begin with ::, and ##[
// anywhere in a line. Models, servers and scripts must not give any.

// inActions reports whether the output may be the log of a GitHub Actions job.
func (r *console) inActions() bool { return r.Getenv("GITHUB_ACTIONS") == "true" }

// stopCommands has GitHub Actions ignore commands until the returned function is called.
// The two lines it prints are part of the text for people only: other output is for
// programs.
func (r *console) stopCommands() (resume func()) {
	if !r.inActions() || r.Format != "text" || r.Quiet {
		return func() {}
	}
	token := rand.Text() // nobody can guess it
	fmt.Fprintf(r.Stdout, "::stop-commands::%s\n", token)
	return func() { fmt.Fprintf(r.Stdout, "::%s::\n", token) }
}

// jsonOutput returns the standard output for JSON. In GitHub Actions, ##[ is written with
// an escape that means the same.
func (r *console) jsonOutput() io.Writer {
	if !r.inActions() {
		return r.Stdout
	}
	return actionsJSON{r.Stdout}
}

type actionsJSON struct{ to io.Writer }

// Write implements [io.Writer] for whole lines.
func (a actionsJSON) Write(p []byte) (int, error) {
	if _, err := a.to.Write(bytes.ReplaceAll(p, []byte("##["), []byte(`#\u0023[`))); err != nil {
		return 0, err
	}
	return len(p), nil
}
