#include "keelson/codec/json_writer.h"

#include <charconv>
#include <cstring>
#include <stdexcept>

#include "keelson/api/access.h"
#include "keelson/api/values.h"
#include "keelson/codec/internal/base64.h"
#include "keelson/codec/internal/unknown_path.h"
#include "keelson/codec/json_scalars.h"

namespace keelson {

namespace {

using internal::MapEntrySize;
using internal::Node;
using internal::SlotSize;

// Deeper than any reader accepts; a value built by hand can be as deep as memory allows, the stack cannot.
constexpr int kMaxDepth = 2'000;

// Of a list that is not the value of a struct's field: its elements are named by position.
constexpr Field kNoField = {.name = {}, .type = nullptr, .offset = 0};

const Node* NodeAt(const void* slot) { return *static_cast<const Node* const*>(slot); }

// ReadOptional, in line for our own.
inline const void* PresentValue(const Type& type, const void* value) {
  if (type.storage == Storage::kNode && type.element->is_struct()) {
    const Node* node = NodeAt(value);
    return node == nullptr ? nullptr : node->payload();
  }
  if (type.storage == Storage::kInline) {
    return static_cast<const std::byte*>(value)[type.element->size] == std::byte{0} ? nullptr : value;
  }
  return ReadOptional(type, value);
}

// IsEmpty, with the cases that fill most of an object in line.
inline bool LeftOut(const Field& field, const Type& type, const void* value) {
  if (field.omit_zero) return IsZero(type, value);
  if (!field.omit_empty) return false;
  switch (type.kind) {
    case Kind::kString:
    case Kind::kBytes:
    case Kind::kList:
    case Kind::kMap:
      if (type.storage != Storage::kNode) break;
      return NodeAt(value) == nullptr || NodeAt(value)->length() == 0;
    case Kind::kOptional: return PresentValue(type, value) == nullptr;
    case Kind::kBool: return !*static_cast<const bool*>(value);
    case Kind::kInt32: return *static_cast<const int32_t*>(value) == 0;
    default: break;
  }
  return IsEmpty(type, value);
}

// Copies a short text with a few wide moves. `to` has room for 16 bytes or the text, whichever is more.
inline char* CopyShort(char* to, std::string_view text) {
  const size_t size = text.size();
  const char* from = text.data();
  if (size > 16) {
    std::memcpy(to, from, size);
  } else if (size >= 8) {
    std::memcpy(to, from, 8);
    std::memcpy(to + size - 8, from + size - 8, 8);
  } else if (size >= 4) {
    std::memcpy(to, from, 4);
    std::memcpy(to + size - 4, from + size - 4, 4);
  } else {
    for (size_t i = 0; i < size; ++i) to[i] = from[i];
  }
  return to + size;
}

// Fills a buffer on the stack and empties it into `out` when it is full, so that the text of an object is copied once
// more but never grown.
class Writer {
 public:
  Writer(std::string& out, bool null_when_empty) : out_(out), null_when_empty_(null_when_empty) {}

  void WriteTop(const Type& type, const void* value) {
    if (type.kind == Kind::kStruct) {
      WriteStruct(type, value, true);
    } else {
      WriteValue(type, value);
    }
    Flush();
  }

 private:
  static constexpr size_t kBufferSize = 16 << 10;
  static constexpr size_t kSmall = 128;  // room for any number, time, quantity, or several punctuation marks
  static constexpr size_t kTextChunk = 1 << 11;
  static_assert(internal::kMaxEscapedLength(kTextChunk) + kSmall < kBufferSize);

  void Flush() {
    out_.append(buffer_, static_cast<size_t>(at_ - buffer_));
    at_ = buffer_;
  }
  // Makes room for `size` bytes, which is less than the buffer.
  void Reserve(size_t size) {
    if (static_cast<size_t>(buffer_ + kBufferSize - at_) < size) [[unlikely]]
      Flush();
  }
  void Put(char c) { *at_++ = c; }
  void PutShort(std::string_view text) { at_ = CopyShort(at_, text); }
  void PutBytes(std::string_view bytes) {
    if (bytes.size() >= kBufferSize - kSmall) {
      Flush();
      out_ += bytes;
    } else {
      Reserve(bytes.size() + kSmall);
      PutShort(bytes);
    }
  }

  // Leaves room for kSmall behind it.
  void PutString(std::string_view text) {
    if (text.size() <= kTextChunk) [[likely]] {
      Reserve(internal::kMaxEscapedLength(text.size()) + kSmall);
      Put('"');
      at_ = internal::WriteEscaped(at_, text);
      Put('"');
      return;
    }
    Flush();
    AppendJsonString(text, out_);
  }

  // `,"name":`; the first of an object with its brace in place of the comma. Names of fields need no escapes.
  void PutKey(char separator, std::string_view name) {
    Reserve(name.size() + kSmall);
    Put(separator);
    Put('"');
    PutShort(name);
    at_[0] = '"';
    at_[1] = ':';
    at_ += 2;
  }

  void WriteStruct(const Type& type, const void* value, bool top) {
    if (++depth_ > kMaxDepth) throw std::length_error("AppendJson: the value is nested deeper than 2000 levels");
    // The outermost object with an ObjectMeta keeps what is not known anywhere inside.
    const bool becomes_owner = !has_owner_ && type.is_root() && FindOwnUnknown(type, value);
    char separator = '{';
    if (top && type.is_root()) separator = WriteTypeMeta(type);
    for (const Field& field : type.fields) {
      const Type& field_type = *field.type;
      const void* field_value = ReadField(field, value);
      if (LeftOut(field, field_type, field_value) || field.name.empty()) continue;
      PutKey(separator, field.name);
      separator = ',';
      if (field_type.kind == Kind::kString) {
        WriteText(field_type, field_value);
      } else if (unknown_ == nullptr) [[likely]] {
        WriteValue(field_type, field_value, field);
      } else {
        const size_t length = path_.size();
        internal::AppendFieldStep(path_, field.name);
        WriteValue(field_type, field_value, field);
        path_.resize(length);
      }
    }
    if (unknown_ != nullptr) [[unlikely]]
      separator = WriteUnknown(separator);
    Reserve(kSmall);
    if (separator == '{') Put('{');
    Put('}');
    if (becomes_owner) {
      has_owner_ = false;
      unknown_ = nullptr;
    }
    --depth_;
  }

  bool FindOwnUnknown(const Type& type, const void* value) {
    const UnknownFields* fields = internal::FindUnknownFields(type, value);
    if (fields == nullptr) return false;
    has_owner_ = true;
    if (!fields->empty()) unknown_ = fields;
    return true;
  }

  char WriteTypeMeta(const Type& type) {
    PutKey('{', "kind");
    PutString(type.object_kind);
    PutKey(',', "apiVersion");
    if (type.group.empty()) {
      PutString(type.version);
    } else {
      std::string version(type.group);
      version += '/';
      version += type.version;
      PutString(version);
    }
    return ',';
  }

  // The fields that were read with the struct at path_ and that its type does not have.
  char WriteUnknown(char separator) {
    const std::string prefix = path_ + internal::kJsonMark;
    for (const auto& [key, text] : *unknown_) {
      const std::string_view name = key.view();
      if (!name.starts_with(prefix)) continue;
      scratch_.clear();
      if (!internal::AppendCompactJson(text.view(), scratch_)) continue;
      Reserve(kSmall);
      Put(separator);
      separator = ',';
      PutString(name.substr(prefix.size()));
      Put(':');
      PutBytes(scratch_);
    }
    return separator;
  }

  void WriteText(const Type& type, const void* value) {
    if (type.storage != Storage::kNode) return PutString(ReadString(type, value));
    const Node* node = NodeAt(value);
    if (node == nullptr) return PutString({});
    PutString({reinterpret_cast<const char*>(node->payload()), node->length()});
  }

  void WriteUnion(const Type& type, const void* value) {
    const Field* chosen = &type.fields[0];
    for (const Field& field : type.fields) {
      if (!IsEmpty(*field.type, ReadField(field, value))) chosen = &field;
    }
    WriteValue(*chosen->type, ReadField(*chosen, value));
  }

  void WriteValue(const Type& type, const void* value, const Field& field = kNoField) {
    Reserve(kSmall);
    switch (type.kind) {
      case Kind::kBool: PutShort(*static_cast<const bool*>(value) ? "true" : "false"); return;
      case Kind::kInt32: PutInt(*static_cast<const int32_t*>(value)); return;
      case Kind::kInt64: PutInt(*static_cast<const int64_t*>(value)); return;
      case Kind::kDouble: at_ = internal::WriteDouble(at_, *static_cast<const double*>(value)); return;
      case Kind::kString: WriteText(type, value); return;
      case Kind::kBytes: WriteBinary(ReadString(type, value)); return;
      case Kind::kTime: PutTime(*static_cast<const metav1::Time*>(value)); return;
      case Kind::kMicroTime: PutTime(*static_cast<const metav1::MicroTime*>(value)); return;
      case Kind::kDuration: PutPrinted(*static_cast<const metav1::Duration*>(value)); return;
      case Kind::kQuantity: PutPrinted(*static_cast<const Quantity*>(value)); return;
      case Kind::kIntOrString: {
        const auto& either = *static_cast<const IntOrString*>(value);
        either.is_string() ? PutString(either.text()) : PutInt(either.number());
        return;
      }
      case Kind::kRawExtension: WriteRaw(ReadString(type, value)); return;
      case Kind::kFieldsV1: WriteFieldSet(*static_cast<const FieldsV1*>(value)); return;
      case Kind::kJson: WriteJson(*static_cast<const Json*>(value)); return;
      case Kind::kStruct: WriteStruct(type, value, false); return;
      case Kind::kUnion: WriteUnion(type, value); return;
      case Kind::kOptional:
        if (const void* present = PresentValue(type, value)) {
          WriteValue(*type.element, present);
        } else {
          PutShort("null");
        }
        return;
      case Kind::kList: WriteList(type, value, field); return;
      case Kind::kMap: WriteMap(type, value); return;
    }
  }

  // Go writes null for a nil list or map that is not left out and [] or {} for an empty one; values here do not tell
  // the two apart. The empty form is what every schema accepts, so it is the one unless the other is asked for.
  void WriteList(const Type& type, const void* value, const Field& field) {
    const Type& element = *type.element;
    const size_t count = Length(type, value);
    if (count == 0 && null_when_empty_) return PutShort("null");
    Put('[');
    if (type.ops == nullptr && count > 0) {
      const size_t step = SlotSize(element);
      const std::byte* slot = NodeAt(value)->payload();
      const bool boxed = element.is_struct();
      for (size_t i = 0; i < count; ++i, slot += step) {
        WriteElement(element, boxed ? NodeAt(slot)->payload() : slot, field, i);
      }
    } else {
      for (size_t i = 0; i < count; ++i) WriteElement(element, ReadElement(type, value, i), field, i);
    }
    Reserve(kSmall);
    Put(']');
  }
  void WriteElement(const Type& element, const void* value, const Field& field, size_t index) {
    Reserve(kSmall);
    if (index > 0) Put(',');
    if (unknown_ == nullptr) [[likely]] {
      WriteValue(element, value);
      return;
    }
    const size_t length = path_.size();
    internal::AppendElementStep(path_, field, element, value, index);
    WriteValue(element, value);
    path_.resize(length);
  }

  void WriteMap(const Type& type, const void* value) {
    if (null_when_empty_ && Length(type, value) == 0) return PutShort("null");
    char separator = '{';
    ForEachEntry(type, value, [&](std::string_view key, const void* element) {
      Reserve(kSmall);
      Put(separator);
      separator = ',';
      PutString(key);
      Put(':');
      const size_t length = path_.size();
      if (unknown_ != nullptr) [[unlikely]]
        internal::AppendEntryStep(path_, key);
      WriteValue(*type.element, element);
      path_.resize(length);
      return true;
    });
    Reserve(kSmall);
    if (separator == '{') Put('{');
    Put('}');
  }

  void WriteJson(const Json& json) {
    if (++depth_ > kMaxDepth) throw std::length_error("AppendJson: the value is nested deeper than 2000 levels");
    Reserve(kSmall);
    switch (json.kind()) {
      case Json::Kind::kNull: PutShort("null"); break;
      case Json::Kind::kBool: PutShort(json.boolean() ? "true" : "false"); break;
      case Json::Kind::kInt: PutInt(json.integer()); break;
      case Json::Kind::kDouble: PutDynamicDouble(json.number()); break;
      case Json::Kind::kString: PutString(json.string()); break;
      case Json::Kind::kList: {
        Put('[');
        size_t index = 0;
        for (const Json& item : json.list()) {
          Reserve(kSmall);
          if (index++ > 0) Put(',');
          WriteJson(item);
        }
        Reserve(kSmall);
        Put(']');
        break;
      }
      case Json::Kind::kObject: {
        char separator = '{';
        for (const auto& [key, member] : json.object()) {
          Reserve(kSmall);
          Put(separator);
          separator = ',';
          PutString(key);
          Put(':');
          WriteJson(member);
        }
        Reserve(kSmall);
        if (separator == '{') Put('{');
        Put('}');
        break;
      }
    }
    --depth_;
  }

  // A double that happens to be whole gets a fraction, so that it is read back as a double.
  void PutDynamicDouble(double number) {
    const char* const start = at_;
    at_ = internal::WriteDouble(at_, number);
    if (std::string_view(start, static_cast<size_t>(at_ - start)).find_first_of(".en") == std::string_view::npos) {
      PutShort(".0");
    }
  }

  void PutInt(int64_t number) { at_ = std::to_chars(at_, at_ + kSmall, number).ptr; }
  template <class T>
  void PutPrinted(const T& value) {
    Put('"');
    at_ += value.Print(at_);
    Put('"');
  }
  template <class T>
  void PutTime(const T& time) {
    if (time.IsZero()) {
      PutShort("null");
    } else {
      PutPrinted(time);
    }
  }

  void WriteBinary(std::string_view bytes) {
    scratch_.assign(1, '"');
    internal::AppendBase64(bytes, scratch_);
    scratch_ += '"';
    PutBytes(scratch_);
  }

  // What is not JSON (inside protobuf a server may send any bytes here) has no JSON form.
  void WriteRaw(std::string_view text) {
    scratch_.clear();
    PutBytes(internal::AppendCompactJson(text, scratch_) ? std::string_view(scratch_) : "null");
  }
  void WriteFieldSet(const FieldsV1& set) {
    if (set.pieces().size() == 1) {
      WriteRaw(set.pieces()[0]);
    } else {
      joined_.clear();
      for (const String& piece : set.pieces()) joined_ += piece.view();
      WriteRaw(joined_);
    }
  }

  std::string& out_;
  const bool null_when_empty_;
  int depth_ = 0;
  bool has_owner_ = false;
  // Those of the owner, null when it has none; only then is path_ kept, the way from the owner to the struct at hand.
  const UnknownFields* unknown_ = nullptr;
  std::string path_;
  std::string scratch_;
  std::string joined_;
  char* at_ = buffer_;
  char buffer_[kBufferSize];
};

}  // namespace

void AppendJson(const Type& type, const void* value, std::string& out, const JsonWriteOptions& options) {
  if (options.indent <= 0) {
    Writer(out, options.null_when_empty).WriteTop(type, value);
    return;
  }
  std::string compact;
  Writer(compact, options.null_when_empty).WriteTop(type, value);
  AppendIndentedJson(compact, options.indent, out);
}

}  // namespace keelson
