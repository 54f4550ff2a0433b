"""Objects of custom resources against their schema: checks, pruning, defaults, and what an update is forgiven."""

from custom import DEFINITIONS, Custom, spec_schema
from scripting import JSON_PATCH, get, patch, script, until

STRICT, WARN, IGNORE = "fieldValidation=Strict", "fieldValidation=Warn", "fieldValidation=Ignore"
TEXT, INTEGER = {"type": "string"}, {"type": "integer"}


def custom(properties, root=None, **more):
    """`root` are members of the schema beside the properties of the spec."""
    schema = spec_schema(properties)
    for name, value in (root or {}).items():
        schema[name] = {**schema.get(name, {}), **value} if isinstance(value, dict) else value
    return Custom("values", "Value", schema, **more)


def creates(name, properties, *specs, query="", root=None):
    W = custom(properties, root)
    return script(name, W.install(), [W.create({"metadata": {"name": f"n{i}"}, "spec": spec}, query)
                                      for i, spec in enumerate(specs)], W.list())


def checks():
    yield creates("types", {"a": TEXT, "b": INTEGER, "c": {"type": "number"}, "d": {"type": "boolean"}},
                  {"a": "x", "b": 1, "c": 1.5, "d": True}, {"a": 1}, {"b": "x"}, {"b": 1.5}, {"c": "x"}, {"d": 1}, {"a": []}, {"a": {}},
                  {"b": 2.0}, {"c": 3})
    yield creates("wrong shape of the spec", {"a": TEXT}, "text", 1, [], True)
    yield creates("lists and maps", {"l": {"type": "array", "items": INTEGER}, "m": {"type": "object", "additionalProperties": TEXT}},
                  {"l": [1, "x"]}, {"l": {}}, {"m": {"k": 1}}, {"m": ["x"]}, {"l": [1, 2], "m": {"k": "v"}}, {"l": [None]})
    yield creates("enums", {"e": {"type": "string", "enum": ["a", "b"]}, "n": {"type": "integer", "enum": [1, 2]}},
                  {"e": "a", "n": 1}, {"e": "c"}, {"e": ""}, {"n": 3})
    yield creates("bounds", {"i": {"type": "integer", "minimum": 1, "maximum": 5},
                             "x": {"type": "number", "minimum": 0, "exclusiveMinimum": True, "maximum": 1.5, "exclusiveMaximum": True},
                             "m": {"type": "integer", "multipleOf": 3}},
                  {"i": 1, "x": 1, "m": 3}, {"i": 0}, {"i": 6}, {"x": 0}, {"x": 1.5}, {"m": 4})
    yield creates("integer formats", {"a": {"type": "integer", "format": "int32"}, "b": {"type": "integer", "format": "int64"}},
                  {"a": 2147483647}, {"a": 2147483648}, {"b": 9223372036854775807}, {"b": 9223372036854775808}, {"a": "1"})
    yield creates("lengths", {"s": {"type": "string", "minLength": 2, "maxLength": 4},
                              "l": {"type": "array", "items": TEXT, "minItems": 1, "maxItems": 2},
                              "m": {"type": "object", "additionalProperties": TEXT, "minProperties": 1, "maxProperties": 2}},
                  {"s": "a"}, {"s": "abcde"}, {"s": "ääää"}, {"l": []}, {"l": ["a", "b", "c"]}, {"m": {}}, {"m": {"a": "", "b": "", "c": ""}})
    yield creates("patterns", {"p": {"type": "string", "pattern": "^[a-z]+$"}}, {"p": "abc"}, {"p": "ABC"}, {"p": ""}, {"p": "a\"b\n"})
    yield creates("formats", {name.replace("-", ""): {"type": "string", "format": name} for name in
                              ("ipv4", "ipv6", "cidr", "uuid", "date-time", "email", "hostname", "uri", "byte", "duration", "k8s-short-name")},
                  {"ipv4": "1.2.3.4"}, {"ipv4": "x"}, {"ipv6": "x"}, {"cidr": "x"}, {"uuid": "x"}, {"datetime": "x"}, {"email": "x"},
                  {"hostname": "-"}, {"uri": "x"}, {"byte": "x"}, {"duration": "x"}, {"k8sshortname": "X"}, {"k8sshortname": "x"})
    yield creates("required", {"o": {"type": "object", "required": ["a"], "properties": {"a": TEXT, "b": TEXT}}},
                  {"o": {"a": "x"}}, {"o": {}}, {"o": {"b": "x"}}, {"o": {"a": None}})
    W = custom({"a": TEXT}, {"required": ["spec"]})
    yield script("a required spec", W.install(), W.create(), W.create({"spec": {}}))
    yield creates("nullable", {"a": {"type": "string", "nullable": True}, "b": TEXT,
                               "l": {"type": "array", "items": {"type": "string", "nullable": True}}},
                  {"a": None}, {"b": None}, {"l": [None, "x"]}, {"l": None})
    yield creates("int or string", {"p": {"x-kubernetes-int-or-string": True}}, {"p": 1}, {"p": "1%"}, {"p": True}, {"p": 1.5})
    yield creates("anyOf", {"n": {"type": "integer", "anyOf": [{"minimum": 10}, {"maximum": 2}]}}, {"n": 1}, {"n": 5}, {"n": 11})
    yield creates("oneOf", {"o": {"type": "object", "properties": {"a": TEXT, "b": TEXT},
                                  "oneOf": [{"required": ["a"]}, {"required": ["b"]}]}}, {"o": {"a": "x"}}, {"o": {}}, {"o": {"a": "x", "b": "y"}})
    yield creates("allOf", {"n": {"type": "integer", "allOf": [{"minimum": 5}, {"multipleOf": 2}]}}, {"n": 6}, {"n": 4}, {"n": 7}, {"n": 3})
    yield creates("not", {"n": {"type": "integer", "not": {"enum": [5]}}}, {"n": 4}, {"n": 5})
    yield creates("nested paths", {"l": {"type": "array", "items": {"type": "object", "properties": {
        "m": {"type": "object", "additionalProperties": {"type": "array", "items": INTEGER}}}}}},
        {"l": [{"m": {"k": [1]}}]}, {"l": [{}, {"m": {"k": [1, "x"]}}]}, {"l": [{"m": {"a.b": "x"}}]})


def lists():
    item = {"type": "object", "required": ["n"], "properties": {"n": TEXT, "v": INTEGER}}
    yield creates("sets", {"s": {"type": "array", "x-kubernetes-list-type": "set", "items": TEXT}},
                  {"s": ["a", "b"]}, {"s": ["a", "a"]}, {"s": ["a", "b", "a", "b"]})
    yield creates("list maps", {"l": {"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["n"], "items": item}},
                  {"l": [{"n": "a"}, {"n": "b"}]}, {"l": [{"n": "a"}, {"n": "a", "v": 1}]}, {"l": [{"v": 1}]})
    ports = {"type": "object", "required": ["p"], "properties": {"p": INTEGER, "t": {"type": "string", "default": "TCP"}}}
    yield creates("list maps with two keys", {"l": {"type": "array", "x-kubernetes-list-type": "map",
                                                    "x-kubernetes-list-map-keys": ["p", "t"], "items": ports}},
                  {"l": [{"p": 1}, {"p": 1, "t": "UDP"}]}, {"l": [{"p": 1}, {"p": 1, "t": "TCP"}]})
    W = custom({"s": {"type": "array", "x-kubernetes-list-type": "set", "items": TEXT}, "t": TEXT})
    yield script("a set grows by a duplicate", W.install(), W.create({"spec": {"s": ["a"]}}), W.patch({"spec": {"s": ["a", "a"]}}),
                 W.patch({"spec": {"s": ["b", "a"]}}), W.get())


def metadata():
    schema = spec_schema({"a": TEXT})
    schema["properties"]["metadata"] = {"type": "object", "properties": {"name": {"type": "string", "maxLength": 5, "pattern": "^[a-z]+$"}}}
    W = Custom("values", "Value", schema)
    yield script("the name of an object", W.install(), W.create({"metadata": {"name": "short"}}), W.create({"metadata": {"name": "longer"}}),
                 W.create({"metadata": {"name": "n-1"}}), W.patch({"spec": {"a": "x"}}, "short"))
    described = spec_schema({"a": TEXT})
    described["properties"].update({"apiVersion": TEXT, "kind": TEXT, "metadata": {"type": "object"}})
    W = Custom("values", "Value", described)
    yield script("a schema that mentions the type", W.install(), W.create({"spec": {"a": "x"}}), W.create({"metadata": {"name": "two"}, "kind": "Other"}))
    W = custom({"a": TEXT})
    yield script("unknown metadata", W.install(), W.create({"metadata": {"foo": "bar"}}, WARN),
                 W.create({"metadata": {"name": "two", "foo": "bar"}}, STRICT), W.get(), W.create({"metadata": {"name": "three", "labels": {"-": "?"}}}))


def pruning():
    known = {"a": TEXT, "o": {"type": "object", "properties": {"b": TEXT}},
             "l": {"type": "array", "items": {"type": "object", "properties": {"c": TEXT}}}}
    unknown = {"a": "x", "z": 1, "o": {"b": "x", "y": 1}, "l": [{"c": "x"}, {"d": 1}]}
    for query in ("", IGNORE, WARN, STRICT):
        W = custom(known)
        yield script("unknown fields, " + (query or "as it comes"), W.install(), W.create({"spec": unknown, "extra": {"f": 1}}, query), W.get())
    W = custom(known)
    yield script("unknown fields in updates", W.install(), W.create({"spec": {"a": "x"}}),
                 W.patch({"spec": {"z": 1, "a": "y"}}, query=WARN), W.patch({"spec": {"z": 1}}, query=STRICT), W.get(),
                 patch(W.path(name="one"), [{"op": "add", "path": "/spec/y", "value": 1}], JSON_PATCH, STRICT))
    open_ = {"type": "object", "x-kubernetes-preserve-unknown-fields": True, "properties": {"k": {"type": "object", "properties": {"b": TEXT}}}}
    yield creates("preserved fields", {"p": open_}, {"p": {"x": {"y": [1]}, "k": {"b": "x", "c": 1}}}, {"p": {"x": None}}, query=WARN)
    yield creates("values of open maps", {"m": {"type": "object", "additionalProperties": True}}, {"m": {"a": 1, "b": {"c": 1}}}, query=WARN)
    yield creates("values of maps", {"m": {"type": "object", "additionalProperties": {"type": "object", "properties": {"a": TEXT}}}},
                  {"m": {"k": {"a": "x", "b": 1}}}, query=WARN)
    yield creates("nulls", {"a": TEXT, "b": {"type": "string", "nullable": True}, "c": {"type": "string", "default": "x"}},
                  {"a": None, "b": None, "c": None}, query=STRICT)
    W = custom(known)
    duplicate = '{"apiVersion":"${ns}.example.com/v1","kind":"Value","metadata":{"name":"%s"},"spec":{"a":"x","a":"y"}}'
    for query in (WARN, STRICT):
        step = W.create({}, query)
        yield script("duplicate fields, " + query, W.install(), {**step, "body": duplicate % "one"}, W.get())


def embedded():
    template = {"type": "object", "x-kubernetes-embedded-resource": True, "properties": {"spec": {"type": "object", "properties": {"a": TEXT}}}}
    meta = {"apiVersion": "v1", "kind": "Pod"}
    yield creates("embedded objects", {"t": template},
                  {"t": {**meta, "metadata": {"name": "x", "labels": {"a": "b"}}, "spec": {"a": "x"}}}, {"t": {"apiVersion": "v1"}},
                  {"t": {"kind": "Pod"}}, {"t": {**meta, "kind": "a b"}}, {"t": {**meta, "apiVersion": "a/b/c"}},
                  {"t": {**meta, "metadata": {"name": "a/b"}}}, {"t": {**meta, "metadata": {"labels": {"-": "a"}}}}, {"t": {**meta, "metadata": None}})
    for query in (WARN, STRICT):
        yield creates("unknown fields of embedded objects, " + query, {"t": template},
                      {"t": {**meta, "metadata": {"name": "x", "foo": 1}, "spec": {"b": 1}, "bar": 2}}, query=query)


def defaults():
    properties = {"a": {"type": "string", "default": "x"}, "n": {"type": "integer", "default": 3},
                  "o": {"type": "object", "default": {}, "properties": {"b": {"type": "boolean", "default": True}}},
                  "l": {"type": "array", "items": {"type": "object", "properties": {"c": {"type": "integer", "default": 1}}}},
                  "m": {"type": "object", "additionalProperties": {"type": "object", "properties": {"d": {"type": "string", "default": "y"}}}}}
    yield creates("defaults", properties, {}, {"a": "z", "o": {"b": False}}, {"l": [{}, {"c": 2}], "m": {"k": {}}}, {"a": None, "o": None})
    W = custom(properties)
    yield script("defaults in updates", W.install(), W.create({"spec": {"a": "z", "n": 7}}), W.patch({"spec": {"a": None}}),
                 patch(W.path(name="one"), [{"op": "remove", "path": "/spec/n"}], JSON_PATCH), W.put({"spec": {}}, query="dryRun=All"), W.get())
    W = Custom("values", "Value", {"type": "object", "properties": {"spec": {"type": "object", "default": {}, "properties": {
        "a": {"type": "string", "default": "x"}}}}})
    yield script("a default spec", W.install(), W.create(), W.get())


def version_patch(properties, **more):
    """Another schema for the only version; a field with a default tells that it is in force."""
    schema = spec_schema({**properties, "marker": {"type": "string", "default": "new"}}, **more)
    return [{"op": "replace", "path": "/spec/versions/0/schema/openAPIV3Schema", "value": schema}]


def tightened(name, loose, tight, old, *changes):
    W = custom(loose)
    return script(name, W.install(), W.create({"spec": old}),
                  patch(f"{DEFINITIONS}/{W.name}", version_patch(tight), JSON_PATCH, compare="status"),
                  until(get(W.path(name="one")), text="\"marker\":\"new\""),
                  [W.patch(change) for change in changes], W.get())


def ratcheting():
    yield tightened("unchanged values are forgiven", {"n": INTEGER, "t": TEXT}, {"n": {"type": "integer", "maximum": 5}, "t": TEXT},
                    {"n": 9}, {"spec": {"t": "x"}}, {"spec": {"n": 8}}, {"spec": {"n": 4}}, {"spec": {"n": 9}})
    yield tightened("unchanged enums and types are forgiven", {"e": TEXT, "p": {"x-kubernetes-preserve-unknown-fields": True}, "t": TEXT},
                    {"e": {"type": "string", "enum": ["a"]}, "p": TEXT, "t": TEXT}, {"e": "b", "p": 1}, {"spec": {"t": "x"}},
                    {"spec": {"e": "c"}}, {"spec": {"p": 2}})
    item = {"type": "object", "required": ["n"], "properties": {"n": TEXT, "v": INTEGER, "w": TEXT}}
    strict = {**item, "properties": {**item["properties"], "v": {"type": "integer", "maximum": 5}}}
    keys = {"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["n"]}
    a, b = {"n": "a", "v": 9}, {"n": "b", "v": 1}
    yield tightened("elements of list maps are forgiven by their keys", {"l": {**keys, "items": item}}, {"l": {**keys, "items": strict}},
                    {"l": [a]}, {"spec": {"l": [b, a]}}, {"spec": {"l": [{**a, "w": "x"}]}}, {"spec": {"l": [{"n": "c", "v": 9}]}},
                    {"spec": {"l": [{"n": "a", "v": 8}]}})
    atomic = {"type": "array", "items": INTEGER}
    yield tightened("atomic lists are forgiven as a whole", {"l": atomic, "t": TEXT},
                    {"l": {"type": "array", "items": {"type": "integer", "maximum": 5}}, "t": TEXT}, {"l": [9]},
                    {"spec": {"t": "x"}}, {"spec": {"l": [9, 1]}})
    required = {"type": "object", "properties": {"x": TEXT, "y": TEXT}}
    yield tightened("a missing field is forgiven while its object stays", {"o": required, "t": TEXT},
                    {"o": {**required, "required": ["x"]}, "t": TEXT}, {"o": {"y": "a"}}, {"spec": {"t": "x"}}, {"spec": {"o": {"y": "b"}}})
    sets = {"type": "array", "items": TEXT}
    yield tightened("duplicates that were there are forgiven", {"s": sets, "t": TEXT},
                    {"s": {**sets, "x-kubernetes-list-type": "set"}, "t": TEXT}, {"s": ["a", "a"]}, {"spec": {"t": "x"}},
                    {"spec": {"s": ["b", "b"]}}, {"spec": {"s": ["b"]}}, {"spec": {"s": ["b", "b"]}})
    maps = {"type": "object", "additionalProperties": INTEGER}
    yield tightened("entries of maps are forgiven by their names", {"m": maps},
                    {"m": {"type": "object", "additionalProperties": {"type": "integer", "maximum": 5}}}, {"m": {"k": 9}},
                    {"spec": {"m": {"l": 1}}}, {"spec": {"m": {"j": 9}}})


def status():
    schema = spec_schema({"n": {"type": "integer", "maximum": 5}})
    schema["properties"]["status"] = {"type": "object", "required": ["phase"], "properties": {
        "phase": {"type": "string", "enum": ["On", "Off"]}, "n": {"type": "integer", "maximum": 5},
        "s": {"type": "array", "x-kubernetes-list-type": "set", "items": TEXT}}}
    W = Custom("values", "Value", schema, subresources={"status": {}})
    yield script("a status is checked by itself", W.install(), W.create({"spec": {"n": 1}, "status": {"phase": "Wrong"}}),
                 *[W.patch({"status": status}, subresource="status") for status in (
                     {"phase": "Wrong"}, {"n": 1}, {"phase": "On", "n": 9}, {"phase": "On", "n": "x"}, {"phase": "On", "s": ["a", "a"]},
                     {"phase": "On", "n": 3})], W.patch({"spec": {"n": 9}}, subresource="status"), W.get())


def scripts():
    for topic in (checks, lists, metadata, pruning, embedded, defaults, ratcheting, status):
        yield from topic()
