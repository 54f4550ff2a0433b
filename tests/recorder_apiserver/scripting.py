"""How scripts are written: a name and a list of steps, each a request or a look at an open watch.

    script("create twice", K.create(), K.create())

`${ns}` in paths, queries and bodies is the script's namespace, `${x}` what an earlier step captured as x,
`${x|query}` the same escaped for a query.
"""

import json

MERGE = "application/merge-patch+json"
STRATEGIC = "application/strategic-merge-patch+json"
JSON_PATCH = "application/json-patch+json"
APPLY = "application/apply-patch+yaml"
PROTOBUF = "application/vnd.kubernetes.protobuf"
TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io"
PARTIAL = "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io"
PARTIAL_LIST = "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io"


class Script:
    def __init__(self, name, steps):
        self.name, self.steps = name, steps

    def data(self):
        return {"name": self.name, "steps": self.steps}


def script(name, *steps):
    flat = []
    for step in steps:
        flat.extend(step if isinstance(step, list) else [step])
    return Script(name, flat)


def request(method, path, body=None, query="", content_type=None, accept=None, user=None, headers=None, **more):
    step = {"method": method, "path": path}
    if query:
        step["query"] = query
    headers = dict(headers or {})
    if content_type:
        headers["Content-Type"] = content_type
    if accept:
        headers["Accept"] = accept
    if headers:
        step["headers"] = headers
    if body is not None:
        step["body"] = body if isinstance(body, str) else json.dumps(body, separators=(",", ":"))
    if user:
        step["as"] = user
    step.update(more)
    return step


def get(path, query="", **more):
    return request("GET", path, query=query, **more)


def post(path, body=None, query="", **more):
    return request("POST", path, body, query, **more)


def put(path, body=None, query="", **more):
    return request("PUT", path, body, query, **more)


def delete(path, query="", body=None, **more):
    return request("DELETE", path, body, query, **more)


def patch(path, body, content_type=MERGE, query="", **more):
    return request("PATCH", path, body, query, content_type=content_type, **more)


def watch(name, path, query="", **more):
    return request("GET", path, query="watch=true" + ("&" + query if query else ""), watch=name, **more)


def until(step, **what):
    """The step again and again until its answer is as wanted: `status` is the HTTP status, `condition` the type of a
    condition that is True, `text` a part of the body, `without` a text that is no part of it. The last answer is the
    recorded one."""
    return {**step, "until": what}


def events(name, count):
    return {"events": name, "count": count}


def end(name):
    """The rest of the watch's events, up to its end."""
    return {"events": name, "end": True}


def merge(document, change):
    """RFC 7396, on Python's own values."""
    if not isinstance(change, dict):
        return change
    result = dict(document) if isinstance(document, dict) else {}
    for key, value in change.items():
        if value is None:
            result.pop(key, None)
        else:
            result[key] = merge(result.get(key), value)
    return result
