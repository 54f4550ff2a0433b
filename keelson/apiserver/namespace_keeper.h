// What a cluster's controllers do for namespaces, done by the server itself: tests and tools that expect a cluster find
// it as they expect it, and a namespace that is deleted goes away.
//
// A namespace has a ServiceAccount `default` and, once the server has an authority, the ConfigMap `kube-root-ca.crt`;
// both come back when they are deleted or changed. A namespace that is being deleted is emptied, Pods first, with
// conditions in its status that say what is left; when nothing is, it goes. All of this happens within the write that
// gives cause to it, on its thread.
#pragma once

#include <atomic>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "keelson/apiserver/objects.h"
#include "keelson/core/mutex.h"

namespace keelson::apiserver {

// Thread-safe.
class NamespaceKeeper final : public WriteObserver {
 public:
  explicit NamespaceKeeper(Objects& objects) : objects_(objects) {}

  // All that there are: at the start, and whenever the authority changes.
  void TendAll();
  // Whom clients within the cluster may trust, in PEM.
  void SetRootCa(std::string certificate);

  void OnWritten(const Resource& resource, const ObjectPtr& object, bool deleted) override;

 private:
  // Does what is missing. Within itself, or while another thread is at it, it leaves the work to that one.
  void Tend(const std::string& name);
  void TendOnce(const std::string& name);
  void Furnish(const std::string& name);
  void Empty(const std::string& name);
  bool IsEnding(std::string_view name);

  Objects& objects_;
  std::atomic<size_t> ending_count_{0};  // of ending_: most writes need not look further

  Mutex mutex_{"namespace-keeper"};
  // Guarded by mutex_.
  std::string root_ca_;
  std::map<std::string, bool, std::less<>> tended_;  // being tended to; true: once more, something changed meanwhile
  std::set<std::string, std::less<>> ending_;        // being deleted, and not empty yet
};

}  // namespace keelson::apiserver
