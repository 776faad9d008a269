package markdown

import (
	"maps"
	"slices"
	"testing"
)

func TestAnchors(t *testing.T) {
	for src, want := range map[string][]string{
		"# Quick Start":                                    {"quick-start"},
		"## 1. First, *then* **second**!":                  {"1-first-then-second"},
		"# Foo & Bar":                                      {"foo--bar"},
		"# A\n## A\n# A-1\n# A":                            {"a", "a-1", "a-1-1", "a-2"},
		"# `code_span` and [a link](x.md \"T\")":           {"code_span-and-a-link"},
		"# _under_ snake_case __bold__":                    {"under-snake_case-bold"},
		"# 🚀 Launch":                                       {"-launch"},
		"# ⚠️ Care":                                        {"\uFE0F-care", "-care"},
		"# 转换为图片":                                          {"转换为图片"},
		"# Über Größe — ÉTÉ":                               {"über-größe--été"},
		"# C++ / C#":                                       {"c--c"},
		"# What's New?":                                    {"whats-new"},
		"# a &amp; b &#65; \\_x\\_":                        {"a--b-a-_x_"},
		"Setext\nheading\n=====\n\nSecond\n---":            {"setext-heading", "second"},
		"# Closed ##":                                      {"closed"},
		"#":                                                {""},
		"# Custom {#own-id}":                               {"own-id", "custom", "custom-own-id"},
		"# ![logo](x.png) Name":                            {"name"},
		"# See <https://e.org>":                            {"see-httpseorg"},
		"> # Quoted\n\n- # Listed":                         {"quoted", "listed"},
		"<a id=\"One\"></a>\n\nx <a name='two'></a>":       {"One", "two"},
		"<h2 id=three>x</h2>\n\n```\n# no\n```":            {"three", "x"},
		"<h1 align=\"center\">My Skill</h1>\n\n# My Skill": {"my-skill", "my-skill-1"},
		"<H2>\n  <img src=a.png> <b>A &amp; B</b>,\n  too <!-- c --></H2>\n":   {"a--b-too"},
		"<h1>open\n\n<h2>x</h3>\n\n<header>y</header>\n\nin `<h1>z</h1>` code": {},
		"<!-- <a id=no> -->": {},
	} {
		got := slices.Sorted(maps.Keys(Parse([]byte(src)).Anchors))
		if slices.Sort(want); !slices.Equal(got, want) {
			t.Errorf("anchors of %q are %q, want %q", src, got, want)
		}
	}
}
