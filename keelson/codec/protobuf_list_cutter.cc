#include "keelson/codec/protobuf_list_cutter.h"

#include <algorithm>
#include <utility>

#include "keelson/codec/internal/protobuf_scalars.h"
#include "keelson/codec/protobuf_envelope.h"
#include "keelson/codec/protobuf_reader.h"

namespace keelson {

namespace {

using internal::WireType;
using Input = internal::ProtobufInput;

// For everything but items: names, the list's metadata.
constexpr size_t kMaxHeadBytes = size_t{1} << 20;
constexpr size_t kMaxHeaderBytes = 2 * internal::kMaxVarintBytes;

// Fields of the envelope and of the list in it.
constexpr uint32_t kTypeMeta = 1;
constexpr uint32_t kRaw = 2;
constexpr uint32_t kContentEncoding = 3;
constexpr uint32_t kListMeta = 1;
constexpr uint32_t kItem = 2;

Error Malformed(std::string reason) {
  return Error::InvalidArgument("cannot read a list from protobuf: " + std::move(reason));
}

Input InputOf(std::string_view bytes) {
  const auto* at = reinterpret_cast<const uint8_t*>(bytes.data());
  return {at, at + bytes.size()};
}

}  // namespace

Result<void> ProtobufListCutter::Feed(std::string_view bytes) {
  while (status_ && !bytes.empty()) status_ = Step(bytes);
  return status_;
}

Result<ListHead> ProtobufListCutter::Finish() {
  KEELSON_RETURN_IF_ERROR(status_);
  if (state_ != State::kHeader || !partial_.empty() || in_list_) {
    return Malformed(in_list_ ? "the body ended " + std::to_string(list_left_) + " bytes before its list did"
                              : "the body ended in the middle of a field");
  }
  if (!has_list_) return Malformed("the body holds no list");
  if (!content_encoding_.empty()) return Malformed("expected no content encoding, found \"" + content_encoding_ + "\"");
  KEELSON_RETURN_IF_ERROR(CheckKind());
  return std::move(head_);
}

Result<void> ProtobufListCutter::Step(std::string_view& bytes) {
  switch (state_) {
    case State::kMagic: return ReadMagic(bytes);
    case State::kHeader: return ReadHeader(bytes);
    case State::kPayload: return ReadPayload(bytes);
    case State::kSkipped: break;
  }
  field_left_ -= Consume(bytes, std::min<uint64_t>(bytes.size(), field_left_)).size();
  if (field_left_ == 0) state_ = State::kHeader;
  if (in_list_ && list_left_ == 0) in_list_ = false;
  return {};
}

std::string_view ProtobufListCutter::Consume(std::string_view& bytes, size_t count) {
  const std::string_view part = bytes.substr(0, count);
  bytes.remove_prefix(count);
  if (in_list_) list_left_ -= count;
  return part;
}

Result<void> ProtobufListCutter::ReadMagic(std::string_view& bytes) {
  partial_ += Consume(bytes, std::min(bytes.size(), kProtobufMagic.size() - partial_.size()));
  if (!kProtobufMagic.starts_with(partial_)) {
    return Malformed("expected a body that begins with \"k8s\\0\", found something else");
  }
  if (partial_.size() < kProtobufMagic.size()) return {};
  partial_.clear();
  state_ = State::kHeader;
  return {};
}

// Byte by byte: headers are a few bytes in front of many. A number without a length is read as a part of the header.
Result<void> ProtobufListCutter::ReadHeader(std::string_view& bytes) {
  partial_ += Consume(bytes, 1);
  if ((partial_.back() & 0x80) == 0) {  // a varint has ended
    const Input in = InputOf(partial_);
    uint32_t tag = 0;
    const uint8_t* next = internal::ReadTag(in.at, in.end, &tag);
    if (next == nullptr) return Malformed("expected a field's tag, found bytes that are none");
    const WireType wire = internal::WireTypeOf(tag);
    uint64_t length = 0;
    bool complete = true;
    if (wire == WireType::kBytes || wire == WireType::kVarint) {
      complete = next != in.end;
      if (complete && internal::ReadVarint(next, in.end, &length) == nullptr) {
        return Malformed("field " + std::to_string(internal::FieldNumber(tag)) + " has a malformed length or number");
      }
    }
    if (complete) {
      partial_.clear();
      return BeginField(tag, length);
    }
  }
  if (partial_.size() >= kMaxHeaderBytes)
    return Malformed("expected a field's tag and length, found bytes that are none");
  if (in_list_ && list_left_ == 0) return Malformed("the list ended in the middle of a field");
  return {};
}

Result<void> ProtobufListCutter::BeginField(uint32_t tag, uint64_t length) {
  const WireType wire = internal::WireTypeOf(tag);
  field_ = internal::FieldNumber(tag);
  if (wire == WireType::kGroupStart || wire == WireType::kGroupEnd || wire > WireType::kFixed32) {
    return Malformed("field " + std::to_string(field_) + " has wire type " +
                     std::to_string(static_cast<uint32_t>(wire)) + ", which is not used here");
  }
  field_left_ = wire == WireType::kBytes ? length : wire == WireType::kFixed64 ? 8 : wire == WireType::kFixed32 ? 4 : 0;
  if (in_list_ && field_left_ > list_left_) {
    return Malformed("field " + std::to_string(field_) + " reaches beyond the end of its list");
  }
  const bool wanted = in_list_ ? field_ == kListMeta || field_ == kItem
                               : field_ == kTypeMeta || field_ == kRaw || field_ == kContentEncoding;
  if (wanted && wire != WireType::kBytes) {
    return Malformed("expected bytes with a length in field " + std::to_string(field_) + ", found wire type " +
                     std::to_string(static_cast<uint32_t>(wire)));
  }
  if (!in_list_ && field_ == kRaw) {
    if (std::exchange(has_list_, true)) return Malformed("expected one list, found a second one");
    KEELSON_RETURN_IF_ERROR(CheckKind());
    in_list_ = length > 0;
    list_left_ = length;
    return {};
  }
  const bool is_item = in_list_ && field_ == kItem;
  const size_t limit = is_item ? max_item_bytes_ : kMaxHeadBytes;
  if (wanted && field_left_ > limit) {
    return Malformed(std::string(is_item ? "an item" : "the list's head") + " has " + std::to_string(field_left_) +
                     " bytes, more than the limit of " + std::to_string(limit));
  }
  state_ = wanted ? State::kPayload : State::kSkipped;
  if (field_left_ > 0) return {};
  std::string_view nothing;
  return Step(nothing);
}

// A Status that answers in place of a list would be taken for a list of one item otherwise.
Result<void> ProtobufListCutter::CheckKind() {
  if (head_.kind.empty() || head_.kind.ends_with("List")) return {};
  return Malformed("expected a list, found " + head_.api_version + " " + head_.kind);
}

Result<void> ProtobufListCutter::ReadPayload(std::string_view& bytes) {
  const std::string_view part = Consume(bytes, std::min<uint64_t>(bytes.size(), field_left_));
  field_left_ -= part.size();
  if (field_left_ > 0) {
    partial_ += part;
    return {};
  }
  state_ = State::kHeader;
  Result<void> taken;
  if (partial_.empty()) {
    taken = TakePayload(part);
  } else {
    partial_ += part;
    taken = TakePayload(partial_);
    partial_.clear();
  }
  if (in_list_ && list_left_ == 0) in_list_ = false;
  return taken;
}

Result<void> ProtobufListCutter::TakePayload(std::string_view payload) {
  if (in_list_) {
    if (field_ == kItem) return handle_item_(payload);
    metav1::ListMeta part;
    KEELSON_RETURN_IF_ERROR(DecodeProtobuf(TypeOf<metav1::ListMeta>(), &part, payload));
    head_.metadata = std::move(part);
    return {};
  }
  if (field_ == kTypeMeta) return TakeTypeMeta(payload);
  content_encoding_ = payload;
  return {};
}

Result<void> ProtobufListCutter::TakeTypeMeta(std::string_view payload) {
  internal::ProtobufScalars reader;
  std::string_view api_version;
  std::string_view kind;
  const bool read =
      reader.ReadSmallMessage(InputOf(payload), [&](uint32_t number, WireType wire, Input& in, bool* known) {
        if (number == 1) return reader.ReadView(in, wire, true, &api_version) || reader.FailAt("apiVersion");
        if (number == 2) return reader.ReadView(in, wire, true, &kind) || reader.FailAt("kind");
        *known = false;
        return true;
      });
  if (!read) return Malformed(reader.Description());
  head_.api_version = api_version;
  head_.kind = kind;
  return {};
}

}  // namespace keelson
