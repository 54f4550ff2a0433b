// Package values records how the small value types of the API are read, compared and written.
package values

import (
	"encoding/json"
	"math"
	"math/big"

	"gopkg.in/inf.v0"
	"k8s.io/apimachinery/pkg/api/resource"

	"keelson/tests/recorder/jsonl"
)

// quantityLine is what is recorded of one text. Value and Milli are rounded up, as Kubernetes does, and left
// out where they do not fit 64 bits, because Go's answer is without meaning then.
type quantityLine struct {
	In        string `json:"in"`
	OK        bool   `json:"ok"`
	Error     string `json:"error,omitempty"`
	Canonical string `json:"canonical,omitempty"`
	// What Go writes right after parsing: some short texts are kept as they were.
	String string   `json:"string,omitempty"`
	Value  *int64   `json:"value,omitempty"`
	Milli  *int64   `json:"milli,omitempty"`
	Sign   *int     `json:"sign,omitempty"`
	Float  *float64 `json:"float,omitempty"`
	Format string   `json:"format,omitempty"`
	// Value or Milli is not the amount rounded away from zero, as it is for all others: an error in Go's
	// arithmetic that nobody should depend on.
	Odd bool `json:"odd,omitempty"`
}

var suffixes = []string{"n", "u", "m", "", "k", "M", "G", "T", "P", "E", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"}

func quantityTexts() []string {
	texts := []string{}
	for _, suffix := range suffixes {
		for _, number := range []string{"0", "1", "-1", "+1", "12", "999", "1000", "1024", "1500", "0.5", "1.25", "-2.5", ".1", "1.", "007", "1.500", "0.001", "123456789", "9223372036854775807"} {
			texts = append(texts, number+suffix)
		}
	}
	for _, exponent := range []string{"e0", "e1", "e2", "e3", "e6", "e9", "e12", "e18", "e19", "e-1", "e-3", "e-6", "e-9", "e-10", "E0", "E1", "E3", "E+3", "E-3", "e+6", "E18"} {
		for _, number := range []string{"1", "-3", "1.5", "120", "0", "10"} {
			texts = append(texts, number+exponent)
		}
	}
	texts = append(texts,
		// Signs and zeros.
		"-0", "+0", "0.0", "00", "-0.0", "0Ki", "0m", "0.000000000", "000123", "1.000000000", "1.100000000m", "100.00", "+5Gi", "-5Gi", "-.5", "+.5", "0.10Gi",
		// Around the limits of 64 bits.
		"9223372036854775806", "9223372036854775808", "-9223372036854775807", "-9223372036854775808", "-9223372036854775809",
		"18446744073709551615", "18446744073709551616", "9223372036854775807m", "9223372036854775808m", "9223372036854775807n", "9223372036854775807k",
		"100000000000000000000", "123456789012345678901234567890", "-123456789012345678901234567890", "8Ei", "7.9999Ei", "16Ei", "1024Ei", "9E", "10E", "1000E", "92233720368547758.07k",
		"999999999999999999", "1000000000000000000", "999999999999999999999", "1e18", "1e20", "1e30", "123e25", "1e100",
		// Below a billionth: rounded up, away from zero.
		"1e-10", "0.0000000001", "-0.0000000001", "0.5n", "0.1n", "1.5n", "-1.5n", "1.1n", "1.9n", "0.0000000015", "0.123456789", "0.1234567891", "1.0000000001", "0.01m", "0.0001u", "0.00000000000000000001",
		"3.0000000000000000001", "1.0000000000000000001Ki", "0.001Ki", "0.0001Ki", "0.00001Mi", "0.3Ki", "1.1Ki", "1.3Gi", "0.1Ei", "1.0009765625Ki",
		// Forms that change when written canonically.
		"1000m", "1500m", "2000m", "0.1", "0.01", "1000k", "1000000", "1024Ki", "1048576Ki", "1536Mi", "1536Ki", "2048Gi", "1000Ki", "10000Mi", "1.5Ki", "2.5Mi", "0.5Gi", "1000000u", "1000000000n", "1001n", "1100u",
		"1e3", "1000e3", "1000e1", "10e2", "1e4", "12e4", "0.001e3", "100e-2", "1.23e2", "1.23e4", "1.23456e3", "123456e-3",
		// Not quantities.
		"", " ", "abc", "m", "Ki", "k", "-", "+", ".", "-.", "--1", "+-1", "1 ", " 1", "1 Gi", "1GI", "1gi", "1KI", "1ki", "1K", "1mi", "1B", "1KB", "1MiB", "1Kib", "1.2.3", "1,000", "1_000",
		"0x10", "1e", "1E+", "1e-", "1e1.5", "1e3m", "1e3Ki", "e3", "1eK", "1mm", "1kk", "1kKi", "1Zi", "1Z", "1Y", "1p", "1t", "1g", "NaN", "inf", "Infinity", "\u0661", "1\u00b5", "1\n", "\t1", "${x}", "5%", "1/2", "'1'", "1i")
	return texts
}

func describeQuantity(text string) quantityLine {
	quantity, err := resource.ParseQuantity(text)
	if err != nil {
		return quantityLine{In: text, Error: err.Error()}
	}
	sign := quantity.Sign()
	line := quantityLine{In: text, OK: true, Canonical: canonicalText(quantity), String: quantity.String(), Sign: &sign, Format: string(quantity.Format)}
	if whole := roundedUp(quantity, 0); whole.IsInt64() {
		value := quantity.Value()
		line.Value = &value
		line.Odd = line.Odd || value != whole.Int64()
	}
	if thousandths := roundedUp(quantity, 3); thousandths.IsInt64() {
		milli := quantity.MilliValue()
		line.Milli = &milli
		line.Odd = line.Odd || milli != thousandths.Int64()
	}
	if float := quantity.AsApproximateFloat64(); !math.IsInf(float, 0) {
		line.Float = &float
	}
	return line
}

// canonicalText writes the quantity anew.
func canonicalText(quantity resource.Quantity) string {
	number, suffix := quantity.CanonicalizeBytes(make([]byte, 0, 64))
	return string(number) + string(suffix)
}

// roundedUp is the quantity times 10^digits, away from zero.
func roundedUp(quantity resource.Quantity, digits inf.Scale) *big.Int {
	copied := quantity.DeepCopy()
	rounded := new(inf.Dec).Round(copied.AsDec(), digits, inf.RoundUp)
	return rounded.UnscaledBig()
}

// RecordQuantity writes quantity.jsonl, quantity_json.jsonl and quantity_arith.jsonl.
func RecordQuantity(dir string) error {
	file := jsonl.Create(dir, "quantity.jsonl")
	seen := map[string]bool{}
	for _, text := range quantityTexts() {
		if !seen[text] {
			seen[text] = true
			file.Add(describeQuantity(text))
		}
	}
	if err := file.Close(); err != nil {
		return err
	}
	if err := recordQuantityJSON(dir); err != nil {
		return err
	}
	return recordQuantityArithmetic(dir)
}

// recordQuantityJSON records what stands in a JSON document: a string, a number or null.
func recordQuantityJSON(dir string) error {
	type line struct {
		In    json.RawMessage `json:"in"`
		OK    bool            `json:"ok"`
		Error string          `json:"error,omitempty"`
		Out   json.RawMessage `json:"out,omitempty"`
	}
	file := jsonl.Create(dir, "quantity_json.jsonl")
	for _, in := range []string{`"1"`, `"1500m"`, `"1000m"`, `" 1 "`, `" 64Mi"`, `5`, `0`, `-3`, `1.5`, `1e3`, `1E3`, `0.001`, `123456789012345678901`, `null`, `""`, `"abc"`, `true`, `{}`, `[]`, `"0"`, `"1024Ki"`, `"null"`} {
		var quantity resource.Quantity
		if err := json.Unmarshal([]byte(in), &quantity); err != nil {
			file.Add(line{In: json.RawMessage(in), Error: err.Error()})
			continue
		}
		out, err := json.Marshal(quantity)
		if err != nil {
			return err
		}
		file.Add(line{In: json.RawMessage(in), OK: true, Out: out})
	}
	return file.Close()
}

func recordQuantityArithmetic(dir string) error {
	type line struct {
		A       string `json:"a"`
		B       string `json:"b"`
		Sum     string `json:"sum"`
		Diff    string `json:"diff"`
		Cmp     int    `json:"cmp"`
		Negated string `json:"negated_a"`
	}
	texts := []string{"0", "1", "-1", "100m", "1500m", "2", "1k", "1Ki", "64Mi", "1Gi", "-1Gi", "5G", "12e3", "1e-3", "100n", "999999999n", "9223372036854775807", "-9223372036854775808", "8Ei", "18446744073709551616", "0.1Ki"}
	file := jsonl.Create(dir, "quantity_arith.jsonl")
	for _, a := range texts {
		for _, b := range texts {
			left, right := resource.MustParse(a), resource.MustParse(b)
			sum, diff, negated := left.DeepCopy(), left.DeepCopy(), left.DeepCopy()
			sum.Add(right)
			diff.Sub(right)
			negated.Neg()
			file.Add(line{a, b, sum.String(), diff.String(), left.Cmp(right), negated.String()})
		}
	}
	return file.Close()
}
