"""What is left of a namespace when everything that chance or time decides is taken away.

Two clusters that were asked for the same things have the same normal form: objects as sorted `path: value` lines, alike
ones counted, and events as a set. Gone are uids, times, versions, addresses and the random ends of names; hashes of Pod
templates stay, as they follow from the template.
"""

import json
import re

UID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
RANDOM = "[bcdfghjklmnpqrstvwxz2456789]{5}"
MASKS = [
    (UID, "<uid>"),
    (re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)"), "<time>"),
    (re.compile(r"\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d [+-]\d{4}"), "<time>"),
    (re.compile(r"\b10\.0\.0\.(?!1\b)\d+"), "<cluster ip>"),
    (re.compile(r"\b10\.244\.\d+\.\d+(?!/)"), "<pod ip>"),
    (re.compile(r"\b172\.18\.\d+\.\d+"), "<host ip>"),
    (re.compile(r"https?://127\.0\.0\.1:\d+"), "<server>"),
    (re.compile(r"\b3[0-2]\d{3}\b"), "<node port>"),
    (re.compile(r"(?<=[ \t])(\d+[smh])+(?=[ \t\n]|$)", re.M), "<age>"),
    (re.compile(r"<invalid>|<age> ago|(\w+|<age>) \(x\d+ over \w+\)"), "<age>"),
    (re.compile(r"\((\d+[smh])+ ago\)"), "(<age> ago)"),
    (re.compile(r"containerd://[0-9a-f]{64}"), "<container id>"),
    (re.compile(r"kube-api-access-" + RANDOM), "kube-api-access-*"),
    # Whether the image was on that node before, and whether it is being tried or waited for now.
    (re.compile(r'Successfully pulled image ("[^"]+").*|Container image ("[^"]+") already present.*'), r"\1\2 is there"),
    (re.compile(r"endpoints.kubernetes.io/last-change-trigger-time: <time>"), "<none>"),
    (re.compile(r"ErrImagePull|ImagePullBackOff"), "<pull error>"),
    (re.compile(r'Back-off pulling image "[^"]+": <pull error>: '), ""),
]
# Events that come now or later, or not, by the same chances.
CHANCY = re.compile(r"Normal +(Pulling|BackOff) |Warning +Failed .*Error: <pull error>")
# Of one server or one moment, not of what was asked for.
LEFT_OUT = {"uid", "resourceVersion", "creationTimestamp", "managedFields", "selfLink", "generateName", "lastTransitionTime",
            "lastUpdateTime", "lastProbeTime", "lastHeartbeatTime", "startTime", "startedAt", "finishedAt", "containerID",
            "kubectl.kubernetes.io/last-applied-configuration", "renewTime",
            # Only there when the last change was of a Pod or Service, not when it was of several at once.
            "endpoints.kubernetes.io/last-change-trigger-time", "clusterIPs", "podIPs", "hostIPs"}
# How often they were written is a matter of time: several changes may have been seen as one.
UNCOUNTED_GENERATIONS = {"ReplicaSet", "EndpointSlice", "ReplicationController"}
IN_EVERY_NAMESPACE = {("ServiceAccount", "default"), ("ConfigMap", "kube-root-ca.crt")}


class Names:
    """Takes the random ends off the names of a namespace, wherever they are found."""

    def __init__(self, objects, events):
        prefixes = {item["metadata"].get("generateName", "") for item in objects}
        for event in events:
            about = event.get("involvedObject", {})
            if about.get("kind") in ("ReplicaSet", "ReplicationController"):
                prefixes.add(about["name"] + "-")
        for item in objects:
            if item["kind"] in ("ReplicaSet", "ReplicationController", "Service"):
                prefixes.add(item["metadata"]["name"] + "-")
        prefixes.discard("")
        self.pattern = None
        if prefixes:
            anyone = "|".join(re.escape(prefix) for prefix in sorted(prefixes, key=len, reverse=True))
            self.pattern = re.compile(rf"(?<![\w-])({anyone}){RANDOM}(?![a-z0-9-])")
        # A restart writes the time into the template, so its hash is another each time.
        self.hashes = {item["metadata"].get("labels", {}).get("pod-template-hash") for item in objects
                       if item["kind"] == "ReplicaSet" and "restartedAt" in json.dumps(item["spec"]["template"])}
        self.hashes.discard(None)

    def mask(self, text):
        if self.pattern:
            text = self.pattern.sub(r"\1*", text)
        for value in self.hashes:
            text = text.replace(value, "<hash>")
        return text


def masked(text, names=None):
    if names:
        text = names.mask(text)
    for pattern, replacement in MASKS:
        text = pattern.sub(replacement, text)
    return text


def flattened(value, path, out):
    if isinstance(value, dict):
        for key in sorted(value):
            if key not in LEFT_OUT:
                flattened(value[key], f"{path}.{key}" if path else key, out)
        if not value:
            out.append(f"{path}: {{}}")
    elif isinstance(value, list):
        if path.endswith("conditions"):
            value = sorted(value, key=lambda condition: condition.get("type", ""))
        for index, item in enumerate(value):
            label = item["type"] if path.endswith("conditions") and "type" in item else index
            flattened({key: part for key, part in item.items() if key != "type"} if label != index else item,
                      f"{path}[{label}]", out)
        if not value:
            out.append(f"{path}: []")
    else:
        out.append(f"{path}: {value if isinstance(value, str) else json.dumps(value)}")


def owners(item, uids):
    lines = []
    for owner in item["metadata"].get("ownerReferences", []):
        flags = [flag for flag in ("controller", "blockOwnerDeletion") if owner.get(flag)]
        known = uids.get(owner["uid"])
        if known != (owner["kind"], owner["name"]):
            flags.append("of another uid" if known is None else f"whose uid is that of {' '.join(known)}")
        lines.append(f"owner: {owner['kind']} {owner['name']}" + (f" ({', '.join(flags)})" if flags else ""))
    return lines


def object_form(item, uids, names, nodes_shown):
    def without_nodes(text):
        return text if nodes_shown else re.sub(r"\bnode-\d\b", "<node>", text)

    kind, metadata = item["kind"], item["metadata"]
    head = f"{kind} {metadata['name']}"
    if (kind, metadata["name"]) in IN_EVERY_NAMESPACE:
        return masked(head, names)
    item = json.loads(json.dumps(item))
    lines = owners(item, uids)
    generation = item["metadata"].pop("generation", None)
    status = item.get("status") or {}
    if "observedGeneration" in status:
        status["observedGeneration"] = "current" if status["observedGeneration"] == generation else "behind"
    if generation is not None and kind not in UNCOUNTED_GENERATIONS:
        lines.append(f"generation: {generation}")
    if "deletionTimestamp" in metadata:
        lines.append("being deleted")
        item["metadata"].pop("deletionTimestamp")
    for key in ("name", "namespace", "ownerReferences"):
        item["metadata"].pop(key, None)
    for key in ("kind", "apiVersion"):
        item.pop(key)
    # What follows from a template that is compared is not worth reading again.
    if kind == "Pod":
        if metadata.get("ownerReferences"):
            item["spec"] = {"nodeName": item["spec"].get("nodeName")}
        if not nodes_shown and item["spec"].get("nodeName"):
            item["spec"]["nodeName"] = "<node>"
    if kind == "ReplicaSet" and metadata.get("ownerReferences"):
        item["spec"].pop("template")
    if kind in ("Endpoints", "EndpointSlice"):
        # Sorted by addresses, which are masked.
        def sort(parts):
            (parts or []).sort(key=lambda part: masked(without_nodes(json.dumps(part, sort_keys=True)), names))

        for part in item.get("subsets") or []:
            sort(part.get("addresses"))
            sort(part.get("notReadyAddresses"))
        sort(item.get("subsets"))
        sort(item.get("endpoints"))
    flattened(item, "", lines)
    text = masked(without_nodes("\n".join(lines)), names)
    return masked(head, names) + "".join(f"\n  {line}" for line in text.splitlines())


def event_form(event, names, nodes_shown):
    about = event.get("involvedObject", {})
    source = event.get("source", {}).get("component") or event.get("reportingComponent")
    text = f"{event['type']} {event['reason']} {about.get('kind')} {about.get('name')} by {source}: " \
           f"{event.get('message', '').strip()}"
    if not nodes_shown:
        text = re.sub(r"\bnode-\d\b", "<node>", text)
    return masked(text, names)


def normal_form(objects, events, nodes_shown=False):
    """The text of it, and the Names by which to mask what commands printed."""
    names = Names(objects, events)
    uids = {item["metadata"]["uid"]: (item["kind"], item["metadata"]["name"]) for item in objects}
    forms = {}
    for item in objects:
        form = object_form(item, uids, names, nodes_shown)
        forms[form] = forms.get(form, 0) + 1
    lines = ["== objects"]
    for form in sorted(forms):
        head, _, rest = form.partition("\n")
        lines += [head + (f", {forms[form]} of these" if forms[form] > 1 else ""), *rest.splitlines()]
    lines += ["== events", *sorted({event_form(event, names, nodes_shown) for event in events})]
    lines = [line for line in lines if not CHANCY.match(line)]
    return "\n".join(lines), names
