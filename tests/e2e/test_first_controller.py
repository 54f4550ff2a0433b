#!/usr/bin/env python3
"""The commands of docs/first-controller.md print what the page shows.

The project (tests/first_controller) is built against an installed Keelson, its program runs on `keelson up`, and every
`$ kubectl …` of the page is run in order. Ages, uids, times and versions are masked; a line `…` of the page stands for any
lines.
"""

import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from checks import Checks

HERE = Path(__file__).resolve().parent
REPOSITORY = HERE.parents[1]
PAGE = REPOSITORY / "docs" / "first-controller.md"
sys.path.insert(0, str(REPOSITORY / "tests" / "first_controller"))
import run as project  # noqa: E402

SECONDS = 15  # for the controller to do its part
MASKS = [
    (re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"), "<uid>"),
    (re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z"), "<time>"),
    (re.compile(r"(?<=Resource Version:)( +)\d+"), r"\1<version>"),
    (re.compile(r"(?:^|(?<=[ \t]))(\d+[smh])+( \(x\d+ over \d+[smh]\))?(?=[ \t\n]|$)", re.M), "<age>"),
    # Columns are as wide as what stands in them, and that was masked.
    (re.compile(r" {2,}"), "  "),
    (re.compile(r"-{4,}"), "----"),
    (re.compile(r" +$", re.M), ""),
]


def commands(page):
    """Each command with kubectl, and what the page shows below it."""
    found = []
    for block in re.findall(r"^```\n(.*?)^```$", page, re.M | re.S):
        for command in re.split(r"^\$ ", block, flags=re.M)[1:]:
            line, _, shown = command.partition("\n")
            if line.startswith("kubectl "):
                found.append((line, shown))
    return found


def masked(text):
    for pattern, replacement in MASKS:
        text = pattern.sub(replacement, text)
    return text.strip("\n")


def differs(shown, printed):
    """None, or what was printed instead."""
    parts = re.split(r"(?:^|\n)…(?:\n|$)", masked(shown))
    pattern = r"(?:\n|^)?.*?(?:\n|$)".join(re.escape(part) for part in parts)
    return None if re.fullmatch(pattern, masked(printed), re.S) else f"printed:\n{printed}"


def main():
    checks = Checks()
    with tempfile.TemporaryDirectory(prefix="keelson-first-controller-") as folder:
        work = Path(folder)
        project.run("cmake", "--install", REPOSITORY / "build" / "release", "--prefix", work / "prefix")
        source, programs = project.build(work / "prefix", work)
        kubeconfig = work / "kubeconfig"
        environment = {**os.environ, "KUBECONFIG": str(kubeconfig), "KUBECACHEDIR": str(work / "cache")}
        with project.Process(work / "up.log", work / "prefix" / "bin" / "keelson", "up", "--crds", source / "config/crd",
                             "--kubeconfig", kubeconfig) as up:
            up.says("keelson is up at")
            with project.Process(work / "log", programs / "greeting-controller", "--kubeconfig", kubeconfig):
                for command, shown in commands(PAGE.read_text()):
                    until = time.monotonic() + SECONDS
                    while True:
                        done = subprocess.run(["sh", "-c", command], cwd=source, env=environment, stdout=subprocess.PIPE,
                                              stderr=subprocess.STDOUT, text=True, timeout=60, check=False)
                        problem = differs(shown, done.stdout)
                        # What changes something is done once; what looks may look again.
                        looks = re.match(r"kubectl (get|describe) ", command)
                        if problem is None or not looks or time.monotonic() > until:
                            break
                        time.sleep(0.2)
                    checks.that(f"{command} prints what the page shows", problem)
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main())
