// What the estimate of a call's cost knows of its arguments; shared by cost_estimate.cc and call_estimate.cc.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "keelson/apiserver/cel/cost_estimate.h"

namespace keelson::apiserver::cel {

// The way from a variable to a value. Longer paths are made of shorter ones and share their memory: where several are
// made of one, a later one can write over what an earlier one has last. A kube-apiserver's paths do, by accident, which
// changes its estimates of nested loops; so these do the same.
class DataPath {
 public:
  DataPath() = default;
  explicit DataPath(std::string root)
      : steps_(std::make_shared<std::vector<std::string>>(1, std::move(root))), length_(1) {}

  DataPath Append(std::string_view step) const;
  bool empty() const { return length_ == 0; }
  std::span<const std::string> steps() const { return {steps_ == nullptr ? nullptr : steps_->data(), length_}; }

 private:
  std::shared_ptr<std::vector<std::string>> steps_ = nullptr;  // as long as there is room for
  size_t length_ = 0;
};

struct CostNode {
  DataPath path = {};
  Type type = {};
  const Expr* expr = nullptr;
  std::optional<SizeRange> size = {};
};

struct CallEstimate {
  CostRange cost = {};
  std::optional<SizeRange> result_size = {};
};

struct CallArguments {
  const CostNode* target = nullptr;  // of a member function
  std::span<const CostNode> args = {};
  const SizeSource& sizes;

  SizeRange SizeOf(const CostNode& node) const;
};

std::optional<SizeRange> SizeAtPath(const SizeSource& sizes, const DataPath& path);

// What a function of the libraries costs, its arguments not counted; nothing for the others.
std::optional<CallEstimate> EstimateLibraryCall(std::string_view function, std::string_view overload,
                                                const CallArguments& call);

}  // namespace keelson::apiserver::cel
