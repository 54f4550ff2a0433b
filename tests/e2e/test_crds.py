#!/usr/bin/env python3
"""Real Kubernetes takes the CRDs of the examples as they are, and they behave there as their authors meant.

    tests/e2e/test_crds.py [EXAMPLES]    EXAMPLES is examples/ unless given

For each EXAMPLES/<operator>/config/crd/*.yaml: both `kubectl create` and `kubectl apply --server-side` take it without
a warning, it becomes Established, its schema is structural and stored whole, and `kubectl explain` shows every comment.
Then config/samples/*.yaml are accepted and shown by `kubectl get` under the printer columns, and each of
config/samples/bad/*.yaml is refused. A bad sample may say by a line `# rejected: text` what the refusal must contain;
one that begins with `# accepted:` is for the operator to find fault with (test_examples.py).
A sample may hold a status, which is then written to the status subresource for the columns that show it.
"""

import json
import re
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from checks import Checks, kubectl

ESTABLISH_SECONDS = 60
PUBLISH_SECONDS = 30
# The server publishes its own words for these fields of an object.
SERVER_FIELDS = ("apiVersion", "kind", "metadata")

checks = Checks()


def documents(path):
    """The objects of a YAML file, as JSON; kubectl reads the YAML so that Python needs no library for it."""
    read = kubectl("create", "--dry-run=client", "--validate=ignore", "-o", "json", "-f", str(path))
    if not read.ok:
        checks.that(f"{path}: can be read", read.problem())
        return []
    return read.documents()


def manifests(folder):
    return sorted(path for path in folder.glob("*.yaml") if path.name != "kustomization.yaml")


def differences(sent, stored, path=""):
    """Where two JSON values differ, as text; true and 1 are different, 1 and 1.0 are not."""
    if isinstance(sent, dict) and isinstance(stored, dict):
        found = []
        for key in sorted(sent.keys() | stored.keys()):
            if key not in stored:
                found.append(f"{path}.{key}: sent {json.dumps(sent[key])}, not stored")
            elif key not in sent:
                found.append(f"{path}.{key}: not sent, stored {json.dumps(stored[key])}")
            else:
                found += differences(sent[key], stored[key], f"{path}.{key}")
        return found
    if isinstance(sent, list) and isinstance(stored, list) and len(sent) == len(stored):
        return [line for at, pair in enumerate(zip(sent, stored)) for line in differences(*pair, f"{path}[{at}]")]
    if sent == stored and isinstance(sent, bool) == isinstance(stored, bool):
        return []
    return [f"{path}: sent {json.dumps(sent)}, stored {json.dumps(stored)}"]


def with_server_defaults(spec):
    """What the server is known to fill in where the author said nothing."""
    spec = json.loads(json.dumps(spec))
    spec.setdefault("conversion", {}).setdefault("strategy", "None")
    service = spec["conversion"].get("webhook", {}).get("clientConfig", {}).get("service")
    if service is not None:
        service.setdefault("port", 443)
    names = spec["names"]
    names.setdefault("singular", names["kind"].lower())
    names.setdefault("listKind", names["kind"] + "List")
    return spec


# The definition itself -----------------------------------------------------------------------------------------------


def problem_of_establishing(name):
    deadline = time.monotonic() + ESTABLISH_SECONDS
    while True:
        wait = kubectl("wait", "--for=condition=Established", f"--timeout={ESTABLISH_SECONDS}s", f"crd/{name}")
        # Right after creation there is no list of conditions yet, which `kubectl wait` takes for an error.
        if wait.ok or "accessor error" not in wait.err or time.monotonic() > deadline:
            return wait.problem()
        time.sleep(0.1)


def check_taken(crd, path, *how):
    """kubectl <how> -f path, and what the server made of it."""
    name = crd["metadata"]["name"]
    by = f"{name}, {' '.join(how)}"
    taken = kubectl(*how, "-f", str(path))
    if not checks.that(f"{by}: taken without a warning", taken.problem() or "\n".join(taken.warnings())):
        return False
    if not checks.that(f"{by}: Established", problem_of_establishing(name)):
        return False
    stored = json.loads(kubectl("get", "crd", name, "-o", "json").out)
    conditions = {condition["type"]: condition for condition in stored["status"]["conditions"]}
    unstructured = conditions.get("NonStructuralSchema", {"status": "False"})
    checks.that(f"{by}: the schema is structural",
                None if unstructured["status"] == "False" else unstructured["message"])
    accepted = conditions.get("NamesAccepted", {"status": "Unknown", "message": "no such condition"})
    checks.that(f"{by}: the names are accepted", None if accepted["status"] == "True" else accepted["message"])
    lost = differences(with_server_defaults(crd["spec"]), stored["spec"], "spec")
    checks.that(f"{by}: stored as sent", "\n".join(lost[:20]))
    return True


def check_definition(crd, path):
    name = crd["metadata"]["name"]
    check_taken(crd, path, "create")
    gone = kubectl("delete", "crd", name, "--ignore-not-found", "--timeout=60s")
    checks.that(f"{name}: can be deleted", gone.problem())
    return check_taken(crd, path, "apply", "--server-side")


# kubectl explain -----------------------------------------------------------------------------------------------------


def words(text):
    return " ".join(text.split())


def below(schema):
    """The schema whose fields are named next in a path: explain steps over lists and maps."""
    while True:
        if "items" in schema:
            schema = schema["items"]
        elif isinstance(schema.get("additionalProperties"), dict):
            schema = schema["additionalProperties"]
        else:
            return schema


def objects(schema, path):
    """Every (path, fields by name) with fields described by the definition's author, the root first."""
    schema = below(schema)
    is_kubernetes_object = "." not in path or schema.get("x-kubernetes-embedded-resource")
    fields = {name: field for name, field in schema.get("properties", {}).items()
              if not (is_kubernetes_object and name in SERVER_FIELDS)}
    if fields:
        yield path, fields
    for name, field in fields.items():
        # A dot in a name cannot be told from a step of the path.
        if "." not in name:
            yield from objects(field, f"{path}.{name}")


def explained_fields(text):
    """Name to description, of the FIELDS part of what `kubectl explain` printed."""
    fields, description = {}, None
    for line in text.partition("\nFIELDS:\n")[2].splitlines():
        if start := re.match(r"  (\S+)\t<", line):
            description = fields.setdefault(start[1], [])
        elif line.startswith("    ") and description is not None:
            description.append(line)
    return {name: words(" ".join(lines)) for name, lines in fields.items()}


def explain(path, group_version):
    return kubectl("explain", path, f"--api-version={group_version}")


def undescribed(path, fields, group_version):
    """Those of one object's fields that explain shows otherwise than the definition describes them."""
    answer = explain(path, group_version)
    if not answer.ok:
        return [answer.problem()]
    shown = explained_fields(answer.out)
    found = []
    for name, field in fields.items():
        expected = words(field.get("description", "")) or "<no description>"
        if shown.get(name) != expected:
            found.append(f"{path}.{name}: expected '{expected}', explain shows '{shown.get(name)}'")
    return found


def check_explain(crd):
    group, plural = crd["spec"]["group"], crd["spec"]["names"]["plural"]
    for version in crd["spec"]["versions"]:
        if not version["served"]:
            continue
        group_version = f"{group}/{version['name']}"
        what = f"{plural}.{group_version}: kubectl explain"
        # The server publishes a new definition's schema a moment after it is established.
        deadline = time.monotonic() + PUBLISH_SECONDS
        while not (root := explain(plural, group_version)).ok and time.monotonic() < deadline:
            time.sleep(0.5)
        if not checks.that(f"{what} knows it", root.problem()):
            continue
        schema = version["schema"]["openAPIV3Schema"]
        expected = words(schema.get("description", "")) or "<empty>"
        shown = words(root.out.partition("DESCRIPTION:\n")[2].partition("\nFIELDS:\n")[0])
        checks.that(f"{what} describes it", None if shown == expected else f"expected '{expected}', shows '{shown}'")
        nodes = list(objects(schema, plural))
        with ThreadPoolExecutor(max_workers=4) as pool:
            found = pool.map(lambda node: undescribed(*node, group_version), nodes)
            problems = [line for lines in found for line in lines]
        count = sum(len(fields) for _, fields in nodes)
        checks.that(f"{what} shows the comments of all {count} fields", "\n".join(problems[:20]))


# Samples and columns -------------------------------------------------------------------------------------------------


def make_namespaces(paths):
    """Those that the samples name and that are missing. Returns them."""
    made = []
    for namespace in sorted({document["metadata"].get("namespace", "default")
                             for path in paths for document in documents(path)}):
        if not kubectl("get", "namespace", namespace).ok and kubectl("create", "namespace", namespace).ok:
            made.append(namespace)
    return made


def cells(table, headers):
    """The texts under the headers of the one row that kubectl printed, or None if the headers are not those."""
    lines = table.splitlines()
    if len(lines) != 2 or not re.fullmatch(r"\s+".join(re.escape(header) for header in headers) + r"\s*", lines[0]):
        return None
    starts, at = [], 0
    for header in headers:
        at = lines[0].index(header, at)
        starts.append(at)
        at += len(header)
    return [lines[1][start:end].strip() for start, end in zip(starts, [*starts[1:], None])]


def problem_of_cell(column, shown, value):
    """value is what the column's JSONPath finds, by kubectl's own reading of it."""
    if column["type"] == "date":
        expected = r"(\d+[smhdy])+" if value else r"(<unknown>)?"
        return None if re.fullmatch(expected, shown) else f"{column['name']}: age of '{value}' expected, not '{shown}'"
    return None if words(shown) == words(value) else f"{column['name']}: '{value}' expected, '{shown}' shown"


def check_columns(version, resource, name, namespace):
    columns = version.get("additionalPrinterColumns") or [
        {"name": "Age", "type": "date", "jsonPath": ".metadata.creationTimestamp"}]
    for wide in (False, True):
        visible = [column for column in columns if wide or column.get("priority", 0) == 0]
        if wide and len(visible) == len([column for column in columns if column.get("priority", 0) == 0]):
            continue
        options = ["-o", "wide"] if wide else []
        what = f"kubectl get {resource} {name}{' -o wide' if wide else ''}"
        shown = kubectl("get", resource, name, "-n", namespace, *options)
        headers = ["NAME", *(column["name"].upper() for column in visible)]
        row = cells(shown.out, headers)
        if not checks.that(f"{what} has the columns {' '.join(headers)}",
                           shown.problem() or (None if row else f"it shows\n{shown.out}")):
            continue
        problems = [None if row[0] == name else f"NAME: '{name}' expected, '{row[0]}' shown"]
        for column, cell in zip(visible, row[1:]):
            value = kubectl("get", resource, name, "-n", namespace, "-o",
                            # A column shows the first of several matches.
                            f"jsonpath={{{column['jsonPath'].replace('[*]', '[0]')}}}").out
            problems.append(problem_of_cell(column, cell, value))
        checks.that(f"{what} has their values", "\n".join(problem for problem in problems if problem))


def check_sample(path, by_kind):
    sample = documents(path)
    if not sample:
        return
    applied = kubectl("apply", "-f", str(path))
    if not checks.that(f"{path}: accepted", applied.problem() or "\n".join(applied.warnings())):
        return
    for document in sample:
        group, _, version_name = document["apiVersion"].rpartition("/")
        crd = by_kind.get((group, document["kind"]))
        if crd is None:
            continue
        version = next(version for version in crd["spec"]["versions"] if version["name"] == version_name)
        resource = f"{crd['spec']['names']['plural']}.{version_name}.{group}"
        name, namespace = document["metadata"]["name"], document["metadata"].get("namespace", "default")
        if "status" in document and "status" in version.get("subresources", {}):
            status = kubectl("patch", resource, name, "-n", namespace, "--subresource=status", "--type=merge",
                             "-p", json.dumps({"status": document["status"]}))
            checks.that(f"{path}: its status is accepted", status.problem())
        check_columns(version, resource, name, namespace)


def check_bad_sample(path):
    applied = kubectl("apply", "-f", str(path))
    refusal = " ".join(applied.err.split())
    # Any other error, such as a kind that nobody knows, would hide that the schema lets the sample through.
    by_schema = re.search(r"is invalid|strict decoding error|denied the request", refusal)
    refused = not applied.ok and not applied.out and by_schema
    what = f"{path}: refused"
    if not checks.that(what, None if refused else f"kubectl apply printed: {applied.out}{applied.err}"):
        return
    for text in re.findall(r"^# rejected: (.*?)\s*$", path.read_text(), re.MULTILINE):
        checks.that(f"{what} for '{text}'", None if text in refusal else f"but for: {refusal}")


def declares_types(example):
    return any("+kubebuilder:object:root=true" in header.read_text() for header in example.rglob("*.h"))


def check_example(example):
    crds = [(crd, path) for path in manifests(example / "config" / "crd") for crd in documents(path)]
    if not crds:
        checks.that(f"{example} has CRDs for the types it declares",
                    "config/crd is empty" if declares_types(example) else None)
        return 0
    by_kind = {}
    for crd, path in crds:
        if check_definition(crd, path):
            by_kind[crd["spec"]["group"], crd["spec"]["names"]["kind"]] = crd
            check_explain(crd)
    samples = manifests(example / "config" / "samples")
    bad_samples = [path for path in manifests(example / "config" / "samples" / "bad")
                   if not path.read_text().startswith("# accepted:")]
    made_namespaces = make_namespaces(samples + bad_samples)
    for path in samples:
        check_sample(path, by_kind)
    for path in bad_samples:
        check_bad_sample(path)

    for path in samples:
        kubectl("delete", "--ignore-not-found", "--timeout=60s", "-f", str(path))
    for crd, _ in crds:
        kubectl("delete", "crd", crd["metadata"]["name"], "--ignore-not-found", "--timeout=60s")
    for namespace in made_namespaces:
        kubectl("delete", "namespace", namespace, "--timeout=60s")
    return len(crds)


def main():
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).resolve().parents[2] / "examples")
    examples = sorted(path for path in folder.iterdir() if path.is_dir()) if folder.is_dir() else []
    if not examples:
        print(f"SKIP {folder} holds no examples")
        return 0
    found = sum([check_example(example) for example in examples])
    checks.that("some example has a CRD", None if found else f"no {folder}/*/config/crd/*.yaml")
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main())
