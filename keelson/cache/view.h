// The objects of a cache as values of the type that a reader asks for.
//
// A kind has one cache, whose objects are of the type that the first user asked for. Others may read them as another
// type: typed objects as Unstructured, and the other way. Their objects are converted as they are read, and are new
// ones each time.
#pragma once

#include <memory>
#include <utility>

#include "keelson/cache/object.h"
#include "keelson/core/result.h"

namespace keelson {

namespace internal {
// Fills `to`, a default value of that type.
Result<void> ConvertObject(const Type& from_type, const void* from, const Type& to_type, void* to);
}  // namespace internal

template <class T>
bool IsStoredAs(const ObjectModel& model) {
  return model.type == &TypeOf<T>();
}

// Null stays null. An error when the object does not fit the type.
template <class T>
Result<std::shared_ptr<const T>> ViewAs(const ObjectModel& model, ObjectPtr object) {
  if (object == nullptr || IsStoredAs<T>(model)) return std::static_pointer_cast<const T>(std::move(object));
  auto made = std::make_shared<T>();
  KEELSON_RETURN_IF_ERROR(internal::ConvertObject(*model.type, object.get(), TypeOf<T>(), made.get()));
  return std::shared_ptr<const T>(std::move(made));
}

}  // namespace keelson
