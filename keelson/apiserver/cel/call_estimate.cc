#include <algorithm>
#include <array>
#include <cmath>

#include "keelson/apiserver/cel/cost_nodes.h"
#include "keelson/apiserver/cel/library_cost.h"

namespace keelson::apiserver::cel {

namespace {

constexpr uint64_t kMaxFormatPattern = 128;
constexpr uint64_t kMaxFormatName = 64;
constexpr SizeRange kAddressSize = {4, 16};

using Estimate = std::optional<CallEstimate>;

template <size_t kCount>
bool IsOneOf(std::string_view name, const std::array<std::string_view, kCount>& names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool IsText(const Type& type) { return type.Is(TypeKind::kString) || type.Is(TypeKind::kBytes); }

// The items of a list, as far as they are known; nothing when the value has none.
std::optional<CostNode> ItemsOf(const CostNode& list) {
  if (list.type.parameters().empty()) return std::nullopt;
  CostNode items{.type = list.type.parameter(0)};
  if (!list.path.empty()) {
    // A copy, since appending to a path may write into others.
    items.path = DataPath(list.path.steps()[0]);
    for (const std::string& step : list.path.steps().subspan(1)) items.path = items.path.Append(step);
    items.path = items.path.Append("@items");
  }
  return items;
}

int64_t LiteralInt(const CostNode& node, bool* found) {
  *found = false;
  if (node.expr == nullptr || node.expr->kind != ExprKind::kConstant) return 0;
  const auto* number = std::get_if<int64_t>(&node.expr->constant);
  *found = number != nullptr;
  return *found ? *number : 0;
}

uint64_t LiteralCount(const CostNode& node, uint64_t otherwise) {
  bool found = false;
  const int64_t number = LiteralInt(node, &found);
  if (!found) return otherwise;
  return number < 0 ? 0 : static_cast<uint64_t>(number);
}

CallEstimate Traversal(const SizeRange& size) { return {size * kTraversalFactor, {}}; }
CallEstimate Unit() { return {CostRange::Exactly(1), {}}; }

// isSorted, sum, min …: each item once, and text by its length.
Estimate OfTraversedList(const CallArguments& call) {
  if (call.target == nullptr) return std::nullopt;
  const std::optional<CostNode> items = ItemsOf(*call.target);
  if (!items) return Traversal(call.SizeOf(*call.target));
  CostRange each = CostRange::Exactly(1);
  if (IsText(items->type)) each = each + call.SizeOf(*items) * kTraversalFactor;
  return CallEstimate{call.SizeOf(*call.target) * each, {}};
}

// How long a text can be when parts of it are replaced.
SizeRange ReplacedSize(const SizeRange& text, const SizeRange& old_part, const SizeRange& new_part) {
  const auto times = [](uint64_t length, uint64_t part) {
    return static_cast<uint64_t>(std::ceil(static_cast<double>(length) / static_cast<double>(part)));
  };
  SizeRange count;
  SizeRange kept;
  if (old_part.min == 0) {
    // Replacing an empty text puts the new one around each character.
    count.max = AddSaturated(text.max, 1);
    kept.max = text.max;
  } else if (new_part.max <= old_part.min) {
    kept.max = text.max;
  } else {
    count.max = times(text.max, old_part.min);
  }
  if (old_part.max == 0) {
    count.min = AddSaturated(text.min, 1);
    kept.min = text.min;
  } else if (old_part.max <= new_part.min) {
    kept.min = text.min;
  } else {
    count.min = times(text.min, old_part.max);
  }
  return count * new_part + kept;
}

Estimate OfJoin(const CallArguments& call) {
  if (call.target == nullptr) return std::nullopt;
  const SizeRange list = call.SizeOf(*call.target);
  SizeRange size;
  if (const std::optional<CostNode> items = ItemsOf(*call.target)) size = list * call.SizeOf(*items);
  if (!call.args.empty()) {
    const SizeRange separators{list.min > 0 ? list.min - 1 : 0, list.max > 0 ? list.max - 1 : 0};
    size = size + call.SizeOf(call.args[0]) * separators;
  }
  return CallEstimate{size * kTraversalFactor, size};
}

Estimate OfSplit(const CallArguments& call) {
  if (call.target == nullptr) return std::nullopt;
  const SizeRange text = call.SizeOf(*call.target);
  uint64_t most = text.max;
  if (call.args.size() > 1) {
    bool found = false;
    const int64_t limit = LiteralInt(call.args[1], &found);
    if (found) most = static_cast<uint64_t>(limit);
  }
  return CallEstimate{text * (2 * kTraversalFactor), SizeRange{0, most}};
}

Estimate OfFind(const CallArguments& call) {
  if (call.target == nullptr || call.args.empty()) return std::nullopt;
  const SizeRange text = call.SizeOf(*call.target);
  const CostRange text_cost = (text + SizeRange::Exactly(1)) * kTraversalFactor;
  return CallEstimate{text_cost * (call.SizeOf(call.args[0]) * kPatternFactor), SizeRange{0, text.max}};
}

Estimate OfContainment(std::string_view function, std::string_view overload, const CallArguments& call) {
  if (call.args.empty()) return std::nullopt;
  CostRange cost = (kAddressSize + kAddressSize) * kTraversalFactor;
  if (function == "containsCIDR") cost = cost + kAddressSize * kTraversalFactor + CostRange::Exactly(1);
  if (overload.ends_with("_string")) cost = cost + call.SizeOf(call.args[0]) * kTraversalFactor;
  return CallEstimate{cost, {}};
}

// Of the libraries' own types.
Estimate OfEquality(const CallArguments& call) {
  if (call.args.size() != 2 || !(call.args[0].type == call.args[1].type)) return std::nullopt;
  const Type& type = call.args[0].type;
  const std::string_view name = type.runtime_name();
  if (type.Is(TypeKind::kOpaque)) {
    if (name == "net.IP" || name == "net.CIDR") return Unit();
  } else if (type.Is(TypeKind::kObject)) {
    if (name == "kubernetes.Quantity" || name == "kubernetes.Semver") return Unit();
    if (name == "kubernetes.NamedFormat") return CallEstimate{CostRange{1, kMaxFormatName} * kTraversalFactor, {}};
    if (name == "kubernetes.URL") {
      const uint64_t most = call.args[1].size ? call.args[1].size->max : 1;
      return CallEstimate{CostRange{1, most} * kTraversalFactor, {}};
    }
  }
  return std::nullopt;
}

CallEstimate OfNewList(double factor, const SizeRange& size) {
  return {size * factor + CostRange::Exactly(1 + kListCreationCost), size};
}

// Comparing each with each.
CallEstimate OfSelfComparison(const SizeRange& size, bool text) {
  return OfNewList(text ? 2 + kTraversalFactor : 2, size * size);
}

// The extension of lists and sets, known by their overloads.
Estimate OfExtension(std::string_view overload, const CallArguments& call) {
  const bool member = call.target != nullptr;
  if (overload == "list_slice" && member && call.args.size() == 2) {
    const uint64_t end = LiteralCount(call.args[1], call.SizeOf(*call.target).max);
    return OfNewList(1, SizeRange::Exactly(end - LiteralCount(call.args[0], 0)));
  }
  if (overload == "lists_range" && !member && call.args.size() == 1) {
    return OfNewList(1, SizeRange::Exactly(LiteralCount(call.args[0], UINT64_MAX)));
  }
  if (overload == "list_reverse" && member) return OfNewList(1, call.SizeOf(*call.target));
  if ((overload == "list_flatten" || overload == "list_flatten_int") && member) {
    const uint64_t depth = call.args.empty() ? 1 : LiteralCount(call.args[0], UINT64_MAX);
    return OfNewList(static_cast<double>(depth), call.SizeOf(*call.target));
  }
  if (overload == "list_distinct" && member) return OfSelfComparison(call.SizeOf(*call.target), false);
  const bool text = overload.starts_with("list_string_") || overload.starts_with("list_bytes_");
  if (overload.ends_with("_sort") && member) return OfSelfComparison(call.SizeOf(*call.target), text);
  if (overload.ends_with("_sortByAssociatedKeys") && member && call.args.size() == 1) {
    return OfSelfComparison(call.SizeOf(call.args[0]), text);
  }
  if (overload.starts_with("list_sets_") && call.args.size() == 2) {
    const double factor = overload == "list_sets_equivalent_list" ? 2 : 1;
    return CallEstimate{call.SizeOf(call.args[0]) * call.SizeOf(call.args[1]) * factor + CostRange::Exactly(1), {}};
  }
  return std::nullopt;
}

constexpr std::array<std::string_view, 6> kListFunctions = {"isSorted", "sum", "max", "min", "indexOf", "lastIndexOf"};
constexpr std::array<std::string_view, 4> kTextFunctions = {"lowerAscii", "upperAscii", "substring", "trim"};
constexpr std::array<std::string_view, 7> kReadFunctions = {"cidr",       "isIP",   "isCIDR",  "quantity",
                                                            "isQuantity", "semver", "isSemver"};
constexpr std::array<std::string_view, 38> kUnitFunctions = {
    // of addresses
    "masked", "prefixLength", "family", "isUnspecified", "isLoopback", "isLinkLocalMulticast", "isLinkLocalUnicast",
    "isGlobalUnicast",
    // of quantities and versions
    "sign", "asInteger", "isInteger", "asApproximateFloat", "isGreaterThan", "isLessThan", "compareTo", "add", "sub",
    "major", "minor", "patch",
    // of URLs
    "getScheme", "getHostname", "getHost", "getPort", "getEscapedPath", "getQuery",
    // of formats
    "format.named",
    // of authorization
    "serviceAccount", "path", "group", "resource", "subresource", "namespace", "name", "allowed", "reason", "error",
    "errored"};

}  // namespace

std::optional<CallEstimate> EstimateLibraryCall(std::string_view function, std::string_view overload,
                                                const CallArguments& call) {
  if (Estimate extension = OfExtension(overload, call)) return extension;
  if (function == "_==_") return OfEquality(call);
  if (IsOneOf(function, kUnitFunctions)) return Unit();
  if (IsOneOf(function, kListFunctions)) return OfTraversedList(call);
  if (IsOneOf(function, kTextFunctions)) {
    if (call.target == nullptr) return std::nullopt;
    const SizeRange size = call.SizeOf(*call.target);
    return CallEstimate{size * kTraversalFactor, size};
  }
  if (function == "join") return OfJoin(call);
  if (function == "split") return OfSplit(call);
  if (function == "find" || function == "findAll") return OfFind(call);
  if (function == "replace") {
    if (call.target == nullptr || call.args.size() < 2) return std::nullopt;
    const SizeRange text = call.SizeOf(*call.target);
    return CallEstimate{text * (2 * kTraversalFactor),
                        ReplacedSize(text, call.SizeOf(call.args[0]), call.SizeOf(call.args[1]))};
  }
  if (function == "ip" && overload == "cidr_ip") return Unit();
  if (call.args.empty()) return std::nullopt;
  const SizeRange first = call.SizeOf(call.args[0]);
  if (function == "url" && call.args.size() == 1) return CallEstimate{first * kTraversalFactor, first};
  if (function == "ip" || IsOneOf(function, kReadFunctions)) return Traversal(first);
  if (function == "ip.isCanonical") return CallEstimate{first * (2 * kTraversalFactor), {}};
  if (function == "containsIP" || function == "containsCIDR") return OfContainment(function, overload, call);
  if (function == "validate") {
    return CallEstimate{(first * kTraversalFactor) * (static_cast<double>(kMaxFormatPattern) * kPatternFactor), {}};
  }
  return std::nullopt;
}

}  // namespace keelson::apiserver::cel
