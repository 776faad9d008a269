package script

import (
	"encoding/json"
	"io"
	"sync"
	"syscall"
)

// bubbleLog is what bubblewrap says while it runs: which process is the first
// one inside, and how the script ended.
type bubbleLog struct {
	done  chan struct{}
	mu    sync.Mutex
	first int  // as seen from here; 0 as long as it is not known
	ended bool // the script was started, and has ended
}

// listen reads what bubblewrap says until it has ended.
func listen(from io.ReadCloser) *bubbleLog {
	log := &bubbleLog{done: make(chan struct{})}
	go func() {
		defer close(log.done)
		defer from.Close()
		documents := json.NewDecoder(from)
		for {
			var said struct {
				First *int `json:"child-pid"`
				Code  *int `json:"exit-code"`
			}
			if documents.Decode(&said) != nil {
				return
			}
			log.mu.Lock()
			if said.First != nil {
				log.first = *said.First
			}
			if said.Code != nil {
				log.ended = true
			}
			log.mu.Unlock()
		}
	}()
	return log
}

// inside is the first process inside, the parent of the script; -1 where it is
// not known.
func (l *bubbleLog) inside() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.first == 0 {
		return -1
	}
	return l.first
}

// correct puts right what bubblewrap's own end says of the script's.
func (l *bubbleLog) correct(r report) report {
	<-l.done
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.ended && r.Signal == 0 {
		return report{Error: "bubblewrap has not managed to start it"}
	}
	// A signal is told as an exit code, as shells do. Those that programs have
	// for codes of their own are left as they are.
	switch signal := syscall.Signal(r.Code - 128); signal {
	case syscall.SIGKILL, syscall.SIGTERM, syscall.SIGSEGV, syscall.SIGABRT, syscall.SIGBUS, syscall.SIGFPE, syscall.SIGILL,
		syscall.SIGSYS, syscall.SIGXFSZ, syscall.SIGTRAP:
		r.Code, r.Signal = 0, int(signal)
	}
	return r
}
