package server

import (
	"fmt"
	"net"
	"strconv"
	"strings"

	"skills/internal/fault"
	"skills/internal/files"
)

// minToken is the length of a bearer token, in bytes.
const minToken = 16

// CheckToken returns an error for a bearer token that cannot be used.
func CheckToken(token string) error {
	for _, r := range token {
		if r <= ' ' || r > '~' {
			return fmt.Errorf("a token consists of visible ASCII characters")
		}
	}
	if len(token) < minToken {
		return fmt.Errorf("a token has at least %d characters", minToken)
	}
	return nil
}

// Listen opens the port of the HTTP server. An address is HOST:PORT, or a port of this
// machine only. Without a token it must be one that other machines cannot reach. The error
// is a usage error.
func Listen(address string, token bool) (net.Listener, error) {
	if _, err := strconv.ParseUint(address, 10, 16); err == nil {
		address = net.JoinHostPort("127.0.0.1", address)
	}
	_, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, fault.Usage("write HOST:PORT, such as 127.0.0.1:8080", "--http %s is not an address", address)
	}
	l, err := net.Listen("tcp", address)
	if err != nil {
		return nil, fault.Usage("choose another port, or 0 for any", "--http %s: %w", address, files.Reason(err))
	}
	at, _ := l.Addr().(*net.TCPAddr)
	reachable := at == nil || !at.IP.IsLoopback()
	if reachable && !token {
		l.Close()
		return nil, fault.Usage("name a local address such as 127.0.0.1:8080, or pass --token-env with the variable that holds a bearer token",
			"--http %s can be reached from other machines, and needs a token", address)
	}
	return l, nil
}

// URL returns the address that clients use.
func URL(l net.Listener) string {
	return "http://" + strings.Replace(l.Addr().String(), "[::]", "localhost", 1) + Path
}
