// What the values of the libraries have in common.
//
//   struct UrlValue final : LibraryObject<UrlValue> {
//     static constexpr std::string_view kTypeName = "kubernetes.URL";
//     bool SameAs(const UrlValue& other) const;
//     …
//   };
//   Value value = UrlValue::Make(context, url);
//   UrlValue::Of(value).url
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "keelson/apiserver/cel/function.h"
#include "keelson/apiserver/cel/value.h"

namespace keelson::apiserver::cel {

template <class T>
class LibraryObject : public Opaque {
 public:
  template <class... Args>
  static Value Make(EvalContext& context, Args&&... args) {
    return Value::OfOpaque(context.arena().template New<T>(std::forward<Args>(args)...));
  }
  // Null when the value is something else.
  static const T* From(const Value& value) {
    return value.is(ValueKind::kOpaque) && value.opaque()->TypeName() == T::kTypeName
               ? static_cast<const T*>(value.opaque())
               : nullptr;
  }
  // For arguments, whose type is known.
  static const T& Of(const Value& value) { return static_cast<const T&>(*value.opaque()); }

  std::string_view TypeName() const override { return T::kTypeName; }
  Value Equal(const Value& other) const override {
    const T* same_type = From(other);
    if (same_type == nullptr) return other.is_error() ? other : Value::NoSuchOverload();
    return Value::OfBool(static_cast<const T&>(*this).SameAs(*same_type));
  }
};

// The type of a value whose fields, if any, expressions cannot see.
Type LibraryObjectType(std::string_view name);

}  // namespace keelson::apiserver::cel
