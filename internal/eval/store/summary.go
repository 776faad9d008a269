package store

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"skills/internal/eval/stats"
)

// ID is the id of a case: in JSON, a number if it is written like one.
type ID string

// MarshalJSON writes a number or a string.
func (id ID) MarshalJSON() ([]byte, error) {
	if n, err := strconv.Atoi(string(id)); err == nil && strconv.Itoa(n) == string(id) {
		return []byte(id), nil
	}
	return json.Marshal(string(id))
}

// UnmarshalJSON reads a number or a string.
func (id *ID) UnmarshalJSON(data []byte) error {
	if data[0] == '"' {
		return json.Unmarshal(data, (*string)(id))
	}
	return json.Unmarshal(data, (*json.Number)(id))
}

// sortKey orders ids that are numbers by value, before the others.
func sortKey(id string) string {
	if n, err := strconv.ParseUint(id, 10, 64); err == nil {
		return fmt.Sprintf("%020d", n)
	}
	return "~" + id
}

// Summary describes the runs of each configuration, the measured one first.
type Summary struct {
	Arms []ArmSummary
}

// ArmSummary describes the runs of one configuration; nil numbers are unknown.
type ArmSummary struct {
	Configuration string `json:"-"`
	Rate          *Stat  `json:"pass_rate"`
	Time          *Stat  `json:"time_seconds"`
	Tokens        *Stat  `json:"tokens"`
}

// Stat describes numbers.
type Stat struct {
	Mean   float64 `json:"mean"`
	StdDev float64 `json:"stddev"`
	Min    float64 `json:"min"`
	Max    float64 `json:"max"`
}

// MarshalJSON writes an object with a key for each configuration, in order, and delta, the
// differences of the first two as signed strings: skill-creator's viewer relies on both. The
// difference as a number is in the statistics.
func (s Summary) MarshalJSON() ([]byte, error) {
	var a, b ArmSummary
	if len(s.Arms) > 1 && with(s.Arms[0].Configuration) {
		a, b = s.Arms[0], s.Arms[1]
	}
	out := []byte("{")
	for _, arm := range s.Arms {
		data, err := json.Marshal(arm)
		if err != nil {
			return nil, err
		}
		out = fmt.Appendf(out, "%q:%s,", arm.Configuration, data)
	}
	data, err := json.Marshal(map[string]any{
		"pass_rate":    signed(a.Rate, b.Rate, 2),
		"time_seconds": signed(a.Time, b.Time, 1),
		"tokens":       signed(a.Tokens, b.Tokens, 0),
	})
	return fmt.Appendf(out, `"delta":%s}`, data), err
}

// signed returns the difference of two means, nil if one is unknown.
func signed(a, b *Stat, digits int) any {
	if a == nil || b == nil {
		return nil
	}
	return fmt.Sprintf("%+.*f", digits, stats.Round(a.Mean-b.Mean))
}

func summarise(runs []Result) Summary {
	s := Summary{Arms: []ArmSummary{}}
	for _, configuration := range configurations() {
		var rates, times, tokens []float64
		for _, r := range runs {
			if r.Configuration != configuration {
				continue
			}
			rates = append(rates, r.Result.Rate)
			if r.Result.Time != nil {
				times = append(times, *r.Result.Time)
			}
			if r.Result.Tokens != nil {
				tokens = append(tokens, float64(*r.Result.Tokens))
			}
		}
		if len(rates) > 0 {
			s.Arms = append(s.Arms, ArmSummary{Configuration: configuration, Rate: describe(rates), Time: describe(times), Tokens: describe(tokens)})
		}
	}
	return s
}

// describe returns nil without values.
func describe(values []float64) *Stat {
	if len(values) == 0 {
		return nil
	}
	mean, deviation := stats.Spread(values)
	low, high := slices.Min(values), slices.Max(values)
	return &Stat{Mean: stats.Round(mean), StdDev: stats.Round(deviation), Min: stats.Round(low), Max: stats.Round(high)}
}
