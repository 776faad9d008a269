package search

import (
	"slices"
	"strings"
	"testing"
)

func TestWords(t *testing.T) {
	for text, want := range map[string]string{
		"Merge PDF files":              "merge pdf files",
		"kebab-case_and.dots/slash":    "kebab case and dots slash",
		"a .docx file":                 "a docx file",
		"Résumé, naïve; ÅNGSTRÖM":      "resume naive angstrom",
		"ﬁle １２３":                      "file 123",
		"the user's files don't":       "the user files dont",
		"the user’s":                   "the user",
		"setState":                     "setstate set state",
		"WeakReferenceMessenger":       "weakreferencemessenger weak reference messenger",
		"parseHTTPHeader":              "parsehttpheader parse http header",
		"JavaScript GitHub iPhone":     "javascript github iphone",
		"README PDFs":                  "readme pdfs",
		"react18 k8s h264 18":          "react18 react 18 k8s h264 18",
		"C++ and C# and F#, not c":     "cpp and csharp and fsharp not c",
		"Node.js, .NET":                "node js nodejs net dotnet",
		"see this. js is":              "see this js is",
		"文書変換":                         "文書 書変 変換",
		"PDF表格":                        "pdf 表格",
		"字":                            "字",
		"데이터 분석":                       "데이 이터 분석",
		"данные":                       "данные",
		"":                             "",
		"--- *** !?":                   "",
		strings.Repeat("x", maxWord+1): "",
	} {
		var got []string
		words(text, func(w word) { got = append(got, w.text) })
		if want := strings.Fields(want); !slices.Equal(got, want) {
			t.Errorf("words(%q) = %q, want %q", text, got, want)
		}
	}
}

func TestPartsOfWords(t *testing.T) {
	var parts []string
	words("setState of react18 in JavaScript", func(w word) {
		if w.part {
			parts = append(parts, w.text)
		}
	})
	if want := []string{"set", "state", "react", "18"}; !slices.Equal(parts, want) {
		t.Errorf("parts are %q, want %q", parts, want)
	}
}

func TestStem(t *testing.T) {
	for _, forms := range []string{
		"deploy deploys deployed deploying",
		"migrate migrates migrating migration migrations",
		"query queries",
		"test tests testing tested",
		"organize organizing organized",
	} {
		list := strings.Fields(forms)
		for _, form := range list {
			if stem(form) != stem(list[0]) {
				t.Errorf("stem(%q) = %q, but stem(%q) = %q", form, stem(form), list[0], stem(list[0]))
			}
		}
	}
	for _, unchanged := range []string{"aws", "gas", "文書", "größe", "18"} {
		if got := stem(unchanged); got != unchanged {
			t.Errorf("stem(%q) = %q", unchanged, got)
		}
	}
}
