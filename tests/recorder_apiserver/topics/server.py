"""What belongs to no kind: discovery, version, health, paths and methods that are none, who may ask."""

from kinds import CONFIG_MAP, POD
from scripting import PROTOBUF, TABLE, delete, get, post, put, request, script, watch

AGGREGATED = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
AGGREGATED_BETA = "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList"
GROUPS = ("admissionregistration.k8s.io/v1", "apiextensions.k8s.io/v1", "apiregistration.k8s.io/v1", "apps/v1",
          "authentication.k8s.io/v1", "authorization.k8s.io/v1", "autoscaling/v1", "autoscaling/v2", "batch/v1",
          "certificates.k8s.io/v1", "coordination.k8s.io/v1", "discovery.k8s.io/v1", "events.k8s.io/v1",
          "flowcontrol.apiserver.k8s.io/v1", "networking.k8s.io/v1", "node.k8s.io/v1", "policy/v1",
          "rbac.authorization.k8s.io/v1", "resource.k8s.io/v1", "scheduling.k8s.io/v1", "storage.k8s.io/v1")


def discovery():
    yield script("legacy discovery", get("/api"), get("/apis"), get("/api/v1"), get("/api/"), get("/apis/"),
                 get("/api/v1/"))
    for group in GROUPS:
        yield script(f"discovery of {group}", get(f"/apis/{group}"), get(f"/apis/{group.split('/')[0]}"),
                     get(f"/apis/{group}/"))
    yield script("aggregated discovery", get("/api", accept=AGGREGATED), get("/apis", accept=AGGREGATED))
    yield script("aggregated discovery, kubectl's header", *[
        get(path, accept=f"{AGGREGATED},{AGGREGATED_BETA},application/json") for path in ("/api", "/apis")])
    yield script("aggregated discovery, other headers", get("/apis", accept=AGGREGATED_BETA),
                 get("/apis", accept=AGGREGATED.replace("v=v2", "v=v9")),
                 get("/apis", accept=AGGREGATED.replace("v=v2", "v=v9") + ",application/json"),
                 get("/api/v1", accept=AGGREGATED), get("/apis/apps", accept=AGGREGATED))
    yield script("discovery, encodings", get("/api", accept=PROTOBUF), get("/apis", accept=PROTOBUF),
                 get("/api/v1", accept=PROTOBUF), get("/apis/apps/v1", accept=PROTOBUF),
                 get("/apis/apps", accept=PROTOBUF), get("/api", accept="application/yaml"),
                 get("/api", accept="text/html"), get("/apis/apps/v1", accept="text/html"))
    yield script("what is not to be discovered", get("/apis/example.com"), get("/apis/example.com/v1"),
                 get("/apis/apps/v9"), get("/api/v2"), get("/apis/apps/v9/deployments"),
                 get("/apis/example.com/v1/things"), get("/api/v1/gadgets"), get("/api/v1/namespaces/${ns}/gadgets"),
                 get("/apis/apps/v1/namespaces/${ns}/pods"), post("/apis", {}), delete("/api"), put("/api/v1", {}))


def paths():
    yield script("unknown paths", get("/nothing"), get("/nothing/here"), get("/api/v1/namespaces/${ns}/pods/a/b/c"),
                 post("/nothing", {}), get("//api"), get("/api//v1"), get("/%2e%2e/api"), get("/index.html"))
    yield script("encoded paths", CONFIG_MAP.create(), get("/api/v1/namespaces/${ns}/configmaps/th%69ng"),
                 get("/api/v1/namespaces/${ns}/configmaps/a%2Fb"), get("/api/v1/namespaces/${ns}/configmaps/%zz"),
                 get("/api/v1/namespaces/${ns}/configmaps/.."), get("/api/v1/namespaces/${ns}/configmaps/."),
                 get("/api/v1/namespaces/${ns}/configmaps/"), get("/api/v1/namespaces/${ns}/configmaps/thing/"),
                 get("/api/v1/namespaces/${ns}/configmaps/Up%20Per"))
    yield script("methods", *[request(method, CONFIG_MAP.collection) for method in ("PUT", "PATCH", "HEAD", "OPTIONS",
                                                                                   "TRACE", "BREW")],
                 *[request(method, CONFIG_MAP.item()) for method in ("POST", "HEAD", "OPTIONS", "TRACE", "BREW")])
    yield script("bad queries", CONFIG_MAP.list("limit=%zz"), watch("w", CONFIG_MAP.collection, "watch=maybe&timeoutSeconds=1"),
                
                 CONFIG_MAP.list("labelSelector=%"), CONFIG_MAP.list("a;b"), CONFIG_MAP.list("timeoutSeconds=-1"),
                 CONFIG_MAP.list("allowWatchBookmarks=x"), CONFIG_MAP.list("timeout=x"),
                 CONFIG_MAP.list("timeout=5s"), CONFIG_MAP.get("watch=1&limit=5"))


def health():
    for path in ("/healthz", "/livez", "/readyz"):
        # What the server is made of differs: the list of checks is not compared, but each path, and its type.
        yield script(path, get(path), get(path + "/"), get(path + "/ping"), get(path + "/nothing"),
                     get(path, "verbose", compare="status"), get(path, "exclude=ping", compare="status"),
                     get(path, user="anonymous"), post(path, "", compare="status"))
    yield script("version", get("/version", values="masked"), get("/version", user="anonymous", values="masked"),
                 get("/version/", values="masked"), post("/version", {}), get("/version", accept="application/yaml",
                                                                              values="masked"))
    yield script("metrics", get("/metrics", compare="status"), get("/metrics", user="anonymous"))
    yield script("root", get("/", compare="status"), get("/", user="anonymous"))


def users():
    for name in ("anonymous", "stranger", "bob"):
        yield script(f"{name} asks", CONFIG_MAP.create(), POD.create(), *[{**step, "as": name} for step in (
            CONFIG_MAP.get(), CONFIG_MAP.list(), CONFIG_MAP.create(), CONFIG_MAP.put(), CONFIG_MAP.patch({}),
            CONFIG_MAP.delete(), delete(CONFIG_MAP.collection), CONFIG_MAP.watch("w"), get("/api/v1/nodes"),
            get("/apis/apps/v1/namespaces/${ns}/deployments/x"), get(POD.item() + "/log"),
            put("/apis/apps/v1/namespaces/${ns}/deployments/x/scale", {}), get("/api/v1/namespaces"),
            get("/api/v1/namespaces/${ns}"), get("/nothing"), get("/metrics"), get("/healthz"), get("/livez"),
            get("/readyz"), get("/version", values="masked"), get("/api/v1/namespaces/${ns}/gadgets"),
            CONFIG_MAP.get(accept=PROTOBUF), CONFIG_MAP.get(accept=TABLE), CONFIG_MAP.create(content_type="text/plain"))])
    yield script("discovery by bob", *[get(path, user="bob", values="masked") for path in ("/api", "/apis", "/api/v1")])
    yield script("discovery by nobody", *[get(path, user="anonymous") for path in ("/api", "/apis", "/api/v1")])
    yield script("odd credentials", *[get("/api/v1/nodes", user="anonymous", headers={"Authorization": value})
                                      for value in ("Basic YWRtaW46YWRtaW4=", "Bearer", "Bearer ", "Token x",
                                                    "Bearer a b")])


def reviews():
    review = "/apis/authentication.k8s.io/v1/selfsubjectreviews"
    kind = {"apiVersion": "authentication.k8s.io/v1", "kind": "SelfSubjectReview"}
    yield script("SelfSubjectReview", post(review, kind), post(review, kind, user="bob"),
                 post(review, kind, user="anonymous"), post(review, kind, accept=TABLE), post(review, kind, accept=PROTOBUF),
                 get(review), post(review, {}), post(review, ""))
    access = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"

    def asks(**spec):
        return {"apiVersion": "authorization.k8s.io/v1", "kind": "SelfSubjectAccessReview", "spec": spec}
    pods = {"namespace": "${ns}", "verb": "get", "resource": "pods"}
    yield script("SelfSubjectAccessReview", post(access, asks(resourceAttributes=pods)),
                 post(access, asks(resourceAttributes=pods), user="bob"),
                 post(access, asks(nonResourceAttributes={"path": "/metrics", "verb": "get"})),
                 post(access, asks()), post(access, asks(resourceAttributes=pods, nonResourceAttributes={})),
                 post(access, asks(resourceAttributes=pods), user="anonymous"))
    rules = "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews"
    rules_kind = {"apiVersion": "authorization.k8s.io/v1", "kind": "SelfSubjectRulesReview"}
    yield script("SelfSubjectRulesReview", post(rules, {**rules_kind, "spec": {"namespace": "${ns}"}}, compare="status"),
                 post(rules, {**rules_kind, "spec": {}}))
    subject = "/apis/authorization.k8s.io/v1/subjectaccessreviews"
    subject_kind = {"apiVersion": "authorization.k8s.io/v1", "kind": "SubjectAccessReview"}
    yield script("SubjectAccessReview",
                 post(subject, {**subject_kind, "spec": {"user": "x", "groups": ["system:masters"],
                                                         "resourceAttributes": pods}}),
                 post(subject, {**subject_kind, "spec": {"user": "x", "resourceAttributes": pods}}),
                 post(subject, {**subject_kind, "spec": {"resourceAttributes": pods}}))
    local = "/apis/authorization.k8s.io/v1/namespaces/${ns}/localsubjectaccessreviews"
    local_kind = {"apiVersion": "authorization.k8s.io/v1", "kind": "LocalSubjectAccessReview",
                  "metadata": {"namespace": "${ns}"}}
    yield script("LocalSubjectAccessReview",
                 post(local, {**local_kind, "spec": {"user": "x", "groups": ["system:masters"],
                                                     "resourceAttributes": pods}}),
                 post(local, {**local_kind, "spec": {"user": "x", "resourceAttributes": {**pods, "namespace": "y"}}}))
    token = "/apis/authentication.k8s.io/v1/tokenreviews"
    token_kind = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenReview"}
    yield script("TokenReview", post(token, {**token_kind, "spec": {"token": "nonsense"}}),
                 post(token, {**token_kind, "spec": {}}))


def scripts():
    yield from discovery()
    yield from paths()
    yield from health()
    yield from users()
    yield from reviews()
