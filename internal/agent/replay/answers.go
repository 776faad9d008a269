package replay

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"strings"
	"sync"

	"skills/internal/agent/model"
	"skills/internal/printable"
)

// Answers are the answers to single requests, in a file of JSON Lines that grows with
// each new one. Unlike a recording they are found by the request, in any order. An equal
// request gets the next of its answers.
type Answers struct {
	path string
	mu   sync.Mutex
	list map[string][]reply
}

type answer struct {
	Request string `json:"request"` // digest of the body
	Reply   reply  `json:"reply"`
}

// OpenAnswers reads the file at path, which need not exist. Incomplete lines, such as
// those of a killed process, are ignored.
func OpenAnswers(path string) (*Answers, error) {
	a := &Answers{path: path, list: map[string][]reply{}}
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return a, nil
	}
	if err != nil {
		return nil, err
	}
	defer file.Close()
	lines := bufio.NewScanner(io.LimitReader(file, maxRecording))
	lines.Buffer(nil, maxLine)
	for lines.Scan() {
		var one answer
		if json.Unmarshal(lines.Bytes(), &one) == nil {
			a.list[one.Request] = append(a.list[one.Request], one.Reply)
		}
	}
	return a, lines.Err()
}

// answersKey is the key of the answers in a request's context.
type answersKey struct{}

// With returns a context whose requests through [Known] use the answers.
func (a *Answers) With(ctx context.Context) context.Context {
	return context.WithValue(ctx, answersKey{}, a)
}

// Known is a transport that answers a request from the [Answers] of its context, and
// otherwise forwards it and adds the answer to them.
type Known struct {
	Live   bool               // otherwise an unknown request gets status 400
	Before func() error       // called before a request is forwarded; its error ends it
	After  func(*model.Usage) // called after it; nil if the server reports no usage
}

// RoundTrip implements [http.RoundTripper].
func (k *Known) RoundTrip(req *http.Request) (*http.Response, error) {
	body, _, err := readRequest(req)
	if err != nil {
		return nil, err
	}
	a, _ := req.Context().Value(answersKey{}).(*Answers)
	key := fmt.Sprintf("%x", sha256.Sum256(body))
	if found, ok := a.take(key); ok {
		return respond(req, http.StatusOK, found.encode()), nil
	}
	if !k.Live {
		return respond(req, http.StatusBadRequest, `{"error":{"message":"no recorded answer to this request"}}`), nil
	}
	if err := k.Before(); err != nil {
		return nil, err
	}
	clone := req.Clone(req.Context())
	clone.Body = io.NopCloser(bytes.NewReader(body))
	response, err := http.DefaultTransport.RoundTrip(clone)
	if err != nil || response.StatusCode != http.StatusOK {
		return response, err
	}
	defer response.Body.Close()
	got, err := model.ReadReply(response.Body)
	if err != nil {
		return nil, err
	}
	k.After(got.Usage)
	one := answer{key, reply{Text: got.Text, Reasoning: got.Reasoning, Usage: got.Usage, Finish: got.Finish}}
	return respond(req, http.StatusOK, one.Reply.encode()), a.add(one)
}

func respond(req *http.Request, status int, body string) *http.Response {
	return &http.Response{StatusCode: status, Body: io.NopCloser(strings.NewReader(body)), Request: req}
}

func (a *Answers) take(key string) (found reply, ok bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if list := a.list[key]; len(list) > 0 {
		found, ok, a.list[key] = list[0], true, list[1:]
	}
	return found, ok
}

func (a *Answers) add(one answer) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	file, err := os.OpenFile(a.path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o644)
	if err != nil {
		return err
	}
	// The first line break ends a line that a killed process left incomplete.
	_, err = file.WriteString("\n" + printable.JSONText(one) + "\n")
	return errors.Join(err, file.Close())
}
