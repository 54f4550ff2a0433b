#include "keelson/controllers/scheduler_resources.h"

#include <algorithm>

namespace keelson::controllers {
namespace {

constexpr int64_t kScoredMilliCpu = 100;
constexpr int64_t kScoredMemory = 200 * 1024 * 1024;

void Raise(Amounts& amounts, const Amounts& to) {
  amounts.milli_cpu = std::max(amounts.milli_cpu, to.milli_cpu);
  amounts.memory = std::max(amounts.memory, to.memory);
  amounts.ephemeral_storage = std::max(amounts.ephemeral_storage, to.ephemeral_storage);
  for (const auto& [resource, amount] : to.others) {
    int64_t& own = amounts.others[resource];
    own = std::max(own, amount);
  }
}

Amounts Together(const corev1::Pod& pod, bool scored) {
  const auto of_container = [scored](const corev1::Container& container) {
    Amounts amounts = AmountsOf(container.resources.requests);
    if (scored && !container.resources.requests.contains("cpu")) amounts.milli_cpu = kScoredMilliCpu;
    if (scored && !container.resources.requests.contains("memory")) amounts.memory = kScoredMemory;
    return amounts;
  };
  Amounts total, beside, largest_init;
  for (const corev1::Container& container : pod.spec.containers) total.Add(of_container(container));
  for (const corev1::Container& container : pod.spec.initContainers) {
    Amounts amounts = of_container(container);
    if (container.restartPolicy == String("Always")) {
      total.Add(amounts);
      beside.Add(amounts);
      Raise(largest_init, beside);
    } else {
      amounts.Add(beside);
      Raise(largest_init, amounts);
    }
  }
  Raise(total, largest_init);
  if (pod.spec.resources) {
    const corev1::ResourceList& whole = pod.spec.resources->requests;
    const Amounts amounts = AmountsOf(whole);
    if (whole.contains("cpu")) total.milli_cpu = amounts.milli_cpu;
    if (whole.contains("memory")) total.memory = amounts.memory;
    for (const auto& [resource, amount] : amounts.others) total.others[resource] = amount;
  }
  total.Add(AmountsOf(pod.spec.overhead));
  return total;
}

}  // namespace

void Amounts::Add(const Amounts& other) {
  milli_cpu += other.milli_cpu;
  memory += other.memory;
  ephemeral_storage += other.ephemeral_storage;
  for (const auto& [resource, amount] : other.others) others[resource] += amount;
}

void Amounts::Subtract(const Amounts& other) {
  milli_cpu -= other.milli_cpu;
  memory -= other.memory;
  ephemeral_storage -= other.ephemeral_storage;
  for (const auto& [resource, amount] : other.others) others[resource] -= amount;
}

int64_t Amounts::Other(std::string_view resource) const {
  const auto found = others.find(resource);
  return found == others.end() ? 0 : found->second;
}

Amounts AmountsOf(const corev1::ResourceList& resources) {
  Amounts amounts;
  for (const auto& [resource, quantity] : resources) {
    if (resource == "cpu") {
      amounts.milli_cpu = quantity.MilliValue();
    } else if (resource == "memory") {
      amounts.memory = quantity.Value();
    } else if (resource == "ephemeral-storage") {
      amounts.ephemeral_storage = quantity.Value();
    } else if (resource != "pods") {
      amounts.others[resource.str()] = quantity.Value();
    }
  }
  return amounts;
}

Amounts RequestsOf(const corev1::Pod& pod) { return Together(pod, false); }

Amounts ScoredRequestsOf(const corev1::Pod& pod) { return Together(pod, true); }

}  // namespace keelson::controllers
