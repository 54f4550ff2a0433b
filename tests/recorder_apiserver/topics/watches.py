"""Watching."""

from kinds import CONFIG_MAP, DEPLOYMENT, LEASE, NODE, POD, SECRET, SERVICE
from scripting import PARTIAL, PARTIAL_LIST, PROTOBUF, TABLE, end, events, get, script, watch

RUN = "labelSelector=run%3D${ns}"
LABELS = {"run": "${ns}"}
# Long enough for a change to arrive, short enough to wait for.
SHORT = "timeoutSeconds=2"


def everywhere(kind):
    title = f"{kind.kind}: "
    version = {"rv": "metadata/resourceVersion"}
    yield script(title + "from now on", kind.create(name=kind.named("a"), labels=LABELS),
                 kind.watch("w", f"{RUN}&resourceVersion=0"), events("w", 1),
                 kind.create(name=kind.named("b"), labels=LABELS),
                 kind.delete("gracePeriodSeconds=0", name=kind.named("a")), events("w", 2))
    yield script(title + "unset version", kind.create(name=kind.named("a"), labels=LABELS),
                 kind.create(name=kind.named("b"), labels=LABELS), kind.watch("w", f"{RUN}&{SHORT}"), end("w"))
    yield script(title + "from a version", kind.create(name=kind.named("a"), labels=LABELS, capture=version),
                 kind.create(name=kind.named("b"), labels=LABELS),
                 kind.patch({"metadata": {"annotations": {"x": "1"}}}, name=kind.named("a")),
                 kind.delete("gracePeriodSeconds=0", name=kind.named("b")),
                 kind.watch("w", f"{RUN}&resourceVersion=${{rv}}&{SHORT}"), end("w"))
    yield script(title + "into the selector and out of it", kind.create(capture=version),
                 kind.watch("w", f"{RUN}&resourceVersion=${{rv}}"), kind.patch({"metadata": {"labels": LABELS}}),
                 kind.patch({"metadata": {"annotations": {"x": "1"}}}),
                 kind.patch({"metadata": {"labels": {"run": None}}}),
                 kind.patch({"metadata": {"annotations": {"x": "2"}}}),
                 kind.patch({"metadata": {"labels": LABELS}}), events("w", 4))
    yield script(title + "by name", kind.create(name=kind.named("a"), capture=version),
                 kind.create(name=kind.named("b")),
                 kind.watch("w", f"fieldSelector=metadata.name%3D{kind.named('b')}&resourceVersion=${{rv}}&{SHORT}"),
                 end("w"),
                 get(kind.item(kind.named("a")), "watch=true"),
                 watch("v", kind.root + "/watch/" + kind.collection[len(kind.root) + 1:] + "/" + kind.named("a"),
                       f"resourceVersion=${{rv}}&{SHORT}"),
                 kind.patch({"metadata": {"annotations": {"x": "1"}}}, name=kind.named("a")), end("v"))
    yield script(title + "initial events", kind.create(name=kind.named("a"), labels=LABELS),
                 kind.create(name=kind.named("b"), labels=LABELS, capture=version),
                 kind.watch("w", f"{RUN}&sendInitialEvents=true&resourceVersionMatch=NotOlderThan"
                                 "&allowWatchBookmarks=true"), events("w", 3),
                 kind.patch({"metadata": {"annotations": {"x": "1"}}}, name=kind.named("a")), events("w", 1),
                 kind.watch("v", f"{RUN}&sendInitialEvents=true&resourceVersionMatch=NotOlderThan"
                                 "&allowWatchBookmarks=true&resourceVersion=${rv}"), events("v", 3),
                 kind.watch("u", f"{RUN}&sendInitialEvents=false&resourceVersionMatch=NotOlderThan"
                                 f"&resourceVersion=${{rv}}&{SHORT}"), end("u"))
    yield script(title + "refused options", *[kind.watch("w", f"{RUN}&{query}") for query in (
        "sendInitialEvents=true", "sendInitialEvents=true&resourceVersionMatch=Exact&resourceVersion=1",
        "resourceVersionMatch=NotOlderThan&resourceVersion=1", "resourceVersionMatch=Exact",
        "resourceVersion=nonsense", "resourceVersion=-5", "fieldSelector=bogus%3D1", "labelSelector=a%20b",
        "timeoutSeconds=x", "continue=abc", "sendInitialEvents=maybe")])
    yield script(title + "too old", kind.create(), {"compact": True}, kind.watch("w", f"{RUN}&resourceVersion=1"),
                 kind.watch("v", f"{RUN}&resourceVersion=1", accept=TABLE))
    yield script(title + "tables and metadata", kind.create(name=kind.named("a"), labels=LABELS),
                 kind.watch("t", f"{RUN}&resourceVersion=0", accept=TABLE), events("t", 1),
                 kind.watch("p", f"{RUN}&resourceVersion=0", accept=PARTIAL), events("p", 1),
                 kind.watch("n", f"{RUN}&resourceVersion=0&includeObject=None", accept=TABLE), events("n", 1),
                 kind.watch("o", f"{RUN}&resourceVersion=0&includeObject=Object", accept=TABLE), events("o", 1),
                 kind.patch({"metadata": {"annotations": {"x": "1"}}}, name=kind.named("a")),
                 events("t", 1), events("p", 1),
                 kind.watch("x", RUN, accept=PARTIAL_LIST), kind.watch("y", RUN, accept="application/xml"))
    yield script(title + "protobuf", kind.create(name=kind.named("a"), labels=LABELS),
                 kind.watch("w", f"{RUN}&resourceVersion=0", accept=PROTOBUF + ";stream=watch"),
                 events("w", 1), kind.watch("v", f"{RUN}&resourceVersion=0", accept=PROTOBUF), events("v", 1),
                 kind.watch("u", f"{RUN}&resourceVersion=0", accept="application/json;stream=watch"), events("u", 1))


def scripts():
    for kind in (CONFIG_MAP, POD, DEPLOYMENT, NODE, LEASE):
        yield from everywhere(kind)
    kind = CONFIG_MAP
    yield script("an uninteresting change is no event of a selector",
                 kind.create(name="a", labels=LABELS, capture={"rv": "metadata/resourceVersion"}),
                 kind.create(name="b"), kind.patch({"data": {"x": "1"}}, name="b"),
                 kind.watch("w", f"{RUN}&resourceVersion=${{rv}}&{SHORT}"), end("w"))
    yield script("a change that changes nothing is no event",
                 kind.create(labels=LABELS, capture={"rv": "metadata/resourceVersion"}),
                 kind.patch({"metadata": {"labels": LABELS}}), kind.patch({"data": {"key": "value"}}),
                 kind.watch("w", f"{RUN}&resourceVersion=${{rv}}&{SHORT}"), end("w"))
    yield script("dry runs are no events", kind.create(labels=LABELS, capture={"rv": "metadata/resourceVersion"}),
                 kind.patch({"data": {"x": "1"}}, query="dryRun=All"), kind.delete("dryRun=All"),
                 kind.watch("w", f"{RUN}&resourceVersion=${{rv}}&{SHORT}"), end("w"))
    yield script("a pod's graceful deletion", POD.create({"spec": {"nodeName": "n"}}, labels=LABELS,
                                                         capture={"rv": "metadata/resourceVersion"}),
                 POD.delete(), POD.delete("gracePeriodSeconds=0"),
                 POD.watch("w", f"{RUN}&resourceVersion=${{rv}}&{SHORT}"), end("w"))
    yield script("finalizers", kind.create({"metadata": {"finalizers": ["example.com/x"]}}, labels=LABELS,
                                           capture={"rv": "metadata/resourceVersion"}),
                 kind.delete(), kind.patch({"metadata": {"finalizers": None}}),
                 kind.watch("w", f"{RUN}&resourceVersion=${{rv}}&{SHORT}"), end("w"))
    yield script("fields of pods", POD.create(capture={"rv": "metadata/resourceVersion"}),
                 POD.watch("w", "fieldSelector=spec.nodeName%3Dn1&resourceVersion=${rv}"),
                 {"method": "POST", "path": POD.item() + "/binding",
                  "body": '{"apiVersion":"v1","kind":"Binding","metadata":{"name":"thing"},"target":{"name":"n1"}}'},
                 POD.delete("gracePeriodSeconds=0"), events("w", 2))
    yield script("all namespaces", kind.create(labels=LABELS),
                 watch("w", "/api/v1/configmaps", f"{RUN}&resourceVersion=0"), events("w", 1),
                 watch("v", "/api/v1/watch/configmaps", f"{RUN}&resourceVersion=0"), events("v", 1),
                 watch("u", "/api/v1/watch/namespaces/${ns}/configmaps", f"{RUN}&resourceVersion=0"), events("u", 1))
    yield script("bookmark before the end", kind.create(labels=LABELS),
                 kind.watch("w", f"{RUN}&allowWatchBookmarks=true&timeoutSeconds=3&resourceVersion=0"), end("w"))
