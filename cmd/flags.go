package cmd

// Flags are defined in titled groups, with the completions of their values. A wrong flag or
// argument is explained in terms of the command line, with what to write instead.

import (
	"cmp"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"skills/internal/choice"
	"skills/internal/suggest"
)

// group adds a group of flags to c, with a title in the help. [app.command] adds the flags
// themselves.
func (a *app) group(c *cobra.Command, title string) *pflag.FlagSet {
	flags := pflag.NewFlagSet(title, pflag.ContinueOnError)
	flags.SortFlags = false
	a.groups[c] = append(a.groups[c], flags)
	return flags
}

// addGroups adds the flags of its groups to a command.
func (a *app) addGroups(c *cobra.Command) {
	for _, flags := range a.groups[c] {
		c.Flags().AddFlagSet(flags)
	}
}

// values sets the completions for the value of a defined flag. Those that end in =, / or : are
// continued.
func (a *app) values(c *cobra.Command, flag string, names ...string) {
	a.completes(c, flag, func([]string, string) []string { return names })
}

// completes completes the value of a defined flag by what f returns for the arguments so
// far and the beginning of the value.
func (a *app) completes(c *cobra.Command, flag string, f func(args []string, typed string) []string) {
	a.addGroups(c)
	complete := func(_ *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
		names, directive := f(args, typed), cobra.ShellCompDirectiveNoFileComp
		if len(names) > 0 && strings.ContainsAny(names[0][max(0, len(names[0])-1):], "=/:") {
			directive |= cobra.ShellCompDirectiveNoSpace
		}
		return names, directive
	}
	_ = c.RegisterFlagCompletionFunc(flag, complete) // fails for an unknown flag, see TestCompletion
}

// formatted adds the flag --format with its values, and completes the command.
func (a *app) formatted(c *cobra.Command, format *string, formats ...string) *cobra.Command {
	*format = formats[0]
	c.Flags().StringVar(format, "format", *format, "output format: "+strings.Join(formats, ", "))
	a.values(c, "format", formats...)
	run := c.RunE
	c.RunE = func(c *cobra.Command, args []string) error {
		if err := known("format", *format, formats...); err != nil {
			return err
		}
		return run(c, args)
	}
	return a.command(c)
}

// known returns an error unless a value is one of values.
func known(what, value string, values ...string) error {
	if slices.Contains(values, value) {
		return nil
	}
	hint := nearestHint(value, values)
	if value == "" {
		hint += "; an unset variable makes it empty"
	}
	return usageError(hint, "unknown %s %q", what, value)
}

// arguments accepts from least to most arguments, what each of them is called. Of several,
// there must be exactly least. An empty hint refers to the help.
func arguments(least, most int, what, hint string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		hint := cmp.Or(hint, "see "+c.CommandPath()+" --help")
		switch {
		case len(args) != least && least > 1:
			return usageError(hint, "%d arguments expected, not %d: %s", least, len(args), what)
		case len(args) < least:
			return usageError(hint, "missing argument: %s", what)
		case len(args) > most && most == 0:
			return usageError(hint, "too many arguments")
		case len(args) > most:
			return usageError(hint, "too many arguments: one %s expected", what)
		}
		return nil
	}
}

// metavars maps flags to placeholders for their values.
var metavars = map[string]string{
	"add-ignore": "[=REASON]", "per-file-ignores": "PATTERN:ID",
	"allow-read": "PATH", "allow-script": "SKILL/SCRIPT", "allow-tool": "SERVER/TOOL", "allow-write": "DIR",
	"http": "ADDRESS", "mcp-config": "FILE", "token-env": "VARIABLE",
	"api": "PROTOCOL", "api-key-env": "VARIABLE", "approve": "MODE", "approve-call": "ID=ANSWER", "audit": "FILE", "base-url": "URL", "baseline": "FILE", "case": "GLOB",
	"allow-command": "PATTERN", "allow-edit": "GLOB", "tools": "LIST", "trust-allowed-tools": "SKILL", "changed-since": "REV", "color": "WHEN", "compact": "MODE", "config": "FILE", "description": "TEXT", "env-file": "FILE", "file": "FILE",
	"header": "'NAME: VALUE'", "hide": "GLOB", "history": "FILE", "hook": "WHEN=COMMAND", "hook-protocol": "NAME", "image": "FILE", "json-schema": "FILE", "judge-base-url": "URL", "judge-key-env": "VARIABLE",
	"mcp": "COMMAND|NAME=URL", "only": "GLOB", "output": "FILE", "param": "KEY=VALUE", "pass-env": "VARIABLE",
	"path": "DIR", "price": "IN,OUT", "prompt-template": "FILE", "queries": "FILE", "shard": "I/N", "record": "FILE", "replay": "FILE",
	"resource-ext": "EXT", "revoke": "N|all", "rule": "ID=LEVEL", "runner": "COMMAND", "sandbox": "MODE", "script": "LANGUAGE", "script-ext": "EXT", "session": "FILE", "since": "FILE",
	"skills": "PATH", "stdin-filename": "PATH", "system": "TEXT|@FILE", "tag": "TAG", "todo-instructions": "FILE",
	"until": "COMMAND", "until-judge": "TEXT", "with": "PATH", "without": "GLOB", "workspace": "DIR", "write-baseline": "FILE", "write-manifest": "FILE",
}

// metavar returns the placeholder of a flag's value, or "" for a switch.
func metavar(f *pflag.Flag) string {
	kind := map[string]string{"bool": "", "int": "N", "int64": "N", "float64": "N", "duration": "TIME"}
	if name, ok := kind[f.Value.Type()]; ok {
		return name
	}
	if own := f.Annotations[metavarNote]; own != nil {
		return own[0]
	}
	return cmp.Or(metavars[f.Name], "NAME")
}

// wrongFlag explains a flag error in terms of the command line, not of the library that
// parses it.
func wrongFlag(c *cobra.Command, err error) error {
	see := "see " + c.CommandPath() + " --help"
	var unknown *pflag.NotExistError
	var missing *pflag.ValueRequiredError
	var wrong *pflag.InvalidValueError
	switch {
	case errors.As(err, &wrong):
		return wrongValue(wrong, see)
	case errors.As(err, &missing):
		return usageError(see, "--%s needs a value", missing.GetFlag().Name)
	case errors.As(err, &unknown):
		var names []string
		c.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
		if name := suggest.Nearest(unknown.GetSpecifiedName(), names); name != "" && unknown.GetSpecifiedShortnames() == "" {
			see = "did you mean --" + name + "? " + see
		}
	}
	return usageError(see, "%w", err)
}

// wrongValue describes the valid values of a flag of this type.
func wrongValue(wrong *pflag.InvalidValueError, see string) error {
	flag := wrong.GetFlag()
	kind, hint := "", see
	switch flag.Value.Type() {
	case "int", "int64":
		kind, hint = "not a whole number", "give a number such as 40, without a unit; "+see
		if errors.Is(wrong, strconv.ErrRange) {
			kind, hint = "too large", see
		}
	case "float64":
		kind = "not a number"
	case "float64Slice": // only --price
		return wrongPrice()
	case "duration":
		kind, hint = "not a duration", "give a number and its unit, such as 30s, 5m or 1h"
	case "bool":
		kind, hint = "neither true nor false", "the flag alone enables it; "+see
	default:
		return usageError(hint, "--%s: %w", flag.Name, errors.Unwrap(wrong))
	}
	return usageError(hint, "--%s: %q is %s", flag.Name, wrong.GetValue(), kind)
}

// given runs a command unless a flag has an empty value, usually from an unset variable:
// ignoring it would silently skip what the user requested. Flags in the list may be empty.
func given(run func(*cobra.Command, []string) error, may ...string) func(*cobra.Command, []string) error {
	return func(c *cobra.Command, args []string) (err error) {
		c.Flags().Visit(func(f *pflag.Flag) {
			empty := f.Value.Type() == "string" && f.Value.String() == ""
			if list, ok := f.Value.(pflag.SliceValue); ok {
				empty = slices.Contains(list.GetSlice(), "")
			}
			if empty && err == nil && !slices.Contains(may, f.Name) {
				err = usageError("give a "+metavar(f)+", or omit the flag; an unset variable makes it empty", "--%s: the value is empty", f.Name)
			}
		})
		if err != nil {
			return err
		}
		return run(c, args)
	}
}

// choiceFlags adds the flags that choose among skills. names returns the names to
// propose for them.
func (a *app) choiceFlags(c *cobra.Command, fl *pflag.FlagSet, o *choice.Options, names func(c *cobra.Command, o choice.Options, args []string) []string) {
	fl.StringArrayVar(&o.Only, "only", nil, "use only skills whose names or metadata match; repeatable")
	fl.StringArrayVar(&o.Without, "without", nil, "exclude skills whose names or metadata match; repeatable")
	fl.StringArrayVar(&o.Hide, "hide", nil, "do not offer these files of skills (tests/**); repeatable")
	fl.BoolVar(&o.NoConfig, "no-config", false, "ignore .skills.yaml")
	for _, flag := range []string{"only", "without"} {
		a.completes(c, flag, func(args []string, _ string) []string {
			return names(c, choice.Options{NoConfig: o.NoConfig}, args)
		})
	}
}

// fileFlags adds the flags about what of a skill is offered.
func fileFlags(fl *pflag.FlagSet, o *choice.Options) {
	fl.StringArrayVar(&o.ResourceExt, "resource-ext", nil, "offer files with this extension only (.md); repeatable")
	fl.StringArrayVar(&o.ScriptExt, "script-ext", nil, "treat files with this extension as scripts; repeatable")
}
