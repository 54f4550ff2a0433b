// Cuts the body of a list into its items while it arrives, so that a list of any length is never held whole.
//
//   ProtobufListCutter cutter([&](std::string_view item) { return Add(item); });
//   while (…) KEELSON_RETURN_IF_ERROR(cutter.Feed(chunk));
//   KEELSON_TRY(list, cutter.Finish());
//   Use(list.metadata.resourceVersion);
//
// A body is a protobuf envelope (protobuf_envelope.h) around {1: ListMeta, 2: item, 2: item, …}. The list's metadata
// may stand before or behind the items; both the envelope and the list may hold unknown fields, which are skipped. At
// most one item is held, and that only when it arrives in more than one part.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "keelson/api/meta/v1.h"
#include "keelson/core/result.h"

namespace keelson {

// What a list says beside its items.
struct ListHead {
  std::string api_version;
  std::string kind;  // "PodList"
  metav1::ListMeta metadata;
};

class ProtobufListCutter {
 public:
  // What to do with the message of an item; the view is good during the call. An error ends the reading.
  using ItemHandler = std::function<Result<void>(std::string_view item)>;

  explicit ProtobufListCutter(ItemHandler handle_item, size_t max_item_bytes = size_t{64} << 20)
      : handle_item_(std::move(handle_item)), max_item_bytes_(max_item_bytes) {}

  // After an error the cutter gives the same error for whatever else arrives.
  Result<void> Feed(std::string_view bytes);
  // At the end of the body: an error when it is not whole.
  Result<ListHead> Finish();

 private:
  enum class State : uint8_t {
    kMagic,
    kHeader,   // between fields, or in a tag and length
    kPayload,  // in a value that is wanted whole
    kSkipped,  // in one that is not
  };

  Result<void> Step(std::string_view& bytes);
  Result<void> ReadMagic(std::string_view& bytes);
  Result<void> ReadHeader(std::string_view& bytes);
  Result<void> BeginField(uint32_t tag, uint64_t length);
  Result<void> CheckKind();
  Result<void> ReadPayload(std::string_view& bytes);
  Result<void> TakePayload(std::string_view payload);
  Result<void> TakeTypeMeta(std::string_view payload);
  std::string_view Consume(std::string_view& bytes, size_t count);

  const ItemHandler handle_item_;
  const size_t max_item_bytes_;

  State state_ = State::kMagic;
  bool in_list_ = false;    // inside the envelope's raw message
  bool has_list_ = false;   // or behind it
  uint64_t list_left_ = 0;  // bytes of it still to come
  uint32_t field_ = 0;      // number of the one being read
  uint64_t field_left_ = 0;
  std::string partial_;  // of a header or payload that has begun
  ListHead head_;
  std::string content_encoding_;
  Result<void> status_;
};

}  // namespace keelson
