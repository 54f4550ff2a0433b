// What the printers of several kinds share. Internal to tables/.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "keelson/api/core/v1.h"
#include "keelson/apiserver/tables/printers.h"

namespace keelson::apiserver::tables {

using Cells = List<Json>;
using Printers = std::unordered_map<const Type*, Printer>;

void AddCorePrinters(Printers& printers);
void AddPodPrinters(Printers& printers);
void AddWorkloadPrinters(Printers& printers);
void AddNetworkPrinters(Printers& printers);
void AddStoragePrinters(Printers& printers);
void AddPolicyPrinters(Printers& printers);
void AddExtensionPrinters(Printers& printers);

template <class T, Cells (*print)(const T&, const PrintContext&)>
void AddPrinter(Printers& printers) {
  printers[&Describe<T>::type].cells = [](const void* object, const PrintContext& context) {
    return print(*static_cast<const T*>(object), context);
  };
}

inline constexpr std::string_view kNone = "<none>";
inline constexpr std::string_view kUnset = "<unset>";
inline constexpr std::string_view kUnknown = "<unknown>";

std::string AgeOf(const metav1::ObjectMeta& metadata, const PrintContext& context);

inline std::string_view Or(const String& text, std::string_view fallback) {
  return text.empty() ? fallback : text.view();
}
inline std::string_view Or(const Optional<String>& text, std::string_view fallback) {
  return text ? text->view() : fallback;
}

std::string Join(std::span<const std::string_view> parts, std::string_view separator);
std::string Join(const List<String>& parts, std::string_view separator);

// "a,b,c + 2 more...": the first `max` of all that were added.
class ShortList {
 public:
  explicit ShortList(size_t max) : max_(max) {}
  void Add(std::string_view text);
  std::string Text(std::string_view if_empty) const;

 private:
  const size_t max_;
  size_t shown_ = 0;
  size_t count_ = 0;
  std::string text_;
};

// "a=b,c=d", "<none>" when there are none.
std::string LabelsCell(const Map<String>& labels);
// The selector's text; "<none>" when it has none, "<error>" when it is invalid.
std::string SelectorCell(const Optional<metav1::LabelSelector>& selector);

// Names and images of containers, each joined by commas.
void AddContainerCells(const List<corev1::Container>& containers, Cells& cells);

// The condition of that type; null when there is none.
template <class Condition>
const Condition* FindConditionOf(const List<Condition>& conditions, std::string_view type) {
  for (const Condition& condition : conditions) {
    if (condition.type == type) return &condition;
  }
  return nullptr;
}

// Joined by commas.
std::string SortedSet(std::vector<std::string_view> parts);

// Addresses of a load balancer, sorted and each once.
template <class Ingress>
std::string LoadBalancerCell(const List<Ingress>& ingress) {
  std::vector<std::string_view> addresses;
  for (const Ingress& entry : ingress) {
    if (!entry.ip.empty()) {
      addresses.push_back(entry.ip);
    } else if (!entry.hostname.empty()) {
      addresses.push_back(entry.hostname);
    }
  }
  return SortedSet(std::move(addresses));
}

}  // namespace keelson::apiserver::tables
