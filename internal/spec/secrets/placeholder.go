package secrets

import (
	"bytes"
	"math"
	"slices"
)

// isPlaceholder reports whether a key was never issued: it contains placeholder
// words, is published in documentation, or is not random. body is the key
// without its prefix.
func isPlaceholder(key, body []byte) bool {
	if slices.ContainsFunc([]string{
		"AKIAIOSFODNN7EXAMPLE",                     // AWS's documentation
		"ghp_16C7e42F292c6912E7710c838347Ae178B4a", // GitHub's documentation
		"ghr_1B4a2e77838347a7E420ce178F2E7c6912E169246c34E1ccbF66C46812d16D5B1A9Dc86A1498",
		"AIzaSyDaGmWKa4JsXZ-HjGw7ISLn_3namBGewQe",           // Google's
		"xoxb-17653672481-19874698323-pdFZKVeTuE8sk7oOcHrz", // Slack's
		"xoxb-17653672481-19874698323-pdFZKVeTuE8sk7oOcHrzqytv",
		"AccountKey=Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==", // Azure's emulator
		"sb_secret_N7UND0UgjKTVK-Uodkm0Hg_xSvEMPvz",                                                           // local Supabase
	}, func(published string) bool { return equalExceptOneByte(key, published) }) {
		return true
	}
	lower := bytes.ToLower(body)
	for _, word := range []string{
		"example", "sample", "placeholder", "redacted", "dummy", "fake", "changeme", "replace", "insert", "secret", "token",
		"yourkey", "your_", "your-", "apikey", "api_key", "api-key", "xxxx", "password", "notreal", "not-real", "mykey", "my-key",
		"deadbeef", "qwerty", "lorem", "test-", "test_", "-test", "_test", "testtest", "revoked", "invalid", "truncated",
	} {
		if bytes.Contains(lower, []byte(word)) {
			return true
		}
	}
	return repetitive(body) || sequential(body) || alphabetic(lower) || !random(body)
}

// equalExceptOneByte reports whether a key equals a published one or differs in one byte.
func equalExceptOneByte(key []byte, published string) bool {
	if len(key) != len(published) {
		return false
	}
	others := 0
	for i, c := range key {
		if c != published[i] {
			others++
		}
	}
	return others <= 1
}

// random reports whether a body has the entropy of a random key of its length:
// invented keys use few distinct bytes.
func random(body []byte) bool {
	var counts [256]int
	letters, digits := 0, 0
	for _, c := range body {
		counts[c]++
		if '0' <= c && c <= '9' {
			digits++
		} else {
			letters++
		}
	}
	bits := 0.0
	for _, n := range counts {
		if n > 0 {
			share := float64(n) / float64(len(body))
			bits -= share * math.Log2(share)
		}
	}
	// A base32 body of sixteen bytes has 3.6 bits per byte on average, one of 36
	// alphanumerics 4.6, a hexadecimal one of any length 3.8.
	least := 2.9
	if len(body) >= 30 {
		least = 3.3
	}
	return bits >= least && letters > 0 && (digits > 0 || len(body) < 36)
}

// sequential reports whether six bytes are consecutive (abcdef, 123456) or
// equal (000000), also with another byte between each two: 1a2b3c4d5e6f.
func sequential(body []byte) bool {
	for _, stride := range []int{1, 2} {
		steps := 0
		for i := stride; i < len(body); i++ {
			step := int(body[i]) - int(body[i-stride])
			before := step + 2 // not seen yet
			if i >= 2*stride {
				before = int(body[i-stride]) - int(body[i-2*stride])
			}
			if step < -1 || step > 1 {
				steps = 0
				continue
			}
			if step != before && stride == 1 {
				steps = 0
			}
			steps++
			if steps >= 5*stride {
				return true
			}
		}
	}
	return false
}

// alphabetic reports whether eight letters in a row, whatever is between them, are as in
// the alphabet: abc123def456ghi.
func alphabetic(lower []byte) bool {
	steps, last := 0, byte(0)
	for _, c := range lower {
		switch {
		case c < 'a' || c > 'z':
			continue
		case c == last+1:
			steps++
		default:
			steps = 0
		}
		last = c
		if steps >= 7 {
			return true
		}
	}
	return false
}

// repetitive reports whether a body repeats a shorter text.
func repetitive(body []byte) bool {
	for period := 1; period <= min(len(body)/2, 64); period++ {
		same := 0
		for i := period; i < len(body); i++ {
			if body[i] == body[i-period] {
				same++
			}
		}
		if same*10 >= (len(body)-period)*6 {
			return true
		}
	}
	return false
}
