package main

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"sigs.k8s.io/yaml"
)

var reads = []string{
	"", "~", "null", "Null", "NULL", "nULL", "a", "a: b", "a:\n  b: c\n", "- 1\n- 2", "[1, 2, {a: b}]", "{a: 1, b: [x, y]}",
	"v: y", "v: Y", "v: yes", "v: Yes", "v: YES", "v: yEs", "v: on", "v: On", "v: ON", "v: oN", "v: true", "v: True", "v: TRUE", "v: tRUE",
	"v: n", "v: N", "v: no", "v: No", "v: NO", "v: off", "v: Off", "v: OFF", "v: false", "v: False", "v: FALSE", "v: 'yes'", "v: \"no\"",
	"v: 0", "v: -0", "v: +1", "v: -1", "v: 017", "v: 0o17", "v: 0O17", "v: 08", "v: 09.5", "v: 0x1F", "v: 0X1f", "v: -0x10", "v: 0x", "v: 0xg", "v: 0b101", "v: 0B11", "v: -0b11", "v: 0b2",
	"v: 0b-1", "v: 0b+1", "v: -0b-1", "v: +0b1", "v: +0b-1", "v: 1_000", "v: 1__0", "v: 1_", "v: _1", "v: 0_7", "v: 0x_ff", "v: -_1", "v: 1_0.5_0", "v: +-1", "v: --1", "v: +", "v: -", "v: 00", "v: 0_", "v: 007_7", "v: 0o8", "v: 0o", "v: 1a",
	"v: 9223372036854775807", "v: 9223372036854775808", "v: 18446744073709551615", "v: 18446744073709551616", "v: -9223372036854775808", "v: -9223372036854775809", "v: +9223372036854775808", "v: 0xffffffffffffffff", "v: 0x10000000000000000", "v: 1234567890123456789012",
	"v: 1.0", "v: 1.5", "v: 1.", "v: .5", "v: -.5", "v: +.5", "v: 1e3", "v: 1E3", "v: 1e+3", "v: 1e-3", "v: 1.5e3", "v: 1e400", "v: 1e-400", "v: -1e400", "v: .5e1", "v: 1e", "v: e1", "v: .", "v: ..", "v: .e1", "v: .1_0", "v: 1e1_0", "v: 1.2.3", "v: 0x1p4", "v: 1e21", "v: 1e20", "v: 0.0000001", "v: 123456789.125", "v: 1e6", "v: 0.1e-5", "v: 5e-324", "v: 1e-324",
	"v: .inf", "v: -.inf", "v: +.Inf", "v: .nan", "v: .NaN", "v: .iNF", "v: '.inf'", "v: inf", "v: NaN", "v: -.nan",
	"v: 2001-01-01", "v: 2001-1-1", "v: 2001-12-14t21:59:43.10-05:00", "v: 2001-12-14 21:59:43.10", "v: 2001-02-30", "v: !!timestamp 2001-01-01", "v: !!timestamp x", "2001-01-01: x", "v: 12:30:45", "v: 1:2", "v: 190:20:30.15",
	"v: !!str 1", "v: !!str yes", "v: !!int '1'", "v: !!int x", "v: !!int 1.5", "v: !!float 1", "v: !!float x", "v: !!bool yes", "v: !!bool 'on'", "v: !!bool 1", "v: !!null ''", "v: !!null x", "v: ! 12", "v: !custom 12", "v: !custom {a: 1}", "v: !!binary aGVsbG8=", "v: !!binary a$", "v: !!binary |\n  aGVs\n  bG8=\n", "v: !!binary gIGC", "v: !!set {a, b}", "v: !!map {a: 1}", "v: !!float 0x10", "v: !!int 0x10",
	"v: a # comment", "v: a#b", "v: 'it''s'", "v: \"a\\tb\\u00e9\\x41\"", "v: \"\\ud83d\\ude00\"", "v: \"a\\\n  b\"", "v: a\n  b\n\n  c", "v: |\n  a\n  b\n", "v: |-\n  a\n  b\n", "v: |+\n  a\n\n", "v: >\n  a\n  b\n\n  c\n", "v: >-\n  a\n  b\n", "v: |2\n    a\n", "v: \"\"", "v:", "v: ''", "? a\n: b", "? [a]\n: b", "{a, b: }", "a: {b: c, }", "[a, ]", "[,]", "v: @a", "v: `a", "v: %a", "v: a: b", "v: [a", "v: {a: b", "\tv: a", "v:\ta", "v: a\n w: b", "v: a\nw", "- a\nb: c", "v: 'a", "v: \"a\\q\"", "v: *x", "v: &x 1\nw: *x", "a: &x {b: 1}\nc: *x", "a: &x [1, *x]", "a: &x {b: *x}", "a: &x {<<: *x}", "&a a: &b b\n*b : *a", "v: &x\nw: *x", "a: &x 1\nb: &x 2\nc: *x",
	"b: &b {x: 1, y: 2}\nc:\n  <<: *b\n  y: 3", "b: &b {x: 1, y: 2}\nc:\n  y: 3\n  <<: *b", "b: &b {x: 1}\nd: &d {x: 2, z: 3}\nc:\n  <<: [*b, *d]", "c: {<<: {x: 1}, y: 2}", "c: {<<: 1}", "c: {<<: [1]}", "c: {<<: [[{a: 1}]]}", "b: &b [1]\nc: {<<: *b}", "c: {'<<': 1}", "c: {<<: ~}", "c: {<<: []}", "b: &b {<<: {x: 1}, y: 2}\nc: {<<: *b, z: 3}", "c: {<<: {x: 1}, <<: {x: 2}}", "v: <<", "c: {<<: {x: 1}, x: 2, x: 3}", "<<: {a: 1}", "c: {!!merge <<: {x: 1}}", "c: {\"<<\": {x: 1}}",
	"1: a", "-1: a", "1.5: a", "1e6: a", "1000000.0: a", "123456.0: a", "1e21: a", "0.0001: a", "0.00001: a", "1e40: a", "1e300: a", "0.1: a", "16777217.0: a", "1234567.5: a", "yes: a", "no: a", "true: a", "on: x", "~: a", "null: a", ": a", "'1': a", "1: a\n'1': b", "18446744073709551615: a", ".inf: a", "-.inf: a", ".nan: a", "0x10: a", "2001-01-01: a", "[1]: a", "{a: 1}: b", "!!binary aGk=: a", "!!str 1: a", "1_0: a",
	"a: 1\na: 2", "{a: 1, a: 2}", "a: 1\n\"a\": 2", "a: {b: 1, b: 2}",
	"--- a", "---\na: 1\n", "---\na: 1\n---\nb: 2\n", "a: 1\n...\n", "%YAML 1.1\n---\na: 1", "%YAML 1.2\n---\na: 1", "%YAML 2.0\n---\na: 1", "%TAG ! tag:yaml.org,2002:\n---\na: !str 1", "# only a comment\n", "---\n# c\n---\n",
	"{\"a\":\"b\\/c\",\"n\":1.0,\"e\":[],\"o\":{}}", "{\"a\":\t1}", "{\n\t\"a\": 1\n}", "[]", "{}", "a: []\nb: {}", "\"x\"", "'x'", "12", "- - 1\n  - 2\n- a: 1\n  b: 2\n-\n  - x", "a:\n- b\n- c\nd: e", "a:\n  - b\n  - c", "- a:\n    - b\n", "\xef\xbb\xbfa: 1", "a: \x00", "a: \x01", "a: é日😀", "a: \"\xff\"", "a: <b>&c", "a: \"\\e\\_\\N\\L\\P\"", "a: b\\c", "a: 'b\\n'", "a: \"b\\n\"", "a: b\r\nc: d\r\n", "v: |\r\n  a\r\n  b\r\n", "key with spaces: v", "a b: c d", "url: http://x:80/y", "t: 12h", "cpu: 500m", "mem: 1Gi", "img: nginx:1.25", "port: 0o10", "mode: 0644", "mode: 0o644", "ver: 1.10", "e: 1e2e3", "sci: 12e03", "git: 1e10", "git: 123e4567", "git: 0e123", "sha: 0e999999", "dash: -", "q: ?", "q: ? a", "tilde: ~x", "eq: =", "pct: 50%", "excl: '!'", "star: '*'", "amp: '&'", "nested: {a: [{b: {c: d}}]}", "a: 'x\n  y'", "a: \"x\n\n  y\"",
}

var writes = []string{
	`{}`, `[]`, `null`, `"a"`, `1`, `{"a":"b"}`, `{"a":{}}`, `{"a":[]}`, `{"a":null}`, `{"a":[1,2]}`, `{"a":[[1],[2,[3]]]}`, `{"a":[{"b":1,"c":[1,{"d":2}]},{}]}`, `[{"a":1},{"b":[]}]`, `{"a":{"b":{"c":"d"}}}`,
	`{"v":"true"}`, `{"v":"yes"}`, `{"v":"y"}`, `{"v":"on"}`, `{"v":"NO"}`, `{"v":"null"}`, `{"v":"~"}`, `{"v":""}`, `{"v":"1"}`, `{"v":"1.5"}`, `{"v":"0x1f"}`, `{"v":"017"}`, `{"v":"1e3"}`, `{"v":"1_000"}`, `{"v":".inf"}`, `{"v":".5"}`, `{"v":"2001-01-01"}`, `{"v":"2001-01-01T00:00:00Z"}`, `{"v":"2001-13-01"}`, `{"v":"12:30"}`, `{"v":"1:2:3.5"}`, `{"v":"12:60"}`, `{"v":"<<"}`, `{"v":"="}`, `{"v":"-"}`, `{"v":"- a"}`, `{"v":"-a"}`, `{"v":"?"}`, `{"v":"? a"}`, `{"v":":"}`, `{"v":"a: b"}`, `{"v":"a:b"}`, `{"v":"a:"}`, `{"v":"a #b"}`, `{"v":"a#b"}`, `{"v":"#a"}`, `{"v":" a"}`, `{"v":"a "}`, `{"v":"*a"}`, `{"v":"&a"}`, `{"v":"!a"}`, `{"v":"%a"}`, `{"v":"@a"}`, "{\"v\":\"`a\"}", `{"v":"{a}"}`, `{"v":"[a]"}`, `{"v":"a,b"}`, `{"v":"a]"}`, `{"v":"'a'"}`, `{"v":"\"a\""}`, `{"v":"it's"}`, `{"v":"a\\b"}`, `{"v":"|"}`, `{"v":">"}`, `{"v":"---"}`, `{"v":"--- a"}`, `{"v":"..."}`,
	`{"v":"a\nb"}`, `{"v":"a\nb\n"}`, `{"v":"a\nb\n\n"}`, `{"v":"\na"}`, `{"v":"\n"}`, `{"v":" a\nb"}`, `{"v":"a \nb"}`, `{"v":"a\n b\n"}`, `{"v":"a\tb"}`, `{"v":"\ta"}`, `{"v":"a\tb\nc"}`, `{"v":"a\r\nb"}`, `{"v":"a\rb"}`, `{"v":"a\u0000b"}`, `{"v":"a\u0001\nb"}`, `{"v":"\u007f"}`, `{"v":"\u0085"}`, `{"v":"\u00a0"}`, `{"v":"\u2028"}`, `{"v":"a\u2028b\nc"}`, `{"v":"\ufeff"}`, `{"v":"é日"}`, `{"v":"😀"}`, `{"v":"😀\nx"}`, `{"v":"\ufffd"}`, `{"v":"a\n---\nb"}`, `{"v":"---\nb"}`,
	`{"v":1.0}`, `{"v":1.5}`, `{"v":1000000.0}`, `{"v":123456.5}`, `{"v":1234567.5}`, `{"v":1e21}`, `{"v":1e-7}`, `{"v":0.0001}`, `{"v":0.00001}`, `{"v":-0.5}`, `{"v":9223372036854775807}`, `{"v":-9223372036854775808}`, `{"v":true}`, `{"v":false}`, `{"v":12345678901234567890}`,
	`{"b":1,"a":2,"c":3}`, `{"a10":1,"a2":2,"a1":3}`, `{"B":1,"a":2,"_":3,"1":4,"-":5,".":6}`, `{"a.b":1,"a-b":2,"ab":3,"a/b":4,"a_b":5,"a1":6,"a":7}`, `{"x01":1,"x1":2,"x001":3}`, `{"x10":1,"x1a":2,"x1":3,"x100":4}`, `{"é":1,"z":2,"日":3,"a":4}`, `{"true":1,"1":2,"null":3,"yes":4,"":5,"a: b":6,"1.5":7," x":8}`, `{"a\nb":1}`, `{"f:x":1,"k:{\"name\":\"a\"}":2,".":3}`, `{"kubernetes.io/a":1,"kubernetes.io/b":2,"app.kubernetes.io/name":3}`, `{"10":"a","9":"b","1":"c"}`,
	`{"v":"this is a long line of text that goes on beyond eighty characters so that an emitter which folds lines would fold it here"}`, `{"v":"quoted: this is a long line of text that goes on beyond eighty characters so that an emitter which folds lines would fold it here"}`, `{"v":"1 this-is-a-long-word-without-any-space-that-goes-on-beyond-eighty-characters-so-that-it-cannot-be-folded"}`, `{"v":"tab\tthis is a long line of text that goes on beyond eighty characters so that an emitter which folds lines would fold it here"}`, `{"a":{"b":{"c":["this is a long line of text that goes on beyond eighty characters so that an emitter which folds"]}}}`,
	`{"this-is-a-very-long-key-that-is-longer-than-128-characters-aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa":1}`,
	`{"script":"#!/bin/sh\nset -e\necho \"hi\"\n","json":"{\"a\": [1, 2]}"}`, `{"args":["--a=b","-c","echo hi; exit 1","a\nb"]}`, `{"v":["a\nb",["c\nd"],{"e":"f\n"}]}`, `{"a":[null,true,"",[],{}]}`,
	`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"web","creationTimestamp":null,"labels":{"app":"web"}},"spec":{"containers":[{"name":"a","image":"nginx:1.25","ports":[{"containerPort":80}],"command":["sh","-c"],"env":[{"name":"X","value":"1"}]}]},"status":{}}`,
}

type row struct {
	YAML        string  `json:"yaml"`
	JSON        *string `json:"json,omitempty"`
	Error       string  `json:"error,omitempty"`
	StrictError string  `json:"strictError,omitempty"`
	Written     bool    `json:"written,omitempty"`
}

func main() {
	e := json.NewEncoder(os.Stdout)
	e.SetEscapeHTML(false)
	for _, in := range reads {
		if !isUTF8(in) {
			continue
		}
		r := row{YAML: in}
		out, err := yaml.YAMLToJSON([]byte(in))
		if err != nil {
			r.Error = clean(err)
		} else {
			s := string(out)
			r.JSON = &s
			if _, err := yaml.YAMLToJSONStrict([]byte(in)); err != nil {
				r.StrictError = clean(err)
			}
		}
		e.Encode(r)
	}
	for _, in := range writes {
		out, err := yaml.JSONToYAML([]byte(in))
		if err != nil {
			fmt.Fprintln(os.Stderr, in, err)
			continue
		}
		e.Encode(row{YAML: string(out), JSON: &in, Written: true})
	}
}
func clean(err error) string { return strings.TrimSpace(err.Error()) }
func isUTF8(s string) bool   { return strings.ToValidUTF8(s, "") == s }
