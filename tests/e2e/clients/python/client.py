"""The Python client against a server: create, list, watch, patch, delete. Prints PASS or FAIL for each check.

    client.py KUBECONFIG
"""

import sys

from kubernetes import client, config, watch
from kubernetes.client.exceptions import ApiException

NAMESPACE = "python-client"
failed = False


def check(what, good, found=""):
    global failed
    failed = failed or not good
    print(f"{'PASS' if good else 'FAIL'} python: {what}" + ("" if good else f"\n     {found}"), flush=True)


def main():
    config.load_kube_config(config_file=sys.argv[1])
    core, apps = client.CoreV1Api(), client.AppsV1Api()
    core.create_namespace({"metadata": {"name": NAMESPACE}})
    made = core.create_namespaced_config_map(
        NAMESPACE, client.V1ConfigMap(metadata=client.V1ObjectMeta(name="one"), data={"a": "b"}))
    check("a configmap is created", made.data == {"a": "b"} and made.metadata.uid, made)
    listed = core.list_namespaced_config_map(NAMESPACE)
    check("it is listed", [item.metadata.name for item in listed.items] == ["one"], listed)

    core.create_namespaced_config_map(NAMESPACE, {"metadata": {"name": "two"}})
    core.patch_namespaced_config_map("one", NAMESPACE, {"data": {"c": "d"}})
    core.delete_namespaced_config_map("two", NAMESPACE)
    events = []
    for event in watch.Watch().stream(core.list_namespaced_config_map, NAMESPACE, timeout_seconds=20,
                                      resource_version=listed.metadata.resource_version):
        events.append((event["type"], event["object"].metadata.name))
        if len(events) == 3:
            break
    expected = [("ADDED", "two"), ("MODIFIED", "one"), ("DELETED", "two")]
    check("a watch tells what happened since the list", events == expected, events)

    one = core.read_namespaced_config_map("one", NAMESPACE)
    check("the patch was merged", one.data == {"a": "b", "c": "d"}, one.data)
    deployment = apps.create_namespaced_deployment(NAMESPACE, {
        "metadata": {"name": "web"},
        "spec": {"selector": {"matchLabels": {"app": "web"}},
                 "template": {"metadata": {"labels": {"app": "web"}},
                              "spec": {"containers": [{"name": "web", "image": "nginx"}]}}}})
    check("a deployment has its defaults", deployment.spec.replicas == 1 and
          deployment.spec.strategy.rolling_update.max_surge == "25%", deployment.spec)
    scaled = apps.patch_namespaced_deployment_scale("web", NAMESPACE, {"spec": {"replicas": 3}})
    check("it is scaled", scaled.spec.replicas == 3, scaled)
    try:
        core.read_namespaced_pod("missing", NAMESPACE)
        check("a missing pod is an error", False, "no error")
    except ApiException as error:
        check("a missing pod is an error", error.status == 404, error)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
