// The options of requests, read from the query and, for deletions, the body; checked as a Kubernetes server checks
// them.
#pragma once

#include <optional>
#include <string>

#include "keelson/api/field_selector.h"
#include "keelson/api/label_selector.h"
#include "keelson/api/meta/v1.h"
#include "keelson/apiserver/exchange.h"
#include "keelson/apiserver/object_codec.h"
#include "keelson/apiserver/store/store.h"
#include "keelson/core/result.h"

namespace keelson::apiserver {

struct WriteOptions {
  bool dry_run = false;
  FieldValidation field_validation = FieldValidation::kWarn;
  std::string field_manager = {};
  std::optional<bool> force = {};  // of a patch
  // metadata.managedFields of the object are as they shall be: it comes from server-side apply.
  bool fields_are_tracked = false;
};

enum class WriteVerb : uint8_t { kCreate, kUpdate, kPatch };
Result<WriteOptions> ReadWriteOptions(const Query& query, WriteVerb verb, std::optional<PatchKind> patch = {});

// By which name who writes manages fields: as asked for, else the beginning of the User-Agent.
std::string ManagerOf(const Exchange& exchange, const WriteOptions& options);

struct DeleteOptions {
  bool dry_run = false;
  std::optional<int64_t> grace_seconds = {};
  std::optional<std::string> uid = {};
  std::optional<std::string> resource_version = {};
  std::optional<bool> orphan_dependents = {};
  std::optional<std::string> propagation = {};  // "Orphan", "Background", "Foreground"
};
Result<DeleteOptions> ReadDeleteOptions(Exchange& exchange);

struct ListOptions {
  labels::Selector labels = {};
  fields::Selector fields = {};
  std::optional<std::string> resource_version = {};  // as given, empty counts as absent
  Revision revision = 0;                             // its number; 0: absent or "0"
  std::string match = {};                            // "", "Exact", "NotOlderThan"
  size_t limit = 0;
  std::string continue_token = {};
  std::optional<int64_t> timeout_seconds = {};
  bool allow_bookmarks = false;
  std::optional<bool> send_initial_events = {};
};
Result<ListOptions> ReadListOptions(const Exchange& exchange, bool watch);

// Whether an object is one that the selectors ask for.
bool Selects(const Resource& resource, const ListOptions& options, const StoredObject& object);

// A resource version's number. Error: 400 in Go's words.
Result<Revision> ParseRevision(std::string_view text);
// What a get or a watch makes of one that is no number: 500, other than a list.
Error UnreadableRevision(std::string_view text);
Error TooLargeRevision(Revision asked, Revision current);

}  // namespace keelson::apiserver
