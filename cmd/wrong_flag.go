package cmd

import (
	"errors"
	"slices"
	"strconv"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"skills/internal/suggest"
)

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
		return wrongUsage(see, "--%s needs a value", missing.GetFlag().Name)
	case errors.As(err, &unknown):
		var names []string
		c.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
		if name := suggest.Nearest(unknown.GetSpecifiedName(), names); name != "" && unknown.GetSpecifiedShortnames() == "" {
			see = "did you mean --" + name + "? " + see
		}
	}
	return wrongUsage(see, "%w", err)
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
	case "duration":
		kind, hint = "not a duration", "give a number and its unit, such as 30s, 5m or 1h"
	case "bool":
		kind, hint = "neither true nor false", "the flag alone enables it; "+see
	default:
		return wrongUsage(hint, "--%s: %w", flag.Name, errors.Unwrap(wrong))
	}
	return wrongUsage(hint, "--%s: %q is %s", flag.Name, wrong.GetValue(), kind)
}

// emptyValue returns an error for a flag with an empty value, usually from an unset
// variable: ignoring it would silently skip what the user requested. Flags in the list
// may be empty.
func emptyValue(flags *pflag.FlagSet, may ...string) error {
	var found error
	flags.Visit(func(f *pflag.Flag) {
		empty := f.Value.Type() == "string" && f.Value.String() == ""
		if list, ok := f.Value.(pflag.SliceValue); ok {
			empty = slices.Contains(list.GetSlice(), "")
		}
		if !empty || found != nil || slices.Contains(may, f.Name) {
			return
		}
		found = wrongUsage("give a "+metavar(f)+", or omit the flag; an unset variable makes it empty", "--%s: the value is empty", f.Name)
	})
	return found
}
