"""Scenarios, as the files of scenarios/ tell them.

    == deployment-scale
    A Deployment is scaled up and down.
    nodes shown                          which Pod is on which node is no chance here, so compare it
    alone                                touches what others use, so nothing else runs meanwhile
    steps masked                         how many Pods at a time is a matter of when they got ready
    differs: REGEX | why                 lines of either side that match are known to differ
    chance: REGEX | why                  lines that may be there or not, on either side
    $ kubectl create deployment web --image=nginx
    $ kubectl apply -f - <<EOF
    …
    EOF
    settle                               wait until nothing changes any more
    until kubectl get … = VALUE          wait until a command prints this

What stands behind `$` is a command as it is typed; $NS is the namespace, which is the scenario's name.
"""

import re
import time

from controllers.normal_form import CHANCY, masked, normal_form

UNTIL_SECONDS = 60


class Scenario:
    def __init__(self, name):
        self.name = name
        self.title = ""
        self.steps = []
        self.flags = set()
        self.differences = []
        self.chances = []


def read_scenarios(folder):
    scenarios = []
    for path in sorted(folder.glob("*.txt")):
        lines = path.read_text().splitlines()
        at = 0
        while at < len(lines):
            line = lines[at].rstrip()
            at += 1
            if line.startswith("== "):
                scenarios.append(Scenario(line[3:]))
            elif not line or line.startswith("#"):
                continue
            elif line.startswith("$ "):
                command = [line[2:]]
                if line.endswith("<<EOF"):
                    while command[-1] != "EOF":
                        command.append(lines[at])
                        at += 1
                scenarios[-1].steps.append(("run", "\n".join(command)))
            elif line == "settle" or line.startswith("until "):
                scenarios[-1].steps.append((line.split()[0], line.partition(" ")[2]))
            elif line in ("nodes shown", "alone", "steps masked"):
                scenarios[-1].flags.add(line)
            elif line.startswith(("differs: ", "chance: ")):
                what, _, rest = line.partition(": ")
                pattern, _, reason = rest.partition(" | ")
                scenario = scenarios[-1]
                (scenario.differences if what == "differs" else scenario.chances).append((re.compile(pattern), reason))
            elif not scenarios[-1].title:
                scenarios[-1].title = line
            else:
                raise ValueError(f"{path.name}:{at}: neither a command nor anything else: {line}")
    return scenarios


def tidy(command, text):
    """Without what depends on when one looks."""
    # Columns are as wide as what stands in them, and that was masked.
    lines = [re.sub(r"-{3,}", "---", re.sub(r" {2,}", "  ", line)).rstrip() for line in text.splitlines()]
    # What kubectl logs about its own watches.
    lines = [line for line in lines if not re.match(r"[IWE]\d{4} ", line)]
    if "rollout status" in command:
        lines = [line for line in lines if not line.startswith("Waiting for ")]
    if "wait --for=delete" in command:
        lines = [line for line in lines if not line.endswith("condition met")]
    if re.search(r"kubectl get\b", command) and "-o yaml" not in command and "-o json" not in command:
        lines = lines[:1] + sorted(lines[1:])
    if re.search(r"kubectl (drain|delete|wait)\b", command):
        lines = sorted(lines)
    if "kubectl describe" in command and "Events:" in lines:
        events = lines.index("Events:") + 3
        lines = lines[:events] + sorted({line for line in lines[events:] if not CHANCY.match(line.strip())})
    return lines


def play(scenario, server, quiet):
    """Runs it in a new namespace; what came of it as text."""
    environment = server.for_namespace(scenario.name)
    nodes_shown = "nodes shown" in scenario.flags
    outputs = []
    status, text = server.run(f"kubectl create namespace {scenario.name}", environment)
    until_there = time.monotonic() + UNTIL_SECONDS
    while server.get(f"/api/v1/namespaces/{scenario.name}/serviceaccounts/default") is None:
        if time.monotonic() > until_there:
            return f"the namespace has no service account: {text}"
        time.sleep(0.05)
    for kind, step in scenario.steps:
        if kind == "settle":
            server.settled(scenario.name, quiet)
        elif kind == "until":
            command, _, wanted = step.rpartition(" = ")
            began = time.monotonic()
            while (found := server.run(command, environment)[1].strip()) != wanted:
                if time.monotonic() - began > UNTIL_SECONDS:
                    outputs.append((f"until {step}", 1, f"no end; the last was {found}"))
                    break
                time.sleep(0.2)
        else:
            outputs.append((step, *server.run(step, environment)))
    form, names = normal_form(*server.settled(scenario.name, quiet), nodes_shown)
    lines = [f"# {scenario.title}"]
    for command, status, text in outputs:
        lines.append(f"$ {command.splitlines()[0]}")
        if not nodes_shown:
            text = re.sub(r"\bnode-\d\b", "<node>", text)
        lines += tidy(command, masked(text, names))
        if status:
            lines.append(f"[exit status {status}]")
    text = "\n".join(lines) + "\n" + form + "\n"
    if "steps masked" in scenario.flags:
        text = re.sub(r"from \d+ to \d+", "from <n> to <n>", text)
        kept = []
        for line in text.splitlines():
            if line not in kept[-1:]:
                kept.append(line)
        text = "\n".join(kept) + "\n"
    return text


def clean_up(scenario, server):
    environment = server.for_namespace(scenario.name)
    for kind in ("persistentvolumes", "storageclasses", "priorityclasses", "customresourcedefinitions", "clusterroles"):
        text = server.run(f"kubectl get {kind} -o name", environment)[1]
        for name in text.split():
            if server.made_in(scenario.name, name.partition("/")[2]):
                server.run(f"kubectl delete {name} --wait=false", environment)
    server.run(f"kubectl delete namespace {scenario.name} --wait=false --ignore-not-found", environment)
