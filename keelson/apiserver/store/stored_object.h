// An object as the store keeps it: its JSON, and beside it only what lists and watches choose by.
//
//   Draft draft = …;                                       // what a write brings
//   Result<ObjectPtr> stored = store.Create(pods, std::move(draft));
//   (*stored)->json();                                     // with its resourceVersion
//
// Immutable and shared: lists, watches and answers hand the same bytes on without encoding anything again.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "keelson/api/list.h"
#include "keelson/api/map.h"
#include "keelson/api/string.h"

namespace keelson::apiserver {

// One counter for the whole store; each write takes the next number.
using Revision = int64_t;

// An object that is about to be stored: all but its revision.
struct Draft {
  String namespace_ = {};  // empty: not namespaced
  String name = {};
  String uid = {};
  // The whole object with `"resourceVersion":""` in its metadata.
  std::string json = {};
  size_t revision_at = 0;  // where in `json` the digits go: between the two quotes
  Map<String> labels = {};
  List<String> fields = {};  // the values of the resource's selectable fields, in its order
};

class StoredObject {
 public:
  StoredObject(Draft draft, Revision revision);
  // The same object at another revision: what a deletion's event carries.
  StoredObject(const StoredObject& other, Revision revision);
  ~StoredObject();

  Revision revision() const { return revision_; }
  const String& namespace_() const& { return meta_.namespace_; }
  const String& name() const& { return meta_.name; }
  const String& uid() const& { return meta_.uid; }
  const Map<String>& labels() const& { return meta_.labels; }
  const List<String>& fields() const& { return meta_.fields; }
  const String& json() const& { return json_; }
  // Where in json() the revision's digits begin.
  size_t revision_at() const { return revision_at_; }

  // Its protobuf envelope, made by `make` the first time somebody asks, then kept. Thread-safe; when two ask at once
  // `make` may run twice, and both get the same bytes.
  String Protobuf(const std::function<std::string(std::string_view json)>& make) const;
  // The one that was made; empty before.
  std::string_view protobuf() const& {
    const String* made = protobuf_.load(std::memory_order_acquire);
    return made == nullptr ? std::string_view() : made->view();
  }

 private:
  struct Meta {
    String namespace_ = {};
    String name = {};
    String uid = {};
    Map<String> labels = {};
    List<String> fields = {};
  };

  const Meta meta_;
  const Revision revision_;
  uint32_t revision_at_;
  uint32_t revision_digits_;
  String json_;
  mutable std::atomic<String*> protobuf_{nullptr};
};

using ObjectPtr = std::shared_ptr<const StoredObject>;

}  // namespace keelson::apiserver
