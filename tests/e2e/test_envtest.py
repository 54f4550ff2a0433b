#!/usr/bin/env python3
"""A Go project with controller-runtime's envtest, on a real control plane and on `keelson assets`: the same suite.

envtest_project/ is an operator as kubebuilder lays it out; nothing in it knows what it runs on. KUBEBUILDER_ASSETS is
all that differs. Says how long each took, start to finish, and how long until the suite could begin.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from checks import Checks
from keelson_up import PROGRAM

HERE = Path(__file__).resolve().parent
PROJECT = HERE / "envtest_project"
PACKAGE = PROJECT / "internal" / "controller"
BUILD = HERE.parents[1] / "build" / "e2e"
SUITE = BUILD / "bin" / "envtest-suite"
SECONDS = 300


def build():
    print("e2e: building the suite of envtest_project, some minutes the first time", flush=True)
    done = subprocess.run(["go", "test", "-c", "-o", SUITE, "./internal/controller"], cwd=PROJECT, check=False,
                          env={**os.environ, "GOWORK": "off", "GOFLAGS": "-mod=readonly"}, capture_output=True, text=True)
    return done.stderr if done.returncode else None


def assets():
    done = subprocess.run([PROGRAM, "assets"], capture_output=True, text=True, check=False)
    return done.stdout.strip(), done.stderr.strip()


def run(checks, name, folder):
    """The suite on the programs of that folder; its times by what they are of, None when it failed."""
    with tempfile.TemporaryDirectory() as scratch:
        report = Path(scratch) / "report.json"
        environment = {**os.environ, "KUBEBUILDER_ASSETS": str(folder)}
        # A kubeconfig must not turn the suite to some other cluster.
        for variable in ("KUBECONFIG", "USE_EXISTING_CLUSTER"):
            environment.pop(variable, None)
        began = time.monotonic()
        try:
            done = subprocess.run([SUITE, "--ginkgo.no-color", f"--ginkgo.json-report={report}"], cwd=PACKAGE,
                                  env=environment, capture_output=True, text=True, check=False, timeout=SECONDS)
        except subprocess.TimeoutExpired:
            checks.that(f"envtest on {name}: the suite ends", f"no end within {SECONDS} s")
            return None
        took = time.monotonic() - began
        specs = [spec for suite in (json.loads(report.read_text()) if report.exists() else [])
                 for spec in suite["SpecReports"] or [] if spec["LeafNodeType"] == "It"]
    for spec in specs:
        what = " ".join([*spec["ContainerHierarchyTexts"], spec["LeafNodeText"]])
        problem = None if spec["State"] == "passed" else spec.get("Failure", {}).get("Message", spec["State"])
        checks.that(f"envtest on {name}: {what}", problem)
    output = done.stdout + done.stderr
    if not checks.that(f"envtest on {name}: the suite passes",
                       None if done.returncode == 0 and specs else output[-3000:]):
        return None
    times = {what: float(seconds) for what, seconds in re.findall(r"envtest: (\w+) in ([\d.]+) s", output)}
    return {"all": took, **times}


def main():
    checks = Checks()
    if not checks.that("envtest: the suite is built", build()):
        return checks.finish()
    folder, problem = assets()
    checks.that("envtest: keelson assets prints a folder", None if Path(folder).is_dir() else problem or folder)
    times = {"kube-apiserver and etcd": run(checks, "kube-apiserver and etcd", BUILD / "bin"),
             "keelson assets": run(checks, "keelson assets", folder)}
    for name, taken in times.items():
        if taken:
            print(f"e2e: envtest on {name}: {taken['all']:.2f} s in all, of which {taken['started']:.2f} s to start and "
                  f"{taken['stopped']:.2f} s to stop")
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main())
