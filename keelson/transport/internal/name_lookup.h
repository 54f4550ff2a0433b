// Addresses of a host, looked up so that the one who waits can be stopped.
#pragma once

#include <sys/socket.h>

#include <cstdint>
#include <string>
#include <vector>

#include "keelson/core/stop_token.h"
#include "keelson/core/time.h"

namespace keelson::internal {

struct SocketAddress {
  sockaddr_storage storage = {};
  socklen_t size = 0;

  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&storage); }
  int family() const { return storage.ss_family; }
  // This machine itself: no network is on the way.
  bool IsLoopback() const;
};

struct NameLookup {
  enum class Outcome { kDone, kUnknownHost, kTimeout, kStopped };
  Outcome outcome = Outcome::kDone;
  std::vector<SocketAddress> addresses = {};  // in the order to try them; not empty with kDone
};

// An address in digits is given back at once. A name is looked up by the system's resolver on a thread of its own,
// which goes on for as long as the resolver takes when the caller does not wait for it.
NameLookup LookUp(const std::string& host, uint16_t port, TimePoint deadline, const StopToken& stop);

}  // namespace keelson::internal
