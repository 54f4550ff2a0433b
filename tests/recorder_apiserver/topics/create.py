"""Creating: each way to get it wrong, on each of the ten kinds, and the options of the verb."""

import base64
import json

from kinds import ALL, CONFIG_MAP, DEPLOYMENT, NAMESPACE, POD, SECRET, SERVICE, TEN
from scripting import PROTOBUF, get, merge, post, script


def yaml_of(kind):
    """JSON is YAML, but the type of the body shall decide how it is read: so the first line is no JSON."""
    lines = ["# a comment", f"apiVersion: {kind.api_version}", f"kind: {kind.kind}"]
    for key, value in kind.manifest().items():
        if key not in ("apiVersion", "kind"):
            lines.append(f"{key}: {json.dumps(value)}")
    return "\n".join(lines) + "\n"


def everywhere(kind):
    title, path = f"{kind.kind}: ", kind.collection
    whole = kind.manifest()
    yield script(title + "exists", kind.create(), kind.create())
    yield script(title + "generateName",
                 post(path, merge(whole, {"metadata": {"name": None, "generateName": kind.named("gen-")}}),
                      mask={"generated": "metadata/name"}),
                 kind.get(name="${generated}"))
    yield script(title + "neither name nor generateName", post(path, merge(whole, {"metadata": {"name": None}})),
                 post(path, merge(whole, {"metadata": None})))
    yield script(title + "bad names", *[post(path, merge(whole, {"metadata": {"name": name}}))
                                        for name in ("Upper", "-dash", "with space", "a/b", "..", "under_score",
                                                     "x" * 254)])
    yield script(title + "bad metadata",
                 kind.create({"metadata": {"labels": {"a b": "c"}}}), kind.create({"metadata": {"labels": {"a": "-"}}}),
                 kind.create({"metadata": {"labels": {"a": "x" * 64}}}),
                 kind.create({"metadata": {"annotations": {"a/b/c": "d"}}}),
                 kind.create({"metadata": {"finalizers": ["nodomain"]}}),
                 kind.create({"metadata": {"ownerReferences": [{"name": "x"}]}}),
                 kind.create({"metadata": {"ownerReferences": [
                     {"apiVersion": "v1", "kind": "Pod", "name": "x", "uid": "1", "controller": True},
                     {"apiVersion": "v1", "kind": "Pod", "name": "y", "uid": "2", "controller": True}]}}),
                 kind.create({"metadata": {"generateName": "Bad_"}}))
    yield script(title + "what the server decides",
                 kind.create({"metadata": {"uid": "mine", "creationTimestamp": "2020-01-01T00:00:00Z",
                                           "generation": 7, "selfLink": "/x", "deletionTimestamp":
                                           "2020-01-01T00:00:00Z", "deletionGracePeriodSeconds": 5}}))
    yield script(title + "resourceVersion in the body", kind.create({"metadata": {"resourceVersion": "5"}}))
    yield script(title + "wrong kind", post(path, merge(whole, {"kind": "Gadget"})),
                 post(path, merge(whole, {"kind": "Pod", "apiVersion": "v1"} if kind is not POD else
                                  {"kind": "ConfigMap"})))
    yield script(title + "wrong apiVersion", post(path, merge(whole, {"apiVersion": "example.com/v1"})),
                 post(path, merge(whole, {"apiVersion": "v99"})))
    yield script(title + "neither kind nor apiVersion", post(path, merge(whole, {"kind": None, "apiVersion": None})),
                 post(path, merge(whole, {"kind": None})), post(path, merge(whole, {"apiVersion": None})))
    unknown = {"bogus": 1, "spec": {"alsoBogus": True}} if "spec" in whole else {"bogus": 1}
    for validation in ("Ignore", "Warn", "Strict"):
        yield script(title + f"unknown fields, {validation}",
                     kind.create(unknown, query=f"fieldValidation={validation}"))
    duplicate = json.dumps(whole)[:-1] + ',"metadata":{"name":"second"}}'
    yield script(title + "duplicate fields", *[
        post(path, json.dumps(whole)[:-1] + ',"metadata":' + json.dumps({**whole["metadata"], "labels": {"n": str(n)}})
             + "}", f"dryRun=All&fieldValidation={validation}")
        for n, validation in enumerate(("Ignore", "Warn", "Strict"))], post(path, duplicate, "fieldValidation=Maybe"))
    yield script(title + "dry run", kind.create(query="dryRun=All"), kind.get(), kind.create(query="dryRun=Some"))
    yield script(title + "bodies that are none", post(path, ""), post(path), post(path, "{"), post(path, "null"),
                 post(path, "[]"), post(path, '"text"'), post(path, "{}"), post(path, json.dumps(whole) + "{}"),
                 post(path, '{"metadata":{"name":5}}'), post(path, '{"metadata":[]}'))
    yield script(title + "YAML", post(path, yaml_of(kind), content_type="application/yaml"),
                 post(path, "a: [", content_type="application/yaml"),
                 post(path, yaml_of(kind).replace("# a comment\n", "bogus: 1\n"), "fieldValidation=Strict",
                      content_type="application/yaml"))
    yield script(title + "content types", kind.create(content_type="text/plain"), kind.create(content_type="nonsense"),
                 kind.create(content_type="application/json; charset=utf-8"),
                 kind.create(accept="application/xml", name=kind.named("second")),
                 kind.create(accept="application/yaml", name=kind.named("third")),
                 kind.create(accept=PROTOBUF, name=kind.named("fourth")),
                 kind.create(accept="application/json;as=Table;v=v1;g=meta.k8s.io", name=kind.named("fifth")),
                 kind.create(accept="application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io",
                             name=kind.named("sixth")))
    yield script(title + "protobuf",
                 post(path, content_type=PROTOBUF, base64=base64.b64encode(b"not protobuf").decode()),
                 post(path, content_type=PROTOBUF, base64=base64.b64encode(b"k8s\0\xff\xff").decode()))
    if kind.namespaced:
        yield script(title + "namespaces",
                     post(path.replace("${ns}", "${ns}-missing"), kind.manifest()),
                     kind.create({"metadata": {"namespace": "elsewhere"}}),
                     kind.create({"metadata": {"namespace": "${ns}"}}),
                     post(f"{kind.root}/{kind.resource}", kind.manifest({"metadata": {"namespace": "${ns}"}})))
    yield script(title + "a name in the path", post(kind.item(), kind.manifest()))


def scripts():
    for kind in TEN:
        yield from everywhere(kind)
    yield from (s for s in everywhere(NAMESPACE) if "generateName" not in s.name or "neither" in s.name)
    yield script("too large", post(CONFIG_MAP.collection, CONFIG_MAP.manifest({"data": {"key": "${fill}"}}),
                                   fill=3 * 1024 * 1024 + 1000),
                 post(CONFIG_MAP.collection, CONFIG_MAP.manifest({"data": {"key": "${fill}"}}), fill=1048576 + 1))
    yield script("deep JSON", post(CONFIG_MAP.collection, '{"a":' * 5000 + "1" + "}" * 5000,
                                   "fieldValidation=Ignore"))
    yield script("labels that are no map", CONFIG_MAP.create({"metadata": {"labels": ["a"]}}),
                 CONFIG_MAP.create({"data": {"a": 5}}), CONFIG_MAP.create({"data": "x"}),
                 DEPLOYMENT.create({"spec": {"replicas": "three"}}), DEPLOYMENT.create({"spec": {"replicas": 1.5}}),
                 SECRET.create({"data": {"a": "no base64!"}}),
                 POD.create({"spec": {"containers": [{"name": "a", "resources": {"limits": {"cpu": "lots"}}}]}}),
                 POD.create({"metadata": {"creationTimestamp": "yesterday"}}),
                 SERVICE.create({"spec": {"ports": [{"port": 80, "targetPort": True}]}}))
    yield script("case of fields", CONFIG_MAP.create({"Data": {"b": "c"}}, query="fieldValidation=Strict"),
                 CONFIG_MAP.create({"DATA": {"b": "c"}}, query="fieldValidation=Warn"))
    yield script("pretty", CONFIG_MAP.create(query="pretty=true"), CONFIG_MAP.get("pretty=1"))
    yield script("field manager", CONFIG_MAP.create(query="fieldManager=me", name="a"),
                 CONFIG_MAP.create(query="fieldManager=" + "x" * 129, name="b"),
                 CONFIG_MAP.create(query="fieldManager=%00", name="c"))
    yield script("unknown query", CONFIG_MAP.create(query="nonsense=1"), CONFIG_MAP.create(query="dryRun=All&dryRun=All",
                                                                                           name="b"))
    yield script("binary data", CONFIG_MAP.create({"binaryData": {"key": "AAE="}}),
                 CONFIG_MAP.create({"binaryData": {"other": "AAE="}, "immutable": True}),
                 CONFIG_MAP.patch({"data": {"key": "changed"}}), CONFIG_MAP.patch({"immutable": False}))
    yield script("secret types", SECRET.create({"stringData": {"a": "text"}}, name="a"),
                 SECRET.create({"type": "kubernetes.io/tls"}, name="b"),
                 SECRET.create({"type": "kubernetes.io/dockerconfigjson", "data": {".dockerconfigjson": "e30="}},
                               name="c"),
                 SECRET.create({"type": "kubernetes.io/dockerconfigjson"}, name="d"),
                 SECRET.create({"type": "kubernetes.io/basic-auth"}, name="e"),
                 SECRET.create({"type": "kubernetes.io/ssh-auth"}, name="f"),
                 SECRET.create({"type": "kubernetes.io/service-account-token"}, name="g"),
                 SECRET.create({"immutable": True}, name="h"), SECRET.patch({"data": {"key": "eA=="}}, name="h"))
