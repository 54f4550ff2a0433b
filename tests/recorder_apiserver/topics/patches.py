"""Patching: three types, and each way to get it wrong."""

from kinds import CONFIG_MAP, DEPLOYMENT, NAMESPACE, NODE, POD, SERVICE, TEN
from scripting import JSON_PATCH, MERGE, PARTIAL, PROTOBUF, STRATEGIC, TABLE, patch, script


def everywhere(kind):
    title = f"{kind.kind}: "
    known = {"rv": "metadata/resourceVersion", "uid": "metadata/uid"}
    labels = {"metadata": {"labels": {"a": "1", "b": "2"}}}
    for name, content_type in (("merge", MERGE), ("strategic", STRATEGIC)):
        yield script(title + name, kind.create(capture=known), kind.patch(labels, content_type),
                     kind.patch({"metadata": {"labels": {"a": None}}}, content_type), kind.patch({}, content_type),
                     kind.patch(kind.change, content_type),
                     kind.patch({"metadata": {"resourceVersion": "${rv}", "labels": {"c": "3"}}}, content_type),
                     kind.patch({"metadata": {"uid": "wrong"}}, content_type),
                     kind.patch({"metadata": {"name": "other"}}, content_type),
                     kind.patch({"metadata": {"namespace": "elsewhere"}}, content_type),
                     kind.patch({"kind": "Gadget"}, content_type), kind.patch({"apiVersion": "v9"}, content_type),
                     kind.patch({"metadata": None}, content_type))
        yield script(title + name + ", refused", kind.create(), kind.patch("", content_type),
                     kind.patch("{", content_type), kind.patch("[]", content_type), kind.patch('"x"', content_type),
                     kind.patch("null", content_type), kind.patch({"metadata": {"labels": "x"}}, content_type),
                     kind.patch({"metadata": {"labels": {"a b": "c"}}}, content_type),
                     kind.patch(labels, content_type, query="dryRun=All"), kind.get(),
                     kind.patch(labels, content_type, query="force=true"),
                     kind.patch({"bogus": 1}, content_type, query="fieldValidation=Strict"),
                     kind.patch({"bogus": 1}, content_type, query="fieldValidation=Warn"),
                     kind.patch({"bogus": 1}, content_type), kind.patch(labels, content_type, name=kind.named("no")),
                     kind.patch(labels, content_type, accept="application/xml"))
    yield script(title + "JSON patch", kind.create(capture=known), *[kind.patch(p, JSON_PATCH) for p in (
        [{"op": "add", "path": "/metadata/labels", "value": {"a": "1"}}],
        [{"op": "test", "path": "/metadata/labels/a", "value": "1"},
         {"op": "replace", "path": "/metadata/labels/a", "value": "2"}],
        [{"op": "test", "path": "/metadata/labels/a", "value": "1"}],
        [{"op": "remove", "path": "/metadata/labels/none"}], [{"op": "remove", "path": "/nothing/here"}],
        [{"op": "copy", "from": "/metadata/labels/a", "path": "/metadata/labels/b"},
         {"op": "move", "from": "/metadata/labels/a", "path": "/metadata/labels/c"}],
        [{"op": "replace", "path": "/metadata/name", "value": "other"}],
        [{"op": "replace", "path": "/metadata/resourceVersion", "value": "1"}],
        [{"op": "add", "path": "/metadata/labels/d", "value": 5}],
        [{"op": "add", "path": "/metadata/annotations", "value": {"a": "1"}}], [])])
    yield script(title + "JSON patch, refused", kind.create(), *[kind.patch(p, JSON_PATCH) for p in (
        "", "{", "{}", "null", '"x"', '[{"op":"jump","path":"/a"}]', '[{"op":"add"}]', '[{"path":"/metadata"}]', "[5]",
        '[{"op":"add","path":"metadata","value":1}]', '[{"op":"replace","path":"/metadata/labels/x","value":"1"}]',
        '[{"op":"add","path":"","value":{}}]')],
                 kind.patch([{"op": "remove", "path": "/metadata/x"}], JSON_PATCH, name=kind.named("no")))
    yield script(title + "unknown types", kind.create(), kind.patch({}, "application/json"),
                 kind.patch({}, "text/plain"), kind.patch({}, "nonsense"), kind.patch({}, PROTOBUF),
                 kind.patch({}, MERGE + "; charset=utf-8"))
    yield script(title + "answers", kind.create(), kind.patch(labels, accept=TABLE),
                 kind.patch(labels, accept=PARTIAL), kind.patch(labels, accept=PROTOBUF),
                 kind.patch(labels, accept="application/yaml"))


def scripts():
    for kind in TEN:
        yield from everywhere(kind)
    two = {"spec": {"containers": [{"name": "main", "image": "a"}, {"name": "side", "image": "b"}]}}
    template = {"spec": {"template": two}}
    yield script("merging lists by key", DEPLOYMENT.create(template), *[DEPLOYMENT.patch(p, STRATEGIC) for p in (
        {"spec": {"template": {"spec": {"containers": [{"name": "side", "image": "c"}]}}}},
        {"spec": {"template": {"spec": {"containers": [{"name": "third", "image": "d"}]}}}},
        {"spec": {"template": {"spec": {"containers": [{"name": "side", "$patch": "delete"}]}}}},
        {"spec": {"template": {"spec": {"containers": [{"image": "nameless"}]}}}},
        {"spec": {"template": {"spec": {"containers": [{"$patch": "replace"}, {"name": "only", "image": "e"}]}}}},
        {"spec": {"template": {"spec": {"containers": [{"name": "only", "ports": [{"containerPort": 80}]}]}}}},
        {"spec": {"template": {"spec": {"containers": [{"name": "only", "ports": [{"containerPort": 81}]}]}}}},
        {"spec": {"template": {"spec": {"containers": [{"name": "only", "env": [{"name": "A", "value": "1"}]}]}}}},
        {"spec": {"template": {"spec": {"$setElementOrder/containers": [{"name": "new"}, {"name": "only"}],
                                        "containers": [{"name": "new", "image": "f"}]}}}},
        {"spec": {"template": {"spec": {"$retainKeys": ["containers"]}}}},
        {"spec": {"strategy": {"$retainKeys": ["type"], "type": "Recreate"}}},
        {"spec": {"$patch": "nonsense"}}, {"$patch": "replace", "spec": {}})])
    yield script("merging primitive lists", NODE.create({"metadata": {"finalizers": ["example.com/a"]}}),
                 NODE.patch({"metadata": {"finalizers": ["example.com/b"]}}, STRATEGIC),
                 NODE.patch({"metadata": {"$deleteFromPrimitiveList/finalizers": ["example.com/a", "example.com/b"]}},
                            STRATEGIC))
    yield script("replacing lists", DEPLOYMENT.create(template), DEPLOYMENT.patch(
        {"spec": {"template": {"spec": {"containers": [{"name": "side", "image": "c"}]}}}}))
    yield script("many operations", CONFIG_MAP.create({"data": {"n": "0"}}),
                 CONFIG_MAP.patch('[${repeat}{"op":"test","path":"/data/n","value":"0"}]', JSON_PATCH,
                                  repeat={"text": '{"op":"test","path":"/data/n","value":"0"},', "times": 10000}))
    yield script("growing copies", CONFIG_MAP.create({"data": {"n": "x" * 1000}}), CONFIG_MAP.patch(
        [{"op": "copy", "from": "/data", "path": f"/data/{n}"} for n in range(20)], JSON_PATCH))
    yield script("patches of collections", patch(CONFIG_MAP.collection, {}), patch("/api/v1/namespaces", {}))
    yield script("services keep their addresses", SERVICE.create(), SERVICE.patch({"spec": {"clusterIP": None}}),
                 SERVICE.patch({"spec": {"ports": [{"port": 81}]}}, STRATEGIC),
                 SERVICE.patch({"spec": {"type": "NodePort"}}), SERVICE.patch({"spec": {"type": "ClusterIP"}}),
                 SERVICE.patch({"spec": {"clusterIP": "None"}}))
