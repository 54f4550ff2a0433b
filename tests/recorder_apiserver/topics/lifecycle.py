"""Every kind, from creation to deletion: defaults, what is stored, what update, patch and status writes keep."""

from kinds import EVERY, NAMESPACE
from scripting import MERGE, PARTIAL, PARTIAL_LIST, STRATEGIC, TABLE, end, events, get, patch, put, script, watch


def scripts():
    for kind in EVERY:
        title = f"{kind.kind} {kind.api_version}"
        yield script(f"{title}: life", kind.create(labels={"run": "${ns}"}), kind.get(), kind.create(),
                     kind.list("labelSelector=run%3D${ns}"),
                     kind.put(kind.change), kind.put(kind.change), kind.patch({"metadata": {"labels": {"x": "y"}}}),
                     kind.patch({"metadata": {"annotations": {"note": "1"}}}, STRATEGIC),
                     kind.delete("propagationPolicy=Background"), kind.get(),
                     kind.delete())
        yield script(f"{title}: tables", kind.create(labels={"run": "${ns}"}), kind.get(accept=TABLE),
                     kind.list("labelSelector=run%3D${ns}", accept=TABLE),
                     kind.list("labelSelector=run%3D${ns}&includeObject=None", accept=TABLE),
                     kind.get(accept=PARTIAL), kind.list("labelSelector=run%3D${ns}", accept=PARTIAL_LIST))
        checks = [kind.create(), kind.get(capture={"rv": "metadata/resourceVersion", "uid": "metadata/uid"})]
        if kind.bad:
            checks = [kind.create(kind.bad)] + checks + [kind.put(kind.bad), kind.patch(kind.bad)]
        if kind.fixed:
            checks += [kind.put(kind.fixed), kind.patch(kind.fixed)]
        # On top of the object as it is: what the server itself filled in stays.
        checks += [kind.patch(kind.change), kind.patch(kind.change)]
        yield script(f"{title}: refused changes", *checks)
        if kind.status:
            yield script(f"{title}: status", kind.create(kind.status), kind.get(),
                         patch(kind.item() + "/status", kind.status), get(kind.item() + "/status"),
                         kind.patch({**kind.change, "status": None}),
                         patch(kind.item() + "/status", {"metadata": {"labels": {"from": "status"}},
                                                         "spec": kind.change.get("spec", {})}),
                         put(kind.item() + "/status", kind.manifest(kind.status)),
                         get(kind.item("missing") + "/status"), patch(kind.item("missing") + "/status", {}))
        if kind is NAMESPACE:
            continue
        yield script(f"{title}: watched", kind.list("labelSelector=run%3D${ns}",
                                                    capture={"rv": "metadata/resourceVersion"}),
                     kind.watch("w", "labelSelector=run%3D${ns}&resourceVersion=${rv}"),
                     kind.create(labels={"run": "${ns}"}), kind.patch(kind.change),
                     kind.patch({"metadata": {"labels": {"run": "${ns}", "more": "1"}}}),
                     kind.delete("gracePeriodSeconds=0&propagationPolicy=Background"),
                     events("w", 2))
