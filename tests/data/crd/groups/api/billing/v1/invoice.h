// +groupName=billing.example.com

#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "../../shared/money.h"
#include "keelson/api/meta/v1.h"

namespace groups::billing::v1 {

// Position on an invoice.
struct Position {
  // Text of the position.
  std::string text;
  // Price of the position.
  groups::shared::Money price;
};

// InvoiceSpec is to be paid.
struct InvoiceSpec {
  // Positions on the invoice.
  std::vector<Position> positions;
  // Total to be paid.
  std::optional<groups::shared::Money> total;
  // Rate of the tax.
  // +optional
  groups::shared::Rate rate;
  // Address of the customer.
  // +optional
  groups::shared::Lines address;
  // Taxes by name.
  // +optional
  std::map<std::string, groups::shared::Rate> taxes;
};

// Invoice to a customer.
// +kubebuilder:object:root=true
struct Invoice {
  keelson::metav1::ObjectMeta metadata;

  InvoiceSpec spec;
};

// Policy is a kind without a spec.
// +kubebuilder:object:root=true
struct Policy {
  keelson::metav1::ObjectMeta metadata;

  // Days until it must be paid.
  // +kubebuilder:default=30
  // +optional
  int32_t days = 0;
  // Currencies accepted.
  std::vector<std::string> currencies;
};

}  // namespace groups::billing::v1
