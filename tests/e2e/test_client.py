#!/usr/bin/env python3
"""Every feature of the C++ client against the cluster: runs client-e2e (tests/e2e/client/), which prints the checks."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from checks import Checks

HERE = Path(__file__).resolve().parent
REPOSITORY = HERE.parents[1]
PROGRAM = REPOSITORY / "build" / "release" / "bin" / "client-e2e"
SECONDS = 600
USER = "client-e2e-user"


def main():
    checks = Checks()
    if not PROGRAM.exists():
        checks.that("client-e2e is built", f"{PROGRAM} is missing; make e2e or make build makes it")
        return checks.finish()
    cluster = Path(os.environ["KUBECONFIG"]).parent
    made = subprocess.run([HERE / "cluster", "user", cluster, USER], capture_output=True, text=True, check=False)
    if made.returncode:
        checks.that("a user can be given a certificate", made.stderr)
        return checks.finish()
    with tempfile.TemporaryDirectory() as folder:
        try:
            done = subprocess.run([PROGRAM, "--folder", folder, "--user-kubeconfig", cluster / f"{USER}.kubeconfig",
                                   "--repository", REPOSITORY, *sys.argv[1:]], check=False, timeout=SECONDS)
        except subprocess.TimeoutExpired:
            checks.that("client-e2e ends", f"not within {SECONDS} s")
            return checks.finish()
    # The program has said which checks failed, unless it did not come to that.
    if done.returncode not in (0, 1):
        checks.that("client-e2e ends by itself", f"it ended with status {done.returncode}")
    return done.returncode or checks.finish()


if __name__ == "__main__":
    sys.exit(main())
