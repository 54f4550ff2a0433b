package main

import (
	"encoding/json"
	"strings"
)

type rule map[string]interface{}
type object = map[string]interface{}

func encoded(value interface{}) json.RawMessage { return must(json.Marshal(value)) }

func lines(text string) []string {
	var result []string
	for _, line := range strings.Split(text, "\n") {
		if line = strings.TrimSpace(line); line != "" {
			result = append(result, line)
		}
	}
	return result
}

// Rules that fail and show the value of an expression, or its error.
func showing(expressions string) []rule {
	var rules []rule
	for _, expression := range lines(expressions) {
		rules = append(rules, rule{
			"rule": "dyn(" + expression + ") == dyn(b'never')", "messageExpression": "'%s'.format([" + expression + "])"})
	}
	return rules
}

func plain(expressions string) []rule {
	var rules []rule
	for _, expression := range lines(expressions) {
		rules = append(rules, rule{"rule": expression})
	}
	return rules
}

// A schema with a property of every sort. All sizes are limited.
func everything(rules []rule) object {
	text := object{"type": "string", "maxLength": 20}
	return object{"type": "object", "x-kubernetes-validations": rules, "properties": object{
		"s": text, "t": text, "long": object{"type": "string"}, "i": object{"type": "integer"}, "j": object{"type": "integer"},
		"d": object{"type": "number"}, "e": object{"type": "number"}, "b": object{"type": "boolean"},
		"enum":   object{"type": "string", "enum": []string{"one", "three"}},
		"texts":  object{"type": "array", "maxItems": 10, "items": text},
		"ints":   object{"type": "array", "maxItems": 10, "items": object{"type": "integer"}},
		"reals":  object{"type": "array", "maxItems": 10, "items": object{"type": "number"}},
		"bools":  object{"type": "array", "maxItems": 10, "items": object{"type": "boolean"}},
		"times":  object{"type": "array", "maxItems": 10, "items": object{"type": "string", "format": "date-time"}},
		"spans":  object{"type": "array", "maxItems": 10, "items": object{"type": "string", "format": "duration"}},
		"nested": object{"type": "array", "maxItems": 5, "items": object{"type": "array", "maxItems": 5, "items": text}},
		"set":    object{"type": "array", "maxItems": 10, "x-kubernetes-list-type": "set", "items": text},
		"set2":   object{"type": "array", "maxItems": 10, "x-kubernetes-list-type": "set", "items": text},
		"items": object{"type": "array", "maxItems": 10, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": []string{"key"},
			"items": object{"type": "object", "required": []string{"key"}, "properties": object{"key": text, "value": object{"type": "integer"}, "list": object{"type": "array", "maxItems": 7, "items": text}}}},
		"items2": object{"type": "array", "maxItems": 10, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": []string{"key"},
			"items": object{"type": "object", "required": []string{"key"}, "properties": object{"key": text, "value": object{"type": "integer"}}}},
		"map":      object{"type": "object", "maxProperties": 5, "additionalProperties": text},
		"mapOfMap": object{"type": "object", "maxProperties": 5, "additionalProperties": object{"type": "object", "maxProperties": 5, "additionalProperties": object{"type": "integer"}}},
		"dateTime": object{"type": "string", "format": "date-time"}, "date": object{"type": "string", "format": "date"},
		"duration": object{"type": "string", "format": "duration"}, "bytes": object{"type": "string", "format": "byte", "maxLength": 30},
		"either": object{"x-kubernetes-int-or-string": true}, "either2": object{"x-kubernetes-int-or-string": true, "maxLength": 10},
		"nullable": object{"type": "string", "nullable": true, "maxLength": 5}, "absent": text,
		"nullables": object{"type": "array", "maxItems": 5, "items": object{"type": "string", "nullable": true, "maxLength": 5}},
		"any":       object{"x-kubernetes-preserve-unknown-fields": true}, "open": object{"type": "object", "x-kubernetes-preserve-unknown-fields": true, "properties": object{"known": text}},
		"open2":    object{"type": "object", "x-kubernetes-preserve-unknown-fields": true, "properties": object{"known": text}},
		"object":   object{"type": "object", "required": []string{"a"}, "properties": object{"a": text, "b": object{"type": "integer"}, "any": object{"x-kubernetes-preserve-unknown-fields": true}}},
		"embedded": object{"type": "object", "x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true, "properties": object{"spec": object{"type": "object", "properties": object{"x": object{"type": "integer"}}}}},
		"foo-bar":  text, "a.b": text, "a/b": text, "a__b": text, "namespace": text, "if": text, "1digit": text, "a b": text, "_": text, "for": object{"type": "object", "properties": object{"in": text}},
	}}
}

// An object with a value for most of them.
func full() object {
	return object{
		"apiVersion": "example.com/v1", "kind": "Thing", "metadata": object{"name": "full", "namespace": "default", "uid": "u-1", "labels": object{"a": "b"}},
		"s": "héllo wörld", "t": "a,b,c", "long": strings.Repeat("ab", 50), "i": 7, "j": -3, "d": 2.5, "e": 3, "b": true, "enum": "three",
		"texts": []string{"b", "a", "c", "a"}, "ints": []int{3, 1, 2}, "reals": []float64{1.5, 2, 0.25}, "bools": []bool{false, true},
		"times": []string{"2024-01-02T03:04:05Z", "2023-01-02T03:04:05.5+02:00"}, "spans": []string{"1h", "30m", "2s"},
		"nested": [][]string{{"x", "y"}, {}, {"z"}}, "set": []string{"p", "q"}, "set2": []string{"q", "p"},
		"items":  []object{{"key": "k1", "value": 1, "list": []string{"u"}}, {"key": "k2", "value": 2}},
		"items2": []object{{"key": "k2", "value": 2}, {"key": "k1", "value": 1}},
		"map":    object{"one": "1", "two": "2", "foo-bar": "3"}, "mapOfMap": object{"x": object{"y": 1}},
		"dateTime": "2024-02-29T12:00:00.123456789+01:00", "date": "2024-02-29", "duration": "1h30m", "bytes": "aGVsbG8td29ybGQ_",
		"either": 5, "either2": "25%", "nullable": nil, "nullables": []interface{}{"a", nil}, "any": object{"x": []int{1, 2}},
		"open": object{"known": "k", "other": 1}, "open2": object{"known": "k", "other": 2}, "object": object{"a": "A", "b": 1, "any": 5},
		"embedded": object{"apiVersion": "v1", "kind": "Pod", "metadata": object{"name": "pod", "labels": object{}}, "spec": object{"x": 1}},
		"foo-bar":  "dash", "a.b": "dot", "a/b": "slash", "a__b": "underscores", "namespace": "ns", "if": "keyword", "1digit": "digit", "a b": "blank", "_": "under",
		"for": object{"in": "loop"},
	}
}

func fullCase(rules []rule) testCase {
	return testCase{Schema: encoded(everything(rules)), Writes: []write{{Object: encoded(full())}}}
}

func cases() []testCase {
	var all []testCase
	for _, text := range showings {
		all = append(all, fullCase(showing(text)))
	}
	for _, text := range plains {
		all = append(all, fullCase(plain(text)))
	}
	all = append(all, transitions()...)
	all = append(all, reports()...)
	all = append(all, budgets()...)
	return append(all, definitions()...)
}
