#include "keelson/apiserver/cel/cost_estimate.h"

#include <cmath>
#include <map>
#include <unordered_map>

#include "keelson/apiserver/cel/cost_nodes.h"
#include "keelson/apiserver/cel/function.h"
#include "keelson/apiserver/cel/library_cost.h"

namespace keelson::apiserver::cel {

uint64_t AddSaturated(uint64_t a, uint64_t b) {
  uint64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

uint64_t MultiplySaturated(uint64_t a, uint64_t b) {
  uint64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

uint64_t MultiplyRoundedUp(uint64_t a, double factor) {
  const double product = std::ceil(static_cast<double>(a) * factor);
  return product >= 0x1p64 ? UINT64_MAX : static_cast<uint64_t>(product);
}

DataPath DataPath::Append(std::string_view step) const {
  DataPath longer = *this;
  if (steps_ == nullptr) return DataPath(std::string(step));
  if (length_ == steps_->size()) {
    longer.steps_ = std::make_shared<std::vector<std::string>>(*steps_);
    longer.steps_->resize(length_ * 2);
  }
  (*longer.steps_)[length_] = step;
  ++longer.length_;
  return longer;
}

std::optional<SizeRange> SizeAtPath(const SizeSource& sizes, const DataPath& path) {
  if (path.empty()) return std::nullopt;
  return sizes.SizeAt(path.steps().subspan(1));
}

SizeRange CallArguments::SizeOf(const CostNode& node) const {
  if (node.size) return *node.size;
  return SizeAtPath(sizes, node.path).value_or(SizeRange::Unknown());
}

namespace {

constexpr uint64_t kMapCreationCost = 30;
constexpr uint64_t kObjectCreationCost = 40;

// The sizes of what is in a list or map.
struct EntrySizes {
  bool list = false;
  SizeRange key = {};
  SizeRange value = {};
};

using MaybeEntries = std::optional<EntrySizes>;

MaybeEntries Union(const MaybeEntries& a, const MaybeEntries& b) {
  if (!a || !b) return std::nullopt;
  return EntrySizes{a->list, a->key.Union(b->key), a->value.Union(b->value)};
}

// A variable of a comprehension.
struct Local {
  DataPath path = {};
  std::optional<SizeRange> size = {};
  MaybeEntries entries = {};
};

bool IsScalar(const Type& type) {
  switch (type.kind()) {
    case TypeKind::kBool:
    case TypeKind::kDouble:
    case TypeKind::kDuration:
    case TypeKind::kInt:
    case TypeKind::kTimestamp:
    case TypeKind::kUint: return !type.is_wrapper();
    case TypeKind::kOpaque: return type.is_optional() && IsScalar(type.parameter(0));
    default: return false;
  }
}

// Of what is written out in the expression.
std::optional<SizeRange> LiteralSize(const Expr& expr) {
  switch (expr.kind) {
    case ExprKind::kConstant:
      if (const auto* text = std::get_if<std::string>(&expr.constant)) return SizeRange::Exactly(CodePoints(*text));
      if (const auto* bytes = std::get_if<BytesConstant>(&expr.constant))
        return SizeRange::Exactly(bytes->bytes.size());
      return SizeRange::Exactly(1);
    case ExprKind::kList: return SizeRange::Exactly(expr.args.size());
    case ExprKind::kMap: return SizeRange::Exactly(expr.entries.size());
    default: return std::nullopt;
  }
}

bool IsAccumulator(std::string_view name) { return name == "__result__" || name == "@result"; }

class Estimation {
 public:
  explicit Estimation(const SizeSource& sizes) : sizes_(sizes) {}

  CostRange Cost(const Expr& expr) {
    switch (expr.kind) {
      case ExprKind::kIdent: return CostOfIdent(expr);
      case ExprKind::kSelect: return CostOfSelect(expr);
      case ExprKind::kCall: return CostOfCall(expr);
      case ExprKind::kList: return CostOfList(expr);
      case ExprKind::kMap: return CostOfMap(expr);
      case ExprKind::kStruct: return CostOfObject(expr);
      case ExprKind::kComprehension: return IsBinding(expr) ? CostOfBinding(expr) : CostOfLoop(expr);
      case ExprKind::kConstant:
      case ExprKind::kError: break;
    }
    return {};
  }

 private:
  CostRange CostOfIdent(const Expr& expr) {
    const Local* local = FindLocal(expr);
    paths_[expr.id] = local != nullptr ? local->path : DataPath(expr.name);
    return CostRange::Exactly(1);
  }

  CostRange CostOfSelect(const Expr& expr) {
    CostRange cost = Cost(*expr.operand);
    if (expr.test_only) return cost;
    const TypeKind kind = expr.operand->type.kind();
    if (kind == TypeKind::kMap || kind == TypeKind::kObject || kind == TypeKind::kTypeParam) {
      cost = cost + CostRange::Exactly(1);
    }
    paths_[expr.id] = PathOf(*expr.operand).Append(expr.name);
    return cost;
  }

  CostRange CostOfCall(const Expr& expr) {
    if (expr.name == "dyn" && expr.args.size() == 1) {
      const CostRange cost = Cost(*expr.args[0]);
      SetSize(expr, SizeOf(*expr.args[0]));
      SetEntries(expr, EntriesOf(*expr.args[0]));
      return cost + CostRange::Exactly(1);
    }
    std::vector<CostNode> args;
    std::vector<CostRange> costs;
    for (const Expr* arg : expr.args) {
      costs.push_back(Cost(*arg));
      args.push_back(NodeOf(*arg));
    }
    CostRange target_cost;
    CostNode target;
    if (expr.operand != nullptr) {
      target_cost = Cost(*expr.operand);
      target = NodeOf(*expr.operand);
    }
    const CallArguments call{expr.operand != nullptr ? &target : nullptr, args, sizes_};
    CostRange cost{UINT64_MAX, 0};
    std::optional<SizeRange> result_size;
    const auto consider = [&](std::string_view overload) {
      const CallEstimate estimate = EstimateCall(expr, overload, call, costs);
      cost = cost.Union(estimate.cost);
      if (estimate.result_size) {
        result_size = result_size ? result_size->Union(*estimate.result_size) : *estimate.result_size;
      }
      const bool list_item = overload == "index_list";
      if ((list_item || overload == "index_map") && !args.empty()) {
        const MaybeEntries entries = EntriesOf(*expr.args[0]);
        result_size = entries ? std::optional(entries->value) : std::nullopt;
        paths_[expr.id] = PathOf(*expr.args[0]).Append(list_item ? "@items" : "@values");
      }
      if (!result_size) result_size = SizeOf(expr);
    };
    if (expr.overloads.empty()) consider("select_optional_field");
    for (const Overload* overload : expr.overloads) consider(overload->id);
    SetSize(expr, result_size);
    return target_cost + cost;
  }

  CostRange CostOfList(const Expr& expr) {
    CostRange cost;
    SizeRange item{expr.args.empty() ? 0 : UINT64_MAX, 0};
    for (const Expr* arg : expr.args) {
      cost = cost + Cost(*arg);
      item = item.Union(SizeOrUnknown(*arg));
    }
    SetEntries(expr, EntrySizes{true, SizeRange::Exactly(1), item});
    return cost + CostRange::Exactly(kListCreationCost);
  }

  CostRange CostOfMap(const Expr& expr) {
    CostRange cost;
    const SizeRange none{expr.entries.empty() ? 0 : UINT64_MAX, 0};
    EntrySizes sizes{false, none, none};
    for (const Entry& entry : expr.entries) {
      cost = cost + Cost(*entry.key);
      cost = cost + Cost(*entry.value);
      sizes.key = sizes.key.Union(SizeOrUnknown(*entry.key));
      sizes.value = sizes.value.Union(SizeOrUnknown(*entry.value));
    }
    SetEntries(expr, sizes);
    return cost + CostRange::Exactly(kMapCreationCost);
  }

  CostRange CostOfObject(const Expr& expr) {
    CostRange cost;
    for (const Entry& entry : expr.entries) cost = cost + Cost(*entry.value);
    return cost + CostRange::Exactly(kObjectCreationCost);
  }

  // A loop over nothing, which but names a value.
  static bool IsBinding(const Expr& expr) {
    const Comprehension& loop = *expr.comprehension;
    const bool* condition =
        loop.condition->kind == ExprKind::kConstant ? std::get_if<bool>(&loop.condition->constant) : nullptr;
    return loop.range->kind == ExprKind::kList && loop.range->args.empty() && condition != nullptr && !*condition &&
           loop.accumulator != "__result__";
  }

  CostRange CostOfBinding(const Expr& expr) {
    const Comprehension& loop = *expr.comprehension;
    CostRange cost = Cost(*loop.range);
    cost = cost + Cost(*loop.init);
    PushValue(loop.accumulator, *loop.init);
    cost = cost + Cost(*loop.result);
    Pop(loop.accumulator);
    SetSize(expr, SizeOf(*loop.result));
    SetEntries(expr, EntriesOf(*loop.result));
    return cost;
  }

  CostRange CostOfLoop(const Expr& expr) {
    const Comprehension& loop = *expr.comprehension;
    CostRange cost = Cost(*loop.range);
    cost = cost + Cost(*loop.init);
    PushValue(loop.accumulator, *loop.init);
    if (loop.variable2.empty()) {
      const bool list = IsList(*loop.range);
      PushElement(loop.variable, *loop.range, list, list ? "@items" : "@keys");
    } else {
      PushElement(loop.variable, *loop.range, false, IsList(*loop.range) ? "@indices" : "@keys");
      PushElement(loop.variable2, *loop.range, true, IsList(*loop.range) ? "@items" : "@values");
    }
    const CostRange condition = Cost(*loop.condition);
    const CostRange step = Cost(*loop.step);
    Pop(loop.variable);
    if (!loop.variable2.empty()) Pop(loop.variable2);
    cost = cost + Cost(*loop.result);
    Pop(loop.accumulator);
    const SizeRange count = SizeOrUnknown(*loop.range);
    cost = cost + count * (step + condition);
    if (loop.init->kind == ExprKind::kConstant) {
      SetSize(expr, SizeOf(*loop.init));
    } else if (loop.init->kind == ExprKind::kList || loop.init->kind == ExprKind::kMap) {
      SetSize(expr, count);
      SetEntries(expr, EntriesOf(*loop.step));
    }
    return cost;
  }

  CallEstimate EstimateCall(const Expr& expr, std::string_view overload, const CallArguments& call,
                            const std::vector<CostRange>& costs) {
    CostRange args_cost;
    for (const CostRange& cost : costs) args_cost = args_cost + cost;
    if (std::optional<CallEstimate> library = EstimateLibraryCall(expr.name, overload, call)) {
      library->cost = library->cost + args_cost;
      return *library;
    }
    return EstimateStandardCall(expr, overload, call, costs, args_cost);
  }

  CallEstimate EstimateStandardCall(const Expr& expr, std::string_view overload, const CallArguments& call,
                                    const std::vector<CostRange>& costs, const CostRange& args_cost) {
    const auto size = [](const CostNode& node) { return node.size.value_or(SizeRange::Unknown()); };
    const std::span<const CostNode> args = call.args;
    const auto with_args = [&](const CostRange& cost) { return CallEstimate{cost + args_cost, {}}; };
    if (overload == "string_format" && call.target != nullptr) {
      return with_args(size(*call.target) * kTraversalFactor);
    }
    if (overload == "string_to_bytes" && args.size() == 1) {
      const SizeRange text = size(args[0]);
      return {text * kTraversalFactor + args_cost, SizeRange{text.min, text.max * 4}};
    }
    if (overload == "bytes_to_string" && args.size() == 1) {
      const SizeRange bytes = size(args[0]);
      return {bytes * kTraversalFactor + args_cost, SizeRange{bytes.min / 4, bytes.max}};
    }
    if (overload == "strings_quote" && args.size() == 1) {
      const SizeRange text = size(args[0]);
      return {text * kTraversalFactor + args_cost, SizeRange{text.min + 2, text.max * 2 + 2}};
    }
    if ((overload == "starts_with_string" || overload == "ends_with_string") && args.size() == 1) {
      return with_args(size(args[0]) * kTraversalFactor);
    }
    if (overload == "in_list" && args.size() == 2) return with_args(size(args[1]) * 1.0);
    if (overload == "matches_string" && call.target != nullptr && args.size() == 1) {
      const CostRange text = (size(*call.target) + SizeRange::Exactly(1)) * kTraversalFactor;
      return with_args(text * (size(args[0]) * kPatternFactor));
    }
    if (overload == "contains_string" && call.target != nullptr && args.size() == 1) {
      return with_args((size(*call.target) * kTraversalFactor) * (size(args[0]) * kTraversalFactor));
    }
    if (overload == "logical_or" || overload == "logical_and") {
      return {CostRange{costs[0].min, AddSaturated(costs[0].max, costs[1].max)}, {}};
    }
    if (overload == "conditional") {
      SetEntries(expr, Union(EntriesOf(*expr.args[1]), EntriesOf(*expr.args[2])));
      return {costs[0] + costs[1].Union(costs[2]), size(args[1]).Union(size(args[2]))};
    }
    if ((overload == "add_string" || overload == "add_bytes" || overload == "add_list") && args.size() == 2) {
      const SizeRange sum = size(args[0]) + size(args[1]);
      SetEntries(expr, Union(EntriesOf(*expr.args[0]), EntriesOf(*expr.args[1])));
      const CostRange cost = overload == "add_list" ? CostRange::Exactly(1) : sum * kTraversalFactor;
      return {cost + args_cost, sum};
    }
    if (IsComparison(overload) && args.size() == 2) {
      const uint64_t shorter = std::min(size(args[0]).max, size(args[1]).max);
      return with_args(Range{shorter > 0 ? uint64_t{1} : uint64_t{0}, shorter} * kTraversalFactor);
    }
    return with_args(CostRange::Exactly(1));
  }

  // Of values that may be long.
  static bool IsComparison(std::string_view overload) {
    if (overload == "equals" || overload == "not_equals") return true;
    for (const std::string_view type : {"_string", "_bytes"}) {
      if (!overload.ends_with(type)) continue;
      const std::string_view order = overload.substr(0, overload.size() - type.size());
      if (order == "less" || order == "greater" || order == "less_equals" || order == "greater_equals") return true;
    }
    return false;
  }

  // Whether a loop over it runs over items rather than keys.
  bool IsList(const Expr& range) {
    const MaybeEntries entries = EntriesOf(range);
    return entries ? entries->list : range.type.Is(TypeKind::kList);
  }

  void PushElement(const std::string& name, const Expr& range, bool value, std::string_view step) {
    const MaybeEntries entries = EntriesOf(range);
    Local local{.path = PathOf(range).Append(step)};
    if (entries) local.size = value ? entries->value : entries->key;
    locals_[name].push_back(std::move(local));
  }

  void PushValue(const std::string& name, const Expr& expr) {
    Local local{.path = PathOf(expr), .entries = EntriesOf(expr)};
    local.size = SizeOf(expr);
    locals_[name].push_back(std::move(local));
  }

  void Pop(const std::string& name) { locals_[name].pop_back(); }

  const Local* FindLocal(const Expr& expr) const {
    if (expr.kind != ExprKind::kIdent) return nullptr;
    const auto stack = locals_.find(expr.name);
    return stack == locals_.end() || stack->second.empty() ? nullptr : &stack->second.back();
  }

  DataPath PathOf(const Expr& expr) const {
    if (const Local* local = FindLocal(expr)) return local->path;
    const auto known = paths_.find(expr.id);
    return known == paths_.end() ? DataPath() : known->second;
  }

  CostNode NodeOf(const Expr& expr) {
    DataPath path = PathOf(expr);
    if (!path.empty() && IsAccumulator(path.steps()[0])) path = DataPath();
    return {std::move(path), expr.type, &expr, SizeOf(expr)};
  }

  std::optional<SizeRange> SizeOf(const Expr& expr) {
    if (const auto known = known_sizes_.find(expr.id); known != known_sizes_.end()) return known->second;
    if (const std::optional<SizeRange> literal = LiteralSize(expr)) return literal;
    if (const std::optional<SizeRange> size = SizeAtPath(sizes_, PathOf(expr))) {
      known_sizes_[expr.id] = *size;
      return size;
    }
    if (IsScalar(expr.type)) return SizeRange::Exactly(1);
    const Local* local = FindLocal(expr);
    return local != nullptr ? local->size : std::nullopt;
  }

  SizeRange SizeOrUnknown(const Expr& expr) { return SizeOf(expr).value_or(SizeRange::Unknown()); }

  void SetSize(const Expr& expr, const std::optional<SizeRange>& size) {
    if (size) known_sizes_[expr.id] = *size;
  }

  MaybeEntries EntriesOf(const Expr& expr) const {
    if (const auto known = known_entries_.find(expr.id); known != known_entries_.end()) return known->second;
    const Local* local = FindLocal(expr);
    return local != nullptr ? local->entries : std::nullopt;
  }

  void SetEntries(const Expr& expr, const MaybeEntries& entries) {
    if (entries) known_entries_[expr.id] = *entries;
  }

  const SizeSource& sizes_;
  std::unordered_map<int32_t, DataPath> paths_;
  std::unordered_map<int32_t, SizeRange> known_sizes_;
  std::unordered_map<int32_t, EntrySizes> known_entries_;
  std::map<std::string, std::vector<Local>> locals_;
};

}  // namespace

CostRange EstimateCost(const Ast& ast, const SizeSource& sizes) { return Estimation(sizes).Cost(*ast.root); }

}  // namespace keelson::apiserver::cel
