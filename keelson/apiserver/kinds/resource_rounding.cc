#include "keelson/apiserver/kinds/resource_rounding.h"

#include <cstdint>

namespace keelson::apiserver {

namespace {

bool IsFinerThanMilli(const Quantity& amount) {
  // Amounts whose thousandths do not fit have no fraction to speak of.
  constexpr int64_t kMost = INT64_MAX / 1000;
  if (amount.Value() >= kMost || amount.Value() <= -kMost) return false;
  return Quantity::FromMilli(amount.MilliValue()) != amount;
}

}  // namespace

void RoundUpToMilli(Map<Quantity>& resources) {
  bool any = false;
  for (const auto& [name, amount] : resources) any = any || IsFinerThanMilli(amount);
  if (!any) return;
  const Map<Quantity> given = resources;
  for (const auto& [name, amount] : given) {
    if (IsFinerThanMilli(amount)) resources.Set(name, Quantity::FromMilli(amount.MilliValue(), amount.format()));
  }
}

}  // namespace keelson::apiserver
