#!/usr/bin/env python3
"""A whole operator (tests/operator) as its users see it: children, drift, restarts, deletion, leadership, its servers.

On the cluster of KUBECONFIG, where there is one, and on `keelson up`.
"""

import json
import os
import random
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path

from checks import Checks, kubectl
from keelson_up import KeelsonUp

HERE = Path(__file__).resolve().parent
RELEASE = HERE.parents[1] / "build" / "release"
PROGRAM = RELEASE / "bin" / "mirror-operator"
CRDS = RELEASE / "tests" / "operator" / "crds"
GO = HERE.parents[1] / "build" / "e2e" / "bin" / "client-go-elect"
SECONDS = 30    # for anything to come true
EXPIRED = 40    # a lease lasts 15, and a candidate looks every 2 to 4.4
KILLS = 10


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def get(port, path):
    """Status and text of an answer; None when nobody listens."""
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=5) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()
    except OSError:
        return None, ""


def until(seconds, look):
    """None once look() gives None; else what it gave last."""
    end = time.monotonic() + seconds
    while True:
        problem = look()
        if problem is None or time.monotonic() > end:
            return problem
        time.sleep(0.1)


class Operator:
    def __init__(self, kubeconfig, folder, *flags):
        self.metrics, self.health = free_port(), free_port()
        self.log = Path(folder) / f"operator-{time.monotonic_ns()}.log"
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(
                [PROGRAM, "--kubeconfig", str(kubeconfig), f"--metrics-bind-address=127.0.0.1:{self.metrics}",
                 f"--health-probe-bind-address=127.0.0.1:{self.health}", *flags],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log)

    def end(self, how=signal.SIGTERM):
        """None when it ended well."""
        if self.process.poll() is None:
            self.process.send_signal(how)
        try:
            status = self.process.wait(timeout=40)
        except subprocess.TimeoutExpired:
            self.process.kill()
            return "it did not end within 40 s"
        return None if status == 0 else f"status {status}: {self.log.read_text()[-2000:]}"

    def metric(self, name):
        for line in get(self.metrics, "/metrics")[1].splitlines():
            if line.startswith(name):
                return float(line.split()[-1])
        return None


class Scenario:
    def __init__(self, checks, where, kubeconfig, folder):
        self.checks, self.where, self.kubeconfig, self.folder = checks, where, kubeconfig, folder
        self.namespace = f"mirrors-{os.getpid()}"
        self.running = []

    def check(self, what, problem):
        return self.checks.that(f"{self.where}: {what}", problem)

    def kubectl(self, *arguments, stdin=None):
        return kubectl("--kubeconfig", str(self.kubeconfig), *arguments, stdin=stdin)

    def in_namespace(self, *arguments, stdin=None):
        return self.kubectl("-n", self.namespace, *arguments, stdin=stdin)

    def start(self, *flags):
        self.running.append(Operator(self.kubeconfig, self.folder, *flags))
        return self.running[-1]

    def apply(self, name, text, copies):
        mirror = {"apiVersion": "tests.example.com/v1", "kind": "Mirror",
                  "metadata": {"name": name, "namespace": self.namespace}, "spec": {"text": text, "copies": copies}}
        return self.in_namespace("apply", "-f", "-", stdin=json.dumps(mirror)).problem()

    def differs(self, name, text, copies):
        """None when the copies and the status are as they should be; else what is there."""
        answer = self.in_namespace("get", "configmaps", "-l", f"tests.example.com/mirror={name}", "-o", "json")
        if not answer.ok:
            return answer.problem()
        found = sorted((item["metadata"]["name"], item["data"]["text"]) for item in answer.documents())
        if found != [(f"{name}-{index}", text) for index in range(copies)]:
            return f"copies {found}"
        mirrors = self.in_namespace("get", "mirror", name, "-o", "json")
        if not mirrors.ok:
            return mirrors.problem()
        mirror = mirrors.documents()[0]
        status = mirror.get("status", {})
        if status.get("copies", 0) != copies or status.get("observedGeneration") != mirror["metadata"]["generation"]:
            return f"status {status} of generation {mirror['metadata']['generation']}"
        return None

    def converges(self, what, name, text, copies, seconds=SECONDS):
        return self.check(what, until(seconds, lambda: self.differs(name, text, copies)))

    def run(self):
        try:
            self.basics()
            self.restarts()
            self.leadership()
        finally:
            for operator in self.running:
                if operator.process.poll() is None:
                    operator.process.kill()
                    operator.process.wait()
            self.in_namespace("patch", "mirrors", "--all", "--type=merge", "-p", '{"metadata":{"finalizers":null}}')
            self.kubectl("delete", "namespace", self.namespace, "--wait=false")
            self.kubectl("delete", "-f", str(CRDS), "--wait=false")

    def basics(self):
        self.check("a namespace is made", self.kubectl("create", "namespace", self.namespace).problem())
        operator = self.start("-v=1")
        self.check("without its CRD it waits and says so", until(
            SECONDS, lambda: None if "Waiting for a source to sync" in operator.log.read_text() else operator.log.read_text()))
        self.check("and is alive", None if get(operator.health, "/healthz") == (200, "ok") else "it is not")
        self.check("the CRD is taken", self.kubectl("apply", "-f", str(CRDS)).problem())
        self.kubectl("wait", "--for=condition=Established", "--timeout=30s", "crd/mirrors.tests.example.com")
        self.check("a Mirror is made", self.apply("one", "hello", 3))
        self.converges("when the CRD has come it makes the copies", "one", "hello", 3, 60)
        shown = self.in_namespace("get", "mirrors").out.split()
        self.check("kubectl get shows its columns", None if shown == ["NAME", "COPIES", "READY", "one", "3", "True"]
                   else shown)
        self.check("kubectl describe shows the event", until(SECONDS, self.event_problem))
        self.in_namespace("delete", "configmap", "one-1")
        self.converges("a copy that was deleted comes back", "one", "hello", 3)
        self.in_namespace("patch", "configmap", "one-2", "--type=merge", "-p", '{"data":{"text":"drift"}}')
        self.converges("one that was changed is mended", "one", "hello", 3)
        self.check("the Mirror is changed", self.apply("one", "goodbye", 1))
        self.converges("fewer copies, another text", "one", "goodbye", 1)
        self.quiet(operator)
        self.servers(operator)
        self.check("a Mirror is deleted", self.in_namespace("delete", "mirror", "one", "--timeout=30s").problem())
        left = self.in_namespace("get", "configmaps", "-l", "tests.example.com/mirror", "-o", "name").out
        self.check("its finalizer has taken the copies along", None if not left else left)
        began = time.monotonic()
        self.check("SIGTERM ends it well", operator.end())
        took = time.monotonic() - began
        self.check("and soon", None if took < 5 else f"after {took:.1f} s")

    def event_problem(self):
        text = self.in_namespace("describe", "mirror", "one").out
        for line in text.splitlines():
            words = line.split()
            if words[:2] == ["Normal", "Synced"] and line.rstrip().endswith("mirror-controller  Mirror synced successfully"):
                return None
        return text

    def quiet(self, operator):
        writes = 'rest_client_requests_total{code="200",method="PUT"'
        time.sleep(2)
        before = operator.metric(writes)
        time.sleep(5)
        after = operator.metric(writes)
        self.check("nothing is written once all is well", None if before == after else f"{before} updates, then {after}")

    def servers(self, operator):
        total = operator.metric('controller_runtime_reconcile_total{controller="mirror",result="success"}')
        self.check("/metrics counts reconciles", None if total and total > 3 else total)
        for path in ("/healthz", "/readyz"):
            status, text = get(operator.health, path)
            self.check(f"{path} is ok", None if (status, text) == (200, "ok") else (status, text))
        status, text = get(operator.health, "/nothing")
        self.check("another path is not found", None if status == 404 else (status, text))

    def restarts(self):
        self.check("Mirrors are made", self.apply("two", "first", 2) or self.apply("three", "first", 5))
        chance = random.Random(11)
        for round_ in range(KILLS):
            operator = self.start()
            text, copies = f"round {round_}", round_ % 5 + 1
            self.apply("two", text, copies)
            time.sleep(chance.uniform(0, 0.6))
            operator.end(signal.SIGKILL)
            self.apply("three", text, 5 - round_ % 3)
        operator = self.start()
        self.converges(f"killed {KILLS} times it converges still", "two", f"round {KILLS - 1}", (KILLS - 1) % 5 + 1)
        self.converges("and the other too", "three", f"round {KILLS - 1}", 5 - (KILLS - 1) % 3)
        self.check("it ends well", operator.end())

    def leadership(self):
        lease = f"mirror-{os.getpid()}"
        flags = ("--leader-elect", f"--leader-election-id={lease}", f"--leader-election-namespace={self.namespace}")

        def go():
            return subprocess.Popen([GO, "-kubeconfig", str(self.kubeconfig), "-namespace", self.namespace, "-name", lease,
                                     "-identity", f"go-{time.monotonic_ns()}"], stdout=subprocess.DEVNULL,
                                    stderr=subprocess.DEVNULL)

        def holder():
            return self.in_namespace("get", "lease", lease, "-o", "jsonpath={.spec.holderIdentity}").out

        candidate = go()
        try:
            self.check("a client-go process leads", until(
                SECONDS, lambda: None if holder().startswith("go-") else f"holder '{holder()}'"))
            operator = self.start(*flags)
            self.apply("two", "elected", 2)
            time.sleep(4)
            standby = self.differs("two", "elected", 2)
            self.check("the operator stands by and writes nothing", None if standby else "it has written")
            self.check("it is ready meanwhile", until(5, lambda: None if get(operator.health, "/readyz")[0] == 200
                                                      else "not ready"))
            candidate.send_signal(signal.SIGTERM)
            candidate.wait(timeout=15)
            self.converges("it takes over what client-go has released", "two", "elected", 2)
            second = go()
            try:
                self.check("it ends well", operator.end())
                self.check("client-go takes over what it released", until(
                    12, lambda: None if holder().startswith("go-") else f"holder '{holder()}'"))
                operator = self.start(*flags)
                second.kill()
                self.apply("two", "again", 3)
                self.converges("it takes over from a client-go that died", "two", "again", 3, EXPIRED)
                replica = self.start(*flags)
                time.sleep(2)
                operator.end(signal.SIGKILL)
                self.apply("two", "by the other", 1)
                self.converges("a second replica takes over from one that was killed", "two", "by the other", 1, EXPIRED)
                self.check("and ends well", replica.end())
            finally:
                second.kill()
                second.wait()
        finally:
            candidate.kill()
            candidate.wait()


def main():
    checks = Checks()
    built = subprocess.run(["go", "build", "-o", GO, "./elect"], check=False, cwd=HERE / "clients" / "go",
                           env={**os.environ, "GOWORK": "off", "GOFLAGS": "-mod=readonly"})
    if not checks.that("the candidate by client-go is built", built.returncode and "go build failed"):
        return checks.finish()
    with tempfile.TemporaryDirectory() as folder, KeelsonUp(folder) as server:
        Scenario(checks, "keelson up", server.kubeconfig, folder).run()
    if os.environ.get("KUBECONFIG"):
        with tempfile.TemporaryDirectory() as folder:
            Scenario(checks, "Kubernetes", os.environ["KUBECONFIG"], folder).run()
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main())
