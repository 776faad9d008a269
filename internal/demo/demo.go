// Package demo holds the recorded conversation of `skills run --demo`. The
// skill it is about is a built-in one, so a machine needs nothing for it: the
// skill is really loaded and its script really run, only the model's turns are
// played back.
package demo

import _ "embed" // the recording

// Prompt is what the recorded conversation begins with.
const Prompt = "How many pounds is one kilogram?"

// Conversation is the recording, as `skills run --record` writes it.
//
//go:embed conversation.jsonl
var Conversation string
