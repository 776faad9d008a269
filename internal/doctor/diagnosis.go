package doctor

import (
	"context"

	"skills/internal/fault"
	"skills/internal/loader"
	"skills/internal/run"
	"skills/internal/script"
)

// Diagnosis is the result, as it is printed in JSON.
type Diagnosis struct {
	SchemaVersion int     `json:"schema_version"`
	OK            bool    `json:"ok"` // nothing is missing
	Skills        []Skill `json:"skills"`
	Program       Program `json:"program"`
	Sandbox       Sandbox `json:"sandbox"`
	Model         Model   `json:"model"`
}

// Model describes the model that a run would use. It never contains a key.
type Model struct {
	BaseURL     string `json:"base_url"`
	Model       string `json:"model"`
	KeyVariable string `json:"key_variable"` // the variable that contains the key, or ""
	// Server is the name in the user's own configuration, or "". Headers are sent with
	// every request; their values are masked.
	Server  string            `json:"server,omitempty"`
	Headers map[string]string `json:"headers,omitempty"`
	Error   *string           `json:"error"` // why no model is available, or null
	Hint    string            `json:"hint"`
}

// Diagnose examines the skills at the paths, or those that a run finds, and what a run
// would use: the program, the sandbox and the model, to which it sends nothing.
func Diagnose(ctx context.Context, env run.Env, server run.ServerOptions, paths []string) (Diagnosis, error) {
	err := server.Check()
	if err != nil {
		return Diagnosis{}, err
	}
	o := run.Options{
		Server:  server,
		Skills:  run.Selection{Roots: paths},
		Scripts: run.Scripts{Sandbox: string(script.SandboxAuto), Timeout: script.DefaultTimeout},
	}
	variables := run.ReadVariables(ctx, env, o.Server)
	mask := run.ReadKeys(env, o.Server, nil, variables)
	found, err := Find(ctx, paths, loader.DefaultRoots(env.Dir, env.Home), env.Notify)
	if err != nil {
		return Diagnosis{}, fault.AsUsageIfHinted(err)
	}
	scripts, err := run.NewScripts(env, o, mask)
	if err != nil {
		return Diagnosis{}, err
	}
	defer scripts.Close()
	// Interpreters are needed even without a sandbox.
	d := &Doctor{Runner: &script.Runner{Dir: env.Dir, Env: env.Environ, Sandbox: script.SandboxOff}}
	out := Diagnosis{
		SchemaVersion: 1, OK: true, Skills: []Skill{}, Program: FindProgram(d.Runner, "skills", env.Self),
		Sandbox: FindSandbox(ctx, scripts),
	}
	chosen, err := run.FindServer(env, o.Server, variables) // like run, without a request
	out.Model = Model{
		BaseURL: run.PublicURL(chosen.BaseURL), Model: chosen.Model, KeyVariable: chosen.KeyVariable,
		Server: chosen.Name, Headers: chosen.Headers(),
	}
	if err != nil {
		message := mask.Text(err.Error())
		out.Model.Error, out.Model.Hint = &message, fault.Hint(err)
	}
	for _, s := range found {
		one, err := d.Examine(ctx, s)
		if err != nil {
			return Diagnosis{}, err
		}
		out.Skills = append(out.Skills, one)
		out.OK = out.OK && one.OK
	}
	return out, nil
}
