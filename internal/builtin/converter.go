package builtin

import (
	"context"
	_ "embed" // the skill's texts
	"math"

	"skills/internal/loader"
)

//go:embed unit-converter.md
var converterText string

//go:embed conversion-table.md
var conversionTable string

// conversion is what the script convert takes.
type conversion struct {
	Value  float64 `json:"value" desc:"the number to convert"`
	Factor float64 `json:"factor" desc:"the factor from conversion-table"`
}

// converted is what it returns.
type converted struct {
	Value  float64 `json:"value"`
	Factor float64 `json:"factor"`
	Result float64 `json:"result"`
}

// UnitConverter is the skill of the demo: the same as the one among the test
// skills, made in Go, so that it needs no interpreter and no files.
func UnitConverter() (*loader.Skill, error) {
	return loader.Inline(loader.Frontmatter{
		Name:        "unit-converter",
		Description: "Converts lengths and weights with a table of factors. Use when a task asks for miles, kilometers, pounds or kilograms in another unit.",
		License:     "MIT",
	}, converterText,
		loader.Value("conversion-table", "Factors between the units", conversionTable),
		loader.Function("convert", "Multiplies a value by a factor", convert))
}

func convert(_ context.Context, in conversion) (converted, error) {
	const digits = 1e6
	return converted{in.Value, in.Factor, math.Round(in.Value*in.Factor*digits) / digits}, nil
}
