package model

// Single requests in a form that the caller chooses, to find out what a server can do: they
// are neither adapted nor sent again.

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
)

// maxProbe is the maximum size of the reply to a single request, in bytes.
const maxProbe = 8 << 20

// Call sends a request with the key and the headers of the server, and returns the body of
// a successful response. A path that starts with a slash is that of the host, any other
// path follows the base URL. A body of nil is a GET request. The error is an *[Error].
func (c *Client) Call(ctx context.Context, path string, body any) ([]byte, error) {
	address, err := c.address(path)
	if err != nil {
		return nil, c.explain(ctx, err)
	}
	method, content := http.MethodGet, io.Reader(nil)
	if body != nil {
		data, err := json.Marshal(body)
		if err != nil {
			return nil, c.explain(ctx, fmt.Errorf("encoding a request: %w", err))
		}
		method, content = http.MethodPost, bytes.NewReader(data)
	}
	r, err := http.NewRequestWithContext(ctx, method, address, content)
	if err != nil {
		return nil, c.explain(ctx, err)
	}
	r.Close = true // a kept connection may be closed by now, and nothing is sent again
	r.Header.Set("User-Agent", c.options.UserAgent)
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	if c.options.APIKey != "" {
		r.Header.Set("Authorization", "Bearer "+c.options.APIKey)
	}
	for _, h := range c.options.Headers {
		r.Header.Set(h.Name, h.Value)
	}
	response, err := c.http.Do(r)
	if err != nil {
		return nil, c.explain(ctx, err)
	}
	defer response.Body.Close()
	c.server.Store(response.Header.Get("Server"))
	if response.StatusCode >= http.StatusMultipleChoices {
		return nil, c.statusError(response)
	}
	data, err := io.ReadAll(http.MaxBytesReader(nil, response.Body, maxProbe))
	if err != nil {
		return nil, c.explain(ctx, err)
	}
	return data, nil
}

// address returns the address of a path, see [Client.Call].
func (c *Client) address(path string) (string, error) {
	base, err := url.Parse(c.options.BaseURL)
	if err != nil {
		return "", err
	}
	if strings.HasPrefix(path, "/") {
		return (&url.URL{Scheme: base.Scheme, User: base.User, Host: base.Host, Path: path}).String(), nil
	}
	base.Path, base.RawPath, base.Fragment = strings.TrimRight(base.Path, "/")+"/"+path, "", ""
	return base.String(), nil
}

// Remedy returns how requests are changed after an error like this, such as "without
// streaming", and the name of this change; "" if they are not.
func Remedy(e *Error) (name, change string) {
	for _, q := range quirks {
		if q.refused(e) {
			return q.name, q.change
		}
	}
	return "", ""
}

// RefusedWindow returns the size of the context that an error states, in tokens, or 0.
func RefusedWindow(e *Error) int64 {
	found := statedWindow().FindStringSubmatch(e.lower())
	if found == nil {
		return e.Window
	}
	n, _ := strconv.ParseInt(found[1], 10, 64)
	return n
}
