"""CustomResourceDefinitions: what is refused, and what becomes of those that are not."""

from custom import DEFINITIONS, GROUP, OPEN, Custom, spec_schema
from scripting import JSON_PATCH, TABLE, delete, end, events, get, merge, patch, post, put, script, until, watch

SCHEMA = {"type": "object", "properties": {"spec": {"type": "object", "properties": {"size": {"type": "integer"}}}}}
W = Custom("widgets", "Widget", SCHEMA)


def version(name="v1", schema=SCHEMA, storage=True, **more):
    one = {"name": name, "served": True, "storage": storage, **more}
    if schema is not None:
        one["schema"] = {"openAPIV3Schema": schema}
    return one


def tried(change):
    """A definition with that change to its spec; nothing comes of it even if it is taken."""
    return W.define({"spec": change}, "dryRun=All")


def versions(*list_of_versions):
    return tried({"versions": list(list_of_versions)})


def schemas(*list_of_schemas):
    return [versions(version(schema=schema)) for schema in list_of_schemas]


def fields(*list_of_schemas):
    """Each as the schema of a field of its own definition."""
    return schemas(*({"type": "object", "properties": {"f": schema}} for schema in list_of_schemas))


STRING = {"type": "string"}
INTEGER = {"type": "integer"}


def refused_names():
    yield script("names that are missing", tried({"names": None}), tried({"names": {"plural": None}}),
                 tried({"names": {"kind": None}}), tried({"group": None}), tried({"scope": None}),
                 tried({"versions": None}), post(DEFINITIONS, {}), post(DEFINITIONS, "{"),
                 post(DEFINITIONS, {"metadata": {"name": "a"}}))
    yield script("names that are wrong", *[tried({"names": names}) for names in (
        {"kind": "widget_s"}, {"kind": "WidgetList", "listKind": "WidgetList"}, {"kind": "Widget", "listKind": "Widget"},
        {"kind": "9Widget"}, {"kind": "W" * 64}, {"listKind": "Widgets List"}, {"singular": "Widget"},
        {"singular": "a.b"}, {"shortNames": ["w", "W", "a b", ""]}, {"categories": ["all", "ALL", "x" * 64]},
        {"plural": "Widgets"}, {"plural": "wid.gets"}, {"kind": "WIDGET", "singular": "w"})])
    yield script("names of definitions",
                 *[W.define({"metadata": {"name": name}}, "dryRun=All") for name in (
                     "widgets", f"gadgets.{GROUP}", "widgets.other.example.com", "Widgets.x", "a..b", None)],
                 W.define({"metadata": {"name": None, "generateName": "widgets."}}, "dryRun=All", compare="status"),
                 W.define({"metadata": {"labels": {"a b": "c"}}}, "dryRun=All"))
    yield script("groups", *[Custom("widgets", "Widget", SCHEMA, group=group).define(query="dryRun=All")
                             for group in ("example", "Example.com", "a..b", "x" * 64 + ".com", "example.com.")])
    yield script("scopes", tried({"scope": "namespaced"}), tried({"scope": "Everywhere"}), tried({"scope": "Cluster"}),
                 tried({"scope": 3}))
    yield script("groups of the community", *[
        post(DEFINITIONS, merge(Custom("${ns}s", "Widget", SCHEMA, group=group).definition,
                                {"metadata": {"annotations": annotations}}), "dryRun=All")
        for group, annotations in (
            ("x.k8s.io", None), ("kubernetes.io", None), ("k8s.io", {"api-approved.kubernetes.io": ""}),
            ("x.kubernetes.io", {"api-approved.kubernetes.io": "yes"}),
            ("x.k8s.io", {"api-approved.kubernetes.io": "unapproved, experimental"}),
            ("x.k8s.io", {"api-approved.kubernetes.io": "https://github.com/kubernetes/kubernetes/pull/1"}),
            ("x.k8s.io", {"api-approved.kubernetes.io": "github.com/kubernetes"}),
            ("x.k8s.io", {"api-approved.kubernetes.io": "https:///nothing"}),
            ("notk8s.io", None))])


def refused_versions():
    yield script("versions: storage", versions(version(storage=False)), versions(version(), version("v2")),
                 versions(version("v1", storage=False), version("v2", storage=False)), versions(version("v1"), version("v1")),
                 versions(version("v1"), version("v1", storage=False)))
    yield script("versions: names", *[versions(version(name)) for name in ("V1", "1", "v1.0", "", "v" * 64, "v-1")],
                 versions(version("v1"), version("V2", storage=False)),
                 versions(version(None)))
    yield script("versions: none with a schema", versions(version(schema=None)),
                 versions({"name": "v1", "served": True, "storage": True, "schema": {}}),
                 versions(version(), version("v2", schema=None, storage=False)),
                 versions(version(), version("v2", schema=None, storage=False, served=False)),
                 versions(version(schema={})), versions({"name": "v1", "served": False, "storage": True}))
    yield script("versions: deprecation", *[versions(version(**more)) for more in (
        {"deprecationWarning": "gone soon"}, {"deprecated": True, "deprecationWarning": ""},
        {"deprecated": True, "deprecationWarning": "x" * 257}, {"deprecated": True, "deprecationWarning": "a\nb"},
        {"deprecated": True, "deprecationWarning": "a\u200bb"}, {"deprecated": True, "deprecationWarning": "Grüße <b>"},
        {"deprecated": True}, {"deprecated": False, "deprecationWarning": "<&>"})])
    yield script("versions: of several, what is wrong with one", versions(
        version("v1"), version("v2", {"type": "object", "properties": {"a": {}}}, storage=False)), versions(
        version("v1", {"type": "string"}), version("v2", storage=False)), versions(
        version("v1", subresources={"scale": {}}), version("v2", storage=False)))
    yield script("preserveUnknownFields", tried({"preserveUnknownFields": True}),
                 tried({"preserveUnknownFields": True, "versions": [version(schema=None)]}),
                 tried({"preserveUnknownFields": True, "versions": [version(schema=spec_schema({"a": {}}))]}),
                 tried({"preserveUnknownFields": True, "versions": [
                     version(schema=spec_schema({"a": {"type": "string", "default": "x"}}))]}),
                 tried({"preserveUnknownFields": True, "conversion": {"strategy": "Webhook"}}),
                 tried({"preserveUnknownFields": False}))


def refused_parts():
    yield script("subresources", *[versions(version(subresources=subresources)) for subresources in (
        {"scale": {}}, {"scale": {"specReplicasPath": "spec.replicas", "statusReplicasPath": ".status.replicas"}},
        {"scale": {"specReplicasPath": ".replicas", "statusReplicasPath": ".spec.replicas"}},
        {"scale": {"specReplicasPath": ".spec.replicas", "statusReplicasPath": ".status"}},
        {"scale": {"specReplicasPath": ".spec.replicas", "statusReplicasPath": ".status.replicas",
                   "labelSelectorPath": "status.selector"}},
        {"scale": {"specReplicasPath": ".spec.replicas", "statusReplicasPath": ".status.replicas",
                   "labelSelectorPath": ".metadata.selector"}},
        {"scale": {"specReplicasPath": ".spec.replicas", "statusReplicasPath": ".status.replicas",
                   "labelSelectorPath": ""}}, {"status": {}}, {}, {"status": None, "scale": None})])
    yield script("subresources: the root of the schema", *[
        versions(version(schema=schema, subresources={"status": {}})) for schema in (
            {"type": "string"}, {"type": "object", "nullable": True}, {"type": "object", "enum": [{}]},
            {"type": "object", "maxProperties": 3}, {"type": "object", "oneOf": [{"required": ["spec"]}]},
            {"type": "object", "description": "d", "title": "t", "required": ["spec"], "properties": {"spec": OPEN}},
            {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
            {"type": "object", "x-kubernetes-map-type": "atomic", "properties": {"a": {
                "type": "array", "items": STRING, "default": ["<x>", {"b": 1, "a": 2.5}], "maximum": 2, "pattern": "a<b"}}},
            {"type": "object", "additionalProperties": STRING})])
    yield script("columns", *[versions(version(additionalPrinterColumns=[column])) for column in (
        {}, {"name": "a", "type": "string", "jsonPath": "spec.a"}, {"name": "a", "type": "text", "jsonPath": ".spec"},
        {"name": "a", "type": "string", "jsonPath": ".spec", "format": "hex"},
        {"name": "", "type": "", "jsonPath": ""}, {"name": "a", "type": "date", "format": "date-time", "jsonPath": "."},
        {"name": "a", "type": "integer", "jsonPath": ".spec.list[0].a", "priority": 1, "description": "d"},
        {"name": "a", "type": "integer", "jsonPath": "{.spec}"})],
        versions(version(additionalPrinterColumns=[{"name": "a", "type": "x", "jsonPath": ".a"}]),
                 version("v2", storage=False)))
    selectable = spec_schema({
        "s": STRING, "i": INTEGER, "b": {"type": "boolean"}, "n": {"type": "number"}, "l": {"type": "array", "items": STRING},
        "m": {"type": "object", "additionalProperties": STRING}, "o": OPEN, "e": {"type": "string", "enum": ["a"]},
        **{f"x{i}": STRING for i in range(9)}})
    selectable["properties"]["metadata"] = {"type": "object", "properties": {"name": STRING}}
    yield script("selectable fields", *[
        versions(version(schema=selectable, selectableFields=[{"jsonPath": path} for path in paths])) for paths in (
            [""], ["spec.s"], [".spec.nothing"], [".spec.n"], [".spec.l"], [".spec.l[0]"], [".spec.m.a"], [".spec.m"],
            [".spec.o.a"], [".metadata.name"], [".spec.s", ".spec.s"], [".spec", "."], [".spec..s"], [".spec['s']"],
            [f".spec.x{i}" for i in range(9)], [f".spec.x{i}" for i in range(8)] + [".spec.x1"],
            [".spec.s", ".spec.i", ".spec.b", ".spec.e"])],
        versions(version(schema=None, selectableFields=[{"jsonPath": ".a"}])),
        versions(version(schema=selectable, selectableFields=[{"jsonPath": ".a"}]), version("v2", storage=False)))


def conversion(webhook, strategy="Webhook"):
    return tried({"conversion": {"strategy": strategy, "webhook": webhook}})


def refused_conversions():
    url = {"clientConfig": {"url": "https://example.com/convert"}, "conversionReviewVersions": ["v1"]}

    def client(config, **more):
        return conversion({"clientConfig": config, "conversionReviewVersions": ["v1"], **more})

    yield script("conversion", tried({"conversion": {"strategy": ""}}), tried({"conversion": {"strategy": "Magic"}}),
                 tried({"conversion": {"strategy": "Webhook"}}), tried({"conversion": {}}),
                 conversion(url, "None"), conversion({}, "None"), conversion({}),
                 conversion({"clientConfig": {}}), conversion(url),
                 conversion({**url, "conversionReviewVersions": []}))
    yield script("conversion: clients", *[client(config) for config in (
        {}, {"url": "http://example.com"}, {"url": "https://"}, {"url": "https://u:p@example.com/?a=b#c"},
        {"url": "https://example.com", "service": {"name": "a", "namespace": "b"}}, {"service": {}},
        {"service": {"name": "a", "namespace": "b", "port": 0}}, {"service": {"name": "a", "namespace": "b", "port": 70000}},
        {"service": {"name": "a", "namespace": "b", "path": "x"}}, {"service": {"name": "a", "namespace": "b", "path": "//"}},
        {"service": {"name": "a", "namespace": "b", "path": "/a//b/C"}}, {"service": {"name": "a", "namespace": "b"}},
        {"service": {"name": "a", "namespace": "b"}, "caBundle": "aGVsbG8="})])
    yield script("conversion: versions of reviews", *[conversion({**url, "conversionReviewVersions": reviews})
                                                      for reviews in (["v2"], ["v1", "v1"], ["V1"], ["v2", "v1beta1"])])


def refused_schemas():
    yield script("schema: types", *schemas(
        {"type": "string"}, {"type": "array"}, {"type": "array", "items": STRING}, {"properties": {}}, {"type": ""},
        {"type": "thing"}, {"type": "null"}), *fields(
        {}, {"type": "thing"}, {"type": "null"}, {"type": "array"}, {"type": "array", "items": {}},
        {"type": "array", "items": {"type": "array"}}, {"type": "object", "properties": {"a": {}}},
        {"type": "object", "additionalProperties": {}}, {"type": "object", "additionalProperties": {"type": "x"}},
        {"type": "object", "properties": {"a": {"type": "array", "items": {"properties": {"b": STRING}}}}},
        {"type": ["string", "null"]}, {"description": "nothing but this"}))
    yield script("schema: what is not supported", *fields(
        {"type": "string", "id": "x"}, {"type": "string", "$ref": "#/definitions/x"}, {"type": "string", "$ref": ""},
        {"type": "object", "patternProperties": {"a": STRING}}, {"type": "object", "definitions": {"a": STRING}},
        {"type": "object", "dependencies": {"a": ["b"]}}, {"type": "object", "dependencies": {"a": {"type": "x"}}},
        {"type": "array", "additionalItems": True, "items": STRING}, {"type": "array", "items": [STRING, INTEGER]},
        {"type": "array", "items": [{"type": "x"}]}, {"type": "string", "$schema": "http://json-schema.org/schema#"},
        {"type": "array", "items": STRING, "uniqueItems": True}, {"type": "string", "nonsense": True},
        {"type": "object", "definitions": {"a": {"type": "x", "id": "b"}}}),
        *schemas({"type": "object", "$schema": "x"}, {"type": "object", "id": "x"}, {"type": "object", "nullable": True}))
    yield script("schema: properties and additionalProperties", *fields(
        {"type": "object", "properties": {"a": STRING}, "additionalProperties": False},
        {"type": "object", "properties": {"a": STRING}, "additionalProperties": True},
        {"type": "object", "properties": {"a": STRING}, "additionalProperties": STRING},
        {"type": "object", "additionalProperties": False}, {"type": "object", "additionalProperties": True}),
        *schemas({"type": "object", "additionalProperties": STRING}, {"type": "object", "additionalProperties": True},
                 {"type": "object", "additionalProperties": False}))
    yield script("schema: junctors", *fields(
        {"type": "string", "anyOf": [{"type": "string"}]}, {"type": "string", "allOf": [{"description": "d"}]},
        {"type": "string", "oneOf": [{"title": "t"}]}, {"type": "string", "not": {"nullable": True}},
        {"type": "string", "not": {"default": "x"}}, {"type": "object", "anyOf": [{"additionalProperties": STRING}]},
        {"type": "object", "anyOf": [{"additionalProperties": False}]},
        {"type": "object", "anyOf": [{"properties": {"a": {"type": "string"}}}]},
        {"type": "object", "anyOf": [{"x-kubernetes-preserve-unknown-fields": True}]},
        {"type": "object", "oneOf": [{"x-kubernetes-embedded-resource": True}]},
        {"type": "object", "allOf": [{"x-kubernetes-int-or-string": True}]},
        {"type": "array", "items": STRING, "allOf": [{"x-kubernetes-list-type": "set"}]},
        {"type": "array", "items": STRING, "allOf": [{"x-kubernetes-list-map-keys": ["a"]}]},
        {"type": "object", "allOf": [{"x-kubernetes-map-type": "atomic"}]},
        {"type": "object", "allOf": [{"x-kubernetes-validations": [{"rule": "true"}]}]},
        {"type": "object", "properties": {"metadata": {"type": "object"}}, "not": {"properties": {"metadata": {}}}},
        {"type": "string", "anyOf": [{"allOf": [{"not": {"type": "string"}}]}]},
        {"type": "string", "pattern": "a(", "allOf": [{"pattern": "[z-a]"}]},
        {"type": "string", "anyOf": [{"minLength": 1, "enum": ["a"], "format": "date", "pattern": "^a"}]}))
    yield script("schema: junctors without a counterpart", *schemas(
        {"type": "object", "anyOf": [{"properties": {"a": {"minLength": 1}}}]},
        {"type": "object", "properties": {"a": {"type": "object"}}, "not": {"properties": {"a": {"properties": {"b": {}}}}}},
        {"type": "object", "properties": {"a": {"type": "array", "items": STRING}},
         "oneOf": [{"properties": {"a": {"items": {"minLength": 1}}}}]},
        {"type": "object", "properties": {"a": OPEN}, "allOf": [{"properties": {"a": {"items": {"minLength": 1}}}}]},
        {"type": "object", "properties": {"a": {"type": "object", "allOf": [{"properties": {"b": {}}}]}}},
        {"type": "object", "allOf": [{"required": ["a"]}], "anyOf": [{"not": {"properties": {"c": {}}}}]}))
    yield script("schema: patterns", *fields(*(
        {"type": "string", "pattern": pattern} for pattern in (
            "a(", "a)", "[a", "[b-a]", "a**", "*a", "a{2000}", "(?!a)", "a\\", "[[:foo:]]", "\\pX", "(?P<n>a", "\\8",
            "^[a-z]+$", "(?i)a", "\\d{3}"))))
    yield script("schema: int or string", *fields(
        {"x-kubernetes-int-or-string": True}, {"x-kubernetes-int-or-string": True, "anyOf": [INTEGER, STRING]},
        {"x-kubernetes-int-or-string": True, "anyOf": [STRING, INTEGER]},
        {"x-kubernetes-int-or-string": True, "allOf": [{"anyOf": [INTEGER, STRING]}, {"minimum": 1}]},
        {"x-kubernetes-int-or-string": True, "allOf": [{"minimum": 1}, {"anyOf": [INTEGER, STRING]}]},
        {"x-kubernetes-int-or-string": True, "type": "string"}, {"x-kubernetes-int-or-string": True, "type": "integer"},
        {"x-kubernetes-int-or-string": True, "x-kubernetes-preserve-unknown-fields": True},
        {"x-kubernetes-int-or-string": True, "x-kubernetes-embedded-resource": True, "type": "object"},
        {"anyOf": [INTEGER, STRING]}, {"type": "string", "anyOf": [INTEGER, STRING]},
        {"x-kubernetes-int-or-string": True, "anyOf": [INTEGER, {"type": "string", "minLength": 1}]},
        {"x-kubernetes-int-or-string": False}))
    yield script("schema: unknown fields", *fields(
        {"x-kubernetes-preserve-unknown-fields": False}, {"type": "object", "x-kubernetes-preserve-unknown-fields": False},
        {"x-kubernetes-preserve-unknown-fields": True}, {"type": "string", "x-kubernetes-preserve-unknown-fields": True},
        {"type": "array", "x-kubernetes-preserve-unknown-fields": True}))
    yield script("schema: embedded resources", *fields(
        {"x-kubernetes-embedded-resource": True}, {"type": "string", "x-kubernetes-embedded-resource": True},
        {"type": "object", "x-kubernetes-embedded-resource": True},
        {"type": "object", "x-kubernetes-embedded-resource": True, "x-kubernetes-preserve-unknown-fields": True},
        {"type": "object", "x-kubernetes-embedded-resource": True, "additionalProperties": STRING},
        {"type": "object", "x-kubernetes-embedded-resource": True, "properties": {
            "kind": INTEGER, "metadata": {"type": "object", "properties": {"labels": {"type": "object"}}}}},
        {"type": "object", "x-kubernetes-embedded-resource": True, "properties": {
            "apiVersion": {"type": "object"}}},
        {"type": "object", "x-kubernetes-embedded-resource": True, "properties": {"metadata": STRING}},
        {"type": "object", "x-kubernetes-embedded-resource": True, "properties": {"metadata": {
            "type": "object", "properties": {"x": {"type": "object", "x-kubernetes-embedded-resource": True,
                                                   "x-kubernetes-preserve-unknown-fields": True}}}}},
        {"type": "object", "x-kubernetes-embedded-resource": True, "x-kubernetes-preserve-unknown-fields": True,
         "properties": {"metadata": {"type": "object", "additionalProperties": {"type": "string", "default": "x"}}}}))
    metadata = [{"type": "string"}, {"type": "object", "properties": {"name": STRING}},
                {"type": "object", "properties": {"name": STRING, "generateName": STRING}},
                {"type": "object", "properties": {"labels": {"type": "object"}}},
                {"type": "object", "properties": {"name": STRING, "labels": {"type": "object"}}},
                {"type": "object", "description": "d"}, {"type": "object", "required": ["name"]}, {"type": "object"},
                {"type": "object", "x-kubernetes-preserve-unknown-fields": True}, {"type": "object", "default": {}},
                {"type": "object", "properties": {"name": {"type": "string", "pattern": "^a", "maxLength": 3}}},
                {"type": "object", "properties": {"name": {"type": "string", "default": "x"}}}]
    yield script("schema: metadata of the root",
                 *schemas(*({"type": "object", "properties": {"metadata": one}} for one in metadata)),
                 *schemas(*({"type": "object", "properties": {name: one}} for name in ("apiVersion", "kind") for one in (
                     INTEGER, {"type": "string", "enum": ["a"]}, {"type": "string", "default": "x"}))),
                 *schemas({"type": "object", "allOf": [{"properties": {"metadata": {"required": ["labels"]}}}]}))
    item = {"type": "object", "properties": {"k": STRING, "l": {"type": "array", "items": STRING}, "o": OPEN,
                                             "n": {"type": "string", "nullable": True}, "d": {"type": "string", "default": "x"}}}
    required = {**item, "required": ["k", "n"]}
    yield script("schema: list types", *fields(*(
        {"type": "array", "items": STRING, **more} for more in (
            {"x-kubernetes-list-type": "bag"}, {"x-kubernetes-list-type": ""}, {"x-kubernetes-list-type": "map"},
            {"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"]},
            {"x-kubernetes-list-type": "set", "x-kubernetes-list-map-keys": ["k"]}, {"x-kubernetes-list-map-keys": ["k"]},
            {"x-kubernetes-list-type": "set"}, {"x-kubernetes-list-type": "atomic"})),
        {"type": "object", "x-kubernetes-list-type": "set"}, {"x-kubernetes-list-type": "set"},
        {"type": "string", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"]},
        {"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"]},
        {"type": "array", "items": [item], "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"]}))
    yield script("schema: keys of lists", *fields(*(
        {"type": "array", "items": items, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": keys}
        for items, keys in ((item, ["k"]), (required, ["k"]), (required, ["z"]), (required, ["k", "k"]), (required, ["l"]),
                            (required, ["o"]), (required, ["n"]), (item, ["d"]), (required, ["k", "d"]),
                            ({**required, "nullable": True}, ["k"])))))
    yield script("schema: sets", *fields(*(
        {"type": "array", "items": items, "x-kubernetes-list-type": "set"} for items in (
            OPEN, {"type": "object"}, {"type": "object", "x-kubernetes-map-type": "atomic"},
            {"type": "array", "items": STRING}, {"type": "array", "items": STRING, "x-kubernetes-list-type": "atomic"},
            {"type": "array", "items": STRING, "x-kubernetes-list-type": "set"}, {"type": "string", "nullable": True},
            {"type": "object", "x-kubernetes-map-type": "granular"}))))
    yield script("schema: map types", *fields(
        {"type": "object", "x-kubernetes-map-type": "loose"}, {"type": "string", "x-kubernetes-map-type": "atomic"},
        {"x-kubernetes-map-type": "granular"}, {"type": "object", "x-kubernetes-map-type": "granular"},
        {"type": "object", "x-kubernetes-map-type": "atomic", "additionalProperties": STRING}))
    yield script("schema: formats", *fields(*(
        {"type": kind, "format": name} for kind, name in (
            ("string", "date-time"), ("string", "hexcolor"), ("string", "k8s-short-name"), ("string", "k8s-long-name"),
            ("string", "fancy"), ("integer", "int32"), ("integer", "int16"), ("number", "float"), ("number", "int64"),
            ("boolean", "binary"), ("string", "uint64")))),
        *fields({"type": "object", "properties": {"a": {"type": "string", "format": "one"}},
                 "allOf": [{"properties": {"a": {"format": "two"}}}]}),
        versions(version(schema=spec_schema({"a": {"type": "string", "format": "one"}})),
                 version("v2", storage=False, schema=spec_schema({"b": {"type": "string", "format": "two"}}))))
    yield script("schema: bounds", *fields(
        {"type": "integer", "minimum": 5, "maximum": 1}, {"type": "string", "minLength": -1},
        {"type": "string", "maxLength": "a"}, {"type": "array", "items": STRING, "maxItems": 1.5},
        {"type": "number", "multipleOf": 0}, {"type": "object", "minProperties": 3, "maxProperties": 2},
        {"type": "string", "enum": []}, {"type": "string", "enum": [1, "a", None]}, {"type": "string", "required": ["a"]},
        {"type": "object", "required": ["nowhere", "nowhere"]}))
    yield script("schema: rules, but for what they say", *fields(*(
        {"type": "object", "properties": {"a": STRING, "m": {"type": "object", "additionalProperties": STRING}},
         "x-kubernetes-validations": [rule]} for rule in (
            {}, {"rule": ""}, {"rule": "  "}, {"rule": "true", "message": " "}, {"rule": "true", "message": "a\nb"},
            {"rule": "true ||\n true"}, {"rule": "true ||\n true", "message": "m"}, {"rule": "true", "messageExpression": " "},
            {"rule": "true", "reason": "Whim"}, {"rule": "true", "reason": "FieldValueRequired"},
            {"rule": "true", "fieldPath": " "}, {"rule": "true", "fieldPath": "a"}, {"rule": "true", "fieldPath": ".b"},
            {"rule": "true", "fieldPath": ".a\n"}, {"rule": "true", "fieldPath": ".a"}, {"rule": "true", "fieldPath": ".m.x"},
            {"rule": "true", "fieldPath": ".m['x.y']"}, {"rule": "true", "fieldPath": ".m[x]"},
            {"rule": "true", "fieldPath": ".m['\\q']"}, {"rule": "true", "fieldPath": ".m['x'"},
            {"rule": "", "message": "m", "reason": "x", "fieldPath": "y"}))))


def refused_defaults():
    yield script("defaults: wrong values", *fields(
        {"type": "string", "default": 1}, {"type": "integer", "default": "a"}, {"type": "integer", "default": 1.5},
        {"type": "string", "enum": ["a"], "default": "b"}, {"type": "integer", "minimum": 5, "default": 3},
        {"type": "string", "pattern": "^a", "default": "b"}, {"type": "string", "maxLength": 1, "default": "bb"},
        {"type": "string", "format": "date", "default": "yesterday"},
        {"type": "object", "required": ["a"], "properties": {"a": STRING}, "default": {}},
        {"type": "array", "items": STRING, "default": ["a", 1]}, {"type": "array", "items": STRING, "maxItems": 1, "default": ["a", "b"]},
        {"type": "string", "nullable": True, "default": None}, {"type": "string", "default": None},
        {"x-kubernetes-int-or-string": True, "default": 1.5}, {"x-kubernetes-int-or-string": True, "default": "5"},
        {"type": "string", "default": "a"}, {"type": "number", "default": 1}, {"type": "boolean", "default": "true"},
        {"type": "array", "items": STRING, "x-kubernetes-list-type": "set", "default": ["a", "a"]}))
    yield script("defaults: fields that are unknown", *fields(
        {"type": "object", "properties": {"a": STRING}, "default": {"b": 1}},
        {"type": "object", "properties": {"a": STRING}, "default": {"a": "x", "b": 1}},
        {"type": "object", "x-kubernetes-preserve-unknown-fields": True, "default": {"b": 1}},
        {"type": "object", "additionalProperties": {"type": "object", "properties": {"a": STRING}},
         "default": {"k": {"a": "x", "b": 1}}},
        {"type": "array", "items": {"type": "object", "properties": {"a": STRING}}, "default": [{"b": 1}]},
        {"type": "object", "default": {"b": 1}}))
    yield script("defaults: in embedded resources", *fields(
        {"type": "object", "x-kubernetes-embedded-resource": True, "x-kubernetes-preserve-unknown-fields": True, "default": {}},
        {"type": "object", "x-kubernetes-embedded-resource": True, "x-kubernetes-preserve-unknown-fields": True,
         "default": {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}}},
        {"type": "object", "x-kubernetes-embedded-resource": True, "x-kubernetes-preserve-unknown-fields": True,
         "default": {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "A B"}}},
        {"type": "object", "x-kubernetes-embedded-resource": True, "x-kubernetes-preserve-unknown-fields": True,
         "default": {"apiVersion": "v1", "kind": "Pod", "metadata": {"labels": 7}}},
        {"type": "object", "x-kubernetes-embedded-resource": True, "properties": {"spec": OPEN},
         "default": {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a", "nonsense": 1}, "status": {}}},
        {"type": "object", "x-kubernetes-embedded-resource": True, "properties": {
            "metadata": {"type": "object", "properties": {"name": {"type": "string", "default": "A B"}}}}},
        {"type": "object", "x-kubernetes-embedded-resource": True, "properties": {
            "kind": {"type": "string", "default": "pod s"}, "apiVersion": {"type": "string", "default": "v1"}}}))
    yield script("defaults: where there must be none", *fields(
        {"type": "object", "additionalProperties": {"type": "string", "default": "x"}},
        {"type": "array", "items": {"type": "string", "default": "x"}},
        {"type": "string", "anyOf": [{"default": "x"}]}), *schemas(
        {"type": "object", "default": {}}, {"type": "object", "default": {"spec": 1}},
        {"type": "object", "properties": {"metadata": {"type": "object", "default": {"name": "x"}}}}))


def refused_updates():
    one = Custom("widgets", "Widget", versions=[
        version("v1", SCHEMA), version("v2", spec_schema({"other": STRING}), storage=False)])
    yield script("update: what may not change", one.define(), one.established(),
                 *[one.redefine(change) for change in (
                     {"spec": {"scope": "Cluster"}}, {"spec": {"names": {"kind": "Gadget"}}},
                     {"spec": {"names": {"plural": "gadgets"}}}, {"spec": {"group": "other.example.com"}},
                     {"spec": {"names": {"listKind": "Widget"}}}, {"spec": {"preserveUnknownFields": True}},
                     {"spec": {"versions": [version("v2")]}},
                     {"spec": {"versions": [version("v1", {"type": "object", "properties": {"a": {}}})]}},
                     {"metadata": {"name": "other"}}, {"spec": {"names": {"kind": "wid gets"}}},
                     {"metadata": {"labels": {"a b": "c"}}}, {"metadata": {"finalizers": ["nonsense"]}})])
    yield script("update: without a resourceVersion", one.define(), one.established(compare="status"),
                 put(f"{DEFINITIONS}/{one.name}", one.definition))
    yield script("update: versions that were stored", one.define(), one.established(compare="status"),
                 one.redefine({"spec": {"versions": [version("v1", SCHEMA, storage=False), version("v2", spec_schema({"other": STRING}))]}}),
                 one.redefine({"spec": {"versions": [version("v2", spec_schema({"other": STRING}))]}}),
                 patch(f"{DEFINITIONS}/{one.name}/status", {"status": {"storedVersions": ["v2"]}}),
                 one.redefine({"spec": {"versions": [version("v2", spec_schema({"other": STRING}))]}}),
                 patch(f"{DEFINITIONS}/{one.name}/status", {"status": {"storedVersions": []}}),
                 patch(f"{DEFINITIONS}/{one.name}/status", {"status": {"storedVersions": ["v9"]}}),
                 one.redefine({"metadata": {"labels": {"a": "b"}}}))
    yield script("update: status", one.define(), one.established(compare="status"),
                 *[patch(f"{DEFINITIONS}/{one.name}/status", change) for change in (
                     {"status": {"acceptedNames": {"kind": "wid gets"}}}, {"spec": {"scope": "Cluster"}},
                     {"metadata": {"labels": {"a": "b"}}}, {"status": {"acceptedNames": {"shortNames": ["A"]}}})],
                 get(f"{DEFINITIONS}/{one.name}/status"))
    yield script("update: formats that are new", W.define({"spec": {"versions": [version(
        schema=spec_schema({"a": {"type": "string", "format": "one"}}))]}}), W.established(compare="status"),
        W.redefine({"metadata": {"labels": {"a": "b"}}}),
        W.redefine({"spec": {"versions": [version(schema=spec_schema({
            "a": {"type": "string", "format": "one"}, "b": {"type": "string", "format": "two"}}))]}}))
    webhook = {"strategy": "Webhook", "webhook": {"clientConfig": {"url": "https://example.com/", "caBundle": "aGVsbG8="},
                                                  "conversionReviewVersions": ["v1"]}}
    yield script("update: certificates of a webhook", W.define(), W.established(compare="status"),
                 W.redefine({"spec": {"conversion": webhook}}),
                 W.redefine({"spec": {"conversion": {"strategy": "None"}}}))
    approved = Custom("${ns}s", "Widget", SCHEMA, group="x.k8s.io")
    yield script("update: approval", post(DEFINITIONS, merge(approved.definition, {"metadata": {"annotations": {
        "api-approved.kubernetes.io": "unapproved"}}})), *[approved.redefine({"metadata": {"annotations": {
            "api-approved.kubernetes.io": value}}}, **compare) for value, compare in (
                ("nonsense", {}), (None, {}), ("https://example.com/1", {"compare": "status"}),
                ("unapproved, still", {"compare": "status"}))])
    yield script("update: names while they are not accepted", W.define(), W.established(compare="status"),
                 W.redefine({"spec": {"names": {"shortNames": ["w"], "categories": ["all"], "singular": "wid"}}}),
                 until(get(f"{DEFINITIONS}/{W.name}"), text='"shortNames":["w"],"kind":"Widget","listKind":"WidgetList","categories":["all"]},"storedVersions"'))


# Five kinds that have every feature of a schema between them.

# Values of every type, with bounds.
TYPES = Custom("samples", "Sample", spec_schema({
    "text": {"type": "string", "minLength": 2, "maxLength": 8, "pattern": "^[a-z]+$"},
    "choice": {"type": "string", "enum": ["red", "green"], "default": "red"},
    "when": {"type": "string", "format": "date-time"},
    "small": {"type": "integer", "format": "int32", "minimum": 0, "maximum": 10, "exclusiveMaximum": True},
    "even": {"type": "integer", "multipleOf": 2},
    "ratio": {"type": "number", "minimum": 0, "exclusiveMinimum": True},
    "flag": {"type": "boolean", "nullable": True},
    "port": {"x-kubernetes-int-or-string": True, "anyOf": [INTEGER, STRING]},
    "few": {"type": "array", "items": STRING, "minItems": 1, "maxItems": 3},
    "map": {"type": "object", "additionalProperties": INTEGER, "minProperties": 1, "maxProperties": 2}},
    required=["text"]))

# Lists, maps, what is unknown and what is embedded.
SHAPES = Custom("shapes", "Shape", spec_schema({
    "set": {"type": "array", "items": STRING, "x-kubernetes-list-type": "set"},
    "items": {"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name", "zone"],
              "items": {"type": "object", "required": ["name"], "properties": {
                  "name": STRING, "zone": {"type": "string", "default": "a"}, "value": INTEGER}}},
    "atomic": {"type": "object", "x-kubernetes-map-type": "atomic", "properties": {"a": STRING, "b": STRING}},
    "open": {"type": "object", "x-kubernetes-preserve-unknown-fields": True, "properties": {
        "closed": {"type": "object", "properties": {"a": STRING}}}},
    "anything": {"x-kubernetes-preserve-unknown-fields": True},
    "template": {"type": "object", "x-kubernetes-embedded-resource": True, "x-kubernetes-preserve-unknown-fields": True},
    "part": {"type": "object", "x-kubernetes-embedded-resource": True, "properties": {"spec": {
        "type": "object", "properties": {"a": STRING}}}}}))

# Junctors and rules.
CHECKED = Custom("checkeds", "Checked", spec_schema({
    "a": INTEGER, "b": INTEGER, "c": STRING},
    oneOf=[{"required": ["a"]}, {"required": ["b"]}], **{"not": {"properties": {"c": {"enum": ["never"]}}},
    "allOf": [{"properties": {"a": {"minimum": 1}}}], "anyOf": [{"properties": {"b": {"maximum": 5}}},
                                                                {"properties": {"b": {"minimum": 10}}}],
    "x-kubernetes-validations": [
        {"rule": "!has(self.a) || self.a < 100", "message": "a must be less than 100"},
        {"rule": "!has(self.c) || !has(oldSelf.c) || self.c == oldSelf.c", "messageExpression": "'c was ' + oldSelf.c",
         "fieldPath": ".c", "reason": "FieldValueForbidden"}]}))

# Status, scale, columns, selectable fields, names.
SCALED = Custom("scaleds", "Scaled", {"type": "object", "properties": {
    "spec": {"type": "object", "properties": {"replicas": INTEGER, "color": STRING, "on": {"type": "boolean"}, "n": INTEGER}},
    "status": {"type": "object", "properties": {"replicas": INTEGER, "selector": STRING, "phase": STRING}}}},
    subresources={"status": {}, "scale": {"specReplicasPath": ".spec.replicas", "statusReplicasPath": ".status.replicas",
                                          "labelSelectorPath": ".status.selector"}},
    columns=[{"name": "Color", "type": "string", "jsonPath": ".spec.color", "description": "its color"},
             {"name": "Replicas", "type": "integer", "jsonPath": ".spec.replicas"},
             {"name": "On", "type": "boolean", "jsonPath": ".spec.on", "priority": 1},
             {"name": "Age", "type": "date", "jsonPath": ".metadata.creationTimestamp"}],
    selectable=[".spec.color", ".spec.on", ".spec.n"],
    names={"shortNames": ["sc", "scl"], "categories": ["all", "scaled"], "singular": "scaledone", "listKind": "ScaledItems"})

# Several versions, in the whole cluster.
MANY = Custom("manies", "Many", namespaced=False, version="v1", versions=[
    version("v1", spec_schema({"size": {"type": "integer", "default": 1}, "old": STRING})),
    version("v1beta1", spec_schema({"size": {"type": "integer", "default": 2}}), storage=False, deprecated=True),
    version("v2alpha1", {**OPEN}, storage=False, deprecated=True, deprecationWarning="use v1"),
    version("v0", {**OPEN, "description": "no more"}, storage=False, served=False)])


def types():
    good = {"spec": {"text": "abc", "small": 3, "even": 4, "ratio": 0.5, "flag": True, "port": "http", "few": ["a"],
                     "map": {"k": 1}, "when": "2020-01-02T03:04:05Z"}}
    yield script("types: an object's life", TYPES.install(), TYPES.create(good), TYPES.get(), TYPES.list(),
                 TYPES.patch({"spec": {"small": 4}}), TYPES.put({**good, "metadata": {"labels": {"a": "b"}}}),
                 TYPES.patch([{"op": "replace", "path": "/spec/text", "value": "xyz"}], content_type=JSON_PATCH),
                 TYPES.patch({"spec": {"flag": None, "choice": None}}), TYPES.get(), TYPES.delete(), TYPES.get(), TYPES.list())
    yield script("types: refused", TYPES.install(), *[TYPES.create({"spec": {"text": "abc", **change}}) for change in (
        {"text": None}, {"text": "a"}, {"text": "abcdefghi"}, {"text": "ABC"}, {"choice": "blue"}, {"when": "now"},
        {"small": 10}, {"small": -1}, {"small": 1.5}, {"small": "1"}, {"even": 3}, {"ratio": 0}, {"flag": "yes"},
        {"port": True}, {"few": []}, {"few": ["a", "b", "c", "d"]}, {"few": [1]}, {"few": "a"}, {"map": {}},
        {"map": {"a": 1, "b": 2, "c": 3}}, {"map": {"a": "b"}}, {"map": []})],
        TYPES.create({"spec": None}), TYPES.create({"spec": []}), TYPES.create({"spec": "x"}))
    yield script("types: null and defaults", TYPES.install(),
                 post(TYPES.path(), '{"apiVersion":"${ns}.example.com/v1","kind":"Sample","metadata":{"name":"one"},'
                                    '"spec":{"text":"abc","flag":null,"choice":null}}'),
                 post(TYPES.path(), '{"apiVersion":"${ns}.example.com/v1","kind":"Sample","metadata":{"name":"two"},'
                                    '"spec":{"text":"abc","small":null}}'),
                 post(TYPES.path(), '{"apiVersion":"${ns}.example.com/v1","kind":"Sample","metadata":{"name":"three"},'
                                    '"spec":{"text":null}}'))
    yield script("types: fields that are unknown", TYPES.install(),
                 *[TYPES.create(merge(good, {"metadata": {"name": name}, "spec": {"other": {"a": 1}}, "top": 1}), query)
                   for name, query in (("one", "fieldValidation=Strict"), ("one", "fieldValidation=Warn"),
                                       ("two", "fieldValidation=Ignore"), ("three", ""), ("four", "fieldValidation=Wrong"))],
                 TYPES.patch({"spec": {"nonsense": 1}}, query="fieldValidation=Strict"),
                 TYPES.patch({"spec": {"nonsense": 1}}, query="fieldValidation=Warn"),
                 TYPES.put({**good, "extra": 1}, "fieldValidation=Strict"),
                 post(TYPES.path(), '{"apiVersion":"${ns}.example.com/v1","kind":"Sample","metadata":{"name":"five"},'
                                    '"spec":{"text":"abc","text":"def"}}', "fieldValidation=Strict"),
                 post(TYPES.path(), '{"apiVersion":"${ns}.example.com/v1","kind":"Sample","metadata":{"name":"five","bogus":1},'
                                    '"spec":{"text":"abc"}}', "fieldValidation=Strict"), TYPES.list())
    yield script("types: wrong kinds", TYPES.install(), TYPES.create({**good, "kind": "Other"}),
                 TYPES.create({**good, "apiVersion": "${ns}.example.com/v2"}), TYPES.create({**good, "apiVersion": "v1"}),
                 TYPES.create({**good, "kind": None}, compare="status"), TYPES.create({**good, "apiVersion": None}),
                 post(TYPES.path(), "[]"), post(TYPES.path(), "nonsense"), post(TYPES.path(), ""),
                 TYPES.create({**good, "metadata": {"name": "A"}}), TYPES.create({**good, "metadata": {"name": None}}),
                 TYPES.create({**good, "metadata": {"namespace": "default"}}),
                 TYPES.create({**good, "metadata": {"labels": {"a": 1}}}), TYPES.create(good), TYPES.create(good),
                 TYPES.patch({"a": 1}, content_type="application/strategic-merge-patch+json"),
                 TYPES.create(good, accept="application/vnd.kubernetes.protobuf"), TYPES.get(accept="application/yaml"))


def shapes():
    yield script("shapes: an object's life", SHAPES.install(),
                 SHAPES.create({"spec": {"set": ["a", "b"], "items": [{"name": "x"}, {"name": "x", "zone": "b", "value": 1}],
                                         "atomic": {"a": "1"}, "open": {"any": {"thing": [1]}, "closed": {"a": "x", "b": 1}},
                                         "anything": [1, "a", {"b": None}], "template": {
                                             "apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p", "nonsense": 1}, "spec": {"x": 1}},
                                         "part": {"apiVersion": "v1", "kind": "Thing", "metadata": {"labels": {"a": "b"}},
                                                  "spec": {"a": "x", "b": 1}, "other": 1}}}),
                 SHAPES.get(), SHAPES.patch({"spec": {"anything": {"a": 1}, "open": {"more": True, "any": None}}}),
                 SHAPES.patch({"spec": {"items": [{"name": "y"}]}}), SHAPES.get(query="fieldManager=x"), SHAPES.delete())
    yield script("shapes: refused", SHAPES.install(), *[SHAPES.create({"spec": spec}) for spec in (
        {"set": ["a", "b", "a"]}, {"items": [{"name": "x"}, {"name": "x"}]}, {"items": [{"name": "x", "zone": "a"}, {"name": "x"}]},
        {"items": [{"zone": "a"}]}, {"template": {}}, {"template": {"apiVersion": "v1"}}, {"template": {"apiVersion": "a/b/c", "kind": "x y"}},
        {"template": {"apiVersion": "v1", "kind": "Pod", "metadata": {"labels": {"a b": "c"}}}},
        {"template": {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a/b"}}}, {"template": "x"}, {"open": []},
        {"set": {}}, {"items": {}}, {"atomic": {"a": 1}})],
        SHAPES.create({"spec": {"open": {"closed": {"b": 1}}, "part": {"apiVersion": "v1", "kind": "X", "metadata": {"foo": 1},
                                                                      "spec": {"b": 1}}}}, "fieldValidation=Strict"))


def checked():
    yield script("checks: junctors", CHECKED.install(), *[CHECKED.create({"spec": spec}) for spec in (
        {"a": 1, "b": 2}, {}, {"a": 0}, {"a": 1, "c": "never"}, {"b": 7}, {"b": 12}, {"a": 1})])
    yield script("checks: rules", CHECKED.install(), CHECKED.create({"spec": {"a": 100}}),
                 CHECKED.create({"spec": {"a": 1, "c": "x"}}), CHECKED.patch({"spec": {"c": "y"}}),
                 CHECKED.patch({"spec": {"a": 200}}), CHECKED.patch({"spec": {"c": None}}), CHECKED.patch({"spec": {"c": "y"}}))
    yield script("checks: what was wrong before", CHECKED.install(), CHECKED.create({"spec": {"a": 50, "c": "x"}}),
                 CHECKED.redefine({"spec": {"versions": [version(schema=spec_schema({
                     "a": {"type": "integer", "maximum": 10}, "b": INTEGER, "c": STRING}))]}}, compare="status"),
                 until(CHECKED.create({"metadata": {"name": "two"}, "spec": {"a": 50}}, "dryRun=All"), status=422),
                 CHECKED.patch({"spec": {"c": "y"}}), CHECKED.patch({"spec": {"a": 51}}), CHECKED.patch({"spec": {"a": 5}}))


def scaled():
    one = {"spec": {"replicas": 2, "color": "red", "on": True, "n": 7}}
    status = {"status": {"replicas": 1, "selector": "app=x", "phase": "Ready"}}
    yield script("scaled: status", SCALED.install(), SCALED.create({**one, **status}),
                 SCALED.patch(status), SCALED.patch(status, subresource="status"), SCALED.get(subresource="status"),
                 SCALED.patch({"spec": {"replicas": 9}, "status": {"phase": "Odd"}}, subresource="status"),
                 SCALED.patch({"spec": {"replicas": 3}}), SCALED.patch({"status": {"replicas": "x"}}, subresource="status"),
                 SCALED.patch({"status": {"nonsense": 1}}, subresource="status", query="fieldValidation=Strict"),
                 SCALED.patch({"metadata": {"labels": {"a": "b"}}}, subresource="status"), SCALED.get(),
                 SCALED.get(name="none", subresource="status"))
    yield script("scaled: scale", SCALED.install(), SCALED.create(one), SCALED.get(subresource="scale"),
                 SCALED.patch(status, subresource="status"), SCALED.get(subresource="scale"),
                 SCALED.patch({"spec": {"replicas": 5}}, subresource="scale"), SCALED.get(),
                 SCALED.patch({"spec": {"replicas": -1}}, subresource="scale"),
                 SCALED.patch({"spec": {"replicas": 1, "x": 2}}, subresource="scale", query="fieldValidation=Strict"),
                 put(SCALED.path(name="one", subresource="scale"), {
                     "apiVersion": "autoscaling/v1", "kind": "Scale", "metadata": {"name": "one", "namespace": "${ns}"},
                     "spec": {"replicas": 7}}), SCALED.get(name="none", subresource="scale"),
                 SCALED.patch({"spec": {"replicas": None}}), SCALED.get(subresource="scale"))
    yield script("scaled: tables", SCALED.install(), SCALED.create(one), SCALED.create({"metadata": {"name": "two"}}),
                 SCALED.list(accept=TABLE), SCALED.get(accept=TABLE), SCALED.list("includeObject=Object", accept=TABLE),
                 SCALED.list("includeObject=None", accept=TABLE),
                 SCALED.list(accept="application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io"),
                 SCALED.watch("w", "resourceVersion=0", accept=TABLE), events("w", 2))
    yield script("scaled: field selectors", SCALED.install(), SCALED.create(one),
                 SCALED.create({"metadata": {"name": "two"}, "spec": {"color": "green"}}),
                 *[SCALED.list(f"fieldSelector={selector}") for selector in (
                     "spec.color%3Dred", "spec.color!%3Dred", "spec.color%3Dred,metadata.name%3Done", "spec.on%3Dtrue", "spec.n%3D7",
                     "spec.on%3D", "spec.replicas%3D2", "status.phase%3DReady", "metadata.name%3Dtwo", "spec.color")],
                 SCALED.watch("w", "fieldSelector=spec.color%3Dred"), events("w", 1), SCALED.patch({"spec": {"color": "blue"}}), events("w", 1),
                 SCALED.patch({"spec": {"color": "red"}}, name="two"), events("w", 1), SCALED.patch({"spec": {"n": 1}}, name="two"), events("w", 1))
    yield script("scaled: discovery", SCALED.install(), until(get(f"/apis/{GROUP}"), status=200),
                 until(get(f"/apis/{GROUP}/v1"), status=200), get(f"/apis/{GROUP}/v2"),
                 until(get("/apis", accept="application/json", compare="status"), text=GROUP))
    yield script("scaled: subresources that are not there", SCALED.install(), SCALED.create(one),
                 SCALED.get(subresource="nothing"), SCALED.get(subresource="finalize"), TYPES.install(), TYPES.create({"spec": {"text": "abc"}}),
                 TYPES.get(subresource="status"), TYPES.get(subresource="scale"), TYPES.patch({}, subresource="status"),
                 SCALED.delete(name="one/status"), post(SCALED.path(name="one", subresource="status"), one))


def many():
    v1, beta, alpha = ("v1", "v1beta1", "v2alpha1")
    named = {"metadata": {"name": "${ns}-one"}}
    name = "${ns}-one"
    yield script("versions: one object in all of them", MANY.install(), MANY.create({**named, "spec": {"old": "x"}}),
                 MANY.get(name), MANY.get(name, version=beta), MANY.get(name, version=alpha), MANY.get(name, version="v0"), MANY.get(name, version="v9"),
                 MANY.list(version=beta), MANY.create({"metadata": {"name": "${ns}-two"}, "spec": {"extra": 1}}, version=alpha),
                 MANY.get("${ns}-two"), MANY.get("${ns}-two", version=alpha), MANY.create({"metadata": {"name": "${ns}-three"}, "spec": {}}, version=beta),
                 MANY.get("${ns}-three"), MANY.patch({"spec": {"size": 5}}, name, version=beta), MANY.get(name),
                 MANY.create({**named, "apiVersion": f"{GROUP}/v1"}, version=beta), MANY.delete(name, version=alpha), MANY.get(name))
    yield script("versions: watched in two", MANY.install(), MANY.watch("a", version=v1), MANY.watch("b", version=beta),
                 MANY.create({**named, "spec": {"old": "x"}}), events("a", 1), events("b", 1), MANY.delete(name), events("a", 1), events("b", 1))
    yield script("versions: discovery", MANY.install(), until(get(f"/apis/{GROUP}"), status=200), get(f"/apis/{GROUP}/v1"),
                 get(f"/apis/{GROUP}/{beta}"), get(f"/apis/{GROUP}/v0"))
    yield script("versions: scopes", MANY.install(), get(f"/apis/{GROUP}/v1/namespaces/${{ns}}/manies"),
                 post(f"/apis/{GROUP}/v1/namespaces/${{ns}}/manies", MANY.object(named)), TYPES.install(),
                 get(f"/apis/{GROUP}/v1/samples"), get(f"/apis/{GROUP}/v1/samples/one"), post(f"/apis/{GROUP}/v1/samples", TYPES.object()),
                 delete(f"/apis/{GROUP}/v1/samples"), MANY.create({"metadata": {"name": "${ns}-x", "namespace": "${ns}"}}))
    yield script("versions: the stored one changes", MANY.install(), MANY.create({**named, "spec": {"size": 3}}),
                 MANY.redefine({"spec": {"versions": [
                     version("v1", spec_schema({"size": {"type": "integer", "default": 1}, "old": STRING}), storage=False),
                     version("v1beta1", spec_schema({"size": {"type": "integer", "default": 2}}))]}}),
                 until(MANY.get(name, version=alpha, compare="status"), status=404), MANY.get(name), MANY.get(name, version=beta),
                 MANY.patch({"spec": {"size": 4}}, name, version=v1), MANY.list(version=beta))


def changes():
    yield script("schema changes: pruned and defaulted when read", W.install(),
                 W.redefine({"spec": {"versions": [version(schema=OPEN)]}}, compare="status"),
                 until(W.create({"spec": {"size": 1, "extra": {"a": 1}}}, "dryRun=All", compare="status"), status=201),
                 W.create({"spec": {"size": 1}}),
                 W.redefine({"spec": {"versions": [version(schema=spec_schema({
                     "size": INTEGER, "color": {"type": "string", "default": "red"}, "list": {"type": "array", "default": [], "items": STRING}}))]}},
                     compare="status"), until(W.get(), text="red"), W.list(), W.patch({"spec": {"size": 2}}), W.get(), W.watch("w", "resourceVersion=0"),
                 events("w", 1))
    yield script("schema changes: generation and versions", W.define(), W.established(),
                 W.redefine({"metadata": {"labels": {"a": "b"}}}),
                 W.redefine({"spec": {"versions": [version(schema=spec_schema({"a": STRING}))]}}), W.redefine({"spec": {}}),
                 get(f"{DEFINITIONS}/{W.name}"))
    yield script("a definition goes with its objects", W.install(), W.create(), W.create({"metadata": {"name": "two"}}),
                 W.undefine(), until(get(f"{DEFINITIONS}/{W.name}"), status=404), until(W.list(), status=404), W.get(), W.create(),
                 W.install(), W.list())
    yield script("a definition waits for an object's finalizer", W.install(),
                 W.create({"metadata": {"finalizers": ["example.com/wait"]}}), W.create({"metadata": {"name": "two"}}), W.undefine(),
                 until(get(f"{DEFINITIONS}/{W.name}", compare="status"), text="InstanceDeletionInProgress"),
                 until(W.get("two", compare="status"), status=404), W.list(),
                 W.create({"metadata": {"name": "three"}}),
                 W.patch({"metadata": {"finalizers": None}}, compare="status"), until(get(f"{DEFINITIONS}/{W.name}", compare="status"), status=404))
    other = Custom("widgetry", "Widget", SCHEMA, names={"singular": "widgetr", "shortNames": ["wi"]})
    short = Custom("gadgets", "Gadget", SCHEMA, names={"shortNames": ["widgets", "ga"]})
    yield script("names: two of one kind", W.install(), other.define(), until(get(f"{DEFINITIONS}/{other.name}"), text="NamesAccepted"),
                 other.list(), other.redefine({"spec": {"names": {"kind": "Widgetry", "listKind": "WidgetryList"}}}, compare="status"),
                 until(get(f"{DEFINITIONS}/{other.name}"), condition="Established"), until(other.list(), status=200))
    yield script("names: a short name that another has", W.install(), short.define(),
                 until(get(f"{DEFINITIONS}/{short.name}"), text="NamesAccepted"), short.list(), W.undefine(compare="status"),
                 until(get(f"{DEFINITIONS}/{short.name}"), condition="Established"))
    yield script("watches: the definition changes", W.install(), W.watch("w"), W.create({"spec": {"size": 1}}), events("w", 1),
                 W.redefine({"spec": {"versions": [version(schema=spec_schema({"size": INTEGER, "color": {"type": "string", "default": "red"}}))]}},
                            compare="status"), end("w"), until(W.get(), text="red"), W.watch("x", "resourceVersion=0"), events("x", 1),
                 W.patch({"spec": {"size": 2}}), events("x", 1))
    yield script("watches: the definition goes", W.install(), W.create(), W.watch("w"), events("w", 1), W.undefine(compare="status"),
                 events("w", 1), end("w"))
    yield script("watches: of definitions", watch("d", DEFINITIONS, f"fieldSelector=metadata.name%3D{W.name}"), W.define(compare="status"),
                 events("d", 3), W.redefine({"metadata": {"labels": {"a": "b"}}}, compare="status"), events("d", 1))
    yield script("definitions: lists and tables", W.install(), get(DEFINITIONS, f"fieldSelector=metadata.name%3D{W.name}"),
                 get(DEFINITIONS, f"fieldSelector=metadata.name%3D{W.name}", accept=TABLE),
                 get(f"{DEFINITIONS}/{W.name}", accept=TABLE), get(f"{DEFINITIONS}/nothing"), get(f"{DEFINITIONS}/{W.name}", accept="application/yaml"))
    yield script("definitions: twice, and deleted by hand", W.define(compare="status"), W.define(), W.established(compare="status"),
                 W.undefine(query="dryRun=All"), W.undefine(), until(get(f"{DEFINITIONS}/{W.name}", compare="status"), status=404), W.undefine())
    yield script("objects: collections", W.install(), *[W.create({"metadata": {"name": name, "labels": {"app": app}}})
                                                        for name, app in (("a", "x"), ("b", "x"), ("c", "y"))],
                 W.list("labelSelector=app%3Dx"), W.list("limit=2", capture={"next": "metadata/continue"}),
                 W.list("limit=2&continue=${next|query}"), W.list("resourceVersion=0"), delete(W.path(), "labelSelector=app%3Dx"), W.list(),
                 get(f"/apis/{GROUP}/v1/widgets"), delete(W.path(), "dryRun=All"), W.list())
    yield script("objects: finalizers, owners and preconditions", W.install(), W.create({"metadata": {"finalizers": ["example.com/a", "plain"]}}),
                 W.delete(), W.get(), W.patch({"spec": {"size": 2}}), W.patch({"metadata": {"finalizers": ["example.com/a", "example.com/b"]}}),
                 W.patch({"metadata": {"finalizers": None}}), W.get(), W.create(capture={"uid": "metadata/uid"}),
                 W.delete(body={"preconditions": {"uid": "other"}}), W.delete(body={"preconditions": {"uid": "${uid}"}}, query="propagationPolicy=Foreground"),
                 W.get())
    yield script("objects: resource versions", W.install(), W.create(capture={"rv": "metadata/resourceVersion"}),
                 W.put({"metadata": {"resourceVersion": "${rv}"}, "spec": {"size": 1}}), W.put({"metadata": {"resourceVersion": "${rv}"}, "spec": {"size": 2}}),
                 W.put({"spec": {"size": 3}}), W.put({"spec": {"size": 3}}), W.put({"metadata": {"name": "other"}}, name="none"),
                 W.patch({"metadata": {"resourceVersion": "${rv}"}, "spec": {"size": 9}}), W.patch({"spec": {"size": 1}}, name="none"),
                 W.create({"metadata": {"name": "x", "resourceVersion": "5"}}), W.create({"metadata": {"name": None, "generateName": "gen-"}}, mask={"name": "metadata/name"}))
    yield script("objects: whom they are for", W.install(), W.create(user="bob"), W.list(user="bob"), W.list(user="anonymous"),
                 get(f"/apis/{GROUP}/v1/nothing"), get(f"/apis/{GROUP}/v1/namespaces/${{ns}}/nothing/one"), W.create(query="dryRun=All"), W.get())


def scripts():
    yield from refused_names()
    yield from refused_versions()
    yield from refused_parts()
    yield from refused_conversions()
    yield from refused_schemas()
    yield from refused_defaults()
    yield from refused_updates()
    yield from types()
    yield from shapes()
    yield from checked()
    yield from scaled()
    yield from many()
    yield from changes()
