package spec

import "testing"

func TestSamples(t *testing.T) {
	for name, want := range map[string]string{
		"evals/evals.json": "test", "eval/a.json": "test", "a/tests/x.py": "test", "Fixtures/a": "test",
		"scripts/test_x.py": "test", "scripts/conftest.py": "test", "x.spec.ts": "test", "x_test.go": "test", "x-test.js": "test",
		"scripts/latest/x.py": "", "contest_x.py": "", "test.md": "", "spec": "", "examples": "", "inspect.py": "", "x.py": "",
		"assets/x": "sample", "Examples/x": "sample", "a/templates/b/c.md": "sample", "demo.md": "",
	} {
		got := ""
		if IsTest(name) {
			got = "test"
		} else if IsSample(name) {
			got = "sample"
		}
		if got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
	for name, want := range map[string]bool{"Tests": true, "examples": true, "test-runner": false, "conftest": false} {
		if IsSampleFolder(name) != want {
			t.Errorf("%s: got %t", name, !want)
		}
	}
}
