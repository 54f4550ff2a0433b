#include "keelson/runtime/object_event.h"

#include <utility>

#include "keelson/cache/view.h"
#include "keelson/core/log.h"

namespace keelson {

namespace {

const Type& Dynamic() { return TypeOf<Unstructured>(); }
const Type& MetadataAlone() { return TypeOf<metav1::PartialObjectMetadata>(); }

ObjectEventType TypeOfDelta(const Delta& delta) {
  if (delta.type == DeltaType::kDeleted) return ObjectEventType::kDeleted;
  return delta.old == nullptr ? ObjectEventType::kCreated : ObjectEventType::kUpdated;
}

bool Names(const GroupVersionKind& kind, const Type& type) {
  return kind.kind == type.object_kind && kind.group == type.group && kind.version == type.version;
}

String MetadataText(const void* object, std::string_view member) {
  const Json* metadata = static_cast<const Unstructured*>(object)->content().find("metadata");
  const Json* found = metadata != nullptr && metadata->is_object() ? metadata->find(member) : nullptr;
  return found != nullptr && found->is_string() ? found->string() : String();
}

}  // namespace

std::string_view ToString(ObjectEventType type) {
  switch (type) {
    case ObjectEventType::kCreated: return "created";
    case ObjectEventType::kUpdated: return "updated";
    case ObjectEventType::kDeleted: return "deleted";
    case ObjectEventType::kGeneric: break;
  }
  return "generic";
}

ObjectEvent::ObjectEvent(const ObjectModel& model, const Delta& delta, const GroupVersionKind* kind)
    : model_(&model),
      kind_(kind),
      object_(delta.object),
      type_(TypeOfDelta(delta)),
      initial_(delta.initial),
      resync_(delta.type == DeltaType::kSync),
      final_state_unknown_(delta.final_state_unknown) {
  if (type_ == ObjectEventType::kUpdated) old_ = delta.old;
}

ObjectEvent ObjectEvent::Generic(const ObjectModel& model, ObjectPtr object) {
  ObjectEvent event;
  event.model_ = &model;
  event.object_ = std::move(object);
  return event;
}

String ObjectEvent::namespace_() const {
  return model_->type == &Dynamic() ? MetadataText(object_.get(), "namespace") : metadata().namespace_;
}

String ObjectEvent::name() const {
  return model_->type == &Dynamic() ? MetadataText(object_.get(), "name") : metadata().name;
}

const void* ObjectEvent::Seen(const ObjectModel& wanted, const ObjectPtr& object, View& view) const {
  if (object == nullptr || model_->type == wanted.type) return object.get();
  if (view.type != wanted.type) view = {.type = wanted.type, .object = Convert(wanted, object.get())};
  return view.object.get();
}

ObjectPtr ObjectEvent::Convert(const ObjectModel& wanted, const void* object) const {
  const Type& from = *model_->type;
  const Type& to = *wanted.type;
  std::shared_ptr<void> made = wanted.make();
  if (&to == &MetadataAlone()) {
    auto& alone = *static_cast<metav1::PartialObjectMetadata*>(made.get());
    if (&from == &Dynamic()) {
      const auto& document = *static_cast<const Unstructured*>(object);
      alone.kind = document.GetKind();
      alone.apiVersion = document.GetApiVersion();
      Result<metav1::ObjectMeta> metadata = document.GetMetadata();
      if (!metadata) return nullptr;
      alone.metadata = *std::move(metadata);
    } else {
      const GroupVersionKind kind = GvkOf(from);
      alone.kind = kind.kind;
      alone.apiVersion = kind.group_version().ToString();
      if (const metav1::ObjectMeta* metadata = FindObjectMeta(from, object)) alone.metadata = *metadata;
    }
    return made;
  }
  if (&from == &MetadataAlone()) {
    const auto& alone = *static_cast<const metav1::PartialObjectMetadata*>(object);
    if (&to == &Dynamic()) {
      auto& document = *static_cast<Unstructured*>(made.get());
      document = ToUnstructured(alone);
      if (kind_ != nullptr) document.SetGvk(*kind_);
      return made;
    }
    metav1::ObjectMeta* metadata = FindObjectMeta(to, made.get());
    if (metadata == nullptr || kind_ == nullptr || !Names(*kind_, to)) return nullptr;
    *metadata = alone.metadata;
    return made;
  }
  if (&to != &Dynamic()) {
    // Other kinds are what an enqueuer of several kinds asks for, and no reason to say anything.
    if (&from != &Dynamic()) return nullptr;
    if (!Names(static_cast<const Unstructured*>(object)->GetGvk(), to)) return nullptr;
  }
  if (Result<void> done = internal::ConvertObject(from, object, to, made.get()); !done) {
    Logger("controller")
        .Error(done.error(), "An object does not fit the type that it is asked for as, and is left out", "type",
               to.name, "object", model_->identify(object).key().ToString());
    return nullptr;
  }
  return made;
}

const metav1::ObjectMeta* ObjectEvent::MetadataOf(const ObjectPtr& object, View& view) const {
  if (object == nullptr) return nullptr;
  if (const metav1::ObjectMeta* inside = FindObjectMeta(*model_->type, object.get())) return inside;
  if (view.object == nullptr) {
    auto made = std::make_shared<metav1::ObjectMeta>();
    if (model_->type == &Dynamic()) {
      if (Result<metav1::ObjectMeta> read = static_cast<const Unstructured*>(object.get())->GetMetadata()) {
        *made = *std::move(read);
      }
    }
    if (made->name.empty()) {
      const ObjectIdentity identity = model_->identify(object.get());
      made->namespace_ = identity.namespace_;
      made->name = identity.name;
      made->uid = identity.uid;
      made->resourceVersion = identity.resource_version;
    }
    view.object = std::move(made);
  }
  return static_cast<const metav1::ObjectMeta*>(view.object.get());
}

}  // namespace keelson
