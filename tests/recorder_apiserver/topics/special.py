"""Kinds with a will of their own: namespaces, services, events and autoscalers in two APIs, quotas, priorities."""

from kinds import (ALL, CLAIM, CONFIG_MAP, DEPLOYMENT, ENDPOINTS, EVENT, HPA, JOB, NAMESPACE, NEW_EVENT, NODE, POD,
                   PRIORITY_CLASS, SECRET, SERVICE, STORAGE_CLASS, VOLUME)
from scripting import MERGE, STRATEGIC, TABLE, delete, get, merge, patch, post, put, script


def namespaces():
    yield script("namespaces that stay", *[delete(f"/api/v1/namespaces/{name}") for name in
                                           ("default", "kube-system", "kube-public")],
                 delete("/api/v1/namespaces/default", "dryRun=All"))
    yield script("namespaces at the start", *[get(f"/api/v1/namespaces/{name}") for name in
                                              ("default", "kube-system", "kube-public", "kube-node-lease")])
    inside = "/api/v1/namespaces/${ns}-thing/configmaps"
    yield script("a namespace's end", NAMESPACE.create(), post(inside, CONFIG_MAP.manifest()), NAMESPACE.delete(),
                 NAMESPACE.get(), post(inside, CONFIG_MAP.manifest(name="second")), get(inside),
                 patch(inside + "/thing", {"data": {"a": "b"}}), delete(inside + "/thing"),
                 post(inside.replace("configmaps", "pods"), POD.manifest()),
                 put(inside.replace("/api/v1", "/apis/coordination.k8s.io/v1").replace("configmaps", "leases/x"),
                     ALL["Lease"].manifest(name="x")),
                 NAMESPACE.delete(), NAMESPACE.create())
    yield script("deleting a namespace, options", NAMESPACE.create(), NAMESPACE.delete("dryRun=All"), NAMESPACE.get(),
                 NAMESPACE.delete("propagationPolicy=Orphan"), NAMESPACE.get())
    yield script("deleting a namespace, preconditions", NAMESPACE.create(), NAMESPACE.delete(
        body={"preconditions": {"uid": "wrong"}}), NAMESPACE.get(), NAMESPACE.delete(
            body={"preconditions": {"resourceVersion": "1"}}))
    yield script("a namespace with a finalizer", NAMESPACE.create({"metadata": {"finalizers": ["example.com/x"]}}),
                 NAMESPACE.delete(), put("/api/v1/namespaces/${ns}-thing/finalize", NAMESPACE.manifest({"metadata": {
                     "finalizers": ["example.com/x"]}})), NAMESPACE.get(),
                 NAMESPACE.patch({"metadata": {"finalizers": None}}), NAMESPACE.get())
    yield script("names of namespaces", *[post("/api/v1/namespaces", {"metadata": {"name": name}})
                                          for name in ("a.b", "UP", "x" * 64, "kube-system")])
    yield script("the label of a namespace", NAMESPACE.create({"metadata": {"labels": {
        "kubernetes.io/metadata.name": "wrong"}}}),
                 NAMESPACE.patch({"metadata": {"labels": {"kubernetes.io/metadata.name": None}}}))


def services():
    ports = {"spec": {"ports": [{"port": 80}, {"port": 81}]}}
    at = {"spec": {"clusterIP": "10.0.0.201"}}
    yield script("service types", SERVICE.create(name="a"), SERVICE.create({"spec": {"clusterIP": "None"}}, "b"),
                 SERVICE.create({"spec": {"type": "NodePort"}}, "c"),
                 SERVICE.create({"spec": {"type": "LoadBalancer"}}, "d"),
                 SERVICE.create({"spec": {"type": "ExternalName", "externalName": "example.com", "ports": None}}, "e"),
                 SERVICE.create({"spec": {"type": "ExternalName"}}, "f"),
                 SERVICE.create({"spec": {"type": "Sideways"}}, "g"),
                 SERVICE.create({"spec": {"type": "LoadBalancer", "externalTrafficPolicy": "Local"}}, "h"),
                 SERVICE.create({"spec": {"type": "LoadBalancer", "allocateLoadBalancerNodePorts": False}}, "i"),
                 SERVICE.create({"spec": {"type": "NodePort", "clusterIP": "None"}}, "j"))
    yield script("explicit addresses", SERVICE.create(at, "a"), SERVICE.create(at, "b"),
                 SERVICE.create({"spec": {"clusterIP": "192.168.1.1"}}, "c"),
                 SERVICE.create({"spec": {"clusterIP": "nonsense"}}, "d"),
                 SERVICE.create({"spec": {"clusterIP": "10.0.0.202", "clusterIPs": ["10.0.0.203"]}}, "e"),
                 SERVICE.create({"spec": {"clusterIPs": ["10.0.0.204"]}}, "f"),
                 SERVICE.create({"spec": {"clusterIP": "10.0.0.1"}}, "g"), delete(SERVICE.item("a")),
                 SERVICE.create(at, "b"))
    yield script("addresses of dry runs", SERVICE.create(at, "a", query="dryRun=All"), SERVICE.create(at, "a"))
    node_port = {"spec": {"type": "NodePort", "ports": [{"port": 80, "nodePort": 31234}]}}
    yield script("explicit node ports", SERVICE.create(node_port, "a"), SERVICE.create(node_port, "b"),
                 SERVICE.create({"spec": {"type": "NodePort", "ports": [{"port": 80, "nodePort": 80}]}}, "c"),
                 SERVICE.create({"spec": {"ports": [{"port": 80, "nodePort": 31235}]}}, "d"), delete(SERVICE.item("a")),
                 SERVICE.create(node_port, "b"))
    yield script("both families", SERVICE.create({"spec": {"ipFamilyPolicy": "RequireDualStack"}}, "a"),
                 SERVICE.create({"spec": {"ipFamilyPolicy": "PreferDualStack"}}, "b"),
                 SERVICE.create({"spec": {"ipFamilies": ["IPv6"]}}, "c"),
                 SERVICE.create({"spec": {"ipFamilies": ["IPv4"]}}, "d"),
                 SERVICE.create({"spec": {"ipFamilies": ["IPv5"]}}, "e"))
    yield script("ports of services", SERVICE.create(ports, "a"), SERVICE.create({"spec": {"ports": []}}, "b"),
                 SERVICE.create({"spec": {"ports": [{"port": 80, "protocol": "ICMP"}]}}, "c"),
                 SERVICE.create({"spec": {"ports": [{"name": "x", "port": 80}, {"name": "x", "port": 81}]}}, "d"),
                 SERVICE.create({"spec": {"ports": [{"name": "x", "port": 80}, {"name": "y", "port": 80}]}}, "e"),
                 SERVICE.create({"spec": {"ports": [{"port": 80, "targetPort": "http"}]}}, "f"),
                 SERVICE.create({"spec": {"ports": [{"port": 80, "targetPort": "Not A Port"}]}}, "g"),
                 SERVICE.create({"spec": {"ports": [{"port": 70000}]}}, "h"),
                 SERVICE.create({"spec": {"sessionAffinity": "ClientIP"}}, "i"),
                 SERVICE.create({"spec": {"sessionAffinity": "Never"}}, "j"),
                 SERVICE.create({"spec": {"externalIPs": ["1.2.3.4"]}}, "k"),
                 SERVICE.create({"spec": {"externalIPs": ["127.0.0.1"]}}, "l"))
    yield script("changing a service's type", SERVICE.create(), SERVICE.patch({"spec": {"type": "NodePort"}}),
                 SERVICE.patch({"spec": {"type": "LoadBalancer"}}), SERVICE.patch({"spec": {"type": "ClusterIP"}}),
                 SERVICE.patch({"spec": {"type": "ExternalName", "externalName": "example.com"}}), SERVICE.get(),
                 SERVICE.patch({"spec": {"type": "ClusterIP"}}), SERVICE.get())
    yield script("a put keeps addresses and ports", SERVICE.create({"spec": {"type": "NodePort"}}),
                 SERVICE.put({"spec": {"type": "NodePort", "ports": [{"port": 81}]}}), SERVICE.put(), SERVICE.get())
    yield script("the kubernetes service", get("/api/v1/namespaces/default/services/kubernetes"),
                 get("/api/v1/namespaces/default/services", "fieldSelector=metadata.name%3Dkubernetes", accept=TABLE))
    yield script("names of services", *[SERVICE.create(name=name) for name in ("1abc", "a.b", "x" * 64)])


def two_apis():
    yield script("an event in both APIs", EVENT.create(), NEW_EVENT.get(), NEW_EVENT.list(), EVENT.list(),
                 NEW_EVENT.create(name="new"), EVENT.get(name="new"), EVENT.list(accept=TABLE),
                 NEW_EVENT.list(accept=TABLE),
                 patch(EVENT.item("new"), {"message": "changed"}), NEW_EVENT.get(name="new"), NEW_EVENT.delete(),
                 EVENT.get())
    yield script("events that are refused", EVENT.create({"metadata": {"namespace": "${ns}"},
                                                          "involvedObject": {"namespace": ""}}, "a"),
                 NEW_EVENT.create({"reportingController": None}, "b"), NEW_EVENT.create({"action": None}, "c"),
                 NEW_EVENT.create({"eventTime": None}, "d"), NEW_EVENT.create({"reason": None}, "e"),
                 NEW_EVENT.create({"note": "x" * 1025}, "f"), NEW_EVENT.create({"reason": "x" * 129}, "g"),
                 EVENT.create({"type": "Weird"}, "h"), EVENT.create({"reason": None}, "i"),
                 NEW_EVENT.create({"deprecatedCount": 5}, "j"), EVENT.create({"eventTime": "2020-01-02T03:04:05.000006Z"}, "k"))
    yield script("watching events", EVENT.watch("core"), NEW_EVENT.watch("new"), EVENT.create(),
                 EVENT.patch({"count": 2}), {"events": "core", "count": 2}, {"events": "new", "count": 2})
    old = "/apis/autoscaling/v1/namespaces/${ns}/horizontalpodautoscalers"
    old_hpa = {"apiVersion": "autoscaling/v1", "kind": "HorizontalPodAutoscaler", "metadata": {"name": "old"},
               "spec": {"scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"},
                        "minReplicas": 1, "maxReplicas": 5, "targetCPUUtilizationPercentage": 60}}
    metrics = {"spec": {"metrics": [
        {"type": "Resource", "resource": {"name": "memory", "target": {"type": "Utilization", "averageUtilization": 50}}},
        {"type": "Pods", "pods": {"metric": {"name": "requests"}, "target": {"type": "AverageValue",
                                                                            "averageValue": "10"}}}],
        "behavior": {"scaleDown": {"stabilizationWindowSeconds": 60}}}}
    yield script("an autoscaler in both APIs", post(old, old_hpa), HPA.get(name="old"), HPA.create(metrics),
                 get(old + "/thing"), get(old), HPA.list(), get(old, accept=TABLE), HPA.list(accept=TABLE),
                 patch(old + "/thing", {"spec": {"maxReplicas": 7}}), HPA.get(),
                 put(old + "/thing", merge(old_hpa, {"metadata": {"name": "thing"}})), HPA.get(),
                 patch(HPA.item() + "/status", {"status": {"currentReplicas": 1, "desiredReplicas": 2, "currentMetrics": [
                     {"type": "Resource", "resource": {"name": "cpu", "current": {"averageUtilization": 30,
                                                                                  "averageValue": "1"}}}],
                     "conditions": [{"type": "AbleToScale", "status": "True", "reason": "x", "message": "y",
                                     "lastTransitionTime": "2020-01-02T03:04:05Z"}]}}),
                 get(old + "/thing"))
    yield script("autoscalers that are refused", HPA.create({"spec": {"minReplicas": 9}}, "a"),
                 HPA.create({"spec": {"scaleTargetRef": {"name": ""}}}, "b"),
                 HPA.create({"spec": {"metrics": [{"type": "Weird"}]}}, "c"),
                 HPA.create({"spec": {"metrics": [{"type": "Resource"}]}}, "d"),
                 HPA.create({"spec": {"minReplicas": 0}}, "e"),
                 post(old, merge(old_hpa, {"spec": {"targetCPUUtilizationPercentage": 0}})))


def admission():
    yield script("priorities of pods", PRIORITY_CLASS.create({"value": 1000}),
                 POD.create({"spec": {"priorityClassName": "${ns}-thing"}}, "a"),
                 POD.create({"spec": {"priorityClassName": "missing"}}, "b"), POD.create({"spec": {"priority": 5}}, "c"),
                 POD.create({"spec": {"priorityClassName": "${ns}-thing", "priority": 5}}, "d"),
                 POD.create({"spec": {"priorityClassName": "system-node-critical"}}, "e"),
                 POD.create({"spec": {"priorityClassName": "${ns}-thing", "preemptionPolicy": "Never"}}, "f"))
    yield script("names of priorities", post(PRIORITY_CLASS.collection, PRIORITY_CLASS.manifest(name="system-${ns}")),
                 get(PRIORITY_CLASS.collection + "/system-cluster-critical"),
                 delete(PRIORITY_CLASS.collection + "/system-cluster-critical", "dryRun=All"))
    yield script("limits of a namespace", ALL["LimitRange"].create({"spec": {"limits": [
        {"type": "Container", "default": {"cpu": "500m"}, "defaultRequest": {"cpu": "100m"}, "max": {"cpu": "1"}}]}}),
                 POD.create(name="a"), POD.create({"spec": {"containers": [
                     {"name": "main", "image": "x", "resources": {"limits": {"cpu": "2"}}}]}}, "b"))
    quota = ALL["ResourceQuota"]
    yield script("quotas", quota.create({"spec": {"hard": {"secrets": "0"}}}),
                 patch(quota.item() + "/status", {"status": {"hard": {"secrets": "0"}, "used": {"secrets": "0"}}}),
                 {"wait": 2}, SECRET.create())  # admission hears of quotas late
    yield script("tolerations that pods get", POD.create(), POD.create({"spec": {"tolerations": [
        {"key": "node.kubernetes.io/not-ready", "operator": "Exists", "effect": "NoExecute"}]}}, "b"))
    yield script("default storage class", CLAIM.create(),
                 CLAIM.create({"spec": {"storageClassName": "some"}}, "b"),
                 CLAIM.create({"spec": {"storageClassName": ""}}, "c"))
    yield script("protected volumes", VOLUME.create(), VOLUME.get(), VOLUME.delete(), VOLUME.get(), CLAIM.create(),
                 CLAIM.delete(), CLAIM.get(), CLAIM.patch({"metadata": {"finalizers": None}}), CLAIM.get())
    yield script("taints of new nodes", NODE.create(), NODE.create({"spec": {"taints": [
        {"key": "a", "effect": "NoSchedule"}]}}, "${ns}-b"))
    yield script("growing claims", STORAGE_CLASS.create({"allowVolumeExpansion": True}),
                 CLAIM.create({"spec": {"storageClassName": "${ns}-thing"}}),
                 patch(CLAIM.item(), {"spec": {"resources": {"requests": {"storage": "2Gi"}}}}),
                 patch(CLAIM.item() + "/status", {"status": {"phase": "Bound", "capacity": {"storage": "1Gi"}}}),
                 patch(CLAIM.item(), {"spec": {"volumeName": "v"}}),
                 patch(CLAIM.item(), {"spec": {"resources": {"requests": {"storage": "2Gi"}}}}))
    yield script("selectors of jobs", JOB.create({"spec": {"selector": {"matchLabels": {"a": "b"}}}}, "a"),
                 JOB.create({"spec": {"manualSelector": True, "selector": {"matchLabels": {"a": "b"}}, "template": {
                     "metadata": {"labels": {"a": "b"}}}}}, "b"),
                 JOB.create({"spec": {"suspend": True}}, "c"), JOB.create({"spec": {"completionMode": "Indexed"}}, "d"),
                 JOB.create({"spec": {"completionMode": "Indexed", "completions": 3, "backoffLimitPerIndex": 1}}, "e"),
                 JOB.create({"spec": {"template": {"spec": {"restartPolicy": "Always"}}}}, "f"),
                 JOB.create({"spec": {"ttlSecondsAfterFinished": -1}}, "g"))
    yield script("warnings", POD.create({"spec": {"containers": [{"name": "main", "image": "x", "ports": [
        {"containerPort": 80}, {"containerPort": 80}]}]}}, "a"),
                 POD.create({"metadata": {"annotations": {"scheduler.alpha.kubernetes.io/critical-pod": ""}}}, "b"),
                 POD.create({"spec": {"nodeSelector": {"beta.kubernetes.io/os": "linux"}}}, "c"),
                 POD.create({"spec": {"containers": [{"name": "main", "image": "x", "env": [
                     {"name": "A", "value": "1"}, {"name": "A", "value": "2"}]}]}}, "d"),
                 DEPLOYMENT.create({"spec": {"template": {"spec": {"nodeSelector": {"beta.kubernetes.io/arch": "x"}}}}},
                                   "e"), ENDPOINTS.create(name="f"))
    yield script("names of pods in hosts", POD.create(name="a.b"), POD.create(name="x" * 64),
                 DEPLOYMENT.create(name="a.b"), ALL["StatefulSet"].create(name="a.b"), JOB.create(name="a.b"),
                 ALL["CronJob"].create(name="x" * 53))


def scripts():
    yield from namespaces()
    yield from services()
    yield from two_apis()
    yield from admission()
