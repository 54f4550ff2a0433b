// A map that holds so many entries and forgets the one that was used longest ago.
#pragma once

#include <cstddef>
#include <list>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace keelson::internal {

// Not thread-safe. Iterates from the entry used last to the one used longest ago.
template <class Value>
class LruMap {
 public:
  using Entry = std::pair<const std::string, Value>;
  using iterator = typename std::list<Entry>::iterator;

  explicit LruMap(size_t capacity) : capacity_(capacity) {}

  // Null when it is not there. Counts as a use.
  Value* Find(const std::string& key) {
    const auto found = places_.find(key);
    if (found == places_.end()) return nullptr;
    entries_.splice(entries_.begin(), entries_, found->second);
    return &found->second->second;
  }

  // Adds what is not there yet. Gives the value that had to make room.
  std::optional<Value> Add(const std::string& key, Value value) {
    entries_.emplace_front(key, std::move(value));
    places_.emplace(std::string_view(entries_.front().first), entries_.begin());
    if (entries_.size() <= capacity_) return std::nullopt;
    std::optional<Value> oldest(std::move(entries_.back().second));
    places_.erase(std::string_view(entries_.back().first));
    entries_.pop_back();
    return oldest;
  }

  // Gives the one after it.
  iterator Erase(iterator entry) {
    places_.erase(std::string_view(entry->first));
    return entries_.erase(entry);
  }

  iterator begin() { return entries_.begin(); }
  iterator end() { return entries_.end(); }
  size_t size() const { return entries_.size(); }

 private:
  const size_t capacity_;
  std::list<Entry> entries_;
  std::unordered_map<std::string_view, iterator> places_;  // the keys are those of entries_
};

}  // namespace keelson::internal
