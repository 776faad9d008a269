// Package prompt is what a model is told: the catalogue of skills in the
// formats of `skills to-prompt`, the instruction texts of the context
// providers, the descriptions of their tools, and the content that loading a
// skill returns.
//
// The texts are Markdown files beside the code, so that they can be read and
// changed as texts. They say what the framework's documents say, in words of
// their own.
//
// The package must not know of models, sessions, disks or terminals: it turns
// values into text, the same values always into the same bytes.
package prompt
