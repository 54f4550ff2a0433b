#!/usr/bin/env python3
"""The project of docs/first-controller.md as a reader makes it: built against an installed Keelson, its unit test, and
its program on `keelson up`.

usage: run.py --prefix P --work DIR [--compiler C] [--generator G]
    P      where Keelson is installed
    DIR    is emptied; everything is left there for a look after a failure

Prints what failed and exits with 1, or says nothing but "ok".
"""

import argparse
import base64
import json
import re
import shutil
import signal
import ssl
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

HERE = Path(__file__).resolve().parent
PAGE = HERE.parents[1] / "docs" / "first-controller.md"
SECONDS = 30  # for anything to come true
GREETINGS = "/apis/hello.example.com/v1/namespaces/default/greetings"
GREETING = GREETINGS + "/world"
CONFIG_MAP = "/api/v1/namespaces/default/configmaps/world"
EVENTS = "/api/v1/namespaces/default/events"


def run(*command, **options):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, **options)
    if done.returncode != 0:
        sys.exit(f"failed ({done.returncode}): {' '.join(map(str, command))}\n{done.stdout}")
    return done.stdout


def build(prefix, work, compiler=None, generator=None):
    """Copies the project and builds it as the page says. Gives its folder and that of its programs."""
    project = Path(work) / "greetings"
    shutil.rmtree(project, ignore_errors=True)
    shutil.copytree(HERE, project, ignore=shutil.ignore_patterns("run.py", "__pycache__"))
    flags = [f"-DCMAKE_CXX_COMPILER={compiler}"] if compiler else []
    flags += ["-G", generator] if generator else []
    run("cmake", "-S", project, "-B", project / "build", "-DCMAKE_BUILD_TYPE=Release", f"-DCMAKE_PREFIX_PATH={prefix}",
        *flags)
    run("cmake", "--build", project / "build")
    return project, project / "build"


def check_page():
    """Whoever copies all of the page has the whole project."""
    shown = set(PAGE.read_text().splitlines())
    for file in sorted([*HERE.rglob("*.h"), *HERE.rglob("*.cc"), *HERE.rglob("*.yaml"), HERE / "CMakeLists.txt"]):
        for number, line in enumerate(file.read_text().splitlines(), 1):
            if line and line not in shown:
                sys.exit(f"{file}:{number}: {PAGE.name} does not show this line: {line}")


class Process:
    """A program until the end of a `with`, which must end well on SIGTERM."""

    def __init__(self, log, *command):
        self.log, self.command = Path(log), command

    def __enter__(self):
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(self.command, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        return self

    def says(self, text):
        until(f"{self.command[0]} says '{text}'", lambda: text in self.log.read_text() or self.log.read_text())

    def __exit__(self, kind, *_):
        self.process.send_signal(signal.SIGTERM)
        try:
            status = self.process.wait(timeout=SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            status = f"none within {SECONDS} s"
        if kind is None and status != 0:
            sys.exit(f"{self.command[0]}: status {status} after SIGTERM\n{self.log.read_text()}")


class Server:
    """The API server of a kubeconfig, by its HTTP interface."""

    def __init__(self, kubeconfig, work):
        text = kubeconfig.read_text()
        self.url = re.search(r"server: (\S+)", text).group(1)
        files = {}
        for name in ("certificate-authority", "client-certificate", "client-key"):
            files[name] = Path(work) / f"{name}.pem"
            files[name].write_bytes(base64.b64decode(re.search(rf"{name}-data: (\S+)", text).group(1)))
        self.tls = ssl.create_default_context(cafile=files["certificate-authority"])
        self.tls.load_cert_chain(files["client-certificate"], files["client-key"])

    def ask(self, method, path, body=None):
        """The answer's object; None: not found."""
        request = urllib.request.Request(self.url + path, method=method, data=json.dumps(body).encode() if body else None,
                                         headers={"Content-Type": "application/json"})
        try:
            with urllib.request.urlopen(request, context=self.tls, timeout=SECONDS) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as error:
            if error.code == 404:
                return None
            sys.exit(f"{method} {path}: {error.code} {error.read().decode()}")


def until(what, look):
    """Returns once look() gives True."""
    end = time.monotonic() + SECONDS
    while (seen := look()) is not True:
        if time.monotonic() > end:
            sys.exit(f"not within {SECONDS} s: {what}; found {seen}")
        time.sleep(0.02)


def ready(greeting):
    conditions = (greeting or {}).get("status", {}).get("conditions", [])
    return any(c["type"] == "Ready" and c["status"] == "True" for c in conditions) or greeting


def try_program(keelson, project, programs, work):
    kubeconfig = Path(work) / "kubeconfig"
    kubeconfig.unlink(missing_ok=True)
    with Process(work / "up.log", keelson, "up", "--crds", project / "config/crd", "--kubeconfig", kubeconfig) as up:
        up.says("keelson is up at")
        server = Server(kubeconfig, work)
        with Process(work / "controller.log", programs / "greeting-controller", "--kubeconfig", kubeconfig):
            server.ask("POST", GREETINGS, {"apiVersion": "hello.example.com/v1", "kind": "Greeting",
                                           "metadata": {"name": "world"}, "spec": {"who": "World", "times": 2}})
            until("the Greeting is Ready", lambda: ready(server.ask("GET", GREETING)))
            text = server.ask("GET", CONFIG_MAP)["data"]["text"]
            if text != "Hello, World!\nHello, World!\n":
                sys.exit(f"the ConfigMap says {text!r}")
            server.ask("DELETE", GREETING)
            until("the Greeting is gone", lambda: server.ask("GET", GREETING) is None)
            if server.ask("GET", CONFIG_MAP) is not None:
                sys.exit("the ConfigMap outlived its Greeting")
        # The controller has ended, so its events are written.
        events = {(e["reason"], e["message"], e["source"]["component"]) for e in server.ask("GET", EVENTS)["items"]}
        for wanted in [("Greeted", "Said hello to World"), ("Goodbye", "Said goodbye to World")]:
            if (*wanted, "greeting-controller") not in events:
                sys.exit(f"no event {wanted} in {events}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--prefix", type=Path, required=True)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--compiler")
    parser.add_argument("--generator")
    arguments = parser.parse_args()
    shutil.rmtree(arguments.work, ignore_errors=True)
    arguments.work.mkdir(parents=True)
    keelson = arguments.prefix / "bin" / "keelson"

    check_page()
    project, programs = build(arguments.prefix, arguments.work, arguments.compiler, arguments.generator)
    by_hand = run(keelson, "generate", "crd", "--input", "api/v1", "--output", "-", cwd=project)
    by_build = (project / "config/crd/hello.example.com_greetings.yaml").read_text()
    if by_hand != by_build:
        sys.exit(f"keelson generate crd and the build differ:\n{by_hand}\n{by_build}")
    run("ctest", "--test-dir", programs, "--output-on-failure")
    try_program(keelson, project, programs, arguments.work)
    print("ok")


if __name__ == "__main__":
    main()
