package main

import "strings"

func small(rules []rule, properties object) object {
	schema := object{"type": "object", "properties": properties}
	if rules != nil {
		schema["x-kubernetes-validations"] = rules
	}
	return schema
}

func update(old, value interface{}) write { return write{Object: encoded(value), Old: encoded(old)} }
func create(value interface{}) write      { return write{Object: encoded(value)} }

func named(content object) object {
	content["apiVersion"], content["kind"], content["metadata"] = "example.com/v1", "Thing", object{"name": "thing", "uid": "u"}
	return content
}

// Rules about changes, and what is forgiven where nothing changed.
func transitions() []testCase {
	number := object{"type": "integer"}
	immutable := []rule{{"rule": "self == oldSelf", "message": "is immutable"}}
	grows := []rule{{"rule": "self >= oldSelf"}}
	failing := []rule{{"rule": "self < 5", "message": "must be small"}}
	with := func(schema object, rules []rule) object {
		copied := object{"x-kubernetes-validations": rules}
		for k, v := range schema {
			copied[k] = v
		}
		return copied
	}
	listMap := func(rules []rule) object {
		return object{"type": "array", "maxItems": 5, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": []string{"a", "b"},
			"items": object{"type": "object", "required": []string{"a", "b"}, "properties": object{"a": object{"type": "string", "maxLength": 5}, "b": number, "v": with(number, rules)}}}
	}
	return []testCase{
		{Schema: encoded(small(nil, object{"n": with(number, immutable)})), Writes: []write{
			create(named(object{"n": 1})), update(named(object{"n": 1}), named(object{"n": 1})), update(named(object{"n": 1}), named(object{"n": 2})),
			update(named(object{}), named(object{"n": 2})), update(named(object{"n": 1}), named(object{})), update(named(object{"n": nil}), named(object{"n": 1}))}},
		{Schema: encoded(small([]rule{{"rule": "self.n >= oldSelf.n"}, {"rule": "has(oldSelf.n)"}, {"rule": "self.metadata.name == oldSelf.metadata.name"}, {"rule": "self == oldSelf"}}, object{"n": number})), Writes: []write{
			create(named(object{"n": 1})), update(named(object{"n": 2}), named(object{"n": 1})), update(named(object{}), named(object{"n": 1})), update(named(object{"n": 1}), named(object{"n": 1}))}},
		{Schema: encoded(small(nil, object{"l": listMap(grows)})), Writes: []write{
			update(named(object{"l": []object{{"a": "x", "b": 1, "v": 5}, {"a": "y", "b": 1, "v": 5}}}), named(object{"l": []object{{"a": "y", "b": 1, "v": 4}, {"a": "x", "b": 1, "v": 6}}})),
			update(named(object{"l": []object{{"a": "x", "b": 1, "v": 5}}}), named(object{"l": []object{{"a": "x", "b": 2, "v": 4}}})),
			update(named(object{}), named(object{"l": []object{{"a": "x", "b": 2, "v": 4}}}))}},
		{Schema: encoded(small(nil, object{"l": listMap(failing)})), Writes: []write{
			update(named(object{"l": []object{{"a": "x", "b": 1, "v": 9}}}), named(object{"l": []object{{"a": "x", "b": 1, "v": 9}, {"a": "y", "b": 1, "v": 9}}})),
			update(named(object{"l": []object{{"a": "x", "b": 1, "v": 9}}}), named(object{"l": []object{{"a": "x", "b": 1, "v": 8}}})),
			create(named(object{"l": []object{{"a": "x", "b": 1, "v": 9}}}))}},
		{Schema: encoded(small(nil, object{"l": object{"type": "array", "maxItems": 5, "items": with(number, failing)}, "o": number})), Writes: []write{
			update(named(object{"l": []int{9, 1}}), named(object{"l": []int{9, 1}, "o": 1})), update(named(object{"l": []int{9, 1}}), named(object{"l": []int{9, 2}}))}},
		{Schema: encoded(small(nil, object{"m": object{"type": "object", "maxProperties": 5, "additionalProperties": with(number, append(grows, failing...))}})), Writes: []write{
			update(named(object{"m": object{"a": 9}}), named(object{"m": object{"a": 9}})), update(named(object{"m": object{"a": 9}}), named(object{"m": object{"a": 8}})),
			update(named(object{"m": object{"a": 9}}), named(object{"m": object{"b": 9}}))}},
		{Schema: encoded(small([]rule{{"rule": "self.n < 5"}}, object{"n": with(number, failing), "o": number})), Writes: []write{
			update(named(object{"n": 9}), named(object{"n": 9, "o": 1})), update(named(object{"n": 9}), named(object{"n": 9}))}},
		{Schema: encoded(small(nil, object{"p": object{"type": "object", "x-kubernetes-preserve-unknown-fields": true, "properties": object{"n": number}, "x-kubernetes-validations": []rule{{"rule": "self.n < 5"}}}, "o": number})), Writes: []write{
			update(named(object{"p": object{"n": 9}}), named(object{"p": object{"n": 9}, "o": 1})), update(named(object{"p": object{"n": 9, "x": 1}}), named(object{"p": object{"n": 9, "x": 1}, "o": 1}))}},
		{Schema: encoded(small(nil, object{"n": with(number, []rule{
			{"rule": "oldSelf.hasValue() || self < 3", "optionalOldSelf": true, "message": "starts small"},
			{"rule": "self >= oldSelf.orValue(0)", "optionalOldSelf": true}, {"rule": "!oldSelf.hasValue() || oldSelf.value() != self", "optionalOldSelf": true}})})), Writes: []write{
			create(named(object{"n": 5})), create(named(object{"n": 1})), update(named(object{"n": 5}), named(object{"n": 4})), update(named(object{"n": 5}), named(object{"n": 5})), update(named(object{}), named(object{"n": 7}))}},
		{Schema: encoded(small([]rule{{"rule": "self.n < 5"}, {"rule": "!has(oldSelf.x)"}}, object{"n": number, "x": object{"type": "string"}, "any": object{"x-kubernetes-preserve-unknown-fields": true}})), Writes: []write{
			update(named(object{"n": 9, "x": "y"}), named(object{"n": 9, "x": "y"}))}},
	}
}

// How failures are reported.
func reports() []testCase {
	number := object{"type": "integer"}
	text := object{"type": "string", "maxLength": 100}
	on := func(schema object, rules ...rule) object {
		copied := object{"x-kubernetes-validations": rules}
		for k, v := range schema {
			copied[k] = v
		}
		return copied
	}
	return []testCase{
		{Schema: encoded(small(nil, object{"n": on(number,
			rule{"rule": "self < 5"}, rule{"rule": "  self < 5  "}, rule{"rule": "self < 5", "message": "  too large "}, rule{"rule": "self < 5", "reason": "FieldValueForbidden"},
			rule{"rule": "self < 5", "reason": "FieldValueRequired", "message": "needed"}, rule{"rule": "self < 5", "reason": "FieldValueInvalid"}, rule{"rule": "self < 5", "reason": "FieldValueDuplicate", "message": "again"},
			rule{"rule": "self < 5", "messageExpression": "'%d is too large'.format([self])"}, rule{"rule": "self < 5", "message": "plain", "messageExpression": "'%d is too large'.format([self])"},
			rule{"rule": "self < 5", "messageExpression": "''"}, rule{"rule": "self < 5", "messageExpression": "'  '", "message": "fallback"}, rule{"rule": "self < 5", "messageExpression": "'a\\nb'"},
			rule{"rule": "self < 5", "messageExpression": "'  trimmed\\n'"}, rule{"rule": "self < 5", "messageExpression": "string(1 / (self - self))", "message": "fallback"},
			rule{"rule": "1 / (self - self) > 0"}, rule{"rule": "1 / (self - self) > 0", "message": "named"}, rule{"rule": "dyn(self).size() > 0"}, rule{"rule": "dyn(self) + 'a' == ''"}),
			"s": on(text, rule{"rule": "self == ''"}, rule{"rule": "self == ''", "messageExpression": "self + ' is wrong'"}), "b": on(object{"type": "boolean"}, rule{"rule": "!self"}),
			"d": on(object{"type": "number"}, rule{"rule": "self < 1.0"}), "e": on(object{"x-kubernetes-int-or-string": true}, rule{"rule": "self == 1"}, rule{"rule": "self + 1 == 2"}),
			"l": on(object{"type": "array", "maxItems": 3, "items": on(text, rule{"rule": "self == ''"})}, rule{"rule": "self.size() == 0"}),
			"o": on(object{"type": "object", "properties": object{"x": number}}, rule{"rule": "self.x < 1"}, rule{"rule": "self.x < 1", "reason": "FieldValueRequired"}),
			"m": object{"type": "object", "maxProperties": 3, "additionalProperties": on(text, rule{"rule": "self == ''"})},
		})), Writes: []write{
			create(named(object{"n": 9})), create(named(object{"s": "a \"b\" \\ é\t"})), create(named(object{"b": true})), create(named(object{"d": 2.5})), create(named(object{"d": 2})), create(named(object{"e": 2})), create(named(object{"e": "x"})),
			create(named(object{"l": []string{"a", "b"}})), create(named(object{"o": object{"x": 5}})), create(named(object{"m": object{"a.b": "c"}})), create(named(object{"n": 1})), create(named(object{})), create(named(object{"o": nil}))}},
		{Schema: encoded(small([]rule{{"rule": "false", "fieldPath": ".n"}, {"rule": "false", "fieldPath": ".o.x"}, {"rule": "false", "fieldPath": ".m['a.b']"}, {"rule": "false", "fieldPath": ".m.key"}, {"rule": "false", "fieldPath": "['n']"},
			{"rule": "false", "fieldPath": ".o", "reason": "FieldValueRequired"}, {"rule": "false", "fieldPath": ".deep['quo\\'te']"}},
			object{"n": number, "o": object{"type": "object", "properties": object{"x": number}}, "m": object{"type": "object", "additionalProperties": object{"type": "string"}}, "deep": object{"type": "object", "properties": object{"quo'te": number}}})),
			Writes: []write{create(named(object{"n": 1}))}},
		{Schema: encoded(small(nil, object{"spec": object{"type": "object", "properties": object{"o": object{"type": "object", "properties": object{"x": number}, "x-kubernetes-validations": []rule{{"rule": "false", "fieldPath": ".x"}}}}}})),
			Writes: []write{create(named(object{"spec": object{"o": object{}}}))}},
		{Schema: encoded(small(nil, object{"n": object{"type": "integer", "allOf": []object{{"x-kubernetes-validations": []rule{{"rule": "self < 5"}}}, {"minimum": 1, "x-kubernetes-validations": []rule{{"rule": "self > 0"}}}}},
			"o": object{"type": "object", "properties": object{"x": number}, "allOf": []object{{"properties": object{"x": object{"x-kubernetes-validations": []rule{{"rule": "self < 5"}}}}}}}})),
			Writes: []write{create(named(object{"n": 9})), create(named(object{"n": -1})), create(named(object{"o": object{"x": 9}})), update(named(object{"n": 9}), named(object{"n": 9, "o": object{}})), update(named(object{"o": object{"x": 9}}), named(object{"o": object{"x": 9}, "n": 1}))}},
		{Schema: encoded(small(nil, object{"embedded": object{"type": "object", "x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true, "x-kubernetes-validations": []rule{{"rule": "self.metadata.name == 'a'"}, {"rule": "self.kind == 'Pod'"}, {"rule": "self.apiVersion == 'v1' && !has(self.metadata.generateName)"}}},
			"a-b": object{"type": "object", "properties": object{"c.d": on(number, rule{"rule": "self < 5"})}, "x-kubernetes-validations": []rule{{"rule": "self.c__dot__d < 5"}}}, "a b": on(number, rule{"rule": "self < 5"})})),
			Writes: []write{create(named(object{"embedded": object{"apiVersion": "v1", "kind": "Job", "metadata": object{"name": "b"}}})), create(named(object{"a-b": object{"c.d": 7}})), create(named(object{"a b": 7})), create(named(object{"embedded": object{"kind": "Pod"}}))}},
		{Schema: encoded(small([]rule{{"rule": "self.metadata.name.startsWith('x')"}, {"rule": "self.metadata.name.size() < 3", "messageExpression": "self.kind + ' ' + self.metadata.name + ' of ' + self.apiVersion"}}, object{"metadata": object{"type": "object", "properties": object{"name": object{"type": "string", "maxLength": 10}}}})),
			Writes: []write{create(named(object{}))}},
		{Schema: encoded(small([]rule{{"rule": "self.t == timestamp('1970-01-01T00:00:00Z')"}, {"rule": "self.p < duration('1s')"}, {"rule": "self.b == b''"}, {"rule": "self.d > timestamp('2000-01-01T00:00:00Z')"}},
			object{"t": object{"type": "string", "format": "date-time"}, "p": object{"type": "string", "format": "duration"}, "b": object{"type": "string", "format": "byte"}, "d": object{"type": "string", "format": "date"}})),
			Writes: []write{create(named(object{"t": "", "p": "3 days", "b": "aGk+", "d": "1999-12-31"})), create(named(object{"t": "2024-01-01T00:00:00", "p": "2 weeks and 1h", "b": "aGk=", "d": "2024-02-30"})),
				create(named(object{"t": "2024-01-01T00:00:00.5Z", "p": "nope", "b": "aGk", "d": "2024-02-28"}))}},
		{Schema: encoded(small([]rule{{"rule": "self.n > 0"}, {"rule": "self.s == 'a'"}, {"rule": "self.l.size() > 0"}, {"rule": "self.o.x > 0"}, {"rule": "self.d > 0.0"}, {"rule": "self.b"}, {"rule": "self.e == 1"}},
			object{"n": number, "s": text, "l": object{"type": "array", "items": number}, "o": object{"type": "object", "properties": object{"x": number}}, "d": object{"type": "number"}, "b": object{"type": "boolean"}, "e": object{"x-kubernetes-int-or-string": true}})),
			Writes: []write{create(named(object{"n": "x", "s": 1, "l": object{}, "o": []int{}, "d": "x", "b": 1, "e": 1.5})), create(named(object{"n": 1.5, "s": nil, "l": []interface{}{nil}, "o": nil}))}},
	}
}

// What costs too much when it runs.
func budgets() []testCase {
	loops := "self.l.all(a, self.l.all(b, self.l.all(c, a + b + c > 0)))"
	ints := object{"type": "array", "maxItems": 300, "items": object{"type": "integer"}}
	var hundred []int
	for i := 1; i <= 100; i++ {
		hundred = append(hundred, i)
	}
	costly := "self.l.all(a, self.l.all(b, a + b + 1 > 0))"
	var many []rule
	for i := 0; i < 200; i++ {
		many = append(many, rule{"rule": costly})
	}
	return []testCase{
		{Schema: encoded(small([]rule{{"rule": loops}, {"rule": "false"}}, object{"l": ints})), Writes: []write{create(named(object{"l": hundred}))}},
		{Schema: encoded(small([]rule{{"rule": "false", "messageExpression": "string(" + loops + ")"}, {"rule": "false"}}, object{"l": ints})), Writes: []write{create(named(object{"l": hundred}))}},
		{Schema: encoded(small(many, object{"l": ints})), Writes: []write{create(named(object{"l": hundred}))}},
		{Schema: encoded(small(nil, object{"l": ints, "s": object{"type": "string", "x-kubernetes-validations": []rule{{"rule": "self.matches('" + strings.Repeat("(a|b)?", 20) + "')"}}}})), Writes: []write{create(named(object{"s": strings.Repeat("ab", 1000)}))}},
	}
}

// What is refused when a definition is written.
func definitions() []testCase {
	number := object{"type": "integer"}
	rules := func(texts ...string) []rule {
		var result []rule
		for _, text := range texts {
			result = append(result, rule{"rule": text})
		}
		return result
	}
	only := func(schema object) testCase { return testCase{Schema: encoded(schema)} }
	return []testCase{
		only(small(nil, object{"l": object{"type": "array", "items": object{"type": "string", "x-kubernetes-validations": rules("self == oldSelf")}}})),
		only(small(nil, object{"l": object{"type": "array", "maxItems": 10, "x-kubernetes-list-type": "set", "items": object{"type": "string", "maxLength": 10, "x-kubernetes-validations": rules("self == oldSelf")}}})),
		only(small(nil, object{"l": object{"type": "array", "maxItems": 10, "items": object{"type": "object", "properties": object{"m": object{"type": "array", "maxItems": 10, "items": object{"type": "object", "x-kubernetes-validations": rules("self == oldSelf"), "properties": object{"x": number}}}}}}})),
		only(small(nil, object{"l": object{"type": "array", "items": object{"type": "integer", "x-kubernetes-validations": rules("self > 0")}}})),
		only(small(nil, object{"l": object{"type": "array", "items": object{"type": "object", "required": []string{"abcdef"}, "properties": object{"abcdef": object{"type": "string"}}, "x-kubernetes-validations": rules("self.abcdef.contains('x')")}}})),
		only(small(nil, object{"l": object{"type": "array", "maxItems": 1000, "items": object{"type": "object", "required": []string{"abcdef"}, "properties": object{"abcdef": object{"type": "string", "maxLength": 1000}}, "x-kubernetes-validations": rules("self.abcdef.contains('x')", "self.abcdef.size() > 0")}}})),
		only(small(nil, object{"m": object{"type": "object", "additionalProperties": object{"type": "object", "additionalProperties": object{"type": "string", "x-kubernetes-validations": rules("self.matches('a+')")}}}})),
		only(small(rules("self.l.all(x, self.l.all(y, x == y))"), object{"l": object{"type": "array", "items": number}})),
		only(small(rules("self.l.all(x, self.l.all(y, x == y))"), object{"l": object{"type": "array", "maxItems": 2000, "items": number}})),
		only(small(rules("self.l.all(x, self.l.all(y, x == y))"), object{"l": object{"type": "array", "maxItems": 2300, "items": number}})),
		only(small(rules("self.s.matches('a')", "self.s.contains(self.s)", "self.s.split('').all(x, x == 'a')"), object{"s": object{"type": "string"}})),
		only(small([]rule{{"rule": "true", "messageExpression": "self.s.replace('', self.s)"}, {"rule": "true", "messageExpression": "self.s + self.s.upperAscii()"}, {"rule": "true", "messageExpression": "self.l.map(x, self.l.map(y, 'a').join('')).join('')"}}, object{"s": object{"type": "string"}, "l": object{"type": "array", "items": number}})),
		only(small([]rule{{"rule": "self.x > 0", "optionalOldSelf": true}, {"rule": "self.x > 0", "optionalOldSelf": false}, {"rule": "oldSelf.hasValue()", "optionalOldSelf": true}, {"rule": "oldSelf.x > 0", "optionalOldSelf": true}}, object{"x": number})),
		only(small([]rule{{"rule": "true", "messageExpression": "nope"}, {"rule": "true", "messageExpression": "1"}, {"rule": "true", "messageExpression": "self.s.find('(')"}, {"rule": "nope", "messageExpression": "nope"}}, object{"s": object{"type": "string"}})),
		only(small(nil, object{"a": object{"x-kubernetes-preserve-unknown-fields": true, "x-kubernetes-validations": rules("true")}})),
		only(small(rules("self.a.b == 1"), object{"a": object{"type": "object", "x-kubernetes-preserve-unknown-fields": true}})),
		only(small(rules("self.l.size() > 0"), object{"l": object{"type": "array", "items": object{"x-kubernetes-preserve-unknown-fields": true}}})),
		only(small(rules("self.m.size() > 0"), object{"m": object{"type": "object", "additionalProperties": object{"x-kubernetes-preserve-unknown-fields": true}}})),
		only(small(nil, object{"a": object{"type": "array", "maxItems": 100, "items": object{"type": "array", "maxItems": 100, "items": object{"type": "array", "maxItems": 100, "items": object{"type": "integer", "x-kubernetes-validations": rules("self > 0", "self < 10", "self != 5", "self in [1, 2]", "self == 1")}}}}})),
		only(small(nil, object{"s": object{"type": "string", "maxLength": 10, "x-kubernetes-validations": rules("self.size() > 0", "self.startsWith('a')")}, "e": object{"type": "object", "maxProperties": 3, "additionalProperties": object{"type": "string", "enum": []string{"a", "bcd"}, "x-kubernetes-validations": rules("self.matches('a|b')")}}})),
		only(small(nil, object{"d": object{"type": "array", "items": object{"type": "string", "format": "date-time", "x-kubernetes-validations": rules("self > timestamp('2020-01-01T00:00:00Z')")}}, "p": object{"type": "array", "items": object{"type": "string", "format": "duration", "x-kubernetes-validations": rules("self > duration('1s')")}}})),
		only(small(nil, object{"x": object{"type": "object", "x-kubernetes-map-type": "atomic", "properties": object{"y": object{"type": "integer", "x-kubernetes-validations": rules("self == oldSelf")}}}})),
		only(small(nil, object{"s": object{"type": "string", "x-kubernetes-validations": []rule{{"rule": "self.size() < 5 && self != '<>&'", "message": "a", "reason": "FieldValueInvalid", "messageExpression": "self"}, {"rule": "self.size < 5"}}}})),
	}
}
