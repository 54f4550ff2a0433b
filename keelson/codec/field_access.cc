// Reading and writing by path. Dynamic values take part as what they are made of: a Json object is a map of Json, an
// array a list of Json. Values without parts of their own in the table that are documents in JSON (raw extensions,
// unions) are read through their JSON form, and written by changing that form and reading it back.
//
// A write first walks the path without touching anything, so that whatever can fail fails there; the second walk, which
// writes, cannot.
#include <algorithm>
#include <optional>

#include "keelson/api/access.h"
#include "keelson/codec/convert.h"
#include "keelson/codec/field_path.h"
#include "keelson/codec/internal/scalar_text.h"
#include "keelson/codec/internal/suggest.h"

namespace keelson {

namespace {

using internal::ScalarState;
using Step = FieldPath::Step;
using StepKind = FieldPath::StepKind;

bool IsName(const Step& step) { return step.kind == StepKind::kField || step.kind == StepKind::kKey; }

// A document in JSON without parts in its table.
bool IsDocument(const Type& type) {
  return type.kind == Kind::kUnion || type.kind == Kind::kRawExtension || type.kind == Kind::kFieldsV1;
}

// `value` is null where the object has nothing: the type still says what could be there.
struct Place {
  const Type* type;
  const void* value;

  bool absent() const { return value == nullptr; }
};

// For messages.
std::string NameOf(Place place) {
  switch (place.type->kind) {
    case Kind::kStruct: return std::string(place.type->name);
    case Kind::kList: return "a list";
    case Kind::kMap: return "a map";
    case Kind::kJson:
      return place.absent() ? "null" : "JSON " + std::string(ToString(static_cast<const Json*>(place.value)->kind()));
    default: return "a value of type " + std::string(place.type->name);
  }
}

// Through optionals, and from a dynamic value to the map or list it holds.
Place Unwrap(Place place) {
  while (place.type->kind == Kind::kOptional) {
    place = {place.type->element, place.absent() ? nullptr : ReadOptional(*place.type, place.value)};
  }
  if (place.type->kind == Kind::kJson && !place.absent()) {
    const Json& json = *static_cast<const Json*>(place.value);
    if (json.is_object()) return {&TypeOf<JsonObject>(), &json.object()};
    if (json.is_list()) return {&TypeOf<JsonList>(), &json.list()};
  }
  return place;
}

class Walker {
 public:
  explicit Walker(const FieldPath& path) : path_(path) {}

  // The place, with a value; kNotFound when there is none.
  Result<Place> Find(Place place) {
    for (size_t at = 0; at < path_.steps().size(); ++at) {
      KEELSON_TRY(next, Next(place, at));
      if (next.absent()) return NotThere(place, at);
      place = next;
    }
    return place;
  }

  // One step on. The value is absent when the object has nothing there.
  Result<Place> Next(Place from, size_t at) {
    Place place = Unwrap(from);
    if (IsDocument(*place.type)) {
      scratch_ = place.absent() ? Json() : ToJsonValue(*place.type, place.value);
      place = Unwrap({&TypeOf<Json>(), &scratch_});
    }
    const Step& step = path_.steps()[at];
    switch (place.type->kind) {
      case Kind::kStruct:
        if (IsName(step)) return NextField(place, at);
        break;
      case Kind::kMap:
        if (IsName(step)) {
          return Place{place.type->element, place.absent() ? nullptr : ReadEntry(*place.type, place.value, step.name)};
        }
        break;
      case Kind::kList:
        if (step.kind == StepKind::kIndex) {
          const bool there = !place.absent() && step.index < Length(*place.type, place.value);
          return Place{place.type->element, there ? ReadElement(*place.type, place.value, step.index) : nullptr};
        }
        if (step.kind == StepKind::kElement) return NextElement(place, at);
        break;
      case Kind::kJson:
        if (place.absent() || static_cast<const Json*>(place.value)->is_null()) return Place{place.type, nullptr};
        break;
      default: break;
    }
    return WrongStep(place, at);
  }

  // The position of the element that has the step's keys. Every key must be a field that elements can have.
  Result<std::optional<size_t>> FindElement(Place list, size_t at) const {
    const Step& step = path_.steps()[at];
    const Type& element_type = *list.type->element;
    if (element_type.kind == Kind::kStruct) {
      for (const auto& [name, text] : step.keys) {
        if (element_type.FindField(name) == nullptr) return NoSuchField(element_type, name, at);
      }
    } else if (element_type.kind != Kind::kJson && element_type.kind != Kind::kMap) {
      return Error::InvalidArgument(Here(at) + ": elements of type " + std::string(element_type.name) +
                                    " have no fields to tell them apart by: use [index]");
    }
    const size_t length = list.absent() ? 0 : Length(*list.type, list.value);
    for (size_t i = 0; i < length; ++i) {
      const Place element = Unwrap({&element_type, ReadElement(*list.type, list.value, i)});
      if (std::all_of(step.keys.begin(), step.keys.end(), [&](const auto& key) { return HasKey(element, key); }))
        return i;
    }
    return std::optional<size_t>();
  }

  std::string Here(size_t at) const { return path_.ToString(at + 1); }

  Error NotThere(Place place, size_t at) const {
    place = Unwrap(place);
    const Step& step = path_.steps()[at];
    std::string message = Here(at) + " is not there";
    if (place.absent()) {
      if (at > 0) message = path_.ToString(at) + " is not set";
    } else if (place.type->kind == Kind::kList) {
      const size_t length = Length(*place.type, place.value);
      message += ": the list has " + std::to_string(length) + (length == 1 ? " element" : " elements");
    } else if (place.type->kind == Kind::kMap) {
      std::vector<std::string_view> names;
      ForEachEntry(*place.type, place.value, [&](std::string_view key, const void*) {
        names.push_back(key);
        return true;
      });
      message += internal::SuggestName(step.name, names);
    }
    return Error::NotFound(std::move(message));
  }

 private:
  static bool HasKey(Place element, const std::pair<std::string, std::string>& key) {
    if (element.type->kind == Kind::kStruct) {
      const Field& field = *element.type->FindField(key.first);
      return internal::ScalarTextIs(*field.type, ReadField(field, element.value), key.second);
    }
    if (element.type->kind != Kind::kMap) return false;
    const void* member = ReadEntry(*element.type, element.value, key.first);
    return member == nullptr ? key.second.empty() : internal::ScalarTextIs(*element.type->element, member, key.second);
  }

  Result<Place> NextField(Place place, size_t at) {
    const Step& step = path_.steps()[at];
    const Field* field = step.name.empty() ? nullptr : place.type->FindField(step.name);
    if (field != nullptr) return Place{field->type, place.absent() ? nullptr : ReadField(*field, place.value)};
    // Known from the type and stored nowhere.
    if (at == 0 && place.type->is_root() && step.name == "kind") {
      scratch_ = Json(place.type->object_kind);
      return Place{&TypeOf<Json>(), &scratch_};
    }
    if (at == 0 && place.type->is_root() && step.name == "apiVersion") {
      std::string text(place.type->group);
      if (!text.empty()) text += '/';
      scratch_ = Json(text.append(place.type->version));
      return Place{&TypeOf<Json>(), &scratch_};
    }
    return NoSuchField(*place.type, step.name, at);
  }

  Result<Place> NextElement(Place place, size_t at) const {
    KEELSON_TRY(index, FindElement(place, at));
    return Place{place.type->element, index ? ReadElement(*place.type, place.value, *index) : nullptr};
  }

  Error NoSuchField(const Type& type, std::string_view name, size_t at) const {
    std::vector<std::string_view> names;
    for (const Field& field : type.fields) {
      if (!field.name.empty()) names.push_back(field.name);
    }
    return Error::InvalidArgument(Here(at) + ": no such field in " + std::string(type.name) +
                                  internal::SuggestName(name, names));
  }

  Error WrongStep(Place place, size_t at) const {
    const Step& step = path_.steps()[at];
    const char* found = IsName(step) ? "a field" : step.kind == StepKind::kIndex ? "an [index]" : "a [field=value]";
    std::string where = at == 0 ? "the object" : path_.ToString(at);
    std::string takes = "nothing below it";
    if (place.type->kind == Kind::kStruct || place.type->kind == Kind::kMap) takes = "a field name";
    if (place.type->kind == Kind::kList) takes = "[index] or [field=value]";
    return Error::InvalidArgument(Here(at) + ": " + where + " is " + NameOf(place) + ", which has " + takes +
                                  "; the path goes on with " + found);
  }

  const FieldPath& path_;
  Json scratch_;  // the JSON form of a document that the path goes through: at most one, all below it is dynamic
};

// Json trees, from step `at` on.

Json* WriteJsonStep(Json& tree, const Walker& walker, const Step& step, size_t at, std::optional<Error>& error) {
  if (IsName(step)) {
    if (tree.is_null()) tree = Json::Object();
    return static_cast<Json*>(EnsureEntry(TypeOf<JsonObject>(), &tree.object(), step.name));
  }
  if (tree.is_null()) tree = Json::Array();
  const Type& type = TypeOf<JsonList>();
  size_t index = step.index;
  if (step.kind == StepKind::kElement) {
    const Result<std::optional<size_t>> found = walker.FindElement({&type, &tree.list()}, at);
    index = found && *found ? **found : tree.list().size();
  }
  if (index < tree.list().size()) return static_cast<Json*>(WriteElement(type, &tree.list(), index));
  if (index > tree.list().size()) {
    error = walker.NotThere({&TypeOf<Json>(), &tree}, at);
    return nullptr;
  }
  Json* element = static_cast<Json*>(AppendElement(type, &tree.list()));
  if (!step.keys.empty()) *element = Json::Object();
  for (const auto& [name, text] : step.keys) {
    element->object().Set(name, internal::ScalarFromText(TypeOf<Json>(), text));
  }
  return element;
}

Result<void> SetInTree(Json& tree, const FieldPath& path, size_t at, const Json& to) {
  Walker walker(path);
  Json* current = &tree;
  for (; at < path.steps().size(); ++at) {
    // Says what is wrong when the step does not fit the value.
    KEELSON_RETURN_IF_ERROR(walker.Next({&TypeOf<Json>(), current}, at));
    std::optional<Error> error;
    current = WriteJsonStep(*current, walker, path.steps()[at], at, error);
    if (error) return *std::move(error);
  }
  *current = to;
  return {};
}

// Takes element `index` out of a list of any storage.
void EraseElement(const Type& type, void* list, size_t index) {
  AnyValue rest(type);
  const size_t length = Length(type, list);
  for (size_t i = 0; i < length; ++i) {
    if (i == index) continue;
    void* element = AppendElement(type, rest.data());
    AssignValue(*type.element, element, ReadElement(type, list, i));
  }
  AssignValue(type, list, rest.data());
}

struct WritePlace {
  const Type* type;
  void* value;
};

WritePlace WriteUnwrap(WritePlace place) {
  while (place.type->kind == Kind::kOptional) {
    place = {place.type->element, EnsureOptional(*place.type, place.value)};
  }
  return place;
}

// Removes what the path's last step names in a map, list or struct.
bool RemoveStep(WritePlace parent, const Walker& walker, const Step& step, size_t at) {
  parent = WriteUnwrap(parent);
  if (parent.type->kind == Kind::kJson) {
    Json& json = *static_cast<Json*>(parent.value);
    parent = json.is_object() ? WritePlace{&TypeOf<JsonObject>(), &json.object()}
                              : WritePlace{&TypeOf<JsonList>(), &json.list()};
  }
  switch (parent.type->kind) {
    case Kind::kMap: return EraseEntry(*parent.type, parent.value, step.name);
    case Kind::kList: {
      size_t index = step.index;
      if (step.kind == StepKind::kElement) index = walker.FindElement({parent.type, parent.value}, at).value().value();
      EraseElement(*parent.type, parent.value, index);
      return true;
    }
    default: {
      const Field& field = *parent.type->FindField(step.name);
      void* value = WriteField(field, parent.value);
      if (IsZero(*field.type, value)) return false;
      ResetValue(*field.type, value);
      return true;
    }
  }
}

Result<bool> RemoveInTree(Json& tree, const FieldPath& path, size_t at) {
  const Walker walker(path);
  Json* current = &tree;
  for (; at + 1 < path.steps().size(); ++at) {
    std::optional<Error> error;
    current = WriteJsonStep(*current, walker, path.steps()[at], at, error);
    if (error) return *std::move(error);
  }
  return RemoveStep({&TypeOf<Json>(), current}, walker, path.steps()[at], at);
}

// One step of the writing walk over typed values; the walk before it has shown that the step fits.
WritePlace WriteStep(WritePlace place, const Walker& walker, const Step& step, size_t at) {
  place = WriteUnwrap(place);
  const Type& type = *place.type;
  if (type.kind == Kind::kStruct) {
    const Field& field = *type.FindField(step.name);
    return {field.type, WriteField(field, place.value)};
  }
  if (type.kind == Kind::kMap) return {type.element, EnsureEntry(type, place.value, step.name)};
  size_t index = step.index;
  const size_t length = Length(type, place.value);
  if (step.kind == StepKind::kElement) index = walker.FindElement({&type, place.value}, at).value().value_or(length);
  if (index < length) return {type.element, WriteElement(type, place.value, index)};
  void* element = AppendElement(type, place.value);
  for (const auto& [name, text] : step.keys) {
    const bool is_struct = type.element->kind == Kind::kStruct;
    const Field* field = is_struct ? type.element->FindField(name) : nullptr;
    const Type& key_type = is_struct ? *field->type : *type.element->element;
    void* key = is_struct ? WriteField(*field, element) : EnsureEntry(*type.element, element, name);
    AnyValue value(key_type);
    DecodeJsonValue(key_type, value.data(), internal::ScalarFromText(key_type, text)).value();
    AssignValue(key_type, key, value.data());
  }
  return {type.element, element};
}

// Whether the keys of an element that will be appended have values that their fields can take.
Result<void> CheckNewElement(const Type& element, const FieldPath& path, size_t at) {
  if (element.kind == Kind::kJson) return {};
  for (const auto& [name, text] : path.steps()[at].keys) {
    const Type& type = element.kind == Kind::kStruct ? *element.FindField(name)->type : *element.element;
    AnyValue value(type);
    Result<void> decoded = DecodeJsonValue(type, value.data(), internal::ScalarFromText(type, text));
    if (!decoded) return std::move(decoded).error().WithContext(path.ToString(at + 1) + ", key " + name);
  }
  return {};
}

// Where the typed part of a path ends: at its last step, or before one that leads into a dynamic value.
struct TypedEnd {
  size_t steps;
  Place place;
};

Result<TypedEnd> CheckWrite(const Type& type, const void* value, const FieldPath& path) {
  Walker walker(path);
  Place place = {&type, value};
  for (size_t at = 0; at < path.steps().size(); ++at) {
    Place inner = place;
    while (inner.type->kind == Kind::kOptional) {
      inner = {inner.type->element, inner.absent() ? nullptr : ReadOptional(*inner.type, inner.value)};
    }
    if (inner.type->kind == Kind::kJson || IsDocument(*inner.type)) return TypedEnd{at, place};
    KEELSON_TRY(next, walker.Next(place, at));
    if (inner.type->kind == Kind::kList && next.absent()) {
      const size_t length = inner.absent() ? 0 : Length(*inner.type, inner.value);
      const Step& step = path.steps()[at];
      if (step.kind == StepKind::kIndex && step.index > length) {
        return Error::NotFound(path.ToString(at + 1) + " is not there: the list has " + std::to_string(length) +
                               " elements, so the next one is [" + std::to_string(length) + "]");
      }
      if (step.kind == StepKind::kElement) KEELSON_RETURN_IF_ERROR(CheckNewElement(*inner.type->element, path, at));
    }
    place = next;
  }
  return TypedEnd{path.steps().size(), place};
}

// Whether the path begins with what the type knows and no object stores.
bool IsTypeMeta(const Type& type, const FieldPath& path) {
  if (!type.is_root() || path.empty() || !IsName(path.steps()[0])) return false;
  const std::string& name = path.steps()[0].name;
  return (name == "kind" || name == "apiVersion") && type.FindField(name) == nullptr;
}

// Fills `value`, a default one of the type at the end of the typed steps.
Result<void> DecodeNewValue(const Json& to, const FieldPath& path, AnyValue& value) {
  if (value.type().kind == Kind::kJson) {
    *static_cast<Json*>(value.data()) = to;
    return {};
  }
  if (to.is_null()) return {};
  Result<void> decoded = DecodeJsonValue(value.type(), value.data(), to, {.strict = true});
  if (!decoded) return std::move(decoded).error().WithContext(path.ToString());
  return {};
}

Json TreeAt(Place place) {
  if (place.absent()) return Json();
  return place.type->kind == Kind::kJson ? *static_cast<const Json*>(place.value)
                                         : ToJsonValue(*place.type, place.value);
}

void WriteValue(WritePlace place, const FieldPath& path, size_t steps, const AnyValue& value) {
  const Walker walker(path);
  for (size_t at = 0; at < steps; ++at) place = WriteStep(place, walker, path.steps()[at], at);
  AssignValue(*place.type, place.value, value.data());
}

}  // namespace

Result<Json> GetField(const Type& type, const void* value, const FieldPath& path) {
  Walker walker(path);
  KEELSON_TRY(place, walker.Find({&type, value}));
  if (place.type->kind == Kind::kOptional && ReadOptional(*place.type, place.value) == nullptr) {
    return Error::NotFound(path.ToString() + " is not set");
  }
  return TreeAt(place);
}

Result<void> SetField(const Type& type, void* value, const FieldPath& path, const Json& to) {
  if (IsTypeMeta(type, path)) {
    KEELSON_TRY(fixed, GetField(type, value, path));
    if (fixed == to) return {};
    return Error::InvalidArgument(path.ToString() + " is \"" + fixed.string().str() + "\" in every object of type " +
                                  std::string(type.name) + " and cannot be changed");
  }
  KEELSON_TRY(end, CheckWrite(type, value, path));
  AnyValue new_value(*end.place.type);
  if (end.steps == path.steps().size()) {
    KEELSON_RETURN_IF_ERROR(DecodeNewValue(to, path, new_value));
  } else {
    Json tree = TreeAt(end.place);
    KEELSON_RETURN_IF_ERROR(SetInTree(tree, path, end.steps, to));
    KEELSON_RETURN_IF_ERROR(DecodeNewValue(tree, path, new_value));
  }
  WriteValue({&type, value}, path, end.steps, new_value);
  return {};
}

Result<bool> RemoveField(const Type& type, void* value, const FieldPath& path) {
  if (path.empty() || IsTypeMeta(type, path)) {
    return Error::InvalidArgument((path.empty() ? "the object itself" : path.ToString()) + " cannot be removed");
  }
  if (const Result<Json> found = GetField(type, value, path); !found) {
    if (found.error().code() == ErrorCode::kNotFound) return false;
    return found.error();
  }
  KEELSON_TRY(end, CheckWrite(type, value, path));
  if (end.steps == path.steps().size()) {
    const Walker walker(path);
    WritePlace parent = {&type, value};
    const size_t last = path.steps().size() - 1;
    for (size_t at = 0; at < last; ++at) parent = WriteStep(parent, walker, path.steps()[at], at);
    return RemoveStep(parent, walker, path.steps()[last], last);
  }
  AnyValue new_value(*end.place.type);
  Json tree = TreeAt(end.place);
  KEELSON_TRY(removed, RemoveInTree(tree, path, end.steps));
  KEELSON_RETURN_IF_ERROR(DecodeNewValue(tree, path, new_value));
  WriteValue({&type, value}, path, end.steps, new_value);
  return removed;
}

Result<std::optional<std::string>> ReadFieldText(const Type& type, const void* value, const FieldPath& path) {
  Walker walker(path);
  const Result<Place> place = walker.Find({&type, value});
  if (!place) {
    if (place.error().code() == ErrorCode::kNotFound) return std::optional<std::string>();
    return place.error();
  }
  std::string text;
  switch (internal::AppendScalarText(*place->type, place->value, text)) {
    case ScalarState::kText: return std::optional(std::move(text));
    case ScalarState::kAbsent: return std::optional<std::string>();
    case ScalarState::kNested: break;
  }
  return Error::InvalidArgument(path.ToString() + " is " + NameOf(*place) +
                                "; expected a path to a string, number or bool");
}

}  // namespace keelson
