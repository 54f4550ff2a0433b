// For tests of controllers of Services and volumes: the objects that they work on.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "keelson/api/core/v1.h"
#include "keelson/client/client.h"
#include "keelson/controllers/controller_process_test_support.h"
#include "keelson/core/clock.h"

namespace keelson::controllers {

inline void Settle() { (void)SleepFor(std::chrono::seconds(2), {}); }

// What users, schedulers and kubelets do.
class Actors {
 public:
  explicit Actors(Client client) : client_(std::move(client)) {}

  template <class T>
  T Make(const T& object) const {
    Result<T> made = client_.Create(object);
    EXPECT_TRUE(made) << object.metadata.name.view() << ": " << made.error().message();
    return made ? *made : object;
  }

  void MakeNode(const std::string& name, const std::string& zone = "") const {
    corev1::Node node;
    node.metadata.name = name;
    if (!zone.empty()) node.metadata.labels = {{"topology.kubernetes.io/zone", zone}};
    Make(node);
  }
  corev1::Service MakeService(const std::string& name, const std::function<void(corev1::Service&)>& change = {}) const {
    corev1::Service service;
    service.metadata = {.name = name, .namespace_ = "default", .labels = {{"team", "blue"}}};
    service.spec.selector = {{"app", name}};
    service.spec.ports = {corev1::ServicePort{.name = "http", .protocol = "TCP", .port = 80, .targetPort = 8080}};
    if (change) change(service);
    return Make(service);
  }
  // A pod that runs on the node; without an address it has not begun.
  void MakePod(const std::string& name, const std::string& app, const std::string& ip, bool ready = true,
               const std::string& node = "n1", const std::function<void(corev1::Pod&)>& change = {}) const {
    corev1::Pod pod;
    pod.metadata = {.name = name, .namespace_ = "default", .labels = {{"app", app}}};
    pod.spec.nodeName = node;
    pod.spec.containers = {corev1::Container{.name = "c", .image = "i"}};
    if (change) change(pod);
    Make(pod);
    if (!ip.empty()) SetPod(name, ip, ready);
  }
  void SetPod(const std::string& name, const std::string& ip, bool ready) const {
    ModifyStatus<corev1::Pod>(client_, {"default", name}, [&](corev1::Pod& pod) {
      pod.status.phase = "Running";
      pod.status.podIP = ip;
      pod.status.podIPs = {corev1::PodIP{.ip = ip}};
      pod.status.conditions = {corev1::PodCondition{
          .type = "Ready", .status = ready ? "True" : "False", .lastTransitionTime = metav1::Time(Clock::WallNow())}};
    }).value();
  }
  // Reasons and messages of the events on an object, in no order.
  std::vector<std::string> EventsOn(const std::string& name) const {
    std::vector<std::string> texts;
    const ObjectList<corev1::Event> events = client_.List<corev1::Event>().value();
    for (const corev1::Event& event : events) {
      if (event.involvedObject.name == name) texts.push_back(event.reason.str() + ": " + event.message.str());
    }
    return texts;
  }
  const Client& client() const { return client_; }

 private:
  const Client client_;
};

}  // namespace keelson::controllers
