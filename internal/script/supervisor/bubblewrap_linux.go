package supervisor

import (
	"encoding/json"
	"io"
	"sync"
	"syscall"
)

// statusReader reads what bubblewrap reports while it runs: which process is the
// first one inside, and how the script ended.
type statusReader struct {
	done  chan struct{}
	mu    sync.Mutex
	first int  // as seen from here; 0 while unknown
	ended bool // the script was started, and has ended
}

// readStatus reads bubblewrap's reports until it has ended.
func readStatus(from io.ReadCloser) *statusReader {
	log := &statusReader{done: make(chan struct{})}
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

// firstProcess is the first process inside, the parent of the script; -1 while
// unknown.
func (l *statusReader) firstProcess() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.first == 0 {
		return -1
	}
	return l.first
}

// correct turns the end of bubblewrap into the end of the script.
func (l *statusReader) correct(r report) report {
	<-l.done
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.ended && r.Signal == 0 {
		return report{Error: "bubblewrap could not start it"}
	}
	// A signal is reported as an exit code, as in a shell. Codes that programs
	// use for themselves are left as they are.
	switch signal := syscall.Signal(r.Code - 128); signal {
	case syscall.SIGKILL, syscall.SIGTERM, syscall.SIGSEGV, syscall.SIGABRT, syscall.SIGBUS, syscall.SIGFPE, syscall.SIGILL,
		syscall.SIGSYS, syscall.SIGXFSZ, syscall.SIGTRAP:
		r.Code, r.Signal = 0, int(signal)
	}
	return r
}
