// Stand-ins for the headers of Keelson's value types, which the header reader gives to libclang first.
//
// The real ones bring much of the standard library: reading them takes most of a second, and a member's type is all
// that is asked of them. They have the same names in the same namespaces and may be made of anything. A header that
// does not compile with them is read again with the real ones, so they can only be too small, never wrong.
#pragma once

#include <string_view>

namespace keelson::codegen::internal {

// Under keelson/api/. The first holds the stand-ins, the others include it.
inline constexpr std::string_view kValueHeaders[] = {
    "values.h",   "box.h",      "int_or_string.h", "json.h",   "list.h", "map.h",  "node.h",
    "optional.h", "quantity.h", "raw.h",           "string.h", "time.h", "type.h", "standard_types.h",
};

// The standard headers that `kStandardStubs` stands in for.
inline constexpr std::string_view kStandardHeaders[] = {"map", "optional", "string", "string_view", "vector"};

// An optional holds its value in place, so that a struct which holds itself is found.
inline constexpr std::string_view kStandardStubs = R"(#pragma once
#include <cstddef>
#include <cstdint>
#include <initializer_list>

namespace std {

template <class T> class allocator {};
template <class T> struct less {};

#define KEELSON_STUB(Name) \
    constexpr Name() {} \
    template <class... From> constexpr Name(const From&...) {}

template <class C> struct char_traits {};
template <class C, class T = char_traits<C>, class A = allocator<C>>
class basic_string { public: KEELSON_STUB(basic_string) };
template <class C, class T = char_traits<C>>
class basic_string_view { public: KEELSON_STUB(basic_string_view) };
using string = basic_string<char>;
using wstring = basic_string<wchar_t>;
using string_view = basic_string_view<char>;
template <class T>
class optional { public: KEELSON_STUB(optional) T value; };
template <class T, class A = allocator<T>>
class vector { public: KEELSON_STUB(vector) constexpr vector(initializer_list<T>) {} };
template <class K, class T> struct map_stub_entry { K key; T value; };
template <class K, class T, class C = less<K>, class A = allocator<T>>
class map { public: KEELSON_STUB(map) constexpr map(initializer_list<map_stub_entry<K, T>>) {} };
struct nullopt_t {};
inline constexpr nullopt_t nullopt;
#undef KEELSON_STUB

}  // namespace std
)";

inline constexpr std::string_view kValueStubs = R"(#pragma once
#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace keelson {

struct Type;
template <class T> struct Describe;
template <class T> inline constexpr bool kIsPlainValue = true;
template <class T> inline constexpr bool kIsSingleHandle = true;

#define KEELSON_STUB(Name) \
  class Name { \
   public: \
    constexpr Name() {} \
    template <class... From> constexpr Name(const From&...) {} \
  };

KEELSON_STUB(String)
KEELSON_STUB(Bytes)
KEELSON_STUB(IntOrString)
KEELSON_STUB(RawExtension)
KEELSON_STUB(FieldsV1)
KEELSON_STUB(Json)
namespace resource { KEELSON_STUB(Quantity) }
using resource::Quantity;
namespace metav1 {
KEELSON_STUB(Time)
KEELSON_STUB(MicroTime)
KEELSON_STUB(Duration)
}

#undef KEELSON_STUB
#define KEELSON_STUB(Name, Element) \
  template <class T> \
  class Name { \
   public: \
    constexpr Name() {} \
    constexpr Name(std::initializer_list<Element>) {} \
    template <class From> constexpr Name(const From&) {} \
  };

KEELSON_STUB(Optional, T)
KEELSON_STUB(List, T)
template <class T> struct MapStubEntry { String key; T value; };
KEELSON_STUB(Map, MapStubEntry<T>)
#undef KEELSON_STUB

using JsonList = List<Json>;
using JsonObject = Map<Json>;
using UnknownFields = Map<Bytes>;
namespace internal { extern const Type kWrappedList; extern const Type kMapOfWrappedLists; }

}  // namespace keelson
)";

}  // namespace keelson::codegen::internal
