package rules

import (
	"slices"
	"strings"

	"skills/internal/lazyregexp"
	"skills/internal/printable"
	"skills/internal/spec"
	"skills/internal/spec/references"
)

var unpinnedRunner = &spec.Rule{
	ID:     "unpinned-runner",
	Title:  "downloaded programs have a pinned version",
	Level:  spec.Off,
	Needs:  spec.NeedsBody,
	Source: "agentskills.io, using scripts: pin versions",
	Check: func(p *spec.Pass) {
		local := skillOf(p).folder.Has("package.json")
		reported := map[string]bool{}
		for _, c := range skillOf(p).body.Commands() {
			w, how, ok := fetched(c.Words)
			pinned := local && how.project // by the project's lock file
			if !ok || reported[w.Text] || pinned {
				continue
			}
			reported[w.Text] = true
			name, help := strings.TrimSuffix(w.Text, "@latest"), "pin the version that you tested"
			if how.version != "" {
				help += ": " + name + how.version
			}
			p.Report(p.Doc.BodySpan(w.Start, w.End), help, "%s runs the newest version of %s, which changes", c.Words[0].Text, printable.Quote(name))
		}
	},
}

// fetching describes how a program downloads a package.
type fetching struct {
	version string // as written after the name; "" if it is elsewhere in the command
	project bool   // packages in the project's package.json have priority
}

// fetched returns the word of a command that names a package to download and
// run without a version.
func fetched(words []references.Word) (w references.Word, how fetching, ok bool) {
	program, args := words[0].Text, words[1:]
	then := func(sub ...string) bool {
		for i, s := range sub {
			if i >= len(args) || args[i].Text != s {
				return false
			}
		}
		args = args[len(sub):]
		return true
	}
	switch {
	case program == "npx" || program == "bunx", program == "pnpm" && then("dlx"), program == "yarn" && then("dlx"), program == "bun" && then("x"),
		program == "npm" && (then("exec") || then("x")):
		w, ok = packageOf(args, []string{"-p", "--package"})
		return w, fetching{"@1.2.3", true}, ok && npmUnpinned().MatchString(w.Text) && !isPlaceholderPackage(w.Text) && !projectTool(w.Text)
	case program == "uvx", program == "uv" && then("tool", "run"), program == "pipx" && then("run"):
		w, ok = packageOf(args, []string{"--from", "--spec"})
		return w, fetching{version: "==1.2.3"}, ok && pythonUnpinned().MatchString(w.Text) && !isPlaceholderPackage(w.Text)
	case program == "uv" && then("run"):
		for i, a := range args {
			if value, joined := strings.CutPrefix(a.Text, "--with="); joined {
				a.Text, a.Start = value, a.Start+len("--with=")
			} else if i == 0 || args[i-1].Text != "--with" {
				continue
			}
			if pythonUnpinned().MatchString(a.Text) && !isPlaceholderPackage(a.Text) {
				return a, fetching{version: "==1.2.3"}, true
			}
		}
	case program == "deno" && then("run"):
		// Unknown options may have values; npm: is unambiguous.
		at := slices.IndexFunc(args, func(a references.Word) bool { return !strings.HasPrefix(a.Text, "-") })
		if at < 0 {
			break
		}
		if unversionedURL().MatchString(args[at].Text) {
			return args[at], fetching{}, true
		}
		name, is := strings.CutPrefix(args[at].Text, "npm:")
		return args[at], fetching{version: "@1.2.3"}, is && npmUnpinned().MatchString(name) && !isPlaceholderPackage(name)
	case program == "go" && then("run") && len(args) > 0:
		// Without @, the version is in go.mod.
		return args[0], fetching{version: "@v1.2.3"}, goUnpinned().MatchString(args[0].Text)
	}
	return references.Word{}, fetching{}, false
}

var (
	// unversionedURL matches unversioned modules of registries whose URLs have
	// versions.
	unversionedURL = lazyregexp.New(`^https://(?:deno\.land/(?:std|x/[\w-]+)|esm\.sh/(?:@[\w.-]+/)?[\w.-]+|(?:cdn\.jsdelivr\.net/npm|unpkg\.com)/(?:@[\w.-]+/)?[\w.-]+)(?:/[^@]*)?$`)
	npmUnpinned    = lazyregexp.New(`^(@[a-z0-9~][a-z0-9~._-]*/)?[a-z0-9~][a-z0-9~._-]*(@latest)?$`)
	goUnpinned     = lazyregexp.New(`^[a-z0-9-]+(\.[a-z0-9-]+)+(/[A-Za-z0-9._~-]+)+@latest$`)
	pythonUnpinned = lazyregexp.New(`^[a-z0-9]([a-z0-9._-]*[a-z0-9])?(@latest)?$`)
)

// packageOf returns the word that names the package: the value of one of the
// options, or the first word that is not an option. An unknown option may have
// a value, so it ends the search.
func packageOf(args []references.Word, options []string) (references.Word, bool) {
	for i, a := range args {
		name, value, joined := strings.Cut(a.Text, "=")
		switch {
		case slices.Contains(options, name) && joined:
			a.Start += len(name) + 1
			a.Text = value
			return a, true
		case slices.Contains(options, name):
			if i+1 < len(args) {
				return args[i+1], true
			}
			return references.Word{}, false
		case slices.Contains([]string{"-y", "--yes", "-q", "--quiet", "--bun", "--no-cache", "--refresh", "--isolated", "--"}, a.Text):
		case strings.HasPrefix(a.Text, "-"):
			return references.Word{}, false
		default:
			return a, true
		}
	}
	return references.Word{}, false
}

// isPlaceholderPackage reports whether a package name is a placeholder.
func isPlaceholderPackage(name string) bool {
	return slices.Contains([]string{"x", "foo", "bar", "package", "pkg", "package-name", "some-package", "my-package", "tool", "tool-name", "some-tool", "command", "cmd", "name", "..."}, name)
}

// projectTool reports whether a program is usually a dependency of projects, in
// which case npx runs that copy.
func projectTool(name string) bool {
	return slices.Contains([]string{
		"tsc", "ts-node", "tsx", "tsup", "esbuild", "vite", "vitest", "jest", "mocha", "ava", "tap", "nyc", "c8", "stryker", "playwright", "cypress", "webpack", "rollup", "parcel", "babel", "swc",
		"eslint", "prettier", "biome", "@biomejs/biome", "stylelint", "oxlint", "xo", "standard", "tslint", "knip", "madge", "depcheck", "dpdm", "husky", "lint-staged", "commitlint", "changeset", "typedoc", "size-limit",
		"next", "nuxt", "astro", "remix", "gatsby", "ng", "expo", "react-native", "storybook", "svelte-check", "vue-tsc", "tailwindcss", "@tailwindcss/cli", "postcss", "sass",
		"prisma", "drizzle-kit", "knex", "sequelize", "typeorm", "mikro-orm", "graphql-codegen", "hardhat", "wrangler", "sst", "cdk", "turbo", "nx", "lerna", "nodemon", "concurrently", "rimraf", "cap", "supabase", "convex", "tauri", "electron", "electron-builder", "remotion",
	}, name)
}
