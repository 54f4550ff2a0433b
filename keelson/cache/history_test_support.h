// For tests of the cache: a prepared history of ConfigMaps, replayed to whoever lists and watches, with faults.
//
//   History history;
//   history.Set("a", "1");                                     // version 1
//   Client client = history.client();
//   history.faults.push_back({.on = Fault::kWatch, .what = Fault::kCut, .after_bytes = 10});
//
// Not a server: it has one resource, validates nothing, and takes changes only from the test. A fault is used up by the
// first request of its kind. Works in a simulation.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "keelson/api/core/v1.h"
#include "keelson/cache/fault_test_support.h"
#include "keelson/cache/informer.h"
#include "keelson/client/client.h"
#include "keelson/core/clock.h"
#include "keelson/core/mutex.h"
#include "keelson/core/simulation.h"
#include "keelson/transport/in_process_transport.h"

namespace keelson {

class History final : public HttpHandler {
 public:
  // Adds or changes an object.
  void Set(const std::string& name, const std::string& value, const std::string& namespace_ = "default") {
    MutexLock lock(mutex_);
    const auto found = objects_.find({namespace_, name});
    Change change{.type = found == objects_.end() ? "ADDED" : "MODIFIED",
                  .namespace_ = namespace_,
                  .name = name,
                  .uid = found == objects_.end() ? "uid-" + std::to_string(++uids_) : found->second.uid,
                  .version = ++version_,
                  .value = value};
    objects_[{namespace_, name}] = change;
    Tell(std::move(change));
  }
  void Remove(const std::string& name, const std::string& namespace_ = "default") {
    MutexLock lock(mutex_);
    const auto found = objects_.find({namespace_, name});
    if (found == objects_.end()) return;
    Change change = found->second;
    change.type = "DELETED";
    change.version = ++version_;
    objects_.erase(found);
    Tell(std::move(change));
  }
  // Versions up to the present one can be neither watched nor listed page by page any more.
  void Forget() {
    MutexLock lock(mutex_);
    oldest_ = version_;
  }
  // Ends all open watches without a word, as a server that is killed.
  void DropWatches() {
    MutexLock lock(mutex_);
    watches_.clear();
  }
  void Bookmark() {
    MutexLock lock(mutex_);
    for (Watch& watch : watches_) watch.response->Write(String(BookmarkText(false)));
  }

  Client client(ClientOptions options = {}) {
    return Client(std::make_shared<InProcessTransport>(*this), std::move(options));
  }
  std::string version() {
    MutexLock lock(mutex_);
    return std::to_string(version_);
  }
  // "default/a" → value, as it is now.
  std::map<std::string, std::string> contents() {
    MutexLock lock(mutex_);
    std::map<std::string, std::string> contents;
    for (const auto& [key, change] : objects_) contents[key.first + "/" + key.second] = change.value;
    return contents;
  }
  // "list 0", "watch 7", "stream", in order.
  std::vector<std::string> requests() {
    MutexLock lock(mutex_);
    return requests_;
  }
  size_t open_watches() {
    MutexLock lock(mutex_);
    std::erase_if(watches_, [](const Watch& watch) { return !watch.response->Write(String()); });
    return watches_.size();
  }

  // Set before use, or from inside a simulation.
  std::deque<Fault> faults;
  bool can_stream = false;
  bool missing = false;  // the resource is not there

  void Handle(ServerRequest request, std::shared_ptr<ResponseWriter> response) override {
    MutexLock lock(mutex_);
    const bool watch = !Parameter(request.query, "watch").empty();
    const std::string from = Parameter(request.query, "resourceVersion");
    const bool streams = Parameter(request.query, "sendInitialEvents") == "true";
    requests_.push_back(streams ? "stream" : watch ? "watch " + from : "list " + from);
    if (streams && !can_stream) return Refuse(*response, 422, "Invalid", "sendInitialEvents is forbidden");
    if (missing) return Respond(*response, 404, "text/plain", "404 page not found\n");
    Fault fault{.after_bytes = static_cast<size_t>(-1)};
    const auto found = std::find_if(faults.begin(), faults.end(),
                                    [&](const Fault& one) { return (one.on == Fault::kWatch) == watch; });
    const bool faulty = found != faults.end();
    if (faulty) {
      fault = *found;
      faults.erase(found);
    }
    if (faulty && fault.what == Fault::kStatus) return Refuse(*response, fault.status, "", "told to fail");
    if (faulty && fault.what == Fault::kTooLarge) {
      return Refuse(*response, 504, "Timeout", "Too large resource version: 99, current: 1");
    }
    if (watch) {
      ServeWatch(std::move(response), from, streams, faulty ? &fault : nullptr);
    } else {
      ServeList(*response, request, faulty ? &fault : nullptr);
    }
  }

 private:
  struct Change {
    std::string type, namespace_, name, uid;
    int version = 0;
    std::string value;

    std::string ToJson() const {
      return R"({"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":")" + name + R"(","namespace":")" +
             namespace_ + R"(","uid":")" + uid + R"(","resourceVersion":")" + std::to_string(version) +
             R"(","labels":{"value":")" + value + R"("}},"data":{"value":")" + value + R"("}})";
    }
    std::string ToEvent() const { return R"({"type":")" + type + R"(","object":)" + ToJson() + "}\n"; }
  };
  struct Watch {
    std::shared_ptr<ResponseWriter> response;
    size_t bytes_left;  // before the fault
    Fault::What what;
  };

  static std::string Parameter(std::string_view query, std::string_view name) {
    while (!query.empty()) {
      const std::string_view pair = query.substr(0, query.find('&'));
      query.remove_prefix(std::min(query.size(), pair.size() + 1));
      if (pair.starts_with(name) && pair.substr(name.size()).starts_with('=')) {
        return std::string(pair.substr(name.size() + 1));
      }
    }
    return {};
  }
  static void Refuse(ResponseWriter& response, int status, std::string_view reason, std::string_view message) {
    Respond(response, status, "application/json",
            R"({"kind":"Status","apiVersion":"v1","status":"Failure","reason":")" + std::string(reason) +
                R"(","message":")" + std::string(message) + R"(","code":)" + std::to_string(status) + "}");
  }
  std::string BookmarkText(bool ends_initial) const {
    return R"({"type":"BOOKMARK","object":{"kind":"ConfigMap","apiVersion":"v1","metadata":{"resourceVersion":")" +
           std::to_string(version_) + "\"" +
           (ends_initial ? R"(,"annotations":{"k8s.io/initial-events-end":"true"})" : "") + "}}}\n";
  }
  static std::string ExpiredText() {
    return R"({"type":"ERROR","object":{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Expired",)"
           R"("message":"too old resource version","code":410}})"
           "\n";
  }

  void ServeList(ResponseWriter& response, const ServerRequest& request, const Fault* fault) {
    const std::string limit = Parameter(request.query, "limit");
    const std::string token = Parameter(request.query, "continue");
    size_t at = 0;
    int version = version_;
    if (!token.empty()) {
      const size_t colon = token.find('-');
      version = std::stoi(token.substr(0, colon));
      at = std::stoul(token.substr(colon + 1));
      if (version < oldest_) return Refuse(response, 410, "Expired", "the continue token is too old");
    }
    const std::map<std::pair<std::string, std::string>, Change> objects = At(version);
    std::string items;
    size_t index = 0, given = 0;
    std::string next;
    for (const auto& [key, change] : objects) {
      if (index++ < at) continue;
      if (!limit.empty() && given == std::stoul(limit)) {
        next = std::to_string(version) + "-" + std::to_string(index - 1);
        break;
      }
      items += (given++ == 0 ? "" : ",") + change.ToJson();
    }
    std::string body = R"({"kind":"ConfigMapList","apiVersion":"v1","metadata":{"resourceVersion":")" +
                       std::to_string(version) + R"(","continue":")" + next + R"("},"items":[)" + items + "]}";
    response.Start(200, {{"Content-Type", "application/json"}});
    if (fault != nullptr) body.resize(std::min(body.size() - 1, fault->after_bytes));
    response.Write(String(body));
    if (fault == nullptr) response.Finish();  // else it breaks off when the writer goes
  }

  void ServeWatch(std::shared_ptr<ResponseWriter> response, const std::string& from, bool streams, const Fault* fault) {
    int since = from.empty() || streams ? 0 : std::stoi(from);
    if (!streams && since < oldest_) return Refuse(*response, 410, "Expired", "too old resource version");
    response->Start(200, {{"Content-Type", "application/json"}});
    if (fault != nullptr && fault->what == Fault::kSilent) {
      silent_.push_back(std::move(response));
      return;
    }
    Watch watch{std::move(response), fault == nullptr ? static_cast<size_t>(-1) : fault->after_bytes,
                fault == nullptr ? Fault::kCut : fault->what};
    if (fault != nullptr && fault->what == Fault::kOldNews) {
      watch.bytes_left = static_cast<size_t>(-1);
      since = 0;
    }
    bool open = true;
    if (streams) {
      for (const auto& [key, change] : objects_) {
        Change shown = change;
        shown.type = "ADDED";
        open = open && Write(watch, shown.ToEvent());
      }
      open = open && Write(watch, BookmarkText(true));
    } else {
      for (const Change& change : changes_) {
        if (change.version > since) open = open && Write(watch, change.ToEvent());
      }
      open = open && Write(watch, "");
    }
    if (open) watches_.push_back(std::move(watch));
  }

  // False when the watch has ended.
  static bool Write(Watch& watch, const std::string& event) {
    if (event.size() <= watch.bytes_left && (watch.bytes_left > 0 || watch.what == Fault::kCut)) {
      watch.bytes_left -= event.size();
      return watch.response->Write(String(event));
    }
    switch (watch.what) {
      case Fault::kEnd: watch.response->Finish(); break;
      case Fault::kExpire:
        watch.response->Write(String(ExpiredText()));
        watch.response->Finish();
        break;
      default: watch.response->Write(String(event.substr(0, watch.bytes_left)));
    }
    watch.response.reset();
    return false;
  }

  void Tell(Change change) {
    std::erase_if(watches_, [&](Watch& watch) { return !Write(watch, change.ToEvent()); });
    changes_.push_back(std::move(change));
  }

  std::map<std::pair<std::string, std::string>, Change> At(int version) const {
    std::map<std::pair<std::string, std::string>, Change> objects;
    for (const Change& change : changes_) {
      if (change.version > version) break;
      if (change.type == "DELETED") {
        objects.erase({change.namespace_, change.name});
      } else {
        objects[{change.namespace_, change.name}] = change;
      }
    }
    return objects;
  }

  Mutex mutex_{"history"};
  // Guarded by mutex_.
  std::map<std::pair<std::string, std::string>, Change> objects_;
  std::vector<Change> changes_;
  std::vector<Watch> watches_;
  std::vector<std::shared_ptr<ResponseWriter>> silent_;
  std::vector<std::string> requests_;
  int version_ = 0;
  int oldest_ = 0;
  int uids_ = 0;
};

}  // namespace keelson
