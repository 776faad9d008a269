package loader

import (
	"fmt"
	"path"
	"strings"
)

// Kinds says which files of a skill's folder are resources and which are
// scripts. A nil list stands for the default one, an empty list for none.
// Extensions start with a dot and are compared without case.
type Kinds struct {
	ResourceExtensions []string
	ScriptExtensions   []string
}

// DefaultKinds returns the extensions of the framework's documents, with the
// script languages that are common in published skills besides.
func DefaultKinds() Kinds {
	return Kinds{
		ResourceExtensions: []string{".md", ".json", ".yaml", ".yml", ".csv", ".xml", ".txt"},
		ScriptExtensions: []string{
			".py", ".js", ".sh", ".ps1", ".cs", ".csx",
			".ts", ".rb", ".go", ".mjs", ".bash", ".pl",
		},
	}
}

// ConfigError is a setting that cannot be meant.
type ConfigError struct{ Message, Help string }

// Error says which setting, and why.
func (e *ConfigError) Error() string { return e.Message }

// Hint says what to write instead.
func (e *ConfigError) Hint() string { return e.Help }

// Check refuses extensions without a leading dot with a *ConfigError.
func (k Kinds) Check() error {
	for _, list := range [][]string{k.ResourceExtensions, k.ScriptExtensions} {
		for _, ext := range list {
			if len(ext) < 2 || ext[0] != '.' || strings.ContainsAny(ext, `/\`) {
				return &ConfigError{
					Message: fmt.Sprintf("extension %q does not start with a dot", ext),
					Help:    fmt.Sprintf("write %q", "."+strings.Trim(ext, `./\ `)),
				}
			}
		}
	}
	return nil
}

// orDefault fills in the lists that were not given.
func (k Kinds) orDefault() Kinds {
	d := DefaultKinds()
	if k.ResourceExtensions == nil {
		k.ResourceExtensions = d.ResourceExtensions
	}
	if k.ScriptExtensions == nil {
		k.ScriptExtensions = d.ScriptExtensions
	}
	return k
}

// hasExtension reports whether a slash path ends in one of the extensions,
// which may have several dots.
func hasExtension(name string, extensions []string) bool {
	name = strings.ToLower(path.Base(name))
	for _, ext := range extensions {
		if stem, ok := strings.CutSuffix(name, strings.ToLower(ext)); ok && stem != "" {
			return true
		}
	}
	return false
}
