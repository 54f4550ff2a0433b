// User structs, and the classes of the standard library inside them, as described types.
//
// A user's API type may hold std::string, std::optional, std::vector and std::map wherever the built-in types hold
// String, Optional, List and Map, and may mix the two. Its description is a table of fields in one source file:
//
//   struct AppServiceSpec { std::string deploymentName; std::optional<int32_t> replicas; };
//
//   template <> struct keelson::Describe<AppServiceSpec> { static const Type type; };    // beside the struct
//
//   constexpr keelson::Field kFields[] = {                                               // in the source file
//       {.name = "deploymentName", .type = &TypeOf<std::string>(), .offset = offsetof(AppServiceSpec, deploymentName)},
//       {.name = "replicas", .type = &TypeOf<std::optional<int32_t>>(), .offset = offsetof(AppServiceSpec, replicas),
//        .omit_empty = true}};
//   constinit const Type Describe<AppServiceSpec>::type = StructType<AppServiceSpec>("AppServiceSpec", kFields);
//
// A root object, which has a member `metadata`, says RootType<AppService>("AppService", kFields, group, version, kind).
// A struct with a std::map member is not of standard layout, so that compilers warn of offsetof although they support
// it:
// `#pragma GCC diagnostic ignored "-Winvalid-offsetof"` above the tables.
#pragma once

#include <map>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "keelson/api/box.h"
#include "keelson/api/type.h"

namespace keelson {

template <>
inline constexpr bool kIsPlainValue<std::string> = true;
template <class T>
inline constexpr bool kIsPlainValue<std::optional<T>> = true;
template <class T>
inline constexpr bool kIsPlainValue<std::vector<T>> = true;
template <class K, class T, class C, class A>
inline constexpr bool kIsPlainValue<std::map<K, T, C, A>> = true;

namespace internal {

// The lifetime of any C++ value.
template <class T>
constexpr TypeOps LifetimeOps() {
  static_assert(std::is_nothrow_move_constructible_v<T> || std::is_copy_constructible_v<T>);
  static_assert(alignof(T) <= alignof(void*), "values sit in nodes, which are aligned to a pointer");
  return {.construct = [](void* value) { new (value) T(); },
          .copy = [](void* to, const void* from) { new (to) T(*static_cast<const T*>(from)); },
          .move = [](void* to, void* from) { new (to) T(std::move(*static_cast<T*>(from))); },
          .destroy = [](void* value) { std::destroy_at(static_cast<T*>(value)); }};
}

constexpr TypeOps StringOps() {
  TypeOps ops = LifetimeOps<std::string>();
  ops.string_get = [](const void* value) -> std::string_view { return *static_cast<const std::string*>(value); };
  ops.string_set = [](void* value, std::string_view text) {
    static_cast<std::string*>(value)->assign(text);
    return true;
  };
  return ops;
}

template <class T>
constexpr TypeOps OptionalOps() {
  using Value = std::optional<T>;
  TypeOps ops = LifetimeOps<Value>();
  ops.optional_get = [](const void* value) -> const void* {
    const auto& optional = *static_cast<const Value*>(value);
    return optional ? &*optional : nullptr;
  };
  ops.optional_emplace = [](void* value) -> void* { return &static_cast<Value*>(value)->emplace(); };
  ops.optional_reset = [](void* value) { static_cast<Value*>(value)->reset(); };
  return ops;
}

template <class T>
constexpr TypeOps VectorOps() {
  static_assert(!std::is_same_v<T, bool>, "std::vector<bool> has no elements to point at: use keelson::List<bool>");
  using Value = std::vector<T>;
  TypeOps ops = LifetimeOps<Value>();
  ops.size = [](const void* value) { return static_cast<const Value*>(value)->size(); };
  ops.clear = [](void* value) { static_cast<Value*>(value)->clear(); };
  ops.list_at = [](const void* value, size_t index) -> const void* {
    return &(*static_cast<const Value*>(value))[index];
  };
  ops.list_append = [](void* value) -> void* { return &static_cast<Value*>(value)->emplace_back(); };
  return ops;
}

template <class T>
constexpr TypeOps MapOps() {
  using Value = std::map<std::string, T>;
  TypeOps ops = LifetimeOps<Value>();
  ops.size = [](const void* value) { return static_cast<const Value*>(value)->size(); };
  ops.clear = [](void* value) { static_cast<Value*>(value)->clear(); };
  ops.map_each = [](const void* value, bool (*visit)(void* context, std::string_view key, const void* element),
                    void* context) {
    for (const auto& [key, element] : *static_cast<const Value*>(value)) {
      if (!visit(context, key, &element)) return;
    }
  };
  ops.map_find = [](const void* value, std::string_view key) -> const void* {
    const auto& map = *static_cast<const Value*>(value);
    const auto found = map.find(std::string(key));
    return found == map.end() ? nullptr : &found->second;
  };
  ops.map_insert = [](void* value, std::string_view key) -> void* {
    return &(*static_cast<Value*>(value))[std::string(key)];
  };
  ops.map_erase = [](void* value, std::string_view key) {
    return static_cast<Value*>(value)->erase(std::string(key)) != 0;
  };
  return ops;
}

inline constexpr TypeOps kStringOps = StringOps();
template <class T>
inline constexpr TypeOps kOptionalOps = OptionalOps<T>();
template <class T>
inline constexpr TypeOps kVectorOps = VectorOps<T>();
template <class T>
inline constexpr TypeOps kMapOps = MapOps<T>();
template <class T>
inline constexpr TypeOps kLifetimeOps = LifetimeOps<T>();

}  // namespace internal

template <>
struct Describe<std::string> {
  static constexpr Type type = {.name = "string",
                                .kind = Kind::kString,
                                .storage = Storage::kStandard,
                                .size = sizeof(std::string),
                                .ops = &internal::kStringOps};
};

template <class T>
struct Describe<std::optional<T>> {
  static constexpr Type type = {.name = "optional",
                                .kind = Kind::kOptional,
                                .storage = Storage::kStandard,
                                .size = sizeof(std::optional<T>),
                                .element = &Describe<T>::type,
                                .ops = &internal::kOptionalOps<T>};
};

template <class T>
struct Describe<std::vector<T>> {
  static constexpr Type type = {.name = "list",
                                .kind = Kind::kList,
                                .storage = Storage::kStandard,
                                .size = sizeof(std::vector<T>),
                                .element = &Describe<T>::type,
                                .ops = &internal::kVectorOps<T>};
};

template <class T>
struct Describe<std::map<std::string, T>> {
  static constexpr Type type = {.name = "map",
                                .kind = Kind::kMap,
                                .storage = Storage::kStandard,
                                .size = sizeof(std::map<std::string, T>),
                                .element = &Describe<T>::type,
                                .ops = &internal::kMapOps<T>};
};

// The table of a user's struct, whose members may have any type described here and any default.
template <class T>
constexpr Type StructType(std::string_view name, std::span<const Field> fields) {
  return {.name = name,
          .kind = Kind::kStruct,
          .storage = Storage::kStandard,
          .size = sizeof(T),
          .fields = fields,
          .ops = &internal::kLifetimeOps<T>};
}

// The same for a root object. `group` is empty only in the core group.
template <class T>
constexpr Type RootType(std::string_view name, std::span<const Field> fields, std::string_view group,
                        std::string_view version, std::string_view object_kind) {
  Type type = StructType<T>(name, fields);
  type.group = group;
  type.version = version;
  type.object_kind = object_kind;
  return type;
}

}  // namespace keelson
