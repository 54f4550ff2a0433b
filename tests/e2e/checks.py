"""What every end-to-end test does: run kubectl and say what was checked.

    checks = Checks()
    checks.that("the Pod is there", kubectl("get", "pod", "web").problem())
    sys.exit(checks.finish())

Each check is one line, `PASS what` or `FAIL what` with the reason below it: tests/e2e/run counts them.
"""

import json
import subprocess

KUBECTL_SECONDS = 120


class Answer:
    """What kubectl printed and how it ended."""

    def __init__(self, arguments, status, out, err):
        self.arguments = arguments
        self.ok = status == 0
        self.out = out
        self.err = err

    def problem(self):
        """None, or why it failed."""
        return None if self.ok else f"kubectl {' '.join(self.arguments)}: {self.err.strip()}"

    def warnings(self):
        return [line for line in self.err.splitlines() if line.startswith("Warning:")]

    def documents(self):
        """All JSON documents of the output, lists taken apart."""
        decoder, at, found = json.JSONDecoder(), 0, []
        while at < len(self.out.rstrip()):
            document, at = decoder.raw_decode(self.out, at)
            found += document["items"] if document.get("kind") == "List" else [document]
            at += len(self.out[at:]) - len(self.out[at:].lstrip())
        return found


def kubectl(*arguments, stdin=None):
    try:
        done = subprocess.run(["kubectl", *arguments], input=stdin, capture_output=True, text=True, check=False,
                              timeout=KUBECTL_SECONDS)
    except subprocess.TimeoutExpired:
        return Answer(arguments, 1, "", f"no end within {KUBECTL_SECONDS} s")
    return Answer(arguments, done.returncode, done.stdout, done.stderr)


class Checks:
    def __init__(self):
        self.failed = 0

    def that(self, what, problem):
        """problem is None or "" when what holds, otherwise what was found instead. Says whether it holds."""
        if not problem:
            print(f"PASS {what}", flush=True)
            return True
        self.failed += 1
        print(f"FAIL {what}\n     " + str(problem).replace("\n", "\n     "), flush=True)
        return False

    def finish(self):
        """The exit status."""
        return 1 if self.failed else 0
