package model

import (
	"net/http"
	"slices"

	"skills/internal/lazyregexp"
)

// toolRefusals matches errors, in lower case, of servers and chat templates that take no
// tools at all, or not the messages that belong to them. A wrong match costs one request.
var toolRefusals = lazyregexp.New(`does not support (tools|function)|support tool use|` + // Ollama, OpenRouter
	`tool (calling|use|choice) is not supported|tool_use_failed|` + // Groq, text-generation servers
	`enable-auto-tool-choice|tool-call-parser|` + // vLLM
	`requires --jinja|tools param|jinja|chat template|prompt template|` + // llama.cpp, LM Studio
	`roles must alternate|role not supported|unexpected role|single tool[- ]call|` + // templates of Gemma, Mistral, Llama
	`tools (are|is) not supported|(unrecognized|unknown|unexpected|extra).{0,60}\btools\b`)

// RefusesTools reports whether an error may be about tools, which a request without them
// would avoid.
func (e *Error) RefusesTools() bool {
	statuses := []int{0, http.StatusInternalServerError, http.StatusNotImplemented, http.StatusNotFound}
	mayBe := isRefusal(e.Status) || slices.Contains(statuses, e.Status)
	return mayBe && !e.FullContext && toolRefusals().MatchString(e.lower())
}

// Refused reports whether the server rejected the content of the request, for another reason
// than its length.
func (e *Error) Refused() bool { return isRefusal(e.Status) && !e.FullContext }
