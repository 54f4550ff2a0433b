// +groupName=vehicles.example.com

#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "keelson/api/core/v1.h"
#include "keelson/api/meta/v1.h"

namespace inlining::v1 {

// Named things have a name.
// +kubebuilder:validation:XValidation:rule="self.name.size() > 0"
struct Named {
  // Name of the thing.
  // +kubebuilder:validation:MinLength=1
  std::string name;
  // Labels of the thing.
  // +optional
  std::map<std::string, std::string> labels;
};

// Priced things cost something.
struct Priced {
  // Cents it costs.
  int64_t cents = 0;
  // Currency it costs them in.
  // +kubebuilder:default=EUR
  // +optional
  std::string currency;
};

// Sold things are named and priced.
struct Sold : Named, Priced {
  // Seller of the thing.
  std::string seller;
};

// CarSpec inlines what inlines.
// +kubebuilder:validation:XValidation:rule="self.doors > 0"
struct CarSpec : Sold {
  // Doors of the car.
  int32_t doors = 0;
};

// Car on a road.
// +kubebuilder:object:root=true
struct Car {
  keelson::metav1::ObjectMeta metadata;

  CarSpec spec;
};

// BikeSpec inlines by pointer, and holds a struct that is embedded in Go but not in JSON.
struct BikeSpec : Named {
  // Price in a struct of its own.
  Priced price;
  // Gears of the bike.
  std::optional<int32_t> gears;
};

// Bike on a path.
// +kubebuilder:object:root=true
struct Bike {
  keelson::metav1::ObjectMeta metadata;

  BikeSpec spec;
};

// CarrierSpec has types of Kubernetes, as members: they cannot be base classes in C++.
struct CarrierSpec {
  keelson::corev1::LocalObjectReference papers;
  // +optional
  keelson::corev1::ResourceRequirements resources;
  // Load in kilograms.
  int64_t load = 0;
};

// TrainStatus is shared by the fields below.
struct TrainStatus : Named {
  // Delay in minutes.
  // +optional
  int32_t delay = 0;
};

// Train on rails.
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
struct Train {
  keelson::metav1::ObjectMeta metadata;

  CarrierSpec spec;
  // Status is not called so in Go.
  TrainStatus status;
};

}  // namespace inlining::v1
