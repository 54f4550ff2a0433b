// Puts something around a transport: a fence, a recorder, faults for a test.
//
//   TransportWrapper fenced = [fence](std::shared_ptr<Transport> inner) {
//     return std::make_shared<FencedTransport>(std::move(inner), fence);
//   };
#pragma once

#include <functional>
#include <memory>

#include "keelson/transport/transport.h"

namespace keelson {

using TransportWrapper = std::function<std::shared_ptr<Transport>(std::shared_ptr<Transport> inner)>;

}  // namespace keelson
