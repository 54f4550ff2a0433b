// The names seen so far in a list, to find those that repeat.
//
//   NameSet names;
//   if (!names.Insert(port.name)) errors.Duplicate(path / "name", Json(port.name));
//
// Keeps views: what they point to lives longer. Allocates only beyond a handful of names, so checking an ordinary
// object costs nothing, and a list of many thousand names does not cost their square.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>
#include <unordered_set>

namespace keelson::apiserver {

class NameSet {
 public:
  // False when it was there already.
  bool Insert(std::string_view name) {
    if (Has(name)) return false;
    if (size_ < few_.size()) {
      few_[size_++] = name;
    } else {
      many_.insert(name);
    }
    return true;
  }
  bool Has(std::string_view name) const {
    const auto end = few_.begin() + static_cast<std::ptrdiff_t>(size_);
    return std::find(few_.begin(), end, name) != end || (!many_.empty() && many_.contains(name));
  }
  bool empty() const { return size_ == 0; }

 private:
  std::array<std::string_view, 16> few_ = {};
  size_t size_ = 0;
  std::unordered_set<std::string_view> many_ = {};
};

}  // namespace keelson::apiserver
