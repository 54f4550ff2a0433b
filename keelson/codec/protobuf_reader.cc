#include "keelson/codec/protobuf_reader.h"

#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "keelson/api/access.h"
#include "keelson/api/sharing.h"
#include "keelson/api/values.h"
#include "keelson/codec/internal/entry_slots.h"
#include "keelson/codec/internal/fields_cut.h"
#include "keelson/codec/internal/node_maker.h"
#include "keelson/codec/internal/protobuf_plan.h"
#include "keelson/codec/internal/protobuf_scalars.h"
#include "keelson/codec/internal/protobuf_unknown.h"
#include "keelson/codec/internal/scratch.h"
#include "keelson/codec/internal/section_reuse.h"
#include "keelson/codec/internal/seen_values.h"
#include "keelson/codec/internal/slot_stack.h"
#include "keelson/codec/internal/unknown_path.h"

namespace keelson {

namespace {

using internal::EntryKey;
using internal::IsNumeric;
using internal::MapEntrySize;
using internal::Node;
using internal::NodeAt;
using internal::NodeKind;
using internal::SlotSize;
using Plan = internal::ProtobufPlan;
using Row = internal::ProtobufRow;
using internal::WireType;

// Whether only its type's operations may touch the value or its elements.
bool NeedsOps(const Type& type) {
  return type.ops != nullptr || (type.element != nullptr && type.element->ops != nullptr);
}

}  // namespace

// What a Read… has filled when it fails stays owned by the value it was given.
class ProtobufReader::Impl : private internal::ProtobufScalars {
 public:
  explicit Impl(const ProtobufReadOptions& read_options) : options_(read_options), strings_(read_options.share_nodes) {}

  void set_options(const ProtobufReadOptions& read_options) {
    options_ = read_options;
    if (strings_.shared() == options_.share_nodes) return;
    strings_ = internal::SeenStrings(options_.share_nodes);
    seen_.Clear();
  }

  Result<void> Read(const Type& type, void* value, std::string_view message) {
    if (type.message == nullptr) {
      return Error::Unsupported(std::string(type.name) + " has no protobuf form: read it from JSON");
    }
    if (message.size() > options_.max_bytes) {
      return Error::InvalidArgument("cannot read " + std::string(type.name) + " from protobuf: it has " +
                                    std::to_string(message.size()) + " bytes, more than the limit of " +
                                    std::to_string(options_.max_bytes));
    }
    const auto* bytes = reinterpret_cast<const uint8_t*>(message.data());
    budget_.Begin(message.size());
    unknown_.Clear();
    has_owner_ = false;
    nodes_.Begin(options_.share_nodes);
    sections_.Begin(options_.versions, type, value);
    const Input in = {bytes, bytes + message.size()};
    if (ReadStruct(plans_.Of(type), static_cast<std::byte*>(value), in, options_.max_depth)) {
      sections_.End();
      return {};
    }
    ResetValue(type, value);
    return Error::InvalidArgument("cannot read " + std::string(type.name) + " from protobuf: " + Description());
  }

 private:
  bool SpendWork(bool allowed) {
    return allowed ||
           Fail("reading takes too much work: send the elements of a list or map together, and fewer unknown fields");
  }

  bool ReadFieldsV1(Input in, std::byte* value, bool share) {
    std::string_view json;
    if (!ReadOnlyString(in, true, &json)) return false;
    const Type& list = TypeOf<List<String>>();
    ResetValue(list, value);
    return ReadSeen(&TypeOf<FieldsV1>(), list, json, &NodeAt(value), [&](Node** node) {
      const size_t base = slots_.size();
      if (options_.share_nodes) {
        internal::CutFields(json, piece_ends_);
      } else {
        piece_ends_.assign(json.empty() ? 0 : 1, json.size());  // cutting pays only where pieces are shared
      }
      size_t start = 0;
      for (const size_t end : piece_ends_) {
        slots_.PushValue(MakeString(json.substr(start, end - start), share));
        start = end;
      }
      const internal::NodeMaker::Scope uniqueness(nodes_);
      *node = TakeSlots(NodeKind::kList, list, base, share);
      return true;
    });
  }

  Node* MakeString(std::string_view text, bool share) {
    return share == strings_.shared() ? strings_.Find(text) : internal::MakeStringNode(text, share);
  }
  // Text that is unique has not been seen either.
  void SetString(std::byte* value, std::string_view text, bool unique) {
    Node*& node = NodeAt(value);
    if (node != nullptr && internal::DropReference(node)) internal::FreeStringNode(node);
    node = unique ? internal::MakeStringNode(text, false) : strings_.Find(text);
  }

  // Reads a node from `bytes` by read(slot), unless the node that they gave before is still known. `place` is where in
  // the types this is, for the odds of that.
  template <class ReadNode>
  bool ReadSeen(const void* place, const Type& content, std::string_view bytes, Node** slot, ReadNode read) {
    if (bytes.size() < internal::SeenValues::kShortest || bytes.size() > internal::SeenValues::kLongest)
      return read(slot);
    const internal::SeenValues::Place seen_at = seen_.PlaceAt(place, bytes);
    return seen_.WorthALook(seen_at) ? FindOrRead(seen_at, content, bytes, slot, read) : read(slot);
  }

  template <class ReadNode>
  bool FindOrRead(internal::SeenValues::Place place, const Type& content, std::string_view bytes, Node** slot,
                  ReadNode read) {
    if (const auto* last = seen_.LastAt(place, content); last != nullptr && last->bytes == bytes) {
      *slot = seen_.Take(*last);
      return true;
    }
    const auto key = seen_.KeyOf(content, bytes);
    if (Node* found = seen_.Find(key, place)) {
      *slot = found;
      return true;
    }
    const size_t unknown_before = unknown_seen_;
    const internal::NodeMaker::Scope uniqueness(nodes_);
    if (!read(slot)) return false;
    // An unknown field is kept elsewhere and would be missing the next time.
    seen_.Note(key, place, unknown_seen_ == unknown_before && !nodes_.unique() ? *slot : nullptr);
    return true;
  }

  // The same for what the object itself holds: the version before may have it from the same bytes.
  // `tag` is what stands before each element but the first where they are a list.
  template <class ReadNode>
  bool ReadSection(const Type& content, std::string_view tag, std::string_view bytes, Node** slot, ReadNode read) {
    const SectionMarks::Mark before = sections_.Open(slot);
    const bool same = before.hash == internal::SectionReuse::kByElements ? HasSameElements(*content.element, tag, bytes)
                                                                         : sections_.IsSame(before, content, bytes);
    if (same) return sections_.TakeOver(content, slot);
    const size_t unknown_before = unknown_seen_;
    if (!read(slot)) return false;
    if (unknown_seen_ == unknown_before) sections_.Note(content, slot, bytes, 0);
    return true;
  }

  // Whether the elements of this list are those of the version before. Notes how many are, from the first on.
  bool HasSameElements(const Type& element, std::string_view tag, std::string_view bytes) {
    const auto* const begin = reinterpret_cast<const uint8_t*>(bytes.data());
    Input at{begin, begin + bytes.size()};
    const size_t count = sections_.element_count_before();
    size_t same = 0;
    for (; same < count; ++same) {
      if (same > 0) {
        if (!StartsWith(at, tag)) break;
        at.at += tag.size();
      }
      Input item;
      if (!ReadBytes(at, &item) || !sections_.IsSame(sections_.ElementBefore(same), element, TextOf(item.at, item.end)))
        break;
    }
    sections_.set_same_elements(same);
    return same == count && at.done();
  }

  // As ReadElementSlot, of a list that is a section: the version before may have the element from the same bytes.
  bool ReadSectionElement(const Type& element, const Plan& plan, size_t index, WireType wire, Input& in, int depth,
                          bool share) {
    Input bytes;
    if (!ReadBytes(in, wire, &bytes)) return false;
    const std::string_view text = TextOf(bytes.at, bytes.end);
    if (index < sections_.same_elements() || sections_.IsSame(sections_.ElementBefore(index), element, text)) {
      Node* node = sections_.TakeElement(element, index);
      nodes_.set_unique(!node->frozen());
      slots_.PushValue(node);
      return true;
    }
    const size_t unknown_before = unknown_seen_;
    const size_t slot_at = slots_.size();
    slots_.PushValue<Node*>(nullptr);
    if (!ReadStructSlot(plan, slot_at, bytes, depth, share)) return false;
    sections_.NoteElement(element, unknown_seen_ == unknown_before ? text : std::string_view(), 0);
    return true;
  }

  // --- Lists and maps ---

  Node* TakeSlots(NodeKind kind, const Type& type, size_t base, bool share) {
    return slots_.TakeNode(kind, type, base, [&](std::byte* payload, size_t count) {
      return share ? nodes_.Make(kind, type, payload, count) : internal::OwnNode(kind, type, payload, count);
    });
  }
  // `first` is where the slots begin that are still ours to drop.
  bool DropSlotsAndFail(NodeKind kind, const Type& type, size_t base, size_t first = 0) {
    slots_.Drop(kind, type, base, first);
    return false;
  }

  // Reads a struct into a node of its own and puts that into the slot at `slot_at` of slots_, which is null.
  bool ReadStructSlot(const Plan& plan, size_t slot_at, Input in, int depth, bool share) {
    Node* node = nullptr;
    const bool read = ReadStructNode(plan, plan.type, &node, in, depth, share);
    NodeAt(slots_.at(slot_at)) = node;
    return read;
  }

  // `node` is null before.
  bool ReadStructNode(const Plan& plan, const void* place, Node** node, Input in, int depth, bool share) {
    const Type& type = *plan.type;
    const auto read = [&](Node** into) {
      if (share && type.ops == nullptr) return ReadSharedStruct(plan, into, in, depth);
      *into = NewStruct(type);
      return ReadStruct(plan, (*into)->payload(), in, depth);
    };
    return type.ops != nullptr ? read(node) : ReadSeen(place, type, TextOf(in.at, in.end), node, read);
  }

  static Node* NewStruct(const Type& type) {
    if (type.ops != nullptr) return internal::NewStructNode(type);
    Node* node = internal::AllocateNode(NodeKind::kStruct, type.size, 0, 0);
    std::memset(node->payload(), 0, type.size);
    return node;
  }

  bool ReadSharedStruct(const Plan& plan, Node** node, Input in, int depth) {
    const Type& type = *plan.type;
    const internal::NodeMaker::Scope uniqueness(nodes_);
    internal::Scratch::Block block(structs_, type.size);
    if (!ReadStruct(plan, block.data(), in, depth)) {
      internal::DestroyValue(type, block.data());
      return false;
    }
    *node = nodes_.Make(NodeKind::kStruct, type, block.data(), 0);
    return true;
  }

  // The value of a list or map in place; no such kind is larger than this.
  static constexpr size_t kLargestInlineValue = 32;

  // Reads one element, whose tag has been read, into a new slot of slots_.
  bool ReadElementSlot(const Type& element, const Plan* plan, WireType wire, Input& in, int depth, bool share) {
    const size_t slot_at = slots_.size();
    if (plan != nullptr) {
      Input bytes;
      if (!ReadBytes(in, wire, &bytes)) return false;
      slots_.PushValue<Node*>(nullptr);
      return ReadStructSlot(*plan, slot_at, bytes, depth, share);
    }
    alignas(8) std::byte value[kLargestInlineValue] = {};
    const bool read = ReadValue(element, value, wire, in, depth, share);
    std::memcpy(slots_.Push(SlotSize(element)), value, SlotSize(element));
    return read;
  }

  // The elements from here on, up to a field with another tag. `tag` is the bytes of the tag just read; `field` is the
  // list's own one, null when it is wrapped; `plan` is set for structs.
  bool ReadList(const Type& type, const Field* field, const Plan* plan, std::byte* value, std::string_view tag,
                WireType wire, Input& in, int depth, bool share) {
    const Type& element = *type.element;
    if (NeedsOps(type)) return AppendToOps(type, field, value, wire, in, depth);
    const internal::NodeMaker::Scope uniqueness(nodes_);
    const bool packed = wire == WireType::kBytes && IsNumeric(element.kind);
    const size_t base = slots_.size();
    const size_t step = SlotSize(element);
    const size_t existing = Length(type, value);
    const bool of_section = plan != nullptr && existing == 0 && sections_.IsOpen(value);
    for (;;) {
      const size_t index = existing + (slots_.size() - base) / step;
      const size_t unknown_mark = unknown_.count();
      const bool read = packed       ? ReadPacked(element, in)
                        : of_section ? ReadSectionElement(element, *plan, index, wire, in, depth, share)
                                     : ReadElementSlot(element, plan, wire, in, depth, share);
      if (!read) {
        FailAtIndex(index);
        return DropSlotsAndFail(NodeKind::kList, type, base);
      }
      if (unknown_.count() > unknown_mark && field != nullptr) {
        const void* item = NodeAt(slots_.at(slots_.size() - step))->payload();  // only structs hold unknown fields
        std::string name;
        internal::AppendElementStep(name, *field, element, item, index);
        if (!AddUnknownStep(unknown_mark, name)) return DropSlotsAndFail(NodeKind::kList, type, base);
      }
      if (!StartsWith(in, tag)) break;
      in.at += tag.size();
    }
    if (!CheckLength(existing + (slots_.size() - base) / step)) return DropSlotsAndFail(NodeKind::kList, type, base);
    if (existing == 0) {
      NodeAt(value) = TakeSlots(NodeKind::kList, type, base, share);
    } else {
      AppendSlots(type, value, base, step);
    }
    return true;
  }

  // Numbers one after another without tags, as other writers than Go's may send them.
  bool ReadPacked(const Type& element, Input& in) {
    Input bytes;
    if (!ReadBytes(in, &bytes)) return false;
    const WireType wire = internal::WireTypeFor(element.kind);
    while (!bytes.done()) {
      alignas(8) std::byte value[kLargestInlineValue] = {};
      if (!ReadNumber(element.kind, value, wire, bytes)) return false;
      std::memcpy(slots_.Push(element.size), value, element.size);
    }
    return true;
  }

  // To a list that has elements from earlier in the message. It grows by doubling, so scattered elements cost no more
  // than others; it is not shared.
  void AppendSlots(const Type& type, std::byte* value, size_t base, size_t step) {
    Node*& node = NodeAt(value);
    node = internal::DetachNode(type, node);
    for (size_t at = base; at < slots_.size(); at += step) {
      node = internal::GrowNode(type, node);
      std::memcpy(node->payload() + node->length() * step, slots_.at(at), step);
      node->set_length(node->length() + 1);
    }
    slots_.Truncate(base);
  }

  // One element of a list of which only its operations know the layout.
  bool AppendToOps(const Type& type, const Field* field, std::byte* value, WireType wire, Input& in, int depth) {
    const Type& element = *type.element;
    const size_t index = Length(type, value);
    const size_t unknown_mark = unknown_.count();
    if (wire == WireType::kBytes && IsNumeric(element.kind)) {
      Input bytes;
      if (!ReadBytes(in, &bytes)) return false;
      while (!bytes.done()) {
        alignas(8) std::byte number[kLargestInlineValue] = {};
        if (!ReadNumber(element.kind, number, internal::WireTypeFor(element.kind), bytes))
          return FailAtIndex(Length(type, value));
        std::memcpy(AppendElement(type, value), number, element.size);
      }
      return true;
    }
    auto* item = static_cast<std::byte*>(AppendElement(type, value));
    if (!ReadValue(element, item, wire, in, depth, false)) return FailAtIndex(index);
    if (unknown_.count() == unknown_mark || field == nullptr) return true;
    std::string name;
    internal::AppendElementStep(name, *field, element, item, index);
    return AddUnknownStep(unknown_mark, name);
  }

  // The key and the value's bytes of an entry.
  bool ReadEntryKey(Input entry, std::string_view* key) {
    return ReadSmallMessage(entry, [&](uint32_t number, WireType wire, Input& field, bool* known) {
      if (number == 1) return ReadView(field, wire, true, key);
      *known = false;
      return true;
    });
  }

  // The entries from here on, up to a field with another tag.
  bool ReadMap(const Type& type, const Plan* plan, std::byte* value, std::string_view tag, Input& in, int depth,
               bool share) {
    const Type& element = *type.element;
    const size_t base = slots_.size();
    const size_t step = MapEntrySize(element);
    const internal::NodeMaker::Scope uniqueness(nodes_);
    bool ascending = true;
    for (;;) {
      Input entry;
      if (!ReadBytes(in, &entry)) return DropSlotsAndFail(NodeKind::kMap, type, base);
      if (NeedsOps(type)) {
        if (!ReadEntryWithOps(type, value, entry, depth)) return false;
      } else {
        if (!ReadEntrySlots(element, plan, entry, depth, share)) return DropSlotsAndFail(NodeKind::kMap, type, base);
        const size_t last = slots_.size() - step;
        ascending = ascending && (last == base || EntryKey(slots_, last - step) < EntryKey(slots_, last));
      }
      if (!StartsWith(in, tag)) break;
      in.at += tag.size();
    }
    if (slots_.size() == base) return true;
    if (!CheckLength((slots_.size() - base) / step)) return DropSlotsAndFail(NodeKind::kMap, type, base);
    if (!ascending) internal::SortEntries(slots_, element, base);
    if (Node* existing = NodeAt(value); existing == nullptr) {
      NodeAt(value) = TakeSlots(NodeKind::kMap, type, base, share);
      return true;
    }
    return MergeEntries(type, value, base);
  }

  // The key, then the value, as two slots of slots_: whole also on an error, so that they can be dropped.
  bool ReadEntrySlots(const Type& element, const Plan* plan, Input entry, int depth, bool share) {
    std::string_view key;
    const size_t entry_at = slots_.size();
    slots_.Push(MapEntrySize(element));
    const size_t slot_at = entry_at + sizeof(Node*);
    bool has_value = false;
    const size_t unknown_mark = unknown_.count();
    const bool read = ReadSmallMessage(entry, [&](uint32_t number, WireType wire, Input& field, bool* known) {
      if (number == 1) return ReadView(field, wire, true, &key);
      *known = number == 2;
      if (number != 2) return true;
      Input bytes;
      if (plan == nullptr) {
        alignas(8) std::byte item[kLargestInlineValue];
        std::memcpy(item, slots_.at(slot_at), SlotSize(element));
        const bool read_value = ReadValue(element, item, wire, field, depth, share);
        std::memcpy(slots_.at(slot_at), item, SlotSize(element));
        return read_value;
      }
      if (!ReadBytes(field, wire, &bytes)) return false;
      if (!std::exchange(has_value, true)) return ReadStructSlot(*plan, slot_at, bytes, depth, share);
      Node*& node = NodeAt(slots_.at(slot_at));
      node = internal::DetachNode(element, node);
      std::byte* payload = node->payload();
      return ReadStruct(*plan, payload, bytes, depth);
    });
    if (!read) return FailAt("[" + std::string(key) + "]");
    if (plan != nullptr && !has_value && !ReadStructSlot(*plan, slot_at, {nullptr, nullptr}, depth, share))
      return false;
    NodeAt(slots_.at(entry_at)) = MakeString(key, share);
    return NameUnknownOfEntry(unknown_mark, key);
  }

  bool ReadEntryWithOps(const Type& type, std::byte* value, Input entry, int depth) {
    std::string_view key;
    if (!ReadEntryKey(entry, &key)) return false;
    const size_t unknown_mark = unknown_.count();
    auto* item = static_cast<std::byte*>(EnsureEntry(type, value, key));
    ResetValue(*type.element, item);
    const bool read = ReadSmallMessage(entry, [&](uint32_t number, WireType wire, Input& field, bool* known) {
      *known = number == 2;
      return number != 2 || ReadValue(*type.element, item, wire, field, depth, false);
    });
    if (!read) return FailAt("[" + std::string(key) + "]");
    return NameUnknownOfEntry(unknown_mark, key);
  }

  bool NameUnknownOfEntry(size_t unknown_mark, std::string_view key) {
    if (unknown_.count() == unknown_mark) return true;
    std::string step;
    internal::AppendEntryStep(step, key);
    return AddUnknownStep(unknown_mark, step);
  }

  // Into a map that has entries from earlier in the message; it is not shared.
  bool MergeEntries(const Type& type, std::byte* value, size_t base) {
    Node*& node = NodeAt(value);
    node = internal::DetachNode(type, node);
    const auto admits = [&](size_t moved) {
      return SpendWork(budget_.Spend(moved)) && CheckLength(node->length() + 1);
    };
    for (size_t at = base; at < slots_.size(); at += MapEntrySize(*type.element)) {
      if (!internal::MergeEntry(slots_, at, type, node, admits)) {
        return DropSlotsAndFail(NodeKind::kMap, type, base, at);
      }
    }
    slots_.Truncate(base);
    return true;
  }

  bool ReadWrappedList(const Type& type, std::byte* value, Input in, int depth, bool share) {
    while (!in.done()) {
      const uint8_t* start = in.at;
      uint32_t tag = 0;
      if (!ReadTag(in, &tag)) return false;
      if (internal::FieldNumber(tag) != 1) {
        if (!Skip(in, tag)) return false;
        continue;
      }
      if (!ReadList(type, nullptr, nullptr, value, TextOf(start, in.at), internal::WireTypeOf(tag), in, depth, share))
        return false;
    }
    return true;
  }

  static std::string_view TextOf(const uint8_t* begin, const uint8_t* end) {
    return {reinterpret_cast<const char*>(begin), static_cast<size_t>(end - begin)};
  }

  // --- Values and messages ---

  // One value of any kind but a plain list or a map. `value` holds a value already, which is replaced or merged into.
  bool ReadValue(const Type& type, std::byte* value, WireType wire, Input& in, int depth, bool share) {
    switch (type.kind) {
      case Kind::kBool:
      case Kind::kInt32:
      case Kind::kInt64:
      case Kind::kDouble: return ReadNumber(type.kind, value, wire, in);
      case Kind::kString:
      case Kind::kBytes: {
        std::string_view view;
        if (!ReadView(in, wire, type.kind == Kind::kString, &view)) return false;
        if (type.ops != nullptr) {
          WriteString(type, value, view);
        } else if (type.kind == Kind::kString) {
          SetString(value, view, share != options_.share_nodes);
        } else {
          internal::SetString(value, view, share);
        }
        return true;
      }
      default: break;
    }
    Input bytes;
    if (!ReadBytes(in, wire, &bytes)) return false;
    switch (type.kind) {
      case Kind::kStruct:
      case Kind::kUnion: return ReadStruct(plans_.Of(type), value, bytes, depth);
      case Kind::kTime: return ReadTime(bytes, value);
      case Kind::kMicroTime: return ReadMicroTime(bytes, value);
      case Kind::kDuration: return ReadDuration(bytes, value);
      case Kind::kQuantity: return ReadQuantity(bytes, value);
      case Kind::kIntOrString: return ReadIntOrString(bytes, value, share);
      case Kind::kRawExtension: return ReadRawExtension(bytes, value, share);
      case Kind::kFieldsV1: return ReadFieldsV1(bytes, value, share);
      case Kind::kList:
        if (type.wrapped) return ReadWrappedList(type, value, bytes, depth, share);
        break;
      default: break;
    }
    return Fail("a value of this type (" + std::string(type.name) + ") has no protobuf form");
  }

  bool ReadOptionalScalar(const Type& type, std::byte* value, WireType wire, Input& in, int depth, bool share) {
    const Type& element = *type.element;
    if (!ReadValue(element, value, wire, in, depth, share)) return false;
    if (type.storage == Storage::kInline) {
      value[element.size] = std::byte{1};
    } else if (NodeAt(value) == nullptr) {
      internal::MakePresent(value);  // an empty text is there all the same
    }
    return true;
  }

  bool ReadOptionalStruct(const Plan& plan, const void* place, std::byte* value, Input in, int depth, bool share) {
    Node*& node = NodeAt(value);
    const bool covered = sections_.covers(&node);
    if (node == nullptr) {
      const auto read = [&](Node** slot) { return ReadStructNode(plan, place, slot, in, depth, share); };
      return covered ? ReadSection(*plan.type, {}, TextOf(in.at, in.end), &node, read) : read(&node);
    }
    if (covered) sections_.GiveUp();
    node = internal::DetachNode(*plan.type, node);
    return ReadStruct(plan, node->payload(), in, depth);
  }

  bool ReadOptional(const Type& type, const Plan* plan, std::byte* value, WireType wire, Input& in, int depth,
                    bool share) {
    if (type.ops != nullptr) {
      return ReadValue(*type.element, static_cast<std::byte*>(EnsureOptional(type, value)), wire, in, depth, share);
    }
    if (plan == nullptr) return ReadOptionalScalar(type, value, wire, in, depth, share);
    Input bytes;
    return ReadBytes(in, wire, &bytes) && ReadOptionalStruct(*plan, &type, value, bytes, depth, share);
  }

  // The whole of one struct, merged into `value`.
  bool ReadStruct(const Plan& plan, std::byte* value, Input in, int depth) {
    if (!plan.keeps_unknown || has_owner_) return ReadMessage(plan, value, in, depth);
    // The outermost object with an ObjectMeta keeps what is not known anywhere inside.
    has_owner_ = true;
    const size_t unknown_mark = unknown_.count();
    const bool read = ReadMessage(plan, value, in, depth);
    has_owner_ = false;
    if (!read || unknown_.count() == unknown_mark) return read;
    UnknownFields& fields = *internal::FindUnknownFields(*plan.type, value);
    if (!SpendWork(unknown_.File(unknown_mark, fields, budget_))) return false;
    if (options_.share_nodes) ShareNodes(fields);
    return true;
  }

  bool ReadMessage(const Plan& plan, std::byte* value, Input in, int depth) {
    if (depth <= 0) return Fail("messages are nested deeper than the limit of " + std::to_string(options_.max_depth));
    const Row* row = plan.rows.data();
    size_t unknown_at = internal::ProtobufUnknown::kNone;
    while (!in.done()) {
      const uint8_t* const start = in.at;
      uint32_t tag = *in.at;
      if (tag < 0x80) {
        ++in.at;
      } else if (!ReadTag(in, &tag)) {
        return false;
      }
      // Writers send fields by ascending number, so the next row is a few steps ahead.
      while (row->tag < tag) ++row;
      if (row->tag != tag) [[unlikely]] {
        row = plan.rows.data();
        while (row->tag < tag) ++row;
      }
      if (row->tag != tag || row->step == Row::Step::kEnd) [[unlikely]] {
        if (!ReadOddField(plan, value, tag, start, in, &unknown_at, depth)) return false;
        row = plan.rows.data();
        continue;
      }
      std::byte* const member = value + row->offset;
      switch (row->step) {
        case Row::Step::kString: {
          std::string_view text;
          if (!ReadView(in, WireType::kBytes, true, &text)) return FailAt(std::string(row->field->name));
          nodes_.set_unique(row->unique);
          if (const String* same = sections_.covers(member) ? sections_.SameString(member, text) : nullptr) {
            *reinterpret_cast<String*>(member) = *same;
          } else {
            SetString(member, text, row->unique);
          }
          continue;
        }
        case Row::Step::kBool:
        case Row::Step::kInt32:
        case Row::Step::kInt64: {
          uint64_t number = 0;
          if (!ReadVarint(in, &number)) return FailAt(std::string(row->field->name));
          if (row->step == Row::Step::kBool) {
            *reinterpret_cast<bool*>(member) = number != 0;
          } else if (row->step == Row::Step::kInt32) {
            *reinterpret_cast<int32_t*>(member) = static_cast<int32_t>(static_cast<uint32_t>(number));
          } else {
            *reinterpret_cast<int64_t*>(member) = static_cast<int64_t>(number);
          }
          continue;
        }
        default: break;
      }
      if (!ReadRow(plan, *row, member, TextOf(start, in.at), in, depth - 1)) return false;
    }
    return true;
  }

  // A field that may hold messages, and so unknown fields.
  bool ReadRow(const Plan& plan, const Row& row, std::byte* member, std::string_view tag, Input& in, int depth) {
    const size_t unknown_mark = unknown_.count();
    const bool share = options_.share_nodes && !row.unique;
    nodes_.set_unique(row.unique);
    bool read = false;
    switch (row.step) {
      case Row::Step::kNested: {
        Input bytes;
        if (!ReadBytes(in, &bytes) || !ReadMessage(plans_.NestedIn(plan, row), member, bytes, depth)) return false;
        if (unknown_.count() == unknown_mark) return true;
        return AddUnknownField(unknown_mark, "#" + std::to_string(internal::FieldNumber(row.tag)));
      }
      case Row::Step::kStruct: {
        Input bytes;
        read = ReadBytes(in, &bytes) && ReadStruct(*plans_.StructIn(row), member, bytes, depth);
        break;
      }
      case Row::Step::kOptionalStruct: {
        Input bytes;
        read = ReadBytes(in, &bytes) && ReadOptionalStruct(*plans_.StructIn(row), &row, member, bytes, depth, share);
        break;
      }
      case Row::Step::kOptionalScalar:
        read = ReadOptionalScalar(*row.type, member, internal::WireTypeOf(row.tag), in, depth, share);
        break;
      case Row::Step::kList:
      case Row::Step::kMap: read = ReadRun(row, member, tag, in, depth, share); break;
      case Row::Step::kTime: {
        Input bytes;
        read = ReadBytes(in, &bytes) && ReadTime(bytes, member);
        break;
      }
      default: read = ReadField(row, member, tag, internal::WireTypeOf(row.tag), in, depth);
    }
    if (!read) return FailAt(std::string(row.field->name));
    return unknown_.count() == unknown_mark || AddUnknownField(unknown_mark, row.field->name);
  }

  // A list or map, of which all elements that come together may have been seen before.
  bool ReadRun(const Row& row, std::byte* member, std::string_view tag, Input& in, int depth, bool share) {
    const WireType wire = internal::WireTypeOf(row.tag);
    const auto read = [&](Node**) {
      if (row.step == Row::Step::kMap) return ReadMap(*row.type, plans_.StructIn(row), member, tag, in, depth, share);
      return ReadList(*row.type, row.field, plans_.StructIn(row), member, tag, wire, in, depth, share);
    };
    if (row.type->ops != nullptr || wire != WireType::kBytes) return read(nullptr);
    if (row.type->element->ops != nullptr) return read(nullptr);
    Node*& node = NodeAt(member);
    const bool covered = sections_.covers(&node);
    if (node != nullptr) {
      if (covered) sections_.GiveUp();
      return read(nullptr);
    }
    if (covered) {
      const uint8_t* const end = FindRunEnd(in, tag, in.left());
      if (end == nullptr) return read(nullptr);
      const auto read_seen = [&](Node**) { return ReadSeenRun(row, &node, tag, in, read); };
      if (!ReadSection(*row.type, tag, TextOf(in.at, end), &node, read_seen)) return false;
      in.at = end;
      return true;
    }
    return ReadSeenRun(row, &node, tag, in, read);
  }

  template <class ReadNode>
  bool ReadSeenRun(const Row& row, Node** node, std::string_view tag, Input& in, ReadNode read) {
    const internal::SeenValues::Place place = seen_.PlaceAt(&row, TextOf(in.at, in.end));
    if (!seen_.WorthALook(place)) return read(nullptr);
    const uint8_t* const end = FindRunEnd(in, tag, internal::SeenValues::kLongest);
    if (end == nullptr) return read(nullptr);
    if (!FindOrRead(place, *row.type, TextOf(in.at, end), node, read)) return false;
    in.at = end;
    return true;
  }

  // One that has no row, or a row with another wire type: unknown, packed numbers, or an error.
  bool ReadOddField(const Plan& plan, std::byte* value, uint32_t tag, const uint8_t* start, Input& in,
                    size_t* unknown_at, int depth) {
    const uint32_t number = internal::FieldNumber(tag);
    if (number == 0) return Fail("expected a field's tag, found bytes that are none");
    for (const Row& row : plan.rows) {
      if (internal::FieldNumber(row.tag) != number || row.step == Row::Step::kEnd) continue;
      const WireType wire = internal::WireTypeOf(tag);
      if (row.field == nullptr) return FailOnWireType(WireType::kBytes, wire);
      return ReadField(row, value + row.offset, TextOf(start, in.at), wire, in, depth - 1) ||
             FailAt(std::string(row.field->name));
    }
    if (!Skip(in, tag)) return false;
    ++unknown_seen_;
    if (has_owner_) unknown_.Keep(unknown_at, TextOf(start, in.at));
    return true;
  }

  bool ReadField(const Row& row, std::byte* value, std::string_view tag, WireType wire, Input& in, int depth) {
    const Type& type = *row.field->type;
    const bool share = options_.share_nodes && !row.unique;
    nodes_.set_unique(row.unique);
    switch (type.kind) {
      case Kind::kList:
        if (type.wrapped) return ReadValue(type, value, wire, in, depth, share);
        return ReadList(type, row.field, plans_.StructIn(row), value, tag, wire, in, depth, share);
      case Kind::kMap:
        if (wire != WireType::kBytes) return FailOnWireType(WireType::kBytes, wire);
        return ReadMap(type, plans_.StructIn(row), value, tag, in, depth, share);
      case Kind::kOptional: return ReadOptional(type, plans_.StructIn(row), value, wire, in, depth, share);
      default: return ReadValue(type, value, wire, in, depth, share);
    }
  }

  // --- Unknown fields ---

  bool AddUnknownField(size_t mark, std::string_view name) {
    std::string step;
    internal::AppendFieldStep(step, name);
    return AddUnknownStep(mark, step);
  }
  bool AddUnknownStep(size_t mark, const std::string& step) { return SpendWork(unknown_.AddStep(mark, step, budget_)); }

  ProtobufReadOptions options_;
  // Elements of the lists and entries of the maps being read, the innermost at the end.
  internal::SlotStack slots_;
  // Structs being read that will be shared.
  internal::Scratch structs_;
  std::vector<size_t> piece_ends_;
  internal::ProtobufPlans plans_;
  internal::ProtobufUnknown unknown_;
  size_t unknown_seen_ = 0;  // also of those that nobody keeps
  internal::SeenValues seen_;
  internal::SeenStrings strings_;
  internal::NodeMaker nodes_;
  internal::SectionReuse sections_;
  bool has_owner_ = false;  // of the unknown fields at hand
  internal::WorkBudget budget_;
};

ProtobufReader::ProtobufReader(ProtobufReadOptions options) : impl_(std::make_unique<Impl>(options)) {}
ProtobufReader::~ProtobufReader() = default;
ProtobufReader::ProtobufReader(ProtobufReader&&) noexcept = default;
ProtobufReader& ProtobufReader::operator=(ProtobufReader&&) noexcept = default;

Result<void> ProtobufReader::Read(const Type& type, void* value, std::string_view message) {
  return impl_->Read(type, value, message);
}

void ProtobufReader::set_options(const ProtobufReadOptions& options) { impl_->set_options(options); }

constexpr size_t kLargeMessage = size_t{4} << 20;

Result<void> DecodeProtobuf(const Type& type, void* value, std::string_view message,
                            const ProtobufReadOptions& options) {
  thread_local ProtobufReader reader;
  reader.set_options(options);
  Result<void> result = reader.Read(type, value, message);
  if (message.size() > kLargeMessage) reader = ProtobufReader();  // its buffers are large too
  return result;
}

}  // namespace keelson
