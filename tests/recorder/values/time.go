package values

import (
	"encoding/json"
	"math"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"keelson/tests/recorder/jsonl"
)

// timeLine records one JSON value read as a time. The zero time, which is written as null, has no Unix time.
type timeLine struct {
	Type  string          `json:"type"` // "Time" or "MicroTime"
	In    json.RawMessage `json:"in"`
	OK    bool            `json:"ok"`
	Error string          `json:"error,omitempty"`
	Out   json.RawMessage `json:"out,omitempty"`
	Zero  bool            `json:"zero,omitempty"`
	Unix  *int64          `json:"unix,omitempty"`
	Nanos *int            `json:"nanos,omitempty"`
}

var timeTexts = []string{
	`null`, `""`, `"2006-01-02T15:04:05Z"`, `"1970-01-01T00:00:00Z"`, `"1969-12-31T23:59:59Z"`, `"0001-01-01T00:00:00Z"`, `"0001-01-01T00:00:01Z"`,
	`"9999-12-31T23:59:59Z"`, `"10000-01-01T00:00:00Z"`, `"0000-01-01T00:00:00Z"`, `"2024-02-29T12:00:00Z"`, `"2023-02-29T12:00:00Z"`, `"2000-02-29T00:00:00Z"`, `"1900-02-29T00:00:00Z"`,
	`"2006-01-02T15:04:05+01:00"`, `"2006-01-02T15:04:05-07:30"`, `"2006-01-02T15:04:05+00:00"`, `"2006-01-02T15:04:05-00:00"`, `"2006-01-02T23:59:59-12:00"`, `"2006-01-02T15:04:05+24:00"`, `"2006-01-02T15:04:05+25:00"`, `"2006-01-02T15:04:05+01:60"`, `"2006-01-02T15:04:05+0100"`, `"2006-01-02T15:04:05+01"`,
	`"2006-01-02T15:04:05.1Z"`, `"2006-01-02T15:04:05.123456Z"`, `"2006-01-02T15:04:05.000000Z"`, `"2006-01-02T15:04:05.999999Z"`, `"2006-01-02T15:04:05.123456789Z"`, `"2006-01-02T15:04:05.1234567891Z"`, `"2006-01-02T15:04:05.123456+02:00"`, `"2006-01-02T15:04:05.000001Z"`, `"2006-01-02T15:04:05.Z"`, `"2006-01-02T15:04:05,5Z"`, `"2006-01-02T15:04:05.12345Z"`, `"2006-01-02T15:04:05.1234567Z"`, `"1969-12-31T23:59:59.500000Z"`,
	`"2006-01-02T15:04:60Z"`, `"2006-01-02T15:60:05Z"`, `"2006-01-02T24:00:00Z"`, `"2006-13-02T15:04:05Z"`, `"2006-00-02T15:04:05Z"`, `"2006-01-00T15:04:05Z"`, `"2006-01-32T15:04:05Z"`, `"2006-04-31T15:04:05Z"`,
	`"2006-1-2T15:04:05Z"`, `"2006-01-02T5:04:05Z"`, `"2006-01-02T15:4:05Z"`, `"06-01-02T15:04:05Z"`, `"2006-01-02 15:04:05Z"`, `"2006-01-02t15:04:05z"`, `"2006-01-02T15:04:05"`, `"2006-01-02T15:04Z"`, `"2006-01-02"`, `"15:04:05Z"`, `"2006-01-02T15:04:05z"`, `" 2006-01-02T15:04:05Z"`, `"2006-01-02T15:04:05Z "`, `"-2006-01-02T15:04:05Z"`, `"abc"`, `"null"`, `"Mon, 02 Jan 2006 15:04:05 GMT"`,
	`1136214245`, `0`, `true`, `{}`, `[]`,
}

// RecordTime writes time.jsonl.
func RecordTime(dir string) error {
	file := jsonl.Create(dir, "time.jsonl")
	for _, text := range timeTexts {
		var plain metav1.Time
		file.Add(describeTime("Time", text, &plain, &plain.Time))
		var micro metav1.MicroTime
		file.Add(describeTime("MicroTime", text, &micro, &micro.Time))
	}
	return file.Close()
}

func describeTime(kind, text string, value any, inner *time.Time) timeLine {
	line := timeLine{Type: kind, In: json.RawMessage(text)}
	if err := json.Unmarshal([]byte(text), value); err != nil {
		line.Error = err.Error()
		return line
	}
	out, err := json.Marshal(value)
	if err != nil {
		line.Error = err.Error()
		return line
	}
	line.OK, line.Out, line.Zero = true, out, inner.IsZero()
	if !line.Zero {
		seconds, nanos := inner.Unix(), inner.Nanosecond()
		line.Unix, line.Nanos = &seconds, &nanos
	}
	return line
}

// RecordDuration writes duration.jsonl: Go's duration texts, and how each is written again.
func RecordDuration(dir string) error {
	type line struct {
		In    json.RawMessage `json:"in"`
		OK    bool            `json:"ok"`
		Error string          `json:"error,omitempty"`
		Nanos *int64          `json:"nanos,omitempty"`
		Out   json.RawMessage `json:"out,omitempty"`
	}
	texts := []string{
		"0", "0s", "+0", "-0", "00s", "0h0m0s", "1s", "5s", "30s", "60s", "90s", "3600s", "3661s", "86400s", "1m", "1m30s", "90m", "1h", "1h1s", "1h0m1s", "24h", "36h", "1h30m", "100h30m15s", "1h2m3s4ms5us6ns",
		"1ms", "10ms", "999ms", "1000ms", "1500ms", "1001ms", "1us", "1\u00b5s", "1\u03bcs", "999us", "1000us", "1500us", "1ns", "10ns", "999ns", "1000ns", "1001ns", "1000000001ns",
		"-1s", "+5s", "-1h30m", "-1.5h", "--1s", "1.5s", "0.5s", ".5s", "5.s", "1.s", ".s", "1.5h", "0.1ns", "0.9ns", "1.9ns", "0.000000001s", "0.0000000001s", "1.123456789s", "1.1234567899s", "0.3333333333333333333h", "9007199254.740993ms", "0.100000000000000000000h", "1.00000000000000000000000000s",
		"9223372036854775807ns", "9223372036854775808ns", "-9223372036854775808ns", "-9223372036854775809ns", "9223372036s", "9223372037s", "2562047h47m16.854775807s", "2562047h47m16.854775808s", "2562048h", "153722867m", "153722868m", "10000000000000000000ns", "99999999999999999999s",
		"1m1m", "1s1h", "3s4ms3s", "1h-1m", "1h 1m", " 1s", "1s ", "",
		"1", "1.5", "-5", "+", "-", "s", "h", ".", "-.", "-.s", "+.s", "1d", "1w", "1y", "1S", "1H", "1M", "1sec", "1hr", "1min", "1m s", "abc", "P1D", "PT1H", "1e3s", "0x1s", "1_000s", "1,5s", "1:30", "5ss", "\u0661s",
	}
	var inputs []string
	for _, text := range texts {
		quoted, err := json.Marshal(text)
		if err != nil {
			return err
		}
		inputs = append(inputs, string(quoted))
	}
	inputs = append(inputs, `null`, `5`, `1.5`, `true`, `{}`, `[]`)
	file := jsonl.Create(dir, "duration.jsonl")
	for _, in := range inputs {
		var duration metav1.Duration
		if err := json.Unmarshal([]byte(in), &duration); err != nil {
			file.Add(line{In: json.RawMessage(in), Error: err.Error()})
			continue
		}
		out, err := json.Marshal(duration)
		if err != nil {
			return err
		}
		nanos := int64(duration.Duration)
		file.Add(line{In: json.RawMessage(in), OK: true, Nanos: &nanos, Out: out})
	}
	for _, nanos := range []int64{math.MaxInt64, math.MinInt64, 1, -1, 999999999, 1000000000, 59999999999, 3599999999999, 3600000000000} {
		written, err := json.Marshal(metav1.Duration{Duration: time.Duration(nanos)})
		if err != nil {
			return err
		}
		file.Add(line{In: written, OK: true, Nanos: &nanos, Out: written})
	}
	return file.Close()
}
