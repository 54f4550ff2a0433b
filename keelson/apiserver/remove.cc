// The deleting half of Objects.
#include <fmt/format.h>

#include <algorithm>

#include "keelson/api/core/v1.h"
#include "keelson/api/status_error.h"
#include "keelson/apiserver/custom/definition_status.h"
#include "keelson/apiserver/metadata_rules.h"
#include "keelson/apiserver/object_codec.h"
#include "keelson/apiserver/objects.h"
#include "keelson/core/clock.h"

namespace keelson::apiserver {

namespace {

constexpr int kMostConflicts = 64;

// Kinds whose deletion is answered with the object and not with a Status.
bool AnswersWithObject(const Resource& resource) {
  if (resource.group == "storage.k8s.io") {
    return resource.plural == "storageclasses" || resource.plural == "csidrivers" ||
           resource.plural == "volumeattachments";
  }
  if (!resource.group.empty()) return false;
  for (const std::string_view plural : {"pods", "services", "podtemplates", "serviceaccounts", "resourcequotas",
                                        "persistentvolumes", "persistentvolumeclaims"}) {
    if (resource.plural == plural) return true;
  }
  return false;
}

bool Has(const List<String>& finalizers, std::string_view name) {
  return std::find(finalizers.begin(), finalizers.end(), name) != finalizers.end();
}

// What the wish for dependents comes to: they are told by finalizers.
List<String> FinalizersFor(const ErasedRules& rules, const metav1::ObjectMeta& meta, const DeleteOptions& options) {
  bool orphan = false;
  bool foreground = false;
  if (options.orphan_dependents) {
    orphan = *options.orphan_dependents;
  } else if (options.propagation) {
    orphan = *options.propagation == "Orphan";
    foreground = *options.propagation == "Foreground";
  } else if (Has(meta.finalizers, kOrphanFinalizer)) {
    orphan = true;
  } else if (Has(meta.finalizers, kForegroundFinalizer)) {
    foreground = true;
  } else {
    orphan = rules.orphan_by_default;
  }
  List<String> finalizers;
  for (const String& finalizer : meta.finalizers) {
    if (finalizer != kOrphanFinalizer && finalizer != kForegroundFinalizer) finalizers.push_back(finalizer);
  }
  if (orphan) finalizers.push_back(String(kOrphanFinalizer));
  if (foreground) finalizers.push_back(String(kForegroundFinalizer));
  return finalizers;
}

Result<void> CheckPreconditions(const Resource& resource, const StoredObject& object, const DeleteOptions& options) {
  const GroupResource shown = {resource.group, resource.kind};
  if (options.uid && *options.uid != object.uid().view()) {
    return apierrors::Conflict(
        shown, object.name(),
        fmt::format(
            "the UID in the precondition ({}) does not match the UID in record ({}). The object might have been "
            "deleted and then recreated",
            *options.uid, object.uid().view()));
  }
  if (options.resource_version && *options.resource_version != std::to_string(object.revision())) {
    return apierrors::Conflict(
        shown, object.name(),
        fmt::format(
            "the ResourceVersion in the precondition ({}) does not match the ResourceVersion in record ({}). The "
            "object might have been modified",
            *options.resource_version, object.revision()));
  }
  return {};
}

bool IsProtectedNamespace(std::string_view name) {
  return name == "default" || name == "kube-system" || name == "kube-public";
}

Reply Gone(const Resource& resource, const StoredObject& object) {
  metav1::Status status;
  status.status = "Success";
  metav1::StatusDetails details;
  details.name = object.name();
  details.group = String(resource.group);
  details.kind = String(resource.plural);
  details.uid = object.uid();
  status.details = details;
  return Reply::Holding(std::move(status));
}

}  // namespace

ObjectPtr Unstored(const Resource& resource, AnyValue& object, Revision revision) {
  return std::make_shared<StoredObject>(EncodeDraft(resource, object), revision);
}

bool HoldsBack(const AnyValue& object) {
  if (&object.type() != &TypeOf<corev1::Namespace>()) return false;
  return !static_cast<const corev1::Namespace*>(object.data())->spec.finalizers.empty();
}

Result<Reply> Objects::Delete(Exchange& exchange, std::string_view name, const DeleteOptions& options) {
  return DeleteOne(exchange, *exchange.resource, exchange.info.namespace_, name, options);
}

Result<Reply> Objects::DeleteOne(Exchange& exchange, const Resource& resource, std::string_view asked_namespace,
                                 std::string_view name, const DeleteOptions& options) {
  const std::string_view namespace_ = resource.namespaced ? asked_namespace : std::string_view();
  const ErasedRules& rules = *resource.stored_rules;
  const bool is_namespace = resource.stored_type == &TypeOf<corev1::Namespace>();
  const bool is_definition = resource.stored_type == &TypeOf<apiextensionsv1::CustomResourceDefinition>();
  if (rules.orphan_by_default && resource.group == "batch" && !options.propagation && !options.orphan_dependents) {
    exchange.warnings.push_back(
        "child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or "
        "set propagationPolicy=Orphan to suppress this warning");
  }
  if (is_namespace && IsProtectedNamespace(name)) {
    return apierrors::Forbidden(resource.group_resource(), name, "this namespace may not be deleted");
  }

  // As this request has marked it. Who watches may be quicker to delete it for good, a kubelet for one: then it is gone
  // as was asked, and another one of its name is not meant.
  ObjectPtr seen_off;
  const auto answer = [&](ObjectPtr last) {
    return AnswersWithObject(resource) ? Reply::Of(std::move(last)) : Gone(resource, *last);
  };
  for (int attempt = 0; attempt < kMostConflicts; ++attempt) {
    Result<ObjectPtr> found = Get(resource, namespace_, name);
    if (seen_off != nullptr && (!found || (*found)->uid() != seen_off->uid())) return answer(std::move(seen_off));
    KEELSON_TRY(current, std::move(found));
    KEELSON_RETURN_IF_ERROR(CheckPreconditions(resource, *current, options));
    AnyValue object = DecodeStored(resource, *current);
    metav1::ObjectMeta& meta = MetaOf(object);
    const bool was_deleting = static_cast<bool>(meta.deletionTimestamp);

    // How long it may live on. Kinds that know no grace end at once.
    const std::optional<int64_t> own_grace = rules.grace_seconds ? rules.grace_seconds(object.data()) : std::nullopt;
    const bool graceful = own_grace.has_value();
    int64_t grace = 0;
    if (graceful) {
      grace = options.grace_seconds.value_or(*own_grace);
      // What nobody runs needs no time to end, whatever was asked for.
      if (*own_grace == 0) grace = 0;
      if (grace < 0) grace = 1;
    }
    if (was_deleting && graceful) {
      const int64_t left = meta.deletionGracePeriodSeconds ? *meta.deletionGracePeriodSeconds : 0;
      if (!options.grace_seconds || grace >= left) {
        if (left > 0) return Reply::Of(std::move(current));
        grace = left;
      }
    }
    List<String> finalizers = FinalizersFor(rules, meta, options);
    if (is_namespace && was_deleting) finalizers = meta.finalizers;
    if (is_definition && !was_deleting) finalizers.push_back(String(kCleanupFinalizer));
    const bool stays = !finalizers.empty() || HoldsBack(object);
    const bool mark = graceful || stays || finalizers != meta.finalizers;

    if (mark) {
      AnyValue marked = object;
      metav1::ObjectMeta& marked_meta = MetaOf(marked);
      const WallTime now = Clock::WallNow();
      marked_meta.finalizers = finalizers;
      if (!was_deleting) {
        marked_meta.deletionTimestamp = metav1::Time(now + std::chrono::seconds(grace));
        if (!is_namespace && !is_definition) marked_meta.deletionGracePeriodSeconds = grace;
        if (marked_meta.generation > 0 && !is_definition) ++marked_meta.generation;
      } else if (graceful && marked_meta.deletionGracePeriodSeconds &&
                 grace < *marked_meta.deletionGracePeriodSeconds) {
        marked_meta.deletionTimestamp = metav1::Time(now + std::chrono::seconds(grace));
        marked_meta.deletionGracePeriodSeconds = grace;
      }
      if (is_namespace) static_cast<corev1::Namespace*>(marked.data())->status.phase = "Terminating";
      if (is_definition && !was_deleting) {
        MarkForDeletion(*static_cast<apiextensionsv1::CustomResourceDefinition*>(marked.data()), metav1::Time(now));
      }
      if (options.dry_run) {
        return Reply::Of(Unstored(resource, marked, current->revision()));
      }
      Draft draft = EncodeDraft(resource, marked);
      if (!SameContent(*current, draft)) {
        Result<ObjectPtr> updated = StoreChanged(resource, std::move(draft), current->revision());
        if (!updated) {
          if (updated.error().code() == ErrorCode::kConflict) continue;
          return apierrors::NotFound(resource.group_resource(), name);
        }
        current = std::move(*updated);
        seen_off = current;
      }
      if (stays || grace > 0) return Reply::Of(std::move(current));
    }
    if (options.dry_run) return answer(std::move(current));
    Result<ObjectPtr> deleted = StoreGone(resource, namespace_, name, current->revision());
    if (!deleted) {
      if (deleted.error().code() == ErrorCode::kConflict || seen_off != nullptr) continue;
      return apierrors::NotFound(resource.group_resource(), name);
    }
    if (resource.stored_type == &TypeOf<corev1::Service>()) {
      addresses_.Release(*static_cast<const corev1::Service*>(object.data()), nullptr);
    }
    return answer(std::move(*deleted));
  }
  return apierrors::Conflict(resource.group_resource(), name);
}

}  // namespace keelson::apiserver
