// One write, as watches see it.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "keelson/apiserver/store/stored_object.h"

namespace keelson::apiserver {

class Event {
 public:
  enum class Kind : uint8_t { kCreated, kUpdated, kDeleted };
  // Encodings that watchers of the whole object share: each is made once for all of them.
  enum class Frame : uint8_t {
    kJsonAdded,
    kJsonModified,
    kJsonDeleted,
    kProtobufAdded,
    kProtobufModified,
    kProtobufDeleted
  };

  Event(Kind kind, ObjectPtr object, ObjectPtr previous)
      : kind_(kind), object_(std::move(object)), previous_(std::move(previous)) {}
  ~Event();

  Kind kind() const { return kind_; }
  Revision revision() const { return object_->revision(); }
  const ObjectPtr& object() const& { return object_; }      // of a deletion: the last state, at the deletion's revision
  const ObjectPtr& previous() const& { return previous_; }  // null for kCreated

  // The frame, made by `make` for the first watcher that asks. Thread-safe.
  String Encoded(Frame frame, const std::function<std::string()>& make) const;

 private:
  static constexpr size_t kFrames = 6;

  const Kind kind_;
  const ObjectPtr object_;
  const ObjectPtr previous_;
  mutable std::atomic<String*> frames_[kFrames] = {};
};

using EventPtr = std::shared_ptr<const Event>;

}  // namespace keelson::apiserver
