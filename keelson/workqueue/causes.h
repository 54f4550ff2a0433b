// Why a key is in a queue: a small set of what its users said when they added it.
//
//   queue.Add("default/web", {.causes = {"Pod default/web-1 was deleted"}});
//   ...
//   for (const std::string& cause : item->causes) log.Info("Reconciling", "because", cause);
//   if (item->causes.more() > 0) log.Info("There were more", "count", item->causes.more());
//
// The queue looks at causes only to tell equal ones apart. Any copyable type with == will do.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <utility>
#include <vector>

namespace keelson {

// Keeps the first kMax different causes, in the order they came, and counts the rest. One pointer in size, null when
// there are none. A value; not thread-safe.
template <class Cause>
class Causes {
 public:
  using value_type = Cause;
  using const_iterator = const Cause*;

  static constexpr size_t kMax = 16;

  Causes() = default;
  Causes(std::initializer_list<Cause> causes) {
    for (const Cause& cause : causes) Add(cause);
  }
  Causes(const Causes& other) : kept_(other.kept_ ? std::make_unique<Kept>(*other.kept_) : nullptr) {}
  Causes(Causes&&) noexcept = default;
  Causes& operator=(const Causes& other) {
    kept_ = other.kept_ ? std::make_unique<Kept>(*other.kept_) : nullptr;
    return *this;
  }
  Causes& operator=(Causes&&) noexcept = default;

  bool empty() const { return kept_ == nullptr; }
  size_t size() const { return kept_ ? kept_->causes.size() : 0; }
  const Cause* begin() const { return kept_ ? kept_->causes.data() : nullptr; }
  const Cause* end() const { return begin() + size(); }
  // How many came after the set was full and were not in it; a repeated one counts each time.
  uint64_t more() const { return kept_ ? kept_->more : 0; }
  bool Contains(const Cause& cause) const { return std::find(begin(), end(), cause) != end(); }

  void Add(Cause cause) {
    if (Contains(cause)) return;
    if (!kept_) kept_ = std::make_unique<Kept>();
    if (kept_->causes.size() == kMax) {
      ++kept_->more;
    } else {
      kept_->causes.push_back(std::move(cause));
    }
  }

  void Merge(Causes other) {
    if (other.empty()) return;
    if (empty()) {
      kept_ = std::move(other.kept_);
      return;
    }
    for (Cause& cause : other.kept_->causes) Add(std::move(cause));
    kept_->more += other.kept_->more;
  }

  void Clear() { kept_.reset(); }

 private:
  struct Kept {
    std::vector<Cause> causes;
    uint64_t more = 0;
  };
  std::unique_ptr<Kept> kept_;  // null, or not empty
};

}  // namespace keelson
