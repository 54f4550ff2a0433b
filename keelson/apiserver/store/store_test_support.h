// Drafts and sinks for tests of the store.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "keelson/apiserver/store/store.h"
#include "keelson/core/cond_var.h"
#include "keelson/core/mutex.h"

namespace keelson::apiserver::testing {

inline Draft MakeDraft(std::string_view namespace_, std::string_view name, std::string_view value = "",
                       Map<String> labels = {}) {
  Draft draft{.namespace_ = namespace_, .name = name, .uid = "uid-" + std::string(name), .labels = std::move(labels)};
  draft.json = R"({"metadata":{"name":")" + std::string(name) + R"(","resourceVersion":")";
  draft.revision_at = draft.json.size();
  draft.json += R"("},"value":")" + std::string(value) + R"("})";
  return draft;
}

// The value that MakeDraft put in.
inline std::string ValueOf(const StoredObject& object) {
  const std::string_view json = object.json();
  constexpr std::string_view kBefore = R"("value":")";
  const size_t from = json.find(kBefore) + kBefore.size();
  return std::string(json.substr(from, json.find('"', from) - from));
}

// "created a@2=value"
inline std::string Describe(const Event& event) {
  static constexpr const char* kKinds[] = {"created ", "updated ", "deleted "};
  return kKinds[static_cast<size_t>(event.kind())] + event.object()->name().str() + "@" +
         std::to_string(event.revision()) + "=" + ValueOf(*event.object());
}

// Keeps what it is given and lets tests wait for it.
class RecordingSink final : public WatchSink {
 public:
  void OnEvents(std::span<const EventPtr> events, Revision seen) override {
    MutexLock lock(mutex_);
    events_.insert(events_.end(), events.begin(), events.end());
    seen_ = seen;
    changed_.NotifyAll();
  }
  TimePoint OnTick(TimePoint now, Revision seen) override {
    MutexLock lock(mutex_);
    ++ticks_;
    seen_ = seen;
    changed_.NotifyAll();
    return now;
  }

  // Waits until it has that many.
  std::vector<EventPtr> Await(size_t count) {
    MutexLock lock(mutex_);
    changed_.Wait(lock, [&] { return events_.size() >= count; });
    return events_;
  }
  // Waits until everything up to that revision was handed over.
  std::vector<EventPtr> AwaitRevision(Revision revision) {
    MutexLock lock(mutex_);
    changed_.Wait(lock, [&] { return seen_ >= revision; });
    return events_;
  }
  void AwaitTicks(size_t count) {
    MutexLock lock(mutex_);
    changed_.Wait(lock, [&] { return ticks_ >= count; });
  }
  size_t count() {
    MutexLock lock(mutex_);
    return events_.size();
  }

 private:
  Mutex mutex_{"recording sink"};
  CondVar changed_{"recording sink"};
  std::vector<EventPtr> events_;
  Revision seen_ = 0;
  size_t ticks_ = 0;
};

inline std::vector<std::string> Describe(const std::vector<EventPtr>& events) {
  std::vector<std::string> lines;
  for (const EventPtr& event : events) lines.push_back(Describe(*event));
  return lines;
}

}  // namespace keelson::apiserver::testing
