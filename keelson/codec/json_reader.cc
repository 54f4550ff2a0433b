// One recursive walk over the tokens, driven by the type's table.
//
// Every Read… function returns false after Fail has set the error; what it had built by then it has released, so
// nothing leaks and the caller only unwinds. Elements of lists and maps are gathered on a stack of bytes (`slots_`) and
// become a node of the exact size when the last one is known. Structs that have a node of their own are filled in
// zeroed memory: their padding stays zero, which sharing by content relies on.
#include "keelson/codec/json_reader.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

#include "keelson/api/access.h"
#include "keelson/api/sharing.h"
#include "keelson/api/values.h"
#include "keelson/codec/internal/base64.h"
#include "keelson/codec/internal/entry_slots.h"
#include "keelson/codec/internal/json_structure.h"
#include "keelson/codec/internal/json_text_reader.h"
#include "keelson/codec/internal/node_maker.h"
#include "keelson/codec/internal/scratch.h"
#include "keelson/codec/internal/section_reuse.h"
#include "keelson/codec/internal/seen_values.h"
#include "keelson/codec/internal/slot_stack.h"
#include "keelson/codec/internal/unknown_path.h"

namespace keelson {

using internal::Node;
using internal::NodeKind;

namespace {

constexpr size_t kKeptCapacity = size_t{1} << 20;
constexpr size_t kMostTrackedFields = 256;
constexpr size_t kLongestShown = 80;  // of a text in a message

}  // namespace

class JsonReader::Impl : private internal::JsonTextReader {
 public:
  explicit Impl(JsonReadOptions options) : JsonTextReader(options), strings_(options.share_nodes) {}

  void set_options(const JsonReadOptions& options) {
    options_ = options;
    if (strings_.shared() == options.share_nodes) return;
    strings_ = internal::SeenStrings(options.share_nodes);
    seen_.Clear();
  }

  Result<void> Read(const Type& type, void* value, std::string_view text) {
    if (text.size() > options_.max_bytes) {
      return Error::InvalidArgument("the document has " + std::to_string(text.size()) + " bytes; the limit is " +
                                    std::to_string(options_.max_bytes));
    }
    KEELSON_RETURN_IF_ERROR(structure_.Find(text));
    Begin({text, structure_.tokens(), structure_.token_count()});
    unknown_.clear();
    slots_.Truncate(0);
    owner_ = nullptr;
    nodes_.Begin(options_.share_nodes);
    sections_.Begin(options_.versions, type, value);

    bool good = ReadValue(type, value);
    if (good && !cursor_.AtEnd()) good = Fail("more text follows the document");
    if (good && !strict_errors_.empty()) good = FailStrictly();
    structure_.ShrinkTo(kKeptCapacity);
    if (good) {
      sections_.End();
      return {};
    }
    ResetValue(type, value);
    return Error::InvalidArgument(std::move(failure_));
  }

 private:
  // A field that its struct does not know. The path grows from the inside out while the walk unwinds, because an
  // element's keys are known only when it has been read.
  struct UnknownField {
    std::string path;
    std::string name;
    std::string_view raw;
  };

  // ---- Scalars ----

  // Parsers of api/ that give a Result<T>.
  template <class T>
  bool Parse(std::string_view text, void* value) {
    auto parsed = T::Parse(text);
    if (!parsed) return Fail(std::move(parsed).error().message());
    *static_cast<T*>(value) = *parsed;
    return true;
  }
  template <class T>
  bool ReadParsed(void* value) {
    std::string_view text;
    return TakeText(text) && Parse<T>(text, value);
  }
  bool ReadQuantity(void* value) {
    if (cursor_.Peek() == '"') return ReadParsed<Quantity>(value);
    std::string_view text;
    internal::NumberForm form;
    return TakeNumber(text, form) && Parse<Quantity>(text, value);
  }

  void PutString(std::string_view text, void* value, bool unique) {
    nodes_.set_unique(unique);
    if (unique) {
      new (value) String(text);
    } else {
      *static_cast<Node**>(value) = strings_.Find(text);
    }
  }
  bool FailText(const Type& type, std::string_view found) {
    std::string known;
    for (const std::string_view text : type.texts) known += (known.empty() ? "\"" : ", \"") + std::string(text) + "\"";
    return Fail("unknown value \"" + std::string(found.substr(0, kLongestShown)) + "\": expected one of " + known);
  }
  bool ReadText(const Type& type, void* value, bool unique) {
    std::string_view text;
    if (!TakeText(text)) return false;
    if (type.ops != nullptr) {
      if (!type.ops->string_set(value, text)) return FailText(type, text);
    } else {
      PutString(text, value, unique);
    }
    return true;
  }
  // Of a text that the object itself holds: the version before may have the same.
  bool ReadOwnText(void* value, bool unique) {
    std::string_view text;
    if (!TakeText(text)) return false;
    if (const String* same = sections_.SameString(value, text)) {
      nodes_.set_unique(unique);
      new (value) String(*same);
    } else {
      PutString(text, value, unique);
    }
    return true;
  }
  bool ReadBytes(const Type& type, void* value) {
    std::string_view text;
    if (!TakeText(text)) return false;
    std::string bytes;
    if (!internal::DecodeBase64(text, bytes)) return Fail("expected base64 text");
    WriteString(type, value, bytes);
    return true;
  }
  bool ReadIntOrString(void* value) {
    if (cursor_.Peek() == '"') {
      String text;
      if (!ReadText(TypeOf<String>(), &text, false)) return false;
      *static_cast<IntOrString*>(value) = IntOrString(std::move(text));
      return true;
    }
    int64_t number;
    if (!ReadInteger(INT32_MIN, INT32_MAX, number)) return false;
    *static_cast<IntOrString*>(value) = IntOrString(static_cast<int32_t>(number));
    return true;
  }

  // ---- Text that is kept as it came ----

  bool ReadRaw(void* value) {
    std::string_view raw;
    if (!Skip(raw)) return false;
    PutString(raw, value, false);
    return true;
  }

  bool ReadFieldsV1(void* value) {
    const internal::NodeMaker::Scope uniqueness(nodes_);
    const size_t start = slots_.size();
    const auto put = [&](std::string_view piece) { PutString(piece, slots_.Push(sizeof(Node*)), false); };
    // The cuts are those of FieldsV1::ForEachPiece, found at the tokens instead of by reading every character.
    const size_t begin = cursor_.offset();
    cuts_.clear();
    cuts_.push_back(begin);
    const bool plain = cursor_.TakeNestedObjects([&](size_t offset, int depth) {
      if (!FieldsV1::EndsPiece(offset - cuts_.back(), depth)) return depth;
      cuts_.push_back(offset);
      return 0;
    });
    if (plain) {
      cuts_.push_back(cursor_.offset_behind());
      for (size_t i = 0; i + 1 < cuts_.size(); ++i) put(cursor_.text(cuts_[i], cuts_[i + 1]));
    } else {
      std::string_view raw;
      if (!Skip(raw)) return false;
      compact_.clear();
      internal::AppendCompact(raw, compact_);
      FieldsV1::ForEachPiece(compact_, put);
    }
    *static_cast<Node**>(value) = MakeNode(NodeKind::kList, TypeOf<List<String>>(), start);
    return true;
  }

  // ---- Structure ----

  Node* MakeNode(NodeKind kind, const Type& type, size_t start) {
    return slots_.TakeNode(kind, type, start,
                           [&](std::byte* payload, size_t count) { return nodes_.Make(kind, type, payload, count); });
  }
  bool Abandon(NodeKind kind, const Type& type, size_t start) {
    slots_.Drop(kind, type, start);
    return false;
  }

  Node* ReadStructNode(const Type& type) {
    const internal::NodeMaker::Scope uniqueness(nodes_);
    if (!options_.share_nodes || type.ops != nullptr) {
      Node* node = internal::NewStructNode(type);
      if (ReadValue(type, node->payload())) return node;
      internal::ReleaseNode(type, node);
      return nullptr;
    }
    const internal::Scratch::Block block(scratch_, type.size);
    if (!ReadValue(type, block.data())) {
      internal::DestroyValue(type, block.data());
      return nullptr;
    }
    return nodes_.Make(NodeKind::kStruct, type, block.data(), 0);
  }

  // Reads a node's content by `read(slot)`, or finds that these bytes have been read before. `place` is where in the
  // type this is, for the odds of that.
  template <class ReadNode>
  bool ReadSeen(const void* place, const Type& content, Node** slot, ReadNode read) {
    return sections_.covers(slot) ? ReadSection(place, content, slot, read)
                                  : ReadSeenAnywhere(place, content, slot, read);
  }

  // The same for what the object itself holds: the version before may have it from the same text.
  template <class ReadNode>
  bool ReadSection(const void* place, const Type& content, Node** slot, ReadNode read) {
    const SectionMarks::Mark before = sections_.Open(slot);
    if (before.hash == internal::SectionReuse::kByElements) {
      if (TakeSameElements(*content.element)) return sections_.TakeOver(content, slot);
    } else if (const auto extent = cursor_.ExtentOf(before.tokens); sections_.IsSame(before, content, extent.text)) {
      cursor_.JumpBehind(extent);
      return sections_.TakeOver(content, slot);
    }
    const internal::JsonCursor start = cursor_;
    const size_t oddities_before = oddities_;
    if (!ReadSeenAnywhere(place, content, slot, read)) return false;
    if (oddities_ == oddities_before) {
      sections_.Note(content, slot, cursor_.TextSince(start), cursor_.TokensSince(start));
    }
    return true;
  }

  // Moves over the list at hand if its elements are those of the version before. Notes how many are, from the first on.
  bool TakeSameElements(const Type& element) {
    internal::JsonCursor at = cursor_;
    if (!at.Take('[')) return false;
    const size_t count = sections_.element_count_before();
    size_t same = 0;
    for (; same < count; ++same) {
      if (same > 0 && !at.Take(',')) break;
      const SectionMarks::Mark before = sections_.ElementBefore(same);
      const auto extent = at.ExtentOf(before.tokens);
      if (!sections_.IsSame(before, element, extent.text)) break;
      at.JumpBehind(extent);
    }
    sections_.set_same_elements(same);
    if (same < count || !at.Take(']')) return false;
    cursor_ = at;
    return true;
  }

  template <class ReadNode>
  bool ReadSeenAnywhere(const void* place, const Type& content, Node** slot, ReadNode read) {
    const internal::SeenValues::Place seen_at = seen_.PlaceAt(place, cursor_.rest());
    if (!seen_.WorthALook(seen_at)) return read(slot);
    if (const auto* last = seen_.LastAt(seen_at, content)) {
      if (const auto same = cursor_.ExtentOf(last->tokens); same.text == last->bytes) {
        *slot = seen_.Take(*last);
        cursor_.JumpBehind(same);
        return true;
      }
    }
    const auto extent = cursor_.FindExtent(internal::SeenValues::kLongest);
    if (extent.text.size() < internal::SeenValues::kShortest) return read(slot);
    const auto key = seen_.KeyOf(content, extent.text);
    if (Node* found = seen_.Find(key, seen_at)) {
      *slot = found;
      cursor_.JumpBehind(extent);
      return true;
    }
    const size_t oddities_before = oddities_;
    const internal::NodeMaker::Scope uniqueness(nodes_);
    if (!read(slot)) return false;
    // What is noted along the way, such as an unknown field, would be missing the next time.
    const bool whole = oddities_ == oddities_before;
    seen_.Note(key, seen_at, whole && !nodes_.unique() ? *slot : nullptr, extent.tokens);
    return true;
  }

  bool ReadElementNode(const Type& element, Node** node) {
    return ReadSeenAnywhere(&element, element, node, [&](Node** slot) {
      *slot = ReadStructNode(element);  // a null element is a default one, as in Go
      return *slot != nullptr;
    });
  }
  // The same for an element of a section.
  bool ReadSectionElement(const Type& element, size_t index, Node** node) {
    const SectionMarks::Mark before = sections_.ElementBefore(index);
    if (const auto extent = cursor_.ExtentOf(before.tokens);
        index < sections_.same_elements() || sections_.IsSame(before, element, extent.text)) {
      *node = sections_.TakeElement(element, index);
      nodes_.set_unique(!(*node)->frozen());
      cursor_.JumpBehind(extent);
      return true;
    }
    const internal::JsonCursor start = cursor_;
    const size_t oddities_before = oddities_;
    if (!ReadElementNode(element, node)) return false;
    const bool repeatable = start.Peek() == '{' && oddities_ == oddities_before;
    sections_.NoteElement(element, repeatable ? cursor_.TextSince(start) : std::string_view(),
                          cursor_.TokensSince(start));
    return true;
  }

  // Reads one element into a slot at the end of `slots_`.
  bool ReadSlot(const Type& element, size_t padded_size, bool of_section = false, size_t index = 0) {
    if (element.is_struct()) {
      Node* node = nullptr;
      if (!(of_section ? ReadSectionElement(element, index, &node) : ReadElementNode(element, &node))) return false;
      *reinterpret_cast<Node**>(slots_.Push(sizeof(Node*))) = node;
      return true;
    }
    alignas(8) std::byte value[kLargestPlainValue] = {};
    if (!ReadValue(element, value)) {
      internal::DestroyValue(element, value);
      return false;
    }
    std::memcpy(slots_.Push(padded_size), value, element.size);
    return true;
  }

  bool ReadList(const Type& type, void* value, const Field* field) {
    if (cursor_.Peek() != '[') return FailKind("array");
    const DepthScope scope(*this);
    if (!scope.allowed()) return false;
    const internal::NodeMaker::Scope uniqueness(nodes_);
    FrameScope frame(*this);
    frame->is_element = true;
    const Type& element = *type.element;
    const auto file_unknown = [&](size_t first, const void* read, size_t index) {
      for (size_t i = first; i < unknown_.size(); ++i) {
        std::string step;
        static constexpr Field kNoField = {.name = "", .type = nullptr, .offset = 0};
        internal::AppendElementStep(step, field != nullptr ? *field : kNoField, element, read, index);
        unknown_[i].path.insert(0, step);
      }
    };
    if (type.ops != nullptr || (!element.is_struct() && internal::IsManaged(element))) {
      return ForEachElement([&](size_t index) {
        frame->index = index;
        const size_t unknown_before = unknown_.size();
        void* slot = AppendElement(type, value);
        if (!ReadValue(element, slot)) return false;
        if (unknown_.size() > unknown_before) file_unknown(unknown_before, slot, index);
        return true;
      });
    }
    const size_t start = slots_.size();
    const size_t step = internal::SlotSize(element);
    const bool of_section = sections_.covers(value);
    const bool good = ForEachElement([&](size_t index) {
      frame->index = index;
      const size_t unknown_before = unknown_.size();
      if (!ReadSlot(element, step, of_section, index)) return false;
      if (unknown_.size() > unknown_before) {
        const std::byte* slot = slots_.at(slots_.size() - step);
        file_unknown(unknown_before, element.is_struct() ? (*reinterpret_cast<Node* const*>(slot))->payload() : slot,
                     index);
      }
      return true;
    });
    if (!good) return Abandon(NodeKind::kList, type, start);
    *static_cast<Node**>(value) = MakeNode(NodeKind::kList, type, start);
    return true;
  }

  bool ReadMap(const Type& type, void* value) {
    if (cursor_.Peek() != '{') return FailKind("object");
    const DepthScope scope(*this);
    if (!scope.allowed()) return false;
    const internal::NodeMaker::Scope uniqueness(nodes_);
    FrameScope frame(*this);
    const Type& element = *type.element;
    const auto file_unknown = [&](size_t first, std::string_view key) {
      for (size_t i = first; i < unknown_.size(); ++i) {
        std::string step;
        internal::AppendEntryStep(step, key);
        unknown_[i].path.insert(0, step);
      }
    };
    if (type.ops != nullptr || (!element.is_struct() && internal::IsManaged(element))) {
      return ForEachMember([&](std::string_view key) {
        const std::string own_key(key);
        frame->name = own_key;
        const size_t unknown_before = unknown_.size();
        if (ReadEntry(type, value, own_key) != nullptr) NoteStrictly(frame, "duplicate", own_key);
        void* slot = EnsureEntry(type, value, own_key);
        ResetValue(element, slot);
        if (!ReadValue(element, slot)) return false;
        file_unknown(unknown_before, own_key);
        return true;
      });
    }
    const size_t start = slots_.size();
    const size_t step = internal::MapEntrySize(element);
    bool sorted = true;
    const bool good = ForEachMember([&](std::string_view key) {
      Node* key_node = nullptr;
      PutString(key, &key_node, false);
      // The frame refers to the key's node: the text at hand is overwritten by the value.
      const std::string_view own_key = KeyText(key_node);
      frame->name = own_key;
      if (slots_.size() > start) sorted = sorted && internal::EntryKey(slots_, slots_.size() - step) < own_key;
      const size_t unknown_before = unknown_.size();
      const size_t entry = slots_.size();
      *reinterpret_cast<Node**>(slots_.Push(sizeof(Node*))) = key_node;
      if (!ReadSlot(element, step - sizeof(Node*))) {
        internal::DestroyValue(TypeOf<String>(), slots_.at(entry));
        slots_.Truncate(entry);
        return false;
      }
      if (unknown_.size() > unknown_before) file_unknown(unknown_before, own_key);
      return true;
    });
    if (!good) return Abandon(NodeKind::kMap, type, start);
    if (!sorted) {  // servers write keys in order; others need not
      internal::SortEntries(slots_, element, start,
                            [&](std::string_view key) { NoteStrictly(frame, "duplicate", key); });
    }
    *static_cast<Node**>(value) = MakeNode(NodeKind::kMap, type, start);
    return true;
  }

  static std::string_view KeyText(const Node* key) {
    if (key == nullptr) return {};
    return {reinterpret_cast<const char*>(key->payload()), key->length()};
  }

  // ---- Structs ----

  bool ReadStruct(const Type& type, void* value) {
    if (cursor_.Peek() != '{') return FailKind("object");
    const DepthScope scope(*this);
    if (!scope.allowed()) return false;
    const size_t unknown_before = unknown_.size();
    const bool is_top = depth_ == 1;
    // The outermost object with an ObjectMeta keeps what is not known anywhere inside.
    const bool becomes_owner =
        owner_ == nullptr && type.is_root() && internal::FindUnknownFields(type, value) != nullptr;
    if (becomes_owner) owner_ = &type;
    const bool good = ReadFields(type, value, is_top || becomes_owner);
    if (becomes_owner) owner_ = nullptr;
    if (!good) return false;
    if (becomes_owner && unknown_.size() > unknown_before) KeepUnknown(type, value, unknown_before);
    return true;
  }

  bool ReadFields(const Type& type, void* value, bool knows_own_type) {
    FrameScope frame(*this);
    uint64_t seen[kMostTrackedFields / 64] = {};
    size_t hint = 0;
    const std::byte* base = static_cast<std::byte*>(value);
    return ForEachRawMember([&](std::string_view key) {
      const Field* field = type.FindField(key, cursor_.PrefixOf(key), &hint);
      if (field == nullptr && internal::HasEscape(key)) {
        if (!ResolveEscapes(key)) return false;
        field = type.FindField(key, NamePrefix(key), &hint);
      }
      if (field == nullptr || key.empty()) [[unlikely]]
        return ReadUnlisted(type, key, knows_own_type, frame);
      frame->name = field->name;
      void* slot = const_cast<std::byte*>(base) + field->offset;
      const size_t index = static_cast<size_t>(field - type.fields.data());
      if (index < kMostTrackedFields) {
        uint64_t& word = seen[index / 64];
        const uint64_t bit = uint64_t{1} << (index % 64);
        if ((word & bit) != 0) NoteRepeated(*field, slot, frame);
        word |= bit;
      } else {
        ResetValue(*field->type, slot);
        sections_.GiveUp();
      }
      const size_t unknown_before = unknown_.size();
      if (!ReadFieldValue(*field, slot)) return false;
      for (size_t i = unknown_before; i < unknown_.size(); ++i) {
        std::string step;
        internal::AppendFieldStep(step, field->name);
        unknown_[i].path.insert(0, step);
      }
      return true;
    });
  }

  void NoteRepeated(const Field& field, void* slot, FrameScope& frame) {
    NoteStrictly(frame, "duplicate", field.name);
    ResetValue(*field.type, slot);
    sections_.GiveUp();
  }

  bool ReadFieldValue(const Field& field, void* slot) {
    const Type& type = *field.type;
    if (type.kind == Kind::kString) {
      if (cursor_.Peek() == 'n') return TakeLiteral("null");
      if (sections_.covers(slot) && type.ops == nullptr) return ReadOwnText(slot, field.unique);
      return ReadText(type, slot, field.unique);
    }
    if (cursor_.Peek() == 'n') return TakeLiteral("null");
    auto** node = static_cast<Node**>(slot);
    if (type.storage == Storage::kNode) {
      switch (type.kind) {
        case Kind::kList:
          return ReadSeen(&field, type, node, [&](Node** into) { return ReadList(type, into, &field); });
        case Kind::kMap: return ReadSeen(&field, type, node, [&](Node** into) { return ReadMap(type, into); });
        case Kind::kOptional: {
          const bool is_fields = type.element->kind == Kind::kFieldsV1;
          if (!is_fields && !type.element->is_struct()) break;
          const Type& content = is_fields ? TypeOf<List<String>>() : *type.element;
          return ReadSeen(&field, content, node, [&](Node** into) { return ReadOptional(type, into); });
        }
        default: break;
      }
    } else if (type.kind == Kind::kList) {
      return ReadList(type, slot, &field);
    }
    return ReadValue(type, slot);
  }

  // A key without a member: the object's own kind and version, or a field to keep.
  bool ReadUnlisted(const Type& type, std::string_view key, bool knows_own_type, FrameScope& frame) {
    std::string name(key);
    frame->name = name;
    const bool good = ReadUnlistedValue(type, name, knows_own_type, frame);
    frame->name = {};  // `name` ends here
    return good;
  }
  bool ReadUnlistedValue(const Type& type, std::string& name, bool knows_own_type, FrameScope& frame) {
    const bool is_type_meta = type.is_root() && (name == "kind" || name == "apiVersion");
    if (is_type_meta && knows_own_type) return CheckTypeMeta(type, name == "kind");
    if (is_type_meta) {
      ++oddities_;
    } else {
      NoteStrictly(frame, "unknown", name);
    }
    std::string_view raw;
    if (!Skip(raw)) return false;
    if (owner_ != nullptr) unknown_.push_back({{}, name, raw});
    return true;
  }

  bool CheckTypeMeta(const Type& type, bool is_kind) {
    if (cursor_.Peek() == 'n') return TakeLiteral("null");
    std::string_view text;
    if (!TakeText(text)) return false;
    if (text.empty()) return true;
    if (is_kind) {
      return text == type.object_kind ||
             Fail("expected kind \"" + std::string(type.object_kind) + "\", found \"" + std::string(text) + "\"");
    }
    // Kinds such as Status and DeleteOptions belong to every group.
    if (type.group.empty() && type.name.substr(0, 8) == "meta/v1.") return true;
    const size_t slash = text.rfind('/');
    const std::string_view group = slash == std::string_view::npos ? std::string_view() : text.substr(0, slash);
    const std::string_view version = slash == std::string_view::npos ? text : text.substr(slash + 1);
    if (group == type.group && version == type.version) return true;
    return Fail("expected apiVersion \"" + std::string(type.group) + (type.group.empty() ? "" : "/") +
                std::string(type.version) + "\", found \"" + std::string(text) + "\"");
  }

  void KeepUnknown(const Type& type, void* value, size_t first) {
    UnknownFields& kept = *internal::FindUnknownFields(type, value);
    for (size_t i = first; i < unknown_.size(); ++i) {
      kept.Set(unknown_[i].path + internal::kJsonMark + unknown_[i].name, Bytes(unknown_[i].raw));
    }
    unknown_.resize(first);
    if (options_.share_nodes) ShareNodes(kept);
  }

  // The JSON form is that of one member: found by the token at hand.
  bool ReadUnion(const Type& type, void* value) {
    const char token = cursor_.Peek();
    bool found = false;
    for (const Field& field : type.fields) {
      const Kind kind = field.type->kind;
      const bool fits = token == '{'   ? kind == Kind::kOptional
                        : token == '[' ? kind == Kind::kList
                                       : (token == 't' || token == 'f') && kind == Kind::kBool;
      // A schema in the place of a boolean allows what it describes.
      if (token == '{' && kind == Kind::kBool) *static_cast<bool*>(WriteField(field, value)) = true;
      if (!fits) continue;
      found = true;
      if (!ReadValue(*field.type, WriteField(field, value))) return false;
    }
    return found || FailKind("object, array or boolean, as " + std::string(type.name) + " has it");
  }

  bool ReadOptional(const Type& type, void* value) {
    if (type.ops != nullptr) return ReadValue(*type.element, type.ops->optional_emplace(value));
    if (type.element->is_struct()) {
      Node* node = ReadStructNode(*type.element);
      *static_cast<Node**>(value) = node;
      return node != nullptr;
    }
    if (!ReadValue(*type.element, value)) return false;
    if (type.storage == Storage::kNode) {
      internal::MakePresent(value);
    } else {
      static_cast<std::byte*>(value)[type.element->size] = std::byte{1};
    }
    return true;
  }

  bool ReadDynamic(void* value) {
    auto* json = static_cast<Json*>(value);
    switch (cursor_.Peek()) {
      case '{': {
        JsonObject object;
        if (!ReadMap(TypeOf<JsonObject>(), &object)) return false;
        *json = Json(std::move(object));
        return true;
      }
      case '[': {
        JsonList list;
        if (!ReadList(TypeOf<JsonList>(), &list, nullptr)) return false;
        *json = Json(std::move(list));
        return true;
      }
      case '"': {
        String text;
        if (!ReadText(TypeOf<String>(), &text, false)) return false;
        *json = Json(std::move(text));
        return true;
      }
      case 't':
      case 'f': {
        bool boolean = false;
        if (!ReadBool(boolean)) return false;
        *json = Json(boolean);
        return true;
      }
      default: return ReadDynamicNumber(*json);
    }
  }
  bool ReadDynamicNumber(Json& json) {
    std::string_view text;
    internal::NumberForm form;
    if (!TakeNumber(text, form)) return false;
    int64_t integer;
    double real;
    if (form == internal::NumberForm::kInteger && internal::ParseInteger(text, integer)) {
      json = Json(integer);
    } else if (internal::ParseReal(text, real)) {
      json = Json(real);
    } else {
      return Fail("the number " + std::string(text.substr(0, 40)) + " is out of range");
    }
    return true;
  }

  bool ReadValue(const Type& type, void* value) {
    if (cursor_.Peek() == 'n') [[unlikely]]
      return TakeLiteral("null");  // null leaves the default, as in Go
    switch (type.kind) {
      case Kind::kBool: return ReadBool(*static_cast<bool*>(value));
      case Kind::kInt32: {
        int64_t number;
        if (!ReadInteger(INT32_MIN, INT32_MAX, number)) return false;
        *static_cast<int32_t*>(value) = static_cast<int32_t>(number);
        return true;
      }
      case Kind::kInt64: return ReadInteger(INT64_MIN, INT64_MAX, *static_cast<int64_t*>(value));
      case Kind::kDouble: return ReadDouble(*static_cast<double*>(value));
      case Kind::kString: return ReadText(type, value, false);
      case Kind::kBytes: return ReadBytes(type, value);
      case Kind::kTime: return ReadParsed<metav1::Time>(value);
      case Kind::kMicroTime: return ReadParsed<metav1::MicroTime>(value);
      case Kind::kDuration: return ReadParsed<metav1::Duration>(value);
      case Kind::kQuantity: return ReadQuantity(value);
      case Kind::kIntOrString: return ReadIntOrString(value);
      case Kind::kRawExtension: return ReadRaw(value);
      case Kind::kFieldsV1: return ReadFieldsV1(value);
      case Kind::kJson: return ReadDynamic(value);
      case Kind::kStruct: return ReadStruct(type, value);
      case Kind::kUnion: return ReadUnion(type, value);
      case Kind::kOptional: return ReadOptional(type, value);
      case Kind::kList: return ReadList(type, value, nullptr);
      case Kind::kMap: return ReadMap(type, value);
    }
    return Fail("no value of this kind can be read");
  }

  static constexpr size_t kLargestPlainValue = 64;

  internal::JsonStructure structure_;
  internal::SlotStack slots_;
  internal::Scratch scratch_;
  std::string compact_;
  std::vector<size_t> cuts_;
  std::vector<UnknownField> unknown_;
  const Type* owner_ = nullptr;
  internal::NodeMaker nodes_;
  internal::SeenStrings strings_;
  internal::SeenValues seen_;
  internal::SectionReuse sections_;
};

JsonReader::JsonReader(JsonReadOptions options) : impl_(std::make_unique<Impl>(options)) {}
JsonReader::~JsonReader() = default;
JsonReader::JsonReader(JsonReader&&) noexcept = default;
JsonReader& JsonReader::operator=(JsonReader&&) noexcept = default;

void JsonReader::set_options(const JsonReadOptions& options) { impl_->set_options(options); }

Result<void> JsonReader::Read(const Type& type, void* value, std::string_view text) {
  return impl_->Read(type, value, text);
}

Result<void> DecodeJson(const Type& type, void* value, std::string_view text, const JsonReadOptions& options) {
  thread_local JsonReader reader;
  reader.set_options(options);
  return reader.Read(type, value, text);
}

}  // namespace keelson
