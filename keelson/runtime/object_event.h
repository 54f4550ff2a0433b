// A change of an object that a controller watches, as predicates and enqueuers see it.
//
//   bool IsReady(const ObjectEvent& event) {
//     const corev1::Pod* pod = event.As<corev1::Pod>();
//     return pod != nullptr && pod->status.phase == "Running";
//   }
//
// Whatever type the cache holds, As<T>() gives a T and metadata() the metadata. Of a cache of metadata alone the T has
// its metadata and nothing else.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "keelson/api/gvk.h"
#include "keelson/api/string.h"
#include "keelson/cache/delta.h"
#include "keelson/cache/object.h"

namespace keelson {

enum class ObjectEventType : uint8_t {
  kCreated,
  kUpdated,
  kDeleted,
  kGeneric,  // somebody said so, by a channel or another source
};
std::string_view ToString(ObjectEventType type);  // "created"

// For the time of a call; used by one thread.
class ObjectEvent {
 public:
  // What an informer tells. Model and kind outlive it; the kind says what metadata alone is the metadata of.
  ObjectEvent(const ObjectModel& model, const Delta& delta, const GroupVersionKind* kind = nullptr);
  // Of an object that is not null.
  static ObjectEvent Generic(const ObjectModel& model, ObjectPtr object);
  template <class T>
  static ObjectEvent Generic(const T& object) {
    return Generic(ModelOf<T>(), std::make_shared<T>(object));
  }

  ObjectEventType type() const { return type_; }
  // It was there already when the controller began.
  bool initial() const { return initial_; }
  // An update that changed nothing: old and new are one object.
  bool resync() const { return resync_; }
  // The deletion itself was missed: this is the last that was known of the object.
  bool final_state_unknown() const { return final_state_unknown_; }

  ObjectIdentity identity() const { return model_->identify(object_.get()); }
  // They share the object's own text.
  String namespace_() const;
  String name() const;
  const ObjectModel& model() const { return *model_; }
  const ObjectPtr& object() const { return object_; }   // as it is now; of a deletion, as it was last
  const ObjectPtr& old_object() const { return old_; }  // of an update; else null

  // The object as a T; null when it is of another kind or does not fit. Good until another type than T is asked for, or
  // the event ends. Costs nothing where the cache holds that type; otherwise the object is converted.
  template <class T>
  const T* As() const {
    return static_cast<const T*>(Seen(ModelOf<T>(), object_, now_view_));
  }
  // The same before an update; null for other events too.
  template <class T>
  const T* OldAs() const {
    return static_cast<const T*>(Seen(ModelOf<T>(), old_, resync_ ? now_view_ : old_view_));
  }
  // Of an object without a type all of it is read, once. Metadata that cannot be read has its names and versions only.
  const metav1::ObjectMeta& metadata() const { return *MetadataOf(object_, now_metadata_); }
  // Of an update; else null.
  const metav1::ObjectMeta* old_metadata() const { return MetadataOf(old_, resync_ ? now_metadata_ : old_metadata_); }

 private:
  // An object converted to another type than the cache's: the last that was asked for.
  struct View {
    const Type* type = nullptr;
    ObjectPtr object = {};  // null: it could not be
  };
  ObjectEvent() = default;
  const void* Seen(const ObjectModel& wanted, const ObjectPtr& object, View& view) const;
  ObjectPtr Convert(const ObjectModel& wanted, const void* object) const;
  const metav1::ObjectMeta* MetadataOf(const ObjectPtr& object, View& view) const;

  const ObjectModel* model_ = nullptr;
  const GroupVersionKind* kind_ = nullptr;
  ObjectPtr object_;
  ObjectPtr old_;
  ObjectEventType type_ = ObjectEventType::kGeneric;
  bool initial_ = false;
  bool resync_ = false;
  bool final_state_unknown_ = false;
  mutable View now_view_, old_view_, now_metadata_, old_metadata_;
};

}  // namespace keelson
