// For tests of controllers: a process that runs some and may die, and changes as users make them.
//
//   ControllerProcess process(control_plane.client(), AddBoth, seed, faults);
//   Change<corev1::Service>(client, key, [](corev1::Service& service) { … });
//   process.Restart();
//   EXPECT_EQ(process.line().writes(), 0);
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "keelson/client/client.h"
#include "keelson/client/retry_on_conflict.h"
#include "keelson/runtime/faulty_transport_test_support.h"
#include "keelson/runtime/manager.h"
#include "keelson/runtime/manager_test_support.h"

namespace keelson::controllers {

// Its way to the server is counted and may be bad. Runs from the beginning; destruction ends it.
class ControllerProcess {
 public:
  using Add = std::function<Result<void>(Manager& manager)>;
  // The client outlives it.
  ControllerProcess(Client client, Add add, uint64_t seed = 1, const Faults& faults = {})
      : client_(std::move(client)), add_(std::move(add)), faults_(faults), seed_(seed) {
    Start();
  }

  // A new life has a line of its own, with other luck.
  void Restart() {
    Stop();
    Start();
  }
  void Stop() {
    running_.reset();
    manager_.reset();
  }
  void Start() {
    line_ = std::make_shared<FaultyTransport>(client_.rest().transport(), seed_ * 31 + ++lives_, faults_);
    manager_.emplace(Manager::Make(Client(line_)).value());
    add_(*manager_).value();
    running_.emplace(*manager_);
  }
  FaultyTransport& line() const { return *line_; }

 private:
  const Client client_;
  const Add add_;
  const Faults faults_;
  const uint64_t seed_;
  uint64_t lives_ = 0;
  std::shared_ptr<FaultyTransport> line_;
  std::optional<Manager> manager_;
  std::optional<Running> running_;
};

// Reads, changes and writes, until no other writer is in between.
template <class T>
void Change(const Client& client, const ObjectKey& key, const std::function<void(T&)>& change) {
  const Result<T> changed = RetryOnConflict([&]() -> Result<T> {
    KEELSON_TRY(object, client.Get<T>(key));
    change(object);
    return client.Update(object);
  });
  ASSERT_TRUE(changed) << key.ToString() << ": " << changed.error().message();
}
template <class T>
void ChangeStatus(const Client& client, const ObjectKey& key, const std::function<void(T&)>& change) {
  const Result<T> changed = RetryOnConflict([&]() -> Result<T> {
    KEELSON_TRY(object, client.Get<T>(key));
    change(object);
    return client.Status().Update(object);
  });
  ASSERT_TRUE(changed) << key.ToString() << ": " << changed.error().message();
}

}  // namespace keelson::controllers
