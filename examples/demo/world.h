// The applied objects, their children and their events, kept up to date by informers.
//
//   World world(client, applied);
//   KEELSON_RETURN_IF_ERROR(world.Start(stop));
//   for (const ObjectState& state : world.Look()) Show(RowOf(state));
//   world.WaitForChange(100ms, stop);
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "keelson/api/core/v1.h"
#include "keelson/cache/informer_factory.h"
#include "keelson/client/client.h"
#include "keelson/core/cond_var.h"
#include "keelson/core/mutex.h"
#include "keelson/core/stop_token.h"
#include "object_state.h"

namespace demo {

class World {
 public:
  World(keelson::Client client, std::vector<Applied> applied);

  // Returns when all is known that is there.
  keelson::Result<void> Start(const keelson::StopToken& stop);
  // In the order in which they were given.
  std::vector<ObjectState> Look() const;
  // Until something has changed since the call before, the time is over, or a stop.
  void WaitForChange(keelson::Duration at_most, const keelson::StopToken& stop);

 private:
  template <class T>
  void Follow(const keelson::Informer<T>& informer);
  void NoteChange();

  // Constant after construction.
  const std::vector<Applied> applied_;

  keelson::Mutex mutex_{"world"};
  keelson::CondVar changed_{"world changed"};
  bool has_changed_ = false;  // guarded by mutex_

  keelson::InformerFactory factory_;
  std::vector<keelson::Informer<keelson::Unstructured>> kinds_;  // of applied objects and of children
  keelson::Informer<keelson::corev1::Event> events_;
  std::vector<keelson::HandlerRegistration> registrations_;
};

}  // namespace demo
