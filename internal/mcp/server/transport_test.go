package server

import (
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// TestAnsweredRequests checks that a request to the client holds nothing once it is answered.
func TestAnsweredRequests(t *testing.T) {
	in, client := io.Pipe()
	transport := &Transport{Reader: in, Writer: io.Discard}
	c, err := transport.Connect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	before := 0
	for i := range 50 {
		id, err := jsonrpc.MakeID(float64(i))
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Write(t.Context(), &jsonrpc.Request{ID: id, Method: "elicitation/create"}); err != nil {
			t.Fatal(err)
		}
		go fmt.Fprintf(client, "{\"jsonrpc\":\"2.0\",\"id\":%d,\"result\":{}}\n", i)
		if m, err := c.Read(t.Context()); err != nil || m.(*jsonrpc.Response).ID != id {
			t.Fatalf("got %v, %v", m, err)
		}
		if i == 0 {
			before = runtime.NumGoroutine()
		}
	}
	if after := runtime.NumGoroutine(); after > before+5 {
		t.Errorf("%d goroutines after the first request, %d after the last", before, after)
	}
	if left := c.(*connection).outgoing; len(left) > 0 {
		t.Errorf("%d requests are still counted as open", len(left))
	}
	client.Close()
	if m, err := c.Read(t.Context()); err != io.EOF {
		t.Errorf("got %v, %v, want the end of the input", m, err)
	}
}

// TestLongLine checks that a message that is too long is answered with an error, and that
// the next one is read.
func TestLongLine(t *testing.T) {
	in := strings.NewReader(strings.Repeat("x", 2*mcp.DefaultMaxLineLength) + "\n" + `{"jsonrpc":"2.0","id":1,"method":"ping"}`)
	var out strings.Builder
	c, err := (&Transport{Reader: in, Writer: &out}).Connect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if m, err := c.Read(t.Context()); err != nil || m.(*jsonrpc.Request).Method != "ping" {
		t.Errorf("got %v, %v", m, err)
	}
	if want := `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"a message is at most 16 MiB long"}}`; strings.TrimSpace(out.String()) != want {
		t.Errorf("got %s", out.String())
	}
}
