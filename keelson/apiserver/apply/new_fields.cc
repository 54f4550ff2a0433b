#include "keelson/apiserver/apply/new_fields.h"

#include <algorithm>
#include <vector>

#include "keelson/api/compare.h"
#include "keelson/api/meta/v1.h"
#include "keelson/apiserver/apply/json_forms.h"
#include "keelson/apiserver/apply/typed_sides.h"
#include "keelson/apiserver/apply/values.h"
#include "keelson/apiserver/custom/custom_object.h"
#include "keelson/codec/convert.h"

namespace keelson::apiserver {

namespace {

using internal::ElementOf;
using internal::Inner;
using internal::IsNeverManaged;
using internal::Side;
using internal::SideOf;

// Writes what is inside the braces of a set. Members come in order, so what is written stays where it is.
class Writer {
 public:
  explicit Writer(std::string& out) : out_(out) {}

  void Struct(const Shape& shape, const Type& type, const void* before, const void* after, bool own_metadata = false) {
    for (const Shape::StructField& place : shape.struct_fields) {
      const Field& field = type.fields[place.field];
      const Side to = SideOf(field, after);
      if (!to.there || (own_metadata && IsNeverManaged(field.name))) continue;
      const Shape::Member& member = shape.members[place.member];
      Value(member.element, *member.shape, Inner(*field.type), SideOf(field, before), to);
    }
  }

  // A value that is there now. `before` is what a default object has in its place.
  void Value(const PathElement& element, const Shape& shape, const Type& type, Side before, Side after) {
    const bool is_new = !before.there;
    switch (type.kind) {
      case Kind::kStruct:
        if (shape.atomic_map) break;
        return Member(element, is_new, [&] {
          if (after.value != nullptr) Struct(shape, type, before.value, after.value);
        });
      case Kind::kMap:
        if (shape.atomic_map) break;
        return Member(element, is_new, [&] { Entries(shape, type, after.value); });
      case Kind::kList:
        if (shape.list_type == ListType::kAtomic) break;
        return Member(element, is_new, [&] { Items(shape, type, after.value); });
      case Kind::kJson:
      case Kind::kUnion: return Document(element, shape, type, before, after);
      default: break;
    }
    const bool same =
        !is_new && (before.value == nullptr || after.value == nullptr ? before.value == after.value
                                                                      : Equal(type, before.value, after.value));
    if (!same) Member(element, true, [] {});
  }

  // A document that was not there before.
  void NewDocument(const PathElement& element, const Shape& shape, const Json& value) {
    Member(element, true, [&] {
      switch (FormOf(shape, &value)) {
        case Form::kScalar: return;
        case Form::kList:
          if (shape.list_type != ListType::kAtomic && value.is_list()) NewItems(shape, value.list());
          return;
        case Form::kMap:
          if (!shape.atomic_map && value.is_object()) NewMembers(shape, value.object());
          return;
      }
    });
  }

 private:
  // `self`: the field itself is in the set, and not only what `below` writes; with neither there is nothing.
  template <class Below>
  void Member(const PathElement& element, bool self, Below below) {
    const size_t begin = out_.size();
    if (out_.back() != '{') out_ += ',';
    element.AppendQuoted(out_);
    out_ += ":{";
    const size_t inside = out_.size();
    if (self) out_ += "\".\":{}";
    const size_t empty = out_.size();
    below();
    if (out_.size() == empty) {
      out_.resize(self ? inside : begin);
      if (!self) return;
    }
    out_ += '}';
  }

  void Inside(const FieldSet& set) {
    if (set.empty()) return;
    const std::string text = set.ToText();
    if (out_.back() != '{') out_ += ',';
    out_.append(text, 1, text.size() - 2);
  }

  void Entries(const Shape& shape, const Type& type, const void* map) {
    if (map == nullptr) return;
    ForEachEntry(type, map, [&](std::string_view key, const void* element) {
      Value(PathElement::Field(key), *shape.other, *type.element, {}, {true, element});
      return true;
    });
  }

  void Items(const Shape& shape, const Type& type, const void* list) {
    if (list == nullptr) return;
    std::vector<std::pair<PathElement, const void*>> items;
    for (size_t i = 0; i < Length(type, list); ++i) {
      const void* item = ReadElement(type, list, i);
      items.emplace_back(ElementOf(shape, *type.element, item), item);
    }
    InOrder(items, [&](const PathElement& element, const void* item) {
      Value(element, *shape.item, *type.element, {}, {true, item});
    });
  }

  void NewItems(const Shape& shape, const JsonList& list) {
    std::vector<std::pair<PathElement, const Json*>> items;
    for (const Json& item : list) {
      ItemElement at = keelson::apiserver::ElementOf(shape, item);
      if (at.element) items.emplace_back(std::move(*at.element), &item);
    }
    InOrder(items, [&](const PathElement& element, const Json* item) { NewDocument(element, *shape.item, *item); });
  }

  // Both have their names in order, so each is looked for behind the one before it.
  void NewMembers(const Shape& shape, const JsonObject& object) {
    size_t at = 0;
    for (const auto& [name, value] : object) {
      while (at < shape.members.size() && shape.members[at].element.name().view() < name.view()) ++at;
      if (at < shape.members.size() && shape.members[at].element.name() == name) {
        NewDocument(shape.members[at].element, *shape.members[at].shape, value);
      } else if (shape.other != nullptr) {
        NewDocument(PathElement::Field(name), *shape.other, value);
      }
    }
  }

  // Calls write(element, item) for the elements of a list, sorted.
  template <class Item, class Write>
  void InOrder(std::vector<std::pair<PathElement, Item>>& items, Write write) {
    std::sort(items.begin(), items.end(), [](const auto& a, const auto& b) { return Compare(a.first, b.first) < 0; });
    for (size_t i = 0; i < items.size(); ++i) {
      size_t end = i + 1;
      while (end < items.size() && items[end].first == items[i].first) ++end;
      if (end == i + 1) {
        write(items[i].first, items[i].second);
      } else {
        // Elements of one key are one field.
        Member(items[i].first, true, [] {});
        i = end - 1;
      }
    }
  }

  void Document(const PathElement& element, const Shape& shape, const Type& type, Side before, Side after) {
    const Json from = before.value != nullptr ? ToJsonValue(type, before.value) : Json();
    const Json to = after.value != nullptr ? ToJsonValue(type, after.value) : Json();
    Comparison below;
    const Change change = CompareValue(shape, before.there ? &from : nullptr, &to, below);
    if (!change.added && !change.modified && below.empty()) return;
    Member(element, change.added || change.modified, [&] { Inside(below.added.Union(below.modified)); });
  }

  std::string& out_;
};

bool IsIgnored(const FieldSet& ignored, const PathElement& element) {
  const FieldNode* node = ignored.Find(element);
  return node != nullptr && node->member;
}

// Of an object whose metadata begins at `meta`.
void WriteMetadata(Writer& writer, const Shape& shape, const metav1::ObjectMeta& meta, std::string& out) {
  static const metav1::ObjectMeta kNone;
  const size_t begin = out.size();
  out += out.back() == '{' ? "\"f:metadata\":{" : ",\"f:metadata\":{";
  const size_t inside = out.size();
  writer.Struct(shape, TypeOf<metav1::ObjectMeta>(), &kNone, &meta, true);
  if (out.size() == inside) {
    out.resize(begin);
  } else {
    out += '}';
  }
}

void WriteCustom(Writer& writer, const Shape& shape, const CustomObject& object, const FieldSet& ignored,
                 std::string& out) {
  bool metadata_done = false;
  const auto write_metadata = [&] {
    if (!std::exchange(metadata_done, true)) {
      WriteMetadata(writer, *shape.FindMember("metadata")->shape, object.metadata, out);
    }
  };
  if (object.content.is_object()) {
    for (const auto& [name, value] : object.content.object()) {
      if (name.view() > "metadata") write_metadata();
      const Shape* known = shape.ShapeOfMember(name);
      const PathElement element = PathElement::Field(name);
      if (known != nullptr && !IsIgnored(ignored, element)) writer.NewDocument(element, *known, value);
    }
  }
  write_metadata();
}

}  // namespace

std::string FieldsOfNewObject(const Shape& shape, const AnyValue& object, const FieldSet& ignored) {
  std::string out;
  out.reserve(512);
  out += '{';
  Writer writer(out);
  if (const CustomObject* custom = AsCustom(object)) {
    WriteCustom(writer, shape, *custom, ignored, out);
    return out + '}';
  }
  const AnyValue none(object.type());
  for (const Shape::StructField& place : shape.struct_fields) {
    const Field& field = object.type().fields[place.field];
    const Shape::Member& member = shape.members[place.member];
    const Side after = SideOf(field, object.data());
    if (!after.there || IsIgnored(ignored, member.element)) continue;
    if (field.type == &TypeOf<metav1::ObjectMeta>()) {
      WriteMetadata(writer, *member.shape, *static_cast<const metav1::ObjectMeta*>(after.value), out);
    } else {
      writer.Value(member.element, *member.shape, Inner(*field.type), SideOf(field, none.data()), after);
    }
  }
  return out + '}';
}

}  // namespace keelson::apiserver
