package params

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

// TestPlain checks what schemas become, and which have no plain form.
func TestPlain(t *testing.T) {
	for _, tt := range []struct{ name, schema, want, nulls, err string }{
		{name: "nothing", schema: `{}`, want: `{"properties":{},"type":"object"}`},
		{name: "plain", schema: `{"type":"object","properties":{"a":{"type":"string","description":"An a."}},"required":["a"]}`,
			want: `{"properties":{"a":{"description":"An a.","type":"string"}},"required":["a"],"type":"object"}`},
		{name: "keywords", schema: `{"$schema":"x","$id":"y","title":"t","type":"object","properties":{"a":{"type":"string","not":{"const":"b"},"minLength":1,"x-own":1}},"additionalProperties":false,"if":{},"$defs":{}}`,
			want: `{"additionalProperties":false,"properties":{"a":{"description":"a","minLength":1,"type":"string"}},"title":"t","type":"object"}`},
		{name: "description", schema: `{"properties":{"max_results":{"type":"integer"},"b":{"title":"The b","type":"object","properties":{"c":{"type":"string"}}},"_":{"type":"string"}}}`,
			want: `{"properties":{"_":{"description":"value","type":"string"},"b":{"description":"The b","properties":{"c":{"description":"c","type":"string"}},"type":"object"},"max_results":{"description":"max results","type":"integer"}},"type":"object"}`},
		{name: "any value", schema: `{"properties":{"a":{},"b":true}}`, want: `{"properties":{"a":{"description":"a"},"b":{"description":"b"}},"type":"object"}`},
		{name: "null", schema: `{"properties":{"a":{"anyOf":[{"type":"string","maxLength":3},{"type":"null"}],"default":null},"b":{"type":["integer","null"]},"c":{"enum":["x",null]}},"required":["a","b","c"]}`,
			want:  `{"properties":{"a":{"description":"a","maxLength":3,"type":"string"},"b":{"description":"b","type":"integer"},"c":{"description":"c","enum":["x"],"type":"string"}},"type":"object"}`,
			nulls: "a b c"},
		{name: "null and required", schema: `{"properties":{"a":{"type":["null","boolean"]},"b":{"type":"number"}},"required":["b","a"]}`,
			want: `{"properties":{"a":{"description":"a","type":"boolean"},"b":{"description":"b","type":"number"}},"required":["b"],"type":"object"}`, nulls: "a"},
		{name: "nested null", schema: `{"properties":{"a":{"type":"array","items":{"type":"object","properties":{"b":{"oneOf":[{"type":"null"},{"type":"string"}]}},"required":["b"]}}}}`,
			want: `{"properties":{"a":{"description":"a","items":{"properties":{"b":{"description":"b","type":"string"}},"type":"object"},"type":"array"}},"type":"object"}`},
		{name: "one of one", schema: `{"properties":{"a":{"allOf":[{"type":"string","description":"inner"}],"description":"outer"},"b":{"anyOf":[{"type":"integer"}]}}}`,
			want: `{"properties":{"a":{"description":"outer","type":"string"},"b":{"description":"b","type":"integer"}},"type":"object"}`},
		{name: "fixed values", schema: `{"properties":{"a":{"oneOf":[{"const":"x","title":"X"},{"const":"y"}]},"b":{"const":1},"c":{"anyOf":[{"enum":["k"]},{"enum":["l","m"]},{"type":"null"}]}}}`,
			want: `{"properties":{"a":{"description":"a","enum":["x","y"],"type":"string"},"b":{"description":"b","enum":[1],"type":"number"},"c":{"description":"c","enum":["k","l","m"],"type":"string"}},"type":"object"}`},
		{name: "one type", schema: `{"properties":{"a":{"anyOf":[{"type":"string","format":"date"},{"type":"string","format":"date-time"}]},"b":{"type":["integer","number"]}}}`,
			want: `{"properties":{"a":{"description":"a","type":"string"},"b":{"description":"b","type":"number"}},"type":"object"}`},
		{name: "required either", schema: `{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"}},"anyOf":[{"required":["a"]},{"type":"object","required":["b"]}]}`,
			want: `{"properties":{"a":{"description":"a","type":"string"},"b":{"description":"b","type":"string"}},"type":"object"}`},
		{name: "references", schema: `{"properties":{"a":{"$ref":"#/$defs/A"},"b":{"anyOf":[{"$ref":"#/$defs/A"},{"type":"null"}]},"c":{"$ref":"#/$defs/B","description":"own"}},"$defs":{"A":{"type":"string","enum":["x"]},"B":{"$ref":"#/$defs/A"}}}`,
			want: `{"properties":{"a":{"description":"a","enum":["x"],"type":"string"},"b":{"description":"b","enum":["x"],"type":"string"},"c":{"description":"own","enum":["x"],"type":"string"}},"type":"object"}`},
		{name: "recursion", schema: `{"properties":{"tree":{"$ref":"#/$defs/N"}},"$defs":{"N":{"type":"object","properties":{"next":{"$ref":"#/$defs/N"},"value":{"type":"string"}}}}}`,
			want: `{"properties":{"tree":{"description":"tree","properties":{"next":{"description":"next","type":"object"},"value":{"description":"value","type":"string"}},"type":"object"}},"type":"object"}`},
		{name: "recursion without a type", schema: `{"properties":{"self":{"$ref":"#"}}}`,
			want: `{"properties":{"self":{"description":"self","properties":{"self":{"description":"self","type":"object"}},"type":"object"}},"type":"object"}`},
		{name: "endless reference", schema: `{"properties":{"a":{"$ref":"#/properties/a"}}}`, want: `{"properties":{"a":{"description":"a"}},"type":"object"}`},
		{name: "array", schema: `{"properties":{"a":{"type":"array"},"b":{"items":{"type":["string","null"]}}}}`,
			want: `{"properties":{"a":{"description":"a","items":{},"type":"array"},"b":{"description":"b","items":{"type":"string"},"type":"array"}},"type":"object"}`},
		{name: "map", schema: `{"properties":{"a":{"type":"object","additionalProperties":{"anyOf":[{"type":"string"},{"type":"null"}]}}}}`,
			want: `{"properties":{"a":{"additionalProperties":{"type":"string"},"description":"a","type":"object"}},"type":"object"}`},

		{name: "alternatives", schema: `{"anyOf":[{"properties":{"a":{"type":"string"}}},{"properties":{"b":{"type":"string"}}}]}`, err: `its schema may have one of several types (anyOf)`},
		{name: "alternatives of a parameter", schema: `{"properties":{"a":{"type":"object","properties":{"b":{"oneOf":[{"type":"string"},{"type":"integer"}]}}}}}`, err: `parameter "a.b" may have one of several types (anyOf)`},
		{name: "types", schema: `{"properties":{"a":{"type":["string","integer","null"]}}}`, err: `parameter "a" may have one of several types (string, integer)`},
		{name: "mixed values", schema: `{"properties":{"a":{"enum":["x",1]}}}`, err: `parameter "a" may have values of several types`},
		{name: "several schemas", schema: `{"allOf":[{"type":"object"},{"required":["a"]}]}`, err: `its schema has several schemas (allOf)`},
		{name: "overlapping schemas", schema: `{"properties":{"a":{}},"allOf":[{"properties":{"b":{}}}]}`, err: `its schema has several schemas (allOf)`},
		{name: "other document", schema: `{"properties":{"a":{"$ref":"https://example.com/a.json"}}}`, err: `parameter "a" refers to another document`},
		{name: "missing reference", schema: `{"properties":{"a":{"$ref":"#/$defs/A"}}}`, err: `parameter "a" refers to another document`},
		{name: "tuple", schema: `{"properties":{"a":{"items":[{"type":"string"}]}}}`, err: `parameter "a[]" has a schema that is not an object`},
		{name: "no value", schema: `{"properties":{"a":false}}`, err: `parameter "a" has a schema that is not an object`},
		{name: "no object", schema: `{"type":"array"}`, err: `its arguments are not an object but of the type array`},
		{name: "growth", schema: growing(30), err: "it is too large without references"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var schema map[string]any
			if err := json.Unmarshal([]byte(tt.schema), &schema); err != nil {
				t.Fatal(err)
			}
			before, _ := json.Marshal(schema)
			plain, nulls, err := Plain(schema)
			if after, _ := json.Marshal(schema); string(before) != string(after) {
				t.Errorf("the schema was changed to %s", after)
			}
			if tt.err != "" {
				if err == nil || err.Error() != tt.err {
					t.Errorf("got %v, want %s", err, tt.err)
				}
				return
			}
			got, _ := json.Marshal(plain)
			if err != nil || string(got) != tt.want || strings.Join(nulls, " ") != tt.nulls {
				t.Errorf("got\n%s, %v, %v; want\n%s, %s", got, nulls, err, tt.want, tt.nulls)
			}
			if again, _, err := Plain(plain); err != nil || !sameJSON(again, plain) {
				t.Errorf("plain twice: %v, %v", again, err)
			}
		})
	}
}

func sameJSON(a, b any) bool {
	one, _ := json.Marshal(a)
	two, _ := json.Marshal(b)
	return string(one) == string(two)
}

// growing returns a schema whose references double n times.
func growing(n int) string {
	var b strings.Builder
	b.WriteString(`{"properties":{"a":{"$ref":"#/$defs/d0"}},"$defs":{"end":{}`)
	for i := range n {
		next := `"#/$defs/d` + string(rune('0'+i+1)) + `"`
		if i == n-1 {
			next = `"#/$defs/end"`
		}
		b.WriteString(`,"d` + string(rune('0'+i)) + `":{"properties":{"x":{"$ref":` + next + `},"y":{"$ref":` + next + `}}}`)
	}
	return b.String() + "}}"
}

// FuzzPlain checks that any schema ends in a plain one or an error.
func FuzzPlain(f *testing.F) {
	f.Add(`{"properties":{"a":{"anyOf":[{"$ref":"#"},{"type":["null","string"]}]}},"required":["a"]}`)
	f.Add(`{"$ref":"#/allOf/0","allOf":[{"$ref":"#"}],"oneOf":[{"const":null},{"enum":[1,null]}],"items":true}`)
	f.Fuzz(func(t *testing.T, text string) {
		var schema map[string]any
		if json.Unmarshal([]byte(text), &schema) != nil {
			return
		}
		plain, _, err := Plain(schema)
		if err == nil {
			checkPlain(t, plain, "")
		}
	})
}

// checkPlain fails for what a plain schema does not have.
func checkPlain(t *testing.T, schema map[string]any, path string) {
	t.Helper()
	for key := range schema {
		if !slices.Contains(plainKeys, key) {
			t.Errorf("%s has the keyword %s", path, key)
		}
	}
	if _, ok := schema["type"].(string); !ok && schema["type"] != nil {
		t.Errorf("%s has the type %v", path, schema["type"])
	}
	properties, _ := schema["properties"].(map[string]any)
	for name, member := range properties {
		fields, _ := member.(map[string]any)
		if text, _ := fields["description"].(string); strings.TrimSpace(text) == "" {
			t.Errorf("%s.%s has no description", path, name)
		}
		checkPlain(t, fields, path+"."+name)
	}
	for _, key := range []string{"items", "additionalProperties"} {
		if fields, ok := schema[key].(map[string]any); ok {
			checkPlain(t, fields, path+"[]")
		}
	}
}
