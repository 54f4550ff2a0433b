package main

import (
	"fmt"
	"strings"
)

// Values of every type, for what operators and conversions do with each of them.
var samples = []string{
	"1", "2u", "1.5", "'a'", "b'a'", "true", "null", "[1]", "{'a': 1}", "duration('90s')",
	"timestamp('2024-02-29T12:30:45.5Z')", "int", "optional.of(1)",
}

func cases() []string {
	var all []string
	for _, operator := range []string{"+", "-", "*", "/", "%", "<", ">=", "==", "!=", "in"} {
		for i, left := range samples {
			for j, right := range samples {
				// Not each with each of the seldom ones.
				if (operator == "*" || operator == "%" || operator == ">=" || operator == "!=") && (i+j)%3 != 0 {
					continue
				}
				// Go's maps cannot be asked for bytes: a panic.
				if operator == "in" && left == "b'a'" && strings.HasPrefix(right, "{") {
					continue
				}
				all = append(all, fmt.Sprintf("dyn(%s) %s dyn(%s)", left, operator, right))
			}
		}
	}
	for _, function := range []string{
		"bool", "bytes", "double", "duration", "int", "string", "timestamp", "uint", "type", "size", "-", "!",
	} {
		for _, value := range samples {
			all = append(all, fmt.Sprintf("%s(dyn(%s))", function, value), fmt.Sprintf("%s([dyn(%s)][0])", function, value))
		}
	}
	for _, part := range []string{
		"getFullYear", "getMonth", "getDayOfYear", "getDayOfMonth", "getDate", "getDayOfWeek", "getHours", "getMinutes",
		"getSeconds", "getMilliseconds",
	} {
		for _, zone := range []string{
			"", "'UTC'", "'Europe/Berlin'", "'America/New_York'", "'Asia/Kolkata'", "'Australia/Lord_Howe'", "'+05:30'",
			"'-02:15'", "'12:00'",
		} {
			all = append(all, fmt.Sprintf("timestamp('2024-12-31T23:59:59.987654321Z').%s(%s)", part, zone))
		}
		all = append(all, fmt.Sprintf("timestamp('2047-07-01T02:03:04Z').%s('Europe/Berlin')", part),
			fmt.Sprintf("timestamp('1890-07-01T02:03:04Z').%s('America/New_York')", part))
	}
	for _, block := range []string{
		arithmetic, texts, numbersAsText, times, lists, maps, selection, logic, macros, twoVariables, optionals, typing, costs, libraries,
	} {
		for _, expression := range strings.Split(block, "\n") {
			if expression = strings.TrimSpace(expression); expression != "" {
				all = append(all, expression)
			}
		}
	}
	return all
}

const arithmetic = `
	1 + 2
	i + 1
	9223372036854775807 + 1
	-9223372036854775808 - 1
	9223372036854775807 * 2
	-9223372036854775808 * -1
	-(-9223372036854775808)
	-9223372036854775808 / -1
	-9223372036854775808 % -1
	1 / 0
	1 % 0
	1u / 0u
	1u % 0u
	1.0 / 0.0
	-1.0 / 0.0
	0.0 / 0.0
	18446744073709551615u + 1u
	1u - 2u
	18446744073709551615u * 2u
	7 / 2
	-7 / 2
	-7 % 3
	7 % -3
	7u / 2u
	f * 2.0
	f / 0.3
	0.1 + 0.2
	1e308 * 10.0
	-f
	-i
	1 < 1.5
	dyn(1) == 1.0
	dyn(1.0) == 1
	2u > 1
	dyn(2u) == 2.0
	dyn(9223372036854775807) == 9223372036854775807.0
	9223372036854775807 < 9223372036854775808.0
	18446744073709551615u > -1
	-1 < 0u
	1 < 18446744073709551615u
	double('NaN') == double('NaN')
	double('NaN') < 1.0
	1 < double('NaN')
	dyn(1) != double('NaN')
	double('Infinity') > 1e308
	double('-inf') < -9223372036854775807
	[dyn(1), dyn(2u), dyn(3.0)] == [dyn(1.0), dyn(2), dyn(3u)]
	dyn(1) == 'a'
	dyn(null) == null
	null == null
	1 in [1, 2]
	dyn(1.0) in [1, 2]
	dyn(1u) in [1, 2]
	dyn(1.5) in [1, 2]
	'b' in ['a', 'b', 'c']
	'z' in ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k']
	'k' in ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k']
	dyn(self.nope) in []
	s in ['hello', s]
	b'a' in [b'a', b'b']
	[1] in [[1], [2]]
	{'a': dyn(1)} == {'a': dyn(1.0)}
	{'a': 1} == {'a': 2}
	{'a': 1} == {'b': 1}
	{1: 'a'}[1]
	{1: 'a'}[dyn(1.0)]
	{1u: 'a'}[dyn(1)]
	{1: 'a'}[dyn(1.5)]
	{true: 1}[true]
	{'a': 1}[dyn(1)]
	{1: 'a'}[dyn('1')]
	[1, 2, 3][dyn(1.0)]
	[1, 2, 3][dyn(1u)]
	[1, 2, 3][dyn(1.5)]
	[1, 2, 3][dyn('1')]
	[1, 2, 3][-1]
	[1, 2, 3][3]
	[1, 2, 3][dyn(null)]
`

const texts = `
	'a' + 'b'
	s + ' world'
	b'ab' + b'cd'
	'héllo'.size()
	size('日本語')
	size(b'\xff\xfe')
	size(bytes('日本語'))
	size('')
	self.uni.size()
	'abc'.contains('b')
	'abc'.contains('')
	'abc'.startsWith('ab')
	'abc'.startsWith('abcd')
	'abc'.endsWith('bc')
	s.contains('ell')
	s.startsWith(s)
	s.endsWith('')
	self.long.contains('brown')
	self.long.matches('qu.ck')
	self.long.matches('^qu.ck$')
	matches(self.long, 'f[ou]x')
	s.matches('h' + 'e')
	s.matches('h' + '(')
	s.matches(s + '[')
	s.matches('a**' + '')
	'a\nb'.matches('a.b')
	'a\nb'.matches('(?s)a.b')
	''.matches('')
	'日本'.matches('^..$')
	'a' < 'b'
	'a' < 'B'
	'abc' <= 'abc'
	b'a' < b'b'
	b'a' >= b'ab'
	'é' > 'z'
	string(b'caf\xc3\xa9')
	string(b'\xff')
	string([b'\xff'][0])
	bytes('é')
	bool('true')
	bool('T')
	bool('yes')
	bool([s][0])
	bool('1')
	dyn(s).contains(dyn(1))
	dyn(1).contains('a')
	dyn(s).startsWith(dyn(b))
	dyn(li).matches('a')
	dyn(s).matches(dyn(1))
	'\u00e9\U0001F600\x41\101'
	r'\n' + "\t'" + '''it's "quoted"'''
	b'\x00\xff\101'
	'a\u007f\u0085\ufeff'
`

const numbersAsText = `
	string(1e6)
	string(100000.0)
	string(123456.789)
	string(1234567.0)
	string(1e20)
	string(1e21)
	string(1e-4)
	string(1e-5)
	string(0.1 + 0.2)
	string(-0.0)
	string(1.0)
	string(5e-324)
	string(1.7976931348623157e308)
	string(double('Inf'))
	string(-double('Inf'))
	string(double('NaN'))
	string(9223372036854775807)
	string(-1)
	string(18446744073709551615u)
	string(true)
	string(f)
	int('42')
	int('-42')
	int('+42')
	int('0x10')
	int('1_000')
	int(' 1')
	int('')
	int('9223372036854775808')
	int([s][0])
	int(1.9)
	int(-1.9)
	int(9223372036854775807.0)
	int([9223372036854775807.0][0])
	int(-9223372036854775808.0)
	int(9223372036854774784.0)
	int(18446744073709551615u)
	int([18446744073709551615u][0])
	int(double('NaN'))
	uint(-1)
	uint([-1][0])
	uint('42')
	uint('-1')
	uint('+1')
	uint(1.9)
	uint(-0.5)
	uint(18446744073709551616.0)
	uint(18446744073709549568.0)
	double('1.5')
	double('1e400')
	double('1e-400')
	double('.5')
	double('5.')
	double('0x1p4')
	double('abc')
	double('infinity')
	double('-Inf')
	double('1e')
	double('')
	double(9007199254740993)
	double(18446744073709551615u)
	double([s][0])
`

const times = `
	timestamp('2024-02-29T12:30:45Z')
	timestamp([self.when][0])
	timestamp(self.when)
	timestamp(s)
	timestamp('2024-02-29T12:30:45.123456789Z')
	timestamp('2024-02-29T12:30:45.1234567891Z')
	timestamp('2024-02-29T12:30:45+05:30')
	string(timestamp('2024-02-29T12:30:45+05:30'))
	string(timestamp('2024-02-29T12:30:45-00:30'))
	string(timestamp('2024-02-29T12:30:45.500Z'))
	string(timestamp('2024-02-29T23:30:45-05:00') + duration('1h'))
	string(timestamp('0001-01-01T00:00:00Z'))
	string(timestamp('9999-12-31T23:59:59.999999999Z'))
	timestamp(dyn('0000-12-31T23:59:59Z'))
	timestamp(self.name + '0000-12-31T23:59:59Z')
	timestamp(0)
	timestamp(253402300799)
	timestamp([253402300800][0])
	timestamp([-62135596801][0])
	int(timestamp('2024-02-29T12:30:45.9Z'))
	int(timestamp('1969-12-31T23:59:59.5Z'))
	timestamp('2024-01-01T00:00:00Z') + duration('1h30m')
	duration('1h30m') + timestamp('2024-01-01T00:00:00Z')
	timestamp('2024-01-01T00:00:00Z') - duration('1ns')
	timestamp('2024-01-01T00:00:00Z') - timestamp('2023-01-01T00:00:00Z')
	timestamp('9999-12-31T23:59:59Z') + duration('1s')
	timestamp('0001-01-01T00:00:00Z') - duration('1ns')
	timestamp('9999-12-31T23:59:59Z') - timestamp('0001-01-01T00:00:00Z')
	timestamp('2024-01-01T00:00:00Z') < timestamp('2024-01-01T00:00:00.1Z')
	timestamp('2024-01-01T05:30:00+05:30') == timestamp('2024-01-01T00:00:00Z')
	timestamp('2024-01-01T00:00:00Z').getHours('Nowhere/Land')
	timestamp('2024-01-01T00:00:00Z').getHours('../etc/passwd')
	timestamp('2024-01-01T00:00:00Z').getHours('')
	timestamp('2024-01-01T00:00:00Z').getHours('x:y')
	timestamp('2024-01-01T00:00:00Z').getHours('01:y')
	timestamp('2024-03-31T00:59:59Z').getHours('Europe/Berlin')
	timestamp('2024-03-31T01:00:00Z').getHours('Europe/Berlin')
	timestamp('2024-10-27T00:59:59Z').getHours('Europe/Berlin')
	timestamp('2024-10-27T01:00:00Z').getHours('Europe/Berlin')
	timestamp('2050-03-27T00:59:59Z').getHours('Europe/Berlin')
	timestamp('2050-03-27T01:00:00Z').getHours('Europe/Berlin')
	timestamp('2050-10-30T00:59:59Z').getHours('Europe/Berlin')
	timestamp('2050-10-30T01:00:00Z').getHours('Europe/Berlin')
	timestamp('2050-01-01T00:00:00Z').getHours('Australia/Sydney')
	timestamp('2050-07-01T00:00:00Z').getHours('Australia/Sydney')
	timestamp('1900-01-01T00:00:00Z').getMinutes('Europe/Amsterdam')
	duration('1h')
	duration('1.5h')
	duration('-1m30s')
	duration('1us2ns')
	duration('1µs')
	duration('0')
	duration('+3s')
	duration('.5s')
	duration([s][0])
	duration(s)
	duration(s + '1')
	duration('9223372036s')
	duration('2562047h47m16.854775807s')
	duration(self.name + 's')
	duration([1][0])
	duration('1h') + duration('30m')
	duration('1h') - duration('90m')
	duration('2562047h') + duration('2562047h')
	duration('-2562047h') - duration('2562047h')
	duration('1h') < duration('61m')
	duration('1h') == duration('60m')
	string(duration('1h30m'))
	string(duration('1.5s'))
	string(duration('1ns'))
	string(duration('100000h1ns'))
	string(duration('-1.001s'))
	int(duration('1s'))
	duration('90m').getHours()
	duration('90m').getMinutes()
	duration('90m').getSeconds()
	duration('1.234567s').getMilliseconds()
	duration('-90m').getHours()
	dyn(duration('1h')).getHours()
	dyn(timestamp('2024-01-01T07:00:00Z')).getHours()
	dyn(timestamp('2024-01-01T07:00:00Z')).getHours('UTC')
	dyn(1).getHours()
	dyn('a').getFullYear()
`

const lists = `
	[]
	[1, 2, 3]
	[i, 2]
	[[1], [i]]
	[1] + [2, 3]
	li + [i]
	[] + li
	li + []
	(li + [4])[3]
	li + li == [3, 1, 2, 3, 1, 2]
	size(li + li)
	li == [3, 1, 2]
	li == [3, 1]
	[li, [1]] == [[3, 1, 2], [1]]
	3 in li
	9 in li
	'bb' in self.names
	i in self.list
	self.index in self.list
	self.list == li
	self.mixed[3]
	self.mixed[4]
	self.list[self.index]
	self.list[self.index + 1]
	self.list[self.list[0]]
	self.list[li[2]]
	self.list[i]
	li[0]
	li[5]
	li[-1]
	size(self.list)
	self.list.size()
	size(self)
	[s, 'x'] == ['hello', 'x']
	[[1], [2]][1][0]
	self.items[0].name
	self.items[1].port + 1
	self.items[2].name
	self.items[0].nope
	self.items.name
	self.list.name
	self.name.first
	self.replicas.x
	self.nothing.x
	self.enabled[0]
	self.name[0]
`

const maps = `
	{}
	{'a': 1, 'b': 2}
	{'a': i}
	{i: 'x'}[7]
	{'a': 1}.a
	{'a': 1}['b']
	{'a': 1}.b
	{'a': {'b': i}}.a.b
	{'a': 1, 'a': 2}
	{'a': i, 'a': 2}
	'a' in {'a': 1}
	'z' in {'a': 1}
	dyn(1.0) in {1: 'x'}
	'app' in self.labels
	'nope' in self.labels
	1 in dyn(self.labels)
	self.labels[self.key]
	self.labels['tier']
	self.labels.app
	self.labels.nope
	self.labels['no' + 'pe']
	ms.a
	ms['b']
	ms['c']
	mi.one + mi['two']
	ms == {'a': '1', 'b': '2'}
	ms == {'a': '1'}
	self.labels == {'app': 'web', 'tier': 'front'}
	self.nested == {'deep': {'er': [{'x': 1}, {'x': 2}]}}
	self.nested.deep == self.nested.deep
	size(ms)
	self.empty == {}
	{true: 'yes', false: 'no'}[b]
	{1: 'a', 2: 'b'}[2]
	{1u: 'a'}[1u]
	{'k': [1, 2, 3]}.k[1]
	{s: s + s}[s]
	d.k[1]
	d.k[d.k[0]]
	d['k'][0]
	d.x
`

const selection = `
	self.name
	self.nested.deep.er[1].x
	self.nope
	self.nope.deeper
	self['name']
	self['na' + 'me']
	has(self.name)
	has(self.nope)
	has(self.nothing)
	has(self.nested.deep)
	has(self.nested.deep.nope)
	has(self.nope.deep)
	has(self.name.x)
	has(self.list.x)
	has(self.replicas.x)
	has(self.items[0].name)
	has(self.items[9].name)
	has({'a': 1}.a)
	has({'a': 1}.b)
	has({'a': i}.a)
	!has(self.nope) || self.nope == 1
	has(self.nope) && self.nope == 1
	has((b ? self : self.nested).name)
	has((b ? self.nested : self).deep)
	(b ? self : self.nested).name
	(b ? self.list : li)[0]
	(b ? [1, i] : li)[1]
	self.nothing
	self.nothing == null
	self.rate
	self.rate == 2
	self.ratio < 1
	self.replicas / 2
	type(self.rate)
	type(self.replicas)
	self.replicas + self.ratio
	self.name + 1
	self.name < 1
	-self.name
	!self.name
	self.name ? 1 : 2
	self.name && true
	self.name || false
	self.nope || true
	self.size()
	self.name.size()
	self.replicas.size()
	self.nothing.size()
`

const logic = `
	true && false
	true && b
	false && 1 / 0 == 1
	1 / 0 == 1 && false
	1 / 0 == 1 && true
	true && 1 / 0 == 1
	true || 1 / 0 == 1
	1 / 0 == 1 || true
	1 / 0 == 1 || false
	false || 1 / 0 == 1
	1 / 0 == 1 || 1 % 0 == 1
	1 / 0 == 1 && 1 % 0 == 1
	b ? 1 : 1 / 0
	b ? 1 / 0 : 1
	!b ? 1 / 0 : i
	1 / 0 == 1 ? 1 : 2
	!b
	!!b
	!(1 / 0 == 1)
	b && (i > 5 || 1 / 0 == 1)
	true && true && true && false
	false || false || b || false
	(1 / 0 == 1 || b) && b
	b ? (i > 1 ? 'x' : 'y') : 'z'
	b ? i : 1
	b ? s + s : s
	b ? self.name : self.nope
	!b ? self.name : self.nope
	b && self.nope
	(b ? i : li[0]) + 1
	1 / 0 in [1]
	1 / 0 == 1 / 0
	[1 / 0, 2]
	{'a': 1 / 0}
	{1 / 0: 1}
	[1 / 0][0]
	size([1 / i, 1 % 0])
	'a' in [1 % 0 == 1 ? 'a' : 'b']
	true == (1 / 0 == 1)
	dyn(1) && true
	true && dyn(1)
	false && dyn(1)
	dyn('x') || true
	dyn(1) ? 1 : 2
`

const macros = `
	[].all(x, x > 0)
	[].exists(x, x > 0)
	[].exists_one(x, x > 0)
	[].map(x, x)
	[].filter(x, x > 0)
	li.all(x, x > 0)
	li.all(x, x > 1)
	li.exists(x, x == 2)
	li.exists(x, x == 9)
	li.exists_one(x, x > 2)
	li.exists_one(x, x > 1)
	li.map(x, x * 2)
	li.map(x, x > 1, x * 2)
	li.filter(x, x > 1)
	li.filter(x, x > 1).map(x, x + i)
	ls.map(x, x.size())
	ls.all(x, x.size() < 10)
	ls.all(x, x.size() < 10 && x != '')
	ls.exists(x, x.startsWith('z'))
	ms.all(k, k.size() == 1)
	ms.exists(k, ms[k] == '9')
	ms.map(k, k).size()
	mi.filter(k, mi[k] > 1)
	self.list.all(x, x < 10)
	self.items.all(x, x.port > 0 && x.name != '')
	self.items.map(x, x.name)
	self.items.filter(x, x.port > 100)[0].name
	self.items.exists_one(x, x.name == 'x')
	self.labels.all(k, self.labels[k] != '')
	self.mixed.all(x, x > 0)
	self.mixed.exists(x, x == 'a')
	self.mixed.exists(x, x > 2)
	self.mixed.filter(x, type(x) == string)
	li.all(x, li.exists(y, y == x))
	li.map(x, li.map(y, x * y))
	li.all(x, 1 / (x - 1) >= 0)
	li.exists(x, 1 / (x - 1) > 0)
	li.exists(x, 1 / (x - 1) > 5)
	li.exists_one(x, 1 / (x - 1) > 0)
	li.map(x, 1 / (x - 1))
	li.filter(x, 1 / (x - 1) > 0)
	[1, 2].map(x, [x, x]).map(y, y[0])
	[0, 1, 2].filter(x, has(self.name) && x > 0)
	self.nope.all(x, true)
	self.name.all(x, true)
	self.replicas.exists(x, true)
	self.nothing.map(x, x)
	['a', 'b'].map(x, {x: 1})
	[[1, 2], [3]].all(l, l.all(x, x > 0))
	li.map(x, s).filter(y, y == s).size()
	[1, 2, 3, 4, 5, 6, 7, 8, 9, 10].map(x, x * x).filter(x, x % 2 == 0)
	dyn(li).all(x, x > 0)
	li.map(i, i)
	li.all(x, b ? true : x > 0)
	li.all(x, x in [1, 2, 3])
	li.all(x, x in li)
	li.all(x, x in self.list)
	ls.exists(x, x.matches('^z+$'))
	ls.all(x, x.matches('^' + x + '$'))
`

const twoVariables = `
	li.all(i, v, v > 0 && i >= 0)
	li.exists(i, v, v == i + 1)
	li.exists_one(i, v, v == i)
	li.existsOne(i, v, v == i)
	li.transformList(i, v, v + i)
	li.transformList(i, v, i > 0, v + i)
	ms.all(k, v, k != v)
	ms.exists(k, v, v == '9')
	mi.transformList(k, v, v).size()
	mi.transformMap(k, v, v + 1)
	mi.transformMap(k, v, v > 1, v + 1)
	mi.transformMap(k, v, k)
	li.transformMap(i, v, v)
	ls.transformMapEntry(i, v, {v: i})
	ls.transformMapEntry(i, v, i > 0, {v: i})
	ls.transformMapEntry(i, v, {'same': i})
	mi.transformMapEntry(k, v, {v: k})
	self.labels.transformMap(k, v, v + k)
	self.labels.all(k, v, v.size() > 2)
	self.items.transformList(i, v, v.name)
	[].transformMap(i, v, v)
	{}.transformList(k, v, v)
	self.name.all(i, v, true)
	self.list.transformMap(i, v, 1 / (v - 2))
	[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12].transformMap(i, v, v * v)[11]
	[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12].transformMapEntry(i, v, {string(v): v}).size()
	[1, 1, 1].transformMapEntry(i, v, {v: i})
`

const optionals = `
	optional.none()
	optional.of(1)
	optional.of(null)
	optional.ofNonZeroValue(0)
	optional.ofNonZeroValue(1)
	optional.ofNonZeroValue('')
	optional.ofNonZeroValue([])
	optional.ofNonZeroValue({})
	optional.ofNonZeroValue(li)
	optional.ofNonZeroValue(null)
	optional.ofNonZeroValue(false)
	optional.ofNonZeroValue(0.0)
	optional.ofNonZeroValue(0u)
	optional.ofNonZeroValue(b'')
	optional.ofNonZeroValue(duration('0s'))
	optional.ofNonZeroValue(timestamp('0001-01-01T00:00:00Z'))
	optional.ofNonZeroValue(timestamp(0))
	optional.ofNonZeroValue(self.empty)
	optional.of(1).value()
	optional.none().value()
	optional.of(1).hasValue()
	optional.none().hasValue()
	optional.of(1).orValue(2)
	optional.none().orValue(2)
	optional.of(1).orValue(1 / 0)
	optional.none().orValue(1 / 0)
	optional.none().or(optional.of(3))
	optional.of(1).or(optional.of(1 / 0))
	optional.none().or(optional.none())
	optional.none().or(optional.none()).orValue(i)
	optional.of(optional.of(1))
	optional.of(1) == optional.of(1)
	optional.of(1) == optional.of(2)
	optional.of(1) == optional.none()
	optional.none() == optional.none()
	optional.of(i).optMap(x, x + 1)
	optional.none().optMap(x, x + 1)
	optional.of(i).optMap(x, 1)
	optional.of(i).optMap(x, x * x + x)
	optional.of(i).optFlatMap(x, optional.of(x + 1))
	optional.of(i).optFlatMap(x, optional.none())
	optional.of(i).optMap(x, x / 0)
	optional.of(self).optMap(x, x.name)
	optional.of(i).optMap(x, 2).optMap(y, y + y)
	optional.of(i).optMap(x, optional.of(x))
	optional.of(i).optMap(x, optional.none())
	optional.of(optional.of(1)).value()
	(b ? optional.of(optional.of(1)) : optional.none()).value()
	(b ? optional.of(optional.none()) : optional.none()).value()
	[optional.of(optional.of(1))].map(x, x)
	optional.of(li.map(y, y).size()).optMap(v, li.map(x, x + v))
	optional.of(li.map(y, y * 2)).optMap(v, li.filter(x, v.exists(z, z == x)))
	optional.of(li).optMap(a, optional.of(a.map(x, x + 1)).optMap(b, a.map(x, b.map(y, x * y))))
	self.?name
	self.?nope
	self.?nope.deeper
	self.?nested.deep.er
	self.?nested.?deep.?nope
	self.?nested.deep.nope
	self.?nope.orValue('x')
	self.?name.orValue('x')
	self.?replicas.orValue(0) + 1
	self.?labels[?'app']
	self.?labels['app']
	self.labels[?'app']
	self.labels[?'nope'].hasValue()
	self.labels[?self.key].orValue('')
	self.list[?0]
	self.list[?9]
	self.list[?-1]
	self.?list[?self.index]
	li[?0].orValue(5)
	li[?i].orValue(5)
	[1, 2][?1]
	[1, 2][?i]
	{'a': 1}[?'a']
	{'a': 1}[?'b']
	{'a': 1}.?a
	{'a': i}.?b
	has(self.?nested.deep)
	has(self.?nope.deep)
	has(self.?nested.nope)
	self.name.?x
	self.replicas.?x
	self.nothing.?x
	self.?nothing
	self.?nothing.x
	self.?name.x
	optional.of(self).name
	optional.of(self).?name
	optional.of(self).nope
	optional.of(self.labels)['app']
	optional.of(li)[1]
	optional.of(li)[7]
	optional.of({'a': 1}).a
	optional.of(self)[?'nope'].or(optional.of(1))
	[?self.?name, ?self.?nope, dyn('x')]
	[?optional.of(1), 2]
	[?optional.none(), 2]
	{?'a': self.?name, ?'b': self.?nope}
	{'a': dyn('1'), ?'a': self.?nope}
	{?'a': optional.of(i)}
	[1, 2, 3].first()
	[].first()
	li.last()
	[].last().hasValue()
	[optional.of(1), optional.none(), optional.of(3)].unwrapOpt()
	optional.unwrap([optional.of(1), optional.none()])
	li.map(x, li[?x])
	li.map(x, li[?x].orValue(0))
	self.items.map(x, x.?name.orValue('-'))
	self.items.map(x, x.?nope.orValue('-'))
	type(optional.of(1))
	string(dyn(optional.of(1)))
	optional.of(b).value() && b
	(b ? optional.of(1) : optional.none()).orValue(9)
	(b ? self.?name : self.?nope).orValue('z')
`

const typing = `
	type(1)
	type(1u)
	type(1.0)
	type('a')
	type(b'a')
	type(true)
	type(null)
	type([1])
	type({'a': 1})
	type(duration('1s'))
	type(timestamp(0))
	type(type(1))
	type(int)
	type(1) == int
	type(1) == uint
	type([]) == list
	type({}) == map
	type(null) == null_type
	type(int) == type
	type('a') == type(s)
	type(self.name) == string
	type(self.mixed[0]) == type(self.mixed[1])
	dyn(1)
	dyn(s)
	dyn(self).name
	int == int
	int
	list
	google.protobuf.Timestamp
	type(timestamp(0)) == google.protobuf.Timestamp
`

// What each step costs.
const costs = `
	i
	s
	self
	i == 1
	s == 'hello'
	self.long == self.long
	self.long == s
	self.long != self.long
	self.long < self.long
	self.long + self.long
	self.long.startsWith('the')
	self.long.contains('a long substring here')
	self.long.matches('a rather long pattern .* with many [a-z]+ parts')
	bytes(self.long)
	string(bytes(self.long))
	self.list == self.list
	self == self
	self.nested.deep.er
	self.nested['deep']['er'][0]['x']
	self.nested.deep.er[self.index].x
	self.nested.deep.er[self.index - 1].x
	[i][0]
	[i, i, i][i - 6]
	{'a': i}.a
	{s: i}[s]
	(i > 1 ? self : self.nested).name
	i > 1 ? self.name : s
	i > 1 ? 1 : 2
	i > 1 ? i : i
	(i > 1 ? i : i) + (i > 2 ? li[0] : 1)
	b && b && b
	b || b
	!b && b
	has(self.a) || has(self.b)
	has(self.nested.deep.er)
	li.all(x, true)
	li.all(x, x > 0)
	li.map(x, x)
	li.map(x, x + 1)
	li.filter(x, true)
	li.exists(x, x == 1)
	li.exists_one(x, x == 1)
	li.map(x, li.map(y, y))
	ms.all(k, true)
	self.minReplicas <= self.replicas && self.replicas <= self.maxReplicas
	self.names.all(x, x.size() < 10)
	self.names.all(x, x in ['a', 'bb', 'ccc'])
	self.names.all(x, x in self.names)
	size(self.names) > 0
	size([1, 2, 3])
	size([i])
	[1, 2, 3] == [1, 2, 3]
	[i] + [i]
	li + li
	duration('1s') + duration('2s')
	timestamp(self.when) > timestamp(0)
	timestamp(self.when).getFullYear()
	int(i)
	string(i)
	double(i) + 1.0
	dyn(i)
	type(i)
	optional.of(i).orValue(1)
	optional.of(i).value()
	self.?name.orValue('')
	self.?nested.?deep.?er
	li[?0]
	li.transformMap(k, v, v)
	li.transformList(k, v, v)
	li.map(x, x).map(x, x).map(x, x)
	1 + 2 + 3
	'a' + 'b' + 'c'
	-i
	i in li
	s in ms
	s in ['hello']
	s in [s]
	dyn(self.name) == dyn('web')
	dyn(self.replicas) > dyn(1)
	size(dyn(self.name))
	dyn(self.name).startsWith('w')
	self.items.map(x, x.name).exists(n, n == 'x')
`

// A little of each library, for the costs that Kubernetes gives to their functions.
const libraries = `
	'a,b,c'.split(',')
	self.long.split(' ').size()
	self.names.join('-')
	self.long.replace('o', '0')
	self.long.substring(4, 9)
	self.long.indexOf('fox')
	self.long.upperAscii()
	' x '.trim()
	self.long.charAt(4)
	self.names.isSorted()
	li.isSorted()
	li.sum()
	li.min()
	li.max()
	li.indexOf(2)
	self.long.find('q[a-z]+')
	self.long.findAll('[a-z]+').size()
	isURL('https://example.com/a?b=c')
	url('https://example.com:80/a?b=c').getHost()
	url('https://example.com:80/a?b=c').getPort()
	quantity('1.5Gi').isGreaterThan(quantity('1G'))
	quantity('50k') == quantity('50000')
	isQuantity('1.5x')
	quantity('1.5').asApproximateFloat()
	ip('127.0.0.1').isLoopback()
	ip('::1').family()
	cidr('10.0.0.0/8').containsIP('10.1.2.3')
	cidr('10.0.0.0/8').prefixLength()
	isSemver('1.2.3')
	semver('1.2.3').isLessThan(semver('1.10.0'))
	semver('1.2.3').major()
	format.dns1123Label().validate('Abc').hasValue()
	format.named('uuid').hasValue()
	sets.contains([1, 2, 3], [2])
	sets.intersects(li, [9])
	sets.equivalent([1, 2], [2, 1])
	'%s has %s'.format(['x', 'y'])
	[3, 1, 2].sort()
	[[1], [2, 3]].flatten()
	[1, 2, 2].distinct()
	[1, 2, 3].slice(1, 2)
	[1, 2, 3].reverse()
	lists.range(3)
	self.items.sortBy(x, x.port).map(x, x.name)
`
