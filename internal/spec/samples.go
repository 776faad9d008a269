package spec

import (
	"path"
	"slices"
	"strings"
)

// Names of folders, in lowercase, whose content is not part of a skill's instructions.
var (
	testFolders = []string{"testdata", "test", "tests", "__tests__", "spec", "specs", "fixture", "fixtures", "__fixtures__",
		"evals", "eval", "evaluations"}
	exampleFolders = []string{"template", "templates", "example", "examples", "sample", "samples", "assets", "demo", "demos"}
)

// IsTest reports whether a file of a skill is in a folder for tests or evaluations, or is
// named like a test.
func IsTest(name string) bool {
	base := path.Base(strings.ToLower(name))
	stem := strings.TrimSuffix(base, path.Ext(base))
	ends := func(suffix string) bool { return strings.HasSuffix(stem, suffix) }
	return InFolder(name, testFolders...) || stem == "conftest" || strings.HasPrefix(stem, "test_") || strings.HasPrefix(stem, "test-") ||
		slices.ContainsFunc([]string{"_test", "-test", ".test", "_spec", ".spec"}, ends)
}

// IsSample reports whether a file of a skill is a test or in a folder for examples.
func IsSample(name string) bool { return IsTest(name) || InFolder(name, exampleFolders...) }

// IsSampleFolder reports whether a folder with this name holds tests or examples.
func IsSampleFolder(name string) bool {
	return InFolder(name+"/", testFolders...) || InFolder(name+"/", exampleFolders...)
}

// InFolder reports whether a file is in a folder with one of the names, ignoring case.
func InFolder(name string, folders ...string) bool {
	parents := strings.Split(strings.ToLower(path.Dir(name)), "/")
	return slices.ContainsFunc(parents, func(parent string) bool { return slices.Contains(folders, parent) })
}
