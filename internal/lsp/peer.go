package lsp

import (
	"context"
	"fmt"
	"runtime"
	"sync"

	"github.com/creachadair/jrpc2"

	"skills/internal/fault"
	"skills/internal/lsp/protocol"
)

// peer sends messages to the editor.
type peer struct {
	rpc *jrpc2.Server

	mu   sync.Mutex
	said map[string]bool // what was logged or shown, and is not repeated
}

// maxSaid limits the memory for what is not repeated.
const maxSaid = 1000

// first reports whether a text was not sent before.
func (p *peer) first(text string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	before := p.said[text]
	if len(p.said) < maxSaid {
		p.said[text] = true
	}
	return !before
}

// send sends a notification. An editor that is gone gets none.
func (p *peer) send(method string, params any) {
	_ = p.rpc.Notify(context.Background(), method, params)
}

// log sends a line to the log of the editor.
func (p *peer) log(kind int, text string) {
	p.send("window/logMessage", protocol.MessageParams{Type: kind, Message: text})
}

// crashed logs a panic, once for each cause.
func (p *peer) crashed(what string, cause any) {
	text := fmt.Sprintf("internal error in %s: %v", what, cause)
	if p.first(text) {
		stack := make([]byte, 8<<10)
		p.log(protocol.MessageError, text+"\n"+string(stack[:runtime.Stack(stack, false)]))
	}
}

// showError shows an error with its hint to the user, unless it was shown before.
func (p *peer) showError(err error) {
	text := "skills: " + err.Error()
	if hint := fault.Hint(err); hint != "" {
		text += " (" + hint + ")"
	}
	if p.first(text) {
		p.send("window/showMessage", protocol.MessageParams{Type: protocol.MessageError, Message: text})
	}
}
