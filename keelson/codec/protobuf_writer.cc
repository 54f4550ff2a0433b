#include "keelson/codec/protobuf_writer.h"

#include <bit>
#include <unordered_set>
#include <utility>
#include <vector>

#include "keelson/api/access.h"
#include "keelson/api/values.h"
#include "keelson/codec/internal/protobuf_wire.h"
#include "keelson/codec/internal/unknown_path.h"

namespace keelson {

namespace {

using internal::BackwardWriter;
using internal::MapEntrySize;
using internal::Node;
using internal::SlotSize;
using internal::WireType;

const Node* NodeAt(const void* slot) { return *static_cast<Node* const*>(slot); }

// From a slot to the value in it: structs have a node of their own.
const void* InSlot(const Type& element, const std::byte* slot) {
  return element.is_struct() ? static_cast<const void*>(NodeAt(slot)->payload()) : slot;
}

// The unknown fields of one root object, and the path to the message being written. Only looked at when there are any.
struct UnknownContext {
  const UnknownFields* fields = nullptr;
  std::string path;
  std::unordered_set<const Bytes*> written;  // of two elements with the same key only one gets them

  std::string_view Take() {
    const Bytes* bytes = fields->find(path + internal::kProtobufMark);
    return bytes != nullptr && written.insert(bytes).second ? bytes->view() : std::string_view();
  }
};

// Adds a step to the path for as long as it lives, when anybody wants the path.
class PathStep {
 public:
  explicit PathStep(UnknownContext* context)
      : context_(context), size_(context == nullptr ? 0 : context->path.size()) {}
  PathStep(const PathStep&) = delete;
  PathStep& operator=(const PathStep&) = delete;
  ~PathStep() {
    if (context_ != nullptr) context_->path.resize(size_);
  }

 private:
  UnknownContext* context_;
  size_t size_;
};

class Writer {
 public:
  explicit Writer(BackwardWriter& out) : out_(out) {}

  void WriteStruct(const Type& type, const void* value) {
    // The outermost object with an ObjectMeta keeps the unknown fields of everything inside.
    const UnknownFields* unknown = nullptr;
    if (type.is_root() && !has_owner_) unknown = internal::FindUnknownFields(type, value);
    if (unknown == nullptr) return WriteMessage(type, *type.message, value);
    UnknownContext context = {.fields = unknown, .path = {}, .written = {}};
    has_owner_ = true;
    if (!unknown->empty()) context_ = &context;
    WriteMessage(type, *type.message, value);
    context_ = nullptr;
    has_owner_ = false;
  }

 private:
  void WriteMessage(const Type& type, const Message& message, const void* value) {
    if (context_ != nullptr) out_.Prepend(context_->Take());
    for (size_t i = message.rows.size(); i-- > 0;) {
      const MessageRow& row = message.rows[i];
      PathStep step(context_);
      if (row.nested != nullptr) {
        if (context_ != nullptr) internal::AppendFieldStep(context_->path, "#" + std::to_string(row.number));
        const size_t mark = out_.size();
        WriteMessage(type, *row.nested, value);
        out_.PrependHeader(row.number, mark);
        continue;
      }
      const Field& field = type.fields[row.field];
      if (context_ != nullptr) internal::AppendFieldStep(context_->path, field.name);
      const void* member = ReadField(field, value);
      switch (field.type->kind) {
        case Kind::kList:
          if (field.type->wrapped) {
            if (Length(*field.type, member) != 0) WriteValue(row.number, *field.type, member);
          } else {
            WriteList(row.number, field, member);
          }
          break;
        case Kind::kMap: WriteMap(row.number, *field.type, member); break;
        case Kind::kBytes:
          if (!ReadString(*field.type, member).empty()) WriteValue(row.number, *field.type, member);
          break;
        case Kind::kOptional:
          if (const void* present = ReadOptional(*field.type, member)) {
            WriteValue(row.number, *field.type->element, present);
          }
          break;
        default: WriteValue(row.number, *field.type, member);
      }
    }
  }

  // A field with one value, also when that is empty.
  void WriteValue(uint32_t number, const Type& type, const void* value) {
    switch (type.kind) {
      case Kind::kBool:
        out_.PrependByte(*static_cast<const bool*>(value) ? 1 : 0);
        return out_.PrependTag(number, WireType::kVarint);
      case Kind::kInt32: return WriteInteger(number, *static_cast<const int32_t*>(value));
      case Kind::kInt64: return WriteInteger(number, *static_cast<const int64_t*>(value));
      case Kind::kDouble:
        out_.PrependFixed64(std::bit_cast<uint64_t>(*static_cast<const double*>(value)));
        return out_.PrependTag(number, WireType::kFixed64);
      case Kind::kString:
      case Kind::kBytes: return out_.PrependBytesField(number, ReadString(type, value));
      default: break;
    }
    const size_t mark = out_.size();
    switch (type.kind) {
      case Kind::kTime: {
        const auto& time = *static_cast<const metav1::Time*>(value);
        if (!time.IsZero()) WriteTimestamp(time.unix_seconds(), 0);
        break;
      }
      case Kind::kMicroTime: {
        const auto& time = *static_cast<const metav1::MicroTime*>(value);
        const int64_t seconds = internal::FloorDivide(time.unix_microseconds(), 1'000'000);
        const auto micros = static_cast<int64_t>(static_cast<uint64_t>(time.unix_microseconds()) -
                                                 static_cast<uint64_t>(seconds) * 1'000'000);
        if (!time.IsZero()) WriteTimestamp(seconds, micros * 1000);
        break;
      }
      case Kind::kDuration: WriteInteger(1, static_cast<const metav1::Duration*>(value)->nanoseconds()); break;
      case Kind::kQuantity: {
        char text[Quantity::kMaxTextLength];
        const size_t length = static_cast<const Quantity*>(value)->Print(text);
        out_.PrependBytesField(1, {text, length});
        break;
      }
      case Kind::kIntOrString: {
        const auto& number_or_text = *static_cast<const IntOrString*>(value);
        out_.PrependBytesField(3, number_or_text.text());
        WriteInteger(2, number_or_text.number());
        WriteInteger(1, number_or_text.is_string() ? 1 : 0);
        break;
      }
      case Kind::kRawExtension:
        if (const std::string_view raw = ReadString(type, value); !raw.empty()) out_.PrependBytesField(1, raw);
        break;
      case Kind::kFieldsV1: WriteFieldsV1(*static_cast<const FieldsV1*>(value)); break;
      case Kind::kList:  // a wrapped one: others are fields, not values
        for (size_t i = Length(type, value); i-- > 0;) WriteValue(1, *type.element, ReadElement(type, value, i));
        break;
      case Kind::kStruct:
      case Kind::kUnion:
        if (type.message == nullptr) return;
        WriteStruct(type, value);
        break;
      default: return;  // no protobuf form
    }
    out_.PrependHeader(number, mark);
  }

  void WriteInteger(uint32_t number, int64_t value) {
    out_.PrependVarint(static_cast<uint64_t>(value));
    out_.PrependTag(number, WireType::kVarint);
  }

  void WriteTimestamp(int64_t seconds, int64_t nanoseconds) {
    WriteInteger(2, nanoseconds);
    WriteInteger(1, seconds);
  }

  void WriteFieldsV1(const FieldsV1& fields) {
    if (fields.empty()) return;
    const size_t mark = out_.size();
    const List<String>& pieces = fields.pieces();
    for (size_t i = pieces.size(); i-- > 0;) out_.Prepend(pieces[i]);
    out_.PrependHeader(1, mark);
  }

  void WriteList(uint32_t number, const Field& field, const void* value) {
    const Type& type = *field.type;
    const Type& element = *type.element;
    for (size_t i = Length(type, value); i-- > 0;) {
      const void* item = ReadElement(type, value, i);
      PathStep step(context_);
      if (context_ != nullptr) internal::AppendElementStep(context_->path, field, element, item, i);
      WriteValue(number, element, item);
    }
  }

  void WriteMap(uint32_t number, const Type& type, const void* value) {
    const Type& element = *type.element;
    if (type.ops != nullptr) {
      std::vector<std::pair<std::string_view, const void*>> entries;
      ForEachEntry(type, value, [&](std::string_view key, const void* item) {
        entries.emplace_back(key, item);
        return true;
      });
      for (size_t i = entries.size(); i-- > 0;) WriteEntry(number, entries[i].first, element, entries[i].second);
      return;
    }
    const Node* node = NodeAt(value);
    if (node == nullptr) return;
    const size_t step = MapEntrySize(element);
    for (size_t i = node->length(); i-- > 0;) {
      const std::byte* entry = node->payload() + i * step;
      WriteEntry(number, reinterpret_cast<const String*>(entry)->view(), element,
                 InSlot(element, entry + sizeof(Node*)));
    }
  }

  void WriteEntry(uint32_t number, std::string_view key, const Type& element, const void* item) {
    PathStep step(context_);
    if (context_ != nullptr) internal::AppendEntryStep(context_->path, key);
    const size_t mark = out_.size();
    WriteValue(2, element, item);
    out_.PrependBytesField(1, key);
    out_.PrependHeader(number, mark);
  }

  BackwardWriter& out_;
  bool has_owner_ = false;             // of the unknown fields at hand
  UnknownContext* context_ = nullptr;  // set when it has any
};

}  // namespace

namespace internal {

void PrependProtobuf(const Type& type, const void* value, BackwardWriter& out) {
  if (type.message != nullptr) Writer(out).WriteStruct(type, value);
}

}  // namespace internal

void AppendProtobuf(const Type& type, const void* value, std::string& out) {
  BackwardWriter writer(out);
  internal::PrependProtobuf(type, value, writer);
  writer.Finish();
}

}  // namespace keelson
