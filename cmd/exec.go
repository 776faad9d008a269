package cmd

import (
	"errors"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"skills/internal/choice"
	"skills/internal/console"
	"skills/internal/printable"
	"skills/internal/run"
	"skills/internal/script"
)

func execCommand(a *app) *cobra.Command {
	o := console.Options{Options: run.Options{Limits: run.Limits{Turns: 1}}} // run's other options do not apply
	asJSON, help := false, false
	c := &cobra.Command{
		Use:   "exec SKILL SCRIPT [-- ARGUMENT...]",
		Short: "Run one skill script in the sandbox, as the agent would",
		Long: `Run one skill script in the sandbox, as the agent would: same lookup, interpreter,
environment, working directory and limits. The output is printed when the script ends,
truncated as the agent would see it.

SKILL is a skill's name, or a path to its folder (with a slash in it). SCRIPT is its name
as the skill lists it. The script's own arguments follow --. Scripts of built-in skills
take named arguments (--value 1) or one JSON object.

Because you name the script, no approval is needed, unless no sandbox works here.`,
		Example: `  skills exec unit-converter convert -- --value 1 --factor 2
  skills exec ./my-skill scripts/check.sh -- input.csv
  skills exec --json ./my-skill scripts/check.sh
  skills exec --help-script unit-converter convert`,
		Annotations: note("sandbox", "0    the script exited with 0", "1    the script exited with another code, or was not run",
			"2    usage error, or no such skill or script",
			"3    stopped at a limit (time, processes, memory)", exitInterrupted),
		RunE: given(func(c *cobra.Command, args []string) error {
			if help {
				return console.HelpScript(c.Context(), a.Env, o, asJSON, args)
			}
			return console.Exec(c.Context(), a.Env, o, asJSON, args)
		}),
		ValidArgsFunction: func(c *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 1 {
				return nil, cobra.ShellCompDirectiveDefault
			}
			if len(args) == 0 {
				return a.completions(c, o.Options, ""), cobra.ShellCompDirectiveDefault // or a folder
			}
			if names := a.completions(c, o.Options, args[0]); names != nil {
				return names, cobra.ShellCompDirectiveNoFileComp
			}
			return nil, cobra.ShellCompDirectiveDefault
		},
	}
	c.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		if unknown := (*pflag.NotExistError)(nil); errors.As(err, &unknown) {
			return usageError("put -- before the script's own arguments; see skills exec --help", "%w", err)
		}
		return wrongFlag(c, err)
	})
	fl := a.group(c, "Output")
	fl.BoolVar(&asJSON, "json", false, "print the outcome as one JSON object")
	fl.BoolVar(&help, "help-script", false, "show what the script takes, without running it")
	fl = a.group(c, "Skill")
	fl.StringArrayVar(&o.Skills.Roots, "skills", nil, "search here for the skill; repeatable, the first wins")
	a.choiceFlags(c, fl, &o.Skills.Choice, a.runNames)
	fileFlags(fl, &o.Skills.Choice)
	fl.StringVar(&o.Server.EnvFile, "env-file", "", "mask the keys in this file (default .env)")
	fl.StringVar(&o.Server.KeyEnv, "api-key-env", "", "also mask the value of this environment variable")
	scriptFlags(a, c, &o.Options, "", approvalModes())
	return a.command(c)
}

// approvalModes are the values of --approve where nothing can wait for an answer.
func approvalModes() []string { return []string{"ask", "always", "never"} }

// scriptFlags adds the script flags that run and exec have in common.
func scriptFlags(a *app, c *cobra.Command, o *run.Options, approve string, modes []string) {
	fl := a.group(c, "Approval")
	fl.StringVar(&o.Approval.Mode, "approve", "", "script approval: "+strings.Join(modes, ", "))
	fl.Lookup("approve").DefValue = approve // for help only
	allowScriptFlag(a, c, fl, o)
	fl.BoolVarP(&o.Approval.Yes, "yes", "y", false, "approve every script; without a sandbox add --sandbox off")
	sandboxFlags(a, c, a.group(c, "Sandbox of scripts"), o)
	a.values(c, "approve", modes...)
}

func allowScriptFlag(a *app, c *cobra.Command, fl *pflag.FlagSet, o *run.Options) {
	fl.StringArrayVar(&o.Approval.Scripts, "allow-script", nil, "approve scripts that match (*, ?); repeatable")
	a.completes(c, "allow-script", func(args []string, typed string) []string {
		all := *o
		if c.Flags().Lookup("skills") == nil {
			all.Skills.Roots = args
		}
		if skill, _, found := strings.Cut(typed, "/"); found {
			return printable.Map(a.completions(c, all, skill), func(script string) string { return skill + "/" + script })
		}
		return printable.Map(a.completions(c, all, ""), func(skill string) string { return skill + "/" })
	})
}

// sandboxFlags adds the flags of the sandbox for scripts.
func sandboxFlags(a *app, c *cobra.Command, fl *pflag.FlagSet, o *run.Options) {
	fl.StringVar(&o.Scripts.Sandbox, "sandbox", string(script.SandboxAuto), "sandbox for scripts: auto, require or off")
	fl.BoolVar(&o.Scripts.AllowNet, "allow-net", false, "let scripts in the sandbox use the network")
	fl.StringArrayVar(&o.Scripts.AllowRead, "allow-read", nil, "let scripts in the sandbox read here; repeatable")
	fl.StringArrayVar(&o.Scripts.AllowWrite, "allow-write", nil, "let scripts in the sandbox write here; repeatable")
	fl.StringArrayVar(&o.Scripts.PassEnv, "pass-env", nil, "pass this environment variable to scripts; repeatable")
	fl.StringVar(&o.Scripts.Runner, "runner", "", "run skill scripts through this program, such as a container")
	fl.DurationVar(&o.Scripts.Timeout, "script-timeout", script.DefaultTimeout, "time limit of each script")
	a.values(c, "sandbox", string(script.SandboxAuto), "require", "off")
}

// runNames returns the names of the skills that a run finds.
func (a *app) runNames(c *cobra.Command, o choice.Options, args []string) []string {
	all := run.Options{Skills: run.Selection{Choice: o, Roots: args}}
	if c.Flags().Lookup("skills") != nil {
		all.Skills.Roots, _ = c.Flags().GetStringArray("skills")
	}
	return a.completions(c, all, "")
}

// completions returns the names of skills, or those of a skill's scripts.
func (a *app) completions(c *cobra.Command, o run.Options, skill string) []string {
	a.Stderr = io.Discard // messages must not disturb the command line
	names, _ := console.Complete(c.Context(), a.Env, o, skill)
	return names
}
