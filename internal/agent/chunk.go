package agent

import (
	"bytes"
	"encoding/json"
	"errors"

	"github.com/tidwall/gjson"
)

// The forms of a reply, whole and in chunks. They are read with more patience
// than the library has: a field of a wrong type counts as absent, text may come
// in parts, arguments as an object. A stream is many small documents, which a
// decoder that reflects would read in five times the time.
type wireReply struct {
	failure string // JSON of what stands in place of a reply, "" for nothing
	choices []*wireChoice
	counted gjson.Result // what it cost
}

type wireChoice struct {
	index   float64
	message wireText // of a whole reply
	delta   wireText // of a chunk
	finish  string
}

type wireText struct {
	content, refusal string
	reasoning        string
	calls            []*wireCall
}

type wireCall struct {
	index            *float64 // nil where there is none
	id               string
	function, custom wireFunction
	extra            RawJSON // "" for none
}

type wireFunction struct{ name, arguments string }

// called returns the name and the arguments of a call.
func (c *wireCall) called() (name, arguments string) {
	if c.function.name == "" && c.custom.name != "" {
		return c.custom.name, c.custom.arguments
	}
	return c.function.name, c.function.arguments
}

var (
	errNoJSON   = errors.New("it is no JSON")
	errNoObject = errors.New("it is no object")
)

// readWire reads a reply or a chunk. An error in its place is a *toldError.
func readWire(kind string, data []byte) (wireReply, error) {
	// Looked at before it is taken apart: the reader below takes anything.
	if !json.Valid(data) {
		return wireReply{}, errNoJSON
	}
	w := parseReply(gjson.ParseBytes(data))
	switch {
	case kind == "error" || data[0] == '[' || w.isError():
		return w, &toldError{body: bytes.Clone(data)}
	case data[0] != '{':
		return w, errNoObject
	}
	return w, nil
}

func parseReply(v gjson.Result) (w wireReply) {
	members(v, func(name string, v gjson.Result) {
		switch name {
		case "error":
			w.failure = v.Raw
		case "choices":
			w.choices = list(v, maxChoices, parseChoice)
		case "usage":
			w.counted = v
		}
	})
	return w
}

func parseChoice(v gjson.Result) (c wireChoice) {
	members(v, func(name string, v gjson.Result) {
		switch name {
		case "index":
			c.index = v.Num
		case "message":
			c.message = parseText(v)
		case "delta":
			c.delta = parseText(v)
		case "finish_reason":
			c.finish = reason(v)
		}
	})
	return c
}

func parseText(v gjson.Result) (t wireText) {
	members(v, func(name string, v gjson.Result) {
		switch name {
		case "content":
			t.content = loose(v)
		case "refusal":
			t.refusal = loose(v)
		case "reasoning_content":
			t.reasoning = loose(v)
		case "tool_calls":
			t.calls = list(v, maxCalls+1, parseCall)
		}
	})
	return t
}

func parseCall(v gjson.Result) (c wireCall) {
	members(v, func(name string, v gjson.Result) {
		switch name {
		case "index":
			if v.Type == gjson.Number {
				c.index = &v.Num
			}
		case "id":
			c.id = loose(v)
		case "function":
			c.function = parseFunction(v)
		case "extra_content":
			if v.IsObject() && len(v.Raw) <= maxExtra {
				c.extra = RawJSON(v.Raw)
			}
		case "custom":
			c.custom = parseFunction(v)
		}
	})
	return c
}

func parseFunction(v gjson.Result) (f wireFunction) {
	members(v, func(name string, v gjson.Result) {
		switch name {
		case "name":
			f.name = loose(v)
		case "arguments", "input":
			f.arguments = loose(v)
		}
	})
	return f
}

// isError reports whether there is an error in place of a reply. An error
// without words beside a reply is none.
func (w wireReply) isError() bool {
	switch w.failure {
	case "", "null", "{}", `""`, "false":
		return false
	}
	if len(w.choices) == 0 {
		return true
	}
	return message(gjson.Parse(w.failure), 0) != ""
}

// usage is what the server counted, nil where it says nothing that can be: many
// servers send the fields empty, or only their sum, which counts as input.
func (w wireReply) usage() *Usage {
	in, sent := count(w.counted, "prompt_tokens")
	out, made := count(w.counted, "completion_tokens")
	if !sent && !made {
		in, _ = count(w.counted, "total_tokens")
		sent, made = true, true
	}
	if !sent || !made || in < 0 || out < 0 || in+out == 0 {
		return nil
	}
	return &Usage{InputTokens: in, OutputTokens: out}
}

// count returns a number of tokens, -1 for one that cannot be, and whether there
// is any.
func count(v gjson.Result, name string) (n int64, ok bool) {
	if v = member(v, name); v.Type != gjson.Number {
		return 0, false
	}
	if v.Num >= 0 && v.Num < maxCount {
		return int64(v.Num), true
	}
	return -1, true
}

// maxChoices is how many choices of a reply are looked at; one is asked for.
const maxChoices = 128

// maxCount is more tokens than a reply can cost.
const maxCount = 1 << 40
