package model

import "testing"

// TestLoads checks which answers mean that the model is being loaded.
func TestLoads(t *testing.T) {
	for body, want := range map[string]bool{
		`{"error":{"code":503,"message":"Loading model","type":"unavailable_error"}}`:  true, // llama.cpp
		`{"error":"Model x/y is currently loading","estimated_time":20.0}`:             true, // Hugging Face
		`{"error":"The model 'x' is still being loaded. Try again later."}`:            true, // LM Studio
		`{"detail":"model x is warming up"}`:                                           true,
		`{"error":"Model with name x is not ready."}`:                                  true, // KServe
		`{"message":"The server is starting"}`:                                         true,
		"loading the model":                                                            true,
		`{"error":"error loading model"}`:                                              false,
		`{"error":"failed to load model x: model is not loaded"}`:                      false,
		`{"error":"server busy, please try again. maximum pending requests exceeded"}`: false,
		`{"error":"model x is overloaded"}`:                                            false,
		``:                                                                             false,
	} {
		if got := loads(503, body); got != want {
			t.Errorf("%s: got %v", body, got)
		}
		if loads(500, body) || loads(404, body) {
			t.Errorf("%s: another status counts", body)
		}
	}
}
