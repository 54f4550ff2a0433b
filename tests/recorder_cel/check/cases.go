package main

import "strings"

// A text with one expression a line.
const plain = `
1
-1
--1
---1
- 1
-i
--i
!b
!!b
!!!b
-1.5
0x1F
-0x1f
0x1Fu
7u
7U
0
007
1.5
.5
1e3
1.e3
1E-3
.5e+2
1.5e308
1e309
1e-400
9223372036854775807
9223372036854775808
-9223372036854775808
-9223372036854775809
18446744073709551615u
18446744073709551616u
0xffffffffffffffff
true
false
null
"a"
'a'
""
''
"""a "b" c"""
'''a 'b' c'''
""""""
r"a\n"
R'a\d'
r"""a\"""
b"abc"
B'abc'
br"a\n"
bR'\x'
rb"a"
b"\xff\377"
b"é"
"\xff\377"
"\a\b\f\n\r\t\v\\\'\"\?\` + "`" + `"
"\u00e9\U0001f600"
"\ud800"
"\U00110000"
b"\u00e9"
"\q"
"\08"
"\400"
"a
'a
"\xFh"
"é日😀"
a
self
i + 1
1 + 2 * 3 - 4 / 5 % 6
(1 + 2) * 3
1 + 2 + 3
1 * 2 * 3
1 - 2 - 3
1 - -2
1--2
1+-2
i-1
2 < 3
2 <= 3 == true
1 < 2 == 2 > 1
1 < 2 < 3
i in li
1 in [1, 2] == true
"a" in ms
i in ms
1 in {1: 2}
b && b
b || b
b && b && b && b && b
b || b && b || b && b
b ? 1 : 2
b ? i : b ? 2 : 3
b ? b ? 1 : 2 : 3
(b ? 1 : 2) + 1
b ? 1 : "a"
b ? 1 : d
d ? 1 : 2
i ? 1 : 2
b ? [] : [1]
b ? {} : {"a": 1}
b ? null : t
b ? 1 : null
b ? 1 : 1u
li[0]
li["a"]
ms["a"]
ms.a
ms.a.b
md.a.b.c
mi[i]
self.name
self.item.name
self.items[0].name
self.items[0].nope
self.nope
self.name.nope
self.any.what.ever
self.labels.app
self.byName["x"].port
self.byName.x.port
self.matrix[0][1]
self.__if__
self.a__dash__b
self.if
self.in
self.true
self.null
self.for
self . name
.i
.self.name
a.b.c
a.b
a.b.c.d
a.b.c + 1
.a.b.c
nope
nope.what
nope()
nope.what()
s.nope()
self.nope()
f(x)
has(self.name)
has(self.item.name)
has(self.nope)
has(self)
has(i)
has(self.items[0])
has(self.items[0].name)
has(self.name, self.name)
has()
has(ms.a)
has(md.a.b)
has(d.x)
has(d["x"])
has(s.x)
has(self.?name)
self.has(self.name)
.has(self.name)
has(has(self.item.name).x)
li.all(x, x > 0)
li.all(x, x)
li.all(x, x.y)
li.all(1, true)
li.all(x.y, true)
li.all(x)
li.all(x, y, z)
li.all(x, y, x < y)
li.all(x, x, true)
li.all(__result__, true)
li.all(x, __result__, true)
li.all(i, i > 0) && i > 0
all(li, true)
ms.all(k, k != "")
ms.all(k, v, k != v)
mi.all(k, v, v > 0)
d.all(x, x.y > 0)
d.all(x, y, x == y)
s.all(x, true)
self.all(x, true)
self.items.all(x, x.port > 0 && x.name != "")
self.items.all(x, x.tags.all(t, t.size() > 0))
[].all(x, x > 0)
{}.all(x, x > 0)
[1, 2].all(x, x == "a")
li.exists(x, x > 0)
li.exists(k, v, v > k)
li.exists("x", true)
li.exists_one(x, x > 0)
li.exists_one(k, v, v > 0)
li.existsOne(x, x > 0)
ms.existsOne(k, v, v == "a")
li.exists_one(x, x)
li.map(x, x + 1)
li.map(x, x > 1, x + 1)
li.map(x, x, x)
li.map(x.y, x)
li.map(__result__, 1)
ms.map(k, ms[k])
[].map(x, x)
li.map(x, [x, x])
li.map(x, li.map(y, x + y))
li.map(x, "a")
li.filter(x, x > 1)
li.filter(1, true)
li.filter(x, x)
ms.filter(k, k == "a")
[].filter(x, true)
li.transformList(i, v, i + v)
li.transformList(i, v, v > 1, string(v))
ms.transformList(k, v, k + v)
li.transformMap(i, v, v * 2)
ms.transformMap(k, v, v.size() > 1, size(v))
ms.transformMapEntry(k, v, {v: k})
li.transformMapEntry(i, v, v > 0, {string(v): i})
li.transformMapEntry(i, v, v)
li.transformMap(i, i, v)
li.transformMap(1, i, v)
li.transformList(i, v)
os.optMap(x, x + "a")
os.optFlatMap(x, optional.of(x))
os.optMap(x.y, x)
os.optFlatMap(1, 2)
self.?name.optMap(x, x.size())
li.optMap(x, x)
self.?items[?0].?name.orValue("none")
oldSelf.hasValue() && self.replicas >= oldSelf.value().replicas
oldSelf.?replicas.orValue(0)
oldSelf.replicas
oldSelf.orValue(self).replicas == 1
oldSelf.or(optional.of(self))
optional.none()
optional.of(1)
optional.ofNonZeroValue("a")
optional.none().orValue(1)
optional.of(1).orValue("a")
optional.of(1) == optional.of(2)
optional.of(1).value() + 1
self.?name
self.?nope
self.?item.?name
self.?item.name
self.?any.?x.?y
md.?a.?b
s.?a
li[?0]
ms[?"a"]
md[?"a"].?b
li[?"a"]
[?os, "a"]
[?s]
[?os]
[?optional.none()]
{?"a": os}
{?"a": s}
{?"a": os, "b": "c"}
{"a": 1, ?"b": optional.of(2)}
[1, ?optional.of("a")]
os.value()
os.hasValue
[]
[1]
[1,]
[1, 2, 3]
[1, 2u]
[1, "a"]
[1, 2.0]
[1, null]
[null, 1]
[dyn(1), "a"]
[d, 1]
["a", d]
[[], [1]]
[[1], []]
[[], []]
[[1], ["a"]]
[t, null]
[{}, {"a": 1}]
[,]
[1,,2]
{}
{"a": 1}
{"a": 1,}
{"a": 1, "b": "c"}
{"a": 1, 2: 3}
{"a": 1, "b": d}
{"a": [], "b": [1]}
{1: "a", 2u: "b"}
{[]: 1}
{"a": {"b": {"c": 1}}}
{,}
{d: 1}.map(x, x)
{"a": 1}.a
{"a": 1}["a"] + 1
{"a": 1}."a"
{a: 1}
{"a"}
{"a": }
{:a}
{a}
Self{}
Self{name: "a"}
Self{name: 1}
Self{nope: 1}
Self{?name: os}
Self{?name: s}
Self{name: "a", replicas: 1}.replicas
.Self{}
Item{name: "a", tags: ["b"]}
Nope{}
nope.Nope{a: 1}
int{}
i{}
self{}
google.protobuf.Timestamp
google.protobuf.Duration
type(1)
type(1) == int
type(i) == type(u)
type(t) == google.protobuf.Timestamp
type(t) == timestamp
type(p) == duration
type([]) == list
type({}) == map
type(null) == null_type
type(type(1)) == type
type(1) == "int"
type(d) == string
int
string
list
map
timestamp
duration
dyn
optional_type
type(os) == optional_type
int(1u)
int("1")
int(1.5)
int(t)
int(b)
int(d)
uint(1)
double("1")
string(1)
string(by)
string(t)
string(self)
bytes("a")
bool("true")
dyn(1)
dyn(1) == "a"
dyn(1) + "a"
duration("1h")
duration("1x")
duration("")
duration(s)
duration(1)
timestamp("2020-01-01T00:00:00Z")
timestamp("2020-01-01")
timestamp("x")
timestamp(1)
timestamp(99999999999999)
timestamp(s)
b && duration("q") == p && timestamp("z") == t
s.matches("a.*")
s.matches("a(")
s.matches("[")
s.matches(s)
matches(s, "a(")
matches("a(", s)
matches(s, s)
s.matches("(?!a)")
1 == 1
1 == 1u
1 == 1.0
1 == "a"
1 == null
null == null
t == null
s == null
self == null
self.item == null
li == null
ms == null
n == 1
w == null
w == 1
w + 1
w
[w, 1]
[1, w]
li == []
li == ["a"]
li == ld
[] == []
{} == {}
d == 1
d == d
self == self
self == self.item
[1] == [1.0]
1 != "a"
1 < 1u
1 < 1.5
1u >= 1
"a" < "b"
"a" < 1
b"a" < b"b"
t < t
t < p
p <= p
b < b
li < li
self < self
d < 1
d < "a"
d < d
null < 1
1 + 1
1 + 1u
1 + 1.0
1u + 1u
1.0 + 1.0
"a" + "b"
"a" + 1
by + by
li + li
li + ls
[] + [1]
[] + []
li + []
t + p
p + t
p + p
t + t
t - t
t - p
p - t
ms + ms
d + 1
d + d
1 + d
null + 1
b + b
1 - "a"
1 * 2u
1.0 % 2.0
1 / 0
5 % 2
-u
-s
-f
-p
-d
!i
!d
!s
i && b
b && i
i || s
d && b
b && d
d || d
1 && 2 && 3
b && (i || s)
size("a")
size(li)
size(ms)
size(by)
size(1)
size(d)
s.size()
li.size()
self.items.size()
self.size()
s.size(1)
size()
size(1, 2)
s.contains("a")
s.contains(1)
s.startsWith("a") && s.endsWith("b")
contains(s, "a")
t.getFullYear()
t.getFullYear("UTC")
t.getHours(1)
p.getHours()
p.getFullYear()
s.getHours()
d.getHours()
s.charAt(0)
s.indexOf("a", 1)
s.lowerAscii().upperAscii()
s.replace("a", "b", 1)
s.split(",")
s.split(",")[0]
s.substring(1)
s.trim()
ls.join(",")
li.join(",")
"%s %d".format([s, i])
"%s".format([s])
"%s".format(s)
"%s %d".format([dyn(s), dyn(i)])
strings.quote(s)
s.reverse()
li.sum()
ls.sum()
li.min()
ls.max()
self.items.max()
li.isSorted()
li.indexOf(1)
li.indexOf("a")
ls.lastIndexOf("a")
li.slice(0, 1)
li.flatten()
self.matrix.flatten()
li.sort()
li.distinct()
li.reverse()
self.items.sort()
self.items.sortBy(x, x.name)
self.items.sortBy(x, x)
self.items.sortBy(x.y, x)
"a".sortBy(x, x)
[3, 1, 2].sortBy(x, -x)
lists.range(3)
li.first()
li.last()
sets.contains(li, [1])
sets.contains(li, ["a"])
sets.intersects(ls, ["a"])
sets.equivalent([], [1])
math.greatest(1, 2)
cel.bind(x, 1, x + 1)
base64.encode(by)
isURL(s)
url(s).getHost()
url("https://a").getHost() == "a"
type(url(s))
isURL(1)
ip(s).family()
ip(s) == ip("1.2.3.4")
ip(s).foo
ip.isCanonical("1.2.3.4")
isIP(s)
cidr(s).containsIP(ip("1.2.3.4"))
cidr("10.0.0.0/8").prefixLength()
isCIDR(s)
quantity("1").isGreaterThan(quantity("2"))
quantity("1").compareTo(quantity(s)) == 0
isQuantity(s)
quantity(1)
quantity("1Gi") > quantity("2Gi")
s.find("a.")
s.findAll("a.")
s.findAll("a.", 1)
s.find(1)
semver("1.2.3").major()
isSemver(s, true)
semver(s) < semver(s)
format.dns1123Label().validate(s)
format.named("dns1123Label").value().validate(s)
format.nope().validate(s)
type(format.named("x"))
1 +
+ 1
1 + +
1 2
1 2 3
i j
i j k
(1
(1 + 2
1)
((1)
()
f(
f(1
f(1,
f(,)
f(1,)
f(1 2)
f(1))
li[
li[0
li[]
li[0
[1
[1 2]
[1 2 3]
[1,
{
{"a"
{"a":
{"a": 1
{"a" 1}
{"a": 1 "b": 2}
}
]
)
*
*i
&& b
b &&
b && && b
b ||
b ? 1
b ? 1 :
b ? : 2
b ? 1 2
?
:
,
.
..
i.
i..
i.1
i.+
i."a"
i.(1)
i.j.
i?.j
i.?
i.?1
i[?
!
!)
-
-)
--
1 -
!1
in
1 in
in li
i = 1
i == = 1
i & b
b | b
i @ 1
i # 1
i $ 1
$
@
i ~ 1
^
i ^ 1
; i
i;
i; j
\
é
i é
"a" é + 1
"é" + nope
"日本" + nope
"a	b" + nope
` + "`a`" + `
` + "i.`a`" + `
` + "self.`name`" + `
` + "self.`a-b`" + `
` + "self.`name` + nope" + `
` + "`" + `
` + "i.`" + `
i // comment
// comment
i + // comment
if
for
as
break
const
continue
else
function
import
let
loop
package
namespace
return
var
void
while
if(1)
for(nope)
self.for.if
self.__if__ == self.if
self.namespace
var + nope
.if
li.all(if, true)
x.y{z: 1}
x.y{
x{.
x{?.
msg{:a}
func{{a}}
ind[a{b}]
TestAllTypes(){}
TestAllTypes{}()
a ? b ((?))
*@a | b
nope1 + nope2 * nope3
nope1 && nope2
nope1(nope2)
[nope1, nope2]
{nope1: nope2}
nope1 ? nope2 : nope3
nope.all(x, x)
li.all(x, nope)
li.all(x, x + "a" > 1)
(1 + "a") + (2 + "b")
i + s + nope
self.replicas >= 1 && self.replicas <= 10
self.replicas >= oldSelf.replicas
self.items.exists(x, x.name == self.name) || self.any == null
self.items.map(x, x.name).all(n, n.startsWith(self.name))
self.items.filter(x, x.port > 80).size() < 10
self.labels.all(k, self.labels[k].size() < 64)
self.created + self.timeout > timestamp("2024-01-01T00:00:00Z")
self.items.all(x, self.items.exists_one(y, x.name == y.name))
has(self.item) && has(self.item.name) ? self.item.name == self.name : true
self.tags.isSorted() && self.tags.size() == self.tags.distinct().size()
!has(self.any) || self.any == "x" || self.any == 1
self.name in ["a", "b"]
self.items.map(x, {"n": x.name, "p": string(x.port)})
self.replicas == 1 ? "one" : self.replicas == 2 ? "two" : "many " + string(self.replicas)
"replicas: " + self.replicas
self.data.size() > 0
self.byName.all(k, v, v.name == k)
self.byName.map(k, self.byName[k].port).sum() > 10
`

// Those that a line cannot hold.
var longer = []string{
	"", " ", "\n", "\t", "i\n", "i +\n  nope", "i +\n\tnope\n+ j", "\n\n  nope", "i // c\n+ nope", "\"a\nb\"", "\"\"\"a\nb\"\"\"",
	"'''a\r\nb\rc'''", "r'''a\r\nb'''", "i +\r\n nope", "1 + 2\n3 +", "      '😁' in ['😁', '😑', '😦']\n   && in.😁", "'😁' + nope + '😁'",
	"\xff", "'\xff' + nope", "i\x00", "i\f+ 1", "i\v+ 1", "\"\x00\"", "nope \xff",
	strings.Repeat("(", 100) + "1" + strings.Repeat(")", 100),
	strings.Repeat("(", 260) + "1" + strings.Repeat(")", 260),
	strings.Repeat("[", 249) + strings.Repeat("]", 249),
	strings.Repeat("[", 250) + strings.Repeat("]", 250),
	strings.Repeat("1 + (", 100) + "1" + strings.Repeat(")", 100),
	strings.Repeat("1 + (", 124) + "1" + strings.Repeat(")", 124),
	strings.Repeat("1 + (", 125) + "1" + strings.Repeat(")", 125),
	strings.Repeat("1 < (", 126) + "1" + strings.Repeat(")", 126),
	"d" + strings.Repeat(".a", 249), "d" + strings.Repeat(".a", 250), "d" + strings.Repeat(".a", 251), "d" + strings.Repeat(".a", 300),
	"d" + strings.Repeat("[0]", 250), "d" + strings.Repeat("[0]", 251), "d" + strings.Repeat(".a()", 251),
	"1" + strings.Repeat(" + 1", 250), "1" + strings.Repeat(" + 1", 251), "true" + strings.Repeat(" == true", 251),
	"b" + strings.Repeat(" && b", 20), "b" + strings.Repeat(" || b", 7),
	strings.Repeat("b ? 1 : ", 249) + "1", strings.Repeat("b ? 1 : ", 250) + "1", strings.Repeat("!", 300) + "b", strings.Repeat("-", 300) + "i",
	strings.Repeat("b ? (", 83) + "1" + strings.Repeat(") : 2", 83),
	strings.Repeat("li.all(x, ", 30) + "true" + strings.Repeat(")", 30),
	strings.Repeat("@", 120), strings.Repeat("1 ", 300), strings.Repeat("( ", 40) + ")", strings.Repeat("x+", 105) + "x",
}

func expressions() []string {
	return append(strings.Split(strings.Trim(plain, "\n"), "\n"), longer...)
}
