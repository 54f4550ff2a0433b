// Cuts the JSON body of a list into its items while it arrives; never more than one item is held.
//
//   JsonListCutter cutter([&](std::string_view item) { return store.Add(item); });
//   while (Read(chunk)) KEELSON_RETURN_IF_ERROR(cutter.Feed(chunk));
//   KEELSON_TRY(header, cutter.Finish());      // kind, apiVersion, metadata: before the items in the body or behind
//   them
//
// A server may answer with 100,000 Pods in one body of 830 MB. An item that lies whole in a chunk is passed on without
// a copy; one that spans chunks is gathered first. Finding the end of an item is one pass over blocks of 64 bytes in
// which quotes, backslashes and brackets become bit masks: inside an item brackets are only counted, and looked at one
// by one where the item may end.
//
// The cutter checks the structure of the list, not that of its items: what it passes on is balanced in number of
// brackets and goes to a JSON reader, which checks the rest. Not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "keelson/api/meta/v1.h"
#include "keelson/codec/internal/json_scan.h"
#include "keelson/core/result.h"

namespace keelson {

struct JsonListCutterOptions {
  size_t max_item_bytes = size_t{64} << 20;
  size_t max_metadata_bytes = size_t{1} << 20;
  int max_depth = 500;  // of an item, or of a member that is not known and so skipped
};

struct JsonListHeader {
  String apiVersion = {};
  String kind = {};
  metav1::ListMeta metadata = {};
};

class JsonListCutter {
 public:
  // Called with each item's text, which is valid during the call only. An error ends the cutting and is given back by
  // Feed.
  using ItemFunction = std::function<Result<void>(std::string_view item)>;

  explicit JsonListCutter(ItemFunction on_item, JsonListCutterOptions options = {});

  // The next bytes of the body. After an error every further call gives the same one.
  Result<void> Feed(std::string_view chunk);
  // The end of the body.
  Result<JsonListHeader> Finish();

 private:
  enum class State : uint8_t {
    kStart,     // before the list's brace
    kFirstKey,  // behind it
    kKey,       // behind a comma
    kInKey,
    kColon,
    kValue,
    kInContainer,  // within an object or array that is passed on or skipped
    kInString,
    kInScalar,  // a number or a word
    kAfterMember,
    kFirstItem,  // behind the bracket of the items
    kItem,       // behind a comma
    kAfterItem,
    kEnd,
  };
  enum class Purpose : uint8_t { kItem, kKind, kApiVersion, kMetadata, kItems, kSkip };

  Result<void> Cut(std::string_view chunk);
  Result<void> StartValue(char first, const char* at);
  // The first byte behind the string that is open, or null when it goes on.
  const char* SkipString(const char* at, const char* end);
  Result<void> Hold(std::string_view part, const char* at);
  Result<void> EndKey(std::string_view part, const char* at);
  Result<void> EndValue(std::string_view part, const char* at);
  Error Unexpected(std::string_view expected, const char* at) const;
  Error ErrorAt(const char* at, const std::string& what) const;
  size_t MostBytes() const;

  // Constant after construction.
  const ItemFunction on_item_;
  const JsonListCutterOptions options_;

  State state_ = State::kStart;
  Purpose purpose_ = Purpose::kSkip;
  bool has_items_ = false;
  internal::JsonScanState scan_;  // of the container that is being skipped
  bool escaped_ = false;          // the next character of the string that is being skipped
  // What earlier chunks brought of the item, member or key at hand.
  std::string held_;
  const char* chunk_ = nullptr;  // the chunk at hand
  uint64_t consumed_ = 0;        // bytes in chunks before
  std::optional<Error> failure_;
  JsonListHeader header_;
};

}  // namespace keelson
