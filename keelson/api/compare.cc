#include "keelson/api/compare.h"

#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "keelson/api/access.h"
#include "keelson/api/int_or_string.h"
#include "keelson/api/json.h"
#include "keelson/api/quantity.h"
#include "keelson/api/raw.h"
#include "keelson/core/hash.h"

namespace keelson {

namespace {

const void* NodeAt(const void* handle) { return *static_cast<const void* const*>(handle); }

bool EqualLists(const Type& type, const void* a, const void* b) {
  const size_t size = Length(type, a);
  if (size != Length(type, b)) return false;
  for (size_t i = 0; i < size; ++i) {
    if (!Equal(*type.element, ReadElement(type, a, i), ReadElement(type, b, i))) return false;
  }
  return true;
}

bool EqualMaps(const Type& type, const void* a, const void* b) {
  if (Length(type, a) != Length(type, b)) return false;
  bool equal = true;
  if (type.ops != nullptr) {
    // A std::map offers no search through its table, but both come in key order.
    std::vector<std::pair<std::string_view, const void*>> others;
    ForEachEntry(type, b, [&](std::string_view key, const void* element) {
      others.emplace_back(key, element);
      return true;
    });
    size_t i = 0;
    ForEachEntry(type, a, [&](std::string_view key, const void* element) {
      equal = key == others[i].first && Equal(*type.element, element, others[i].second);
      ++i;
      return equal;
    });
    return equal;
  }
  ForEachEntry(type, a, [&](std::string_view key, const void* element) {
    const void* other = ReadEntry(type, b, key);
    equal = other != nullptr && Equal(*type.element, element, other);
    return equal;
  });
  return equal;
}

bool EqualJson(const Json& a, const Json& b) {
  if (a.kind() != b.kind()) return false;
  switch (a.kind()) {
    case Json::Kind::kNull: return true;
    case Json::Kind::kBool: return a.boolean() == b.boolean();
    case Json::Kind::kInt: return a.integer() == b.integer();
    case Json::Kind::kDouble: return a.number() == b.number();
    case Json::Kind::kString: return a.string() == b.string();
    case Json::Kind::kList: return a.list() == b.list();
    case Json::Kind::kObject: return a.object() == b.object();
  }
  return false;
}

uint64_t HashJson(const Json& value, uint64_t seed) {
  seed = MixWords(seed + 1, static_cast<uint64_t>(value.kind()) + 3);
  switch (value.kind()) {
    case Json::Kind::kNull: return seed;
    case Json::Kind::kBool: return MixWords(seed, value.boolean() ? 5 : 7);
    case Json::Kind::kInt: {
      const int64_t number = value.integer();
      return HashBytes(&number, sizeof number, seed);
    }
    case Json::Kind::kDouble: {
      const double number = value.number() == 0 ? 0 : value.number();
      return HashBytes(&number, sizeof number, seed);
    }
    case Json::Kind::kString: return HashBytes(value.string().data(), value.string().size(), seed);
    case Json::Kind::kList: return Hash(TypeOf<JsonList>(), &value.list(), seed);
    case Json::Kind::kObject: return Hash(TypeOf<JsonObject>(), &value.object(), seed);
  }
  return seed;
}

// Of the text, whatever its pieces are.
uint64_t HashFieldsV1(const FieldsV1& fields, uint64_t seed) {
  const List<String>& pieces = fields.pieces();
  if (pieces.size() == 1) return HashBytes(pieces[0].data(), pieces[0].size(), seed);
  const std::string text = fields.ToString();
  return HashBytes(text.data(), text.size(), seed);
}

}  // namespace

bool Equal(const Type& type, const void* a, const void* b) {
  if (a == b) return true;
  switch (type.kind) {
    case Kind::kBool: return *static_cast<const bool*>(a) == *static_cast<const bool*>(b);
    case Kind::kInt32: return *static_cast<const int32_t*>(a) == *static_cast<const int32_t*>(b);
    case Kind::kInt64:
    case Kind::kTime:
    case Kind::kMicroTime:
    case Kind::kDuration: return *static_cast<const int64_t*>(a) == *static_cast<const int64_t*>(b);
    case Kind::kDouble: return *static_cast<const double*>(a) == *static_cast<const double*>(b);
    case Kind::kQuantity: return *static_cast<const Quantity*>(a) == *static_cast<const Quantity*>(b);
    case Kind::kIntOrString: return *static_cast<const IntOrString*>(a) == *static_cast<const IntOrString*>(b);
    case Kind::kString:
    case Kind::kBytes:
    case Kind::kRawExtension: return ReadString(type, a) == ReadString(type, b);
    case Kind::kFieldsV1: return *static_cast<const FieldsV1*>(a) == *static_cast<const FieldsV1*>(b);
    case Kind::kJson: return EqualJson(*static_cast<const Json*>(a), *static_cast<const Json*>(b));
    case Kind::kStruct:
    case Kind::kUnion:
      for (const Field& field : type.fields) {
        if (!Equal(*field.type, ReadField(field, a), ReadField(field, b))) return false;
      }
      return true;
    case Kind::kOptional: {
      const void* in_a = ReadOptional(type, a);
      const void* in_b = ReadOptional(type, b);
      if (in_a == nullptr || in_b == nullptr) return in_a == in_b;
      return Equal(*type.element, in_a, in_b);
    }
    case Kind::kList: return (type.ops == nullptr && NodeAt(a) == NodeAt(b)) || EqualLists(type, a, b);
    case Kind::kMap: return (type.ops == nullptr && NodeAt(a) == NodeAt(b)) || EqualMaps(type, a, b);
  }
  return false;
}

uint64_t Hash(const Type& type, const void* value, uint64_t seed) {
  switch (type.kind) {
    case Kind::kBool:
    case Kind::kInt32:
    case Kind::kInt64:
    case Kind::kTime:
    case Kind::kMicroTime:
    case Kind::kDuration: return HashBytes(value, type.size, seed);
    case Kind::kDouble: {
      const double number = *static_cast<const double*>(value);
      const double canonical = number == 0 ? 0 : number;  // -0.0 equals 0.0
      return HashBytes(&canonical, sizeof canonical, seed);
    }
    case Kind::kQuantity: {
      const double amount = static_cast<const Quantity*>(value)->AsDouble();  // equal amounts may differ in bytes
      return HashBytes(&amount, sizeof amount, seed);
    }
    case Kind::kIntOrString: {
      const auto& number_or_text = *static_cast<const IntOrString*>(value);
      const int64_t number = number_or_text.number();
      seed = HashBytes(&number, sizeof number, seed + (number_or_text.is_string() ? 1 : 0));
      return HashBytes(number_or_text.text().data(), number_or_text.text().size(), seed);
    }
    case Kind::kString:
    case Kind::kBytes:
    case Kind::kRawExtension: {
      const std::string_view text = ReadString(type, value);
      return HashBytes(text.data(), text.size(), seed);
    }
    case Kind::kFieldsV1: return HashFieldsV1(*static_cast<const FieldsV1*>(value), seed);
    case Kind::kJson: return HashJson(*static_cast<const Json*>(value), seed);
    case Kind::kStruct:
    case Kind::kUnion:
      for (const Field& field : type.fields) seed = Hash(*field.type, ReadField(field, value), seed + 1);
      return seed;
    case Kind::kOptional: {
      const void* present = ReadOptional(type, value);
      return present == nullptr ? MixWords(seed + 1, 11) : Hash(*type.element, present, seed + 2);
    }
    case Kind::kList: {
      const size_t size = Length(type, value);
      for (size_t i = 0; i < size; ++i) seed = Hash(*type.element, ReadElement(type, value, i), seed + 1);
      return MixWords(seed + 1, size + 13);
    }
    case Kind::kMap: {
      ForEachEntry(type, value, [&](std::string_view key, const void* element) {
        seed = Hash(*type.element, element, HashBytes(key.data(), key.size(), seed + 1));
        return true;
      });
      return MixWords(seed + 1, Length(type, value) + 17);
    }
  }
  return seed;
}

namespace internal {
bool EqualAt(const Type& type, const void* a, const void* b) { return Equal(type, a, b); }
}  // namespace internal

}  // namespace keelson
