"""Deleting one and many."""

from kinds import ALL, CONFIG_MAP, DEPLOYMENT, JOB, NODE, POD, SERVICE, TEN
from scripting import PROTOBUF, TABLE, delete, get, patch, script

KNOWN = {"rv": "metadata/resourceVersion", "uid": "metadata/uid"}
POLICIES = ("Orphan", "Background", "Foreground")


def options(**fields):
    return {"apiVersion": "v1", "kind": "DeleteOptions", **fields}


def everywhere(kind):
    title = f"{kind.kind}: "
    yield script(title + "preconditions", kind.create(capture=KNOWN),
                 kind.delete(body=options(preconditions={"uid": "wrong"})),
                 kind.delete(body=options(preconditions={"resourceVersion": "1"})),
                 kind.delete(body=options(preconditions={"uid": "${uid}", "resourceVersion": "1"})), kind.get(),
                 kind.delete(body=options(preconditions={"uid": "${uid}", "resourceVersion": "${rv}"},
                                          gracePeriodSeconds=0)), kind.get())
    for policy in POLICIES:
        yield script(title + policy, kind.create(), kind.delete(body=options(propagationPolicy=policy)), kind.get(),
                     kind.delete(f"propagationPolicy={policy}"), kind.patch({"metadata": {"labels": {"a": "b"}}}),
                     kind.patch({"metadata": {"finalizers": None}}), kind.get())
    yield script(title + "options", kind.create(), kind.delete("propagationPolicy=Nonsense"),
                 kind.delete(body=options(propagationPolicy="Nonsense")),
                 kind.delete("orphanDependents=true&propagationPolicy=Orphan"),
                 kind.delete(body=options(orphanDependents=False, propagationPolicy="Orphan")),
                 kind.delete(body=options(dryRun=["Some"])), kind.delete("dryRun=All"),
                 kind.delete(body=options(dryRun=["All"])), kind.get(), kind.delete("gracePeriodSeconds=x"),
                 kind.delete(body=options(gracePeriodSeconds=-5), query="dryRun=All"),
                 kind.delete(body={"kind": "Gadget", "apiVersion": "v1"}),
                 kind.delete(body="{"), kind.delete(body="[]"), kind.delete(body='{"bogus":1}', query="dryRun=All"),
                 kind.delete(body=options(), content_type="text/plain"),
                 kind.delete("orphanDependents=true"), kind.get())
    yield script(title + "finalizers", kind.create({"metadata": {"finalizers": ["example.com/x", "example.com/y"]}}),
                 kind.delete("gracePeriodSeconds=0"), kind.get(), kind.delete("gracePeriodSeconds=0"),
                 kind.patch({"metadata": {"finalizers": ["example.com/x", "example.com/z"]}}),
                 kind.patch({"metadata": {"finalizers": ["example.com/x"]}}),
                 kind.patch({"metadata": {"deletionTimestamp": None}}), kind.patch({"metadata": {"labels": {"a": "b"}}}),
                 kind.create(), kind.patch({"metadata": {"finalizers": []}}), kind.get())
    yield script(title + "missing", kind.delete(), kind.delete("dryRun=All"), kind.delete(accept=PROTOBUF),
                 kind.delete(body=options(preconditions={"uid": "x"})))
    yield script(title + "answers", kind.create(), kind.delete("dryRun=All", accept=TABLE),
                 kind.delete("dryRun=All", accept="application/xml"), kind.delete("gracePeriodSeconds=0",
                                                                                  accept=PROTOBUF))
    if kind.namespaced:
        labelled = [kind.create(name=n, labels={"letter": n}) for n in "abc"]
        yield script(title + "collections", *labelled, delete(kind.collection, "labelSelector=letter%3Da&dryRun=All"),
                     delete(kind.collection, "labelSelector=letter%3Da&gracePeriodSeconds=0"), kind.list(),
                     delete(kind.collection, "fieldSelector=metadata.name%3Db&gracePeriodSeconds=0"),
                     delete(kind.collection, "fieldSelector=bogus%3Db"), delete(kind.collection, "labelSelector=a%20b"),
                     delete(kind.collection, "propagationPolicy=Nonsense"), kind.list(),
                     delete(kind.collection, "gracePeriodSeconds=0", options(propagationPolicy="Background")),
                     kind.list(), delete(kind.collection), delete(f"{kind.root}/{kind.resource}"))
    else:
        yield script(title + "collections", kind.create(labels={"run": "${ns}"}),
                     delete(kind.collection, "labelSelector=run%3D${ns}"), kind.get())


def scripts():
    for kind in TEN:
        yield from everywhere(kind)
    yield script("a pod that runs", POD.create({"spec": {"nodeName": "n"}}), POD.delete(), POD.get(),
                 POD.delete("gracePeriodSeconds=10"), POD.delete("gracePeriodSeconds=60"), POD.get(),
                 POD.patch({"metadata": {"labels": {"a": "b"}}}), POD.delete("gracePeriodSeconds=0"), POD.get())
    yield script("a pod that asks for little time",
                 POD.create({"spec": {"nodeName": "n", "terminationGracePeriodSeconds": 3}}),
                 POD.delete(body=options(gracePeriodSeconds=1)), POD.get())
    yield script("a pod without a node goes at once", POD.create(), POD.delete(), POD.get())
    yield script("a pod that has ended goes at once", POD.create({"spec": {"nodeName": "n"}}),
                 patch(POD.item() + "/status", {"status": {"phase": "Succeeded"}}), POD.delete(), POD.get())
    for policy in POLICIES:
        yield script(f"running pod, {policy}", POD.create({"spec": {"nodeName": "n"}}),
                     POD.delete(f"propagationPolicy={policy}"), POD.get(), POD.delete("gracePeriodSeconds=0"), POD.get(),
                     POD.patch({"metadata": {"finalizers": None}}), POD.get())
    yield script("policy after policy", CONFIG_MAP.create({"metadata": {"finalizers": ["example.com/x"]}}),
                 *[CONFIG_MAP.delete(f"propagationPolicy={policy}") for policy in POLICIES + POLICIES], CONFIG_MAP.get())
    for name in ("ReplicaSet", "ReplicationController", "StatefulSet", "DaemonSet", "CronJob"):
        yield script(f"{name}: default policy", ALL[name].create(), ALL[name].delete(), ALL[name].get())
    yield script("collections that cannot be deleted", delete("/api/v1/namespaces"),
                 delete("/api/v1/namespaces/${ns}/services", "dryRun=All"))
