package rules

import (
	"strings"
	"testing"
)

func TestScriptMetadata(t *testing.T) {
	for text, want := range map[string]string{
		"# /// script\n# dependencies = []\n# ///\nimport os\n":                         "",
		"# /// script\r\n# dependencies = []\r\n# ///\r\nimport os\r\n":                 "",
		"# /// script\n# dependencies = [\"a\"]\n# [tool.uv]\n# x = 1\n# ///\n":         "",
		"# /// pyproject\n# nonsense\n":                                                 "",
		"#!/usr/bin/env python3\nprint('# /// script')\n":                               "",
		"import os\n\n# /// script\n# dependencies = [\"a\"\n# x = 1\n# ///\n":          "a.py:5:1: its script metadata is invalid: line 2",
		"# /// script\n# dependencies = \"a\"\n# ///\n":                                 "a.py:2:1: its script metadata is invalid: line 1",
		"# /// script\n# dependencies = [1]\n# ///\n":                                   "a.py:2:1: its script metadata is invalid: line 1",
		"x = 1\n# /// script\n# dependencies = []\nimport os\n":                         "a.py:2:1: its block of script metadata is never closed",
		"# /// script\n# dependencies = []\n# ///\n\n# /// script\n# x = 1\n# ///\na()": "a.py:5:1: it has two blocks of script metadata",
	} {
		got := strings.TrimPrefix(strings.Join(findings(bodyWith("Run `uv run scripts/a.py`.\n", map[string]string{"scripts/a.py": text}), "script-metadata"), "\n"), "scripts/")
		if !strings.HasPrefix(got, want) || want == "" && got != "" {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

func TestScriptPins(t *testing.T) {
	python := func(dependencies string) string {
		return "# /// script\n# dependencies = [" + dependencies + "]\n# ///\nimport a\n"
	}
	for _, tt := range []struct{ name, text, want string }{
		{"a.py", python(`"requests<3", "beautifulsoup4", "rich[extra]"`), "beautifulsoup4 and rich[extra]"},
		{"a.py", python(`"tomli; python_version < '3.11'"`), "tomli; python_version < '3.11'"},
		{"a.py", python(`"a", "b", "c", "d", "e", "f", "g"`), "a, b, c, d, e and 2 others"},
		{"a.ts", "import * as cheerio from \"npm:cheerio\";\n", "npm:cheerio"},
		{"a.ts", "import {\n  a,\n} from 'npm:@scope/thing/sub';\n", "npm:@scope/thing/sub"},
		{"a.ts", "const x = await import(\"jsr:@std/path\");\n", "jsr:@std/path"},
		{"a.ts", "import { parse } from \"https://deno.land/std/flags/mod.ts\";\n", "https://deno.land/std/flags/mod.ts"},
		{"a.rb", "require 'bundler/inline'\ngemfile do\n  source 'https://rubygems.org'\n  gem 'nokogiri'\nend\n", "nokogiri"},
		{"a.sh", "set -e\nnpx -y some-linter .\nuv run --with requests x.py\n", "requests and some-linter"},
		{"a.sh", "go run example.com/tool@latest ./...\n", "example.com/tool"},

		{"a.py", python(`"requests==2.32.3", "rich>=13", "x @ https://example.com/x.whl"`), ""},
		{"a.py", python(`"requests"`) + "# [tool.uv]\n# exclude-newer = \"2025-01-01T00:00:00Z\"\n", ""},
		{"a.py", "dependencies = [\"requests\"]\n", ""},
		{"a.ts", "import * as cheerio from \"npm:cheerio@1.0.0\";\nimport x from \"jsr:@std/path@1\";\nimport y from \"https://deno.land/std@0.224.0/flags/mod.ts\";\n", ""},
		{"a.ts", "import fs from \"node:fs\";\nimport x from \"./x.ts\";\nimport z from \"cheerio\";\n", ""},
		{"a.ts", "import x from \"https://example.com/mod.ts\";\n", ""},
		{"a.rb", "require 'bundler/inline'\ngemfile do\n  gem 'nokogiri', '~> 1.16'\nend\n", ""},
		{"a.rb", "gem 'nokogiri'\n", ""},
		{"a.sh", "npx some-linter@1.2.3 .\nuv run x.py\ndeno run ./x.ts\n# npx thing\n", ""},
	} {
		got := strings.Join(findings(bodyWith("Run `scripts/"+tt.name+"`.\n", map[string]string{"scripts/" + tt.name: tt.text}), "script-pins"), "\n")
		_, got, _ = strings.Cut(got, "is installed of ")
		got = strings.TrimSuffix(got, ", which may change or break")
		if got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.text, got, tt.want)
		}
	}
	for _, lock := range []string{"scripts/a.py.lock"} {
		if got := findings(bodyWith("x\n", map[string]string{"scripts/a.py": python(`"a"`), lock: "x"}), "script-pins"); got != nil {
			t.Errorf("with %s: %v", lock, got)
		}
	}
	if got := findings(bodyWith("x\n", map[string]string{"scripts/a.ts": "import x from 'npm:x'\n", "deno.json": "{}"}), "script-pins"); got != nil {
		t.Errorf("with deno.json: %v", got)
	}
}

// TestPinPlaces checks that findings are at the dependency, not at the first occurrence of
// its letters.
func TestPinPlaces(t *testing.T) {
	for name, file := range map[string][2]string{
		"scripts/a.py": {"# asconfig.json\n# /// script\n# dependencies = [\"asc\"]\n# ///\nimport asc\n", "scripts/a.py:3:20:"},
		"scripts/b.sh": {"#!/bin/sh\ncat asconfig.json\nnpx asc build\n", "scripts/b.sh:3:5:"},
		"scripts/c.ts": {"// npm:ascii\nimport x from \"npm:asc\";\n", "scripts/c.ts:2:16:"},
	} {
		got := findings(bodyWith("Run it.", map[string]string{name: file[0]}), "script-pins")
		if len(got) != 1 || !strings.HasPrefix(got[0], file[1]) {
			t.Errorf("%s: got %q, want a finding at %s", name, got, file[1])
		}
	}
}
