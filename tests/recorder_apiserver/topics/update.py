"""Replacing."""

from kinds import ALL, CONFIG_MAP, DEPLOYMENT, ENDPOINTS, EVENT, LEASE, NAMESPACE, POD, SERVICE, TEN
from scripting import PARTIAL, PROTOBUF, TABLE, merge, put, script

KNOWN = {"rv": "metadata/resourceVersion", "uid": "metadata/uid"}


def everywhere(kind):
    title = f"{kind.kind}: "
    change = {"metadata": {"annotations": {"x": "1"}}}
    versioned = merge(change, {"metadata": {"resourceVersion": "${rv}"}})
    yield script(title + "versions", kind.create(capture=KNOWN), kind.put(versioned), kind.put(versioned),
                 kind.put(change), kind.put({"metadata": {"resourceVersion": "1"}}),
                 kind.put({"metadata": {"resourceVersion": "nonsense"}}),
                 kind.put({"metadata": {"resourceVersion": "0"}}), kind.get())
    yield script(title + "without a change", kind.create(), kind.get(capture=KNOWN), kind.put(), kind.put(),
                 kind.put({"metadata": {"labels": {}, "annotations": {}}}))
    yield script(title + "missing", kind.put(), kind.put({"metadata": {"resourceVersion": "5"}}),
                 kind.put({"metadata": {"uid": "abc"}}), kind.get())
    yield script(title + "other names", kind.create(capture=KNOWN), kind.put({"metadata": {"name": "other"}}),
                 put(kind.item(), kind.manifest({"metadata": {"name": None}})),
                 kind.put({"metadata": {"namespace": "elsewhere"}}), kind.put({"metadata": {"uid": "wrong"}}),
                 kind.put({"metadata": {"uid": "${uid}"}}))
    yield script(title + "wrong bodies", kind.create(), kind.put({"kind": "Gadget"}),
                 kind.put({"apiVersion": "example.com/v1"}), put(kind.item(), ""), put(kind.item(), "{"),
                 put(kind.item(), "{}"), put(kind.item(), "null"), kind.put(content_type="text/plain"),
                 kind.put({"bogus": 1}, "fieldValidation=Strict"), kind.put({"bogus": 1}, "fieldValidation=Warn"),
                 kind.put({"bogus": 1}, "fieldValidation=Ignore"), kind.put(accept="application/xml"))
    yield script(title + "metadata that stays", kind.create(labels={"a": "1"}),
                 kind.put({"metadata": {"creationTimestamp": "2020-01-01T00:00:00Z"}}),
                 kind.put({"metadata": {"deletionTimestamp": "2020-01-01T00:00:00Z"}}),
                 kind.put({"metadata": {"generation": 9, "selfLink": "/x", "generateName": "g-"}}),
                 kind.put({"metadata": {"labels": {"a b": "c"}}}), kind.put({"metadata": {"finalizers": ["nodomain"]}}),
                 kind.put({"metadata": {"finalizers": ["example.com/x"]}}),
                 kind.put({"metadata": {"ownerReferences": [{"apiVersion": "v1", "kind": "Node", "name": "n",
                                                             "uid": "1"}]}}),
                 kind.put({"metadata": {"finalizers": None}}))
    yield script(title + "dry run", kind.create(), kind.put(change, "dryRun=All"), kind.get(),
                 kind.put(change, "dryRun=No"))
    yield script(title + "answers", kind.create(), kind.put(change, accept=TABLE), kind.put(change, accept=PARTIAL),
                 kind.put(change, accept=PROTOBUF))
    if kind.change:
        yield script(title + "generation", kind.create(), kind.patch(kind.change), kind.patch(change),
                     kind.patch({"metadata": {"generation": 40}}))


def scripts():
    for kind in TEN:
        yield from everywhere(kind)
    for kind in (ENDPOINTS, EVENT, LEASE, ALL["ServiceAccount"], ALL["EndpointSlice"], ALL["LimitRange"],
                 ALL["ResourceQuota"], ALL["PersistentVolume"], ALL["NetworkPolicy"], ALL["CronJob"],
                 ALL["ControllerRevision"], ALL["PriorityClass"], NAMESPACE):
        yield script(f"{kind.kind}: put creates or not", kind.put(), kind.put(query="dryRun=All"), kind.get(),
                     kind.put({"metadata": {"resourceVersion": "1"}}), kind.put(kind.change))
    yield script("rolled back pods", POD.create(), POD.put({"spec": {"containers": [{"name": "main", "image": "new"}]}}),
                 POD.put({"spec": {"containers": [{"name": "other", "image": "new"}]}}),
                 POD.put({"spec": {"tolerations": [{"key": "a", "operator": "Exists"}]}}),
                 POD.put({"spec": {"activeDeadlineSeconds": 10}}), POD.put(),
                 POD.put({"spec": {"activeDeadlineSeconds": 20}}),
                 POD.put({"spec": {"terminationGracePeriodSeconds": 5}}))
    yield script("a deployment's template", DEPLOYMENT.create(),
                 DEPLOYMENT.put({"spec": {"template": {"spec": {"containers": [{"name": "main", "image": "new"}]}}}}),
                 DEPLOYMENT.put({"spec": {"paused": True}}), DEPLOYMENT.put({"spec": {"strategy": {"type": "Recreate"}}}),
                 DEPLOYMENT.put({"spec": {"strategy": {"type": "Recreate", "rollingUpdate": {"maxSurge": 1}}}}))
