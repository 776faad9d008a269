package cmd

import (
	"context"
	"errors"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"skills/internal/runner"
	"skills/internal/script"
)

func (a *app) execCommand() *cobra.Command {
	o := runner.Options{Format: "text", MaxTurns: 1} // what only run has stays out of the way
	asJSON := false
	c := &cobra.Command{
		Use:   "exec SKILL SCRIPT [-- ARGUMENT...]",
		Short: "Run one skill script in the sandbox, as the agent would",
		Long: `Runs a script as the model's tool run_skill_script does: same lookup, interpreter,
environment, working directory, sandbox and limits. SKILL is a skill's name, or a path to
its folder (with a slash in it). SCRIPT is its name as the skill lists it. The script's own
arguments follow --. Scripts of built-in skills take named arguments (--value 1) or one
JSON object.

Because you name the script, no approval is needed, unless no sandbox works here. With
--approve or -y it is approved as a model's call would be.

The output is printed when the script ends, without escape sequences and keys, and
truncated as the agent would see it. --json prints one object: schema_version, skill,
script, command (the whole command line), args, cwd, sandbox, exit_code (null if it was not
run), timed_out, limit_ms (time limit), excess (another exceeded limit, such as "more than
256 processes"), signal, duration_ms, stdout, stderr, truncated and error (null if it
exited with 0).`,
		Example: `  skills exec unit-converter convert -- --value 1 --factor 2.20462
  skills exec ./my-skill scripts/check.sh -- input.csv
  skills exec --json ./my-skill scripts/check.sh | jq .exit_code
  skills exec --sandbox require --script-timeout 5s ./my-skill scripts/check.sh`,
		Annotations: exits("0    the script exited with 0", "1    the script exited with another code, or was not run",
			"2    usage error, or no such skill or script",
			"3    stopped at a limit (time, processes, memory)", "130  interrupted (143 by SIGTERM, 129 by SIGHUP)"),
		RunE: func(c *cobra.Command, args []string) error {
			if err := emptyValue(c.Flags()); err != nil {
				return err
			}
			return a.newRunner(o).Exec(c.Context(), asJSON, args)
		},
		ValidArgsFunction: func(c *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			return a.completeExec(c.Context(), o, args)
		},
	}
	c.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		if unknown := (*pflag.NotExistError)(nil); errors.As(err, &unknown) {
			return wrongUsage("put -- before the script's own arguments; see skills exec --help", "%w", err)
		}
		return wrongFlag(c, err)
	})
	fl := c.Flags()
	fl.BoolVar(&asJSON, "json", false, "print the outcome as one JSON object")
	fl.StringArrayVar(&o.Skills, "skills", nil, "search `PATH` for SKILL; repeatable, the first wins on equal names")
	fl.StringVar(&o.EnvFile, "env-file", "", "mask the keys in `FILE` (default .env)")
	fl.StringVar(&o.KeyEnv, "api-key-env", "", "also mask the value of this environment variable")
	scriptFlags(fl, &o, "run it")
	return a.command(c)
}

// scriptFlags adds the flags about scripts that run and exec share.
func scriptFlags(fl *pflag.FlagSet, o *runner.Options, approve string) {
	fl.StringVar(&o.Approve, "approve", "", "script approval: ask, always or never; --allow-script overrides it (default: "+approve+")")
	fl.BoolVarP(&o.Yes, "yes", "y", false, "approve every script; without a sandbox you must also pass --sandbox off")
	fl.StringArrayVar(&o.AllowScripts, "allow-script", nil, "approve scripts that match `SKILL/SCRIPT` (* and ? match any); repeatable")
	fl.StringVar(&o.Sandbox, "sandbox", string(script.SandboxAuto), "sandbox for scripts: auto (the strongest available), require or off")
	fl.BoolVar(&o.AllowNet, "allow-net", false, "let sandboxed scripts use the network")
	fl.StringArrayVar(&o.AllowRead, "allow-read", nil, "let sandboxed scripts also read `PATH`; repeatable")
	fl.StringArrayVar(&o.AllowWrite, "allow-write", nil, "let sandboxed scripts also write in `DIR`; repeatable")
	fl.StringArrayVar(&o.PassEnv, "pass-env", nil, "pass this environment variable to scripts; repeatable")
	fl.DurationVar(&o.ScriptTimeout, "script-timeout", script.DefaultTimeout, "time limit of each script")
}

// completeExec offers the names of skills, then those of a skill's scripts.
func (a *app) completeExec(ctx context.Context, o runner.Options, args []string) ([]string, cobra.ShellCompDirective) {
	a.Stderr = io.Discard // nothing may disturb a line that is being typed
	if len(args) > 1 {
		return nil, cobra.ShellCompDirectiveDefault
	}
	names, err := a.newRunner(o).Complete(ctx, strings.Join(args, ""))
	if err == nil && len(args) == 1 {
		return names, cobra.ShellCompDirectiveNoFileComp
	}
	return names, cobra.ShellCompDirectiveDefault // or a folder
}
