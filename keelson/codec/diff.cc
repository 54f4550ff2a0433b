#include "keelson/codec/diff.h"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <utility>

#include "keelson/api/access.h"
#include "keelson/api/compare.h"
#include "keelson/api/values.h"
#include "keelson/codec/convert.h"
#include "keelson/codec/internal/scalar_text.h"
#include "keelson/codec/internal/unknown_path.h"
#include "keelson/codec/json_writer.h"

namespace keelson {

namespace {

// Deeper parts are compared as a whole; the built-in types end long before, recursive schemas and documents may not.
constexpr int kMaxDepth = 200;

const void* NodeAt(const void* handle) { return *static_cast<const void* const*>(handle); }

bool SameNode(const Type& type, const void* a, const void* b) {
  return a == b || (type.storage == Storage::kNode && NodeAt(a) == NodeAt(b));
}

// The keys of a list-map's element, as text; an absent one is "".
std::vector<std::pair<std::string, std::string>> KeysOf(std::string_view names, const Type& type, const void* element) {
  std::vector<std::pair<std::string, std::string>> keys;
  while (!names.empty()) {
    const std::string_view name = names.substr(0, names.find(','));
    names.remove_prefix(std::min(names.size(), name.size() + 1));
    std::string text;
    if (const Field* field = type.FindField(name)) {
      internal::AppendScalarText(*field->type, ReadField(*field, element), text);
    }
    keys.emplace_back(name, std::move(text));
  }
  return keys;
}

class Differ {
 public:
  explicit Differ(const DiffOptions& options) : options_(options) {}

  std::vector<FieldChange> Take() && { return std::move(changes_); }

  // `field` is the one that holds the value, if one does: it says how a list's elements are told apart and whether an
  // empty value is left out of JSON.
  void Compare(const Type& type, const void* a, const void* b, const Field* field) {
    if (Full() || SameNode(type, a, b)) return;
    if (depth_ == kMaxDepth) return CompareWhole(type, a, b, field);
    ++depth_;
    switch (type.kind) {
      case Kind::kStruct: CompareStructs(type, a, b); break;
      case Kind::kOptional: CompareOptionals(type, a, b, field); break;
      case Kind::kMap: CompareMaps(type, a, b); break;
      case Kind::kList: CompareLists(type, a, b, field); break;
      case Kind::kJson: CompareJson(*static_cast<const Json*>(a), *static_cast<const Json*>(b)); break;
      default: CompareWhole(type, a, b, field); break;
    }
    --depth_;
  }

 private:
  using Keys = std::vector<std::pair<std::string, std::string>>;

  bool Full() const { return changes_.size() >= options_.max_changes; }

  void Add(ChangeKind kind, Json before, Json after) {
    if (!Full()) changes_.push_back({path_, kind, std::move(before), std::move(after)});
  }
  void AddAdded(const Type& type, const void* b) { Add(ChangeKind::kAdded, Json(), ToJsonValue(type, b)); }
  void AddRemoved(const Type& type, const void* a) { Add(ChangeKind::kRemoved, ToJsonValue(type, a), Json()); }

  // Runs `then` one step further down.
  template <class Then>
  void At(FieldPath::Step step, Then then) {
    path_.Append(std::move(step));
    then();
    path_.RemoveLast();
  }
  template <class Then>
  void AtKey(std::string_view key, Then then) {
    At({.kind = FieldPath::StepKind::kKey, .name = std::string(key)}, std::move(then));
  }
  template <class Then>
  void AtIndex(size_t index, Then then) {
    At({.kind = FieldPath::StepKind::kIndex, .index = index}, std::move(then));
  }
  template <class Then>
  void AtElement(const Keys& keys, Then then) {
    At({.kind = FieldPath::StepKind::kElement, .keys = keys}, std::move(then));
  }

  void CompareWhole(const Type& type, const void* a, const void* b, const Field* field) {
    if (Equal(type, a, b)) return;
    const auto left_out = [&](const void* value) {
      return field != nullptr &&
             ((field->omit_empty && IsEmpty(type, value)) || (field->omit_zero && IsZero(type, value)));
    };
    if (left_out(a)) return AddAdded(type, b);
    if (left_out(b)) return AddRemoved(type, a);
    Json before = ToJsonValue(type, a);
    Json after = ToJsonValue(type, b);
    const ChangeKind kind = before.is_null()  ? ChangeKind::kAdded
                            : after.is_null() ? ChangeKind::kRemoved
                                              : ChangeKind::kChanged;
    Add(kind, std::move(before), std::move(after));
  }

  void CompareStructs(const Type& type, const void* a, const void* b) {
    for (const Field& field : type.fields) {
      const void* in_a = ReadField(field, a);
      const void* in_b = ReadField(field, b);
      if (field.name.empty()) {
        CompareUnknown(*static_cast<const UnknownFields*>(in_a), *static_cast<const UnknownFields*>(in_b));
        continue;
      }
      if (Full()) return;
      if (SameNode(*field.type, in_a, in_b)) continue;
      At({.kind = FieldPath::StepKind::kField, .name = std::string(field.name)},
         [&] { Compare(*field.type, in_a, in_b, &field); });
    }
  }

  void CompareOptionals(const Type& type, const void* a, const void* b, const Field* field) {
    const void* in_a = ReadOptional(type, a);
    const void* in_b = ReadOptional(type, b);
    if (in_a == nullptr && in_b == nullptr) return;
    if (in_a == nullptr) return AddAdded(*type.element, in_b);
    if (in_b == nullptr) return AddRemoved(*type.element, in_a);
    // An optional that holds an empty value is there: only its absence is left out.
    Field present = field == nullptr ? Field{.name = {}, .type = type.element, .offset = 0} : *field;
    present.omit_empty = false;
    present.omit_zero = false;
    Compare(*type.element, in_a, in_b, &present);
  }

  void CompareMaps(const Type& type, const void* a, const void* b) {
    // Both come in key order: one pass over the two.
    std::vector<std::pair<std::string_view, const void*>> in_b;
    in_b.reserve(Length(type, b));
    ForEachEntry(type, b, [&](std::string_view key, const void* element) {
      in_b.emplace_back(key, element);
      return true;
    });
    auto next = in_b.begin();
    const auto add_until = [&](auto is_before) {
      for (; next != in_b.end() && is_before(next->first) && !Full(); ++next) {
        AtKey(next->first, [&] { AddAdded(*type.element, next->second); });
      }
    };
    ForEachEntry(type, a, [&](std::string_view key, const void* element) {
      add_until([&](std::string_view added) { return added < key; });
      if (next != in_b.end() && next->first == key) {
        if (!SameNode(*type.element, element, next->second)) {
          AtKey(key, [&] { Compare(*type.element, element, next->second, nullptr); });
        }
        ++next;
      } else {
        AtKey(key, [&] { AddRemoved(*type.element, element); });
      }
      return !Full();
    });
    add_until([](std::string_view) { return true; });
  }

  void CompareLists(const Type& type, const void* a, const void* b, const Field* field) {
    if (field != nullptr && field->list_type == ListType::kMap && type.element->kind == Kind::kStruct &&
        CompareByKeys(type, a, b, field->list_keys)) {
      return;
    }
    const size_t size_a = Length(type, a);
    const size_t size_b = Length(type, b);
    for (size_t i = 0; i < std::max(size_a, size_b) && !Full(); ++i) {
      AtIndex(i, [&] {
        if (i >= size_a) return AddAdded(*type.element, ReadElement(type, b, i));
        if (i >= size_b) return AddRemoved(*type.element, ReadElement(type, a, i));
        Compare(*type.element, ReadElement(type, a, i), ReadElement(type, b, i), nullptr);
      });
    }
  }

  struct KeyedElement {
    Keys keys;
    std::string name;  // the keys as a path prints them
    const void* element;
  };

  // False when keys repeat within a list: then they tell nothing.
  static bool CollectKeyed(const Type& type, const void* list, std::string_view names, std::vector<KeyedElement>& out,
                           std::unordered_map<std::string, size_t>& by_name) {
    for (size_t i = 0; i < Length(type, list); ++i) {
      const void* element = ReadElement(type, list, i);
      Keys keys = KeysOf(names, *type.element, element);
      std::string name = FieldPath().Element(keys).ToString();
      if (!by_name.emplace(name, i).second) return false;
      out.push_back({std::move(keys), std::move(name), element});
    }
    return true;
  }

  bool CompareByKeys(const Type& type, const void* a, const void* b, std::string_view names) {
    std::vector<KeyedElement> in_a;
    std::vector<KeyedElement> in_b;
    std::unordered_map<std::string, size_t> by_name_a;
    std::unordered_map<std::string, size_t> by_name_b;
    if (!CollectKeyed(type, a, names, in_a, by_name_a) || !CollectKeyed(type, b, names, in_b, by_name_b)) return false;

    bool reordered = false;
    size_t last_position = 0;
    for (const KeyedElement& keyed : in_a) {
      const auto match = by_name_b.find(keyed.name);
      if (match == by_name_b.end()) {
        AtElement(keyed.keys, [&] { AddRemoved(*type.element, keyed.element); });
        continue;
      }
      reordered = reordered || match->second < last_position;
      last_position = match->second;
      AtElement(keyed.keys, [&] { Compare(*type.element, keyed.element, in_b[match->second].element, nullptr); });
    }
    for (const KeyedElement& keyed : in_b) {
      if (by_name_a.contains(keyed.name)) continue;
      AtElement(keyed.keys, [&] { AddAdded(*type.element, keyed.element); });
    }
    if (reordered) Add(ChangeKind::kReordered, NamesOf(in_a), NamesOf(in_b));
    return true;
  }

  static Json NamesOf(const std::vector<KeyedElement>& elements) {
    Json names = Json::Array();
    for (const KeyedElement& keyed : elements) names.list().push_back(Json(keyed.name));
    return names;
  }

  void CompareJson(const Json& a, const Json& b) {
    if (a.is_object() && b.is_object()) return Compare(TypeOf<JsonObject>(), &a.object(), &b.object(), nullptr);
    if (a.is_list() && b.is_list()) return Compare(TypeOf<JsonList>(), &a.list(), &b.list(), nullptr);
    if (a != b) Add(ChangeKind::kChanged, a, b);
  }

  // The path is at the metadata of the object whose unknown fields these are.
  void CompareUnknown(const UnknownFields& a, const UnknownFields& b) {
    if (SameNode(TypeOf<UnknownFields>(), &a, &b)) return;
    for (const auto& [key, bytes] : a) {
      const Bytes* other = b.find(key);
      if (other == nullptr) {
        AtUnknown(key, [&] { Add(ChangeKind::kRemoved, UnknownValue(key, bytes), Json()); });
      } else if (bytes != *other) {
        AtUnknown(key, [&] { Add(ChangeKind::kChanged, UnknownValue(key, bytes), UnknownValue(key, *other)); });
      }
    }
    for (const auto& [key, bytes] : b) {
      if (!a.contains(key)) AtUnknown(key, [&] { Add(ChangeKind::kAdded, Json(), UnknownValue(key, bytes)); });
    }
  }

  // From the key of an unknown field (internal/unknown_path.h), which counts from the object, to a path.
  template <class Then>
  void AtUnknown(std::string_view key, Then then) {
    const FieldPath here = path_;
    path_.RemoveLast();
    constexpr char kMarks[] = {internal::kStep, internal::kJsonMark, internal::kProtobufMark, '\0'};
    while (!key.empty()) {
      const char mark = key.front();
      key.remove_prefix(1);
      const std::string_view step = key.substr(0, key.find_first_of(kMarks));
      key.remove_prefix(step.size());
      if (mark == internal::kProtobufMark) continue;
      if (mark == internal::kStep && step.starts_with('{')) {
        path_ = path_.Key(step.substr(1, step.size() - 2));
      } else if (Result<FieldPath> element = FieldPath::Parse(step);
                 mark == internal::kStep && step.starts_with('[') && element) {
        path_.Append(element->steps()[0]);
      } else {
        path_ = path_.Field(step);
      }
    }
    then();
    path_ = here;
  }

  // JSON where it is, and otherwise the bytes in base64.
  static Json UnknownValue(std::string_view key, const Bytes& bytes) {
    if (key.find(internal::kJsonMark) != std::string_view::npos) {
      if (Result<Json> value = ParseJson(bytes.view())) return *std::move(value);
    }
    return ToJsonValue(bytes);
  }

  const DiffOptions& options_;
  FieldPath path_;
  int depth_ = 0;
  std::vector<FieldChange> changes_;
};

std::string Shown(const Json& value, size_t max_bytes) {
  std::string text = ToJson(value);
  if (text.size() <= max_bytes) return text;
  size_t end = max_bytes;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;  // not within a character
  text.resize(end);
  return text + "…";
}

}  // namespace

std::vector<FieldChange> Diff(const Type& type, const void* before, const void* after, const DiffOptions& options) {
  Differ differ(options);
  differ.Compare(type, before, after, nullptr);
  return std::move(differ).Take();
}

std::string ToString(const FieldChange& change, size_t max_value_bytes) {
  std::string line = change.path.ToString() + ": ";
  const auto shown = [&](const Json& value) { return Shown(value, max_value_bytes); };
  switch (change.kind) {
    case ChangeKind::kAdded: return line + "added " + shown(change.after);
    case ChangeKind::kRemoved: return line + "removed " + shown(change.before);
    case ChangeKind::kChanged: return line + shown(change.before) + " → " + shown(change.after);
    case ChangeKind::kReordered: return line + "reordered " + shown(change.before) + " → " + shown(change.after);
  }
  return line;
}

std::string ToString(std::span<const FieldChange> changes, size_t max_value_bytes) {
  std::string lines;
  for (const FieldChange& change : changes) lines += ToString(change, max_value_bytes) + '\n';
  return lines;
}

}  // namespace keelson
