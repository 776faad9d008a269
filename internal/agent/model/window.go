package model

import (
	"strconv"
	"strings"

	"skills/internal/lazyregexp"
)

// Window returns how many tokens a request to a model can have, 0 if that is
// unknown, as for open weights, whose window the server chooses. The name may
// have the prefix of a provider, as in openai/gpt-4o.
func Window(name string) (window int64) {
	name = strings.ToLower(name[strings.LastIndexByte(name, '/')+1:])
	longest := ""
	for start, size := range map[string]int64{
		"gpt-3.5-turbo": 16_385, "gpt-4-turbo": 128_000, "gpt-4o": 128_000, "gpt-4.1": 1_047_576,
		"gpt-5": 272_000, "gpt-5-chat": 128_000, "o1": 200_000, "o1-mini": 128_000, "o3": 200_000, "o4-mini": 200_000,
		"claude-": 200_000, "gemini-2.0-flash": 1_048_576, "gemini-2.5": 1_048_576,
	} {
		if len(start) > len(longest) && strings.HasPrefix(name, start) {
			longest, window = start, size
		}
	}
	return window
}

// fullContext matches messages about a conversation that is too long, and
// statedWindow the size of the window in them.
var (
	fullContext = lazyregexp.New(`context_length_exceeded|context[ _](length|limit|window|size|the overflows)|exceed_context_size|prompt (is )?too long|too many tokens|` +
		`maximum (context|prompt length)|maximum model length|exceeds the maximum number of tokens|input is too long|` +
		"model token limit|range of input length|`inputs` tokens")
	statedWindow = lazyregexp.New(`(?:(?:context|model|prompt) (?:length|window|size)(?: (?:is|of|only))* \(?|"n_ctx": ?|tokens > |tokens allowed \(|` +
		"token limit: |input length should be \\[1, |` must be <= )(\\d{1,12})\\b")
)

// isFullContext reports whether an error in lower case is about a conversation that is
// too long.
func (e *Error) isFullContext(text string) bool {
	if !fullContext().MatchString(text) {
		return false
	}
	e.FullContext = true
	if found := statedWindow().FindStringSubmatch(text); found != nil {
		e.Window, _ = strconv.ParseInt(found[1], 10, 64)
	}
	return true
}
