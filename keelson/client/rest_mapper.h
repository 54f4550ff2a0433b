// From kinds to resources and back, as the server at hand has them.
//
//   KEELSON_TRY(resource, mapper.ResourceOf({"example.com", "v1", "Widget"}));     // widgets, namespaced
//   KEELSON_TRY(resource, mapper.Find("deploy"));                                  // what a user types
//
// Asks the server when first needed, and again, though not too often, when a name is unknown: a kind whose CRD appears
// later just works. A kind that is not served is an error of code Unsupported; IsNoMatch tells it apart.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>

#include "keelson/api/gvk.h"
#include "keelson/client/discovery.h"
#include "keelson/client/resource.h"
#include "keelson/core/cond_var.h"
#include "keelson/core/mutex.h"
#include "keelson/core/result.h"
#include "keelson/core/time.h"
#include "keelson/transport/transport.h"

namespace keelson {

// The server does not serve that kind or resource now.
class NoMatchDetail : public ErrorDetail {};
inline bool IsNoMatch(const Error& error) { return error.detail<NoMatchDetail>() != nullptr; }

// Thread-safe. Of many callers that need an answer of the server one asks and the others wait, each as long as its own
// scope lets it.
class RestMapper {
 public:
  using Fetch = std::function<Result<Served>(const CallScope& scope)>;

  // Unknown names make it ask again at most `kBurst` times at once and then once in `kInterval`.
  static constexpr int kBurst = 5;
  static constexpr Duration kInterval = std::chrono::seconds(1);

  explicit RestMapper(Fetch fetch);
  ~RestMapper();

  Result<Resource> ResourceOf(const GroupVersionKind& kind, const CallScope& scope = {}) const;
  // In the group's preferred version that has it.
  Result<Resource> ResourceOf(const GroupKind& kind, const CallScope& scope = {}) const;
  Result<Resource> ResourceOf(const GroupVersionResource& resource, const CallScope& scope = {}) const;
  // By plural, singular, short name or kind, in any case, with group and version where given: "deploy", "Deployment",
  // "deployments.apps", "deployments.v1.apps". Of several groups the server's first counts, of several versions the
  // preferred one.
  Result<Resource> Find(std::string_view text, const CallScope& scope = {}) const;
  // Everything that was found out last, asking the server if that was never.
  Result<std::shared_ptr<const Served>> All(const CallScope& scope = {}) const;

  // The next question asks the server.
  void Forget();

 private:
  struct Index;
  using Lookup = std::function<const Resource*(const Index& index)>;

  Result<Resource> LookUp(const std::string& what, const CallScope& scope, const Lookup& lookup) const;
  // An index newer than `seen`, which may be null; `seen` itself when it is too early to ask again.
  Result<std::shared_ptr<const Index>> Newer(const std::shared_ptr<const Index>& seen, const CallScope& scope) const;
  bool MayAsk() const;

  const Fetch fetch_;

  mutable Mutex mutex_{"rest mapper"};
  mutable CondVar changed_;
  // Guarded by mutex_.
  mutable std::shared_ptr<const Index> index_;
  mutable bool asking_ = false;
  mutable int tokens_ = kBurst;
  mutable TimePoint refilled_{};
};

}  // namespace keelson
