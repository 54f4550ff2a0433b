"""An API server as JSON over HTTPS: what a test asks so often that starting kubectl each time would take too long.

    api = Api(kubeconfig)
    pods = api.list("v1", "Pod", namespace)
    api.patch("apps/v1", "Deployment", "web", {"spec": {"replicas": 3}}, namespace)

Give `None` where there is no such object. Any other refusal is an ApiError with the server's words.
"""

import base64
import http.client
import json
import os
import ssl
import tempfile
import threading
import urllib.parse
from pathlib import Path

from checks import kubectl


class ApiError(Exception):
    pass


class Api:
    """By a kubeconfig of a token or a client certificate. Thread-safe."""

    def __init__(self, kubeconfig):
        view = kubectl("--kubeconfig", str(kubeconfig), "config", "view", "--raw", "--minify", "-o", "json")
        if not view.ok:
            raise ApiError(view.problem())
        self.config = json.loads(view.out)
        cluster, user = self.config["clusters"][0]["cluster"], self.config["users"][0]["user"]
        self.host = urllib.parse.urlsplit(cluster["server"]).netloc
        self.headers = {"Accept": "application/json"}
        if "token" in user:
            self.headers["Authorization"] = f"Bearer {user['token']}"
        authority = base64.b64decode(cluster["certificate-authority-data"]).decode()
        self.context = ssl.create_default_context(cadata=authority)
        if "client-certificate-data" in user:
            self.load_certificate(user)
        self.threads = threading.local()
        self.resources = {}

    def load_certificate(self, user):
        # Python reads a certificate from files only.
        with tempfile.TemporaryDirectory() as folder:
            pair = [Path(folder, name) for name in ("certificate", "key")]
            for path, data in zip(pair, ("client-certificate-data", "client-key-data")):
                path.touch(0o600)
                path.write_bytes(base64.b64decode(user[data]))
            self.context.load_cert_chain(*pair)

    def call(self, method, path, body=None, content_type="application/json"):
        headers = dict(self.headers)
        if body is not None:
            body, headers["Content-Type"] = json.dumps(body), content_type
        for attempt in (1, 2):
            kept = getattr(self.threads, "connection", None)
            connection = kept or http.client.HTTPSConnection(self.host, context=self.context, timeout=30)
            self.threads.connection = connection
            try:
                connection.request(method, path, body, headers)
                answer = connection.getresponse()
                status, text = answer.status, answer.read()
                break
            except (OSError, http.client.HTTPException):
                # A kept connection may have been closed meanwhile.
                self.threads.connection = None
                if kept is None or attempt == 2:
                    raise
        if status == 404:
            return None
        document = json.loads(text)
        if status >= 300:
            raise ApiError(f"{method} {path}: {document.get('message', text)}")
        return document

    def path(self, version, kind, namespace=None, name=None):
        """Of the collection or object; None when the server has no such kind."""
        base = f"/api/{version}" if "/" not in version else f"/apis/{version}"
        if (version, kind) not in self.resources:
            for resource in (self.call("GET", base) or {"resources": []})["resources"]:
                if "/" not in resource["name"]:
                    self.resources[version, resource["kind"]] = (resource["name"], resource["namespaced"])
        if (version, kind) not in self.resources:
            return None
        plural, namespaced = self.resources[version, kind]
        parts = [base] + (["namespaces", namespace] if namespaced and namespace else []) + [plural]
        return "/".join(parts + ([name] if name else []))

    def list(self, version, kind, namespace=None):
        """Of all namespaces where none is given; nothing where there is no such kind."""
        path = self.path(version, kind, namespace)
        found = path and self.call("GET", path)
        return [{"apiVersion": version, "kind": kind, **item} for item in found["items"]] if found else []

    def get(self, version, kind, name, namespace=None):
        path = self.path(version, kind, namespace, name)
        return path and self.call("GET", path)

    def patch(self, version, kind, name, patch, namespace=None):
        return self.call("PATCH", self.path(version, kind, namespace, name), patch, "application/merge-patch+json")

    def delete(self, version, kind, name, namespace=None, **options):
        return self.call("DELETE", self.path(version, kind, namespace, name), options)

    def write_kubeconfig(self, path, user=""):
        """For a program that is to act as this user, or as whom this is."""
        config = json.loads(json.dumps(self.config))
        if user:
            config["users"][0]["user"]["as"] = user
        with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as file:
            json.dump(config, file)
