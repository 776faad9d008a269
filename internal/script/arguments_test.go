package script

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestArguments(t *testing.T) {
	tests := []struct {
		name, raw string
		want      []string
	}{
		{"absent", ``, nil},
		{"blank", " \n", nil},
		{"null", `null`, nil},
		{"empty string", `""`, nil},
		{"empty object", `{}`, nil},
		{"empty array", ` [ ] `, nil},

		{"object", `{"value":1,"verbose":true,"tag":["a","b"],"x":null,"quiet":false}`,
			[]string{"--value", "1", "--verbose", "--tag", "a", "--tag", "b"}},
		{"order of the text, not of the alphabet", `{"z":1,"a":2,"m":3}`, []string{"--z", "1", "--a", "2", "--m", "3"}},
		{"a key twice", `{"a":1,"a":2}`, []string{"--a", "1", "--a", "2"}},
		{"number as written", `{"v":26.2}`, []string{"--v", "26.2"}},
		{"number with zeros", `{"v":26.200}`, []string{"--v", "26.200"}},
		{"exponent", `{"v":1e3,"w":-0.5E-7}`, []string{"--v", "1e3", "--w", "-0.5E-7"}},
		{"big integer", `{"v":123456789012345678901234567890}`, []string{"--v", "123456789012345678901234567890"}},
		{"key with a dash", `{"-v":true,"--level":"2"}`, []string{"-v", "--level", "2"}},
		{"single letter", `{"k":"x"}`, []string{"--k", "x"}},
		{"underscores and other letters", `{"max_count":1,"größe":2}`, []string{"--max_count", "1", "--größe", "2"}},
		{"empty string value", `{"v":""}`, []string{"--v", ""}},
		{"empty array value", `{"tag":[],"v":1}`, []string{"--v", "1"}},
		{"array with other things", `{"t":[1.50,true,false,null,"x",{"a": 1},[1, 2]]}`,
			[]string{"--t", "1.50", "--t", "true", "--t", "false", "--t", "x", "--t", `{"a":1}`, "--t", `[1,2]`}},
		{"nested object", `{"o": {"b": [1, 2], "a": "<é>"} }`, []string{"--o", `{"b":[1,2],"a":"<é>"}`}},
		{"value that looks like an option", `{"v":"--rm"}`, []string{"--v", "--rm"}},

		{"array verbatim", `["--value","26.2","a b","$(x)","","-","; rm *","\u00e9\n\"'"]`,
			[]string{"--value", "26.2", "a b", "$(x)", "", "-", "; rm *", "é\n\"'"}},
		{"array with other things", `[26.2, 1e3, true, false, null, {"a": 1}, [1, "b"]]`,
			[]string{"26.2", "1e3", "true", "false", `{"a":1}`, `[1,"b"]`}},

		{"a string is one argument", `"a b  $(x) 'c'"`, []string{"a b  $(x) 'c'"}},
		{"blanks are an argument", `" "`, []string{" "}},
		{"string with an array", `"[\"a b\", 26.2]"`, []string{"a b", "26.2"}},
		{"string with an object", `" {\"v\": 26.20, \"q\": true}\n"`, []string{"--v", "26.20", "--q"}},
		{"string with an empty array", `"[]"`, nil},
		{"string with something like an array", `"[1,2"`, []string{"[1,2"}},
		{"string with JSON that is neither", `"null"`, []string{"null"}},
		{"only once", `["[1,2]"]`, []string{"[1,2]"}},

		{"number", `26.20`, []string{"26.20"}},
		{"boolean", `true`, []string{"true"}},
		{"false", `false`, []string{"false"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := Arguments([]byte(test.raw))
			if err != nil || !slices.Equal(got, test.want) {
				t.Errorf("Arguments(%s) = %q, %v, want %q", test.raw, got, err, test.want)
			}
		})
	}
}

func TestArgumentsRefused(t *testing.T) {
	long := strings.Repeat("x", maxArguments/2)
	tests := []struct {
		name, raw string
		reason    error  // nil: any
		want      string // in the message
	}{
		{"not JSON", `{"a":`, nil, "unexpected end of JSON"},
		{"more than one value", `{} {}`, nil, "after top-level value"},
		{"a blank that JSON does not know", "\f0", nil, "invalid"},
		{"bare word", `--value`, nil, "invalid"},
		{"NUL in an array", `["a","b\u0000c"]`, ErrArguments, `"b\x00c" holds a NUL byte`},
		{"NUL in a value", `{"v":"\u0000"}`, ErrArguments, "NUL"},
		{"NUL in a key", `{"a\u0000":true}`, ErrArguments, "NUL"},
		{"NUL in a string", `"\u0000"`, ErrArguments, "NUL"},
		{"no name", `{"":1}`, ErrArguments, `"" is not an option`},
		{"end of options", `{"--":1}`, ErrArguments, `"--" is not an option`},
		{"too long", `["` + long + `","` + long + `"]`, ErrArguments, "1048578 bytes are more than the 1048576"},
		{"too many", `[` + strings.Repeat(`"",`, maxArguments) + `""]`, ErrArguments, "1048577 bytes"},
		{"too many to start", `[` + strings.Repeat(`"",`, maxCount) + `""]`, ErrArguments, "8001 arguments are more than the 8000"},
		{"one too long", `["` + strings.Repeat("x", maxArgument+1) + `"]`, ErrArguments, "131072 bytes in one argument are more than the 131071"},
		{"too long inside a string", `"[\"` + long + `\",\"` + long + `\"]"`, ErrArguments, "1048578 bytes"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := Arguments([]byte(test.raw))
			if err == nil || got != nil || !strings.Contains(err.Error(), test.want) {
				t.Fatalf("got %d arguments, error %v, want an error with %q", len(got), err, test.want)
			}
			if test.reason != nil && !errors.Is(err, test.reason) {
				t.Errorf("errors.Is(%q, %q) = false, want true", err, test.reason)
			}
		})
	}
	long = long[:maxArgument]
	if got, err := Arguments([]byte(`["` + long + `"]`)); err != nil || len(got) != 1 || len(got[0]) != len(long) {
		t.Errorf("the longest argument: got %d arguments, %v, want 1", len(got), err)
	}
}

func FuzzArguments(f *testing.F) {
	for _, seed := range []string{
		``, `null`, `{"value":26.2,"verbose":true,"quiet":false,"n":null,"tag":["a","b"]}`,
		`["--value","26.2","a b","$(x)"]`, `"[\"a\",1e3]"`, `"{\"a\":{\"b\":[1]}}"`, `"x"`, `{"\u0000":1}`, `[1,[2],{"a":null}]`,
	} {
		f.Add([]byte(seed), "one", "two words")
	}
	f.Fuzz(func(t *testing.T, raw []byte, first, second string) {
		args, err := Arguments(raw)
		again, errAgain := Arguments(raw)
		if !slices.Equal(args, again) || (err == nil) != (errAgain == nil) {
			t.Fatalf("Arguments(%q) = %q, %v and then %q, %v", raw, args, err, again, errAgain)
		}
		if err == nil && checkArguments(args) != nil {
			t.Fatalf("Arguments(%q) = %q, which no program can be started with", raw, args)
		}
		if err == nil && !json.Valid(raw) && strings.Trim(string(raw), space) != "" {
			t.Fatalf("Arguments(%q) = %q, want an error: not JSON", raw, args)
		}

		list := []string{first, second}
		if !utf8.ValidString(first) || !utf8.ValidString(second) || strings.Contains(first+second, "\x00") || max(len(first), len(second)) > maxArgument-2 {
			return
		}
		encoded, _ := json.Marshal(list)
		if got, err := Arguments(encoded); err != nil || !slices.Equal(got, list) {
			t.Fatalf("Arguments(%s) = %q, %v, want %q", encoded, got, err, list)
		}
		if strings.Trim(first, "-") == "" {
			return
		}
		encoded, _ = json.Marshal(map[string]string{first: second})
		if got, err := Arguments(encoded); err != nil || len(got) != 2 || got[1] != second || strings.TrimLeft(got[0], "-") != strings.TrimLeft(first, "-") {
			t.Fatalf("Arguments(%s) = %q, %v, want an option and %q", encoded, got, err, second)
		}
	})
}
