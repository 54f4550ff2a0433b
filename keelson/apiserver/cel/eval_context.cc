#include <re2/re2.h>

#include <algorithm>

#include "keelson/apiserver/cel/function.h"
#include "keelson/apiserver/cel/time_zone.h"
#include "keelson/apiserver/schema/compile.h"

namespace keelson::apiserver::cel {

Value EvalContext::List(std::span<const Value> items) {
  auto* copy = arena_.Array<Value>(items.size());
  std::ranges::copy(items, copy);
  return Value::OfList({copy, items.size()});
}

const re2::RE2* EvalContext::Regex(std::string_view pattern, std::string* error) {
  for (const ConstantPattern& constant : patterns_) {
    if (constant.text.data() == pattern.data() && constant.text.size() == pattern.size()) return constant.regex.get();
  }
  if (last_regex_ != nullptr && last_regex_->pattern() == pattern) return last_regex_.get();
  auto compiled = CompilePattern(pattern);
  if (!compiled) {
    *error = compiled.error().message();
    return nullptr;
  }
  last_regex_ = *std::move(compiled);
  return last_regex_.get();
}

const TimeZone* EvalContext::Zone(std::string_view name) {
  for (const auto& [known, zone] : zones_) {
    if (known == name) return zone.get();
  }
  std::shared_ptr<const TimeZone> zone;
  if (auto loaded = TimeZone::Load(name)) zone = std::make_shared<const TimeZone>(*std::move(loaded));
  // Names come from documents: not any number of them is kept.
  constexpr size_t kMostZones = 64;
  if (zones_.size() == kMostZones) zones_.clear();
  zones_.emplace_back(name, std::move(zone));
  return zones_.back().second.get();
}

}  // namespace keelson::apiserver::cel
