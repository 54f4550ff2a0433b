#include "keelson/apiserver/namespace_keeper.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <functional>
#include <utility>
#include <vector>

#include "keelson/api/core/v1.h"
#include "keelson/apiserver/object_codec.h"
#include "keelson/apiserver/own_writes.h"
#include "keelson/core/clock.h"

namespace keelson::apiserver {

namespace {

constexpr std::string_view kAccount = "default";
constexpr std::string_view kRootCa = "kube-root-ca.crt";
constexpr std::string_view kRootCaKey = "ca.crt";
constexpr std::string_view kManager = "kube-controller-manager";
constexpr std::string_view kFinalizer = "kubernetes";

// What is left in a namespace.
struct Remains {
  std::map<std::string, size_t> objects;     // by "pods."
  std::map<std::string, size_t> finalizers;  // how many objects each holds back
};

struct ConditionText {
  std::string_view type;
  std::string_view reason;
  std::string_view message;
};

// In the order in which they are shown, as they read when all is well.
constexpr ConditionText kConditions[] = {
    {"NamespaceDeletionDiscoveryFailure", "ResourcesDiscovered", "All resources successfully discovered"},
    {"NamespaceDeletionGroupVersionParsingFailure", "ParsedGroupVersions", "All legacy kube types successfully parsed"},
    {"NamespaceDeletionContentFailure", "ContentDeleted",
     "All content successfully deleted, may be waiting on finalization"},
    {"NamespaceContentRemaining", "ContentRemoved", "All content successfully removed"},
    {"NamespaceFinalizersRemaining", "ContentHasNoFinalizers", "All content-preserving finalizers finished"},
};

std::string Listed(const std::map<std::string, size_t>& counts, std::string_view format) {
  std::vector<std::string> parts;
  for (const auto& [name, count] : counts) parts.push_back(fmt::format(fmt::runtime(format), name, count));
  return fmt::format("{}", fmt::join(parts, ", "));
}

void SetConditions(corev1::NamespaceStatus& status, const Remains& remains) {
  for (const ConditionText& good : kConditions) {
    corev1::NamespaceCondition condition;
    condition.type = good.type;
    condition.status = "False";
    condition.reason = good.reason;
    condition.message = good.message;
    if (good.type == "NamespaceContentRemaining" && !remains.objects.empty()) {
      condition.status = "True";
      condition.reason = "SomeResourcesRemain";
      condition.message =
          fmt::format("Some resources are remaining: {}", Listed(remains.objects, "{} has {} resource instances"));
    } else if (good.type == "NamespaceFinalizersRemaining" && !remains.finalizers.empty()) {
      condition.status = "True";
      condition.reason = "SomeFinalizersRemain";
      condition.message = fmt::format("Some content in the namespace has finalizers remaining: {}",
                                      Listed(remains.finalizers, "{} in {} resource instances"));
    }
    condition.lastTransitionTime = metav1::Time(Clock::WallNow());
    bool there = false;
    for (size_t i = 0; i < status.conditions.size() && !there; ++i) {
      const corev1::NamespaceCondition& old = std::as_const(status.conditions)[i];
      if (old.type != condition.type) continue;
      there = true;
      if (old.status == condition.status) condition.lastTransitionTime = old.lastTransitionTime;
      status.conditions[i] = condition;
    }
    if (!there) status.conditions.push_back(std::move(condition));
  }
}

// Deletes all objects of the resource in the namespace and counts those that stay for a while.
void DeleteAll(Objects& objects, const ResourcePtr& resource, std::string_view namespace_, Remains& remains) {
  Store& store = objects.store();
  const ListQuery all = {.namespace_ = std::string(namespace_)};
  const Result<ListPage> page = store.List(resource->collection, all);
  if (!page) return;
  for (const ObjectPtr& object : page->items) {
    Exchange exchange = OwnRequest(resource, namespace_, "delete");
    // One that cannot be deleted now is counted below.
    (void)objects.DeleteOne(exchange, *resource, namespace_, object->name(), {.propagation = "Background"});
  }
  if (page->items.empty()) return;
  const Result<ListPage> left = store.List(resource->collection, all);
  if (!left || left->items.empty()) return;
  remains.objects[resource->plural + "." + resource->group] += left->items.size();
  for (const ObjectPtr& object : left->items) {
    const AnyValue value = DecodeStored(*resource, *object);
    for (const String& finalizer : MetaOf(value).finalizers) ++remains.finalizers[finalizer.str()];
  }
}

// Changes the namespace through one of its subresources.
void Change(Objects& objects, const ResourcePtr& namespaces, std::string_view name, std::string_view subresource,
            const std::function<void(corev1::Namespace&)>& change) {
  Exchange exchange = OwnRequest(namespaces, name, "update");
  exchange.info.name = name;
  exchange.info.subresource = subresource;
  // Fails only when the namespace is gone, which is as good.
  (void)objects.Update(exchange, name,
                       [&](const AnyValue* old) -> Result<AnyValue> {
                         AnyValue changed = *old;
                         change(*static_cast<corev1::Namespace*>(changed.data()));
                         MetaOf(changed).resourceVersion = {};
                         return changed;
                       },
                       {.write = {.field_manager = std::string(kManager)}});
}

}  // namespace

void NamespaceKeeper::TendAll() {
  const ResourcePtr namespaces = objects_.resources().FindServing(TypeOf<corev1::Namespace>());
  const Result<ListPage> page = objects_.store().List(namespaces->collection, {});
  if (!page) return;
  for (const ObjectPtr& object : page->items) Tend(object->name().str());
}

void NamespaceKeeper::SetRootCa(std::string certificate) {
  {
    const MutexLock lock(mutex_);
    root_ca_ = std::move(certificate);
  }
  TendAll();
}

bool NamespaceKeeper::IsEnding(std::string_view name) {
  if (ending_count_.load(std::memory_order_relaxed) == 0) return false;
  const MutexLock lock(mutex_);
  return ending_.contains(name);
}

void NamespaceKeeper::OnWritten(const Resource& resource, const ObjectPtr& object, bool deleted) {
  if (resource.group.empty() && resource.plural == "namespaces") return Tend(object->name().str());
  if (!resource.namespaced) return;
  const bool account =
      deleted && resource.group.empty() && resource.plural == "serviceaccounts" && object->name() == kAccount;
  const bool root_ca = resource.group.empty() && resource.plural == "configmaps" && object->name() == kRootCa;
  if (account || root_ca || IsEnding(object->namespace_())) Tend(object->namespace_().str());
}

void NamespaceKeeper::Tend(const std::string& name) {
  {
    const MutexLock lock(mutex_);
    const auto [entry, is_new] = tended_.emplace(name, false);
    if (!is_new) {
      entry->second = true;
      return;
    }
  }
  while (true) {
    TendOnce(name);
    const MutexLock lock(mutex_);
    const auto entry = tended_.find(name);
    if (!entry->second) {
      tended_.erase(entry);
      return;
    }
    entry->second = false;
  }
}

void NamespaceKeeper::TendOnce(const std::string& name) {
  const ResourcePtr namespaces = objects_.resources().FindServing(TypeOf<corev1::Namespace>());
  const Result<ObjectPtr> found = objects_.Get(*namespaces, "", name);
  const bool ending = found && MetaOf(DecodeStored(*namespaces, **found)).deletionTimestamp;
  {
    const MutexLock lock(mutex_);
    if (ending) {
      ending_.insert(name);
    } else {
      ending_.erase(name);
    }
    ending_count_ = ending_.size();
  }
  if (ending) {
    Empty(name);
  } else if (found) {
    Furnish(name);
  }
}

void NamespaceKeeper::Furnish(const std::string& name) {
  std::string certificate;
  {
    const MutexLock lock(mutex_);
    certificate = root_ca_;
  }
  // Neither is worth failing somebody else's request for; the next write to the namespace tries again.
  corev1::ServiceAccount account;
  account.metadata.name = kAccount;
  account.metadata.namespace_ = name;
  (void)Ensure(objects_, std::move(account), kManager);
  if (certificate.empty()) return;

  corev1::ConfigMap root;
  root.metadata.name = kRootCa;
  root.metadata.namespace_ = name;
  root.data.Set(kRootCaKey, certificate);
  const Map<String> data = root.data;
  (void)Ensure(objects_, std::move(root), kManager);
  const ResourcePtr maps = objects_.resources().FindServing(TypeOf<corev1::ConfigMap>());
  const Result<ObjectPtr> stored = objects_.Get(*maps, name, kRootCa);
  if (!stored) return;
  const AnyValue value = DecodeStored(*maps, **stored);
  if (static_cast<const corev1::ConfigMap*>(value.data())->data == data) return;
  (void)objects_.Rewrite(
      *maps, name, kRootCa,
      [&](AnyValue& object) -> Result<void> {
        static_cast<corev1::ConfigMap*>(object.data())->data = data;
        return {};
      },
      false);
}

void NamespaceKeeper::Empty(const std::string& name) {
  const ResourcePtr namespaces = objects_.resources().FindServing(TypeOf<corev1::Namespace>());
  const ResourcePtr pods = objects_.resources().FindServing(TypeOf<corev1::Pod>());
  Remains remains;
  // What Pods use stays while there are Pods.
  DeleteAll(objects_, pods, name, remains);
  const bool has_pods = !remains.objects.empty();
  if (has_pods) {
    remains = {};
  } else {
    for (const ResourcePtr& resource : *objects_.resources().all()) {
      if (!resource->namespaced || !resource->has_verb("delete") || !resource->has_verb("list")) continue;
      DeleteAll(objects_, resource, name, remains);
    }
  }
  Change(objects_, namespaces, name, "status",
         [&](corev1::Namespace& object) { SetConditions(object.status, remains); });
  if (has_pods || !remains.objects.empty()) return;
  Change(objects_, namespaces, name, "finalize", [](corev1::Namespace& object) {
    List<String> others;
    for (const String& finalizer : object.spec.finalizers) {
      if (finalizer != kFinalizer) others.push_back(finalizer);
    }
    object.spec.finalizers = std::move(others);
  });
}

}  // namespace keelson::apiserver
