// Package params goes between the JSON that models write for functions and
// Go values: decoding that takes a model at what it means and says what is
// wrong so that it can do better, and the JSON Schema of a Go type.
//
// It must not know of tools, skills or models.
package params
