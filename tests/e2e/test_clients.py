#!/usr/bin/env python3
"""Clients of other languages against `keelson up`: client-go, kube-rs and the Python client, each as its users use it.

Each is a small program under clients/ that prints its own checks. A client whose tools are not installed is skipped.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from checks import Checks
from keelson_up import KeelsonUp

HERE = Path(__file__).resolve().parent
CLIENTS = HERE / "clients"
BUILD = HERE.parents[1] / "build" / "e2e"
SECONDS = 600


def run(checks, what, command, **options):
    try:
        done = subprocess.run(command, check=False, timeout=SECONDS, **options)
    except subprocess.TimeoutExpired:
        return checks.that(what, f"no end within {SECONDS} s")
    # A program that ends with 1 has said itself what is wrong.
    checks.failed += done.returncode == 1
    return done.returncode == 1 or checks.that(what, None if done.returncode == 0 else f"status {done.returncode}")


def client_go(checks, server):
    program = BUILD / "bin" / "client-go-e2e"
    if run(checks, "client-go: its program is built", ["go", "build", "-o", program, "."], cwd=CLIENTS / "go",
           env={**os.environ, "GOWORK": "off", "GOFLAGS": "-mod=readonly"}):
        run(checks, "client-go: its program ends well", [program, "-kubeconfig", server.kubeconfig])


def kube_rs(checks, server):
    if not shutil.which("cargo"):
        print("SKIP kube-rs: cargo is not installed")
        return
    print("e2e: building kube-rs, some two minutes the first time", flush=True)
    folder = BUILD / "kube-rs"
    if run(checks, "kube-rs: its program is built",
           ["cargo", "build", "--quiet", "--locked", "--target-dir", folder], cwd=CLIENTS / "rust"):
        run(checks, "kube-rs: its program ends well", [folder / "debug" / "keelson-e2e-kube-rs"],
            env={**os.environ, "KUBECONFIG": str(server.kubeconfig)})


def python(checks, server):
    folder = BUILD / "python"
    made = subprocess.run([sys.executable, "-m", "venv", folder], capture_output=True, text=True, check=False)
    if made.returncode == 0:
        made = subprocess.run([folder / "bin" / "pip", "install", "--quiet", "kubernetes"], capture_output=True,
                              text=True, check=False)
    if made.returncode:
        print("SKIP python: its client cannot be installed")
        return
    run(checks, "python: its program ends well", [folder / "bin" / "python", CLIENTS / "python" / "client.py",
                                                  server.kubeconfig])


def main():
    checks = Checks()
    with tempfile.TemporaryDirectory() as folder:
        for client in (client_go, kube_rs, python):
            with KeelsonUp(folder, "--no-controllers") as server:
                client(checks, server)
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main())
