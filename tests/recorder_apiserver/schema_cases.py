"""Schemas, and values to hold against them, for record_schemas.

Each group is a definition of a custom resource of its own. `fields` are the properties of its spec, each with the values
that are sent for it; `whole` are contents of the object, for what concerns several fields. `before` is the schema of a
field when the old objects of `updates` are made, which the real one would refuse.
"""

TEXTS = ["", "a", "1"]
ANYTHING = [None, True, 0, 1, 1.5, "", "a", [], ["a"], {}, {"a": 1}]


def text(format_):
    return {"type": "string", "format": format_}


def formats():
    values = {
        "bsonobjectid": ["", "507f1f77bcf86cd799439011", "507F1F77BCF86CD799439011", "507f1f77bcf86cd79943901",
                         "507f1f77bcf86cd79943901g", "507f1f77bcf86cd7994390111"],
        "uri": ["", "a", "/", "/a/b", "*", "http://a", "http://a:80/b?c#d", "http://a:b", "mailto:x", "a:b", ":a", "//a/b",
                "http://[::1]:80/", "http://[::1", "http://[1.2.3.4]", "http://a b", "/a b", "http://a/%zz", "/%41",
                "http://u:p@h/", "http://u p@h/", "?", "a/b", "http://", "1http://a", "http://a\u007f", "http://é.com/é",
                "http://a:1:2/", "x://a:1:2/", "http://%41/"],
        "email": ["", "a", "a@b", "a@b.c", "A B <a@b.c>", "<a@b.c>", "a b@c", "a@", "@b", "a@b@c", "\"a b\"@c", "\"\"@c",
                  "a..b@c", ".a@b", "a.@b", "a@b.", "a@b..c", "a@[1.2.3.4]", "a@[::1]", "a@[x]", "a@[1.2.3.4", "é@b",
                  "a@é", "g: a@b;", "g: a@b, c@d;", "g:;", "a@b (c)", "a@b (c", "(c) a@b", "a@b x", " a@b ", "a\t@b",
                  "\"a\\\"b\"@c", "\"a", "A <a@b", "A a@b>", "a@b,c@d", "A. B. <a@b>", "=?utf-8?q?x?= <a@b>",
                  "a!#$%&'*+-/=?^_`{|}~@b", "a@b_c", "(a(b)c) <a@b>", "A (x) <a@b>"],
        "hostname": ["", "a", "A", "a.b", "a.bc", "1.2.3.4", "-a", "a-", "a-b", "a--b", "a_b", "é", "é.com", "☃.com", "☃",
                     "a.☃☃", "a.com.", ".com", "a..com", "x" * 63, "x" * 64, "x" * 63 + ".com", "x" * 64 + ".com",
                     ("x" * 60 + ".") * 4 + "com", ("x" * 62 + ".") * 4 + "com", "a.1", "a.c1", "a.b-c.com", "a b", "a$", "a-b-c", "a-b-c.com", "a-.com", "$.com", "a.c", "é-é",
                     "ab-c", "a-" + "x" * 61, "é" * 31, "é" * 32, "é" * 40 + ".com", "a.éé", "a.com-"],
        "ipv4": ["", "1.2.3.4", "01.2.3.4", "1.2.3", "1.2.3.256", "1.2.3.4.5", "::ffff:1.2.3.4", "::1", "1.2.3.4/8",
                 " 1.2.3.4", "a.b.c.d", "001.002.003.004", "0000001.2.3.4", "1..3.4"],
        "ipv6": ["", "::", "::1", "2001:db8::1", "::ffff:1.2.3.4", "::ffff:01.2.3.4", "1.2.3.4", "fe80::1%eth0", "1::2::3",
                 "00001::", "12345::", "1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", ":", ":::", "g::"],
        "cidr": ["", "10.0.0.0/8", "10.0.0.1/8", "010.0.0.0/8", "10.0.0.0/33", "10.0.0.0", "::/0", "::/129", "10.0.0.0/08",
                 "10.0.0.0/-1", "10.0.0.0/", "/8", "::ffff:1.2.3.4/96", "10.0.0.0/8/8"],
        "mac": ["", "01:23:45:67:89:ab", "01-23-45-67-89-AB", "0123.4567.89ab", "0123456789ab", "01:23:45:67:89",
                "01:23:45-67:89:ab", "01:23:45:67:89:ab:cd:ef", "0123.4567.89ab.cdef", "01:23:45:67:89:ag",
                "01:23:45:67:89:ab:", "0123:4567:89ab", ":".join(["00"] * 20), "00" * 20, "0123456789abcdef", "0123456789a"],
        "uuid": ["", "123e4567-e89b-12d3-a456-426614174000", "123E4567-E89B-12D3-A456-426614174000",
                 "123e4567e89b12d3a456426614174000", "123e4567-e89b12d3a456-426614174000", "{123e4567-e89b-12d3-a456-426614174000}",
                 "123e4567-e89b-12d3-a456-42661417400", "123e4567-e89b-12d3-a456-4266141740000", "123e4567--e89b-12d3-a456-426614174000"],
        "uuid3": ["123e4567-e89b-32d3-a456-426614174000", "123e4567-e89b-32d3-1456-426614174000",
                  "123e4567-e89b-42d3-a456-426614174000"],
        "uuid4": ["123e4567-e89b-42d3-a456-426614174000", "123e4567-e89b-42d3-c456-426614174000",
                  "123e4567-e89b-42d3-B456-426614174000", "123e4567-e89b-12d3-a456-426614174000"],
        "uuid5": ["123e4567-e89b-52d3-9456-426614174000", "123e4567-e89b-52d3-0456-426614174000"],
        "isbn": ["", "0321751043", "978-0321751041", "0-321-75104-3", "0321751044", "978-0321751042", "080442957X", "080442957x"],
        "isbn10": ["0321751043", "978-0321751041", "032 175 1043", "0321751X43"],
        "isbn13": ["0321751043", "978-0321751041", "978 0 321 75104 1", "978032175104"],
        "creditcard": ["", "4111111111111111", "4111-1111-1111-1111", "4111111111111112", "5555555555554444",
                       "378282246310005", "6011111111111117", "30569309025904", "3530111333300000", "x4111111111111111y", "1234"],
        "ssn": ["", "111-22-3333", "111 22 3333", "111-22 3333", "111223333", "11-222-3333", "1112-2-3333", "aaa-bb-cccc"],
        "hexcolor": ["", "#fff", "fff", "#FFFFFF", "#ffff", "#ggg", "##fff", "ffffff"],
        "rgbcolor": ["", "rgb(1,2,3)", "rgb( 255 , 255,255 )", "rgb(256,0,0)", "rgb(1,2)", "RGB(1,2,3)", "rgb(01,2,3)", "rgb(199,20,0)"],
        "byte": ["", "YQ==", "YWI=", "YWJj", "YQ", "YQ=", "Y Q==", "YQ==YQ==", "_-==", "====", "YWJjYQ==", "é==="],
        "password": ["", "a b"],
        "date": ["", "2020-02-29", "2021-02-29", "2020-2-9", "2020-13-01", "2020-00-01", "2020-01-00", "2020-01-32", "0000-01-01",
                 "20-01-01", "2020/01/01", "2020-01-01T00:00:00Z", "1900-02-29", "2000-02-29", " 2020-01-01"],
        "duration": ["", "1s", "1.5h", "1", "0", "-1m", "1 day", "3 days and 2 hours", "2 weeks", "1 lightyear", "1d", "1x2s",
                     "ns", "5 sec", "1 µs", "99999999999999999999 s", "1h30m", "10 m", "seven days", "1 Hours", "1 minx", "12 34s", ".5s", "."],
        "datetime": ["", "2020-01-01T00:00:00Z", "2020-01-01t00:00:00z", "2020-01-01T00:00:00", "2020-01-01T00:00:00.123Z",
                     "2020-01-01T00:00:00+01:00", "2020-01-01T24:00:00Z", "2020-01-01T00:60:00Z", "2020-01-01T00:00:60Z",
                     "2020-01-01 00:00:00Z", "2020-02-30T00:00:00Z", "2020-01-01T00:00:00x5Z", "2020-01-01T00:00:00Ztx", "2020-01-01T00:00Z"],
        "date-time": ["2020-01-01T00:00:00Z", "x"],
        "k8s-short-name": ["", "a", "a-b", "-a", "a-", "A", "a.b", "1", "x" * 63, "x" * 64, "a_b"],
        "k8s-long-name": ["", "a", "a.b", "a..b", ".a", "a.", "a.-b", "a-.b", "A.b", "x" * 64 + ".a", "x" * 253, "x" * 254],
        "unheard-of": ["", "a"],
        "int32": ["", "a"],
    }
    fields = {name.replace("-", ""): [text(name), given] for name, given in values.items() if name != "date-time"}
    fields["dashed"] = [text("date-time"), values["date-time"]]
    fields["typed"] = [text("ipv4"), ANYTHING]
    fields["untyped"] = [{"x-kubernetes-preserve-unknown-fields": True, "format": "ipv4"}, [*ANYTHING, "1.2.3.4"]]
    return {"fields": fields}


def types():
    fields = {kind: [{"type": kind}, ANYTHING] for kind in ("string", "integer", "number", "boolean")}
    fields["object"] = [{"type": "object", "properties": {"a": {"type": "integer"}}}, [*ANYTHING, {"a": "x"}, {"a": None}]]
    fields["array"] = [{"type": "array", "items": {"type": "string"}}, [*ANYTHING, [1], [None], ["a", 1, True]]]
    fields["map"] = [{"type": "object", "additionalProperties": {"type": "integer"}},
                     [*ANYTHING, {"a": "x"}, {"a": None}, {"a.b": "x"}]]
    fields["open"] = [{"type": "object", "additionalProperties": True},
                      [{"a": 1}, {"a": {"b": 1}}, {"a": [{"b": 1}, 2]}]]
    fields["nullable"] = [{"type": "string", "nullable": True}, ANYTHING]
    fields["nullableobject"] = [{"type": "object", "nullable": True, "properties": {"a": {"type": "string", "nullable": True}}},
                                [None, {"a": None}, {"a": 1}]]
    fields["nullableenum"] = [{"type": "string", "nullable": True, "enum": ["a", None]}, [None, "a", "b"]]
    fields["intorstring"] = [{"x-kubernetes-int-or-string": True}, ANYTHING]
    fields["intorstringbounds"] = [{"x-kubernetes-int-or-string": True, "minimum": 5, "maxLength": 2, "pattern": "^[0-9]+%$"},
                                   [1, 5, "5%", "500%", "a", 7.5, 2.5]]
    fields["intorstringanyof"] = [{"x-kubernetes-int-or-string": True, "anyOf": [{"type": "integer"}, {"type": "string"}]},
                                  ANYTHING]
    fields["any"] = [{"x-kubernetes-preserve-unknown-fields": True}, ANYTHING]
    fields["deep"] = [{"type": "array", "items": {"type": "object", "required": ["n"], "properties": {
        "n": {"type": "string"}, "m": {"type": "object", "additionalProperties": {"type": "array", "items": {"type": "integer"}}}}}},
        [[{}], [{"n": "a", "m": {"k": [1, "x"]}}], [{"n": 1}, {"m": {"k": 3}}], [None], ["a"], [{"n": None}]]]
    return {"fields": fields, "whole": [{}, {"spec": None}, {"spec": 1}, {"spec": "a"}, {"spec": []}]}


def numbers():
    big = [0, 1, -1, 2147483647, 2147483648, -2147483648, -2147483649, 9007199254740993, 9223372036854775807, 9223372036854775808,
           -9223372036854775809, 1.0, 1.5, -1.5, 1e3, 1e20, 1e300, 3.5e38, 0.1, 1e-7, 2.0000000001]
    return {"fields": {
        "integer": [{"type": "integer"}, big],
        "int32": [{"type": "integer", "format": "int32"}, [*big, "a", True]],
        "int64": [{"type": "integer", "format": "int64"}, [*big, "a", {}]],
        "otherformat": [{"type": "integer", "format": "uint8"}, [300, -1]],
        "number": [{"type": "number"}, big],
        "float": [{"type": "number", "format": "float"}, [*big, "a"]],
        "double": [{"type": "number", "format": "double"}, [*big, False]],
        "int32number": [{"type": "number", "format": "int32"}, [2147483648, 1.5]],
        "bounds": [{"type": "integer", "minimum": 2, "maximum": 5}, [1, 2, 5, 6, 1.0, 6.0, 5.5]],
        "exclusive": [{"type": "integer", "minimum": 2, "maximum": 5, "exclusiveMinimum": True, "exclusiveMaximum": True}, [2, 3, 5]],
        "fractions": [{"type": "number", "minimum": 0.5, "maximum": 1.5}, [0, 0.25, 0.5, 1, 1.5, 1.75, 2]],
        "fractionsofinteger": [{"type": "integer", "minimum": 0.5, "maximum": 10.5}, [0, 1, 10, 11]],
        "hugebounds": [{"type": "number", "minimum": -1e20, "maximum": 1e20}, [0, 1e21, -1e21, 5]],
        "largebounds": [{"type": "number", "maximum": 1234567}, [1234568, 1234567.5, 1]],
        "smallbounds": [{"type": "number", "minimum": 0.00001}, [0.000001, 0, 1]],
        "multiple": [{"type": "integer", "multipleOf": 3}, [0, 3, 4, -3, -4, 3.0, 4.0]],
        "multipleoffraction": [{"type": "number", "multipleOf": 0.5}, [0.5, 1, 0.75, 1.5]],
        "multipleofnumber": [{"type": "number", "multipleOf": 2}, [2, 3, 2.5, 4.0]],
        "fractionofinteger": [{"type": "integer", "multipleOf": 0.5}, [1, 2]],
        "int32bound": [{"type": "integer", "format": "int32", "maximum": 3000000000}, [1, 4000000000]],
    }}


def texts():
    return {"fields": {
        "long": [{"type": "string", "maxLength": 3}, ["", "abc", "abcd", "äöü", "äöüß", "😀😀😀", "😀😀😀😀"]],
        "longest": [{"type": "string", "maxLength": 0}, ["", "a"]],
        "one": [{"type": "string", "maxLength": 1}, ["a", "ab"]],
        "short": [{"type": "string", "minLength": 2}, ["", "ä", "ab"]],
        "pattern": [{"type": "string", "pattern": "^[a-z]+$"}, ["", "abc", "ABC", "abc\n", "a\"b", "\u0001", "a\\b", "é"]],
        "unanchored": [{"type": "string", "pattern": "b"}, ["abc", "ac"]],
        "all": [{"type": "string", "minLength": 2, "maxLength": 4, "pattern": "^a", "format": "hostname"},
                ["b", "bcdef", "bc", "ab", "a_"]],
        "enum": [{"type": "string", "enum": ["a", "B", "with \"quote\""]}, ["a", "b", "", None, 1]],
        "enumnumbers": [{"type": "number", "enum": [1, 2.5, 10]}, [1, 1.0, 1.7, 2.5, 2, 10, "a"]],
        "enumintegers": [{"type": "integer", "enum": [1, 2]}, [1, 3, 1.0, 1.5]],
        "enumobjects": [{"type": "object", "properties": {"a": {"type": "integer"}}, "enum": [{"a": 1}, {}]},
                        [{"a": 1}, {"a": 2}, {}, {"a": 1.0}]],
        "enumlists": [{"type": "array", "items": {"type": "string"}, "enum": [["a"], []]}, [["a"], ["b"], []]],
        "enumbools": [{"type": "boolean", "enum": [True]}, [True, False]],
        "enummixed": [{"x-kubernetes-int-or-string": True, "enum": [1, "A"]}, [1, "A", 65, "1", 2]],
    }}


def sizes():
    return {"fields": {
        "list": [{"type": "array", "items": {"type": "integer"}, "minItems": 1, "maxItems": 2}, [[], [1], [1, 2], [1, 2, 3], ["a", 2, 3]]],
        "single": [{"type": "array", "items": {"type": "integer"}, "maxItems": 1}, [[1, 2]]],
        "map": [{"type": "object", "additionalProperties": {"type": "integer"}, "minProperties": 1, "maxProperties": 2},
                [{}, {"a": 1}, {"a": 1, "b": 2, "c": 3}, {"a": "x", "b": 2, "c": 3}]],
        "required": [{"type": "object", "required": ["b", "a"], "properties": {"a": {"type": "integer"}, "b": {"type": "integer"},
                                                                              "c": {"type": "integer"}}},
                     [{}, {"a": 1}, {"b": 1}, {"a": 1, "b": None}, {"a": "x"}, {"a": 1, "b": 2, "c": "x"}]],
        "set": [{"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "string"}},
                [[], ["a"], ["a", "b"], ["a", "a"], ["a", "b", "a", "b", "a"], [""] * 3, [str(n) for n in range(30)] + ["3", "7", "3"]]],
        "numberset": [{"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "number"}}, [[1, 1], [1, 1.5, 1.5], [1, 1.0], list(range(20)) + [3.0, 7]]],
        "mixedset": [{"type": "array", "x-kubernetes-list-type": "set", "items": {"x-kubernetes-int-or-string": True}},
                     [[1, "1"], [1, "a", 1, "a"]]],
        "atomicset": [{"type": "array", "x-kubernetes-list-type": "set",
                       "items": {"type": "object", "x-kubernetes-map-type": "atomic", "properties": {"a": {"type": "integer"}}}},
                      [[{"a": 1}, {"a": 1}], [{"a": 1}, {"a": 2}], [{}, {}], [{"a": 1}, {"a": 1.0}]]],
        "listset": [{"type": "array", "x-kubernetes-list-type": "set",
                     "items": {"type": "array", "x-kubernetes-list-type": "atomic", "items": {"type": "integer"}}}, [[[1], [1]], [[1], [2]]]],
        "listmap": [{"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["n"],
                     "items": {"type": "object", "required": ["n"], "properties": {"n": {"type": "string"}, "v": {"type": "integer"}}}},
                    [[{"n": "a"}, {"n": "b"}], [{"n": "a"}, {"n": "a", "v": 1}], [{}, {}], [{"n": "a"}, "x"], [None, None], "x",
                     [{"n": "a", "v": "x"}, {"n": "a"}]]],
        "listmapkeys": [{"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["p", "t"],
                         "items": {"type": "object", "required": ["p"],
                                   "properties": {"p": {"type": "integer"}, "t": {"type": "string", "default": "TCP"}}}},
                        [[{"p": 1}, {"p": 1}], [{"p": 1}, {"p": 1, "t": "UDP"}], [{"p": 1, "t": "TCP"}, {"p": 1}], [{"p": 1}, {"p": 2}]]],
        "mapsoflists": [{"type": "object", "additionalProperties": {"type": "array", "x-kubernetes-list-type": "set",
                                                                    "items": {"type": "string"}}}, [{"k": ["a", "a"]}]],
        "listsoflists": [{"type": "array", "items": {"type": "object", "properties": {
            "s": {"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "string"}}}}}, [[{"s": ["a"]}, {"s": ["b", "b"]}]]],
    }}


def compositions():
    number = {"type": "integer"}
    two = {"type": "object", "properties": {"a": number, "b": number}}
    return {"fields": {
        "anyof": [{"type": "integer", "anyOf": [{"minimum": 10}, {"maximum": 2}]}, [1, 5, 11, "a", 2.5]],
        "oneof": [{"type": "integer", "oneOf": [{"minimum": 5}, {"maximum": 10}]}, [1, 7, 11]],
        "oneofnone": [{"type": "integer", "oneOf": [{"minimum": 10}, {"maximum": 5}]}, [7, 10]],
        "allof": [{"type": "integer", "allOf": [{"minimum": 5}, {"maximum": 10}, {"multipleOf": 2}]}, [6, 4, 3, 11, 12]],
        "allofone": [{"type": "integer", "allOf": [{"minimum": 5}]}, [1, 5]],
        "not": [{"type": "integer", "not": {"minimum": 5}}, [1, 5]],
        "requiredalternatives": [{**two, "oneOf": [{"required": ["a"]}, {"required": ["b"]}]}, [{}, {"a": 1}, {"a": 1, "b": 1}, {"a": "x"}]],
        "anyrequired": [{**two, "anyOf": [{"required": ["a"]}, {"required": ["b"]}]}, [{}, {"b": 1}]],
        "properties": [{**two, "anyOf": [{"properties": {"a": {"minimum": 5}}}, {"properties": {"b": {"minimum": 5}, "a": {"minimum": 3}}}]},
                       [{"a": 1, "b": 1}, {"a": 5}, {"a": 4, "b": 5}, {"a": 3, "b": 1}, {}]],
        "best": [{**two, "anyOf": [{"properties": {"a": {"minimum": 5}}, "required": ["a", "b"]},
                                   {"properties": {"a": {"minimum": 1}, "b": {"minimum": 7}}}]}, [{"a": 2, "b": 2}, {"a": 0}, {"b": 1}]],
        "nested": [{"type": "string", "anyOf": [{"allOf": [{"minLength": 3}, {"pattern": "^a"}]}, {"not": {"pattern": "x"}}]},
                   ["x", "ax", "axx", "b"]],
        "deepnot": [{**two, "not": {"anyOf": [{"required": ["a"]}, {"properties": {"b": {"enum": [1]}}, "required": ["b"]}]}},
                    [{}, {"a": 1}, {"b": 1}, {"b": 2}]],
        "enums": [{"type": "string", "anyOf": [{"enum": ["a", "b"]}, {"enum": ["c"]}, {"format": "ipv4"}]}, ["a", "c", "d", "1.2.3.4"]],
        "lists": [{"type": "array", "items": number, "anyOf": [{"items": {"minimum": 5}}, {"maxItems": 1}]}, [[1, 2], [5, 6], [1]]],
        "same": [{"type": "integer", "minimum": 5, "allOf": [{"minimum": 5}]}, [1]],
        "ofnull": [{"type": "integer", "nullable": True, "anyOf": [{"minimum": 5}]}, [None, 1]],
    }}


def pruning():
    embedded = {"type": "object", "x-kubernetes-embedded-resource": True, "properties": {
        "spec": {"type": "object", "properties": {"a": {"type": "integer"}}}}}
    meta = {"apiVersion": "v1", "kind": "Pod"}
    return {"fields": {
        "object": [{"type": "object", "properties": {"a": {"type": "integer"}}},
                   [{"a": 1, "b": 2}, {"b": {"c": 1}}, {"a": 1, "z": [1], "m": None}]],
        "empty": [{"type": "object"}, [{}, {"a": 1}, {"a": {"b": 1}}]],
        "list": [{"type": "array", "items": {"type": "object", "properties": {"a": {"type": "integer"}}}},
                 [[{"a": 1, "x": 1}, {"y": 1}], [{"a": 1}], [[{"x": 1}]]]],
        "map": [{"type": "object", "additionalProperties": {"type": "object", "properties": {"a": {"type": "integer"}}}},
                [{"k": {"a": 1, "x": 1}}, {"k.l": {"x": 1}}]],
        "open": [{"type": "object", "additionalProperties": True}, [{"k": {"x": {"y": 1}}, "l": [{"z": 1}], "m": 1}]],
        "preserved": [{"type": "object", "x-kubernetes-preserve-unknown-fields": True, "properties": {
            "a": {"type": "object", "properties": {"b": {"type": "integer"}}}}},
            [{"x": {"y": 1}, "a": {"b": 1, "z": 1}}, {"x": None}]],
        "preservedlist": [{"type": "array", "x-kubernetes-preserve-unknown-fields": True, "items": {
            "type": "object", "properties": {"a": {"type": "object", "properties": {"b": {"type": "integer"}}}}}},
            [[{"x": 1, "a": {"c": 1}}]]],
        "preservedmap": [{"type": "object", "x-kubernetes-preserve-unknown-fields": True,
                          "additionalProperties": {"type": "object", "properties": {"b": {"type": "integer"}}}}, [{"k": {"b": 1, "c": 1}}]],
        "embedded": [embedded, [
            {}, {**meta}, {**meta, "metadata": {"name": "a"}}, {**meta, "metadata": {"name": "a/b"}}, {**meta, "metadata": {"name": ".."}},
            {**meta, "metadata": {"name": "a", "foo": 1, "labels": {"a": "b"}}}, {**meta, "metadata": None},
            {**meta, "metadata": {"labels": {"-": "?"}}}, {**meta, "metadata": {"namespace": "A_B"}}, {**meta, "extra": 1},
            {**meta, "metadata": {"creationTimestamp": None, "name": "x"}},
            {**meta, "metadata": {"creationTimestamp": "2020-01-01T00:00:00Z", "generation": 3}},
            {**meta, "metadata": {"ownerReferences": [{"apiVersion": "v1", "kind": "Pod", "name": "a", "uid": "b", "x": 1}]}},
            {**meta, "metadata": {"ownerReferences": [{"apiVersion": "v1"}]}}, {**meta, "metadata": {"finalizers": ["a b"]}},
            {**meta, "metadata": {"annotations": {"a b": "c"}}}, {**meta, "metadata": {"generateName": "a%"}},
            {**meta, "metadata": {"generation": -1}},
            {"apiVersion": "", "kind": ""}, {"apiVersion": "a/b/c", "kind": "Pod"}, {"apiVersion": "v1", "kind": "a b"}, {"kind": "Pod"},
            {"apiVersion": 1, "kind": "Pod"}, {"apiVersion": "v1", "kind": None},
            {**meta, "spec": {"a": 1, "b": 2}}]],
        "embeddedpreserved": [{**embedded, "x-kubernetes-preserve-unknown-fields": True},
                              [{**meta, "x": 1, "metadata": {"foo": 1}, "spec": {"b": 1}}]],
        "embeddedlist": [{"type": "array", "items": embedded}, [[{**meta, "metadata": {"foo": 1}}, {}]]],
        "nulls": [{"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "string", "nullable": True},
                                                    "c": {"type": "string", "default": "x"},
                                                    "d": {"type": "string", "nullable": True, "default": "y"}}},
                  [{"a": None, "b": None, "c": None, "d": None}, {}]],
        "nullsinmap": [{"type": "object", "additionalProperties": {"type": "string"}}, [{"a": None, "b": "x"}]],
        "nullsinlist": [{"type": "array", "items": {"type": "object", "properties": {"a": {"type": "string"}}}}, [[{"a": None}], [None]]],
    }, "whole": [{"extra": 1}, {"extra": {"a": 1}, "spec": {"nothing": 1}}, {"spec": {"z": 1, "a": 2, "m": {"n": 1}}}]}


def defaults():
    return {"fields": {
        "text": [{"type": "string", "default": "x"}, ["a", None, ""]],
        "nullabletext": [{"type": "string", "nullable": True, "default": "x"}, ["a", None]],
        "object": [{"type": "object", "default": {}, "properties": {"a": {"type": "integer", "default": 1},
                                                                   "b": {"type": "object", "properties": {"c": {"type": "integer", "default": 2}}}}},
                   [{}, {"a": 5}, {"b": {}}, None, {"b": None}]],
        "nodefault": [{"type": "object", "properties": {"a": {"type": "integer", "default": 1}}}, [{}, None]],
        "list": [{"type": "array", "items": {"type": "object", "properties": {"a": {"type": "integer", "default": 1}}}}, [[{}, {"a": 2}, {"a": None}], []]],
        "listofdefaults": [{"type": "array", "items": {"type": "string", "default": "x"}}, [["a", None], []]],
        "map": [{"type": "object", "additionalProperties": {"type": "object", "properties": {"a": {"type": "integer", "default": 1}}}}, [{"k": {}}, {}]],
        "mapofdefaults": [{"type": "object", "additionalProperties": {"type": "string", "default": "x"}}, [{"k": None}, {}]],
        "filled": [{"type": "object", "default": {"a": 7}, "properties": {"a": {"type": "integer"}, "b": {"type": "integer", "default": 8}}}, [{}, None]],
        "wrong": [{"type": "object", "properties": {"a": {"type": "integer", "default": 1}}}, ["text", 3, [{}]]],
    }, "whole": [{}, {"spec": {}}, {"spec": None}]}


def ratcheting():
    """`before` lets the old object in."""
    loose = {"x-kubernetes-preserve-unknown-fields": True}
    item = {"type": "object", "required": ["n"], "properties": {"n": {"type": "string"}, "v": {"type": "integer", "maximum": 5},
                                                              "w": {"type": "string"}}}
    listmap = {"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["n"], "items": item}
    a, b = {"n": "a", "v": 9}, {"n": "b", "v": 8}
    many = [{"n": f"n{i}", "v": 9} for i in range(20)]
    two = {"type": "object", "properties": {"a": {"type": "integer", "maximum": 5}, "b": {"type": "string"}}}
    return {"before": loose, "fields": {
        "number": [{"type": "integer", "maximum": 5}, [], [[9, 9], [9, 8], [9, 1], [1, 9]]],
        "other": [{"type": "string"}, [], [["a", "b"]]],
        "enum": [{"type": "string", "enum": ["a"]}, [], [["b", "b"], ["b", "c"]]],
        "type": [{"type": "string"}, [], [[1, 1], [1, 2], [1, 1.0]]],
        "required": [{"type": "object", "required": ["x"], "properties": {"x": {"type": "string"}, "y": {"type": "string"}}}, [],
                     [[{}, {}], [{"y": "a"}, {"y": "a"}], [{"y": "a"}, {"y": "b"}]]],
        "object": [two, [], [[{"a": 9, "b": "x"}, {"a": 9, "b": "y"}], [{"a": 9}, {"a": 9, "b": "y"}], [{"a": 9}, {"a": 8}]]],
        "atomic": [{"type": "array", "items": {"type": "integer", "maximum": 5}}, [], [[[9], [9]], [[9], [9, 1]], [[9, 8], [8, 9]]]],
        "set": [{"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "integer", "maximum": 5}}, [], [[[9], [9]], [[9], [9, 1]]]],
        "listmap": [listmap, [], [[[a, b], [a, b]], [[a, b], [b, a]], [[a, b], [{**a, "w": "x"}, b]], [[a], [a, b]], [[a], [{"n": "a", "v": 7}]],
                                  [[a], [{"n": "c", "v": 9}]], [many, many[::-1]], [many, many[:-1] + [{"n": "n19", "v": 8}]]]],
        "map": [{"type": "object", "additionalProperties": {"type": "integer", "maximum": 5}}, [], [[{"k": 9}, {"k": 9}], [{"k": 9}, {"k": 9, "l": 9}], [{"k": 9}, {"l": 9}]]],
        "anyof": [{"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}},
                   "anyOf": [{"properties": {"a": {"maximum": 5}}, "required": ["a"]}, {"required": ["b"]}]}, [],
                  [[{"a": 9}, {"a": 9}], [{"a": 9}, {"a": 8}]]],
        "allof": [{"type": "object", "properties": {"a": {"type": "integer"}, "c": {"type": "string"}}, "allOf": [{"properties": {"a": {"maximum": 5}}}]}, [],
                  [[{"a": 9}, {"a": 9}], [{"a": 9}, {"a": 9, "c": "x"}]]],
        "open": [{"type": "object", "x-kubernetes-preserve-unknown-fields": True, "maxProperties": 1}, [], [[{"a": 1, "b": 2}, {"a": 1, "b": 2}]]],
        "nulls": [{"type": "string"}, [], [[None, None]]],
        "duplicates": [{"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "string"}}, [],
                       [[["a", "a"], ["a", "a", "b"]], [["a"], ["a", "a"]], [["a", "a"], ["b", "b"]]]],
        "embedded": [{"type": "object", "x-kubernetes-embedded-resource": True, "x-kubernetes-preserve-unknown-fields": True}, [],
                     [[{"apiVersion": "v1", "kind": "a b"}, {"apiVersion": "v1", "kind": "a b"}]]],
    }}


GROUPS = {"formats": formats, "types": types, "numbers": numbers, "texts": texts, "sizes": sizes, "compositions": compositions,
          "pruning": pruning, "defaults": defaults, "ratcheting": ratcheting}
