package secrets

import (
	"bytes"
	"math"
	"slices"
)

// isPlaceholder reports whether a key was never issued: it says so in words, is
// known from documentation, or is not random. body is the key without its prefix.
func isPlaceholder(key, body []byte) bool {
	if slices.ContainsFunc([]string{
		"AKIAIOSFODNN7EXAMPLE",                              // AWS's documentation
		"ghp_16C7e42F292c6912E7710c838347Ae178B4a",          // GitHub's documentation
		"AIzaSyDaGmWKa4JsXZ-HjGw7ISLn_3namBGewQe",           // Google's
		"xoxb-17653672481-19874698323-pdFZKVeTuE8sk7oOcHrz", // Slack's
		"xoxb-17653672481-19874698323-pdFZKVeTuE8sk7oOcHrzqytv",
		"AccountKey=Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==", // of Azure's emulator, everybody's
		"sb_secret_N7UND0UgjKTVK-Uodkm0Hg_xSvEMPvz",                                                           // of every Supabase on a developer's machine
	}, func(published string) bool { return nearly(key, published) }) {
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
	return repetitive(body) || sequential(body) || !random(body)
}

// nearly reports whether a key is a published one, or differs from it in one byte.
func nearly(key []byte, published string) bool {
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
// invented keys use few different bytes.
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
	// A body of sixteen bytes of base32 has 3.6 bits a byte on the average,
	// one of 36 alphanumerics 4.6; hexadecimal ones of any length 3.8.
	least := 2.9
	if len(body) >= 30 {
		least = 3.3
	}
	return bits >= least && letters > 0 && (digits > 0 || len(body) < 36)
}

// sequential reports whether six bytes in a row follow each other: abcdef, 123456,
// 000000, or with one other byte between each two: 1a2b3c4d5e6f.
func sequential(body []byte) bool {
	for _, stride := range []int{1, 2} {
		steps := 0
		for i := stride; i < len(body); i++ {
			step := int(body[i]) - int(body[i-stride])
			before := step + 2 // none
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
			if steps++; steps >= 5*stride {
				return true
			}
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
