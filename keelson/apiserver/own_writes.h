// Writes that the server makes by itself, through the same rules as everybody's.
#pragma once

#include <string_view>
#include <utility>

#include "keelson/api/access.h"
#include "keelson/api/status_error.h"
#include "keelson/apiserver/exchange.h"
#include "keelson/apiserver/objects.h"
#include "keelson/core/result.h"

namespace keelson::apiserver {

template <class T>
AnyValue Boxed(T object) {
  AnyValue value(TypeOf<T>());
  *static_cast<T*>(value.data()) = std::move(object);
  return value;
}

// A request of the server itself. A name and a subresource are for the caller to set.
inline Exchange OwnRequest(ResourcePtr resource, std::string_view namespace_, std::string_view verb) {
  Exchange exchange;
  exchange.resource = std::move(resource);
  exchange.info.is_resource = true;
  exchange.info.verb = verb;
  exchange.info.namespace_ = namespace_;
  exchange.user = {.name = "system:apiserver", .groups = {"system:masters"}};
  return exchange;
}

// Creates the object unless one of its name is there. `manager` owns its fields: who makes it in a cluster.
template <class T>
Result<void> Ensure(Objects& objects, T object, std::string_view manager = "kube-apiserver") {
  const ResourcePtr resource = objects.resources().FindServing(TypeOf<T>());
  if (objects.Get(*resource, object.metadata.namespace_, object.metadata.name)) return {};
  Exchange exchange = OwnRequest(resource, object.metadata.namespace_, "create");
  Result<Reply> created = objects.Create(exchange, Boxed(std::move(object)), {.field_manager = std::string(manager)});
  if (!created && !IsAlreadyExists(created.error())) return std::move(created).error();
  return {};
}

}  // namespace keelson::apiserver
