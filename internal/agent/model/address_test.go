package model

import (
	"strings"
	"testing"
)

// TestAddressHint checks that the hint asks for /v1 only where the URL does not end in it.
func TestAddressHint(t *testing.T) {
	for base, want := range map[string]bool{"http://x": true, "http://x/v1": false, "http://x/v1/": false, "http://x/api": true} {
		if got := strings.Contains(addressHint(base), "/v1"); got != want {
			t.Errorf("%s: %q", base, addressHint(base))
		}
	}
}
