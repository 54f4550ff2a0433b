#include "keelson/apiserver/schema/prune.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "keelson/apiserver/kinds/path.h"
#include "keelson/apiserver/schema/property_cursor.h"

namespace keelson::apiserver {

namespace {

bool IsMetaField(std::string_view name) { return name == "apiVersion" || name == "kind" || name == "metadata"; }

// An object or a list of which some parts change: it is copied when the first one does.
template <class Container>
class Rebuilt {
 public:
  explicit Rebuilt(const Container& source) : source_(source) {}

  bool changed() const { return copy_.has_value(); }
  Json Take() { return Json(std::move(*copy_)); }

 protected:
  const Container& source_;
  std::optional<Container> copy_;
};

class RebuiltObject : public Rebuilt<JsonObject> {
 public:
  using Rebuilt::Rebuilt;

  void Keep(const String& name, const Json& value) {
    if (copy_) copy_->Set(name, value);
    ++seen_;
  }
  void Replace(const String& name, Json value) {
    Begin();
    copy_->Set(name, std::move(value));
    ++seen_;
  }
  void Drop() {
    Begin();
    ++seen_;
  }

 private:
  void Begin() {
    if (copy_) return;
    copy_.emplace();
    size_t left = seen_;
    for (const auto& [name, value] : source_) {
      if (left-- == 0) break;
      copy_->Set(name, value);
    }
  }

  size_t seen_ = 0;
};

class RebuiltList : public Rebuilt<JsonList> {
 public:
  using Rebuilt::Rebuilt;

  void Replace(size_t index, Json value) {
    if (!copy_) copy_ = source_;
    (*copy_)[index] = std::move(value);
  }
};

// Each function gives the value as it has to be, or nothing when it is so already.
class Pruner {
 public:
  explicit Pruner(std::vector<std::string>* removed) : removed_(removed) {}

  // Without a schema nothing is known: objects become empty.
  std::optional<Json> Pruned(const Json& value, const Schema* schema, const Path& path) {
    if (value.is_object()) {
      if (schema != nullptr && schema->preserve_unknown) return PrunedBelow(value, *schema, path);
      return PrunedObject(value.object(), schema, path);
    }
    if (!value.is_list()) return std::nullopt;
    if (schema != nullptr && schema->preserve_unknown) return PrunedBelow(value, *schema, path);
    return PrunedList(value.list(), path, [&](const Json& item, const Path& at) {
      return Pruned(item, schema == nullptr ? nullptr : schema->items.get(), at);
    });
  }

 private:
  std::optional<Json> PrunedObject(const JsonObject& object, const Schema* schema, const Path& path) {
    static const Schema kNothing;
    const Schema& known = schema == nullptr ? kNothing : *schema;
    RebuiltObject rebuilt(object);
    PropertyCursor properties(known);
    for (const auto& [name, value] : object) {
      if (known.embedded_resource && IsMetaField(name)) {
        rebuilt.Keep(name, value);
        continue;
      }
      const Schema* property = properties.Find(name);
      const Path at = path / name;
      if (property == nullptr && known.additional == nullptr && !known.additional_allowed) {
        if (removed_ != nullptr) removed_->push_back(at.ToString());
        rebuilt.Drop();
        continue;
      }
      KeepPruned(rebuilt, name, value, property != nullptr ? property : known.additional.get(), at);
    }
    if (!rebuilt.changed()) return std::nullopt;
    return rebuilt.Take();
  }

  // Where unknown members are preserved: what is known is pruned nevertheless.
  std::optional<Json> PrunedBelow(const Json& value, const Schema& schema, const Path& path) {
    if (value.is_list()) {
      if (schema.items == nullptr) return std::nullopt;
      return PrunedList(value.list(), path,
                        [&](const Json& item, const Path& at) { return PrunedBelow(item, *schema.items, at); });
    }
    if (!value.is_object()) return std::nullopt;
    RebuiltObject rebuilt(value.object());
    PropertyCursor properties(schema);
    for (const auto& [name, member] : value.object()) {
      const Schema* property = properties.Find(name);
      const bool skipped = schema.embedded_resource && IsMetaField(name);
      if (skipped || (property == nullptr && schema.additional == nullptr && !schema.additional_allowed)) {
        rebuilt.Keep(name, member);
        continue;
      }
      const Path at = path / name;
      KeepPruned(rebuilt, name, member, property != nullptr ? property : schema.additional.get(), at);
    }
    if (!rebuilt.changed()) return std::nullopt;
    return rebuilt.Take();
  }

  void KeepPruned(RebuiltObject& rebuilt, const String& name, const Json& value, const Schema* schema, const Path& at) {
    if (std::optional<Json> pruned = Pruned(value, schema, at)) {
      rebuilt.Replace(name, std::move(*pruned));
    } else {
      rebuilt.Keep(name, value);
    }
  }

  template <class Function>
  std::optional<Json> PrunedList(const JsonList& list, const Path& path, Function prune_item) {
    RebuiltList rebuilt(list);
    for (size_t i = 0; i < list.size(); ++i) {
      const Path at = path[i];
      if (std::optional<Json> pruned = prune_item(list[i], at)) rebuilt.Replace(i, std::move(*pruned));
    }
    if (!rebuilt.changed()) return std::nullopt;
    return rebuilt.Take();
  }

  std::vector<std::string>* removed_;
};

std::optional<Json> WithoutNulls(const Json& value, const Schema* schema) {
  if (schema == nullptr) return std::nullopt;
  if (value.is_list()) {
    RebuiltList rebuilt(value.list());
    for (size_t i = 0; i < value.list().size(); ++i) {
      if (std::optional<Json> item = WithoutNulls(value.list()[i], schema->items.get())) {
        rebuilt.Replace(i, std::move(*item));
      }
    }
    if (!rebuilt.changed()) return std::nullopt;
    return rebuilt.Take();
  }
  if (!value.is_object()) return std::nullopt;
  RebuiltObject rebuilt(value.object());
  PropertyCursor properties(*schema);
  for (const auto& [name, member] : value.object()) {
    if (!member.is_null() && !member.is_object() && !member.is_list()) {
      rebuilt.Keep(name, member);
      continue;
    }
    const Schema* below = properties.Find(name);
    if (below == nullptr) below = schema->additional.get();
    if (member.is_null() && below != nullptr && !below->nullable && !below->default_) {
      rebuilt.Drop();
    } else if (std::optional<Json> changed = WithoutNulls(member, below)) {
      rebuilt.Replace(name, std::move(*changed));
    } else {
      rebuilt.Keep(name, member);
    }
  }
  if (!rebuilt.changed()) return std::nullopt;
  return rebuilt.Take();
}

}  // namespace

void Prune(Json& value, const Schema& schema, std::vector<std::string>* removed) {
  const size_t before = removed == nullptr ? 0 : removed->size();
  if (std::optional<Json> pruned = Pruner(removed).Pruned(value, &schema, Path(""))) value = std::move(*pruned);
  if (removed != nullptr) std::sort(removed->begin() + static_cast<std::ptrdiff_t>(before), removed->end());
}

void PruneNulls(Json& value, const Schema& schema) {
  if (std::optional<Json> changed = WithoutNulls(value, &schema)) value = std::move(*changed);
}

}  // namespace keelson::apiserver
