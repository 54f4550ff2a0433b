#!/usr/bin/env python3
"""kubectl against a real kube-apiserver and against `keelson up`, command by command: the same output from both.

The real server runs without a controller manager, since the embedded one has no controllers either: what a command
changes is all that changes. Ages, uids, times, addresses and versions are masked; everything else must be equal,
exit status included. A line of kubectl/commands is one command; the files it names are in kubectl/.

    test_kubectl.py                     both servers are started
    test_kubectl.py --keelson URL       only this server, whose output is printed: for looking at one command
"""

import os
import re
import shlex
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from checks import Checks
from keelson_up import KeelsonUp

HERE = Path(__file__).resolve().parent
COMMAND_SECONDS = 60

MASKS = [
    (re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"), "<uid>"),
    (re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z"), "<time>"),
    (re.compile(r"\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d [+-]\d{4}"), "<time>"),
    (re.compile(r"resourceVersion(['\"]?): ?['\"]?\d+['\"]?"), r"resourceVersion\1: <version>"),
    (re.compile(r"10\.0\.0\.(?!1\b)\d+"), "<cluster ip>"),
    # Before node ports: the server's own may look like one.
    (re.compile(r"https?://127\.0\.0\.1:\d+"), "<server>"),
    (re.compile(r"\b3[0-2]\d{3}\b"), "<node port>"),
    (re.compile(r'Context "\w+" modified'), "Context modified"),
    (re.compile(r"targetPort: \d{5}|TargetPort: +\d{5}/TCP"), "<target port>"),
    (re.compile(r"(?<=[ \t])(\d+[smh])+(?=[ \t\n]|$)", re.M), "<age>"),
    (re.compile(r"<invalid>|<age> ago|\d+s \(x\d+ over \d+s\)"), "<age>"),
]


# A real server checks the addresses of Services every few minutes, and tells by an event when a Service is quicker than
# its record.
OWN_EVENTS = re.compile(r"ClusterIPNotAllocated|ClusterIPAlreadyAllocated|PortNotAllocated")


def sorted_managers(text):
    """The entries of managedFields in an order of their own: servers sort them by time, in whole seconds, and which of two
    commands saw a new second is chance."""
    lines, out = text.splitlines(), []
    while lines:
        line = lines.pop(0)
        out.append(line)
        found = re.fullmatch(r"( *)managedFields:", line)
        if not found:
            continue
        entries = []
        while lines and lines[0].startswith((found[1] + "- ", found[1] + "  ")):
            if lines[0].startswith(found[1] + "- "):
                entries.append([])
            entries[-1].append(lines.pop(0))
        out += [line for entry in sorted(entries) for line in entry]
    return "\n".join(out)


def masked(text):
    for pattern, replacement in MASKS:
        text = pattern.sub(replacement, text)
    text = sorted_managers(text)
    lines = [line for line in text.splitlines() if not OWN_EVENTS.search(line)]
    # Columns are as wide as what stands in them, and that was masked.
    return "\n".join(re.sub(r" {2,}", "  ", line).rstrip() for line in lines)


def commands():
    text = (HERE / "kubectl" / "commands").read_text()
    return [line.strip() for line in text.splitlines() if line.strip() and not line.startswith("#")]


class Kubectl:
    def __init__(self, kubeconfig, folder):
        self.environment = {**os.environ, "KUBECONFIG": str(kubeconfig), "KUBECACHEDIR": str(folder / "cache"),
                            "EDITOR": str(HERE / "kubectl" / "editor"), "HOME": str(folder)}
        self.process = None
        self.output = None
        self.folder = folder

    def run(self, command):
        """A command that starts with `&` runs beside the next ones: `until TEXT` waits for that in its output, `wait-for
        TEXT` does too and ends it."""
        if command.startswith("& "):
            self.output = open(self.folder / "watch", "w+")
            self.process = subprocess.Popen(shlex.split(command[2:]), cwd=HERE / "kubectl", env=self.environment,
                                            stdout=self.output, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL)
            return 0, ""
        for word in ("until ", "wait-for "):
            if command.startswith(word):
                return self.wait_for(command.removeprefix(word), word == "wait-for ")
        done = subprocess.run(["sh", "-c", command], cwd=HERE / "kubectl", env=self.environment, capture_output=True,
                              text=True, stdin=subprocess.DEVNULL, timeout=COMMAND_SECONDS, check=False)
        return done.returncode, done.stdout + done.stderr

    def wait_for(self, text, end):
        until = time.monotonic() + COMMAND_SECONDS
        while True:
            seen = (self.folder / "watch").read_text()
            if text in seen or time.monotonic() > until:
                break
            time.sleep(0.02)
        if end:
            self.process.terminate()
            self.process.wait()
        return 0 if text in seen else 1, seen if text in seen else f"no '{text}' in: {seen}"


def difference(ours, theirs):
    if ours == theirs:
        return None
    lines = [f"real:    {line}" for line in theirs[1].splitlines() if line not in ours[1].splitlines()]
    lines += [f"keelson: {line}" for line in ours[1].splitlines() if line not in theirs[1].splitlines()]
    if ours[0] != theirs[0]:
        lines.insert(0, f"exit status {ours[0]} instead of {theirs[0]}")
    return "\n    " + "\n    ".join(lines[:30] or ["the same lines in another order", theirs[1], ours[1]])


def compare(real_kubeconfig, keelson_kubeconfig, folder):
    checks = Checks()
    (folder / "real").mkdir()
    (folder / "keelson").mkdir()
    real, keelson = Kubectl(real_kubeconfig, folder / "real"), Kubectl(keelson_kubeconfig, folder / "keelson")
    for command in commands():
        theirs, ours = real.run(command), keelson.run(command)
        if command.startswith("& "):
            continue
        checks.that(f"kubectl: {command}",
                    difference((ours[0], masked(ours[1])), (theirs[0], masked(theirs[1]))))
    return checks.finish()


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if sys.argv[1:2] == ["--keelson"]:
            kubectl = Kubectl(sys.argv[2], folder)
            for command in sys.argv[3:] or commands():
                print(f"$ {command}", *kubectl.run(command), sep="\n")
            return 0
        cluster = folder / "cluster"
        started = subprocess.run([HERE / "cluster", "start", cluster, "--no-controller-manager"], check=False)
        if started.returncode:
            return 1
        try:
            with KeelsonUp(folder, "--no-controllers") as server:
                return compare(cluster / "kubeconfig", server.kubeconfig, folder)
        finally:
            subprocess.run([HERE / "cluster", "stop", cluster], check=False)


if __name__ == "__main__":
    sys.exit(main())
