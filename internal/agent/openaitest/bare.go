package openaitest

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
)

// Post sends the bodies to the server at a base URL, one after the other over
// one connection, and reads the replies: what a conversation costs a client
// that does nothing else, for benchmarks to compare with.
func Post(baseURL string, bodies [][]byte) error {
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	client := http.Client{Transport: transport}
	for _, body := range bodies {
		response, err := client.Post(baseURL+"/chat/completions", "application/json", bytes.NewReader(body))
		if err != nil {
			return fmt.Errorf("sending a request: %w", err)
		}
		_, err = io.Copy(io.Discard, response.Body)
		response.Body.Close()
		if err != nil {
			return fmt.Errorf("reading a reply: %w", err)
		}
	}
	return nil
}
