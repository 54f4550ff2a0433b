"""CustomResourceDefinitions and their objects in scripts.

    W = Custom("widgets", "Widget", {"type": "object", "properties": {…}})
    script("a widget", W.install(), W.create({"spec": {}}), W.get("one"))

The group is `${ns}.example.com`, so each script has definitions of its own; objects are in the script's namespace and are
called "one" unless their metadata says otherwise.
"""

from scripting import delete, get, merge, patch, post, put, until, watch

DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
GROUP = "${ns}.example.com"
OPEN = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}


def spec_schema(properties, **more):
    """A root schema whose spec has these properties."""
    return {"type": "object", "properties": {"spec": {"type": "object", "properties": properties, **more}}}


class Custom:
    def __init__(self, plural, kind, schema=None, namespaced=True, version="v1", subresources=None, columns=None,
                 selectable=None, names=None, versions=None, group=GROUP, **spec):
        """`versions` instead of schema, subresources, columns and selectable, when there are several."""
        self.plural, self.kind, self.namespaced, self.version, self.group = plural, kind, namespaced, version, group
        self.name = f"{plural}.{group}"
        if versions is None:
            one = {"name": version, "served": True, "storage": True, "schema": {"openAPIV3Schema": schema or OPEN}}
            for field, value in (("subresources", subresources), ("additionalPrinterColumns", columns),
                                 ("selectableFields", selectable and [{"jsonPath": path} for path in selectable])):
                if value is not None:
                    one[field] = value
            versions = [one]
        self.definition = {
            "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
            "metadata": {"name": self.name},
            "spec": {"group": group, "names": {"plural": plural, "kind": kind, **(names or {})},
                     "scope": "Namespaced" if namespaced else "Cluster", "versions": versions, **spec}}

    # The definition.

    def define(self, change=None, query="", **more):
        return post(DEFINITIONS, merge(self.definition, change or {}), query, **more)

    def established(self, **more):
        return until(get(f"{DEFINITIONS}/{self.name}", **more), condition="Established")

    def served(self, version=None):
        return until(get(self.path(version), compare="status"), status=200)

    def install(self, change=None):
        """Nothing of these answers is compared but their status: the definition's own life is told elsewhere."""
        return [self.define(change, compare="status"), self.established(compare="status"), self.served()]

    def redefine(self, change, **more):
        """A merge patch of the definition."""
        return patch(f"{DEFINITIONS}/{self.name}", change, **more)

    def undefine(self, **more):
        return delete(f"{DEFINITIONS}/{self.name}", **more)

    # Its objects.

    def path(self, version=None, name=None, subresource=None, namespace="${ns}"):
        path = f"/apis/{self.group}/{version or self.version}"
        if self.namespaced and namespace:
            path += f"/namespaces/{namespace}"
        path += f"/{self.plural}"
        for part in (name, subresource):
            if part:
                path += "/" + part
        return path

    def object(self, content=None, version=None):
        return merge({"apiVersion": f"{self.group}/{version or self.version}", "kind": self.kind,
                      "metadata": {"name": "one"}}, content or {})

    def create(self, content=None, query="", version=None, **more):
        return post(self.path(version), self.object(content, version), query, **more)

    def get(self, name="one", query="", version=None, subresource=None, **more):
        return get(self.path(version, name, subresource), query, **more)

    def list(self, query="", version=None, **more):
        return get(self.path(version), query, **more)

    def put(self, content=None, query="", version=None, name="one", subresource=None, **more):
        body = self.object(merge({"metadata": {"name": name}}, content or {}), version)
        return put(self.path(version, name, subresource), body, query, **more)

    def patch(self, change, name="one", query="", version=None, subresource=None, **more):
        return patch(self.path(version, name, subresource), change, query=query, **more)

    def delete(self, name="one", query="", version=None, **more):
        return delete(self.path(version, name), query, **more)

    def watch(self, name, query="", version=None, **more):
        return watch(name, self.path(version), query, **more)
