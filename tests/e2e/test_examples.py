#!/usr/bin/env python3
"""The seven operators of examples/ as their users see them, on the cluster of KUBECONFIG and on `keelson up`.

    tests/e2e/test_examples.py [EXAMPLE...]        these only
    SEED=7 tests/e2e/test_examples.py              other moments at which operators are killed

Each in a namespace of its own, all at the same time: its manifests are taken, its samples converge and come to
rest, what is deleted or edited comes back, bad samples end as their first line says, twenty kill -9 leave no
trace, and after a deletion nothing is left. On a real Kubernetes the operator has the rights of its generated role and
no others. Pods run on simulated nodes (tests/e2e/nodes), which that cluster is given for the time of the test.
"""

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import traceback
from pathlib import Path

from api import Api, ApiError
from checks import Checks, kubectl
from keelson_up import KeelsonUp

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = ROOT / "build" / "release" / "bin"
SECONDS = 60      # for anything to come true, on a busy machine
QUIET_SECONDS = 5
KILLS = 20
SEED = int(os.environ.get("SEED", "1"))
NODES = 3
# Where children are looked for.
CHILD_KINDS = [("apps/v1", "Deployment"), ("v1", "Service"), ("networking.k8s.io/v1", "Ingress"), ("v1", "Pod"),
               ("v1", "PersistentVolumeClaim"), ("v1", "PersistentVolume")]
# What Pods use cannot go before them, so whoever deletes it alone waits for ever.
PROTECTED_KINDS = ("PersistentVolumeClaim", "PersistentVolume")


class Example:
    """One line of the table below."""

    def __init__(self, name, children=(), edits=(), change=None, extra=None, problem=None, left=None, namespaces=(),
                 flags=None, since=0, needs=None):
        self.name = name
        self.program = PROGRAMS / f"{name.replace('_', '-')}-operator"
        self.config = ROOT / "examples" / name / "config"
        self.children = sorted(children)  # "Kind name" of all that the samples own
        self.edits = edits                # (apiVersion, Kind, name, merge patch) of what the operator must take back
        self.change = change              # (apiVersion, Kind, name, merge patch) of a sample, for the time of the kills
        self.extra = extra                # further checks: a function of the Scenario
        self.problem = problem            # of a sample that is Ready: a function of the Scenario and the sample
        self.left = left                  # what else a deletion left behind: a function of the Scenario
        self.namespaces = namespaces      # that it makes itself
        self.namespace = f"e2e-{name.replace('_', '-')}"
        self.since, self.needs = since, needs  # Kubernetes 1.<since> is the first that takes its CRD, for it needs this
        self.own_flags = flags            # a function of the example and its folder, instead of config/demo.flags

    def flags(self, folder):
        if self.own_flags:
            return self.own_flags(self, folder)
        path = self.config / "demo.flags"
        lines = path.read_text().splitlines() if path.exists() else []
        return [line.replace("{config}", str(self.config)).replace("{dir}", str(folder))
                for line in map(str.strip, lines) if line and not line.startswith("#")]


def scaling_flags(example, folder):
    metrics = folder / "metrics.yaml"
    metrics.write_text(f"{example.namespace}/scaling-target: {{cpu: 85}}\n")
    return [f"--metrics-file={metrics}", "--resync=2s"]


def scaling_problem(_scenario, sample):
    reason = condition(sample).get("reason")
    return None if reason == "AtMaximum" else f"reason {reason}"


def network_flags(_example, folder):
    return [f"--state-dir={folder / 'networks'}", "--resync=1s"]


def network_file(scenario, name):
    return scenario.folder / "networks" / f"{scenario.namespace}_{name}.json"


def network_problem(scenario, sample):
    file = network_file(scenario, sample["metadata"]["name"])
    provided = json.loads(file.read_text() or "{}") if file.exists() else None
    return None if provided == sample["spec"] else f"the backend has {provided}, expected {sample['spec']}"


def network_drift(scenario):
    name = scenario.samples[0]["metadata"]["name"]
    network_file(scenario, name).unlink()
    scenario.check("a network that the backend has lost comes back", scenario.with_log(until(scenario.unready)))
    network_file(scenario, name).write_text('{"cidr": "10.0.0.0/8", "gateway": "10.0.0.1"}')
    scenario.check("one that the backend has changed is mended", scenario.with_log(until(scenario.unready)))
    stray = network_file(scenario, "stray")
    stray.write_text('{"cidr": "10.0.0.0/8", "gateway": "10.0.0.1"}')
    scenario.check("one that nobody asked for goes", scenario.with_log(
        until(lambda: "it is there still" if stray.exists() else None)))


def networks_left(scenario):
    return [str(file) for file in (scenario.folder / "networks").glob("*.json")]


EXAMPLES = [
    Example("app", children=["Deployment app-sample", "Service app-sample", "Deployment app-public",
                             "Service app-public", "Ingress app-public"],
            edits=[("apps/v1", "Deployment", "app-sample", {"spec": {"replicas": 7}}),
                   ("v1", "Service", "app-public", {"spec": {"selector": {"e2e": "drift"}}}),
                   ("networking.k8s.io/v1", "Ingress", "app-public", {"spec": {"rules": [{"host": "drift.example"}]}})],
            change=("ingress.example.com/v1beta1", "App", "app-public", {"spec": {"enable_ingress": False}})),
    Example("app_service", children=["Deployment example"],
            edits=[("apps/v1", "Deployment", "example", {"spec": {"replicas": 7}})],
            change=("appcontroller.k8s.io/v1alpha1", "AppService", "example", {"spec": {"replicas": 4}})),
    Example("count", children=["Pod nginx-0", "Pod nginx-1", "Pod nginx-2"],
            edits=[("v1", "Pod", "nginx-1", {"metadata": {"labels": {"app": "drift"}}})],
            change=("demo.mark8s.io/v1", "Count", "test-count", {"spec": {"count": 5}})),
    Example("ingress_manager", children=["Ingress nginx-demo"],
            edits=[("networking.k8s.io/v1", "Ingress", "nginx-demo", {"spec": {"rules": [{"host": "drift.example"}]}})],
            change=("v1", "Service", "nginx-demo", {"metadata": {"annotations": {"ingress/http": "false"}}})),
    Example("network", flags=network_flags, problem=network_problem, extra=network_drift, left=networks_left,
            since=31, needs="undeclared reference to 'isCIDR'",
            change=("samplecrd.k8s.io/v1", "Network", "example-network",
                    {"spec": {"cidr": "172.16.0.0/12", "gateway": "172.16.0.1"}})),
    Example("pipeline", children=["PersistentVolume facedetection-models", "PersistentVolumeClaim facedetection-models",
                                  "Deployment facedetection-1", "Service facedetection-1",
                                  "Deployment facedetection-2", "Service facedetection-2"],
            edits=[("apps/v1", "Deployment", "facedetection-1", {"spec": {"replicas": 3}}),
                   ("v1", "Service", "facedetection-2", {"spec": {"selector": {"e2e": "drift"}}})],
            change=("distri-infer.ndsl.cn/v1beta1", "Pipeline", "facedetection", {"spec": {"steps": [
                {"model": "facedetection-1", "image": "nginx:latest", "location": "node-1"}]}}),
            namespaces=["pipeline"]),
    Example("scaling", edits=[("apps/v1", "Deployment", "scaling-target", {"spec": {"replicas": 9}})],
            change=("control.example.com/v1", "Scaling", "example", {"spec": {"maxReplicas": 7}}),
            problem=scaling_problem, flags=scaling_flags),
]


def condition(item, kind="Ready"):
    return next((one for one in item.get("status", {}).get("conditions", []) if one["type"] == kind), {})


def title(item):
    return f"{item['kind']} {item['metadata']['name']}"


def until(look, seconds=SECONDS):
    """None once look() gives None; else what it gave last."""
    end = time.monotonic() + seconds
    while True:
        try:
            problem = look()
        except ApiError as error:
            problem = str(error)
        if problem is None or time.monotonic() > end:
            return problem
        time.sleep(0.1)


def leaves(patch, path=()):
    for key, value in patch.items():
        if isinstance(value, dict):
            yield from leaves(value, (*path, key))
        else:
            yield (*path, key)


def value_at(item, path):
    for key in path:
        item = item.get(key, {}) if isinstance(item, dict) else {}
    return item


class Scenario:
    """One example on one cluster."""

    def __init__(self, example, where, roles, checks, kubeconfig, folder):
        self.roles = roles  # whether the server knows them
        self.example, self.where, self.checks, self.kubeconfig = example, where, checks, kubeconfig
        self.api = Api(kubeconfig)
        self.folder = Path(folder)
        self.folder.mkdir()
        self.program = shutil.copy2(example.program, self.folder)  # which a build may replace meanwhile
        self.namespace = example.namespace
        self.chance = random.Random(f"{SEED} {example.name}")
        self.process = self.samples = None
        self.processes = 0

    def check(self, what, problem):
        return self.checks.that(f"{self.where}, {self.example.name}: {what}", problem)

    def kubectl(self, *arguments):
        return kubectl("--kubeconfig", str(self.kubeconfig), "-n", self.namespace, *arguments)

    def anywhere(self, *arguments, stdin=None):
        return kubectl("--kubeconfig", str(self.kubeconfig), *arguments, stdin=stdin)

    def documents(self, path):
        return self.anywhere("create", "--dry-run=client", "--validate=ignore", "-o", "json", "-f", str(path)).documents()

    # The operator's process ------------------------------------------------------------------------------------------

    def log(self):
        return self.folder / f"operator-{self.processes}.log"

    def start(self):
        self.processes += 1
        with open(self.log(), "wb") as log:
            self.process = subprocess.Popen(
                [self.program, "--kubeconfig", self.folder / "kubeconfig", *self.example.flags(self.folder)],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=self.folder)

    def kill(self):
        if self.process and self.process.poll() is None:
            self.process.kill()
        if self.process:
            self.process.wait()

    def end_by_sigterm(self):
        began = time.monotonic()
        self.process.send_signal(signal.SIGTERM)
        try:
            status = self.process.wait(timeout=15)
        except subprocess.TimeoutExpired:
            return "it goes on after 15 s"
        took = time.monotonic() - began
        if status != 0:
            return f"status {status}: {self.log().read_text(errors='replace')[-2000:]}"
        return None if took < 10 else f"after {took:.1f} s"

    # What is there ---------------------------------------------------------------------------------------------------

    def current(self, sample):
        return self.api.get(sample["apiVersion"], sample["kind"], sample["metadata"]["name"], self.namespace)

    def children(self):
        """What the samples own, by owner reference."""
        owners = {found["metadata"]["uid"] for sample in self.samples if (found := self.current(sample))}
        return [child for version, kind in CHILD_KINDS for child in self.api.list(version, kind)
                for reference in child["metadata"].get("ownerReferences", [])
                if reference.get("controller") and reference["uid"] in owners]

    def unready(self):
        """None when all samples, and all that they own, are as they should be."""
        for sample in self.samples:
            found = self.current(sample)
            if found is None:
                return f"there is no {title(sample)}"
            if found["metadata"].get("deletionTimestamp"):
                return f"{title(sample)} is being deleted"
            if problem := self.problem_of(found):
                return problem
        children = self.children()
        if sorted(map(title, children)) != self.example.children:
            return f"it owns {sorted(map(title, children))}, expected {self.example.children}"
        return next(filter(None, map(self.problem_of, children)), None)

    def problem_of(self, item):
        if item["kind"] == "Deployment":
            status, wanted = item.get("status", {}), item["spec"]["replicas"]
            have = [status.get(field, 0) for field in ("replicas", "updatedReplicas", "availableReplicas")]
            fresh = status.get("observedGeneration") == item["metadata"]["generation"]
            return None if fresh and have == [wanted] * 3 else f"{title(item)} wants {wanted} and has {have}"
        if "." not in item["apiVersion"].partition("/")[0] or item["apiVersion"].startswith("networking.k8s.io/"):
            return None
        ready = condition(item)
        if ready.get("status") != "True" or ready.get("observedGeneration") != item["metadata"]["generation"]:
            return f"{title(item)} of generation {item['metadata']['generation']} is not Ready: {ready}"
        return self.example.problem and self.example.problem(self, item)

    def warned(self, item, reason):
        uid = item["metadata"]["uid"]
        namespace = item["metadata"].get("namespace", "default")
        return any(event["type"] == "Warning" and event["reason"] == reason and event["involvedObject"].get("uid") == uid
                   for event in self.api.list("v1", "Event", namespace))

    # The checks, in order --------------------------------------------------------------------------------------------

    def run(self):
        try:
            self.manifests()
            if int(self.api.call("GET", "/version")["minor"].rstrip("+")) < self.example.since:
                refused = self.kubectl("apply", "-f", str(self.example.config / "crd"))
                self.check(f"this Kubernetes is before 1.{self.example.since} and says what it lacks: {self.example.needs}",
                           None if self.example.needs in refused.err else f"kubectl: {refused.out}{refused.err}")
                return
            self.converges()
            self.is_quiet()
            self.repairs()
            self.bad_samples()
            if self.example.extra:
                self.example.extra(self)
            self.kills()
            self.deletion()
            self.check("SIGTERM ends it well", self.end_by_sigterm())
        except Exception:  # of one example: the others go on
            self.check("the test itself works", traceback.format_exc())
        finally:
            self.kill()
            self.clean_up()

    def manifests(self):
        self.kubectl("create", "namespace", self.namespace)
        rbac, deploy = str(self.example.config / "rbac"), str(self.example.config / "deploy")
        parts = {item["kind"]: item for item in self.documents(deploy)}
        self.anywhere("apply", "-f", "-", stdin=json.dumps(parts["Namespace"]))
        taken = self.anywhere("apply", "--dry-run=server", "-f", rbac, "-f", deploy)
        self.check("the manifests to run it in a cluster are taken", taken.problem() or "\n".join(taken.warnings()))
        # All but the Deployment, whose part the process here plays.
        self.anywhere("apply", "-f", rbac)
        for kind in ("ServiceAccount", "ClusterRoleBinding"):
            self.anywhere("apply", "-f", "-", stdin=json.dumps(parts[kind]))
        account = parts["ServiceAccount"]["metadata"]
        self.api.write_kubeconfig(self.folder / "kubeconfig",
                                  f"system:serviceaccount:{account['namespace']}:{account['name']}" if self.roles else "")

    def apply_samples(self):
        return self.kubectl("apply", "-f", str(self.example.config / "samples")).problem()

    def converges(self):
        self.start()
        crds = self.example.config / "crd"
        if crds.exists():
            time.sleep(0.3)  # it finds none
            self.check("the CRD is taken", self.kubectl("apply", "-f", str(crds)).problem())
            self.kubectl("wait", "--for=condition=Established", "--timeout=30s", "-f", str(crds))
        self.check("samples are taken", self.apply_samples())
        self.samples = self.documents(self.example.config / "samples")
        self.check("samples converge", self.with_log(until(self.unready)))

    def with_log(self, problem):
        return problem and f"{problem}\nits log:\n{self.log().read_text(errors='replace')[-1500:]}"

    def versions(self):
        items = [found for sample in self.samples if (found := self.current(sample))] + self.children()
        return {title(item): item["metadata"]["resourceVersion"] for item in items}

    def changes(self, seconds):
        before = self.versions()
        time.sleep(seconds)
        after = self.versions()
        return None if before == after else f"changed: {[name for name in after if before.get(name) != after[name]]}"

    def is_quiet(self):
        until(lambda: self.changes(1))  # the cluster's own controllers may have something to add
        self.check(f"then nothing is written for {QUIET_SECONDS} s", self.changes(QUIET_SECONDS))

    def repairs(self):
        for name in self.example.children:
            if name.startswith(PROTECTED_KINDS):
                continue
            child = next((one for one in self.children() if title(one) == name), None)
            if child is None:
                self.check(f"{name} is deleted and comes back", "it is not there")
                continue
            self.api.delete(child["apiVersion"], child["kind"], child["metadata"]["name"],
                            child["metadata"].get("namespace"), propagationPolicy="Background")

            def same(uid=child["metadata"]["uid"]):
                if any(one["metadata"]["uid"] == uid for one in self.children()):
                    return f"the old {name} is there still"
                return self.unready()

            self.check(f"{name} is deleted and comes back", self.with_log(until(same)))
        for version, kind, name, patch in self.example.edits:
            self.check(f"{kind} {name} is edited and mended", self.with_log(self.edit(version, kind, name, patch)))

    def place_of(self, version, kind, name):
        """The namespace of a child or other object of this example."""
        for item in [*self.children(), *self.api.list(version, kind, self.namespace)]:
            if (item["kind"], item["metadata"]["name"]) == (kind, name):
                return item["metadata"].get("namespace")
        return self.namespace

    def edit(self, version, kind, name, patch):
        namespace = self.place_of(version, kind, name)
        before = self.api.get(version, kind, name, namespace)
        if before is None:
            return "it is not there"
        edited = self.api.patch(version, kind, name, patch, namespace)
        paths = list(leaves(patch))
        if all(value_at(before, path) == value_at(edited, path) for path in paths):
            return f"the edit {patch} changes nothing"

        def differs():
            now = self.api.get(version, kind, name, namespace) or {}
            wrong = [path for path in paths if value_at(now, path) != value_at(before, path)]
            return f"still {[value_at(now, path) for path in wrong]}" if wrong else self.unready()

        return until(differs)

    def bad_samples(self):
        for path in sorted((self.example.config / "samples" / "bad").glob("*.yaml")):
            first = path.read_text().partition("\n")[0]
            verdict, _, expected = first.removeprefix("# ").partition(": ")
            what = f"{path.name} is {verdict}: {expected}"
            if verdict not in ("rejected", "accepted") or not expected:
                self.check(what, "its first line is neither `# rejected: text` nor `# accepted: Reason`")
                continue
            applied = self.kubectl("apply", "-f", str(path))
            if verdict == "rejected":
                said = " ".join(applied.err.split())
                self.check(what, None if not applied.ok and expected in said else f"kubectl: {applied.out}{applied.err}")
            else:
                items = self.documents(path)
                self.check(what, applied.problem() or self.with_log(until(lambda: self.unblamed(items, expected))))
            self.kubectl("delete", "--ignore-not-found", "-f", str(path), f"--timeout={SECONDS}s")
        self.check("bad samples do no harm to the good ones", self.with_log(until(self.unready)))

    def unblamed(self, items, reason):
        """None when an object has the condition, if its kind has conditions of ours, and a Warning of that reason."""
        for item in filter(None, map(self.current, items)):
            ours = (self.example.config / "crd").exists() and item["kind"] in {one["kind"] for one in self.samples}
            ready = condition(item)
            blamed = not ours or (ready.get("status"), ready.get("reason")) == ("False", reason)
            if blamed and self.warned(item, reason):
                return None
        return f"no condition and Warning of {reason}: {[condition(self.current(item) or {}) for item in items]}"

    def kills(self):
        """Whatever happens at whatever moment of its life."""
        self.kill()
        for number in range(KILLS):
            self.start()
            self.disturb(number)
            time.sleep(self.chance.uniform(0, 0.7))
            self.kill()
        self.start()
        # What was deleted may still have its finalizer, so that nothing can be made in its place yet.
        self.check(f"killed {KILLS} times it ends what it was at", self.with_log(until(
            lambda: next((f"{title(sample)} is being deleted" for sample in self.samples
                          if ((self.current(sample) or {}).get("metadata") or {}).get("deletionTimestamp")), None))))
        self.check("samples are taken again", self.apply_samples())
        self.check("killed, it converges, and no child is there twice", self.with_log(until(self.unready)))
        self.is_quiet()

    def disturb(self, number):
        try:
            if number == KILLS // 2:
                for sample in self.samples:
                    self.api.delete(sample["apiVersion"], sample["kind"], sample["metadata"]["name"], self.namespace,
                                    propagationPolicy="Background")
            elif number % 4 == 0 or number == KILLS // 2 + 1:
                self.apply_samples()
            elif number % 4 == 1 and self.example.change:
                version, kind, name, patch = self.example.change
                self.api.patch(version, kind, name, patch, self.namespace)
            elif number % 4 == 2 and (children := [child for child in self.children()
                                                   if child["kind"] not in PROTECTED_KINDS]):
                child = self.chance.choice(children)
                self.api.delete(child["apiVersion"], child["kind"], child["metadata"]["name"],
                                child["metadata"].get("namespace"), propagationPolicy="Background")
            elif self.example.edits:
                version, kind, name, patch = self.chance.choice(self.example.edits)
                self.api.patch(version, kind, name, patch, self.place_of(version, kind, name))
        except ApiError:
            pass  # it was not there, or changed meanwhile

    def deletion(self):
        kinds = CHILD_KINDS + [("apps/v1", "ReplicaSet")]
        before = {child["metadata"]["uid"] for child in self.children()}
        deleted = self.kubectl("delete", "-f", str(self.example.config / "samples"), f"--timeout={SECONDS}s")
        self.check("samples can be deleted", self.with_log(deleted.problem()))

        def left():
            items = [item for version, kind in kinds for item in self.api.list(version, kind)
                     if item["metadata"]["uid"] in before
                     or item["metadata"].get("namespace") in (self.namespace, *self.example.namespaces)]
            found = [title(item) for item in items] + (self.example.left(self) if self.example.left else [])
            return f"left: {found}" if found else None

        self.check("nothing is left behind", self.with_log(until(left)))

    def clean_up(self):
        for path in (self.example.config / "samples").glob("**/*.yaml"):
            self.kubectl("delete", "--ignore-not-found", "--wait=false", "-f", str(path))
        for sample in self.samples or []:
            if (self.example.config / "crd").exists() and self.current(sample):
                self.api.patch(sample["apiVersion"], sample["kind"], sample["metadata"]["name"],
                               {"metadata": {"finalizers": None}}, self.namespace)
        for folder in ("crd", "rbac", "deploy"):
            self.kubectl("delete", "--ignore-not-found", "--wait=false", "-f", str(self.example.config / folder))
        for namespace in (self.namespace, *self.example.namespaces):
            self.kubectl("delete", "namespace", namespace, "--ignore-not-found", "--wait=false")


class LockedChecks(Checks):
    def __init__(self):
        super().__init__()
        self.lock = threading.Lock()

    def that(self, what, problem):
        with self.lock:
            return super().that(what, problem)


def run_all(examples, where, roles, checks, kubeconfig, folder):
    scenarios = [Scenario(example, where, roles, checks, kubeconfig, Path(folder) / example.name)
                 for example in examples]
    threads = [threading.Thread(target=scenario.run) for scenario in scenarios]
    began = time.monotonic()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print(f"{where}: {len(examples)} examples in {time.monotonic() - began:.0f} s, seed {SEED}", flush=True)


class Nodes:
    """Simulated ones, and a scheduler, for a cluster that has neither."""

    def __init__(self, kubeconfig, folder):
        self.kubeconfig, self.log = kubeconfig, Path(folder) / "nodes.log"

    def __enter__(self):
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(
                [PROGRAMS / "nodes-e2e", "--kubeconfig", self.kubeconfig, "--nodes", str(NODES), "--controllers",
                 "kubelet,scheduler"], stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()
        names = [f"node-{number + 1}" for number in range(NODES)]
        kubectl("--kubeconfig", str(self.kubeconfig), "delete", "nodes", *names, "--ignore-not-found")


def main():
    chosen = [example for example in EXAMPLES if not sys.argv[1:] or example.name in sys.argv[1:]]
    checks = LockedChecks()
    for example in chosen:
        if not example.program.exists():
            checks.that(f"{example.name} is built", f"{example.program} is missing")
    chosen = [example for example in chosen if example.program.exists()]
    with tempfile.TemporaryDirectory() as folder, KeelsonUp(folder, "--nodes", str(NODES)) as server:
        run_all(chosen, "keelson up", False, checks, server.kubeconfig, folder)
    if os.environ.get("KUBECONFIG"):
        with tempfile.TemporaryDirectory() as folder, Nodes(os.environ["KUBECONFIG"], folder):
            run_all(chosen, "Kubernetes", True, checks, os.environ["KUBECONFIG"], folder)
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main())
