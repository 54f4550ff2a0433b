// +groupName=shop.example.com

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "../../billing/v1/invoice.h"
#include "../../shared/money.h"
#include "keelson/api/meta/v1.h"

namespace groups::shop::v1 {

// OrderSpec is to be sent.
struct OrderSpec {
  // Positions ordered.
  std::vector<groups::billing::v1::Position> positions;
  std::optional<groups::shared::Money> budget;
  // Note to the shop.
  // +optional
  groups::shared::Lines note;
};

// Order in a shop.
// +kubebuilder:object:root=true
struct Order {
  keelson::metav1::ObjectMeta metadata;

  OrderSpec spec;
};

// Invoice has the name of a kind in another group.
// +kubebuilder:object:root=true
// +kubebuilder:resource:path=shopinvoices
struct Invoice {
  keelson::metav1::ObjectMeta metadata;

  // Number of the invoice.
  std::string number;
};

}  // namespace groups::shop::v1
