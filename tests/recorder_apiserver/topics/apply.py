"""Server-side apply, and who manages which fields after every kind of write."""

from custom import DEFINITIONS, Custom, spec_schema
from kinds import (ALL, CLAIM, CONFIG_MAP, CRON_JOB, DAEMON_SET, DEPLOYMENT, EVENT, JOB, LEASE, NAMESPACE, NEW_EVENT,
                   NODE, POD, REPLICA_SET, ROLE, ROLE_BINDING, SECRET, SERVICE, STATEFUL_SET)
from scripting import (APPLY, JSON_PATCH, MERGE, PARTIAL, PROTOBUF, STRATEGIC, TABLE, events, get, merge, patch, post, put,
                       request, script)

KEEP_MANAGED_FIELDS = True


def apply(kind, content, manager="one", query="", name=None, subresource="", **more):
    """`content` goes into an object that has no more than its name."""
    body = merge({"apiVersion": kind.api_version, "kind": kind.kind, "metadata": {"name": name or kind.name}}, content)
    return raw(kind, body, manager, query, name, subresource, **more)


def raw(kind, body, manager="one", query="", name=None, subresource="", **more):
    query = "&".join(part for part in (f"fieldManager={manager}" if manager else "", query) if part)
    path = kind.item(name) + ("/" + subresource if subresource else "")
    return patch(path, body, APPLY, query, **more)


def data(**entries):
    return {"data": entries}


def force(kind, content, manager="one", **more):
    return apply(kind, content, manager, "force=true", **more)


def spec(**members):
    return {"spec": members}


def container(name, **more):
    return {"name": name, "image": "busybox", **more}


def template(*containers, **more):
    return {"spec": {"selector": {"matchLabels": {"app": "web"}},
                     "template": {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": list(containers), **more}}}}


C, D, S = CONFIG_MAP, DEPLOYMENT, SERVICE


def basics():
    yield script("create by apply", apply(C, data(a="1")), C.get(), apply(C, data(a="1")), apply(C, data(a="2")),
                 apply(C, data(b="1")), apply(C, {}), C.get())
    yield script("two managers of one field", apply(C, data(a="1")), apply(C, data(a="1"), "two"),
                 apply(C, data(a="2")), apply(C, data(b="1")), apply(C, data(a="3"), "two"), C.get())
    yield script("conflict", apply(C, data(a="1")), apply(C, data(a="2"), "two"), C.get(),
                 apply(C, data(a="1", b="2"), "two"), apply(C, data(a="3", b="2"), "two"))
    yield script("conflicts", apply(C, data(a="1", b="1", c="1")), apply(C, data(a="2", b="2", d="2"), "two"),
                 apply(C, {"data": {"a": "2"}, "metadata": {"labels": {"x": "y"}}}, "two"), C.get())
    yield script("force", apply(C, data(a="1", b="1")), force(C, data(a="2"), "two"), apply(C, data(a="1", b="1")),
                 apply(C, data(b="1")), apply(C, data(), "two"), C.get())
    yield script("force without conflicts", force(C, data(a="1")), force(C, data(a="1"), "two"), C.get())
    yield script("giving up fields", apply(C, data(a="1", b="2", c="3")), apply(C, data(b="2")), apply(C, {"data": {}}),
                 apply(C, {"data": None}), C.get())
    yield script("giving up what others have", apply(C, data(a="1", b="2")), apply(C, data(b="2"), "two"),
                 apply(C, data(a="1")), apply(C, {"metadata": {"labels": {"x": "1"}}}, "two"), C.get())
    yield script("giving up everything", apply(C, data(a="1")), apply(C, {}), apply(C, data(a="1"), "two"),
                 apply(C, data(a="2")), C.get())
    yield script("labels and annotations", apply(C, {"metadata": {"labels": {"a": "1", "b": "1"}, "annotations": {"x": "y"}}}),
                 apply(C, {"metadata": {"labels": {"c": "1"}, "annotations": {"x": "y"}}}, "two"),
                 apply(C, {"metadata": {"labels": {"a": "1"}}}), apply(C, {"metadata": {}}, "two"), C.get())
    yield script("finalizers are a set", apply(C, {"metadata": {"finalizers": ["example.com/a", "example.com/b"]}}),
                 apply(C, {"metadata": {"finalizers": ["example.com/c", "example.com/a"]}}, "two"),
                 apply(C, {"metadata": {"finalizers": ["example.com/b"]}}), apply(C, {"metadata": {"finalizers": []}}),
                 apply(C, {"metadata": {"finalizers": ["example.com/a", "example.com/a"]}}), C.get(),
                 C.patch({"metadata": {"finalizers": None}}))
    owner = {"apiVersion": "v1", "kind": "ConfigMap", "name": "owner", "uid": "owner-uid"}
    yield script("owners are told by uid", apply(C, {"metadata": {"ownerReferences": [owner]}}),
                 apply(C, {"metadata": {"ownerReferences": [{**owner, "uid": "second"}]}}, "two"),
                 apply(C, {"metadata": {"ownerReferences": [{**owner, "controller": True}]}}, "two"),
                 force(C, {"metadata": {"ownerReferences": [{**owner, "controller": True}]}}, "two"),
                 apply(C, {"metadata": {}}), C.get())
    yield script("empty and null", apply(C, {"data": {}, "metadata": {"labels": {}}}), apply(C, {"data": {"a": ""}}),
                 apply(C, {"data": {"a": None}}), apply(C, {"immutable": None}), apply(C, {"binaryData": {"x": "YQ=="}}),
                 C.get())
    yield script("dry run", apply(C, data(a="1"), query="dryRun=All"), C.get(), apply(C, data(a="1")),
                 apply(C, data(a="2"), query="dryRun=All"), apply(C, data(a="2"), "two", "dryRun=All"),
                 apply(C, data(a="2"), "two", "dryRun=All&force=true"), C.get(),
                 C.create(query="dryRun=All&fieldManager=three", name="other"))
    yield script("in YAML", raw(C, "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: thing\ndata:\n  a: '1'\n  b: |\n    x\n    y\n"),
                 raw(C, "# nothing\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: thing}\ndata: {a: \"2\"}\n"),
                 C.get(accept="application/yaml"))
    yield script("other answers", apply(C, data(a="1"), accept=TABLE), apply(C, data(a="2"), accept=PARTIAL),
                 apply(C, data(a="3"), accept="application/yaml"), apply(C, data(a="4"), accept=PROTOBUF))


def errors():
    yield script("no manager", raw(C, {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "thing"}}, ""),
                 raw(C, {}, "", "force=true"), C.patch({}, query="force=true"), C.patch({}, STRATEGIC, query="force=false"),
                 raw(C, {}, "m" * 129), apply(C, data(a="1"), "m" * 128), apply(C, data(a="1"), "a%0Ab"))
    yield script("wrong kinds", *[raw(C, body) for body in (
        {}, {"kind": "ConfigMap"}, {"apiVersion": "v1"}, {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "thing"}},
        {"apiVersion": "v2", "kind": "ConfigMap", "metadata": {"name": "thing"}},
        {"apiVersion": "apps/v1", "kind": "ConfigMap", "metadata": {"name": "thing"}},
        {"apiVersion": "a/b/c", "kind": "ConfigMap", "metadata": {"name": "thing"}})])
    yield script("no documents", *[raw(C, body) for body in ("", "[]", "5", '"x"', "null", "---")])
    yield script("wrong names", apply(C, {"metadata": {"name": "other"}}), apply(C, {"metadata": {"name": None}}),
                 apply(C, {"metadata": {"name": None, "generateName": "x-"}}), apply(C, {"metadata": {"namespace": "elsewhere"}}),
                 apply(C, {"metadata": {"namespace": "${ns}"}}), apply(C, {"metadata": {"name": "other"}}),
                 apply(C, {}, name="Bad_Name"))
    yield script("fields that are not there", apply(C, {"foo": 1}), apply(C, {"metadata": {"foo": 1}}),
                 apply(D, {"spec": {"foo": {"bar": 1}}}), apply(D, merge(template(container("a", foo="x")), {})),
                 apply(C, {"foo": 1}, query="fieldValidation=Ignore"), apply(C, {"foo": 1}, query="fieldValidation=Strict"))
    for title, content in (
            ("string", data(a=1)), ("string from bool", data(a=True)), ("string from list", data(a=["x", 1])),
            ("string from object", data(a={"b": "c"})), ("object", {"data": "x"}), ("object from list", {"data": [1]}),
            ("object from number", {"metadata": {"labels": 5}}), ("boolean", {"immutable": "x"}),
            ("boolean from number", {"immutable": 1}), ("list", {"metadata": {"finalizers": "x"}}),
            ("list from object", {"metadata": {"finalizers": {"a": "b"}}})):
        yield script("wrong types: " + title, apply(C, content))
    yield script("wrong types: numbers", apply(D, spec(replicas="x")), apply(D, spec(replicas=True)),
                 apply(D, spec(replicas={})), apply(D, spec(replicas=[])), apply(D, spec(replicas=1.5)))
    yield script("wrong types: text with a form", apply(CLAIM, spec(resources={"requests": {"storage": [1]}})),
                 apply(CLAIM, spec(resources={"requests": {"storage": {"a": 1}}})))
    yield script("wrong elements", apply(C, {"metadata": {"finalizers": [None]}}), apply(C, {"metadata": {"finalizers": [{}]}}),
                 apply(C, {"metadata": {"finalizers": [["a"]]}}), apply(C, {"metadata": {"finalizers": [5]}}),
                 apply(D, template(None)), apply(D, template("x")), apply(D, template([])),
                 apply(D, template({"image": "busybox"})), apply(D, template({})),
                 apply(S, spec(ports=[{"name": "a"}])), apply(S, spec(ports=[{"port": 80}, {"port": 80, "protocol": "TCP"}])),
                 apply(D, template(container("a"), container("a"))),
                 apply(ALL["ServiceAccount"], {"secrets": [{"namespace": "x"}]}))
    yield script("managedFields in the document", apply(C, {"metadata": {"managedFields": []}}),
                 apply(C, {"metadata": {"managedFields": [{}]}}), apply(C, {"metadata": {"managedFields": None}}),
                 apply(C, {"metadata": {"managedFields": "x"}}))
    yield script("what the rules refuse", apply(C, data(**{"no/slash": "x"})), apply(C, {"metadata": {"labels": {"a b": "c"}}}),
                 apply(D, spec(replicas=-1)), apply(D, template(container("a"))), apply(D, spec(replicas=-1)),
                 force(D, {"spec": {"selector": {"matchLabels": {"tier": "x"}}, "template": {"metadata": {"labels": {"tier": "x"}}}}}),
                 D.get())
    yield script("fields twice", raw(C, '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"thing"},"data":{"a":"1"},"data":{"a":"2"}}'),
                 raw(C, '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"thing"},"data":{"a":"1","a":"2"}}',
                     query="fieldValidation=Ignore"), C.get())
    yield script("versions as preconditions", apply(C, {"metadata": {"resourceVersion": "1"}}),
                 apply(C, data(a="1"), capture={"rv": "metadata/resourceVersion", "uid": "metadata/uid"}),
                 apply(C, {**data(a="2"), "metadata": {"resourceVersion": "${rv}"}}),
                 apply(C, {**data(a="3"), "metadata": {"resourceVersion": "${rv}"}}),
                 apply(C, {**data(a="3"), "metadata": {"resourceVersion": "x"}}),
                 apply(C, {**data(a="3"), "metadata": {"resourceVersion": "0"}}),
                 apply(C, {**data(a="4"), "metadata": {"uid": "${uid}"}}), apply(C, {**data(a="5"), "metadata": {"uid": "other"}}),
                 apply(C, {"metadata": {"uid": "other"}}, name="absent"), C.get())
    yield script("other media types", patch(C.item(), "{}", "application/apply-patch+cbor", "fieldManager=one"),
                 patch(C.item(), "{}", "application/apply-patch+json", "fieldManager=one"),
                 patch(C.item(), '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"thing"}}', APPLY + "; charset=utf-8",
                       "fieldManager=one"), request("POST", C.collection, "{}", content_type=APPLY),
                 request("PUT", C.item(), "{}", content_type=APPLY))
    yield script("no namespace", patch("/api/v1/namespaces/none-${ns}/configmaps/x",
                                       {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "x"}}, APPLY, "fieldManager=one"))
    yield script("not allowed", apply(C, data(a="1"), user="bob"), apply(C, data(a="1"), user="anonymous"))


def lists():
    yield script("containers by name", apply(D, template(container("a"), container("b"))),
                 apply(D, template(container("c"), container("a", env=[{"name": "X", "value": "1"}])), "two"),
                 apply(D, template(container("b"))), apply(D, template(container("b"), container("c")), "two"), D.get())
    yield script("order of elements", apply(D, template(container("a"), container("b"), container("c"))),
                 apply(D, template(container("c"), container("b"), container("a"))),
                 apply(D, template(container("b"), container("x"), container("a"))),
                 apply(D, template(container("y"), container("c"), container("b")), "two"), D.get())
    ports = lambda *numbers: template(container("a", ports=[{"containerPort": n} for n in numbers]))
    yield script("ports by number and protocol", apply(D, ports(80, 81)),
                 apply(D, template(container("a", ports=[{"containerPort": 80, "protocol": "UDP"}])), "two"),
                 apply(D, template(container("a", ports=[{"containerPort": 80, "protocol": "TCP", "name": "http"}])), "two"),
                 apply(D, ports(81)), D.get())
    yield script("ports of a Service", apply(S, spec(selector={"app": "web"}, ports=[{"port": 80, "name": "a"}, {"port": 443, "name": "b"}])),
                 apply(S, spec(ports=[{"port": 80, "name": "c"}]), "two"), apply(S, spec(ports=[{"port": 8080, "name": "d"}]), "two"),
                 apply(S, spec(selector={"app": "web"}, ports=[{"port": 443, "name": "b"}])), S.get())
    yield script("environment and mounts", apply(D, template(container("a", env=[{"name": "X", "value": "1"}, {"name": "Y", "value": "2"}],
                                                                       volumeMounts=[{"name": "v", "mountPath": "/v"}]),
                                                             volumes=[{"name": "v", "emptyDir": {}}])),
                 apply(D, template(container("a", env=[{"name": "X", "value": "2"}])), "two"),
                 force(D, template(container("a", env=[{"name": "X", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}}])), "two"),
                 D.get())
    yield script("atomic lists", apply(D, template(container("a", args=["x", "y"], command=["c"]))),
                 apply(D, template(container("a", args=["x"])), "two"), force(D, template(container("a", args=["z"])), "two"),
                 apply(D, template(container("a", command=["c"]))), D.get())
    yield script("atomic structs and maps", apply(D, template(container("a"), nodeSelector={"x": "y"}, tolerations=[{"key": "k", "operator": "Exists"}])),
                 apply(D, template(container("a"), nodeSelector={"z": "y"}), "two"),
                 apply(D, {"spec": {"template": {"spec": {"nodeSelector": {"x": "y"}}}}}, "two"), D.get())
    yield script("a struct of one of its kind", apply(D, template(container("a"), volumes=[{"name": "v", "emptyDir": {}}])),
                 apply(D, template(container("a"), volumes=[{"name": "v", "configMap": {"name": "c"}}])),
                 D.get())
    yield script("image pull secrets", apply(D, template(container("a"), imagePullSecrets=[{"name": "s"}, {"name": "t"}])),
                 apply(D, template(container("a"), imagePullSecrets=[{"name": "t"}, {"name": "u"}]), "two"),
                 apply(D, template(container("a"))), D.get())
    yield script("topology and host aliases", apply(D, template(container("a"), hostAliases=[{"ip": "1.2.3.4", "hostnames": ["h"]}],
                 topologySpreadConstraints=[{"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule",
                                             "labelSelector": {"matchLabels": {"a": "b"}}}])),
                 apply(D, template(container("a"), hostAliases=[{"ip": "1.2.3.5", "hostnames": ["h"]}]), "two"), D.get())
    yield script("resources", apply(D, template(container("a", resources={"limits": {"cpu": "1", "memory": "1Gi"}}))),
                 apply(D, template(container("a", resources={"limits": {"cpu": "1000m"}})), "two"),
                 apply(D, template(container("a", resources={"requests": {"cpu": "500m"}})), "two"), D.get())
    yield script("a list with an element twice", D.create(template(container("a", env=[{"name": "X", "value": "1"}, {"name": "X", "value": "2"}]))),
                 apply(D, template(container("a", env=[{"name": "X", "value": "3"}])), "two"),
                 force(D, template(container("a", env=[{"name": "X", "value": "3"}])), "two"),
                 D.put(template(container("a", env=[{"name": "X", "value": "1"}, {"name": "X", "value": "4"}])), "fieldManager=three"),
                 D.get())
    yield script("rules are atomic", apply(ROLE, ROLE.body), apply(ROLE, ROLE.change, "two"), force(ROLE, ROLE.change, "two"), ROLE.get())
    yield script("subjects and a reference", apply(ROLE_BINDING, ROLE_BINDING.body), apply(ROLE_BINDING, {"subjects": []}, "two"),
                 apply(ROLE_BINDING, ROLE_BINDING.body, "two"), ROLE_BINDING.get())
    yield script("access modes", apply(CLAIM, CLAIM.body), apply(CLAIM, {"metadata": {"labels": {"a": "b"}}}, "two"), CLAIM.get())


def numbers():
    yield script("replicas of two", apply(D, merge(template(container("a")), spec(replicas=2))),
                 apply(D, spec(replicas=3), "two"), force(D, spec(replicas=3), "two"),
                 apply(D, template(container("a"))), apply(D, merge(template(container("a")), spec(replicas=2))),
                 apply(D, {}, "two"), D.get())
    yield script("defaults belong to nobody", apply(D, template(container("a"))), apply(D, spec(replicas=5), "two"),
                 apply(D, spec(minReadySeconds=3), "two"), D.get())
    yield script("normalised values", apply(CLAIM, {"spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1024Mi"}}}}),
                 apply(CLAIM, {"spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1024Mi"}}}}),
                 apply(CLAIM, {"spec": {"resources": {"requests": {"storage": "1Gi"}}}}, "two"), CLAIM.get())
    yield script("int or string", apply(D, merge(template(container("a")), spec(strategy={"rollingUpdate": {"maxSurge": 1}}))),
                 apply(D, spec(strategy={"rollingUpdate": {"maxSurge": "25%"}}), "two"),
                 force(D, spec(strategy={"rollingUpdate": {"maxSurge": "25%"}}), "two"), D.get())


def writers():
    for kind in (POD, C, SECRET, S, D, STATEFUL_SET, DAEMON_SET, REPLICA_SET, JOB, CRON_JOB, LEASE, ROLE, ROLE_BINDING, CLAIM,
                 EVENT, NEW_EVENT, NODE, NAMESPACE, ALL["Ingress"], ALL["NetworkPolicy"], ALL["HorizontalPodAutoscaler"],
                 ALL["PodDisruptionBudget"], ALL["EndpointSlice"], ALL["StorageClass"], ALL["ServiceAccount"]):
        name = kind.kind + " of " + kind.api_version
        change = kind.change or {"metadata": {"labels": {"a": "b"}}}
        yield script(f"managers of a {name}", kind.create(query="fieldManager=creator"), kind.patch(change, query="fieldManager=patcher"),
                     kind.patch({"metadata": {"annotations": {"x": "y"}}}, query="fieldManager=patcher"),
                     apply(kind, {"metadata": {"annotations": {"x": "z"}}}, "applier"),
                     apply(kind, {"metadata": {"annotations": {"p": "q"}, "labels": {"l": "m"}}}, "applier"), kind.get())
    yield script("create, update, patch", C.create(query="fieldManager=one"), C.put(data(key="2", more="x"), "fieldManager=two"),
                 C.patch(data(third="3"), query="fieldManager=three"), C.patch(data(third="4"), STRATEGIC, query="fieldManager=three"),
                 C.patch([{"op": "add", "path": "/data/fourth", "value": "4"}], JSON_PATCH, query="fieldManager=four"),
                 C.patch({"data": None}, query="fieldManager=five"), C.get())
    yield script("no changes", C.create(query="fieldManager=one"), C.put(query="fieldManager=two"), C.patch({}, query="fieldManager=three"),
                 apply(C, C.body, "four"), apply(C, C.body, "four"), C.get())
    yield script("names from the user agent", C.create(headers={"User-Agent": "kubectl/v1.36 (linux) x/y"}),
                 C.patch(data(a="1"), headers={"User-Agent": "x" * 140}), C.patch(data(b="1"), headers={"User-Agent": ""}),
                 C.patch(data(c="1"), headers={"User-Agent": "no slash at all"}), C.patch(data(d="1"), headers={"User-Agent": "/x"}), C.get())
    yield script("manager and user agent", C.create(query="fieldManager=named", headers={"User-Agent": "kubectl/v1"}),
                 C.patch(data(a="1"), query="fieldManager=", headers={"User-Agent": "kubectl/v1"}), C.get())
    yield script("an update takes over", apply(C, data(a="1", b="1")), C.patch(data(a="2"), query="fieldManager=two"),
                 apply(C, data(a="1", b="1")), apply(C, data(a="2", b="1")), C.patch({"data": {"b": None}}, query="fieldManager=two"),
                 apply(C, data(a="2")), C.get())
    yield script("an update conflicts", C.create(query="fieldManager=creator"), apply(C, data(key="other"), "two"),
                 force(C, data(key="other"), "two"), C.put(query="fieldManager=creator"), apply(C, data(key="third"), "two"), C.get())
    yield script("many updaters", C.create(query="fieldManager=m00"),
                 *[C.patch({"data": {f"k{i:02}": "x"}}, query=f"fieldManager=m{i:02}") for i in range(1, 14)],
                 apply(C, data(k01="y"), "one"), C.get())
    yield script("put with and without managedFields", C.create(query="fieldManager=one"),
                 C.put({"metadata": {"managedFields": [{"manager": "mine", "operation": "Update", "apiVersion": "v1", "fieldsType": "FieldsV1",
                                                        "fieldsV1": {"f:data": {"f:key": {}}}}]}}, "fieldManager=two"),
                 C.put(query="fieldManager=two"), C.get())
    entry = {"manager": "mine", "operation": "Apply", "apiVersion": "v1", "time": "2020-01-02T03:04:05Z", "fieldsType": "FieldsV1",
             "fieldsV1": {"f:data": {"f:b": {}, "f:a": {}, "f:key": {}}}}
    patched = lambda *entries: C.patch({"metadata": {"managedFields": list(entries)}}, query="fieldManager=patcher")
    yield script("managedFields by patch", C.create(query="fieldManager=one"), patched(entry), apply(C, data(key="2"), "two"),
                 apply(C, {}, "mine"), C.get())
    yield script("managedFields that cannot be used", C.create(query="fieldManager=one"), patched({**entry, "operation": "Delete"}),
                 patched({**entry, "operation": ""}), patched({**entry, "apiVersion": ""}), patched({**entry, "fieldsType": "FieldsV9"}),
                 patched({**entry, "fieldsType": ""}), patched({**entry, "fieldsV1": {"x": {}}}), patched({**entry, "fieldsV1": {"x:y": {}}}),
                 patched({**entry, "manager": ""}), patched({**entry, "manager": "m" * 129}), patched({**entry, "subresource": "status"}),
                 patched({**entry, "apiVersion": "v9"}), patched(entry, entry), C.get())
    yield script("resetting by an empty entry", C.create(query="fieldManager=one"), patched({}), C.get(),
                 C.patch(data(a="1"), query="fieldManager=two"), apply(C, data(a="1", key="x"), "three"),
                 force(C, data(a="1", key="x"), "three"), C.get())
    yield script("resetting by an empty list", apply(C, data(a="1")), C.patch({"metadata": {"managedFields": []}}), C.get(), apply(C, data(a="2")),
                 C.get())
    yield script("resetting by JSON patch", apply(C, data(a="1")), C.patch([{"op": "replace", "path": "/metadata/managedFields", "value": [{}]}], JSON_PATCH),
                 apply(C, data(b="2")), C.patch([{"op": "remove", "path": "/metadata/managedFields"}], JSON_PATCH), C.get())
    yield script("resetting by update", apply(C, data(a="1")), C.put({"metadata": {"managedFields": [{}]}}), C.get(),
                 C.put({"metadata": {"managedFields": []}}), C.get())
    yield script("managedFields on create", C.create({"metadata": {"managedFields": [entry]}}, query="fieldManager=one"),
                 C.create({"metadata": {"managedFields": [{}]}}, query="fieldManager=one", name="second"),
                 C.create({"metadata": {"managedFields": [{"manager": "x"}]}}, query="fieldManager=one", name="third"))
    yield script("generated names", post(C.collection, {"metadata": {"generateName": "x-"}, "data": {"a": "b"}}, "fieldManager=one",
                                         mask={"name": "metadata/name"}))
    yield script("in watches and lists", C.watch("w"), apply(C, data(a="1")), C.patch(data(b="1"), query="fieldManager=two"),
                 events("w", 2), C.list(), C.list(accept=PARTIAL.replace("Metadata;", "MetadataList;")))
    yield script("deletion keeps them", apply(C, {"metadata": {"finalizers": ["example.com/a"]}}), C.delete(),
                 apply(C, data(a="1")), apply(C, {"metadata": {"finalizers": []}}, "two"), apply(C, {}), C.get())


def subresources():
    status = {"status": {"replicas": 2, "observedGeneration": 1}}
    yield script("status by apply", apply(D, template(container("a"))), apply(D, status, "two", subresource="status"),
                 apply(D, merge(spec(replicas=7), {"status": {"replicas": 3}}), "two", subresource="status"),
                 apply(D, merge(template(container("a")), status)), apply(D, {"status": {"replicas": 4}}, "three", subresource="status"),
                 force(D, {"status": {"replicas": 4}}, "three", subresource="status"), D.get())
    yield script("status of nothing", apply(D, status, subresource="status"), apply(C, {}, subresource="status"))
    yield script("status by update and patch", D.create(query="fieldManager=one"),
                 put(D.item() + "/status", D.manifest(merge(status, spec(replicas=9))), "fieldManager=two"),
                 patch(D.item() + "/status", {"status": {"replicas": 5}, "metadata": {"labels": {"a": "b"}, "annotations": {"a": "b"}}}, MERGE, "fieldManager=three"),
                 D.patch({"status": {"replicas": 8}}, query="fieldManager=four"), D.get())
    condition = {"type": "Ready", "status": "True"}
    yield script("conditions by type", POD.create(query="fieldManager=one"),
                 apply(POD, {"status": {"conditions": [condition]}}, "two", subresource="status"),
                 apply(POD, {"status": {"conditions": [{"type": "Initialized", "status": "True"}]}}, "three", subresource="status"),
                 apply(POD, {"status": {"conditions": [{**condition, "status": "False"}]}}, "three", subresource="status"),
                 apply(POD, {"status": {"phase": "Running", "podIPs": [{"ip": "10.1.2.3"}]}}, "two", subresource="status"),
                 apply(POD, {"metadata": {"labels": {"a": "b"}}, "spec": {"activeDeadlineSeconds": 5}}, "two", subresource="status"), POD.get())
    yield script("status of a node", NODE.create(NODE.status, query="fieldManager=one"),
                 apply(NODE, {"status": {"addresses": [{"type": "Hostname", "address": "h"}], "conditions": [condition]}}, "two", subresource="status"),
                 patch(NODE.item() + "/status", {"status": {"capacity": {"cpu": "8"}}}, STRATEGIC, "fieldManager=three"), NODE.get())
    scale = lambda replicas: {"apiVersion": "autoscaling/v1", "kind": "Scale", "metadata": {"name": "thing"}, "spec": {"replicas": replicas}}
    yield script("scale by apply", apply(D, merge(template(container("a")), spec(replicas=2))), get(D.item() + "/scale"),
                 raw(D, scale(2), "two", subresource="scale"), raw(D, scale(3), "two", subresource="scale"),
                 raw(D, scale(3), "two", "force=true", subresource="scale"), D.get(), get(D.item() + "/scale"),
                 apply(D, template(container("a"))), raw(D, scale(4), "two", subresource="scale"),
                 raw(D, {**scale(4), "spec": {}}, "two", subresource="scale"), D.get())
    yield script("scale by update and patch", D.create(spec(replicas=2), query="fieldManager=one"),
                 put(D.item() + "/scale", scale(3), "fieldManager=two"), patch(D.item() + "/scale", spec(replicas=4), MERGE, "fieldManager=three"),
                 patch(D.item() + "/scale", spec(replicas=4), MERGE, "fieldManager=four"), D.patch(spec(replicas=5), query="fieldManager=one"), D.get())
    yield script("scale of an applied one", apply(D, merge(template(container("a")), spec(replicas=2))),
                 patch(D.item() + "/scale", spec(replicas=4), MERGE, "fieldManager=hpa"), apply(D, merge(template(container("a")), spec(replicas=2))),
                 apply(D, template(container("a"))), D.get())
    yield script("scale refused", apply(D, template(container("a"))), raw(D, D.manifest(), subresource="scale"),
                 raw(D, scale(-1), subresource="scale"), raw(D, {**scale(1), "spec": {"x": 1}}, subresource="scale"),
                 raw(D, scale(1), name="absent", subresource="scale"), raw(D, {**scale(1), "metadata": {"name": "other"}}, subresource="scale"))
    yield script("scale of others", *[step for kind in (STATEFUL_SET, REPLICA_SET, ALL["ReplicationController"]) for step in (
        kind.create(spec(replicas=2), query="fieldManager=one"), patch(kind.item() + "/scale", spec(replicas=4), MERGE, "fieldManager=two"), kind.get())])
    yield script("ephemeral containers", POD.create(query="fieldManager=one"),
                 patch(POD.item() + "/ephemeralcontainers", spec(ephemeralContainers=[container("e")]), STRATEGIC, "fieldManager=two"), POD.get())
    yield script("resize", POD.create(spec(containers=[container("main", resources={"limits": {"cpu": "1"}})]), query="fieldManager=one"),
                 patch(POD.item() + "/resize", spec(containers=[{"name": "main", "resources": {"limits": {"cpu": "2"}}}]), STRATEGIC, "fieldManager=two"),
                 POD.get())
    yield script("binding", POD.create(query="fieldManager=one"),
                 post(POD.item() + "/binding", {"target": {"name": "n"}, "metadata": {"name": "thing"}}, "fieldManager=two"), POD.get())
    yield script("finalizing a namespace", NAMESPACE.create(query="fieldManager=one"),
                 apply(NAMESPACE, {"metadata": {"labels": {"a": "b"}}}, "two"), NAMESPACE.get())
    yield script("metadata in a status", CRON_JOB.create(query="fieldManager=one"),
                 apply(CRON_JOB, {"metadata": {"labels": {"a": "b"}}, "status": CRON_JOB.status["status"]}, "two", subresource="status"), CRON_JOB.get())


LAST = "kubectl.kubernetes.io/last-applied-configuration"


def migration():
    last = '{"apiVersion":"v1","data":{"key":"value","old":"x"},"kind":"ConfigMap","metadata":{"annotations":{},"name":"thing"}}\n'
    mine = {"metadata": {"annotations": {LAST: last}}, "data": {"old": "x"}}
    agent = {"User-Agent": "kubectl/v1.36"}
    client_side = lambda content=mine: C.create(content, query="fieldManager=kubectl-client-side-apply", headers=agent)
    yield script("from client-side apply", client_side(), apply(C, data(key="new"), "kubectl"), apply(C, data(key="newer"), "kubectl"), C.get())
    yield script("from client-side apply, by another", client_side(), apply(C, data(key="new"), "other"), C.get())
    yield script("from client-side apply, changed meanwhile", client_side(), C.patch(data(key="changed"), query="fieldManager=editor"),
                 apply(C, data(key="new", old="y"), "kubectl"), apply(C, data(old="y"), "kubectl"), C.get())
    yield script("last applied is kept up to date", client_side(), apply(C, {"data": {"key": "value"}, "metadata": {"labels": {"a": "b"}}}, "kubectl"),
                 apply(C, {"data": {"key": "value"}, "metadata": {"labels": {"a": "b"}}}, "kubectl"), C.get())
    yield script("last applied of another version", client_side({"metadata": {"annotations": {LAST: last.replace('"v1"', '"v2"')}}}),
                 apply(C, data(key="new"), "kubectl"), C.get())
    yield script("last applied that is nonsense", client_side({"metadata": {"annotations": {LAST: "nonsense"}}}),
                 apply(C, data(key="new"), "kubectl"), apply(C, data(key="value"), "kubectl"), C.get())
    yield script("last applied inside the document", client_side(), apply(C, {"metadata": {"annotations": {LAST: "x"}}, "data": {"key": "value"}}, "kubectl"),
                 force(C, {"metadata": {"annotations": {LAST: "x"}}, "data": {"key": "value"}}, "kubectl"), C.get())
    yield script("before the first apply", C.create(query="fieldManager=one"), C.patch({"metadata": {"managedFields": [{}]}}),
                 apply(C, data(key="value")), apply(C, data(key="other")), C.get())
    yield script("before the first apply, conflicting", C.create(query="fieldManager=one"), C.patch({"metadata": {"managedFields": [{}]}}),
                 apply(C, data(key="other")), force(C, data(key="other")), C.get())
    deployment = D.manifest(spec(replicas=1))
    text = '{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"annotations":{},"name":"thing"},"spec":{"replicas":1}}\n'
    yield script("a Deployment from client-side apply", post(D.collection, merge(deployment, {"metadata": {"annotations": {LAST: text}}}),
                                                             "fieldManager=kubectl-client-side-apply"),
                 apply(D, spec(replicas=2), "kubectl"), apply(D, template(container("main")), "kubectl"), D.get())


def versions():
    new = ALL["HorizontalPodAutoscaler"]
    old_path = new.item().replace(new.api_version, "autoscaling/v1")
    old = {"apiVersion": "autoscaling/v1", "kind": "HorizontalPodAutoscaler", "metadata": {"name": new.name},
           "spec": {"scaleTargetRef": {"kind": "Deployment", "name": "d", "apiVersion": "apps/v1"}, "maxReplicas": 5}}
    cpu = lambda percent: {"metrics": [{"type": "Resource", "resource": {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": percent}}}]}
    target = {"scaleTargetRef": {"kind": "Deployment", "name": "d", "apiVersion": "apps/v1"}, "maxReplicas": 5}
    yield script("an autoscaler in two versions", patch(old_path, merge(old, spec(targetCPUUtilizationPercentage=50)), APPLY, "fieldManager=one"),
                 new.get(), apply(new, {"spec": {**target, **cpu(50)}}, "one"), get(old_path),
                 apply(new, {"spec": {**target, "maxReplicas": 6}}, "two"), patch(old_path, merge(old, spec(maxReplicas=7)), APPLY, "fieldManager=one"),
                 new.get())
    yield script("an autoscaler, updated in another version", apply(new, {"spec": {**target, "minReplicas": 2}}, "one"),
                 patch(old_path, spec(maxReplicas=6), MERGE, "fieldManager=two"), patch(old_path, spec(minReplicas=3), MERGE, "fieldManager=two"),
                 apply(new, {"spec": {**target, "minReplicas": 2}}, "one"), new.get())


STRING, INTEGER = {"type": "string"}, {"type": "integer"}
ELEMENT = {"type": "object", "required": ["name"], "properties": {
    "name": STRING, "protocol": {"type": "string", "default": "TCP"}, "value": INTEGER, "more": {"type": "object", "properties": {"a": STRING}}}}
SCHEMA = spec_schema({
    "size": INTEGER, "color": {"type": "string", "default": "red"}, "on": {"type": "boolean"}, "ratio": {"type": "number"},
    "either": {"x-kubernetes-int-or-string": True}, "when": {"type": "string", "format": "date-time"},
    "keyed": {"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name", "protocol"], "items": ELEMENT},
    "set": {"type": "array", "x-kubernetes-list-type": "set", "items": STRING}, "plain": {"type": "array", "items": STRING},
    "atomic": {"type": "array", "x-kubernetes-list-type": "atomic", "items": ELEMENT},
    "labels": {"type": "object", "additionalProperties": STRING},
    "whole": {"type": "object", "x-kubernetes-map-type": "atomic", "properties": {"a": STRING, "b": STRING}},
    "wholeMap": {"type": "object", "x-kubernetes-map-type": "atomic", "additionalProperties": STRING},
    "open": {"type": "object", "x-kubernetes-preserve-unknown-fields": True, "properties": {"known": STRING}},
    "anything": {"x-kubernetes-preserve-unknown-fields": True},
    "embedded": {"type": "object", "x-kubernetes-embedded-resource": True, "x-kubernetes-preserve-unknown-fields": True}})
SCHEMA["properties"]["status"] = {"type": "object", "properties": {"ready": {"type": "boolean"}, "replicas": INTEGER, "conditions": {
    "type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["type"],
    "items": {"type": "object", "required": ["type"], "properties": {"type": STRING, "status": STRING}}}}}
SUBRESOURCES = {"status": {}, "scale": {"specReplicasPath": ".spec.size", "statusReplicasPath": ".status.replicas"}}
W = Custom("widgets", "Widget", SCHEMA, subresources=SUBRESOURCES)


def one(content, manager="one", query="", version=None, subresource=None, of=W, **more):
    """A widget by apply."""
    query = "&".join(part for part in (f"fieldManager={manager}", query) if part)
    return patch(of.path(version, "one", subresource), of.object(content, version), APPLY, query, **more)


def custom():
    shown = get(W.path(None, "one"))
    yield script("custom: create by apply", W.install(), one(spec(size=1)), shown, one(spec(size=1)), one(spec(size=2)), one(spec(on=True)),
                 one({}), shown)
    yield script("custom: two managers", W.install(), one(spec(size=1, labels={"a": "b"})), one(spec(size=2), "two"),
                 one(spec(size=1, labels={"c": "d"}), "two"), one(spec(labels={"a": "b"})), one(spec(size=2), "two", "force=true"), shown)
    yield script("custom: defaults", W.install(), one(spec(size=1)), one(spec(color="blue"), "two"), one(spec(), "two"), shown)
    yield script("custom: keyed lists", W.install(), one(spec(keyed=[{"name": "a", "value": 1}, {"name": "b"}])),
                 one(spec(keyed=[{"name": "a", "protocol": "UDP"}, {"name": "a", "more": {"a": "x"}}]), "two"),
                 one(spec(keyed=[{"name": "a", "protocol": "TCP", "value": 2}]), "two"), one(spec(keyed=[{"name": "b"}])),
                 one(spec(keyed=[{"name": "b"}, {"name": "b", "protocol": "TCP"}])), one(spec(keyed=[{"value": 1}])), shown)
    yield script("custom: sets and other lists", W.install(), one(spec(set=["a", "b"], plain=["x"], atomic=[{"name": "a"}])),
                 one(spec(set=["c", "a"]), "two"), one(spec(plain=["y"]), "two"), one(spec(atomic=[{"name": "b"}]), "two"),
                 one(spec(set=["b"], plain=["x"])), one(spec(set=["b", "b"])), shown)
    yield script("custom: atomic objects", W.install(), one(spec(whole={"a": "1", "b": "2"}, wholeMap={"x": "y"})),
                 one(spec(whole={"a": "1"}), "two"), one(spec(wholeMap={"x": "y", "z": "1"}), "two", "force=true"), shown)
    yield script("custom: what the schema does not know", W.install(), one(spec(nothing=1)), one({"other": 1}),
                 one(spec(open={"x": {"y": [1, {"z": 2}]}, "known": "k"}, anything={"a": [1], "b": {"c": 1}})),
                 one(spec(open={"x": {"w": 1}}), "two"), one(spec(open={"x": {"y": []}}), "two"), one(spec(anything=5), "two"),
                 one(spec(anything=5), "two", "force=true"), shown)
    yield script("custom: embedded objects", W.install(), one(spec(embedded={"apiVersion": "v1", "kind": "X", "metadata": {"labels": {"a": "b"}}, "data": {"x": 1}})),
                 one(spec(embedded={"apiVersion": "v1", "kind": "X", "metadata": {"labels": {"c": "b"}}, "data": {"y": 1}}), "two"), shown)
    for name, content in (("size", "x"), ("color", 5), ("on", "x"), ("ratio", "x"), ("either", {"a": 1}), ("keyed", {"a": 1}), ("labels", [1]),
                          ("set", [{"a": 1}]), ("keyed", ["x"])):
        yield script(f"custom: wrong type of {name}, {type(content).__name__}", W.install(), one({"spec": {name: content}}))
    yield script("custom: numbers", W.install(), one(spec(ratio=1.5, size=3, either="x")), one(spec(ratio=2, either=5), "two"),
                 one(spec(ratio=2.5, either=5), "two", "force=true"), shown)
    yield script("custom: what the schema refuses", W.install(), one(spec(when="nonsense")), one(spec(size=1.5)), one(spec(keyed=[{"name": "a", "value": "x"}])))
    yield script("custom: update and patch", W.install(), W.create(spec(size=1, set=["a"]), "fieldManager=creator"),
                 patch(W.path(None, "one"), spec(size=2, labels={"a": "b"}), MERGE, "fieldManager=patcher"), one(spec(size=2), "two"),
                 patch(W.path(None, "one"), [{"op": "add", "path": "/spec/set/-", "value": "b"}], JSON_PATCH, "fieldManager=third"), shown)
    yield script("custom: status", W.install(), one(spec(size=1)), one({"status": {"ready": True, "conditions": [{"type": "A", "status": "True"}]}}, "two", subresource="status"),
                 one({"spec": {"size": 5}, "status": {"ready": False}, "metadata": {"labels": {"a": "b"}}}, "three", subresource="status"),
                 one({"status": {"conditions": [{"type": "B", "status": "True"}]}, "metadata": {"labels": {"a": "b"}}}, "three", subresource="status"),
                 one({"spec": {"size": 1}, "status": {"ready": True}}), shown)
    scale = lambda replicas: {"apiVersion": "autoscaling/v1", "kind": "Scale", "metadata": {"name": "one"}, "spec": {"replicas": replicas}}
    at_scale = lambda body, manager, query="": patch(W.path(None, "one", "scale"), body, APPLY, f"fieldManager={manager}" + query)
    yield script("custom: scale", W.install(), one(spec(size=1)), at_scale(scale(2), "two"), at_scale(scale(2), "two", "&force=true"), shown,
                 patch(W.path(None, "one", "scale"), spec(replicas=3), MERGE, "fieldManager=three"), one(spec(size=1)), shown)
    several = Custom("widgets", "Widget", versions=[
        {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": SCHEMA}},
        {"name": "v2", "served": True, "storage": False, "schema": {"openAPIV3Schema": SCHEMA}}])
    yield script("custom: versions", several.install(), one(spec(size=1, on=True), of=several), one(spec(size=1), version="v2", of=several),
                 one(spec(size=2), "two", version="v2", of=several), patch(several.path("v2", "one"), spec(color="x"), MERGE, "fieldManager=three"),
                 one(spec(color="y"), of=several), get(several.path("v1", "one")), get(several.path("v2", "one")))
    yield script("custom: kinds and names", W.install(), patch(W.path(None, "one"), W.object({"kind": "Other"}), APPLY, "fieldManager=one"),
                 patch(W.path(None, "one"), W.object({"apiVersion": "v1"}), APPLY, "fieldManager=one"), one({"metadata": {"name": "two"}}),
                 one({"metadata": {"managedFields": []}}), one({"metadata": {"foo": 1}}), one({"metadata": {"labels": {"a": 1}}}))
    path = f"{DEFINITIONS}/{W.name}"
    yield script("custom: managers of a definition", W.define(query="fieldManager=one"), W.established(),
                 patch(path, {"metadata": {"labels": {"a": "b"}}}, MERGE, "fieldManager=two"),
                 patch(path, {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
                              "metadata": {"name": W.name, "labels": {"a": "c"}}}, APPLY, "fieldManager=three"), get(path))
    free = Custom("widgets", "Widget")
    yield script("custom: without a schema to speak of", free.install(), one({"spec": {"a": {"b": [1, 2]}}, "top": "x"}, of=free),
                 one({"spec": {"a": {"c": 1}}}, "two", of=free), one({"spec": {"a": {"b": [1]}}}, "two", of=free), get(free.path(None, "one")))


def scripts():
    for part in (basics, errors, lists, numbers, writers, subresources, migration, versions, custom):
        yield from part()
