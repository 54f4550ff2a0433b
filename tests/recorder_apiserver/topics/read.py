"""Getting and listing."""

from kinds import ALL, CONFIG_MAP, DEPLOYMENT, EVENT, JOB, NAMESPACE, NODE, POD, SECRET, SERVICE, TEN
from kinds import CLAIM, HPA, INGRESS, LEASE, REPLICATION_CONTROLLER, ROLE
from scripting import PARTIAL, PARTIAL_LIST, PROTOBUF, TABLE, get, patch, script

LABELLED = "labelSelector=run%3D${ns}"


def three(kind):
    return [kind.create(name=kind.named(name), labels={"run": "${ns}", "letter": name}) for name in "abc"]


def everywhere(kind):
    title = f"{kind.kind}: "
    yield script(title + "get", kind.get(), kind.create(capture={"rv": "metadata/resourceVersion"}), kind.get(),
                 kind.get("resourceVersion=0"), kind.get("resourceVersion=${rv}"),
                 kind.get("resourceVersion=999999999999"), kind.get("resourceVersion=nonsense"),
                 kind.get("pretty=true"))
    yield script(title + "get, encodings", kind.create(), kind.get(accept="application/yaml"),
                 kind.get(accept=PROTOBUF), kind.get(accept=PROTOBUF + ",application/json"),
                 kind.get(accept="application/xml"), kind.get(accept="text/html"),
                 kind.get(accept="application/xml,*/*"), kind.get(accept="application/*"),
                 kind.get(accept="application/json;as=Table;v=v1;g=meta.k8s.io,application/json"),
                 kind.get(accept="application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json"),
                 kind.get(accept="application/json;as=Table;v=v99;g=meta.k8s.io"),
                 kind.get(accept="application/json;as=Gadget;v=v1;g=meta.k8s.io"),
                 kind.get(accept="application/json;as=Gadget;v=v1;g=meta.k8s.io,application/json"),
                 kind.get(accept=PROTOBUF + ";as=PartialObjectMetadata;v=v1;g=meta.k8s.io"),
                 kind.get(accept=PROTOBUF + ";as=Table;v=v1;g=meta.k8s.io"),
                 kind.get(name=kind.named("missing"), accept=PROTOBUF),
                 kind.get(name=kind.named("missing"), accept=TABLE),
                 kind.get(name=kind.named("missing"), accept=PARTIAL),
                 kind.get(name=kind.named("missing"), accept="application/yaml"))
    yield script(title + "label selectors", *three(kind), *[
        kind.list(f"{LABELLED},{selector}") for selector in (
            "letter%3Da", "letter%3D%3Da", "letter!%3Da", "letter%20in%20(a,b)", "letter%20notin%20(a,b)", "letter",
            "!letter", "letter%3Dz", "letter%3D", "a%20b", "letter%20in%20(", "letter%3Ea", "bad%20key%3Dx")])
    yield script(title + "field selectors", *three(kind), *[
        kind.list(f"{LABELLED}&fieldSelector={selector}") for selector in (
            f"metadata.name%3D{kind.named('b')}", f"metadata.name!%3D{kind.named('b')}", "metadata.namespace%3D${ns}",
            "metadata.name%3Dx,metadata.name%3Dy", "bogus%3Dx", "metadata.labels%3Dx", "metadata.name", "%3D",
            "metadata.name%3D%3D" + kind.named("c"))])
    yield script(title + "pages", *three(kind), kind.list(f"{LABELLED}&limit=2",
                                                          capture={"token": "metadata/continue"}),
                 kind.list(f"{LABELLED}&limit=2&continue=${{token|query}}"),
                 kind.create(name=kind.named("aa"), labels={"run": "${ns}"}),
                 kind.list(f"{LABELLED}&limit=1&continue=${{token|query}}"),
                 kind.list(f"{LABELLED}&continue=${{token|query}}"),
                 kind.list(f"{LABELLED}&limit=2&continue=${{token|query}}&resourceVersion=5"),
                 kind.list(f"{LABELLED}&limit=2&continue=${{token|query}}&resourceVersionMatch=Exact"),
                 kind.list(f"{LABELLED}&limit=2&continue=nonsense"), kind.list(f"{LABELLED}&limit=-1"),
                 kind.list(f"{LABELLED}&limit=x"), kind.list(f"{LABELLED}&limit=0"),
                 kind.list(f"{LABELLED}&limit=100"))
    yield script(title + "versions of lists", *three(kind),
                 kind.get(name=kind.named("b"), capture={"rv": "metadata/resourceVersion"}), *[
        kind.list(f"{LABELLED}&{query}") for query in (
            "resourceVersion=0", "resourceVersion=${rv}&resourceVersionMatch=Exact",
            "resourceVersion=${rv}&resourceVersionMatch=NotOlderThan", "resourceVersion=0&resourceVersionMatch=Exact",
            "resourceVersion=0&resourceVersionMatch=NotOlderThan", "resourceVersionMatch=Exact",
            "resourceVersionMatch=NotOlderThan", "resourceVersion=${rv}&resourceVersionMatch=Sometimes",
            "resourceVersion=nonsense", "resourceVersion=-1", "sendInitialEvents=true",
            "sendInitialEvents=true&resourceVersionMatch=NotOlderThan", "resourceVersion=${rv}&limit=1",
            "resourceVersion=0&limit=1", "resourceVersion=${rv}&resourceVersionMatch=NotOlderThan&limit=1",
            "resourceVersion=1&resourceVersionMatch=NotOlderThan")])
    yield script(title + "lists, encodings", *three(kind), kind.list(LABELLED, accept="application/yaml"),
                 kind.list(LABELLED, accept=PROTOBUF), kind.list(LABELLED, accept="application/xml"),
                 kind.list(LABELLED, accept=TABLE), kind.list(f"{LABELLED}&includeObject=Object", accept=TABLE),
                 kind.list(f"{LABELLED}&includeObject=Metadata", accept=TABLE),
                 kind.list(f"{LABELLED}&includeObject=Nonsense", accept=TABLE),
                 kind.list("labelSelector=run%3Dnone", accept=TABLE),
                 kind.list(f"{LABELLED}&limit=1", accept=TABLE),
                 kind.list(LABELLED, accept=PARTIAL_LIST), kind.list(LABELLED, accept=PARTIAL),
                 kind.list(f"{LABELLED}&limit=1", accept=PARTIAL_LIST),
                 kind.list(LABELLED, accept=PROTOBUF + ";as=PartialObjectMetadataList;v=v1;g=meta.k8s.io"),
                 kind.list("limit=x", accept=PROTOBUF))
    if kind.namespaced:
        yield script(title + "lists of namespaces", *three(kind), get(f"{kind.root}/{kind.resource}", LABELLED),
                     get(f"{kind.root}/namespaces/missing/{kind.resource}"),
                     get(f"{kind.root}/{kind.resource}", LABELLED + "&fieldSelector=metadata.namespace%3D${ns}"),
                     get(f"{kind.root}/{kind.resource}", LABELLED + "&fieldSelector=metadata.namespace%3Dother"),
                     get(f"{kind.root}/{kind.resource}", LABELLED, accept=TABLE),
                     get(f"{kind.root}/{kind.resource}", LABELLED + "&limit=2", capture={"t": "metadata/continue"}),
                     get(f"{kind.root}/{kind.resource}", LABELLED + "&limit=2&continue=${t|query}"))


def fields():
    def selecting(kind, selectors):
        return [kind.list(f"{LABELLED}&fieldSelector={s}") for s in selectors]

    run = {"run": "${ns}"}
    yield script("fields of Pod",
                 POD.create({"spec": {"nodeName": "n1", "restartPolicy": "Never", "schedulerName": "mine",
                                      "serviceAccountName": "sa", "hostNetwork": True}}, "a", run),
                 POD.create(name="b", labels=run),
                 patch(POD.item("b") + "/status", {"status": {"phase": "Running", "podIP": "10.1.2.3",
                                                              "podIPs": [{"ip": "10.1.2.3"}],
                                                              "nominatedNodeName": "n2"}}),
                 *selecting(POD, ("spec.nodeName%3Dn1", "spec.nodeName%3D", "spec.restartPolicy%3DNever",
                                  "spec.schedulerName%3Dmine", "spec.serviceAccountName%3Dsa",
                                  "spec.hostNetwork%3Dtrue", "spec.hostNetwork%3Dfalse", "status.phase%3DRunning",
                                  "status.phase%3DPending", "status.podIP%3D10.1.2.3", "status.podIPs%3D10.1.2.3",
                                  "status.nominatedNodeName%3Dn2", "spec.nodeName%3Dn1,status.phase%3DPending",
                                  "status.phase!%3DRunning", "spec.priority%3D0")))
    yield script("fields of Node", NODE.create({"spec": {"unschedulable": True}}, labels=run),
                 *selecting(NODE, ("spec.unschedulable%3Dtrue", "spec.unschedulable%3Dfalse", "spec.podCIDR%3Dx")))
    yield script("fields of Namespace", NAMESPACE.create(labels=run),
                 *selecting(NAMESPACE, ("status.phase%3DActive", "status.phase%3DTerminating", "name%3Dx",
                                        "metadata.namespace%3Dx")))
    yield script("fields of Secret", SECRET.create(labels=run), SECRET.create({"type": "a/b"}, "b", run),
                 *selecting(SECRET, ("type%3DOpaque", "type%3Da/b", "data%3Dx")))
    yield script("fields of Service", SERVICE.create({"spec": {"clusterIP": "None"}}, labels=run),
                 SERVICE.create({"spec": {"type": "NodePort"}}, "b", run),
                 *selecting(SERVICE, ("spec.type%3DNodePort", "spec.type%3DClusterIP", "spec.clusterIP%3DNone",
                                      "spec.selector%3Dx")))
    yield script("fields of Job", JOB.create(labels=run),
                 *selecting(JOB, ("status.successful%3D0", "status.successful%3D1", "status.failed%3D0")))
    yield script("fields of ReplicationController", REPLICATION_CONTROLLER.create(labels=run),
                 *selecting(REPLICATION_CONTROLLER, ("status.replicas%3D0", "status.replicas%3D1")))
    yield script("fields of ReplicaSet", ALL["ReplicaSet"].create(labels=run),
                 *selecting(ALL["ReplicaSet"], ("status.replicas%3D0", "status.replicas%3D1")))
    for kind in (EVENT, ALL["Event of events.k8s.io/v1"]):
        yield script(f"fields of Event {kind.api_version}", kind.create(labels=run),
                     *selecting(kind, ("involvedObject.kind%3DPod", "involvedObject.name%3Dp",
                                       "involvedObject.namespace%3D${ns}", "involvedObject.uid%3D",
                                       "involvedObject.apiVersion%3D", "involvedObject.resourceVersion%3D",
                                       "involvedObject.fieldPath%3D", "reason%3DTested", "reason%3DOther",
                                       "reportingComponent%3D", "source%3Dtester", "type%3DNormal",
                                       "reportingController%3Dexample.com/t", "regarding.kind%3DPod", "count%3D1")))


def scripts():
    for kind in TEN:
        yield from everywhere(kind)
    yield from fields()
