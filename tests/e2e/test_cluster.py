#!/usr/bin/env python3
"""The cluster that the other tests stand on is a working Kubernetes: its version, controllers, users and deletion."""

import os
import re
import subprocess
import sys
import time
from pathlib import Path

from checks import Checks, kubectl

HERE = Path(__file__).resolve().parent
NAMESPACE = "e2e-cluster"
WAIT_SECONDS = 60
DEPLOYMENT = """
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: "example.invalid/web:1"}]}
"""

checks = Checks()


def eventually(expected, *arguments):
    """None once kubectl prints the expected words, otherwise what it printed last."""
    deadline = time.monotonic() + WAIT_SECONDS
    while True:
        answer = kubectl(*arguments)
        if answer.ok and answer.out.split() == expected:
            return None
        if time.monotonic() > deadline:
            return answer.problem() or f"{expected} expected within {WAIT_SECONDS} s, {answer.out.split()} found"
        time.sleep(0.2)


def check_version():
    required = re.search(r"^\tk8s.io/kubernetes (\S+)", (HERE / "kubernetes" / "go.mod").read_text(), re.MULTILINE)[1]
    found = re.search(r'"gitVersion": "(.*?)"', kubectl("get", "--raw", "/version").out)
    found = found[1] if found else "nothing"
    checks.that(f"the server calls itself {required}", None if found == required else f"it calls itself {found}")


def check_controllers():
    made = kubectl("create", "-n", NAMESPACE, "-f", "-", stdin=DEPLOYMENT)
    checks.that("a Deployment can be made", made.problem())
    pods = ("get", "pods", "-n", NAMESPACE, "-o", "jsonpath={.items[*].status.phase}")
    checks.that("it leads to Pods, which stay Pending for want of nodes", eventually(["Pending", "Pending"], *pods))
    gone = kubectl("delete", "deployment", "web", "-n", NAMESPACE, "--timeout=60s")
    checks.that("it can be deleted", gone.problem())
    checks.that("its Pods are collected after it", eventually([], *pods))


def check_users():
    made = subprocess.run([HERE / "cluster", "user", Path(os.environ["KUBECONFIG"]).parent, "jane", "developers"],
                          capture_output=True, text=True, check=False)
    if not checks.that("a user can be given a certificate", made.stderr if made.returncode else None):
        return
    as_jane = ("--kubeconfig", str(Path(os.environ["KUBECONFIG"]).with_name("jane.kubeconfig")), "-n", NAMESPACE)
    who = kubectl(*as_jane, "auth", "whoami", "-o", "jsonpath={.status.userInfo.username} {.status.userInfo.groups}")
    expected = 'jane ["developers","system:authenticated"]'
    checks.that("the server knows her by it", who.problem() or (None if who.out == expected else f"as {who.out}"))
    denied = kubectl(*as_jane, "get", "pods")
    checks.that("she may not list Pods", None if "(Forbidden)" in denied.err else denied.out + denied.err)
    kubectl("create", "rolebinding", "viewers", "--clusterrole=view", "--group=developers", "-n", NAMESPACE)
    checks.that("she may once her group is bound to a role that allows it",
                eventually([], *as_jane, "get", "pods", "-o", "name"))


def main():
    check_version()
    kubectl("create", "namespace", NAMESPACE)
    checks.that("a namespace gets its service account",
                eventually(["serviceaccount/default"], "get", "serviceaccounts", "-n", NAMESPACE, "-o", "name"))
    check_controllers()
    check_users()
    gone = kubectl("delete", "namespace", NAMESPACE, "--timeout=60s")
    checks.that("the namespace goes with all that is in it", gone.problem())
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main())
