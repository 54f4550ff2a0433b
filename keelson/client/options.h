// What a call may be told beside its object, each with a default that works.
//
//   client.List<corev1::Pod>({.namespace_ = "default", .labels = *labels::Parse("app=web")});
//   client.Delete<corev1::Pod>(key, {.grace_period = 0s, .propagation = Propagation::kForeground});
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "keelson/api/field_selector.h"
#include "keelson/api/label_selector.h"
#include "keelson/api/object_key.h"
#include "keelson/client/paths.h"
#include "keelson/codec/kept_versions.h"
#include "keelson/transport/transport.h"

namespace keelson {

// How a resource version given to a list is meant. See Kubernetes' "resource versions".
enum class VersionMatch : uint8_t { kDefault, kExact, kNotOlderThan };

// What the server does with fields that it does not know or that come twice.
enum class FieldValidation : uint8_t { kDefault, kIgnore, kWarn, kStrict };

// What becomes of the objects that a deleted one owns.
enum class Propagation : uint8_t {
  kDefault,     // the resource decides
  kBackground,  // they are deleted later
  kForeground,  // they are deleted before it
  kOrphan,      // they stay
};

struct GetOptions {
  // "": the latest. "0": whatever the server has at hand. Else: not older than that.
  std::string resource_version = {};
  CallScope scope = {};
};

struct ListOptions {
  std::string namespace_ = {};  // empty: the client's, or all
  labels::Selector labels = {};
  fields::Selector fields = {};
  std::string resource_version = {};
  VersionMatch version_match = VersionMatch::kDefault;
  // Objects in one answer; List asks until it has all. 0: all in one, which a server gives at resource version "0"
  // anyway. Either way the answer is decoded as it arrives and never held whole.
  int64_t page_size = 500;
  std::string continue_token = {};  // where an earlier list left off
  std::chrono::seconds server_timeout{0};
  // For a cache: equal parts are stored once (api/sharing.h), and what is as it was in the version before is taken over
  // from that. Must outlive the call.
  KeptVersions* versions = nullptr;
  CallScope scope = {};
};

struct WatchOptions {
  std::string namespace_ = {};  // empty: the client's, or all
  std::string name = {};        // only this object
  labels::Selector labels = {};
  fields::Selector fields = {};
  // Changes after it; "": first the present objects as ADDED, then changes.
  std::string resource_version = {};
  VersionMatch version_match = VersionMatch::kDefault;
  bool bookmarks = true;
  // First every object as ADDED, then a bookmark annotated k8s.io/initial-events-end (a list by watch).
  bool initial_events = false;
  std::chrono::seconds server_timeout{0};  // after which the server ends the watch; 0: when it likes
  KeptVersions* versions = nullptr;        // as in ListOptions; must outlive the watch
  CallScope scope = {};                    // the deadline is that of the whole watch
};

struct WriteOptions {
  bool dry_run = false;
  std::string field_manager = {};  // empty: the client's
  FieldValidation field_validation = FieldValidation::kDefault;
  CallScope scope = {};
};
using CreateOptions = WriteOptions;
using UpdateOptions = WriteOptions;

struct PatchOptions {
  bool dry_run = false;
  std::string field_manager = {};  // empty: the client's. Server-side apply needs one of the two.
  bool force = false;              // server-side apply: take fields from other managers instead of a conflict
  FieldValidation field_validation = FieldValidation::kDefault;
  CallScope scope = {};
};
using ApplyOptions = PatchOptions;

struct DeleteOptions {
  std::optional<std::chrono::seconds> grace_period = {};
  // The object is deleted only if it still has these; else a conflict.
  std::string uid = {};
  std::string resource_version = {};
  Propagation propagation = Propagation::kDefault;
  bool dry_run = false;
  CallScope scope = {};
};

struct DeleteAllOptions {
  std::string namespace_ = {};  // empty: the client's; one is needed for namespaced resources
  labels::Selector labels = {};
  fields::Selector fields = {};
  std::optional<std::chrono::seconds> grace_period = {};
  Propagation propagation = Propagation::kDefault;
  bool dry_run = false;
  CallScope scope = {};
};

namespace internal {

Query ToQuery(const GetOptions& options);
Query ToQuery(const ListOptions& options);
Query ToQuery(const WatchOptions& options);
Query ToQuery(const WriteOptions& options);
Query ToQuery(const PatchOptions& options);
// Of deletecollection: selectors only; the rest is in the body.
Query ToQuery(const DeleteAllOptions& options);
// metav1::DeleteOptions as JSON.
std::string ToBody(const DeleteOptions& options);
std::string ToBody(const DeleteAllOptions& options);
// A selector that nothing can match must not become "", which everything matches.
Result<void> CheckSelectors(const labels::Selector& labels, const fields::Selector& fields);

}  // namespace internal
}  // namespace keelson
