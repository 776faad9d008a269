package run

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"strconv"
	"time"

	"skills/internal/agent"
	"skills/internal/approve"
	"skills/internal/fault"
	"skills/internal/history"
	"skills/internal/printable"
)

// Approvals are the answers that a session keeps, and the calls that wait for one.
type Approvals struct {
	Answers []approve.Standing
	Waiting []agent.Waiting
}

// ReadApprovals reads those of a session. The error is a *fault.Error.
func ReadApprovals(env Env, path string) (all Approvals, err error) {
	_, err = os.Stat(env.absolute(path))
	if errors.Is(err, fs.ErrNotExist) {
		return all, fault.Usage("name a file that --session wrote", "%s does not exist", path)
	}
	file, err := history.Read(env.absolute(path))
	if err != nil {
		return all, fault.AsUsage(err)
	}
	return approvalsOf(file)
}

func approvalsOf(file *history.File) (all Approvals, err error) {
	err = file.Check(approve.SessionState, func(s *agent.Session) error {
		all.Answers, err = approve.SessionAnswers(s)
		return err
	})
	if err != nil {
		return all, fault.AsUsage(err)
	}
	if w, _, waits := file.Waiting(); waits {
		all.Waiting = append(all.Waiting, w)
	}
	return all, nil
}

// Revoke removes answers from a session: a number from 1, or all of them. It returns those
// that it removed. The error is a *fault.Error.
func Revoke(ctx context.Context, env Env, path, which string) (removed []approve.Standing, err error) {
	all, err := ReadApprovals(env, path)
	if err != nil {
		return nil, err
	}
	removed, n := all.Answers, 0
	if which != "all" {
		n, err = strconv.Atoi(which)
		if err != nil || n < 1 || n > len(all.Answers) {
			return nil, fault.Usage("list them without --revoke", "--revoke %s: %s has %s", which, path, printable.Plural(len(all.Answers), "standing answer"))
		}
		removed = all.Answers[n-1 : n]
	}
	file, err := history.Open(env.absolute(path), time.Now, nil)
	if err != nil {
		return nil, fault.AsUsage(err)
	}
	defer file.Close()
	err = approve.Revoke(file.Session, n-1)
	if err == nil {
		err = file.Save(ctx)
	}
	return removed, err
}
