"""Kinds of objects and a small manifest of each."""

import copy

from scripting import delete, get, merge, patch, post, put, watch

CONTAINER = {"name": "main", "image": "busybox"}
TEMPLATE = {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [CONTAINER]}}
ALL = {}


class Kind:
    """`change` is a merge patch that is taken, `bad` one that is refused on create and update, `fixed` one that is
    refused on update only."""

    def __init__(self, resource, api_version, kind, manifest, namespaced=True, change=None, bad=None, fixed=None,
                 status=None, name="thing"):
        self.resource, self.api_version, self.kind = resource, api_version, kind
        self.body, self.namespaced = manifest, namespaced
        self.change, self.bad, self.fixed, self.status = change, bad, fixed, status
        self.root = ("/api/" if "/" not in api_version else "/apis/") + api_version
        self.collection = f"{self.root}/namespaces/${{ns}}/{resource}" if namespaced else f"{self.root}/{resource}"
        self.name = name if namespaced else "${ns}-" + name
        ALL[kind if kind not in ALL else f"{kind} of {api_version}"] = self

    def item(self, name=None):
        return f"{self.collection}/{name or self.name}"

    def named(self, suffix):
        """A further name: cluster-scoped objects must not meet those of other scripts."""
        return suffix if self.namespaced else "${ns}-" + suffix

    def manifest(self, change=None, name=None, labels=None):
        metadata = {"name": name or self.name}
        if labels:
            metadata["labels"] = labels
        whole = merge({"apiVersion": self.api_version, "kind": self.kind, "metadata": metadata},
                      copy.deepcopy(self.body))
        return merge(whole, change) if change else whole

    def create(self, change=None, name=None, labels=None, query="", **more):
        return post(self.collection, self.manifest(change, name, labels), query, **more)

    def get(self, query="", name=None, **more):
        return get(self.item(name), query, **more)

    def list(self, query="", **more):
        return get(self.collection, query, **more)

    def put(self, change=None, query="", name=None, **more):
        return put(self.item(name), self.manifest(change, name), query, **more)

    def patch(self, change, *rest, name=None, **more):
        return patch(self.item(name), change, *rest, **more)

    def delete(self, query="", body=None, name=None, **more):
        return delete(self.item(name), query, body, **more)

    def watch(self, watch_name, query="", **more):
        return watch(watch_name, self.collection, query, **more)


POD = Kind("pods", "v1", "Pod", {"spec": {"containers": [CONTAINER]}},
           change={"spec": {"activeDeadlineSeconds": 30}}, bad={"spec": {"containers": []}},
           fixed={"spec": {"restartPolicy": "Never"}}, status={"status": {"phase": "Running", "podIP": "10.1.2.3"}})
CONFIG_MAP = Kind("configmaps", "v1", "ConfigMap", {"data": {"key": "value"}}, change={"data": {"key": "other"}},
                  bad={"data": {"no/slash": "x"}})
SECRET = Kind("secrets", "v1", "Secret", {"data": {"key": "dmFsdWU="}}, change={"data": {"key": "b3RoZXI="}},
              bad={"data": {"no/slash": "eA=="}}, fixed={"type": "example.com/other"})
SERVICE = Kind("services", "v1", "Service", {"spec": {"selector": {"app": "web"}, "ports": [{"port": 80}]}},
               change={"spec": {"selector": {"app": "other"}}}, bad={"spec": {"ports": [{"port": 0}]}},
               fixed={"spec": {"clusterIP": "10.0.0.77", "clusterIPs": ["10.0.0.77"]}},
               status={"status": {"loadBalancer": {}}})
DEPLOYMENT = Kind("deployments", "apps/v1", "Deployment",
                  {"spec": {"selector": {"matchLabels": {"app": "web"}}, "template": TEMPLATE}},
                  change={"spec": {"replicas": 3}}, bad={"spec": {"replicas": -1}},
                  fixed={"spec": {"selector": {"matchLabels": {"tier": "x"}},
                                  "template": {"metadata": {"labels": {"tier": "x"}}}}},
                  status={"status": {"replicas": 2, "observedGeneration": 1}})
STATEFUL_SET = Kind("statefulsets", "apps/v1", "StatefulSet",
                    {"spec": {"serviceName": "web", "selector": {"matchLabels": {"app": "web"}}, "template": TEMPLATE}},
                    change={"spec": {"replicas": 3}}, bad={"spec": {"replicas": -1}},
                    fixed={"spec": {"serviceName": "other"}}, status={"status": {"replicas": 2}})
DAEMON_SET = Kind("daemonsets", "apps/v1", "DaemonSet",
                  {"spec": {"selector": {"matchLabels": {"app": "web"}}, "template": TEMPLATE}},
                  change={"spec": {"minReadySeconds": 3}}, bad={"spec": {"minReadySeconds": -1}},
                  status={"status": {"currentNumberScheduled": 1, "numberMisscheduled": 0, "desiredNumberScheduled": 1,
                                     "numberReady": 1}})
REPLICA_SET = Kind("replicasets", "apps/v1", "ReplicaSet",
                   {"spec": {"selector": {"matchLabels": {"app": "web"}}, "template": TEMPLATE}},
                   change={"spec": {"replicas": 3}}, bad={"spec": {"replicas": -1}}, status={"status": {"replicas": 2}})
REPLICATION_CONTROLLER = Kind("replicationcontrollers", "v1", "ReplicationController", {"spec": {"template": TEMPLATE}},
                              change={"spec": {"replicas": 3}}, bad={"spec": {"replicas": -1}},
                              status={"status": {"replicas": 2}})
JOB_TEMPLATE = {"spec": {"restartPolicy": "Never", "containers": [CONTAINER]}}
JOB = Kind("jobs", "batch/v1", "Job", {"spec": {"template": JOB_TEMPLATE}}, change={"spec": {"parallelism": 2}},
           bad={"spec": {"parallelism": -1}}, fixed={"spec": {"completions": 4}}, status={"status": {"active": 1}})
CRON_JOB = Kind("cronjobs", "batch/v1", "CronJob",
                {"spec": {"schedule": "*/5 * * * *", "jobTemplate": {"spec": {"template": JOB_TEMPLATE}}}},
                change={"spec": {"suspend": True}}, bad={"spec": {"schedule": "never"}},
                status={"status": {"lastScheduleTime": "2020-01-02T03:04:05Z"}})
NAMESPACE = Kind("namespaces", "v1", "Namespace", {}, namespaced=False, change={"metadata": {"labels": {"a": "b"}}},
                 status={"status": {"phase": "Active"}})
NODE = Kind("nodes", "v1", "Node", {}, namespaced=False, change={"spec": {"unschedulable": True}},
            bad={"spec": {"podCIDR": "nonsense"}}, status={"status": {"capacity": {"cpu": "4"}}})
CLAIM = Kind("persistentvolumeclaims", "v1", "PersistentVolumeClaim",
             {"spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}},
             change={"metadata": {"annotations": {"a": "b"}}}, bad={"spec": {"accessModes": []}},
             fixed={"spec": {"accessModes": ["ReadOnlyMany"]}}, status={"status": {"phase": "Bound"}})
VOLUME = Kind("persistentvolumes", "v1", "PersistentVolume",
              {"spec": {"capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"],
                        "hostPath": {"path": "/data"}}}, namespaced=False,
              change={"spec": {"persistentVolumeReclaimPolicy": "Delete"}}, bad={"spec": {"accessModes": []}},
              fixed={"spec": {"hostPath": {"path": "/other"}}}, status={"status": {"phase": "Available"}})
LEASE = Kind("leases", "coordination.k8s.io/v1", "Lease",
             {"spec": {"holderIdentity": "me", "leaseDurationSeconds": 15}}, change={"spec": {"holderIdentity": "you"}},
             bad={"spec": {"leaseDurationSeconds": -1}})
RULES = [{"apiGroups": [""], "resources": ["pods"], "verbs": ["get"]}]
ROLE = Kind("roles", "rbac.authorization.k8s.io/v1", "Role", {"rules": RULES},
            change={"rules": [{"apiGroups": [""], "resources": ["pods"], "verbs": ["list"]}]},
            bad={"rules": [{"apiGroups": [""], "resources": ["pods"]}]})
ROLE_BINDING = Kind("rolebindings", "rbac.authorization.k8s.io/v1", "RoleBinding",
                    {"roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "thing"},
                     "subjects": [{"kind": "User", "name": "bob"}]},
                    change={"subjects": [{"kind": "Group", "name": "dev"}]},
                    bad={"subjects": [{"kind": "Robot", "name": "bob"}]},
                    fixed={"roleRef": {"name": "other"}})
CLUSTER_ROLE = Kind("clusterroles", "rbac.authorization.k8s.io/v1", "ClusterRole", {"rules": RULES}, namespaced=False,
                    change={"rules": []}, bad={"rules": [{"verbs": ["get"]}]})
CLUSTER_ROLE_BINDING = Kind("clusterrolebindings", "rbac.authorization.k8s.io/v1", "ClusterRoleBinding",
                            {"roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole",
                                         "name": "view"}, "subjects": [{"kind": "User", "name": "bob"}]},
                            namespaced=False, change={"subjects": []}, fixed={"roleRef": {"name": "edit"}})
EVENT = Kind("events", "v1", "Event",
             {"involvedObject": {"kind": "Pod", "namespace": "${ns}", "name": "p"}, "reason": "Tested",
              "message": "all is well", "type": "Normal", "source": {"component": "tester"},
              "firstTimestamp": "2020-01-02T03:04:05Z", "lastTimestamp": "2020-01-02T03:04:05Z", "count": 1},
             change={"count": 2}, bad={"involvedObject": {"namespace": "elsewhere"}})
NEW_EVENT = Kind("events", "events.k8s.io/v1", "Event",
                 {"regarding": {"kind": "Pod", "namespace": "${ns}", "name": "p"}, "reason": "Tested",
                  "note": "all is well", "type": "Normal", "action": "Testing", "reportingController": "example.com/t",
                  "reportingInstance": "tester-1", "eventTime": "2020-01-02T03:04:05.000006Z"},
                 change={"series": {"count": 2, "lastObservedTime": "2020-01-02T03:05:05.000006Z"}},
                 bad={"type": "Weird"}, fixed={"reason": "Other"})
HPA = Kind("horizontalpodautoscalers", "autoscaling/v2", "HorizontalPodAutoscaler",
           {"spec": {"scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"},
                     "maxReplicas": 5}}, change={"spec": {"maxReplicas": 6}}, bad={"spec": {"maxReplicas": 0}},
           status={"status": {"currentReplicas": 1, "desiredReplicas": 2}})
INGRESS = Kind("ingresses", "networking.k8s.io/v1", "Ingress",
               {"spec": {"rules": [{"host": "example.com", "http": {"paths": [
                   {"path": "/", "pathType": "Prefix",
                    "backend": {"service": {"name": "web", "port": {"number": 80}}}}]}}]}},
               change={"spec": {"ingressClassName": "nginx"}}, bad={"spec": {"rules": []}},
               status={"status": {"loadBalancer": {"ingress": [{"ip": "1.2.3.4"}]}}})
NETWORK_POLICY = Kind("networkpolicies", "networking.k8s.io/v1", "NetworkPolicy",
                      {"spec": {"podSelector": {}, "ingress": [{"ports": [{"port": 80}]}]}},
                      change={"spec": {"ingress": []}}, bad={"spec": {"policyTypes": ["Sideways"]}})
PDB = Kind("poddisruptionbudgets", "policy/v1", "PodDisruptionBudget",
           {"spec": {"minAvailable": 1, "selector": {"matchLabels": {"app": "web"}}}},
           change={"spec": {"minAvailable": "50%"}}, bad={"spec": {"maxUnavailable": 1}},
           status={"status": {"disruptionsAllowed": 0, "currentHealthy": 1, "desiredHealthy": 1, "expectedPods": 1}})
SERVICE_ACCOUNT = Kind("serviceaccounts", "v1", "ServiceAccount", {},
                       change={"automountServiceAccountToken": False})
QUOTA = Kind("resourcequotas", "v1", "ResourceQuota", {"spec": {"hard": {"secrets": "5"}}},
             change={"spec": {"hard": {"secrets": "6"}}}, bad={"spec": {"hard": {"secrets": "1.5"}}},
             status={"status": {"hard": {"secrets": "5"}, "used": {"secrets": "0"}}})
LIMIT_RANGE = Kind("limitranges", "v1", "LimitRange",
                   {"spec": {"limits": [{"type": "Container", "max": {"cpu": "2"}}]}},
                   change={"spec": {"limits": [{"type": "Container", "max": {"cpu": "3"}}]}},
                   bad={"spec": {"limits": [{"type": "Container", "max": {"cpu": "1"}, "min": {"cpu": "2"}}]}})
ENDPOINTS = Kind("endpoints", "v1", "Endpoints",
                 {"subsets": [{"addresses": [{"ip": "10.9.8.7"}], "ports": [{"port": 80}]}]},
                 change={"subsets": None}, bad={"subsets": [{"addresses": [{"ip": "nonsense"}]}]})
ENDPOINT_SLICE = Kind("endpointslices", "discovery.k8s.io/v1", "EndpointSlice",
                      {"addressType": "IPv4", "endpoints": [{"addresses": ["10.9.8.7"]}], "ports": [{"port": 80}]},
                      change={"ports": [{"port": 81}]}, bad={"endpoints": [{"addresses": ["::1"]}]},
                      fixed={"addressType": "FQDN"})
PRIORITY_CLASS = Kind("priorityclasses", "scheduling.k8s.io/v1", "PriorityClass", {"value": 100}, namespaced=False,
                      change={"description": "high"}, bad={"value": 2000000000}, fixed={"value": 101})
STORAGE_CLASS = Kind("storageclasses", "storage.k8s.io/v1", "StorageClass", {"provisioner": "example.com/disk"},
                     namespaced=False, change={"allowVolumeExpansion": True}, bad={"provisioner": ""},
                     fixed={"provisioner": "example.com/other"})
CSI_DRIVER = Kind("csidrivers", "storage.k8s.io/v1", "CSIDriver", {"spec": {}}, namespaced=False,
                  change={"spec": {"requiresRepublish": True}}, fixed={"spec": {"attachRequired": False}})
VOLUME_ATTACHMENT = Kind("volumeattachments", "storage.k8s.io/v1", "VolumeAttachment",
                         {"spec": {"attacher": "example.com", "nodeName": "n",
                                   "source": {"persistentVolumeName": "pv"}}}, namespaced=False,
                         change={"metadata": {"labels": {"a": "b"}}}, bad={"spec": {"nodeName": ""}},
                         fixed={"spec": {"nodeName": "m"}}, status={"status": {"attached": True}})
RUNTIME_CLASS = Kind("runtimeclasses", "node.k8s.io/v1", "RuntimeClass", {"handler": "runc"}, namespaced=False,
                     change={"metadata": {"labels": {"a": "b"}}}, bad={"handler": "No_Good"},
                     fixed={"handler": "other"})
INGRESS_CLASS = Kind("ingressclasses", "networking.k8s.io/v1", "IngressClass",
                     {"spec": {"controller": "example.com/ingress"}}, namespaced=False,
                     change={"metadata": {"labels": {"a": "b"}}}, bad={"spec": {"controller": "nonsense"}},
                     fixed={"spec": {"controller": "example.com/other"}})
REVISION = Kind("controllerrevisions", "apps/v1", "ControllerRevision", {"data": {"a": 1}, "revision": 1},
                change={"revision": 2}, bad={"revision": -1}, fixed={"data": {"a": 2}})
POD_TEMPLATE = Kind("podtemplates", "v1", "PodTemplate", {"template": TEMPLATE},
                    change={"template": {"metadata": {"labels": {"app": "x"}}}},
                    bad={"template": {"spec": {"containers": []}}})
FLOW_SCHEMA = Kind("flowschemas", "flowcontrol.apiserver.k8s.io/v1", "FlowSchema",
                   {"spec": {"priorityLevelConfiguration": {"name": "workload-low"}}}, namespaced=False,
                   change={"spec": {"matchingPrecedence": 500}}, bad={"spec": {"matchingPrecedence": 10001}})
PRIORITY_LEVEL = Kind("prioritylevelconfigurations", "flowcontrol.apiserver.k8s.io/v1", "PriorityLevelConfiguration",
                      {"spec": {"type": "Limited", "limited": {"limitResponse": {"type": "Reject"}}}}, namespaced=False,
                      change={"spec": {"limited": {"nominalConcurrencyShares": 5}}}, bad={"spec": {"type": "Maybe"}})
VALIDATING_WEBHOOK = Kind(
    "validatingwebhookconfigurations", "admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration",
    {"webhooks": [{"name": "a.example.com", "admissionReviewVersions": ["v1"], "sideEffects": "None",
                   "namespaceSelector": {"matchLabels": {"none": "such"}}, "failurePolicy": "Ignore",
                   "clientConfig": {"url": "https://example.com/validate"},
                   "rules": [{"operations": ["CREATE"], "apiGroups": ["example.com"], "apiVersions": ["v1"],
                              "resources": ["nothings"]}]}]}, namespaced=False,
    change={"metadata": {"labels": {"a": "b"}}}, bad={"webhooks": [{"name": "nodots"}]})
# The ten kinds that every verb, option and error is tried on, and the rest.
TEN = [POD, CONFIG_MAP, SECRET, SERVICE, DEPLOYMENT, JOB, NODE, CLAIM, LEASE, HPA, INGRESS, ROLE]
# The server itself writes the status of flow schemas, when it likes.
EVERY = [kind for kind in ALL.values() if kind is not FLOW_SCHEMA]
