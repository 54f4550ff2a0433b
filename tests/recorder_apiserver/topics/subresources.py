"""status is part of the lives of kinds; here are the others."""


from certificate_request import REQUEST
from kinds import (CONFIG_MAP, DEPLOYMENT, NAMESPACE, NODE, PDB, POD, REPLICA_SET,
                   REPLICATION_CONTROLLER, SERVICE, SERVICE_ACCOUNT, STATEFUL_SET)
from scripting import JSON_PATCH, MERGE, PROTOBUF, STRATEGIC, TABLE, delete, get, patch, post, put, script

KNOWN = {"rv": "metadata/resourceVersion", "uid": "metadata/uid"}


def scale(replicas, **metadata):
    return {"apiVersion": "autoscaling/v1", "kind": "Scale", "metadata": {"name": "thing", **metadata},
            "spec": {"replicas": replicas}}


def scales(kind):
    path = kind.item() + "/scale"
    yield script(f"{kind.kind}: scale", get(path), kind.create(capture=KNOWN), get(path), put(path, scale(4)),
                 put(path, scale(5, resourceVersion="1")), put(path, scale(-1)), put(path, scale(6, name="other")),
                 put(path, scale(6, namespace="elsewhere")), put(path, scale(7, uid="wrong")),
                 put(path, {**scale(6), "kind": "Deployment"}), put(path, {**scale(6), "apiVersion": "v1"}),
                 patch(path, {"spec": {"replicas": 2}}), patch(path, {"spec": {"replicas": 3}}, STRATEGIC),
                 patch(path, [{"op": "replace", "path": "/spec/replicas", "value": 1}], JSON_PATCH),
                 patch(path, {"spec": {"replicas": -1}}), patch(path, {"spec": {"replicas": 9}}, query="dryRun=All"),
                 kind.get(), get(path, accept=PROTOBUF), get(path, accept=TABLE), delete(path), post(path, scale(1)))


def binding(target, name="thing"):
    return {"apiVersion": "v1", "kind": "Binding", "metadata": {"name": name}, "target": target}


def eviction(name="thing", **more):
    return {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": name}, **more}


def pods():
    path = POD.item() + "/binding"
    node = {"kind": "Node", "name": "n1"}
    yield script("binding", post(path, binding(node)), POD.create(capture=KNOWN), post(path, binding(node, "other")),
                 post(path, binding({"kind": "Pod", "name": "x"})), post(path, binding({})),
                 post(path, binding(node), "dryRun=All"), POD.get(), post(path, binding(node)), POD.get(),
                 post(path, binding(node)), get(path))
    yield script("binding by the collection", POD.create(),
                 post("/api/v1/namespaces/${ns}/bindings", binding(node)), POD.get(),
                 post("/api/v1/namespaces/${ns}/bindings", binding(node)), get("/api/v1/namespaces/${ns}/bindings"))
    yield script("binding with annotations", POD.create(), post(path, {**binding(node), "metadata": {
        "name": "thing", "annotations": {"from": "binding"}, "labels": {"l": "x"}}}), POD.get())
    evict = POD.item() + "/eviction"
    labels = {"app": "web"}
    yield script("eviction without budgets", post(evict, eviction()), POD.create(), post(evict, eviction("other")),
                 post(evict, eviction(), "dryRun=All"), POD.get(), post(evict, eviction()), POD.get(),
                 get(evict), post(evict, {"metadata": {"name": "thing"}}))
    yield script("eviction of a running pod", POD.create({"spec": {"nodeName": "n"}}),
                 post(evict, eviction(deleteOptions={"gracePeriodSeconds": 5})), POD.get())
    yield script("eviction and a budget", POD.create({"spec": {"nodeName": "n"}}, labels=labels),
                 patch(POD.item() + "/status", {"status": {"phase": "Running", "conditions": [
                     {"type": "Ready", "status": "True"}]}}),
                 PDB.create(), post(evict, eviction()), post(evict, eviction(), "dryRun=All"),
                 patch(PDB.item() + "/status", {"status": {"observedGeneration": 1, "disruptionsAllowed": 1,
                                                           "currentHealthy": 2, "desiredHealthy": 1,
                                                           "expectedPods": 2}}),
                 post(evict, eviction()), PDB.get(), POD.get())
    yield script("eviction of a pending pod in spite of a budget", POD.create(labels=labels), PDB.create(),
                 post(evict, eviction()), POD.get())
    yield script("eviction and two budgets", POD.create({"spec": {"nodeName": "n"}}, labels=labels),
                 patch(POD.item() + "/status", {"status": {"phase": "Running"}}), PDB.create(),
                 PDB.create(name="second"), post(evict, eviction()))
    yield script("eviction in version v1beta1", POD.create(), post(evict, {**eviction(), "apiVersion": "policy/v1beta1"}))
    ephemeral = POD.item() + "/ephemeralcontainers"
    debugger = {"name": "debug", "image": "busybox", "targetContainerName": "main"}
    yield script("ephemeral containers", POD.create(capture=KNOWN), get(ephemeral),
                 patch(ephemeral, {"spec": {"ephemeralContainers": [debugger]}}, STRATEGIC),
                 patch(ephemeral, {"spec": {"ephemeralContainers": [{**debugger, "image": "other"}]}}, STRATEGIC),
                 patch(ephemeral, {"spec": {"ephemeralContainers": [{**debugger, "name": "second",
                                                                     "targetContainerName": "nobody"}]}}, STRATEGIC),
                 patch(ephemeral, {"spec": {"ephemeralContainers": []}}, MERGE),
                 patch(ephemeral, {"spec": {"containers": [{"name": "main", "image": "changed"}]}}, STRATEGIC),
                 POD.patch({"spec": {"ephemeralContainers": [{**debugger, "name": "third"}]}}, STRATEGIC), POD.get(),
                 POD.create({"spec": {"ephemeralContainers": [debugger]}}, name="b"))
    resize = POD.item() + "/resize"
    yield script("resize", POD.create({"spec": {"containers": [{"name": "main", "image": "busybox", "resources": {
        "requests": {"cpu": "1"}}}]}}), get(resize), patch(resize, {"spec": {"containers": [
            {"name": "main", "resources": {"requests": {"cpu": "2"}}}]}}, STRATEGIC))
    yield script("log", get(POD.item() + "/log"), POD.create(), get(POD.item() + "/log"),
                 get(POD.item() + "/log", "container=nobody"), get(POD.item() + "/log", "tailLines=-1"),
                 get(POD.item() + "/log", "follow=true"), post(POD.item() + "/log", {}))
    yield script("log of one of many", POD.create({"spec": {"containers": [
        {"name": "a", "image": "x"}, {"name": "b", "image": "y"}]}}), get(POD.item() + "/log"),
        get(POD.item() + "/log", "container=b"))
    yield script("exec and attach without a node", POD.create(), get(POD.item() + "/exec", "command=ls"),
                 get(POD.item() + "/attach"), get(POD.item() + "/portforward"))


def others():
    final = "/api/v1/namespaces/${ns}-thing/finalize"
    name = "${ns}-thing"
    yield script("finalize a namespace", NAMESPACE.create(), get(NAMESPACE.item()), NAMESPACE.delete(), NAMESPACE.get(),
                 CONFIG_MAP.create() | {"path": "/api/v1/namespaces/${ns}-thing/configmaps"},
                 NAMESPACE.patch({"metadata": {"labels": {"a": "b"}}}), NAMESPACE.delete(),
                 put(final, {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "other"}}),
                 put(final, {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}, "spec": {}}),
                 NAMESPACE.get())
    yield script("finalize a namespace that stays", NAMESPACE.create(),
                 put(final, {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}, "spec": {}}),
                 NAMESPACE.get(), NAMESPACE.delete(), NAMESPACE.get(), get(final))
    yield script("finalizers of a namespace", NAMESPACE.create({"spec": {"finalizers": ["example.com/mine"]}}),
                 NAMESPACE.patch({"spec": {"finalizers": []}}), NAMESPACE.get(),
                 put(final, {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name},
                             "spec": {"finalizers": ["no-domain"]}}),
                 put(final, {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name},
                             "spec": {"finalizers": ["kubernetes"]}}))
    yield script("subresources that are none", CONFIG_MAP.create(), get(CONFIG_MAP.item() + "/status"),
                 get(CONFIG_MAP.item() + "/scale"), POD.create(), get(POD.item() + "/nothing"),
                 get(POD.item() + "/status/more"), delete(POD.item() + "/status"), post(POD.item() + "/status", {}),
                 get(DEPLOYMENT.item() + "/rollback"))
    yield script("token of a service account", SERVICE_ACCOUNT.create(),
                 post(SERVICE_ACCOUNT.item("missing") + "/token",
                      {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {}}))
    yield script("proxy without endpoints", SERVICE.create(), get(SERVICE.item() + "/proxy/"),
                 get(NODE.collection + "/${ns}-none/proxy/"))


def csr():
    path = "/apis/certificates.k8s.io/v1/certificatesigningrequests"
    item = path + "/${ns}-csr"
    body = {"apiVersion": "certificates.k8s.io/v1", "kind": "CertificateSigningRequest",
            "metadata": {"name": "${ns}-csr", "labels": {"run": "${ns}"}},
            "spec": {"request": REQUEST, "signerName": "example.com/signer", "usages": ["client auth"]}}
    approved = {"status": {"conditions": [{"type": "Approved", "status": "True", "reason": "Fine", "message": "ok"}]}}
    yield script("certificate requests", post(path, body), post(path, {**body, "spec": {"signerName": "x"}}),
                 get(path, "fieldSelector=spec.signerName%3Dexample.com/signer&labelSelector=run%3D${ns}"),
                 get(path, "fieldSelector=spec.username%3Dx"), get(path, "labelSelector=run%3D${ns}", accept=TABLE),
                 patch(item + "/status", approved), get(item + "/approval"), patch(item + "/approval", approved),
                 patch(item, {"spec": {"signerName": "example.com/other"}}),
                 patch(item + "/approval", {"status": {"conditions": [
                     {"type": "Denied", "status": "True", "reason": "Bad", "message": "no"}]}}),
                 patch(item + "/approval", {"status": {"conditions": []}}),
                 patch(item + "/status", {"status": {"certificate": "bm9uZQ=="}}), get(item), delete(item))


def scripts():
    for kind in (DEPLOYMENT, REPLICA_SET, STATEFUL_SET, REPLICATION_CONTROLLER):
        yield from scales(kind)
    yield from pods()
    yield from others()
    yield from csr()
