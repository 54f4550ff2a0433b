"""A cluster under test: kubectl for a namespace of it, and its objects as JSON."""

import http.client
import json
import os
import re
import subprocess
import time
from pathlib import Path

COMMAND_SECONDS = 90
# Changed all the time by others, or the same as another kind.
UNREAD = {"events", "leases", "bindings", "podtemplates", "controllerrevisions", "localsubjectaccessreviews",
          "ipaddresses", "servicecidrs", "csistoragecapacities"}
CLUSTER_KINDS = [("", "v1", "persistentvolumes", "PersistentVolume"), ("", "v1", "namespaces", "Namespace"),
                 ("scheduling.k8s.io", "v1", "priorityclasses", "PriorityClass")]


class Server:
    """Its objects are read through `kubectl proxy`, which needs no credentials of ours."""

    def __init__(self, kubeconfig, folder, namespaces):
        self.folder = Path(folder)
        self.namespaces = namespaces
        self.environment = {**os.environ, "KUBECONFIG": str(kubeconfig), "KUBECACHEDIR": str(self.folder / "cache"),
                            "HOME": str(self.folder)}
        shown = self.run("kubectl config view --raw -o json", self.environment)
        self.config = json.loads(shown[1])
        self.proxy = subprocess.Popen(["kubectl", "proxy", "--port=0"], env=self.environment, stdout=subprocess.PIPE,
                                      stderr=subprocess.DEVNULL, text=True)
        self.kinds = []
        self.port = int(re.search(r":(\d+)", self.proxy.stdout.readline())[1])

    def close(self):
        self.proxy.terminate()
        self.proxy.wait()

    @staticmethod
    def run(command, environment):
        try:
            done = subprocess.run(["sh", "-c", command], env=environment, capture_output=True, text=True, check=False,
                                  stdin=subprocess.DEVNULL, timeout=COMMAND_SECONDS)
        except subprocess.TimeoutExpired:
            return 124, f"no end within {COMMAND_SECONDS} s\n"
        return done.returncode, done.stdout + done.stderr

    def for_namespace(self, namespace):
        """The environment in which kubectl works in this namespace."""
        config = json.loads(json.dumps(self.config))
        for context in config["contexts"]:
            context["context"]["namespace"] = namespace
        path = self.folder / f"{namespace}.kubeconfig"
        path.write_text(json.dumps(config))
        return {**self.environment, "KUBECONFIG": str(path), "NS": namespace}

    def get(self, path, connection=None):
        """The JSON of a path, None where there is nothing."""
        connection = connection or http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        connection.request("GET", path)
        answer = connection.getresponse()
        body = answer.read()
        return json.loads(body) if answer.status == 200 else None

    def namespaced_kinds(self, connection):
        """(path, resource, kind) of all that can be listed in a namespace, one version each. Found out once: custom kinds
        are those of scenarios that delete them again."""
        if self.kinds:
            return self.kinds
        kinds, seen = [], set()
        groups = self.get("/apis", connection)["groups"]
        paths = [("/api/v1", "")] + [(f"/apis/{group['preferredVersion']['groupVersion']}", group["name"]) for group in groups]
        for path, group in paths:
            for resource in (self.get(path, connection) or {}).get("resources", []):
                key = (group, resource["name"])
                if resource["namespaced"] and "list" in resource["verbs"] and resource["name"] not in UNREAD | seen:
                    kinds.append((path, resource["name"], resource["kind"]))
                    seen.add(key)
        self.kinds = kinds
        return kinds

    def made_in(self, namespace, name):
        """Whether an object of the cluster was made by this scenario: its name is the namespace's and more."""
        return name.startswith(namespace + "-") and not any(
            len(other) > len(namespace) and name.startswith(other) for other in self.namespaces)

    def contents(self, namespace):
        """All objects of a namespace, the cluster's whose names begin with its name and a dash, and its events."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        objects = []
        for path, resource, kind in self.namespaced_kinds(connection):
            for item in (self.get(f"{path}/namespaces/{namespace}/{resource}", connection) or {}).get("items") or []:
                objects.append({"apiVersion": path, **item, "kind": kind})
        for group, version, resource, kind in CLUSTER_KINDS:
            path = f"/apis/{group}/{version}" if group else f"/api/{version}"
            for item in (self.get(f"{path}/{resource}", connection) or {}).get("items") or []:
                if self.made_in(namespace, item["metadata"]["name"]):
                    objects.append({"apiVersion": path, **item, "kind": kind})
        events = (self.get(f"/api/v1/namespaces/{namespace}/events", connection) or {}).get("items") or []
        for event in (self.get("/api/v1/namespaces/default/events", connection) or {}).get("items") or []:
            if self.made_in(namespace, event["involvedObject"].get("name", "")):
                events.append(event)
        return objects, events

    def settled(self, namespace, quiet, limit=25):
        """The contents, once nothing has changed for so long; after the limit as they are."""
        until = time.monotonic() + limit
        since, before, found = time.monotonic(), None, None
        while time.monotonic() < until:
            found = self.contents(namespace)
            state = sorted((item["metadata"]["uid"], item["metadata"]["resourceVersion"]) for part in found for item in part)
            if state != before:
                since, before = time.monotonic(), state
            elif time.monotonic() - since >= quiet:
                break
            time.sleep(quiet / 4)
        return found
