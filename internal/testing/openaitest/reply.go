package openaitest

// A scripted reply and its form in a script file, one JSON object a line.

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
)

const maxLine = 16 << 20

// Reply is one scripted reply. Its JSON form is a line of a script file.
type Reply struct {
	Text      string `json:"text,omitempty"`
	Reasoning string `json:"reasoning_content,omitempty"`
	Calls     []Call `json:"tool_calls,omitempty"`
	Usage     *Usage `json:"usage,omitempty"`  // omitted if nil
	Finish    string `json:"finish,omitempty"` // default "stop", with calls "tool_calls"; "none" sends null

	Status  int               `json:"status,omitempty"`  // default 200; 400 and above send an error body
	Headers map[string]string `json:"headers,omitempty"` // override the default headers
	Body    string            `json:"body,omitempty"`    // sent verbatim instead of everything above
	SSE     string            `json:"sse,omitempty"`     // sent verbatim as an event stream

	Cut  int  `json:"cut,omitempty"`  // number of bytes after which the connection is closed
	Drop bool `json:"drop,omitempty"` // close the connection without a response

	Quirks

	// Handler replaces everything else.
	Handler http.HandlerFunc `json:"-"`

	Gate <-chan struct{} `json:"-"` // waits for it before sending anything
	Pacing
}

// Pacing is how a streamed text is sent.
type Pacing struct {
	Hold   <-chan struct{} `json:"-"` // waits for it after the first piece
	Pieces []string        `json:"-"` // of the text; default is by words
	// Repeat is how often the text is sent, for a model that does not end.
	Repeat int `json:"repeat,omitempty"`
}

// Quirks are deviations of servers from the reference.
type Quirks struct {
	Refusals
	Waits
	ItemQuirks
	Indexes
	NoIDs           bool `json:"no_ids,omitempty"`           // calls without id
	NoIndex         bool `json:"no_index,omitempty"`         // stream: call fragments without index
	RepeatName      bool `json:"repeat_name,omitempty"`      // stream: name and id in every fragment
	WholeCalls      bool `json:"whole_calls,omitempty"`      // stream: each call in one fragment
	ObjectArguments bool `json:"object_arguments,omitempty"` // arguments as an object instead of text
	NullContent     bool `json:"null_content,omitempty"`     // content null, also with a role
	NoDone          bool `json:"no_done,omitempty"`          // stream: without [DONE]
	JSONForStream   bool `json:"json_for_stream,omitempty"`  // a JSON body although a stream was asked for
	KeepAlive       bool `json:"keep_alive,omitempty"`       // stream: comments between the events
	NullError       bool `json:"null_error,omitempty"`       // "error": null in every body and chunk
	CRLF            bool `json:"crlf,omitempty"`             // stream: lines end with CR LF
}

// Indexes are wrong indexes of the calls in a stream.
type Indexes struct {
	IndexGaps bool `json:"index_gaps,omitempty"` // 3, 10, 17, …
	SameIndex bool `json:"same_index,omitempty"` // 0 for every call
}

// Refusals are forms of requests that a server rejects.
type Refusals struct {
	NoStreamOptions bool `json:"no_stream_options,omitempty"`
	NoStream        bool `json:"no_stream,omitempty"` // 400 for a request that asks for a stream; the reply waits for the next

	// The reply waits for a request that is not refused by these either.
	ResponsesOnly bool `json:"responses_only,omitempty"` // 404 for a chat request
	NoInclude     bool `json:"no_include,omitempty"`     // 400 for a request for encrypted reasoning
	NoItemIDs     bool `json:"no_item_ids,omitempty"`    // 404 for items with an id
	NoReasoning   bool `json:"no_reasoning,omitempty"`   // 400 for reasoning items
}

// Waits are the ways of a server to send nothing while the client waits.
type Waits struct {
	Silent bool `json:"silent,omitempty"` // nothing at all
	Stall  bool `json:"stall,omitempty"`  // stream: nothing after the first piece of the text
}

// Call is a tool call in a reply.
type Call struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	// Arguments is the JSON text from the model; in a script file it may also be
	// the object itself.
	Arguments string `json:"arguments"`
	Extra     string `json:"extra_content,omitempty"` // JSON; in a script file the value itself
}

// Usage counts tokens.
type Usage struct {
	Input     int64 `json:"input_tokens"`
	Output    int64 `json:"output_tokens"`
	Cached    int64 `json:"cached_tokens,omitempty"`    // of the input; 0 sends none
	Reasoning int64 `json:"reasoning_tokens,omitempty"` // of the output; 0 sends none
}

// Text returns a reply with text.
func Text(text string) Reply { return Reply{Text: text} }

// Do returns a reply with calls.
func Do(calls ...Call) Reply { return Reply{Calls: calls} }

// UnmarshalJSON accepts arguments as text or as an object.
func (c *Call) UnmarshalJSON(data []byte) error {
	var raw struct {
		ID        string          `json:"id"`
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
		Extra     json.RawMessage `json:"extra_content"`
	}
	if err := decodeStrict(data, &raw); err != nil {
		return err
	}
	*c = Call{ID: raw.ID, Name: raw.Name, Extra: string(raw.Extra)}
	if len(raw.Arguments) == 0 || json.Unmarshal(raw.Arguments, &c.Arguments) == nil {
		return nil
	}
	c.Arguments = string(raw.Arguments)
	return nil
}

// ReadScript reads replies from JSON Lines, one per line, skipping empty lines
// and those that begin with #. Errors name the line.
func ReadScript(r io.Reader) ([]Reply, error) {
	var replies []Reply
	scanner := bufio.NewScanner(r)
	scanner.Buffer(nil, maxLine)
	line := 0
	for scanner.Scan() {
		line++
		text := bytes.TrimSpace(scanner.Bytes())
		if len(text) == 0 || text[0] == '#' {
			continue
		}
		var reply Reply
		if err := decodeStrict(text, &reply); err != nil {
			return nil, fmt.Errorf("reading script, line %d: %w", line, err)
		}
		replies = append(replies, reply)
	}
	if err := scanner.Err(); err != nil {
		return nil, fmt.Errorf("reading script, line %d: %w", line+1, err)
	}
	return replies, nil
}

func decodeStrict(data []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("more than one value")
	}
	return nil
}
