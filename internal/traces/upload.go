package traces

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"

	spans "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"skills/internal/httpclient"
)

// maxAnswer is how much of a collector's answer is read, in bytes.
const maxAnswer = 64 << 10

// uploader sends spans to a collector, by OTLP over HTTP. The library's own client for it
// links gRPC, 8 MB of the program.
type uploader struct {
	address string
	headers map[string]string
	client  *http.Client
}

func newUploader(address string, headers map[string]string) *uploader {
	return &uploader{address, headers, httpclient.New(httpclient.NewTransport())}
}

// Start does nothing: there is no connection to make.
func (u *uploader) Start(context.Context) error { return nil }

// Stop closes idle connections.
func (u *uploader) Stop(context.Context) error {
	u.client.CloseIdleConnections()
	return nil
}

// UploadTraces sends spans in one request. An ExportTraceServiceRequest has the same form
// as the TracesData that is sent.
func (u *uploader) UploadTraces(ctx context.Context, all []*spans.ResourceSpans) error {
	ctx, cancel := context.WithTimeout(ctx, flushTime)
	defer cancel()
	body, err := proto.Marshal(&spans.TracesData{ResourceSpans: all})
	if err != nil {
		return fmt.Errorf("encoding spans: %w", err)
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, u.address, bytes.NewReader(body))
	if err != nil {
		return err
	}
	for name, value := range u.headers {
		request.Header.Set(name, value)
	}
	request.Header.Set("Content-Type", "application/x-protobuf")
	response, err := u.client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(response.Body, maxAnswer)) // so that the connection is used again
	if response.StatusCode < 200 || response.StatusCode > 299 {
		return fmt.Errorf("the collector at %s answers %s", u.address, response.Status)
	}
	return nil
}
