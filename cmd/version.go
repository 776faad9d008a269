package cmd

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// Version is set by the linker for a release. Otherwise the module's version or
// commit is printed.
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

// version is the release, else the module's version, else the commit it was
// built from.
func version() string {
	if Version != "" {
		return Version
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		return v
	}
	revision, dirty := "", ""
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			revision = s.Value[:min(12, len(s.Value))]
		case s.Key == "vcs.modified" && s.Value == "true":
			dirty = "-dirty"
		}
	}
	if revision == "" {
		return "devel"
	}
	return "devel-" + revision + dirty
}
