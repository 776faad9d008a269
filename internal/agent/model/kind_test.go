package model

import (
	"strings"
	"testing"
)

func TestRecognise(t *testing.T) {
	for _, test := range []struct{ address, header, want, setting string }{
		{"http://localhost:11434/v1", "", "Ollama", "OLLAMA_CONTEXT_LENGTH=32768"},
		{"http://192.168.1.5:1234/v1", "", "LM Studio", "--context-length 32768"},
		{"http://localhost:8080/v1", "", "llama.cpp", "-c 32768"},
		{"http://localhost:9999/v1", "llama.cpp", "llama.cpp", "-c 32768"},
		{"http://localhost:8000/v1", "uvicorn", "vLLM", "--max-model-len 32768"},
		{"http://localhost:8000/v1", "llama.cpp", "llama.cpp", "-c 32768"},
		{"http://model-runner.docker.internal/engines/v1", "", "Docker Model Runner", "--context-size 32768"},
		{"https://api.openai.com/v1", "cloudflare", "", "at least 32768 tokens"},
		{"://", "", "", "at least 32768 tokens"},
	} {
		k := Recognise(test.address, test.header)
		if k.Name != test.want || !strings.Contains(k.Setting(32768), test.setting) {
			t.Errorf("%s %q: got %s: %s", test.address, test.header, k.Name, k.Setting(32768))
		}
	}
}
