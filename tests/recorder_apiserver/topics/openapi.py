"""OpenAPI: which documents there are, in which encodings, and when those of custom kinds come and go.

What the documents say is megabytes of other people's sentences: record_openapi has it without them.
"""

from custom import GROUP, Custom, spec_schema
from scripting import get, post, put, request, script, until

V2 = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf"
V3 = "application/com.github.proto-openapi.spec.v3@v1.0+protobuf"
W = Custom("widgets", "Widget", spec_schema({"size": {"type": "integer"}}), subresources={"status": {}})


def head(path):
    return request("HEAD", path)


def looked_at(path, query="", **more):
    return get(path, query, compare="status", **more)


def documents():
    yield script("openapi, the index", looked_at("/openapi/v3"), head("/openapi/v3"),
                 looked_at("/openapi/v3", accept="application/yaml"), looked_at("/openapi/v3", accept=V3),
                 post("/openapi/v3", {}, compare="status"))
    yield script("openapi, paths that are none", get("/openapi"), get("/openapi/"), get("/openapi/v2/"),
                 get("/openapi/v4"), get("/openapi/v3/"), get("/openapi/v3/nothing"), get("/openapi/v3/apis/apps/v9"),
                 get("/openapi/v3/apis/example.com"), get("/openapi/v3/apis/example.com/v1"), get("/openapi/v3/api/v2"),
                 get("/openapi/v3/apis/apps/v1/"), get("/openapi/v3/apis/apps/v1/deployments"))
    yield script("openapi, a document", *[looked_at(f"/openapi/v3/{name}")
                                          for name in ("api", "api/v1", "apis", "apis/apps", "apis/apps/v1", "version")],
                 head("/openapi/v3/apis/apps/v1"), put("/openapi/v3/apis/batch/v1", {}, compare="status"))
    for name, path, protobuf, other in (("version 3", "/openapi/v3/apis/batch/v1", V3, V2),
                                        ("version 2", "/openapi/v2", V2, V3)):
        yield script(f"openapi, encodings of {name}", looked_at(path), head(path), looked_at(path, accept="*/*"),
                     looked_at(path, accept="application/*"), looked_at(path, accept="application/json"),
                     looked_at(path, accept=protobuf), looked_at(path, accept=protobuf.replace("@", ".")),
                     looked_at(path, accept=f"application/json;q=0.5,{protobuf}"),
                     looked_at(path, accept=f"{protobuf};q=0.5,application/json"),
                     looked_at(path, accept=f"text/html,{protobuf},*/*"), get(path, accept="application/yaml"),
                     get(path, accept="text/plain"), get(path, accept=other),
                     looked_at(path, headers={"If-None-Match": '"other"'}), get(path, headers={"If-None-Match": "*"}))


def custom_kinds():
    document = f"/openapi/v3/apis/{GROUP}/v1"
    yield script("openapi of a custom kind", get(document), W.install(), until(looked_at(document), status=200),
                 looked_at(document, accept=V3), get(f"/openapi/v3/apis/{GROUP}"), get(f"/openapi/v3/apis/{GROUP}/v2"),
                 W.undefine(compare="status"), until(looked_at(document), status=404))


def scripts():
    yield from documents()
    yield from custom_kinds()
