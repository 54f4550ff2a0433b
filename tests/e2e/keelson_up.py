"""`keelson up` for the time of a `with`: KeelsonUp(folder).kubeconfig is its administrator's.

The program is that of the release build, or the one that the environment variable KEELSON names.
"""

import os
import signal
import subprocess
import time
from pathlib import Path

PROGRAM = Path(os.environ.get("KEELSON") or Path(__file__).resolve().parents[2] / "build" / "release" / "bin" / "keelson")
READY_SECONDS = 20


class KeelsonUp:
    def __init__(self, folder, *flags):
        self.kubeconfig = Path(folder) / "keelson.kubeconfig"
        self.log = Path(folder) / "keelson.log"
        self.flags = flags
        self.process = None

    def __enter__(self):
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen([PROGRAM, "up", "--kubeconfig", self.kubeconfig, *self.flags], stdout=log,
                                            stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL)
        until = time.monotonic() + READY_SECONDS
        while "keelson is up" not in self.log.read_text():
            if self.process.poll() is not None or time.monotonic() > until:
                raise RuntimeError(f"keelson up is not ready: {self.log.read_text()}")
            time.sleep(0.005)
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(timeout=15)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
