package cmd

import (
	"cmp"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"
)

// Version is set by the linker for a release. Otherwise the version that the go
// command derives from the repository is printed.
var Version string

func (a *app) versionCommand() *cobra.Command {
	return a.command(&cobra.Command{
		Use:         "version",
		Short:       "Print the version",
		Example:     "  skills version",
		Args:        cobra.NoArgs,
		Annotations: exits("0  success"),
		RunE:        func(*cobra.Command, []string) error { return a.printVersion() },
	})
}

func (a *app) printVersion() error {
	_, err := fmt.Fprintf(a.Stdout, "skills %s %s %s/%s\n", version(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return err
}

// version is the release, else the module's version, which names the commit.
func version() string {
	if Version != "" {
		return Version
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		return cmp.Or(strings.Trim(info.Main.Version, "()"), "devel")
	}
	return "unknown"
}
