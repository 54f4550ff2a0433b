// For tests of the cache: what handlers were told, what a lister holds, and a test's body on virtual time.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "keelson/api/core/v1.h"
#include "keelson/cache/informer.h"
#include "keelson/core/mutex.h"
#include "keelson/core/simulation.h"

namespace keelson {

// What a handler was told, in order, as text: "add a=1 initial", "update a=1 a=2", "delete a=2", "delete a=2 unknown".
// Fails the test when an object goes back in time.
class Told {
 public:
  Handlers<corev1::ConfigMap> handlers() {
    return {.on_add = [this](const corev1::ConfigMap& map,
                             bool initial) { Add(map, "add " + Text(map) + (initial ? " initial" : "")); },
            .on_update = [this](const corev1::ConfigMap& old,
                                const corev1::ConfigMap& map) { Add(map, "update " + Text(old) + " " + Text(map)); },
            .on_delete = [this](const corev1::ConfigMap& map,
                                bool unknown) { Add(map, "delete " + Text(map) + (unknown ? " unknown" : "")); }};
  }
  std::vector<std::string> lines() {
    MutexLock lock(mutex_);
    return lines_;
  }
  std::vector<std::string> Take() {
    MutexLock lock(mutex_);
    return std::move(lines_);
  }
  // What is there by what was told.
  std::map<std::string, std::string> contents() {
    MutexLock lock(mutex_);
    return contents_;
  }

 private:
  static std::string Text(const corev1::ConfigMap& map) {
    const String* value = map.data.find("value");
    return map.metadata.name.str() + "=" + (value == nullptr ? "?" : value->str());
  }
  void Add(const corev1::ConfigMap& map, const std::string& line) {
    MutexLock lock(mutex_);
    lines_.push_back(line);
    const std::string key = KeyOf(map).ToString();
    const int version = std::stoi(map.metadata.resourceVersion.str());
    EXPECT_GE(version, versions_[key]) << key << " went back in time: " << line;
    versions_[key] = version;
    if (line.starts_with("delete")) {
      EXPECT_EQ(contents_.erase(key), 1u) << "deleted without having been there: " << line;
    } else {
      const String* value = map.data.find("value");
      EXPECT_EQ(contents_.contains(key), !line.starts_with("add")) << line;
      contents_[key] = value == nullptr ? "?" : value->str();
    }
  }

  Mutex mutex_{"told"};
  std::vector<std::string> lines_;
  std::map<std::string, int> versions_;
  std::map<std::string, std::string> contents_;
};

inline std::map<std::string, std::string> ContentsOf(const Lister<corev1::ConfigMap>& lister) {
  std::map<std::string, std::string> contents;
  for (const corev1::ConfigMap& map : lister.List()) {
    const String* value = map.data.find("value");
    contents[KeyOf(map).ToString()] = value == nullptr ? "?" : value->str();
  }
  return contents;
}

// Runs a test's body on virtual time.
inline void Simulated(const std::function<void()>& body, uint64_t seed = 1) {
  Simulation simulation({.seed = seed});
  const Result<void> done = simulation.Run(body);
  ASSERT_TRUE(done) << "seed " << seed << ": " << done.error().message();
}

}  // namespace keelson
