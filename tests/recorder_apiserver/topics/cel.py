"""The rules of custom resources (x-kubernetes-validations): what they say of objects, and which are refused."""

from custom import Custom, spec_schema
from scripting import JSON_PATCH, script, until

TEXT = {"type": "string", "maxLength": 50}
ANY_TEXT = {"type": "string"}
INTEGER = {"type": "integer"}
NUMBER = {"type": "number"}
BOOLEAN = {"type": "boolean"}
EITHER = {"x-kubernetes-int-or-string": True}


def listed(items, **more):
    return {"type": "array", "maxItems": 10, "items": items, **more}


def mapped(values, **more):
    return {"type": "object", "maxProperties": 10, "additionalProperties": values, **more}


def keyed(properties, *keys):
    return listed({"type": "object", "required": list(keys), "properties": properties}, **{
        "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": list(keys)})


def rules(*texts):
    """Each a rule, or a rule with its other members."""
    return {"x-kubernetes-validations": [text if isinstance(text, dict) else {"rule": text} for text in texts]}


def custom(properties, *texts, **more):
    """`texts` are the rules of the spec."""
    return Custom("rulings", "Ruling", spec_schema(properties, **(rules(*texts) if texts else {})), **more)


def creates(name, properties, texts, *specs):
    R = custom(properties, *texts)
    return script(name, R.install(), [R.create({"metadata": {"name": f"n{i}"}, "spec": spec}) for i, spec in enumerate(specs)])


def updates(name, properties, texts, first, *specs):
    """Each spec over the first."""
    R = custom(properties, *texts)
    return script(name, R.install(), R.create({"spec": first}), [R.patch([{"op": "replace", "path": "/spec", "value": spec}], content_type=JSON_PATCH,
                                                                         query="dryRun=All") for spec in specs])


def language():
    yield creates("numbers", {"a": INTEGER, "b": INTEGER, "x": NUMBER},
                  ["self.a <= self.b", "self.a + self.b < 100", "self.x * 2.0 >= 1.0", "self.b % 2 == 0 || self.a == 1", "10 / self.b > 0"],
                  {"a": 1, "b": 2, "x": 1}, {"a": 5, "b": 4, "x": 1.5}, {"a": 1, "b": 0, "x": 1}, {"a": 1, "b": 2}, {"a": 60, "b": 62, "x": 0.25},
                  {"a": 9223372036854775807, "b": 9223372036854775807, "x": 1})
    yield creates("texts", {"s": TEXT, "t": TEXT}, ["self.s.startsWith('a')", "self.s.endsWith('z')", "self.s.contains('-')", "self.s.size() < 8",
                                                    "self.t == '' || self.t.matches('^[a-f]+$')", "self.s < self.t || self.t == ''"],
                  {"s": "a-z", "t": ""}, {"s": "b-z", "t": ""}, {"s": "a-y", "t": ""}, {"s": "az", "t": ""}, {"s": "a-bcdefgz", "t": ""}, {"s": "a-z", "t": "abc"},
                  {"s": "a-z", "t": "xyz"}, {"s": "a-äöüz", "t": ""}, {"s": "a-z"})
    yield creates("lists", {"l": listed(TEXT), "n": listed(INTEGER)},
                  ["self.l.all(x, x.size() > 0)", "self.l.exists(x, x == 'a')", "self.l.exists_one(x, x == 'b')", "self.n.map(x, x * 2).size() == self.n.size()",
                   "self.n.filter(x, x > 5).size() < 2", "!('z' in self.l)", "self.l[0] != 'q'", "self.l + ['x'] != ['x']"],
                  {"l": ["a", "b"], "n": [1]}, {"l": ["a", "b", ""], "n": []}, {"l": ["b"], "n": []}, {"l": ["a", "b", "b"], "n": []}, {"l": ["a", "b"], "n": [6, 7]},
                  {"l": ["a", "b", "z"], "n": []}, {"l": ["q", "a", "b"], "n": []}, {"l": [], "n": []}, {"l": ["a", "b"]})
    yield creates("maps", {"m": mapped(TEXT), "o": {"type": "object", "properties": {"x": INTEGER, "y": INTEGER}}},
                  ["self.m.all(k, k.startsWith('k'))", "self.m.all(k, self.m[k] != '')", "'k1' in self.m", "self.m.k1 == self.m['k1']", "has(self.m.k1)", "size(self.m) < 3",
                   "!has(self.o) || !has(self.o.x) || self.o.x > 0", "self.?o.?y.orValue(1) > 0", "self.m[?'k2'].orValue('x') == 'x'"],
                  {"m": {"k1": "v"}}, {"m": {"x": "v", "k1": "v"}}, {"m": {"k1": ""}}, {"m": {}}, {"m": {"k1": "v", "k2": "w"}}, {"m": {"k1": "v", "k2": "x", "k3": "w"}},
                  {"m": {"k1": "v"}, "o": {"x": 0}}, {"m": {"k1": "v"}, "o": {"y": 0}}, {})
    yield creates("conditions", {"kind": TEXT, "size": INTEGER, "name": TEXT},
                  ["self.kind == 'big' ? self.size > 10 : self.size <= 10", "self.kind in ['big', 'small']", "has(self.name) == (self.kind == 'big')"],
                  {"kind": "big", "size": 11, "name": "n"}, {"kind": "big", "size": 3, "name": "n"}, {"kind": "small", "size": 3}, {"kind": "small", "size": 30}, {"kind": "other", "size": 3},
                  {"kind": "small", "size": 1, "name": "x"})
    yield creates("two variables", {"l": listed(TEXT), "m": mapped(INTEGER)},
                  ["self.l.all(i, x, x == string(i))", "self.m.exists(k, v, k == 'a' && v == 1)", "self.l.transformList(i, x, i).sum() < 4", "self.m.transformMap(k, v, v > 1, v).size() < 2"],
                  {"l": ["0", "1"], "m": {"a": 1}}, {"l": ["1"], "m": {"a": 1}}, {"l": ["0", "1", "2", "3"], "m": {"a": 1}}, {"l": [], "m": {"a": 1, "b": 2, "c": 3}}, {"l": [], "m": {"b": 1}})
    yield creates("optionals", {"a": INTEGER, "b": {"type": "object", "properties": {"c": TEXT}}},
                  ["self.?a.optMap(x, x > 1).orValue(true)", "self.?b.?c.hasValue() || !has(self.b)", "self.?b.c.orValue('x').size() > 0", "optional.of(self.?a.orValue(3)).value() < 10",
                   "self.?b.optFlatMap(b, b.?c).orValue('ok') != 'bad'"],
                  {}, {"a": 1}, {"a": 2}, {"a": 12}, {"b": {}}, {"b": {"c": ""}}, {"b": {"c": "bad"}}, {"b": {"c": "good"}})
    yield creates("errors are absorbed", {"a": INTEGER, "b": INTEGER}, ["self.a > 0 || self.b > 0", "!(self.b == 0 && self.a / self.b == 1)", "self.b > 0 || self.a > 0"],
                  {"a": 1}, {"b": 1}, {}, {"a": 0, "b": 0})
    yield creates("times", {"t": {"type": "string", "format": "date-time"}, "d": {"type": "string", "format": "date"}, "p": {"type": "string", "format": "duration"}},
                  ["!has(self.t) || self.t > timestamp('2020-01-01T00:00:00Z')", "!has(self.t) || self.t.getFullYear() == 2024", "!has(self.d) || self.d.getDayOfWeek() != 0",
                   "!has(self.p) || self.p < duration('1h')", "!has(self.p) || self.p.getSeconds() > 5", "!(has(self.t) && has(self.d)) || self.t - self.d < duration('48h')",
                   "!has(self.t) || self.t.getHours('Europe/Berlin') < 20"],
                  {"t": "2024-05-01T10:00:00Z"}, {"t": "2019-05-01T10:00:00Z"}, {"t": "2023-05-01T10:00:00.5+02:00"}, {"d": "2024-02-25"}, {"d": "2024-02-26"}, {"p": "90m"}, {"p": "4s"},
                  {"p": "30s"}, {"t": "2024-03-09T10:00:00Z", "d": "2024-03-01"}, {"t": "2024-05-01T19:30:00Z"}, {"p": "2 days"})
    yield creates("bytes", {"b": {"type": "string", "format": "byte", "maxLength": 100}}, ["self.b.size() < 6", "string(self.b) != 'bad'", "self.b != b'no'"],
                  {"b": "aGVsbG8="}, {"b": "aGVsbG8h"}, {"b": "YmFk"}, {"b": "bm8="}, {"b": "_-8="}, {"b": "+/8="})
    yield creates("int or string", {"p": EITHER, "q": EITHER}, ["type(self.p) == int ? self.p < 10 : self.p.matches('^[0-9]+%$')", "!has(self.q) || self.q == self.p", "!has(self.q) || self.q + 1 > 0"],
                  {"p": 5}, {"p": 50}, {"p": "50%"}, {"p": "x"}, {"p": 5, "q": 5}, {"p": 5, "q": "5"}, {"p": "5%", "q": "5%"})
    yield creates("conversions", {"s": TEXT, "i": INTEGER, "x": NUMBER, "b": BOOLEAN},
                  ["int(self.s) < 10", "double(self.i) <= self.x", "string(self.i) != '1' || !self.b", "uint(self.i) < 100u", "self.s != string(self.x)", "duration(self.s + 's') < duration('9s')"],
                  {"s": "5", "i": 1, "x": 2.5, "b": False}, {"s": "x", "i": 1, "x": 2.5, "b": False}, {"s": "50", "i": 1, "x": 2.5, "b": False}, {"s": "1", "i": 3, "x": 2.5, "b": False},
                  {"s": "1", "i": 1, "x": 2.5, "b": True}, {"s": "1", "i": -1, "x": 2.5, "b": True}, {"s": "2.5", "i": 1, "x": 2.5, "b": False})


def libraries():
    yield creates("library: strings", {"s": ANY_TEXT, "l": listed(TEXT)},
                  ["self.s.charAt(0) != 'x'", "self.s.indexOf('-') < 5", "self.s.lastIndexOf('-') != 0", "self.s.lowerAscii() == self.s", "self.s.replace('a', 'b') != 'bbb'",
                   "self.s.split('-').size() < 4", "self.s.substring(1) != 'yz'", "self.s.trim() == self.s", "self.s.upperAscii() != 'NO'", "self.l.join('+') != 'a+b'", "strings.quote(self.s) != '\"q\"'"],
                  {"s": "good-one", "l": []}, {"s": "xyz", "l": []}, {"s": "abcdef-g", "l": []}, {"s": "-a", "l": []}, {"s": "aBc", "l": []}, {"s": "aba", "l": []}, {"s": "a-b-c-d", "l": []},
                  {"s": " a", "l": []}, {"s": "no", "l": []}, {"s": "ok", "l": ["a", "b"]}, {"s": "q", "l": []}, {"s": "", "l": []})
    yield creates("library: format of texts", {"i": INTEGER, "l": listed(TEXT)},
                  [{"rule": "self.i < 5", "messageExpression": "'%d is not less than %d, %s'.format([self.i, 5, self.l])"},
                   {"rule": "self.i != 1", "messageExpression": "'%b %o %x %X %e %.2f'.format([10, 10, 255, 255, 1234.5, 1234.567])"},
                   {"rule": "self.i != 2", "messageExpression": "'%s %s %s %s'.format([true, null, 1.5, {'a': [1, 2]}])"},
                   {"rule": "self.i != 3", "messageExpression": "'%s %% %s'.format([duration('90s'), timestamp('2024-01-01T00:00:00Z')])"}],
                  {"i": 4, "l": []}, {"i": 7, "l": ["a", "b"]}, {"i": 1, "l": []}, {"i": 2, "l": []}, {"i": 3, "l": []})
    yield creates("library: lists", {"n": listed(INTEGER), "l": listed(TEXT), "p": listed({"type": "string", "format": "duration"})},
                  ["self.n.isSorted()", "self.n.sum() < 20", "self.n.size() == 0 || self.n.min() > 0", "self.n.size() == 0 || self.n.max() < 15", "self.l.indexOf('x') < 1", "self.l.lastIndexOf('y') < 1",
                   "self.p.sum() < duration('1h')", "self.l.distinct().size() == self.l.size()", "self.l.reverse() != ['a', 'b']", "self.l.sort() != ['a', 'c']", "self.n.slice(0, 0).size() == 0",
                   "[self.n, [100]].flatten().exists(x, x == 100)", "lists.range(3).all(i, !(i in self.n) || i < 2)", "self.l.sortBy(x, x.size()).size() < 5"],
                  {"n": [1, 5, 9], "l": ["x", "y"], "p": []}, {"n": [2, 1], "l": [], "p": []}, {"n": [9, 14], "l": [], "p": []}, {"n": [0], "l": [], "p": []}, {"n": [16], "l": [], "p": []},
                  {"n": [], "l": ["a", "b", "x"], "p": []}, {"n": [], "l": ["q", "r", "y"], "p": []}, {"n": [], "l": [], "p": ["40m", "30m"]}, {"n": [], "l": ["d", "d"], "p": []}, {"n": [], "l": ["b", "a"], "p": []},
                  {"n": [], "l": ["c", "a"], "p": []}, {"n": [2], "l": [], "p": []}, {"n": [], "l": ["1", "2", "3", "4", "5"], "p": []})
    yield creates("library: empty lists", {"n": listed(INTEGER)}, ["self.n.min() > 0"], {"n": [1]}, {"n": []}, {"n": [0]})
    yield creates("library: sets", {"l": listed(TEXT), "m": listed(TEXT)}, ["sets.contains(self.l, self.m)", "!sets.equivalent(self.l, ['p', 'q'])", "!sets.intersects(self.l, ['z'])"],
                  {"l": ["a", "b"], "m": ["a"]}, {"l": ["a"], "m": ["a", "b"]}, {"l": ["q", "p", "q"], "m": []}, {"l": ["z"], "m": []})
    yield creates("library: regular expressions", {"s": TEXT}, ["self.s.find('[0-9]+') != '42'", "self.s.findAll('[a-z]+').size() < 3", "self.s.findAll('[a-z]+', 1) != ['no']", "self.s.find('^$') == ''"],
                  {"s": "a1"}, {"s": "x42y"}, {"s": "a b c"}, {"s": "no way"}, {"s": ""})
    yield creates("library: URLs", {"u": ANY_TEXT}, ["isURL(self.u)", "!isURL(self.u) || url(self.u).getScheme() == 'https'", "!isURL(self.u) || url(self.u).getHostname() != 'bad.example.com'",
                                                     "!isURL(self.u) || url(self.u).getPort() in ['', '443']", "!isURL(self.u) || url(self.u).getEscapedPath() != '/a%20b'",
                                                     "!isURL(self.u) || !('q' in url(self.u).getQuery())", "url(self.u).getHost() != 'x'"],
                  {"u": "https://example.com/a?b=c"}, {"u": "not a url"}, {"u": "http://example.com"}, {"u": "https://bad.example.com"}, {"u": "https://example.com:8080/"}, {"u": "https://example.com/a b"},
                  {"u": "https://example.com/?q=1&q=2"}, {"u": "https://[::1]:443/"}, {"u": "https://a:b:c/"})
    yield creates("library: quantities", {"q": ANY_TEXT, "r": ANY_TEXT}, ["isQuantity(self.q)", "!isQuantity(self.q) || quantity(self.q).isLessThan(quantity('2Gi'))", "!isQuantity(self.q) || sign(quantity(self.q)) >= 0",
                                                                          "!has(self.r) || quantity(self.q).add(quantity(self.r)).compareTo(quantity('1500m')) <= 0", "!has(self.r) || quantity(self.r).asInteger() > 0",
                                                                          "!has(self.r) || quantity(self.q).sub(1).asApproximateFloat() > -2.0"],
                  {"q": "1Gi"}, {"q": "Three"}, {"q": "3Gi"}, {"q": "-1"}, {"q": "500m", "r": "1"}, {"q": "600m", "r": "1"}, {"q": "0", "r": "0"}, {"q": "0", "r": "100m"}, {"q": "0", "r": "x"})
    yield creates("library: addresses", {"ip": ANY_TEXT, "net": ANY_TEXT}, ["!has(self.ip) || isIP(self.ip)", "!has(self.ip) || ip(self.ip).family() == 4 || ip.isCanonical(self.ip)", "!has(self.ip) || !ip(self.ip).isLoopback()",
                                                                            "!has(self.net) || isCIDR(self.net)", "!(has(self.ip) && has(self.net)) || cidr(self.net).containsIP(self.ip)", "!has(self.net) || cidr(self.net) == cidr(self.net).masked()",
                                                                            "!has(self.net) || cidr(self.net).prefixLength() > 7", "!has(self.net) || !cidr('10.0.0.0/8').containsCIDR(self.net)"],
                  {"ip": "192.168.1.1"}, {"ip": "300.1.1.1"}, {"ip": "2001:DB8::1"}, {"ip": "127.0.0.1"}, {"ip": "::ffff:1.2.3.4"}, {"net": "192.168.0.0/16"}, {"net": "192.168.0.0"}, {"ip": "192.168.1.1", "net": "192.168.0.0/24"},
                  {"net": "192.168.1.0/16"}, {"net": "128.0.0.0/4"}, {"net": "10.1.0.0/16"}, {"net": "192.168.0.0/33"}, {"ip": "nothing"})
    yield creates("library: named formats", {"s": TEXT}, [
        {"rule": "!format.dns1123Label().validate(self.s).hasValue()", "messageExpression": "format.dns1123Label().validate(self.s).value()[0]"},
        {"rule": "!format.named('uuid').value().validate(self.s).hasValue() || self.s.size() < 10", "messageExpression": "format.uuid().validate(self.s).value()[0]"},
        "!format.named('nope').hasValue()", "self.s != 'uri' || format.uri().validate(self.s).hasValue()"],
        {"s": "ok"}, {"s": "Not OK"}, {"s": "long-but-no-uuid"}, {"s": "123e4567-e89b-12d3-a456-426614174000"}, {"s": "uri"})
    yield creates("library: versions", {"v": TEXT}, ["isSemver(self.v, true)", "!isSemver(self.v) || semver(self.v).isLessThan(semver('2.0.0'))", "!isSemver(self.v) || semver(self.v).minor() != 7", "semver(self.v).compareTo(semver('1.0.0-rc.1')) > 0"],
                  {"v": "1.2.3"}, {"v": "x"}, {"v": "v1.2"}, {"v": "2.0.0"}, {"v": "1.7.0"}, {"v": "1.0.0-beta"}, {"v": "1.0.0-rc.2+build"}, {"v": "01.2.3"})


def schemas():
    names = ["foo-bar", "a.b", "x/y", "two__parts", "namespace", "if", "in", "true", "plain"]
    yield creates("escaped names", {name: INTEGER for name in names},
                  [f"!has(self.{name}) || self.{name} < {i + 1}" for i, name in enumerate([
                      "foo__dash__bar", "a__dot__b", "x__slash__y", "two__underscores__parts", "__namespace__", "__if__", "__in__", "__true__", "plain"])],
                  {}, *[{name: 9} for name in names])
    R = Custom("rulings", "Ruling", {"type": "object", **rules("self.metadata.name.startsWith('r')", "self.kind == 'Ruling'", "self.apiVersion.endsWith('/v1')",
                                                               {"rule": "!has(self.metadata.generateName)", "message": "a name of its own"}),
                                     "properties": {"spec": {"type": "object", "properties": {"a": INTEGER}}}})
    yield script("the root of an object", R.install(), R.create({"metadata": {"name": "right"}}), R.create({"metadata": {"name": "wrong"}}),
                 R.create({"metadata": {"name": "rule", "generateName": "rule-"}}))
    embedded = {"type": "object", "x-kubernetes-embedded-resource": True, "x-kubernetes-preserve-unknown-fields": True}
    yield creates("embedded resources", {"e": {**embedded, **rules("self.kind == 'Pod'", "self.metadata.name != 'bad'", "self.apiVersion == 'v1'")}}, [],
                  {"e": {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}}}, {"e": {"apiVersion": "v1", "kind": "Job", "metadata": {"name": "p"}}},
                  {"e": {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "bad"}}}, {"e": {"apiVersion": "v1", "kind": "Pod"}})
    yield creates("sets", {"s": listed(TEXT, **{"x-kubernetes-list-type": "set"}), "t": listed(TEXT, **{"x-kubernetes-list-type": "set"})},
                  ["self.s == self.t", "(self.s + self.t).size() < 4", "self.s.all(x, x != 'bad')"],
                  {"s": ["a", "b"], "t": ["b", "a"]}, {"s": ["a"], "t": ["b"]}, {"s": ["a", "b", "c", "d"], "t": ["d", "c", "b", "a"]}, {"s": ["bad"], "t": ["bad"]})
    yield creates("list-maps", {"l": keyed({"k": TEXT, "v": INTEGER}, "k")},
                  ["self.l == self.l", "(self.l + self.l).size() == self.l.size()", "self.l.all(x, x.v > 0)", "self.l.exists_one(x, x.k == 'a')"],
                  {"l": [{"k": "a", "v": 1}, {"k": "b", "v": 2}]}, {"l": [{"k": "a", "v": 0}]}, {"l": [{"k": "a"}]}, {"l": []}, {"l": [{"k": "b", "v": 2}]})
    yield creates("nullable", {"n": {"type": "string", "nullable": True, "maxLength": 9}, "l": listed({"type": "string", "nullable": True, "maxLength": 9})},
                  ["has(self.n) || self.l.size() > 0", "self.l.all(x, dyn(x) == null || x.size() > 1)"], {"n": "a", "l": []}, {"n": None, "l": []}, {"n": None, "l": [None]}, {"n": "a", "l": ["b"]}, {"n": "a", "l": ["bb", None]})
    yield creates("unknown fields", {"o": {"type": "object", "x-kubernetes-preserve-unknown-fields": True, "properties": {"known": INTEGER}},
                                     "p": {"type": "object", "x-kubernetes-preserve-unknown-fields": True, "properties": {"known": INTEGER}}},
                  ["self.o.known < 5", "self.o == self.o", "!has(self.p) || self.p.known > 0"], {"o": {"known": 1, "other": {"x": 1}}}, {"o": {"known": 7, "other": 1}}, {"o": {"other": 1}}, {"o": {"known": 1}, "p": {"known": 0}})
    yield creates("places of rules", {"n": {**INTEGER, **rules("self < 5")}, "l": listed({**TEXT, **rules("self != 'bad'")}, **rules("self.size() < 3")),
                                      "m": mapped({**INTEGER, **rules("self > 0")}, **rules("size(self) < 3")),
                                      "o": {"type": "object", "properties": {"b": {**BOOLEAN, **rules("self")}, "x": {**NUMBER, **rules("self < 1.5")}, "e": {**EITHER, **rules("self == 1 || self == 'one'")}}, **rules("has(self.b)")}}, [],
                  {"n": 7}, {"l": ["a", "bad"]}, {"l": ["a", "b", "c"]}, {"m": {"a.b/c": -1}}, {"m": {"a": 1, "b": 1, "c": 1}}, {"o": {"b": False}}, {"o": {"b": True, "x": 2}}, {"o": {"b": True, "x": 1.75}},
                  {"o": {"b": True, "e": "two"}}, {"o": {"b": True, "e": 2}}, {"o": {}}, {"o": {"b": True, "x": 1, "e": "one"}})
    R = custom({"a": {**INTEGER, "maximum": 5}, "b": {**TEXT, "enum": ["x"]}, "c": {**TEXT, "pattern": "^c"}}, "self.a < 3")
    yield script("rules are not asked of what is no valid object", R.install(), *[R.create({"metadata": {"name": f"n{i}"}, "spec": spec}) for i, spec in enumerate((
        {"a": "text"}, {"a": 7}, {"a": 4, "b": "y"}, {"a": 4, "c": "d"}, {"a": 4}, {"a": 1, "c": "c"}))])
    R = custom({"a": {**INTEGER, "default": 9}, "b": INTEGER}, "self.a < 5", "self.b > 0")
    yield script("rules see defaults", R.install(), R.create({"spec": {"b": 1}}), R.create({"spec": {"a": 1, "b": 1, "c": 5}}), R.get())
    R = Custom("rulings", "Ruling", {
        "type": "object", "properties": {"spec": {"type": "object", "properties": {"max": INTEGER}}, "status": {"type": "object", "properties": {"n": INTEGER}}},
        **rules({"rule": "!has(self.status) || self.status.n <= self.spec.max", "messageExpression": "'%d of %d'.format([self.status.n, self.spec.max])"})},
        subresources={"status": {}})
    yield script("rules and a status", R.install(), R.create({"spec": {"max": 3}, "status": {"n": 9}}), R.patch({"status": {"n": 2}}, subresource="status"), R.patch({"status": {"n": 5}}, subresource="status"),
                 R.patch({"spec": {"max": 1}}), R.patch({"spec": {"max": 5}}), R.get())


def messages():
    yield creates("messages", {"n": {**INTEGER, **rules({"rule": "self != 1"}, {"rule": "self != 2", "message": " trimmed "}, {"rule": "self != 3", "messageExpression": "'%d is wrong'.format([self])"},
                                                        {"rule": "self != 4", "message": "plain", "messageExpression": "'made %d'.format([self])"}, {"rule": "self != 5", "message": "plain", "messageExpression": "''"},
                                                        {"rule": "self != 6", "message": "plain", "messageExpression": "'two\\nlines'"}, {"rule": "self != 7", "message": "plain", "messageExpression": "string(1 / (self - 7))"},
                                                        {"rule": "self != 8", "messageExpression": "'x'.replace('x', 'long')"}, {"rule": "self\n  != 9", "message": "of two lines"})}}, [],
                  *[{"n": n} for n in range(10)])
    yield creates("a message that is too long", {"s": {"type": "string", "maxLength": 10000, **rules({"rule": "self.size() < 5", "messageExpression": "self"})}}, [], {"s": "short"}, {"s": "x" * 5120}, {"s": "x" * 5121})
    yield creates("reasons", {"n": {**INTEGER, **rules(*[{"rule": f"self != {i}", "reason": reason, "message": "why"} for i, reason in enumerate(
        ("FieldValueInvalid", "FieldValueForbidden", "FieldValueRequired", "FieldValueDuplicate"))])}}, [], *[{"n": n} for n in range(5)])
    yield creates("reasons of objects", {"n": INTEGER}, [{"rule": f"self.n != {i}", "reason": reason, "message": "why"} for i, reason in enumerate(("FieldValueInvalid", "FieldValueForbidden", "FieldValueRequired"))],
                  *[{"n": n} for n in range(4)])
    yield creates("fields of rules", {"n": INTEGER, "o": {"type": "object", "properties": {"x.y": INTEGER}}, "m": mapped(TEXT)},
                  [{"rule": f"self.n != {i}", "fieldPath": path} for i, path in enumerate((".n", ".o", ".o['x.y']", ".m.key", ".m['a b']", "['n']"))], *[{"n": n} for n in range(7)])
    yield creates("several rules fail", {"a": INTEGER}, ["self.a > 10", {"rule": "self.a > 20", "message": "more"}, "self.a > 5", {"rule": "self.a > 30", "reason": "FieldValueRequired"}], {"a": 3}, {"a": 15}, {"a": 31})
    yield creates("texts in messages", {"s": {**TEXT, **rules("self == 'x'", {"rule": "self != 'quote\"'", "messageExpression": "'got ' + self"})}}, [], {"s": "<&>"}, {"s": "quote\""}, {"s": "tab\t"}, {"s": "ünï"})


def transitions():
    yield updates("immutable", {"n": {**INTEGER, **rules({"rule": "self == oldSelf", "message": "is immutable"})}, "o": INTEGER}, [], {"n": 1}, {"n": 1, "o": 2}, {"n": 2}, {}, {"n": 2, "o": 2})
    yield updates("once set", {"n": INTEGER, "o": INTEGER}, ["!has(oldSelf.n) || has(self.n)", "!has(oldSelf.n) || self.n >= oldSelf.n"], {"n": 3}, {"n": 3, "o": 1}, {"n": 2}, {"o": 1}, {"n": 9})
    yield updates("not there before", {"n": {**INTEGER, **rules("self > oldSelf")}, "o": INTEGER}, [], {"o": 1}, {"n": 1}, {"n": -5, "o": 1})
    yield updates("members of list-maps", {"l": keyed({"k": TEXT, "p": TEXT, "v": {**INTEGER, **rules({"rule": "self >= oldSelf", "messageExpression": "'%d after %d'.format([self, oldSelf])"})}}, "k", "p")}, [],
                  {"l": [{"k": "a", "p": "x", "v": 5}, {"k": "b", "p": "x", "v": 5}]}, {"l": [{"k": "b", "p": "x", "v": 4}, {"k": "a", "p": "x", "v": 6}]}, {"l": [{"k": "a", "p": "y", "v": 1}]},
                  {"l": [{"k": "b", "p": "x", "v": 5}]}, {"l": []})
    yield updates("members of maps", {"m": mapped({**INTEGER, **rules("self == oldSelf")})}, [], {"m": {"a": 1}}, {"m": {"a": 1, "b": 2}}, {"m": {"a": 2}}, {"m": {"b": 5}})
    yield updates("lists as a whole", {"l": listed(TEXT), "s": listed(TEXT, **{"x-kubernetes-list-type": "set"})}, ["self.l == oldSelf.l", "self.s == oldSelf.s", "oldSelf.s.all(x, x in self.s)"], {"l": ["a", "b"], "s": ["a", "b"]},
                  {"l": ["a", "b"], "s": ["b", "a"]}, {"l": ["b", "a"], "s": ["a", "b"]}, {"l": ["a", "b"], "s": ["a"]})
    yield updates("list-maps as a whole", {"l": keyed({"k": TEXT, "v": INTEGER}, "k")}, ["self.l == oldSelf.l", "(self.l + oldSelf.l) == oldSelf.l", "oldSelf.l.all(x, x in self.l)"], {"l": [{"k": "a", "v": 1}, {"k": "b", "v": 2}]},
                  {"l": [{"k": "b", "v": 2}, {"k": "a", "v": 1}]}, {"l": [{"k": "b", "v": 2}]}, {"l": [{"k": "b", "v": 3}, {"k": "a", "v": 1}]}, {"l": [{"k": "b", "v": 2}, {"k": "a"}]})
    yield updates("optional old values", {"n": {**INTEGER, **rules({"rule": "oldSelf.hasValue() || self < 3", "optionalOldSelf": True, "message": "starts small"},
                                                                    {"rule": "self >= oldSelf.orValue(0)", "optionalOldSelf": True})}, "o": INTEGER}, [], {"o": 1}, {"n": 2}, {"n": 5}, {"n": -1})
    yield creates("optional old values of new objects", {"n": {**INTEGER, **rules({"rule": "oldSelf.hasValue() || self < 3", "optionalOldSelf": True, "message": "starts small"}, "self >= oldSelf")}}, [], {"n": 2}, {"n": 5})
    R = Custom("rulings", "Ruling", {"type": "object", **rules("self.metadata.name == oldSelf.metadata.name", "self == oldSelf || self.spec.n > oldSelf.spec.n"), "properties": {"spec": {"type": "object", "properties": {"n": INTEGER}}}})
    yield script("changes of a root", R.install(), R.create({"spec": {"n": 3}}), R.patch({"spec": {"n": 2}}), R.patch({"metadata": {"labels": {"a": "b"}}}), R.patch({"spec": {"n": 4}}))


def ratcheting():
    loose = spec_schema({"n": INTEGER, "l": listed(INTEGER), "k": keyed({"k": TEXT, "v": INTEGER}, "k"), "o": INTEGER, "p": {"type": "object", "properties": {"x": INTEGER, "y": INTEGER}}})

    def tightened(properties, *texts):
        strict = spec_schema({**loose["properties"]["spec"]["properties"], **properties}, **(rules(*texts) if texts else {}))
        return {"spec": {"versions": [{"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": strict}}]}}

    def ratchet(name, properties, texts, first, *changes):
        R = Custom("rulings", "Ruling", loose)
        return script(name, R.install(), R.create({"spec": first}), R.redefine(tightened(properties, *texts), compare="status"),
                      # The new rules are in force once they refuse this.
                      until(R.create({"metadata": {"name": "probe"}, "spec": first}, "dryRun=All"), status=422),
                      [R.patch(change) for change in changes])

    small = {**INTEGER, **rules({"rule": "self < 5", "message": "must be small"})}
    yield ratchet("unchanged values are forgiven", {"n": small}, [], {"n": 9, "o": 1}, {"spec": {"o": 2}}, {"spec": {"n": 8}}, {"spec": {"n": 1}}, {"spec": {"n": 9}})
    yield ratchet("a changed spec is asked again", {}, [{"rule": "self.n < 5", "message": "must be small"}], {"n": 9, "o": 1}, {"metadata": {"labels": {"a": "b"}}}, {"spec": {"o": 2}}, {"spec": {"n": 1}})
    yield ratchet("items of a list", {"l": listed(small)}, [], {"l": [9], "o": 1}, {"spec": {"o": 2}}, {"spec": {"l": [9, 1]}}, {"spec": {"l": [1]}})
    yield ratchet("items of a list-map", {"k": keyed({"k": TEXT, "v": small}, "k")}, [], {"k": [{"k": "a", "v": 9}]}, {"spec": {"k": [{"k": "b", "v": 1}, {"k": "a", "v": 9}]}}, {"spec": {"k": [{"k": "a", "v": 8}]}},
                  {"spec": {"k": [{"k": "a", "v": 9}, {"k": "c", "v": 9}]}})
    yield ratchet("an object inside", {"p": {"type": "object", "properties": {"x": INTEGER, "y": INTEGER}, **rules("self.x < self.y")}}, [], {"p": {"x": 2, "y": 1}, "o": 1}, {"spec": {"o": 5}}, {"spec": {"p": {"x": 3}}}, {"spec": {"p": {"y": 9}}})


def limits():
    loops = "self.l.all(a, self.l.all(b, self.l.all(c, a + b + c > 0)))"
    ints = {"type": "array", "maxItems": 100, "items": INTEGER}
    hundred = list(range(1, 101))
    yield creates("a rule that costs too much", {"l": ints, "n": INTEGER}, [loops, "self.n > 5"], {"l": [1, 2], "n": 9}, {"l": hundred, "n": 9}, {"l": hundred, "n": 1}, {"l": [1], "n": 1})
    yield creates("a message that costs too much", {"l": ints}, [{"rule": "self.l.size() < 3", "messageExpression": f"string({loops})"}, "self.l.size() < 2"], {"l": [1]}, {"l": [1, 2, 3]}, {"l": hundred})
    yield creates("rules that cost too much together", {"l": {**ints, "maxItems": 200}}, ["self.l.all(a, self.l.all(b, a + b + 1 > 0))"] * 60 + ["self.l.size() != 5"], {"l": [1, 2, 3, 4, 5]}, {"l": [1]}, {"l": list(range(1, 181))})


def definitions():
    R = Custom("rulings", "Ruling")

    def tried(schema):
        return R.define({"spec": {"versions": [{"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}]}}, "dryRun=All")

    def refused(name, properties, *texts):
        """Each rule in a definition of its own."""
        return script(name, [tried(spec_schema(properties, **rules(text))) for text in texts])

    some = {"i": INTEGER, "s": TEXT, "l": listed(TEXT), "m": mapped(TEXT), "open": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}, "any": {"x-kubernetes-preserve-unknown-fields": True}, "p": EITHER}
    yield refused("rules with unknown names", some, "nope", "self.nope", "self.open.x == 1", "self.any == 1", "nope(1)", "self.s.nope()", "self.l.nope(x, true)", "oldself.i == 1", "math.greatest(1, 2) == 2", "self.s.reverse() == ''")
    yield refused("rules with wrong types", some, "self.i == 's'", "self.s + 1 == 's'", "self.i", "'text'", "self.l", "self.s > 1", "self.m['a'] == 1", "self.l[0] == 1", "self.l.all(x, x)", "!self.i", "self.i && true",
                  "self.i > 1 ? true : 's'", "[1, 's'].size() > 0", "{'a': 1, 'b': 's'}.size() > 0", "size(self.i) > 0", "self.p.nope == 1")
    yield refused("rules with wrong literals", some, "self.s.matches('(')", "self.s.find('[') == ''", "duration('x') > duration('1s')", "timestamp('x') > timestamp('2024-01-01T00:00:00Z')", "'%d'.format(['a']) == ''",
                  "'%s %s'.format(['a']) == ''", "'%s'.format(['a', 'b']) == ''", "int('x') == 1")
    yield refused("rules of macros", some, "has(self.l[0])", "self.l.all(x.y, true)")
    yield refused("rules that are empty or of several lines", some, "", "  ", {"rule": "self.i >\n 1"}, {"rule": "self.i >\n 1", "message": "m"}, {"rule": "true", "message": "a\nb"}, {"rule": "true", "message": " "})
    yield refused("message expressions", some, {"rule": "true", "messageExpression": "nope"}, {"rule": "true", "messageExpression": "1"}, {"rule": "true", "messageExpression": " "}, {"rule": "true", "messageExpression": "self.s"},
                  {"rule": "nope", "messageExpression": "nope"})
    yield refused("reasons and fields", some, {"rule": "true", "reason": "Nope"}, {"rule": "true", "reason": "FieldValueNotFound"}, {"rule": "true", "fieldPath": "i"}, {"rule": "true", "fieldPath": ".nope"}, {"rule": "true", "fieldPath": " "},
                  {"rule": "true", "fieldPath": ".l[0]"}, {"rule": "true", "fieldPath": ".m.x"}, {"rule": "true", "fieldPath": ".i\n"}, {"rule": "true", "fieldPath": "."})
    yield refused("old values", some, {"rule": "self.i == 1", "optionalOldSelf": True}, {"rule": "self.i == 1", "optionalOldSelf": False}, {"rule": "oldSelf.i == 1", "optionalOldSelf": True},
                  {"rule": "oldSelf.hasValue()", "optionalOldSelf": True})
    yield script("old values of what cannot be told apart", *[tried(spec_schema({"f": schema})) for schema in (
        listed({**TEXT, **rules("self == oldSelf")}), listed({**TEXT, **rules("self == oldSelf")}, **{"x-kubernetes-list-type": "set"}),
        listed({"type": "object", "properties": {"m": mapped({**TEXT, **rules("self == oldSelf")})}}), keyed({"k": TEXT, "v": {**INTEGER, **rules("self == oldSelf")}}, "k"))])
    unlimited = {"l": {"type": "array", "items": INTEGER}, "s": ANY_TEXT, "m": {"type": "object", "additionalProperties": ANY_TEXT}}
    yield refused("rules that may cost too much", unlimited, "self.l.all(x, x > 0)", "self.l.all(x, self.l.all(y, x == y))", "self.m.all(k, self.m[k].contains('a'))", "self.s.matches('a+')", "self.s.contains(self.s)",
                  "self.s.split(',').all(x, x.size() > 0)", "self.l.map(x, string(x)).join(',').size() > 5", {"rule": "true", "messageExpression": "self.l.map(x, self.l.map(y, 'a').join('')).join('')"})
    yield script("rules of items that may cost too much", *[tried(spec_schema({"f": schema})) for schema in (
        {"type": "array", "items": {**ANY_TEXT, **rules("self.contains('a')")}}, {"type": "array", "maxItems": 1000, "items": {"type": "string", "maxLength": 100, **rules("self.contains('a')", "self.matches('a+b+')")}},
        {"type": "array", "maxItems": 2000, "items": {"type": "string", "maxLength": 1000, **rules("self.contains('abcdefghijklmnop')")}},
        {"type": "array", "items": {"type": "array", "items": {**INTEGER, **rules("self > 0", "self < 5")}}})])
    yield script("rules where nothing is known", *[tried(spec_schema({"f": schema})) for schema in (
        {"x-kubernetes-preserve-unknown-fields": True, **rules("true")}, {"type": "object", "x-kubernetes-preserve-unknown-fields": True, **rules("self.x == 1")}, {"type": "object", **rules("true")})])
    yield script("rules inside of alternatives", *[tried(spec_schema({"f": {**INTEGER, junctor: [rules("self > 0")]}})) for junctor in ("allOf", "anyOf", "oneOf")])


def scripts():
    for part in (language, libraries, schemas, messages, transitions, ratcheting, limits, definitions):
        yield from part()
