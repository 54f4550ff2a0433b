#!/usr/bin/env python3
"""A candidate by client-go and one by Keelson share a Lease: each takes over from the other, by release and by expiry.

On the cluster of KUBECONFIG, where there is one, and on `keelson up`.
"""

import os
import queue
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from checks import Checks
from keelson_up import KeelsonUp

HERE = Path(__file__).resolve().parent
REPOSITORY = HERE.parents[1]
GO = REPOSITORY / "build" / "e2e" / "bin" / "client-go-elect"
CPP = REPOSITORY / "build" / "release" / "bin" / "election-e2e"
RELEASED = 10  # seconds: a candidate looks every 2 to 4.4
EXPIRED = 30   # the lease lasts 15


class Candidate:
    def __init__(self, program, identity, kubeconfig, lease):
        dash = "--" if program == CPP else "-"
        flags = {"kubeconfig": str(kubeconfig), "namespace": "default", "name": lease, "identity": identity}
        self.process = subprocess.Popen([program, *(word for flag in flags.items() for word in (dash + flag[0], flag[1]))],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                        text=True)
        self.program = program
        self.lines = queue.Queue()
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        for line in self.process.stdout:
            self.lines.put(line.strip())

    def says(self, line, seconds):
        """None once it has said so; else what it said instead."""
        until, heard = time.monotonic() + seconds, []
        while time.monotonic() < until:
            try:
                heard.append(self.lines.get(timeout=max(0.01, until - time.monotonic())))
            except queue.Empty:
                break
            if heard[-1] == line:
                return None
        return f"within {seconds} s it said {heard}, not '{line}'"

    def stop(self):
        if self.program == CPP:
            self.process.stdin.close()
        else:
            self.process.send_signal(signal.SIGTERM)
        self.process.wait(timeout=30)

    def kill(self):
        self.process.kill()
        self.process.wait()


def election(checks, where, kubeconfig):
    lease = f"election-{os.getpid()}"

    def check(what, problem):
        return checks.that(f"{where}: {what}", problem)

    running = []

    def start(program, identity):
        running.append(Candidate(program, identity, kubeconfig, lease))
        return running[-1]

    try:
        first_go = start(GO, "go-1")
        check("client-go leads first", first_go.says("leading", RELEASED))
        first_cpp = start(CPP, "cpp-1")
        check("Keelson sees it lead", first_cpp.says("leader go-1", RELEASED))
        first_go.stop()
        check("Keelson takes over what client-go released", first_cpp.says("leading", RELEASED))
        second_go = start(GO, "go-2")
        check("client-go sees Keelson lead", second_go.says("leader cpp-1", RELEASED))
        first_cpp.stop()
        check("Keelson ends well", None if first_cpp.process.returncode == 0 else first_cpp.process.returncode)
        check("client-go takes over what Keelson released", second_go.says("leading", RELEASED))
        second_cpp = start(CPP, "cpp-2")
        check("Keelson waits", second_cpp.says("leader go-2", RELEASED))
        time.sleep(3)
        second_go.kill()
        killed = time.monotonic()
        check("Keelson takes over from a client-go that died", second_cpp.says("leading", EXPIRED))
        took = time.monotonic() - killed
        check("but not before the lease expired", None if took > 12 else f"after {took:.1f} s")
        third_go = start(GO, "go-3")
        check("client-go waits", third_go.says("leader cpp-2", RELEASED))
        time.sleep(3)
        second_cpp.kill()
        check("client-go takes over from a Keelson that died", third_go.says("leading", EXPIRED))
        third_go.stop()
    finally:
        for candidate in running:
            candidate.kill()


def main():
    checks = Checks()
    built = subprocess.run(["go", "build", "-o", GO, "./elect"], check=False, cwd=HERE / "clients" / "go",
                           env={**os.environ, "GOWORK": "off", "GOFLAGS": "-mod=readonly"})
    if not checks.that("the candidate by client-go is built", built.returncode and "go build failed"):
        return checks.finish()
    with tempfile.TemporaryDirectory() as folder, KeelsonUp(folder) as server:
        election(checks, "keelson up", server.kubeconfig)
    if os.environ.get("KUBECONFIG"):
        election(checks, "Kubernetes", os.environ["KUBECONFIG"])
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main())
