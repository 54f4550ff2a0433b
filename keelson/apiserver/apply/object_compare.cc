#include "keelson/apiserver/apply/object_compare.h"

#include <algorithm>
#include <map>

#include "keelson/api/compare.h"
#include "keelson/api/meta/v1.h"
#include "keelson/apiserver/apply/typed_sides.h"
#include "keelson/apiserver/custom/custom_object.h"
#include "keelson/codec/convert.h"

namespace keelson::apiserver {

namespace {

using internal::ElementOf;
using internal::Inner;
using internal::IsNeverManaged;
using internal::Side;
using internal::SideOf;

Change Walk(const Shape& shape, const Type& type, Side before, Side after, Comparison& below);

Change WholeChange(Side before, Side after) {
  return {.added = !before.there, .removed = before.there && !after.there};
}

Change LeafChange(const Type& type, Side before, Side after) {
  if (!before.there || !after.there) return WholeChange(before, after);
  if (before.value == nullptr || after.value == nullptr) return {.modified = before.value != after.value};
  return {.modified = !Equal(type, before.value, after.value)};
}

void WalkChild(const PathElement& element, const Shape& shape, const Type& type, Side before, Side after,
               Comparison& comparison) {
  Comparison inner;
  const Change change = Walk(shape, type, before, after, inner);
  if (change.added || change.modified || change.removed || !inner.empty()) {
    AddChange(element, change, std::move(inner), comparison, true);
  }
}

// `own_metadata`: it is the metadata of the object itself.
void WalkStruct(const Shape& shape, const Type& type, const void* before, const void* after, bool own_metadata,
                Comparison& below) {
  for (const Shape::StructField& place : shape.struct_fields) {
    const Field& field = type.fields[place.field];
    const Side from = SideOf(field, before);
    const Side to = SideOf(field, after);
    if (!from.there && !to.there) continue;
    if (own_metadata && IsNeverManaged(field.name)) continue;
    const Shape::Member& member = shape.members[place.member];
    WalkChild(member.element, *member.shape, Inner(*field.type), from, to, below);
  }
}

void WalkMap(const Shape& shape, const Type& type, const void* before, const void* after, Comparison& below) {
  using Entries = std::vector<std::pair<std::string_view, const void*>>;
  const auto entries_of = [&](const void* map) {
    Entries entries;
    if (map == nullptr) return entries;
    ForEachEntry(type, map, [&](std::string_view key, const void* element) {
      entries.emplace_back(key, element);
      return true;
    });
    return entries;
  };
  const Entries left = entries_of(before);
  const Entries right = entries_of(after);
  size_t a = 0;
  size_t b = 0;
  while (a < left.size() || b < right.size()) {
    const int order = a == left.size() ? 1 : b == right.size() ? -1 : left[a].first.compare(right[b].first);
    const std::string_view key = order <= 0 ? left[a].first : right[b].first;
    const Side from = order <= 0 ? Side{true, left[a++].second} : Side();
    const Side to = order >= 0 ? Side{true, right[b++].second} : Side();
    Comparison inner;
    const Change change = Walk(*shape.other, *type.element, from, to, inner);
    if (change.added || change.modified || change.removed || !inner.empty()) {
      AddChange(PathElement::Field(key), change, std::move(inner), below, true);
    }
  }
}

void WalkItems(const Shape& shape, const Type& type, const void* before, const void* after, Comparison& below) {
  struct Less {
    bool operator()(const PathElement& a, const PathElement& b) const { return Compare(a, b) < 0; }
  };
  struct Sides {
    std::vector<const void*> before;
    std::vector<const void*> after;
  };
  const Type& item = *type.element;
  std::map<PathElement, Sides, Less> items;
  const auto gather = [&](const void* list, std::vector<const void*> Sides::* side) {
    if (list == nullptr) return;
    for (size_t i = 0; i < Length(type, list); ++i) {
      const void* value = ReadElement(type, list, i);
      (items[ElementOf(shape, item, value)].*side).push_back(value);
    }
  };
  gather(before, &Sides::before);
  gather(after, &Sides::after);
  const auto side_of = [](const std::vector<const void*>& values) {
    return values.empty() ? Side() : Side{true, values[0]};
  };
  for (const auto& [element, sides] : items) {
    Comparison inner;
    Change change;
    const Side from = side_of(sides.before);
    const Side to = side_of(sides.after);
    if (sides.before.size() <= 1 && sides.after.size() <= 1) {
      change = Walk(*shape.item, item, from, to, inner);
    } else if (sides.before.size() >= 2 && sides.after.size() >= 2) {
      bool same = sides.before.size() == sides.after.size();
      for (size_t i = 0; same && i < sides.before.size(); ++i) same = Equal(item, sides.before[i], sides.after[i]);
      change.modified = !same;
    } else if (sides.before.size() >= 2) {
      if (to.there) change = Walk(*shape.item, item, {}, to, inner);
      change.removed = true;
    } else {
      if (from.there) change = Walk(*shape.item, item, from, {}, inner);
      change.added = true;
    }
    if (change.added || change.modified || change.removed || !inner.empty()) {
      AddChange(element, change, std::move(inner), below, true);
    }
  }
}

// As a document: what has no table of its own.
Change WalkDocument(const Shape& shape, const Type& type, Side before, Side after, Comparison& below) {
  const Json from = before.value != nullptr ? ToJsonValue(type, before.value) : Json();
  const Json to = after.value != nullptr ? ToJsonValue(type, after.value) : Json();
  return CompareValue(shape, before.there ? &from : nullptr, after.there ? &to : nullptr, below);
}

Change Walk(const Shape& shape, const Type& type, Side before, Side after, Comparison& below) {
  switch (type.kind) {
    case Kind::kStruct:
      if (shape.atomic_map) break;
      WalkStruct(shape, type, before.value, after.value, false, below);
      return WholeChange(before, after);
    case Kind::kMap:
      if (shape.atomic_map) break;
      WalkMap(shape, type, before.value, after.value, below);
      return WholeChange(before, after);
    case Kind::kList:
      if (shape.list_type == ListType::kAtomic) break;
      WalkItems(shape, type, before.value, after.value, below);
      return WholeChange(before, after);
    case Kind::kJson:
    case Kind::kUnion: return WalkDocument(shape, type, before, after, below);
    default: break;
  }
  return LeafChange(type, before, after);
}

bool IsIgnored(const FieldSet& ignored, const PathElement& element) {
  const FieldNode* node = ignored.Find(element);
  return node != nullptr && node->member;
}

void CompareCustom(const Shape& shape, const CustomObject& before, const CustomObject& after, const FieldSet& ignored,
                   Comparison& comparison) {
  static const PathElement kMetadata = PathElement::Field("metadata");
  static const Json kEmpty = Json::Object();
  const Json& from = before.content.is_object() ? before.content : kEmpty;
  const Json& to = after.content.is_object() ? after.content : kEmpty;
  CompareValue(shape, &from, &to, comparison);
  if (IsIgnored(ignored, kMetadata)) return;
  Comparison inner;
  WalkStruct(*shape.FindMember("metadata")->shape, TypeOf<metav1::ObjectMeta>(), &before.metadata, &after.metadata,
             true, inner);
  AddChange(kMetadata, {}, std::move(inner), comparison, false);
}

}  // namespace

Comparison CompareObjects(const Shape& shape, const AnyValue& before, const AnyValue& after, const FieldSet& ignored) {
  Comparison comparison;
  if (IsCustom(after.type())) {
    CompareCustom(shape, *AsCustom(before), *AsCustom(after), ignored, comparison);
  } else {
    for (const Shape::StructField& place : shape.struct_fields) {
      const Field& field = after.type().fields[place.field];
      const Shape::Member& member = shape.members[place.member];
      if (IsIgnored(ignored, member.element)) continue;
      const Side from = SideOf(field, before.data());
      const Side to = SideOf(field, after.data());
      if (!from.there && !to.there) continue;
      if (field.type == &TypeOf<metav1::ObjectMeta>()) {
        Comparison inner;
        WalkStruct(*member.shape, *field.type, from.value, to.value, true, inner);
        AddChange(member.element, {}, std::move(inner), comparison, true);
      } else {
        WalkChild(member.element, *member.shape, Inner(*field.type), from, to, comparison);
      }
    }
  }
  if (!ignored.empty()) {
    comparison.added = comparison.added.RecursiveDifference(ignored);
    comparison.modified = comparison.modified.RecursiveDifference(ignored);
    comparison.removed = comparison.removed.RecursiveDifference(ignored);
  }
  return comparison;
}

}  // namespace keelson::apiserver
