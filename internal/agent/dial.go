package agent

import (
	"context"
	"io"
	"net"
)

// dial connects to a server. The connection copies what is sent through one
// buffer: the standard library takes a new one for each request.
func dial(ctx context.Context, network, address string) (net.Conn, error) {
	var d net.Dialer
	conn, err := d.DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	return &copying{Conn: conn}, nil
}

// copying is a connection with a buffer of its own.
type copying struct {
	net.Conn
	buffer []byte
}

// ReadFrom implements [io.ReaderFrom]. It is called for one request after the
// other, as Write is.
func (c *copying) ReadFrom(r io.Reader) (n int64, err error) {
	if c.buffer == nil {
		c.buffer = make([]byte, 64<<10)
	}
	for {
		got, err := r.Read(c.buffer)
		if got > 0 {
			sent, failed := c.Conn.Write(c.buffer[:got])
			n += int64(sent)
			if failed != nil {
				return n, failed
			}
		}
		switch {
		case err == io.EOF:
			return n, nil
		case err != nil:
			return n, err
		}
	}
}
