#include "keelson/codec/json_patch.h"

#include <algorithm>
#include <string>

#include "keelson/api/access.h"
#include "keelson/codec/json_equal.h"
#include "keelson/codec/json_writer.h"

namespace keelson {

namespace {

using Operation = JsonPatchOperation;
using OpKind = JsonPatchOperation::Kind;

constexpr OpKind kKinds[] = {OpKind::kAdd,  OpKind::kRemove, OpKind::kReplace,
                             OpKind::kMove, OpKind::kCopy,   OpKind::kTest};

bool HasFrom(OpKind kind) { return kind == OpKind::kMove || kind == OpKind::kCopy; }
bool HasValue(OpKind kind) { return kind == OpKind::kAdd || kind == OpKind::kReplace || kind == OpKind::kTest; }

Error DoesNotApply(std::string message) { return {ErrorCode::kInvalid, std::move(message)}; }

Error MissingPath(const JsonPointer& path) {
  return DoesNotApply("the document has nothing at \"" + path.ToString() + "\"");
}

// --- parsing ---

Result<std::string_view> StringMember(const Json& operation, std::string_view name) {
  const Json* member = operation.find(name);
  if (member == nullptr) return Error::InvalidArgument("\"" + std::string(name) + "\" is missing");
  if (!member->is_string()) {
    return Error::InvalidArgument("\"" + std::string(name) + "\": expected a string, found " +
                                  std::string(ToString(member->kind())));
  }
  return member->string().view();
}

Result<JsonPointer> PointerMember(const Json& operation, std::string_view name) {
  KEELSON_TRY(text, StringMember(operation, name));
  return JsonPointer::Parse(text);
}

Result<OpKind> ParseKind(std::string_view name) {
  for (const OpKind kind : kKinds) {
    if (ToString(kind) == name) return kind;
  }
  return Error::InvalidArgument("unknown op \"" + std::string(name) +
                                "\": expected add, remove, replace, move, copy or test");
}

Result<Operation> ParseOperation(const Json& json) {
  if (!json.is_object()) {
    return Error::InvalidArgument("expected an object, found " + std::string(ToString(json.kind())));
  }
  KEELSON_TRY(name, StringMember(json, "op"));
  KEELSON_TRY(kind, ParseKind(name));
  KEELSON_TRY(path, PointerMember(json, "path"));
  Operation operation{.kind = kind, .path = std::move(path)};
  if (HasFrom(kind)) {
    KEELSON_TRY(from, PointerMember(json, "from"));
    operation.from = std::move(from);
  }
  const Json* value = json.find("value");
  if (HasValue(kind) && value != nullptr) operation.value = *value;
  return operation;
}

std::string NameOf(size_t position, OpKind kind) {
  return "operation " + std::to_string(position) + " (" + std::string(ToString(kind)) + ")";
}

// --- applying ---

size_t Depth(const Json& value) {
  size_t deepest = 0;
  if (value.is_list()) {
    for (const Json& element : value.list()) deepest = std::max(deepest, 1 + Depth(element));
  } else if (value.is_object()) {
    for (const auto& [key, member] : value.object()) deepest = std::max(deepest, 1 + Depth(member));
  }
  return deepest;
}

// Pointers for writing, good until the next write to the parent; they leave the parent's node shareable.
Json* WriteElementOf(JsonList& list, size_t index) {
  return static_cast<Json*>(WriteElement(TypeOf<JsonList>(), &list, index));
}
Json* WriteMemberOf(JsonObject& object, std::string_view key) {
  return object.contains(key) ? static_cast<Json*>(EnsureEntry(TypeOf<JsonObject>(), &object, key)) : nullptr;
}
Json* WriteChildOf(Json& parent, std::string_view token) {
  if (parent.is_object()) return WriteMemberOf(parent.object(), token);
  if (!parent.is_list()) return nullptr;
  const std::optional<size_t> index = ParseArrayIndex(token, parent.list().size());
  return index ? WriteElementOf(parent.list(), *index) : nullptr;
}

void Insert(JsonList& list, size_t index, Json value) {
  list.push_back(std::move(value));
  for (size_t i = list.size() - 1; i > index; --i) {
    std::swap(*WriteElementOf(list, i), *WriteElementOf(list, i - 1));
  }
}

// One run of a patch over a document of its own.
class Application {
 public:
  explicit Application(Json document) : document_(std::move(document)), depth_(Depth(document_)) {}

  Result<void> Apply(const Operation& operation) {
    switch (operation.kind) {
      case OpKind::kAdd: return Add(operation.path, operation.value, Depth(operation.value));
      case OpKind::kRemove: return Remove(operation.path);
      case OpKind::kReplace: return Replace(operation.path, operation.value);
      case OpKind::kMove: return Move(operation.from, operation.path);
      case OpKind::kCopy: return Copy(operation.from, operation.path);
      case OpKind::kTest: return Test(operation.path, operation.value);
    }
    return Error::Internal("a JSON patch operation of no known kind");
  }

  Json TakeDocument() { return std::move(document_); }

 private:
  // The object or array that holds `path`'s last token.
  Result<Json*> WriteParentOf(const JsonPointer& path) {
    Json* at = &document_;
    for (size_t i = 0; i + 1 < path.depth(); ++i) {
      at = WriteChildOf(*at, path.tokens()[i]);
      if (at == nullptr) return MissingPath(path);
    }
    if (!at->is_object() && !at->is_list()) return MissingPath(path);
    return at;
  }

  Result<void> Add(const JsonPointer& path, Json value, size_t value_depth) {
    KEELSON_RETURN_IF_ERROR(Place(path, std::move(value)));
    return BoundDepth(path.depth() + value_depth);
  }

  Result<void> Place(const JsonPointer& path, Json value) {
    if (path.is_root()) {
      document_ = std::move(value);
      return {};
    }
    KEELSON_TRY(parent, WriteParentOf(path));
    const std::string& token = path.tokens().back();
    if (parent->is_object()) {
      parent->object().Set(token, std::move(value));
      return {};
    }
    JsonList& list = parent->list();
    // One place more than there are elements: the end.
    const std::optional<size_t> index = token == "-" ? list.size() : ParseArrayIndex(token, list.size() + 1);
    if (!index) return BadIndex(path, list.size());
    Insert(list, *index, std::move(value));
    return {};
  }

  Result<void> Remove(const JsonPointer& path) {
    if (path.is_root()) return DoesNotApply("the whole document cannot be removed");
    KEELSON_TRY(parent, WriteParentOf(path));
    const std::string& token = path.tokens().back();
    if (parent->is_object()) return parent->object().erase(token) ? Result<void>() : MissingPath(path);
    JsonList& list = parent->list();
    const std::optional<size_t> index = ParseArrayIndex(token, list.size());
    if (!index) return BadIndex(path, list.size());
    list.erase(*index);
    return {};
  }

  Result<void> Replace(const JsonPointer& path, const Json& value) {
    if (!path.is_root()) {
      KEELSON_TRY(parent, WriteParentOf(path));
      if (parent->is_list()) {
        const std::optional<size_t> index = ParseArrayIndex(path.tokens().back(), parent->list().size());
        if (!index) return BadIndex(path, parent->list().size());
        *WriteElementOf(parent->list(), *index) = value;
        return BoundDepth(path.depth() + Depth(value));
      }
    }
    return Add(path, value, Depth(value));
  }

  Result<void> Move(const JsonPointer& from, const JsonPointer& path) {
    const Json* found = from.Find(document_);
    if (found == nullptr) return MissingPath(from);
    Json value = *found;
    KEELSON_RETURN_IF_ERROR(Remove(from));
    return Add(path, std::move(value), depth_ - std::min(depth_, from.depth()));
  }

  Result<void> Copy(const JsonPointer& from, const JsonPointer& path) {
    KEELSON_TRY(value, ValueToCopy(from));
    copied_bytes_ += ToJson(value).size();
    if (copied_bytes_ > JsonPatch::kMaxCopiedBytes) {
      return DoesNotApply("the patch copies more than " + std::to_string(JsonPatch::kMaxCopiedBytes) +
                          " bytes; send the values instead");
    }
    const size_t value_depth = Depth(value);
    return Add(path, std::move(value), value_depth);
  }

  Result<Json> ValueToCopy(const JsonPointer& from) {
    if (const Json* found = from.Find(document_)) return *found;
    if (from.is_root()) return document_;
    KEELSON_TRY(parent, WriteParentOf(from));
    if (parent->is_list()) return BadIndex(from, parent->list().size());
    return Json();
  }

  Result<void> Test(const JsonPointer& path, const Json& expected) {
    const Json* found = path.Find(document_);
    if (found == nullptr) {
      KEELSON_TRY(parent, WriteParentOf(path));
      if (parent->is_list()) return BadIndex(path, parent->list().size());
      if (expected.is_null()) return {};
      return DoesNotApply("test failed: there is no value at \"" + path.ToString() + "\"");
    }
    if (NumericallyEqual(*found, expected)) return {};
    return DoesNotApply("test failed: the value at \"" + path.ToString() + "\" is another one");
  }

  // `depth_` is never less than the document's depth. It is counted anew only when it would pass the limit, so that
  // moving a large value around costs nothing.
  Result<void> BoundDepth(size_t depth) {
    depth_ = std::max(depth_, depth);
    if (depth_ <= JsonPatch::kMaxDepth) return {};
    depth_ = Depth(document_);
    if (depth_ <= JsonPatch::kMaxDepth) return {};
    return DoesNotApply("the patched document is nested deeper than " + std::to_string(JsonPatch::kMaxDepth) +
                        " levels");
  }

  static Error BadIndex(const JsonPointer& path, size_t size) {
    return DoesNotApply("\"" + path.tokens().back() + "\" in \"" + path.ToString() + "\" is no index of an array of " +
                        std::to_string(size) + " elements");
  }

  Json document_;
  size_t depth_;
  size_t copied_bytes_ = 0;
};

// --- diff ---

void Diff(const Json& from, const Json& to, const JsonPointer& path, JsonPatch& patch);

void DiffObjects(const JsonObject& from, const JsonObject& to, const JsonPointer& path, JsonPatch& patch) {
  for (const auto& [key, value] : from) {
    if (!to.contains(key)) patch.Remove(path.Child(key));
  }
  for (const auto& [key, value] : to) {
    const Json* before = from.find(key);
    if (before == nullptr) {
      patch.Add(path.Child(key), value);
    } else {
      Diff(*before, value, path.Child(key), patch);
    }
  }
}

// Elements equal at the start and at the end stay; those between are changed in place, then the rest added or removed.
void DiffLists(const JsonList& from, const JsonList& to, const JsonPointer& path, JsonPatch& patch) {
  const size_t shorter = std::min(from.size(), to.size());
  size_t head = 0;
  while (head < shorter && from[head] == to[head]) ++head;
  size_t tail = 0;
  while (tail < shorter - head && from[from.size() - 1 - tail] == to[to.size() - 1 - tail]) ++tail;

  const size_t from_end = from.size() - tail;
  const size_t to_end = to.size() - tail;
  size_t i = head;
  for (; i < std::min(from_end, to_end); ++i) Diff(from[i], to[i], path.Child(std::to_string(i)), patch);
  for (size_t extra = from_end; extra > i; --extra) patch.Remove(path.Child(std::to_string(extra - 1)));
  for (; i < to_end; ++i) patch.Add(path.Child(std::to_string(i)), to[i]);
}

void Diff(const Json& from, const Json& to, const JsonPointer& path, JsonPatch& patch) {
  if (from == to) return;
  if (from.is_object() && to.is_object()) {
    DiffObjects(from.object(), to.object(), path, patch);
  } else if (from.is_list() && to.is_list()) {
    DiffLists(from.list(), to.list(), path, patch);
  } else {
    patch.Replace(path, to);
  }
}

}  // namespace

std::string_view ToString(OpKind kind) {
  switch (kind) {
    case OpKind::kAdd: return "add";
    case OpKind::kRemove: return "remove";
    case OpKind::kReplace: return "replace";
    case OpKind::kMove: return "move";
    case OpKind::kCopy: return "copy";
    case OpKind::kTest: return "test";
  }
  return "unknown";
}

Result<JsonPatch> JsonPatch::Parse(const Json& patch) {
  if (!patch.is_list()) {
    return Error::InvalidArgument("JSON patch: expected an array of operations, found " +
                                  std::string(keelson::ToString(patch.kind())));
  }
  if (patch.list().size() > kMaxOperations) {
    return Error::InvalidArgument("JSON patch: " + std::to_string(patch.list().size()) + " operations are more than " +
                                  std::to_string(kMaxOperations) + "; send several patches");
  }
  JsonPatch parsed;
  for (const Json& json : patch.list()) {
    Result<Operation> operation = ParseOperation(json);
    if (!operation) {
      return std::move(operation).error().WithContext("JSON patch: operation " +
                                                      std::to_string(parsed.operations_.size()));
    }
    parsed.operations_.push_back(std::move(*operation));
  }
  return parsed;
}

Json JsonPatch::AsJson() const {
  JsonList list;
  for (const Operation& operation : operations_) {
    JsonObject object = {{"op", ToString(operation.kind)}, {"path", operation.path.ToString()}};
    if (HasFrom(operation.kind)) object.Set("from", operation.from.ToString());
    if (HasValue(operation.kind)) object.Set("value", operation.value);
    list.push_back(Json(std::move(object)));
  }
  return Json(std::move(list));
}

JsonPatch& JsonPatch::Add(JsonPointer path, Json value) {
  operations_.push_back({.kind = OpKind::kAdd, .path = std::move(path), .value = std::move(value)});
  return *this;
}
JsonPatch& JsonPatch::Remove(JsonPointer path) {
  operations_.push_back({.kind = OpKind::kRemove, .path = std::move(path)});
  return *this;
}
JsonPatch& JsonPatch::Replace(JsonPointer path, Json value) {
  operations_.push_back({.kind = OpKind::kReplace, .path = std::move(path), .value = std::move(value)});
  return *this;
}
JsonPatch& JsonPatch::Move(JsonPointer from, JsonPointer path) {
  operations_.push_back({.kind = OpKind::kMove, .path = std::move(path), .from = std::move(from)});
  return *this;
}
JsonPatch& JsonPatch::Copy(JsonPointer from, JsonPointer path) {
  operations_.push_back({.kind = OpKind::kCopy, .path = std::move(path), .from = std::move(from)});
  return *this;
}
JsonPatch& JsonPatch::Test(JsonPointer path, Json value) {
  operations_.push_back({.kind = OpKind::kTest, .path = std::move(path), .value = std::move(value)});
  return *this;
}

Result<Json> JsonPatch::Apply(const Json& document) const {
  Application application(document);
  for (size_t i = 0; i < operations_.size(); ++i) {
    Result<void> applied = application.Apply(operations_[i]);
    if (!applied) return std::move(applied).error().WithContext(NameOf(i, operations_[i].kind));
  }
  return application.TakeDocument();
}

JsonPatch DiffToJsonPatch(const Json& from, const Json& to) {
  JsonPatch patch;
  Diff(from, to, JsonPointer(), patch);
  return patch;
}

}  // namespace keelson
