package client

import (
	"context"
	"fmt"
	"io"
	"syscall"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// TestProgramEnd checks that the end of a program is reported wherever the library notices
// it: when it reads, or when it writes.
func TestProgramEnd(t *testing.T) {
	for _, noticed := range []error{io.EOF, syscall.EPIPE} {
		c := &connection{opt: &Options{Timeout: time.Minute}, process: process{done: make(chan struct{}), how: "its program ended"}}
		close(c.done)
		err := c.within(t.Context(), func(context.Context) error {
			return fmt.Errorf("%w: calling %q: %v", mcp.ErrConnectionClosed, "initialize", noticed)
		})
		if err == nil || err.Error() != c.how {
			t.Errorf("%v: got %v", noticed, err)
		}
	}
}
