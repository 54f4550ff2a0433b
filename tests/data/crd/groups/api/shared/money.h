// Package shared has types that several groups use, and no kinds.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace groups::shared {

// Money is an amount in a currency.
// +kubebuilder:validation:XValidation:rule="self.cents >= 0 || self.currency == 'EUR'"
struct Money {
  // Cents of the currency.
  int64_t cents = 0;
  // Currency by its three letters.
  // +kubebuilder:validation:Pattern=`^[A-Z]{3}$`
  std::string currency;
};

// Rate of a tax in percent.
// +kubebuilder:validation:Minimum=0
// +kubebuilder:validation:Maximum=100
using Rate = int32_t;

// Lines of a text.
// +listType=atomic
// +kubebuilder:validation:MaxItems=4
using Lines = std::vector<std::string>;

}  // namespace groups::shared
