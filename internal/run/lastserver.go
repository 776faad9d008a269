package run

// A .env file of a project may name a server, which would then get the conversation and the
// key. The server of the last run in a folder is remembered; another one, and a file that a
// script has changed, is used only if the user agrees.

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"skills/internal/agent"
	"skills/internal/approve"
	"skills/internal/fault"
	"skills/internal/files"
	"skills/internal/printable"
	"skills/internal/script/sandbox"
)

// folderRecord is what is remembered between the runs in a folder. It has no keys.
type folderRecord struct {
	Server  string `json:"server,omitempty"`   // of the last run, as [PublicURL] returns it
	EnvLeft bool   `json:"env_left,omitempty"` // a script created or changed .env since it was last approved
	Env     string `json:"env,omitempty"`      // state of .env when it was approved, or before the first running script

	Scripts int64            `json:"scripts,omitempty"` // when the first script started that can write here, in nanoseconds since 1970
	Running map[string]int64 `json:"running,omitempty"` // when the scripts started whose end was not seen
}

// Limits of the records: their number, and the size of one.
const (
	maxRecords = 1000
	maxRecord  = 8 << 10
)

// recordPath returns the file of the record for the working folder, and "" if there is
// no place where neither a repository nor a script can write.
func (r Env) recordPath() string {
	base := r.Getenv("XDG_STATE_HOME")
	if !filepath.IsAbs(base) {
		base = r.Cache
	}
	work := sandbox.Real(r.Dir)
	if base == "" || sandbox.Within(files.Resolved(base), work) {
		return ""
	}
	id := sha256.Sum256([]byte(work))
	return filepath.Join(base, "skills", "folders", hex.EncodeToString(id[:16])+".json")
}

// loadRecord returns the record for the working folder. One that is unreadable is as
// none.
func (r Env) loadRecord() (rec folderRecord) {
	path := r.recordPath()
	if path == "" {
		return rec
	}
	text, err := files.ReadRegular(path, maxRecord)
	if err != nil || json.Unmarshal(text, &rec) != nil {
		return folderRecord{}
	}
	return rec
}

// saveRecord replaces the record for the working folder. The oldest ones of other folders
// are removed.
func (r Env) saveRecord(rec folderRecord) error {
	path := r.recordPath()
	if path == "" {
		return errors.New("there is no folder for it")
	}
	text, err := json.Marshal(rec)
	if err != nil {
		return err
	}
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	root, err := files.OpenFolder(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	if _, err := files.Replace(root, filepath.Base(path), append(text, '\n'), 0o600, true, nil); err != nil {
		return err
	}
	pruneRecords(root)
	return nil
}

// pruneRecords removes the oldest records beyond the limit.
func pruneRecords(root *os.Root) {
	dir, err := root.Open(".")
	if err != nil {
		return
	}
	defer dir.Close()
	infos, _ := dir.Readdir(10 * maxRecords)
	if len(infos) <= maxRecords {
		return
	}
	slices.SortFunc(infos, func(a, b fs.FileInfo) int { return a.ModTime().Compare(b.ModTime()) })
	for _, info := range infos[:len(infos)-maxRecords] {
		root.Remove(info.Name())
	}
}

// markEnvLeft remembers that a script created or changed .env; ok is false if that is
// not possible.
func (r Env) markEnvLeft() (ok bool) {
	return r.updateRecord(func(rec *folderRecord) { rec.EnvLeft = true }) == nil
}

// Confirm asks a person a question, which is rendered for each attempt. Only a clear yes
// counts. The error is an [approve.ErrNoUser] if no one can answer.
type Confirm func(ctx context.Context, question func() string) (yes bool, err error)

// ConfirmServer asks before a server, key or model from the .env of the working folder is
// used, if a script created or changed the file, or if it names another server than that
// of the last run here. Without a person (nil) that is an error, unless --env-file names
// the file. It remembers the server.
func ConfirmServer(ctx context.Context, env Env, o ServerOptions, s Server, ask Confirm) error {
	path, named := filepath.Join(env.Dir, ".env"), o.EnvFile != "" && !o.EnvFound
	if env.absolute(cmp.Or(o.EnvFile, ".env")) != path {
		return nil // not the folder's own
	}
	before, server, state := env.loadRecord(), PublicURL(s.BaseURL), envState(sandbox.Real(env.Dir)).State
	left := s.usesFile && env.envDoubtful(before)
	other := s.serverInFile && before.Server != "" && before.Server != server
	doubtful := left || other
	if !named && doubtful {
		script := ""
		switch {
		case left && before.EnvLeft:
			script = "a script created or changed it"
		case left:
			script = "a script may have created or changed it"
		}
		err := confirmEnv(ctx, ask, path, script, before.Server, server)
		if err != nil {
			return err
		}
	}
	_, err := os.Lstat(path)
	known := err != nil || s.usesFile && (left || before.EnvLeft) // approved, or gone
	_ = env.updateRecord(func(rec *folderRecord) {                // without it, the next run here is as the first
		rec.Server = server
		if known {
			rec.EnvLeft, rec.Running = false, current(rec.Running, time.Now())
		}
		if known && (left || len(rec.Running) > 0) {
			rec.Env = state
		}
	})
	return nil
}

// confirmEnv asks whether .env is used. script is what a script did to it, or "".
func confirmEnv(ctx context.Context, ask Confirm, path, script, last, server string) error {
	note, why := "it names another server than the last run here", fmt.Sprintf("it names another server than the last run here: %s instead of %s", server, last)
	if script != "" {
		note, why = script, script+"; this run would use "+server
	}
	refused := fault.Usage("check the file, then pass --env-file .env to use it", ".env is not used: %s", why)
	if ask == nil {
		return refused
	}
	yes, err := ask(ctx, func() string {
		return fmt.Sprintf("\nUse the settings in .env?\n  file         %s\n  server       %s\n  last server  %s\n  warning      %s\n[y]es  [n]o: ",
			approve.Quote(path), printable.Strict(server), printable.Strict(cmp.Or(last, "unknown")), note)
	})
	switch {
	case errors.Is(err, approve.ErrNoUser), errors.Is(err, agent.ErrUnanswered):
		return refused
	case err != nil:
		return err
	case !yes:
		return fault.Usage("check the file; pass --env-file .env to use it, or remove it", ".env is not used: you answered no")
	}
	return nil
}
