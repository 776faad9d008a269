package store

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
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
	var n json.Number
	if err := json.Unmarshal(data, &n); err == nil && data[0] != '"' {
		*id = ID(n)
		return nil
	}
	return json.Unmarshal(data, (*string)(id))
}

// compareIDs orders numbers before other ids.
func compareIDs(a, b string) int {
	m, errA := strconv.Atoi(a)
	n, errB := strconv.Atoi(b)
	if errA == nil && errB == nil {
		return cmp.Compare(m, n)
	}
	return cmp.Or(cmp.Compare(failing(errA), failing(errB)), cmp.Compare(a, b))
}

func failing(err error) int {
	if err != nil {
		return 1
	}
	return 0
}

// Summary describes the runs of each configuration, the measured one first. Delta is its
// mean minus that of the baseline.
type Summary struct {
	Arms  []ArmSummary
	Delta Delta
	text  bool // the delta is written as signed strings
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

// Delta is the difference of two means each; nil if one is unknown.
type Delta struct {
	Rate   *float64 `json:"pass_rate"`
	Time   *float64 `json:"time_seconds"`
	Tokens *float64 `json:"tokens"`
}

// MarshalJSON writes an object with a key for each configuration, in order, and delta:
// skill-creator's viewer takes the first two for the measured one and the baseline.
func (s Summary) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for _, a := range s.Arms {
		data, err := json.Marshal(a)
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&b, "%q:%s,", a.Configuration, data)
	}
	var delta any = s.Delta
	if s.text {
		delta = struct {
			Rate   *string `json:"pass_rate"`
			Time   *string `json:"time_seconds"`
			Tokens *string `json:"tokens"`
		}{signed(s.Delta.Rate, 2), signed(s.Delta.Time, 1), signed(s.Delta.Tokens, 0)}
	}
	data, err := json.Marshal(delta)
	fmt.Fprintf(&b, `"delta":%s}`, data)
	return b.Bytes(), err
}

func signed(v *float64, digits int) *string {
	if v == nil {
		return nil
	}
	return new(fmt.Sprintf("%+.*f", digits, *v))
}

func summarise(runs []Result) (s Summary) {
	s.Arms = []ArmSummary{}
	for _, configuration := range []string{newSkill, WithSkill, WithoutSkill, OldSkill} {
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
			s.Arms = append(s.Arms, ArmSummary{configuration, describe(rates), describe(times), describe(tokens)})
		}
	}
	if len(s.Arms) > 1 && with(s.Arms[0].Configuration) {
		a, b := s.Arms[0], s.Arms[1]
		s.Delta = Delta{difference(a.Rate, b.Rate), difference(a.Time, b.Time), difference(a.Tokens, b.Tokens)}
	}
	return s
}

func difference(a, b *Stat) *float64 {
	if a == nil || b == nil {
		return nil
	}
	return new(round(a.Mean - b.Mean))
}

// describe returns nil without values.
func describe(values []float64) *Stat {
	if len(values) == 0 {
		return nil
	}
	s, squares := Stat{Mean: mean(values), Min: slices.Min(values), Max: slices.Max(values)}, 0.0
	for _, v := range values {
		squares += (v - s.Mean) * (v - s.Mean)
	}
	s.StdDev = math.Sqrt(squares / float64(max(1, len(values)-1)))
	return &Stat{round(s.Mean), round(s.StdDev), round(s.Min), round(s.Max)}
}
