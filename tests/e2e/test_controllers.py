#!/usr/bin/env python3
"""The built-in controllers beside Kubernetes' own: the same commands lead to the same objects, events and output.

Each scenario of controllers/scenarios/ is played against `keelson up` and compared with what a real kube-apiserver,
kube-controller-manager and kube-scheduler made of it, which is recorded in tests/data/controllers/. Nodes are Keelson's
simulated ones on both sides, so that what is compared is the controllers and not how long a container takes to start.

    test_controllers.py [NAME...]              all scenarios, or those whose name contains one of these
    test_controllers.py --record [NAME...]     plays them on a real cluster and writes the recordings
    test_controllers.py --show [NAME...]       plays them against keelson up and prints what came of it

--record needs `tests/e2e/build etcd kube-apiserver kube-controller-manager kubectl kube-scheduler` and the program
nodes-e2e of the release build. controllers/README.md says how to write a scenario and what is known to differ.
"""

import difflib
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from checks import Checks
from controllers.scenario import clean_up, play, read_scenarios
from controllers.server import Server
from keelson_up import PROGRAM, KeelsonUp

HERE = Path(__file__).resolve().parent
RECORDINGS = HERE.parent / "data" / "controllers"
THREADS = 8
# How long nothing must change until it is taken for the end.
QUIET_SECONDS = 0.8
QUIET_SECONDS_REAL = 2.5
GONE_SECONDS = 60


def comparable(scenario, lines):
    left_out = scenario.differences + scenario.chances
    return [line for line in lines if not any(pattern.search(line) for pattern, _ in left_out)]


def difference(scenario, ours):
    """None, or what differs from the recording."""
    path = RECORDINGS / f"{scenario.name}.txt"
    if not path.exists():
        return f"{path.name} was never recorded: tests/e2e/test_controllers.py --record {scenario.name}"
    theirs = path.read_text().splitlines()
    ours = ours.splitlines()
    for pattern, _ in scenario.differences:
        if [line for line in theirs if pattern.search(line)] == [line for line in ours if pattern.search(line)]:
            return f"'{pattern.pattern}' is said to differ and does not any more"
    changes = difflib.unified_diff(comparable(scenario, theirs), comparable(scenario, ours), "real", "keelson", n=1, lineterm="")
    return "\n".join(list(changes)[2:80]) or None


def play_all(scenarios, server, quiet, finish):
    """Those that may run beside others first, at the same time; then the others one by one."""

    def whole(scenario):
        try:
            return play(scenario, server, quiet)
        finally:
            clean_up(scenario, server)

    with ThreadPoolExecutor(THREADS) as pool:
        together = [(scenario, pool.submit(whole, scenario)) for scenario in scenarios if "alone" not in scenario.flags]
        for scenario, future in together:
            finish(scenario, future.result())
    for scenario in scenarios:
        if "alone" in scenario.flags:
            wait_until_gone(scenarios, server)
            finish(scenario, whole(scenario))


def wait_until_gone(scenarios, server):
    names = {scenario.name for scenario in scenarios}
    until = time.monotonic() + GONE_SECONDS
    while time.monotonic() < until:
        there = {item["metadata"]["name"] for item in server.get("/api/v1/namespaces")["items"]}
        if not there & names:
            return
        time.sleep(0.1)


def record(scenarios, folder):
    RECORDINGS.mkdir(parents=True, exist_ok=True)
    cluster = folder / "cluster"
    flags = ["--scheduler", "--controller-manager-flag=--controllers=*,-horizontal-pod-autoscaler-controller"]
    if subprocess.run([HERE / "cluster", "start", cluster, *flags], check=False).returncode:
        return 1
    nodes = server = None
    try:
        nodes = subprocess.Popen([PROGRAM.parent / "nodes-e2e", "--kubeconfig", cluster / "kubeconfig", "--nodes", "3"],
                                 stdout=open(folder / "nodes.log", "wb"), stderr=subprocess.STDOUT)
        server = Server(cluster / "kubeconfig", folder, [scenario.name for scenario in scenarios])
        server.run("kubectl wait --for=create node/node-3 && kubectl wait --for=condition=Ready node --all",
                   server.environment)

        def write(scenario, text):
            (RECORDINGS / f"{scenario.name}.txt").write_text(text)
            print(f"recorded {scenario.name}", flush=True)

        play_all(scenarios, server, QUIET_SECONDS_REAL, write)
    finally:
        if server:
            server.close()
        if nodes:
            nodes.terminate()
            nodes.wait()
        subprocess.run([HERE / "cluster", "stop", cluster], check=False)
    return 0


def compare(scenarios, folder):
    checks = Checks()

    def check(scenario, text):
        aside = f" ({len(scenario.differences)} known to differ)" if scenario.differences else ""
        checks.that(f"controllers: {scenario.name}: {scenario.title}{aside}", difference(scenario, text))

    with KeelsonUp(folder, "--nodes", "3") as up:
        server = Server(up.kubeconfig, folder, [scenario.name for scenario in scenarios])
        try:
            shown = "--show" in sys.argv
            play_all(scenarios, server, QUIET_SECONDS, (lambda _, text: print(text)) if shown else check)
        finally:
            server.close()
    return checks.finish()


def main():
    # Unwinds through every finally, which is what stops the programs.
    signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))
    os.environ["PATH"] = f"{HERE.parents[1] / 'build' / 'e2e' / 'bin'}{os.pathsep}{os.environ['PATH']}"
    wanted = [argument for argument in sys.argv[1:] if not argument.startswith("--")]
    scenarios = read_scenarios(HERE / "controllers" / "scenarios")
    if wanted:
        scenarios = [scenario for scenario in scenarios if any(re.search(part, scenario.name) for part in wanted)]
    with tempfile.TemporaryDirectory() as name:
        return (record if "--record" in sys.argv else compare)(scenarios, Path(name))


if __name__ == "__main__":
    sys.exit(main())
