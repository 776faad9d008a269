//go:build unix

package lsp

import (
	"os"
	"os/exec"
	"testing"

	"skills/internal/lsp/protocol"
)

// TestParent ends with the process of the editor, and not before.
func TestParent(t *testing.T) {
	e := connect(t, options{})
	e.call("initialize", map[string]any{"processId": os.Getpid(), "capabilities": map[string]any{}}, nil)
	e.barrier()
	if err := e.end(); err != nil {
		t.Errorf("while it runs: %v", err)
	}
	child := exec.Command("true")
	if err := child.Run(); err != nil {
		t.Fatal(err)
	}
	e = connect(t, options{})
	if err := e.client.Notify(e.ctx, "$/setTrace", nil); err != nil {
		t.Fatal(err)
	}
	_, _ = e.client.Call(e.ctx, "initialize", protocol.InitializeParams{ProcessID: &child.Process.Pid})
	if err := e.ended(); err == nil {
		t.Error("the process has ended, and this is no error")
	}
}
