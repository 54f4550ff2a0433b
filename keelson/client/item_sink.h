// Where the objects of a list go, one at a time as they arrive.
#pragma once

#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

#include "keelson/api/meta/v1.h"
#include "keelson/core/result.h"

namespace keelson {

// What List gives: the objects, and what the server said of the list as a whole.
template <class T>
struct ObjectList {
  metav1::ListMeta metadata = {};
  std::vector<T> items = {};

  auto begin() { return items.begin(); }
  auto end() { return items.end(); }
  auto begin() const { return items.begin(); }
  auto end() const { return items.end(); }
  size_t size() const { return items.size(); }
  bool empty() const { return items.empty(); }
};

// For code that knows the type at run time only.
class ItemSink {
 public:
  virtual ~ItemSink() = default;
  // A default value of the list's type, to be filled.
  virtual void* NextItem() = 0;
  // That value is filled. An error ends the list.
  virtual Result<void> Accept() = 0;
  // The list begins anew and what was accepted is void. False when it has gone where it cannot be taken back from.
  virtual bool Restart() = 0;
};

namespace internal {

template <class T>
class VectorSink final : public ItemSink {
 public:
  explicit VectorSink(std::vector<T>& items) : items_(items) {}
  void* NextItem() override { return &items_.emplace_back(); }
  Result<void> Accept() override { return {}; }
  bool Restart() override {
    items_.clear();
    return true;
  }

 private:
  std::vector<T>& items_;
};

template <class T>
class FunctionSink final : public ItemSink {
 public:
  explicit FunctionSink(const std::function<Result<void>(T&&)>& take) : take_(take) {}
  void* NextItem() override {
    item_ = T{};
    return &item_;
  }
  Result<void> Accept() override {
    given_ = true;
    return take_(std::move(item_));
  }
  bool Restart() override { return !given_; }

 private:
  const std::function<Result<void>(T&&)>& take_;
  T item_ = {};
  bool given_ = false;
};

}  // namespace internal
}  // namespace keelson
