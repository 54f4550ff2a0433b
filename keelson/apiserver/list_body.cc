#include "keelson/apiserver/list_body.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "keelson/apiserver/object_codec.h"
#include "keelson/codec/json_writer.h"
#include "keelson/codec/protobuf_envelope.h"
#include "keelson/codec/protobuf_writer.h"

namespace keelson::apiserver {

namespace {

// How much of each object's encoding is not its item's, and what stands between items.
struct ItemCut {
  size_t front = 0;
  size_t back = 0;
  std::string_view first_lead = {};
  std::string_view lead = {};

  std::string_view Of(std::string_view encoded) const { return encoded.substr(front, encoded.size() - front - back); }
};

struct Wrapping {
  std::string head;
  std::string tail;
};

// An item does not repeat kind and apiVersion, with which all objects of a resource begin alike; custom objects do.
ItemCut JsonCut(const Resource& resource) {
  const size_t repeated = resource.custom != nullptr ? 1
                                                     : std::string_view("{\"kind\":\"\",\"apiVersion\":\"\",").size() +
                                                           resource.kind.size() + resource.api_version().size();
  return {.front = repeated, .first_lead = "{", .lead = ",{"};
}

Wrapping JsonWrapping(const Resource& resource, const metav1::ListMeta& meta) {
  std::string head =
      fmt::format("{{\"kind\":\"{}\",\"apiVersion\":\"{}\",\"metadata\":", resource.list_kind, resource.api_version());
  AppendJson(TypeOf<metav1::ListMeta>(), &meta, head);
  // Lists of custom objects say also that nothing follows.
  if (resource.custom != nullptr && meta.continue_.empty()) head.replace(head.size() - 1, 1, ",\"continue\":\"\"}");
  head += ",\"items\":[";
  return {.head = std::move(head), .tail = "]}"};
}

// An envelope of the kind without its message, cut where the field with the message goes.
Wrapping EnvelopeOf(std::string_view api_version, std::string_view kind) {
  constexpr std::string_view kMessage = "?";
  constexpr size_t kFieldHeader = 2;  // tag and length of so short a message
  std::string whole;
  AppendProtobufEnvelope(ProtobufEnvelope{.api_version = api_version, .kind = kind, .raw = kMessage}, whole);
  const Result<ProtobufEnvelope> opened = OpenProtobufEnvelope(std::as_const(whole));
  const auto at = static_cast<size_t>(opened->raw.data() - whole.data());
  return {.head = whole.substr(0, at - kFieldHeader), .tail = whole.substr(at + kMessage.size())};
}

// A list's items are its fields 2. The message in an object's envelope is field 2 as well, so an item is that field as
// it stands there.
constexpr char kListMeta = 0x0a;
constexpr char kMessageOrItem = 0x12;

ItemCut ProtobufCut(const Resource& resource) {
  const Wrapping envelope = EnvelopeOf(resource.api_version(), resource.kind);
  return {.front = envelope.head.size(), .back = envelope.tail.size()};
}

void AppendVarint(uint64_t value, std::string& out) {
  while (value >= 0x80) {
    out += static_cast<char>(value | 0x80);
    value >>= 7;
  }
  out += static_cast<char>(value);
}

Wrapping ProtobufWrapping(const Resource& resource, const metav1::ListMeta& meta, size_t item_bytes) {
  const std::string encoded = ToProtobuf(meta);
  std::string first;
  first += kListMeta;
  AppendVarint(encoded.size(), first);
  first += encoded;
  Wrapping wrapping = EnvelopeOf(resource.api_version(), resource.list_kind);
  wrapping.head += kMessageOrItem;
  AppendVarint(first.size() + item_bytes, wrapping.head);
  wrapping.head += first;
  return wrapping;
}

class ListBody final : public BodySource {
 public:
  ListBody(ResourcePtr resource, std::vector<ObjectPtr> items, const metav1::ListMeta& meta, Format format)
      : resource_(std::move(resource)),
        items_(std::move(items)),
        protobuf_(format == Format::kProtobuf),
        cut_(protobuf_ ? ProtobufCut(*resource_) : JsonCut(*resource_)) {
    EncodeOthers();
    for (size_t i = 0; i < items_.size(); ++i) {
      size_ += LeadOf(i).size() + cut_.Of(Encoded(i)).size();
    }
    wrapping_ = protobuf_ ? ProtobufWrapping(*resource_, meta, size_) : JsonWrapping(*resource_, meta);
    size_ += wrapping_.head.size() + wrapping_.tail.size();
    piece_ = wrapping_.head;
  }

  size_t size() const override { return size_; }

  void Read(size_t max, std::string& out) override {
    size_t left = std::min(max, size_);
    size_ -= left;
    while (left > 0) {
      if (piece_.empty()) NextPiece();
      const std::string_view part = piece_.substr(0, left);
      out += part;
      piece_.remove_prefix(part.size());
      left -= part.size();
    }
  }

 private:
  // The encodings that are not there yet.
  void EncodeOthers() {
    const auto stored = [&](const ObjectPtr& item) { return resource_->ServedAsStored(*item); };
    if (!std::all_of(items_.begin(), items_.end(), stored)) {
      made_.reserve(items_.size());
      for (const ObjectPtr& item : items_) {
        made_.push_back(protobuf_ ? ServedProtobuf(*resource_, *item) : ServedJson(*resource_, *item));
      }
    } else if (protobuf_) {
      for (const ObjectPtr& item : items_) {
        if (item->protobuf().empty()) ServedProtobuf(*resource_, *item);
      }
    }
  }

  std::string_view Encoded(size_t i) const {
    if (!made_.empty()) return made_[i];
    return protobuf_ ? items_[i]->protobuf() : items_[i]->json().view();
  }
  std::string_view LeadOf(size_t i) const { return i == 0 ? cut_.first_lead : cut_.lead; }

  void NextPiece() {
    if (next_ == items_.size()) {
      piece_ = wrapping_.tail;
    } else if (!std::exchange(led_, true)) {
      piece_ = LeadOf(next_);
    } else {
      piece_ = cut_.Of(Encoded(next_));
      ++next_;
      led_ = false;
    }
  }

  const ResourcePtr resource_;
  const std::vector<ObjectPtr> items_;
  const bool protobuf_;
  const ItemCut cut_;
  std::vector<String> made_;  // of all items, where some are not served as they are stored
  Wrapping wrapping_;
  size_t size_ = 0;  // what is left

  std::string_view piece_;  // what comes next
  size_t next_ = 0;         // the item behind it
  bool led_ = false;        // what stands before that item has been
};

}  // namespace

std::unique_ptr<BodySource> MakeListBody(ResourcePtr resource, std::vector<ObjectPtr> items,
                                         const metav1::ListMeta& meta, Format format) {
  return std::make_unique<ListBody>(std::move(resource), std::move(items), meta, format);
}

}  // namespace keelson::apiserver
