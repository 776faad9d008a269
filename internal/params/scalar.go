package params

import (
	"encoding/json"
	"math"
	"reflect"
	"strconv"
	"strings"
	"time"
)

// decodeDuration reads a text such as 1m30s; a bare number could be of any unit.
func decodeDuration(raw json.RawMessage, v reflect.Value, path string) error {
	var text string
	err := json.Unmarshal(raw, &text)
	if err == nil {
		var d time.Duration
		if d, err = time.ParseDuration(strings.TrimSpace(text)); err == nil {
			v.SetInt(int64(d))
		}
	}
	if err != nil {
		return &typeError{path, "a duration such as 90s or 1m30s", raw}
	}
	return nil
}

func wanted(k reflect.Kind) string {
	switch k {
	case reflect.String:
		return "a string"
	case reflect.Bool:
		return "true or false"
	}
	return "a value of another type"
}

// integer reads a whole number, also from a string or with a fraction of zero.
func integer(raw json.RawMessage) (int64, bool) {
	text := strings.TrimSpace(string(raw))
	var quoted string
	if json.Unmarshal(raw, &quoted) == nil {
		text = strings.TrimSpace(quoted)
	}
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return n, true
	}
	f, err := strconv.ParseFloat(text, 64)
	// Beyond 2^53 a float is no longer the number that was written.
	if err != nil || f != math.Trunc(f) || math.Abs(f) > 1<<53 {
		return 0, false
	}
	return int64(f), true
}

// number reads a number, also from a string.
func number(raw json.RawMessage) (float64, bool) {
	var quoted string
	if json.Unmarshal(raw, &quoted) == nil {
		raw = json.RawMessage(strings.TrimSpace(quoted))
	}
	var f float64
	return f, json.Unmarshal(raw, &f) == nil && len(raw) > 0 && raw[0] != 'n'
}
