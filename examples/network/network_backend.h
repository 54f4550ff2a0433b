// Whoever provides networks: the part of the world that the controller keeps as Networks say.
//
// A real one would be a router, a cloud or a switch with an interface to it.
#pragma once

#include <map>
#include <optional>

#include "api/v1/generated.h"
#include "keelson/api/object_key.h"
#include "keelson/core/result.h"

namespace network {

// What is provided under which name.
using ProvidedNetworks = std::map<keelson::ObjectKey, v1::NetworkSpec>;

// Thread-safe. Any call may fail because the backend is out of reach (kUnavailable).
class NetworkBackend {
 public:
  virtual ~NetworkBackend() = default;

  virtual keelson::Result<ProvidedNetworks> List() = 0;
  virtual keelson::Result<std::optional<v1::NetworkSpec>> Get(const keelson::ObjectKey& name) = 0;

  // These two: kInvalid when the addresses cannot be had, because they overlap those of another network or are none.
  // kAlreadyExists when there is one of that name.
  virtual keelson::Result<void> Create(const keelson::ObjectKey& name, const v1::NetworkSpec& network) = 0;
  // kNotFound when there is none. One that fails leaves the network as it was.
  virtual keelson::Result<void> Update(const keelson::ObjectKey& name, const v1::NetworkSpec& network) = 0;

  // kNotFound when there is none.
  virtual keelson::Result<void> Delete(const keelson::ObjectKey& name) = 0;
};

}  // namespace network
