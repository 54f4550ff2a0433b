// Finds the properties of a schema for the members of an object, both of which are ordered by name: one walk over both.
//
//   PropertyCursor properties(schema);
//   for (const auto& [name, value] : object) if (const Schema* property = properties.Find(name)) …
#pragma once

#include <algorithm>
#include <string_view>

#include "keelson/apiserver/schema/schema.h"

namespace keelson::apiserver {

class PropertyCursor {
 public:
  explicit PropertyCursor(const Schema& schema) : at_(schema.properties.data()), end_(at_ + schema.properties.size()) {}

  // Null when there is none of that name. Names come in ascending order.
  const Schema* Find(std::string_view name) {
    if (at_ != end_ && at_->name < name) {
      // Mostly the next one, so look there before anywhere else.
      ++at_;
      if (at_ != end_ && at_->name < name) {
        at_ = std::lower_bound(at_, end_, name,
                               [](const Schema::Property& one, std::string_view wanted) { return one.name < wanted; });
      }
    }
    return at_ != end_ && at_->name == name ? &at_->schema : nullptr;
  }

 private:
  const Schema::Property* at_;
  const Schema::Property* end_;
};

}  // namespace keelson::apiserver
