// A constant object of a cache, alive as long as this pointer to it: what Lister::Get gives.
//
//   KEELSON_TRY(service, services.In("default").Get("web"));                     // a CachedPtr<corev1::Service>
//   if (service->spec.type == "LoadBalancer") …
//   corev1::Service changed = *service;                                          // a copy costs next to nothing
//   std::shared_ptr<const corev1::Service> shared = std::move(service);          // for several owners
//
// It has one owner: it can be moved, to other threads too, and not copied. A shared pointer would count its owners in
// the object's own memory, and two processors that look at the same objects would wait for each other's counts longer
// than for the objects. Instead the thread notes down what it keeps, in memory of its own (Hold), and the cache looks
// there before it lets an object go. A thread can note down a few at a time; what it keeps beyond these is counted.
#pragma once

#include <cstddef>
#include <memory>
#include <type_traits>
#include <utility>

#include "keelson/cache/object.h"
#include "keelson/core/read_scope.h"

namespace keelson {

// The same without a type.
class KeptObject {
 public:
  KeptObject() = default;
  explicit KeptObject(ObjectPtr counted) : object_(counted.get()), counted_(std::move(counted)) {}
  KeptObject(const void* object, Hold hold) : object_(object), hold_(std::move(hold)) {}
  KeptObject(KeptObject&& other) noexcept
      : object_(std::exchange(other.object_, nullptr)),
        hold_(std::move(other.hold_)),
        counted_(std::move(other.counted_)) {}
  KeptObject& operator=(KeptObject&& other) noexcept {
    KeptObject before(std::move(*this));
    object_ = std::exchange(other.object_, nullptr);
    hold_ = std::move(other.hold_);
    counted_ = std::move(other.counted_);
    return *this;
  }

  const void* get() const { return object_; }

  // For several owners, with an allocation where it was not counted.
  ObjectPtr Share() && {
    if (object_ == nullptr || counted_ != nullptr) {
      object_ = nullptr;
      return std::move(counted_);
    }
    const void* const object = object_;
    return ObjectPtr(std::make_shared<KeptObject>(std::move(*this)), object);
  }

 private:
  const void* object_ = nullptr;
  Hold hold_;          // or else
  ObjectPtr counted_;  // that
};

template <class T>
class [[nodiscard]] CachedPtr {
 public:
  CachedPtr() = default;
  CachedPtr(std::nullptr_t) {}
  explicit CachedPtr(KeptObject object) : object_(std::move(object)) {}  // a T
  CachedPtr(std::shared_ptr<const T> shared) : object_(ObjectPtr(std::move(shared))) {}

  const T* get() const { return static_cast<const T*>(object_.get()); }
  const T& operator*() const { return *get(); }
  const T* operator->() const { return get(); }
  explicit operator bool() const { return get() != nullptr; }
  friend bool operator==(const CachedPtr& a, const CachedPtr& b) { return a.get() == b.get(); }

  std::shared_ptr<const T> Share() && { return std::static_pointer_cast<const T>(std::move(object_).Share()); }
  operator std::shared_ptr<const T>() && { return std::move(*this).Share(); }

 private:
  KeptObject object_;
};

}  // namespace keelson
