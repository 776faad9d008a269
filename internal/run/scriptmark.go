package run

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"time"

	"skills/internal/files"
	"skills/internal/script/sandbox"
)

// A script may be killed with this program, or still run while another run begins. So what
// it could do to .env is recorded before it starts:
//
//   - for a folder that it can write to, that it is running, and what .env was like before;
//   - for the folders below, when the first script started: a .env there may have been
//     changed by a script if it has changed since.
//
// What was asked about, and approved, is recorded by its state.

const (
	// runningFor is how long a script counts as running at most, if its end was not seen.
	runningFor = 24 * time.Hour
	// maxRunning is how many running scripts are recorded one by one.
	maxRunning = 50
	// coarse is how far the clock of the file system may be behind.
	coarse = 2 * time.Second
)

// envState returns the state of the .env of a folder.
func envState(dir string) files.Chain { return files.FollowChain(filepath.Join(dir, ".env")) }

// in is the environment of another folder.
func (r Env) in(dir string) Env {
	r.Dir = dir
	return r
}

// envDoubtful reports whether a script may have created or changed .env since it was
// approved. rec is the record for the folder.
func (r Env) envDoubtful(rec folderRecord) bool {
	dir := sandbox.Real(r.Dir)
	now := envState(dir)
	touched := rec.EnvLeft || len(rec.Running) > 0
	approved := rec.Env != "" && rec.Env == now.State
	if touched && !approved {
		return true
	}
	if _, err := os.Lstat(filepath.Join(dir, ".env")); err != nil || rec.Env == now.State {
		return false
	}
	for above := filepath.Dir(dir); ; above = filepath.Dir(above) {
		first := r.in(above).loadRecord().Scripts
		if first != 0 && (now.Changed == 0 || now.Changed >= first-int64(coarse)) {
			return true
		}
		if above == filepath.Dir(above) {
			return false
		}
	}
}

// scriptsRan reports whether a script ran earlier that could write to the folder.
func (r Env) scriptsRan() bool {
	for dir := sandbox.Real(r.Dir); ; dir = filepath.Dir(dir) {
		if r.in(dir).loadRecord().Scripts != 0 {
			return true
		}
		if dir == filepath.Dir(dir) {
			return false
		}
	}
}

// scriptStarts records, for each folder that a script can write to, that it starts, and
// returns what records its end.
func (p *Parts) scriptStarts() (end func()) {
	dirs := writable(p.Env, p.Options.Scripts)
	if p.Options.Discard {
		dirs = dirs[1:]
	}
	var ends []func()
	for _, dir := range dirs {
		id := fmt.Sprintf("%016x", rand.Uint64())
		env := p.Env.in(dir)
		before := envState(sandbox.Real(dir))
		err := env.updateRecord(func(rec *folderRecord) {
			now := time.Now()
			if rec.Scripts == 0 {
				rec.Scripts = now.UnixNano()
			}
			if !env.envDoubtful(*rec) {
				rec.Env, rec.EnvLeft, rec.Running = before.State, false, current(rec.Running, now)
			}
			if rec.Running == nil {
				rec.Running = map[string]int64{}
			}
			if len(rec.Running) >= maxRunning {
				id = "more" // whose end is not seen
			}
			rec.Running[id] = now.UnixNano()
		})
		if err != nil {
			continue // a warning says so if .env changes
		}
		ends = append(ends, func() {
			_ = env.updateRecord(func(rec *folderRecord) { // it still counts as running without it
				if id != "more" {
					delete(rec.Running, id)
				}
				if envState(sandbox.Real(dir)).State != before.State {
					rec.EnvLeft = true
				}
			})
		})
	}
	return func() {
		for _, end := range ends {
			end()
		}
	}
}

// current returns the scripts that may still be running.
func current(running map[string]int64, now time.Time) map[string]int64 {
	kept := map[string]int64{}
	for id, started := range running {
		if now.Sub(time.Unix(0, started)).Abs() < runningFor {
			kept[id] = started
		}
	}
	return kept
}

// updateRecord changes the record for the folder, while no other process does.
func (r Env) updateRecord(change func(*folderRecord)) error {
	path := r.recordPath()
	if path == "" {
		return errors.New("there is no folder for it")
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	lock, err := os.OpenFile(filepath.Join(filepath.Dir(filepath.Dir(path)), "folders.lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	defer lock.Close()
	const attempts = 500
	for i := 0; ; i++ {
		err = files.Lock(lock)
		if !errors.Is(err, files.ErrLocked) || i == attempts {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	if errors.Is(err, files.ErrLocked) {
		return err
	}
	// A file system without locks is used without them.
	rec := r.loadRecord()
	was := fmt.Sprint(rec)
	change(&rec)
	if fmt.Sprint(rec) == was {
		return nil
	}
	return r.saveRecord(rec)
}
