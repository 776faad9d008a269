package cmd

import (
	"cmp"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"
)

// Set by the linker for a release.
var (
	// Version is the release; the default is the version that the go command derives
	// from the repository.
	Version string
	// Repository is the URL of the repository, such as https://github.com/owner/name; by
	// default, links to documentation are paths in the repository.
	Repository string
)

func versionCommand(a *app) *cobra.Command {
	return a.command(&cobra.Command{
		Use:         "version",
		Short:       "Print the version",
		Example:     "  skills version",
		Args:        arguments(0, 0, "", ""),
		Annotations: note("", "0  success"),
		RunE:        func(*cobra.Command, []string) error { return printVersion(a) },
	})
}

func printVersion(a *app) error {
	_, err := fmt.Fprintf(a.Stdout, "skills %s %s %s/%s\n", version(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return err
}

// page returns the URL of a page in the repository, "" if this build has no address.
func page(path string) string {
	if Repository == "" {
		return ""
	}
	return strings.TrimSuffix(Repository, "/") + "/blob/" + cmp.Or(Version, "main") + "/" + path
}

// version returns the release, or the module's version, which contains the commit.
func version() string {
	if Version != "" {
		return Version
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		return cmp.Or(strings.Trim(info.Main.Version, "()"), "devel")
	}
	return "unknown"
}
