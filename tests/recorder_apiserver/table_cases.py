"""The objects that record_tables makes: of every built-in kind at least one, more where a cell has a logic of its own."""

import base64
import time

ALL = []


class Case:
    def __init__(self, name, resource, version, kind, body=None, *, cluster=False, metadata=None, status=None,
                 status_path="status", status_after_delete=None, delete=False, make=True, object_name=None, ask=""):
        self.name, self.resource, self.namespaced = name, resource, not cluster
        object_name = object_name or "table-" + name.replace("_", "-")
        self.object = {"apiVersion": version, "kind": kind, "metadata": {"name": object_name, **(metadata or {})},
                       **(body or {})}
        self.status, self.status_path, self.delete, self.make, self.ask = status, status_path, delete, make, ask
        self.status_after_delete = status_after_delete
        ALL.append(self)


def ago(seconds=0, minutes=0, hours=0, days=0, micro=False):
    at = time.gmtime(time.time() - seconds - 60 * minutes - 3600 * hours - 86400 * days)
    return time.strftime("%Y-%m-%dT%H:%M:%S", at) + (".000000Z" if micro else "Z")


# Pods ----------------------------------------------------------------------------------------------------------------

MAIN = {"name": "main", "image": "registry.example/main:1"}
SIDE = {"name": "side", "image": "registry.example/side:2"}
PLAIN_INIT = {"name": "prepare", "image": "registry.example/prepare:1"}
SECOND_INIT = {"name": "more", "image": "registry.example/more:1"}
SIDECAR = {"name": "proxy", "image": "registry.example/proxy:1", "restartPolicy": "Always"}


def container(name, state, ready=False, restarts=0, last=None, started=None):
    status = {"name": name, "image": "x", "imageID": "", "ready": ready, "restartCount": restarts, "state": state,
              "lastState": {"terminated": last} if last else {}}
    if started is not None:
        status["started"] = started
    return status


def running():
    return {"running": {"startedAt": ago(minutes=7)}}


def waiting(reason):
    return {"waiting": {"reason": reason}} if reason else {"waiting": {}}


def terminated(code, reason="", signal=0, finished=None):
    state = {"exitCode": code, "startedAt": ago(hours=1), "finishedAt": finished or ago(minutes=5)}
    if reason:
        state["reason"] = reason
    if signal:
        state["signal"] = signal
    return state


def condition(kind, value="True", **more):
    return {"type": kind, "status": value, "lastProbeTime": None, "lastTransitionTime": ago(minutes=5), **more}


def pod(name, phase="Running", containers=(MAIN,), inits=(), statuses=(), init_statuses=(), conditions=(), spec=None,
        status=None, **more):
    body = {"spec": {"containers": list(containers), **(spec or {})}}
    if inits:
        body["spec"]["initContainers"] = list(inits)
    whole = {"phase": phase, **(status or {})}
    if statuses:
        whole["containerStatuses"] = list(statuses)
    if init_statuses:
        whole["initContainerStatuses"] = list(init_statuses)
    if conditions:
        whole["conditions"] = list(conditions)
    Case(name, "pods", "v1", "Pod", body, status=whole, **more)


ADDRESSED = {"podIP": "10.1.0.7", "podIPs": [{"ip": "10.1.0.7"}, {"ip": "fd00::7"}]}
pod("pending", "Pending")
pod("running", statuses=[container("main", running(), ready=True)], conditions=[condition("Ready")],
    spec={"nodeName": "node-a"}, status=ADDRESSED)
pod("nominated", "Pending", status={"nominatedNodeName": "node-b"})
pod("running_not_ready", statuses=[container("main", running())])
pod("two_containers_one_ready", containers=[MAIN, SIDE],
    statuses=[container("main", running(), ready=True), container("side", running())])
pod("creating", "Pending", statuses=[container("main", waiting("ContainerCreating"))])
pod("waiting_without_reason", "Pending", statuses=[container("main", waiting(""))])
pod("crash_loop", statuses=[container("main", waiting("CrashLoopBackOff"), restarts=3,
                                      last=terminated(1, "Error", finished=ago(minutes=5)))])
pod("restarted_long_ago", statuses=[container("main", running(), ready=True, restarts=12,
                                              last=terminated(1, "Error", finished=ago(days=9)))])
pod("restarted_without_time", statuses=[container("main", running(), ready=True, restarts=2)])
pod("restarts_of_two", containers=[MAIN, SIDE],
    statuses=[container("main", running(), True, 1, terminated(1, "Error", finished=ago(hours=5, minutes=20))),
              container("side", running(), True, 2, terminated(1, "Error", finished=ago(days=3, hours=4)))])
pod("image_pull", "Pending", statuses=[container("main", waiting("ImagePullBackOff"))])
pod("completed", "Succeeded", spec={"restartPolicy": "Never"},
    statuses=[container("main", {"terminated": terminated(0, "Completed")})])
pod("failed", "Failed", spec={"restartPolicy": "Never"},
    statuses=[container("main", {"terminated": terminated(1, "Error")})])
pod("exit_code", "Failed", spec={"restartPolicy": "Never"}, statuses=[container("main", {"terminated": terminated(3)})])
pod("signal", "Failed", spec={"restartPolicy": "Never"},
    statuses=[container("main", {"terminated": terminated(137, signal=9)})])
pod("evicted", "Failed", status={"reason": "Evicted", "message": "The node was low on memory."})
pod("one_completed_ready", containers=[MAIN, SIDE], spec={"restartPolicy": "OnFailure"}, conditions=[condition("Ready")],
    statuses=[container("main", {"terminated": terminated(0, "Completed")}), container("side", running(), ready=True)])
pod("one_completed_not_ready", containers=[MAIN, SIDE], spec={"restartPolicy": "OnFailure"},
    conditions=[condition("Ready", "False")],
    statuses=[container("main", {"terminated": terminated(0, "Completed")}), container("side", running(), ready=True)])
pod("one_completed_one_failed", containers=[MAIN, SIDE], spec={"restartPolicy": "Never"},
    statuses=[container("main", {"terminated": terminated(0, "Completed")}),
              container("side", {"terminated": terminated(2, "Error")})])
pod("init_first", "Pending", inits=[PLAIN_INIT, SECOND_INIT], conditions=[condition("Initialized", "False")],
    init_statuses=[container("prepare", running()), container("more", waiting("PodInitializing"))])
pod("init_second", "Pending", inits=[PLAIN_INIT, SECOND_INIT],
    init_statuses=[container("prepare", {"terminated": terminated(0, "Completed")}),
                   container("more", waiting("PodInitializing"))],
    statuses=[container("main", waiting("PodInitializing"))])
pod("init_crash_loop", "Pending", inits=[PLAIN_INIT],
    init_statuses=[container("prepare", waiting("CrashLoopBackOff"), restarts=4,
                             last=terminated(1, "Error", finished=ago(seconds=150)))])
pod("init_error", "Pending", inits=[PLAIN_INIT],
    init_statuses=[container("prepare", {"terminated": terminated(1, "Error")}, restarts=1)])
pod("init_exit_code", "Failed", inits=[PLAIN_INIT], spec={"restartPolicy": "Never"},
    init_statuses=[container("prepare", {"terminated": terminated(7)})])
pod("init_signal", "Failed", inits=[PLAIN_INIT], spec={"restartPolicy": "Never"},
    init_statuses=[container("prepare", {"terminated": terminated(143, signal=15)})])
pod("initialized_again", inits=[PLAIN_INIT], conditions=[condition("Initialized"), condition("Ready")],
    init_statuses=[container("prepare", running(), restarts=2)],
    statuses=[container("main", running(), ready=True, restarts=1)])
pod("sidecar_running", inits=[PLAIN_INIT, SIDECAR], conditions=[condition("Initialized"), condition("Ready")],
    init_statuses=[container("prepare", {"terminated": terminated(0, "Completed")}, restarts=5,
                             last=terminated(1, "Error", finished=ago(days=2))),
                   container("proxy", running(), ready=True, started=True, restarts=1,
                             last=terminated(1, "Error", finished=ago(hours=9)))],
    statuses=[container("main", running(), ready=True, restarts=2, last=terminated(1, "Error", finished=ago(hours=30)))])
pod("sidecar_not_started", "Pending", inits=[SIDECAR, PLAIN_INIT],
    init_statuses=[container("proxy", running(), started=False), container("prepare", waiting("PodInitializing"))])
pod("sidecar_not_ready", inits=[SIDECAR], init_statuses=[container("proxy", running(), started=True)],
    statuses=[container("main", running(), ready=True)])
pod("scheduling_gated", "Pending", spec={"schedulingGates": [{"name": "example.com/wait"}]},
    conditions=[condition("PodScheduled", "False", reason="SchedulingGated")])
pod("readiness_gates", spec={"readinessGates": [{"conditionType": "example.com/a"}, {"conditionType": "example.com/b"}]},
    conditions=[condition("example.com/a"), condition("example.com/b", "False")],
    statuses=[container("main", running(), ready=True)])
pod("terminating", statuses=[container("main", running(), ready=True)], delete=True)
pod("terminating_completed", "Succeeded", spec={"restartPolicy": "Never"}, delete=True,
    statuses=[container("main", {"terminated": terminated(0, "Completed")})])
pod("node_lost", status={"reason": "NodeLost"}, delete=True)

# Core ----------------------------------------------------------------------------------------------------------------

Case("plain", "configmaps", "v1", "ConfigMap", {"data": {"a": "1", "b": "2"}, "binaryData": {"c": "AAE="}})
Case("empty", "configmaps", "v1", "ConfigMap")
Case("opaque", "secrets", "v1", "Secret", {"data": {"a": "MQ=="}})
Case("tls", "secrets", "v1", "Secret", {"type": "kubernetes.io/tls", "data": {"tls.crt": "", "tls.key": ""}})
Case("plain", "serviceaccounts", "v1", "ServiceAccount")
Case("plain", "limitranges", "v1", "LimitRange", {"spec": {"limits": []}})
Case("plain", "podtemplates", "v1", "PodTemplate",
     {"template": {"metadata": {"labels": {"app": "web", "tier": "front"}}, "spec": {"containers": [MAIN, SIDE]}}})
Case("no_labels", "podtemplates", "v1", "PodTemplate", {"template": {"spec": {"containers": [MAIN]}}})
Case("etcd", "componentstatuses", "v1", "ComponentStatus", cluster=True, make=False, object_name="etcd-0")
Case("scheduler", "componentstatuses", "v1", "ComponentStatus", cluster=True, make=False, object_name="scheduler")
Case("default", "namespaces", "v1", "Namespace", cluster=True, make=False, object_name="default")
Case("quota", "resourcequotas", "v1", "ResourceQuota",
     {"spec": {"hard": {"pods": "10", "limits.cpu": "4", "limits.memory": "8Gi", "requests.cpu": "2"}}},
     status={"hard": {"pods": "10", "limits.cpu": "4", "limits.memory": "8Gi", "requests.cpu": "2"},
             "used": {"pods": "3", "limits.cpu": "1500m", "limits.memory": "1Gi"}})
Case("unseen", "resourcequotas", "v1", "ResourceQuota", {"spec": {"hard": {"pods": "10"}}})

NODE_INFO = {"machineID": "", "systemUUID": "", "bootID": "", "kernelVersion": "6.1.0-18", "osImage": "Debian 12",
             "containerRuntimeVersion": "containerd://1.7.2", "kubeletVersion": "v1.36.3", "kubeProxyVersion": "",
             "operatingSystem": "linux", "architecture": "amd64"}
READY = [{"type": "MemoryPressure", "status": "False"}, {"type": "Ready", "status": "True"}]
Case("new", "nodes", "v1", "Node", cluster=True)
Case("ready", "nodes", "v1", "Node", cluster=True,
     metadata={"labels": {"node-role.kubernetes.io/worker": "", "node-role.kubernetes.io/control-plane": "",
                          "kubernetes.io/role": "edge"}},
     status={"conditions": READY, "nodeInfo": NODE_INFO,
             "addresses": [{"type": "Hostname", "address": "a"}, {"type": "InternalIP", "address": "10.0.0.5"},
                           {"type": "InternalIP", "address": "10.0.0.6"},
                           {"type": "ExternalIP", "address": "192.0.2.1"}]})
Case("cordoned", "nodes", "v1", "Node", {"spec": {"unschedulable": True}}, cluster=True, status={"conditions": READY})
Case("not_ready", "nodes", "v1", "Node", {"spec": {"unschedulable": True}}, cluster=True,
     status={"conditions": [{"type": "Ready", "status": "Unknown"}], "nodeInfo": {**NODE_INFO, "kernelVersion": ""}})


def event(name, **body):
    about = {"kind": "Pod", "namespace": "record-tables", "name": "web", "fieldPath": "spec.containers{main}"}
    Case(name, "events", "v1", "Event",
         {"involvedObject": about, "reason": "Started", "message": "Started container\n", "type": "Normal", **body})


event("old_style", source={"component": "kubelet", "host": "node-a"}, firstTimestamp=ago(hours=2),
      lastTimestamp=ago(minutes=4), count=7)
event("only_first", source={"component": "kubelet"}, firstTimestamp=ago(days=2))
event("new_style", eventTime=ago(minutes=40, micro=True), reportingComponent="example.com/controller",
      reportingInstance="controller-0", action="Do", firstTimestamp=None, lastTimestamp=None)
event("series", eventTime=ago(hours=40, micro=True), reportingComponent="example.com/controller",
      reportingInstance="controller-0", action="Do", series={"count": 9, "lastObservedTime": ago(minutes=15, micro=True)})
event("nothing", involvedObject={"kind": "Node", "namespace": "record-tables"})

# Services ------------------------------------------------------------------------------------------------------------


def service(name, ports=((80, None, None),), status=None, **spec):
    listed = []
    for number, node_port, protocol in ports:
        port = {"name": f"p{number}-{(protocol or 'TCP').lower()}", "port": number}
        if node_port:
            port["nodePort"] = node_port
        if protocol:
            port["protocol"] = protocol
        listed.append(port)
    if listed:
        spec["ports"] = listed
    Case(name, "services", "v1", "Service", {"spec": spec}, status=status)


service("cluster_ip", selector={"app": "web", "tier": "front"}, ports=[(80, None, None), (53, None, "UDP")])
service("external_ips", externalIPs=["192.0.2.10", "192.0.2.11"])
service("headless", clusterIP="None", selector={"app": "web"})
service("headless_without_ports", clusterIP="None", ports=())
service("node_port", type="NodePort", ports=[(80, 31777, None), (443, 31778, None)])
service("external_name", type="ExternalName", externalName="db.example.com", ports=())
service("pending_balancer", type="LoadBalancer", allocateLoadBalancerNodePorts=False)
service("balancer", type="LoadBalancer", allocateLoadBalancerNodePorts=False,
        status={"loadBalancer": {"ingress": [{"ip": "192.0.2.30"}, {"hostname": "a-very-long-name.balancer.example.com"},
                                             {"ip": "192.0.2.20"}, {"ip": "192.0.2.20"}]}})
service("balancer_and_external_ips", type="LoadBalancer", allocateLoadBalancerNodePorts=False,
        externalIPs=["192.0.2.10"], status={"loadBalancer": {"ingress": [{"ip": "192.0.2.30"}]}})

Case("kubernetes", "endpoints", "v1", "Endpoints")
Case("with_ports", "endpoints", "v1", "Endpoints",
     {"subsets": [{"addresses": [{"ip": "192.0.2.1"}, {"ip": "2001:db8::1"}], "ports": [{"name": "a", "port": 80}]}]})
Case("many", "endpoints", "v1", "Endpoints",
     {"subsets": [{"addresses": [{"ip": f"192.0.2.{i}"} for i in range(1, 4)],
                   "ports": [{"name": "a", "port": 80}, {"name": "b", "port": 81}]}, {"addresses": [{"ip": "192.0.2.9"}]}]})
Case("without_ports", "endpoints", "v1", "Endpoints",
     {"subsets": [{"addresses": [{"ip": f"192.0.2.{i}"} for i in range(1, 6)]}]})
Case("only_not_ready", "endpoints", "v1", "Endpoints",
     {"subsets": [{"notReadyAddresses": [{"ip": "192.0.2.1"}], "ports": [{"port": 80}]}]})

SLICES = ("endpointslices", "discovery.k8s.io/v1", "EndpointSlice")
Case("empty", *SLICES, {"addressType": "IPv4", "endpoints": [], "ports": []})
Case("plain", *SLICES, {"addressType": "IPv4", "endpoints": [{"addresses": ["192.0.2.1"]}, {"addresses": ["192.0.2.2"]}],
                        "ports": [{"name": "http", "port": 80}]})
Case("many", *SLICES, {"addressType": "IPv4", "endpoints": [{"addresses": [f"192.0.2.{i}"]} for i in range(1, 8)],
                       "ports": [{"name": f"p{i}", "port": 8000 + i} for i in range(5)]})
Case("any_port", *SLICES, {"addressType": "FQDN", "endpoints": [{"addresses": ["a.example.com"]}],
                           "ports": [{"name": "named"}, {"name": ""}]})

INGRESSES = ("ingresses", "networking.k8s.io/v1", "Ingress")
BACKEND = {"service": {"name": "web", "port": {"number": 80}}}
Case("default_backend", *INGRESSES, {"spec": {"defaultBackend": BACKEND}})


def rule(host):
    paths = {"http": {"paths": [{"path": "/", "pathType": "Prefix", "backend": BACKEND}]}}
    return {"host": host, **paths} if host else paths


Case("two_hosts", *INGRESSES, {"spec": {"ingressClassName": "fast", "rules": [rule("a.example.com"), rule("b.example.com")],
                                        "tls": [{"hosts": ["a.example.com"]}]}},
     status={"loadBalancer": {"ingress": [{"ip": "192.0.2.30"}, {"hostname": "lb.example.com"}]}})
Case("many_hosts", *INGRESSES, {"spec": {"rules": [rule("")] + [rule(f"h{i}.example.com") for i in range(5)]}})
Case("three_hosts", *INGRESSES, {"spec": {"rules": [rule(f"h{i}.example.com") for i in range(3)]}})
CLASSES = ("ingressclasses", "networking.k8s.io/v1", "IngressClass")
Case("plain", *CLASSES, {"spec": {"controller": "example.com/fast"}}, cluster=True)
Case("default", *CLASSES, {"spec": {"controller": "example.com/fast", "parameters": {
    "apiGroup": "example.com", "kind": "Settings", "name": "fast"}}}, cluster=True,
     metadata={"annotations": {"ingressclass.kubernetes.io/is-default-class": "true"}})
Case("core_parameters", *CLASSES, {"spec": {"controller": "example.com/fast", "parameters": {
    "kind": "ConfigMap", "name": "fast"}}}, cluster=True)
POLICIES = ("networkpolicies", "networking.k8s.io/v1", "NetworkPolicy")
Case("all", *POLICIES, {"spec": {"podSelector": {}}})
Case("some", *POLICIES, {"spec": {"podSelector": {
    "matchLabels": {"app": "web"}, "matchExpressions": [{"key": "tier", "operator": "In", "values": ["b", "a"]},
                                                        {"key": "old", "operator": "DoesNotExist"}]}}})
Case("kubernetes", "servicecidrs", "networking.k8s.io/v1", "ServiceCIDR", cluster=True, make=False,
     object_name="kubernetes")
Case("of_service", "ipaddresses", "networking.k8s.io/v1", "IPAddress", cluster=True, make=False, object_name="10.0.0.1")
Case("of_gateway", "ipaddresses", "networking.k8s.io/v1", "IPAddress", {"spec": {"parentRef": {
    "group": "gateway.networking.k8s.io", "resource": "gateways", "name": "edge"}}}, cluster=True,
     object_name="192.0.2.77", metadata={"labels": {"ipaddress.kubernetes.io/managed-by": "example.com"}})

# Workloads -----------------------------------------------------------------------------------------------------------

SELECTOR = {"matchLabels": {"app": "web"}}
TEMPLATE = {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [MAIN, SIDE]}}


def workload(resource, kind, name, status=None, version="apps/v1", **spec):
    Case(name, resource, version, kind, {"spec": {"selector": SELECTOR, "template": TEMPLATE, **spec}}, status=status)


workload("deployments", "Deployment", "new")
workload("deployments", "Deployment", "rolling", replicas=5,
         selector={"matchLabels": {"app": "web"}, "matchExpressions": [{"key": "app", "operator": "NotIn",
                                                                        "values": ["db"]}]},
         status={"replicas": 6, "updatedReplicas": 2, "readyReplicas": 4, "availableReplicas": 3})
workload("replicasets", "ReplicaSet", "new", replicas=0)
workload("replicasets", "ReplicaSet", "partly", replicas=3, status={"replicas": 2, "readyReplicas": 1})
workload("statefulsets", "StatefulSet", "new", serviceName="web")
workload("statefulsets", "StatefulSet", "partly", serviceName="web", replicas=3,
         status={"replicas": 2, "readyReplicas": 1})
workload("daemonsets", "DaemonSet", "new")
workload("daemonsets", "DaemonSet", "partly",
         template={"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [MAIN], "nodeSelector": {
             "disk": "fast", "arch": "arm64"}}},
         status={"desiredNumberScheduled": 5, "currentNumberScheduled": 4, "numberReady": 3, "updatedNumberScheduled": 2,
                 "numberAvailable": 1, "numberMisscheduled": 0})
workload("replicationcontrollers", "ReplicationController", "plain", version="v1", replicas=2, selector={"app": "web"},
         status={"replicas": 2, "readyReplicas": 1})
Case("scale", "deployments", "apps/v1", "Deployment",
     {"spec": {"selector": SELECTOR, "template": TEMPLATE, "replicas": 4}}, status={"replicas": 3}, ask="/scale")

REVISIONS = ("controllerrevisions", "apps/v1", "ControllerRevision")
Case("owned", *REVISIONS, {"revision": 7, "data": {"spec": {}}}, metadata={"ownerReferences": [
    {"apiVersion": "v1", "kind": "ConfigMap", "name": "other", "uid": "1"},
    {"apiVersion": "apps/v1", "kind": "StatefulSet", "name": "web", "uid": "2", "controller": True}]})
Case("owned_by_core", *REVISIONS, {"revision": 1, "data": {}}, metadata={"ownerReferences": [
    {"apiVersion": "v1", "kind": "ReplicationController", "name": "web", "uid": "2", "controller": True}]})
Case("free", *REVISIONS, {"revision": 1, "data": {}})

JOB_TEMPLATE = {"spec": {"containers": [MAIN], "restartPolicy": "Never"}}


def job(name, status=None, delete=False, **spec):
    Case(name, "jobs", "batch/v1", "Job", {"spec": {"template": JOB_TEMPLATE, **spec}}, status=status, delete=delete)


def job_condition(kind):
    return {"type": kind, "status": "True", "lastProbeTime": ago(minutes=3), "lastTransitionTime": ago(minutes=3),
            "reason": "Because"}


job("new")
job("queue", parallelism=3)
job("indexed", completions=5, parallelism=2, status={"startTime": ago(minutes=30), "active": 2, "succeeded": 3,
                                                     "ready": 1, "uncountedTerminatedPods": {}})
job("suspended", suspend=True, status={"conditions": [job_condition("Suspended")]})
job("complete", completions=1, status={
    "startTime": ago(minutes=9), "completionTime": ago(minutes=3), "succeeded": 1, "uncountedTerminatedPods": {},
    "conditions": [job_condition("SuccessCriteriaMet"), job_condition("Complete")]})
job("failed", completions=1, status={
    "startTime": ago(minutes=9), "failed": 1, "uncountedTerminatedPods": {},
    "conditions": [job_condition("FailureTarget"), job_condition("Failed")]})
job("failing", completions=1, status={"startTime": ago(minutes=9), "active": 1, "uncountedTerminatedPods": {},
                                      "conditions": [job_condition("FailureTarget")]})
job("succeeding", completions=1, status={"startTime": ago(minutes=9), "active": 1, "uncountedTerminatedPods": {},
                                         "conditions": [job_condition("SuccessCriteriaMet")]})
job("terminating", delete=True)
CRON = ("cronjobs", "batch/v1", "CronJob")
Case("plain", *CRON, {"spec": {"schedule": "*/5 * * * *", "jobTemplate": {"spec": {"template": JOB_TEMPLATE}}}})
Case("busy", *CRON, {"spec": {"schedule": "@daily", "timeZone": "Europe/Berlin", "suspend": True,
                              "jobTemplate": {"spec": {"template": JOB_TEMPLATE}}}},
     status={"lastScheduleTime": ago(hours=7, minutes=30), "active": [
         {"apiVersion": "batch/v1", "kind": "Job", "namespace": "record-tables", "name": "x"}]})

# Storage -------------------------------------------------------------------------------------------------------------

VOLUME = {"capacity": {"storage": "10Gi"}, "accessModes": ["ReadWriteOnce"], "hostPath": {"path": "/data"}}
VOLUMES = ("persistentvolumes", "v1", "PersistentVolume")
Case("available", *VOLUMES, {"spec": VOLUME}, cluster=True, status={"phase": "Available"})
Case("bound", *VOLUMES, {"spec": {**VOLUME, "accessModes": ["ReadWriteMany", "ReadOnlyMany", "ReadWriteOnce"],
                                  "claimRef": {"namespace": "a", "name": "b"}, "storageClassName": "slow",
                                  "persistentVolumeReclaimPolicy": "Delete", "volumeMode": "Block"}}, cluster=True,
     status={"phase": "Failed", "reason": "RecyclerFailed"})
Case("annotated", *VOLUMES, {"spec": VOLUME}, cluster=True, delete=True,
     metadata={"annotations": {"volume.beta.kubernetes.io/storage-class": "ancient"}})
CLAIM = {"accessModes": ["ReadWriteOncePod"], "resources": {"requests": {"storage": "1500Mi"}}}
CLAIMS = ("persistentvolumeclaims", "v1", "PersistentVolumeClaim")
Case("pending", *CLAIMS, {"spec": {**CLAIM, "storageClassName": "fast"}})
Case("bound", *CLAIMS, {"spec": {**CLAIM, "volumeName": "pv-1", "volumeMode": "Block", "storageClassName": "",
                                 "volumeAttributesClassName": "gold"}},
     status={"phase": "Bound", "accessModes": ["ReadWriteOncePod"], "capacity": {"storage": "2Gi"}})
Case("named_only", *CLAIMS, {"spec": {**CLAIM, "volumeName": "pv-1"}}, delete=True)
SCS = ("storageclasses", "storage.k8s.io/v1", "StorageClass")
Case("plain", *SCS, {"provisioner": "example.com/disk"}, cluster=True)
Case("default", *SCS, {"provisioner": "example.com/disk", "reclaimPolicy": "Retain", "allowVolumeExpansion": True,
                       "volumeBindingMode": "WaitForFirstConsumer"}, cluster=True,
     metadata={"annotations": {"storageclass.kubernetes.io/is-default-class": "true"}})
Case("beta_default", *SCS, {"provisioner": "example.com/disk"}, cluster=True,
     metadata={"annotations": {"storageclass.beta.kubernetes.io/is-default-class": "true"}})
Case("plain", "volumeattributesclasses", "storage.k8s.io/v1", "VolumeAttributesClass",
     {"driverName": "example.com/disk", "parameters": {"iops": "100"}}, cluster=True)
ATTACHMENTS = ("volumeattachments", "storage.k8s.io/v1", "VolumeAttachment")
Case("attached", *ATTACHMENTS, {"spec": {"attacher": "disk.example.com", "nodeName": "node-a", "source": {
    "persistentVolumeName": "pv-1"}}}, cluster=True, status={"attached": True})
Case("csi", "csinodes", "storage.k8s.io/v1", "CSINode",
     {"spec": {"drivers": [{"name": "example.com", "nodeID": "a", "topologyKeys": []}]}}, cluster=True)
Case("empty", "csinodes", "storage.k8s.io/v1", "CSINode", {"spec": {"drivers": []}}, cluster=True)
DRIVERS = ("csidrivers", "storage.k8s.io/v1", "CSIDriver")
Case("plain", *DRIVERS, {"spec": {}}, cluster=True)
Case("rich", *DRIVERS, {"spec": {"attachRequired": False, "podInfoOnMount": True, "storageCapacity": True,
                                 "requiresRepublish": True, "volumeLifecycleModes": ["Persistent", "Ephemeral"],
                                 "tokenRequests": [{"audience": "a"}, {"audience": "b"}]}}, cluster=True)
Case("plain", "csistoragecapacities", "storage.k8s.io/v1", "CSIStorageCapacity",
     {"storageClassName": "fast", "capacity": "100Gi"})

# Policy, autoscaling, roles ------------------------------------------------------------------------------------------

BUDGETS = ("poddisruptionbudgets", "policy/v1", "PodDisruptionBudget")
Case("minimum", *BUDGETS, {"spec": {"minAvailable": 2, "selector": SELECTOR}}, status={
    "disruptionsAllowed": 1, "currentHealthy": 3, "desiredHealthy": 2, "expectedPods": 3})
Case("maximum", *BUDGETS, {"spec": {"maxUnavailable": "25%", "selector": SELECTOR}})

SCALERS = ("horizontalpodautoscalers", "autoscaling/v2", "HorizontalPodAutoscaler")


def scaler(name, metrics=None, current=None, **spec):
    target = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"}
    body = {"scaleTargetRef": target, "maxReplicas": 9, **spec}
    if metrics:
        body["metrics"] = metrics
    status = {"currentReplicas": 3, "desiredReplicas": 4, "currentMetrics": current} if current is not None else None
    Case(name, *SCALERS, {"spec": body}, status=status)


def resource(name, target, kind="Resource", **more):
    key = kind[0].lower() + kind[1:]
    return {"type": kind, key: {"name": name, "target": target, **more}}


def resource_now(name, current, kind="Resource", **more):
    key = kind[0].lower() + kind[1:]
    return {"type": kind, key: {"name": name, "current": current, **more}}


USE_80 = {"type": "Utilization", "averageUtilization": 80}
scaler("default")
scaler("utilization", [resource("cpu", USE_80)], [resource_now("cpu", {"averageUtilization": 63, "averageValue": "630m"})],
       minReplicas=2)
scaler("average_value", [resource("memory", {"type": "AverageValue", "averageValue": "500Mi"})],
       [resource_now("memory", {"averageValue": "524288k"})])
scaler("container", [resource("cpu", USE_80, "ContainerResource", container="main")],
       [resource_now("cpu", {"averageUtilization": 10, "averageValue": "10m"}, "ContainerResource", container="main")])
scaler("container_value", [resource("cpu", {"type": "AverageValue", "averageValue": "2"}, "ContainerResource",
                                    container="main")], [])
EXTERNAL = {"metric": {"name": "queue"}}
scaler("external_value", [{"type": "External", "external": {**EXTERNAL, "target": {"type": "Value", "value": "30"}}}],
       [{"type": "External", "external": {**EXTERNAL, "current": {"value": "1500m"}}}])
scaler("external_average", [{"type": "External", "external": {**EXTERNAL, "target": {
    "type": "AverageValue", "averageValue": "30"}}}],
       [{"type": "External", "external": {**EXTERNAL, "current": {"averageValue": "12"}}}])
scaler("pods", [{"type": "Pods", "pods": {"metric": {"name": "rps"}, "target": {"type": "AverageValue",
                                                                              "averageValue": "1k"}}}], [])
OBJECT = {"metric": {"name": "rps"}, "describedObject": {"kind": "Service", "name": "web", "apiVersion": "v1"}}
scaler("objects_and_more",
       [{"type": "Object", "object": {**OBJECT, "target": {"type": "Value", "value": "10k"}}},
        {"type": "Object", "object": {**OBJECT, "target": {"type": "AverageValue", "averageValue": "5"}}},
        resource("cpu", USE_80), resource("memory", USE_80)],
       [{"type": "Object", "object": {**OBJECT, "current": {"value": "2"}}}])
scaler("known_of_pods", [{"type": "Pods", "pods": {"metric": {"name": "rps"}, "target": {
    "type": "AverageValue", "averageValue": "1k"}}}],
       [{"type": "Pods", "pods": {"metric": {"name": "rps"}, "current": {"averageValue": "900m"}}}])

Case("held", "leases", "coordination.k8s.io/v1", "Lease", {"spec": {"holderIdentity": "a_1", "leaseDurationSeconds": 15}})
Case("free", "leases", "coordination.k8s.io/v1", "Lease")
Case("system", "priorityclasses", "scheduling.k8s.io/v1", "PriorityClass", cluster=True, make=False,
     object_name="system-node-critical")
Case("never", "priorityclasses", "scheduling.k8s.io/v1", "PriorityClass", {"value": -5, "preemptionPolicy": "Never"},
     cluster=True)
Case("plain", "runtimeclasses", "node.k8s.io/v1", "RuntimeClass", {"handler": "kata"}, cluster=True)
RBAC = "rbac.authorization.k8s.io"
SUBJECTS = [{"kind": "User", "name": "ann", "apiGroup": RBAC}, {"kind": "Group", "name": "dev", "apiGroup": RBAC},
            {"kind": "User", "name": "bob", "apiGroup": RBAC}, {"kind": "ServiceAccount", "name": "s", "namespace": "n"},
            {"kind": "ServiceAccount", "name": "t", "namespace": "n"}]
Case("plain", "roles", RBAC + "/v1", "Role", {"rules": []})
Case("plain", "clusterroles", RBAC + "/v1", "ClusterRole", {"rules": []}, cluster=True)
Case("many", "rolebindings", RBAC + "/v1", "RoleBinding",
     {"roleRef": {"apiGroup": RBAC, "kind": "Role", "name": "r"}, "subjects": SUBJECTS})
Case("empty", "rolebindings", RBAC + "/v1", "RoleBinding", {"roleRef": {"apiGroup": RBAC, "kind": "Role", "name": "r"}})
Case("many", "clusterrolebindings", RBAC + "/v1", "ClusterRoleBinding",
     {"roleRef": {"apiGroup": RBAC, "kind": "ClusterRole", "name": "r"}, "subjects": SUBJECTS}, cluster=True)

# What extends the server ---------------------------------------------------------------------------------------------

ADMISSION = "admissionregistration.k8s.io/v1"
HOOK = {"name": "a.example.com", "sideEffects": "None", "admissionReviewVersions": ["v1"],
        "clientConfig": {"url": "https://example.com/a"}}
for word in ("Mutating", "Validating"):
    Case("plain", f"{word.lower()}webhookconfigurations", ADMISSION, f"{word}WebhookConfiguration",
         {"webhooks": [HOOK]}, cluster=True)
MATCH = {"resourceRules": [{"apiGroups": ["example.com"], "apiVersions": ["v1"], "operations": ["CREATE"],
                            "resources": ["things"]}]}
PARAMS = {"apiVersion": "v1", "kind": "ConfigMap"}
VALIDATING = ("validatingadmissionpolicies", ADMISSION, "ValidatingAdmissionPolicy")
Case("plain", *VALIDATING, {"spec": {"matchConstraints": MATCH, "validations": [{"expression": "true"}]}}, cluster=True)
Case("params", *VALIDATING, {"spec": {"matchConstraints": MATCH, "validations": [{"expression": "true"}],
                                      "paramKind": PARAMS}}, cluster=True)
MUTATION = {"patchType": "ApplyConfiguration", "applyConfiguration": {"expression": "Object{}"}}
MUTATING = ("mutatingadmissionpolicies", ADMISSION, "MutatingAdmissionPolicy")
Case("plain", *MUTATING, {"spec": {"matchConstraints": MATCH, "mutations": [MUTATION], "reinvocationPolicy": "Never"}},
     cluster=True)
Case("params", *MUTATING, {"spec": {"matchConstraints": MATCH, "mutations": [MUTATION], "reinvocationPolicy": "Never",
                                    "paramKind": PARAMS}}, cluster=True)
for word, extra in (("Mutating", {}), ("Validating", {"validationActions": ["Deny"]})):
    BINDING = (f"{word.lower()}admissionpolicybindings", ADMISSION, f"{word}AdmissionPolicyBinding")
    Case("plain", *BINDING, {"spec": {"policyName": "p", **extra}}, cluster=True)
    Case("named", *BINDING, {"spec": {"policyName": "p", "paramRef": {
        "name": "x", "parameterNotFoundAction": "Allow"}, **extra}}, cluster=True)
    Case("namespaced", *BINDING, {"spec": {"policyName": "p", "paramRef": {
        "name": "x", "namespace": "n", "parameterNotFoundAction": "Allow"}, **extra}}, cluster=True)
    Case("selected", *BINDING, {"spec": {"policyName": "p", "paramRef": {"parameterNotFoundAction": "Allow", "selector": {
        "matchLabels": {"b": "1", "a": "2"}, "matchExpressions": [
            {"key": "k", "operator": "In", "values": ["x", "y"]}, {"key": "l", "operator": "Exists"}]}}, **extra}},
         cluster=True)

SERVICES = ("apiservices", "apiregistration.k8s.io/v1", "APIService")
Case("local", *SERVICES, cluster=True, make=False, object_name="v1.apps")
CERTIFICATES = ("certificatesigningrequests", "certificates.k8s.io/v1", "CertificateSigningRequest")
REQUEST = """-----BEGIN CERTIFICATE REQUEST-----
MIHMMHQCAQAwEjEQMA4GA1UEAwwHZXhhbXBsZTBZMBMGByqGSM49AgEGCCqGSM49
AwEHA0IABFQKd0pdqhLz63IBNNbfUQ84Dzk8pP+jIHJiYIAK0g+KInshHcgmi/EB
cXwmytv+RELbVVwooN7e2FF//+9fMCqgADAKBggqhkjOPQQDAgNIADBFAiAAucjd
xNycrH+8yhdB4JBIr4YkL2zpfJPBInPCvPq9gwIhAN/V3GYP+qQjEmjYoXdozEf6
gvGlP5lvk2wycpJHp4eW
-----END CERTIFICATE REQUEST-----
"""


def signing(name, status=None, status_path="approval", **spec):
    Case(name, *CERTIFICATES, {"spec": {"request": base64.b64encode(REQUEST.encode()).decode(),
                                        "signerName": "example.com/signer", "usages": ["client auth"], **spec}},
         cluster=True, status=status, status_path=status_path)


def decision(kind):
    return {"type": kind, "status": "True", "reason": "Because"}


signing("pending", expirationSeconds=86400 * 3)
signing("approved", {"conditions": [decision("Approved")]})
signing("denied", {"conditions": [decision("Denied")]})
signing("failed", {"conditions": [decision("Failed")]}, "status", expirationSeconds=600)

FLOW = "flowcontrol.apiserver.k8s.io/v1"
Case("probes", "flowschemas", FLOW, "FlowSchema", cluster=True, make=False, object_name="probes")
Case("service_accounts", "flowschemas", FLOW, "FlowSchema", cluster=True, make=False, object_name="service-accounts")
Case("new", "flowschemas", FLOW, "FlowSchema", {"spec": {"priorityLevelConfiguration": {"name": "catch-all"},
                                                         "matchingPrecedence": 9000}}, cluster=True)
for level in ("exempt", "catch-all", "workload-low"):
    Case(level.replace("-", "_"), "prioritylevelconfigurations", FLOW, "PriorityLevelConfiguration", cluster=True,
         make=False, object_name=level)

DEVICES = "resource.k8s.io/v1"
Case("plain", "deviceclasses", DEVICES, "DeviceClass", {"spec": {}}, cluster=True)
CLAIM_SPEC = {"devices": {"requests": [{"name": "gpu", "exactly": {"deviceClassName": "gpu"}}]}}
CLAIMED = ("resourceclaims", DEVICES, "ResourceClaim", {"spec": CLAIM_SPEC})
ALLOCATION = {"devices": {"results": [{"request": "gpu", "driver": "example.com", "pool": "p", "device": "d"}]}}
Case("pending", *CLAIMED)
Case("allocated", *CLAIMED, status={"allocation": ALLOCATION})
Case("reserved", *CLAIMED, status={"allocation": ALLOCATION, "reservedFor": [
    {"resource": "pods", "name": "x", "uid": "1"}]})
Case("deleted", *CLAIMED, delete=True)
Case("deleted_allocated", *CLAIMED, status={"allocation": ALLOCATION}, delete=True)
Case("plain", "resourceclaimtemplates", DEVICES, "ResourceClaimTemplate", {"spec": {"spec": CLAIM_SPEC}})
Case("on_node", "resourceslices", DEVICES, "ResourceSlice", {"spec": {
    "driver": "example.com", "nodeName": "node-a", "pool": {"name": "p", "generation": 1, "resourceSliceCount": 1}}},
     cluster=True)
Case("all_nodes", "resourceslices", DEVICES, "ResourceSlice", {"spec": {
    "driver": "example.com", "allNodes": True, "pool": {"name": "p", "generation": 1, "resourceSliceCount": 1}}},
     cluster=True)
Case("things", "customresourcedefinitions", "apiextensions.k8s.io/v1", "CustomResourceDefinition", {"spec": {
    "group": "tables.example.com", "scope": "Namespaced", "names": {"plural": "things", "kind": "Thing"},
    "versions": [{"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": {"type": "object"}}}]}},
     cluster=True, object_name="things.tables.example.com")
