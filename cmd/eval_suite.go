package cmd

import (
	"errors"

	"github.com/spf13/cobra"
)

func (a *app) evalLintCommand() *cobra.Command {
	return &cobra.Command{Use: "lint", RunE: func(*cobra.Command, []string) error { return errors.New("not implemented") }}
}

func (a *app) evalInitCommand() *cobra.Command {
	return &cobra.Command{Use: "init", RunE: func(*cobra.Command, []string) error { return errors.New("not implemented") }}
}
