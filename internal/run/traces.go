package run

import (
	"context"
	"slices"

	"skills/internal/fault"
	"skills/internal/traces"
)

// startTraces makes the spans of the run, if the environment names a collector. What cannot
// be sent in the end is a warning.
func startTraces(ctx context.Context, p *Parts, h hooks) error {
	if p.Options.Preview || !traces.Wanted(p.Env.Getenv) {
		return nil
	}
	tracer, err := traces.New(ctx, traces.Options{
		Getenv: p.Env.Getenv, Version: p.Env.Version, RunID: p.ID, BaseURL: p.Server.BaseURL, Session: p.Options.Files.Session, Mask: p.Mask.Text,
		HideReplies: h.Hooks != nil && h.Has("output"),
	})
	if err != nil {
		return &fault.Error{Code: fault.Misuse, Err: err, Hint: "correct the variable, or unset it to send nothing"}
	}
	p.closers = append(p.closers, func() error {
		err := tracer.Close()
		if err != nil {
			p.Env.Warn("the traces were not sent: %s", p.Mask.Text(err.Error()))
		}
		return nil
	})
	c := &p.config
	c.RunMiddleware = slices.Insert(c.RunMiddleware, 0, tracer.Run())
	c.ModelMiddleware = slices.Insert(c.ModelMiddleware, 0, tracer.Model())
	c.Middleware = slices.Insert(c.Middleware, min(1, len(c.Middleware)), tracer.Call()) // inside of what masks keys
	return nil
}
