#include "keelson/apiserver/custom/custom_scale.h"

#include <fmt/format.h>

#include <limits>

#include "keelson/api/status_error.h"
#include "keelson/apiserver/go_text.h"

namespace keelson::apiserver {

namespace {

// ".spec.replicas" as its steps.
std::vector<std::string_view> Steps(std::string_view path) {
  std::vector<std::string_view> steps;
  if (path.starts_with('.')) path.remove_prefix(1);
  while (!path.empty()) {
    const size_t end = std::min(path.find('.'), path.size());
    steps.push_back(path.substr(0, end));
    path.remove_prefix(std::min(end + 1, path.size()));
  }
  return steps;
}

const Json* At(const Json& content, std::string_view path) {
  const Json* value = &content;
  for (const std::string_view step : Steps(path)) {
    value = value->find(step);
    if (value == nullptr) return nullptr;
  }
  return value;
}

int32_t Count(const Json& content, std::string_view path) {
  const Json* value = At(content, path);
  return value != nullptr && value->is_int() ? static_cast<int32_t>(value->integer()) : 0;
}

// Makes the objects on the way.
void Put(JsonObject& object, std::span<const std::string_view> steps, Json value) {
  if (steps.size() == 1) return object.Set(String(steps[0]), std::move(value));
  const Json* known = object.find(steps[0]);
  Json inner = known != nullptr && known->is_object() ? *known : Json::Object();
  Put(inner.object(), steps.subspan(1), std::move(value));
  object.Set(String(steps[0]), std::move(inner));
}

// As upstream tells that a value at a path is of another type.
std::string WrongType(std::string_view path, const Json& found, std::string_view expected) {
  return fmt::format("{} accessor error: {} is of the type {}, expected {}", path, GoText(found), GoTypeName(found),
                     expected);
}

void ValidateCount(const Json& content, std::string_view path, FieldErrors& errors) {
  const Json* value = At(content, path);
  if (value == nullptr) return;
  if (!value->is_int()) return errors.Invalid(Path(path), Json(0), WrongType(path, *value, "int64"));
  constexpr int64_t kMost = std::numeric_limits<int32_t>::max();
  if (value->integer() < 0) errors.Invalid(Path(path), *value, "should be a non-negative integer");
  if (value->integer() > kMost) {
    errors.Invalid(Path(path), *value, fmt::format("should be less than or equal to {}", kMost));
  }
}

const apiextensionsv1::CustomResourceSubresourceScale& PathsOf(const CustomVersion& version) {
  return *version.definition.subresources->scale;
}

}  // namespace

autoscalingv1::Scale CustomScaleOf(const AnyValue& object) {
  const auto& paths = PathsOf(VersionOf(object.type()));
  const CustomObject& custom = *AsCustom(object);
  autoscalingv1::Scale scale;
  scale.metadata.name = custom.metadata.name;
  scale.metadata.namespace_ = custom.metadata.namespace_;
  scale.metadata.uid = custom.metadata.uid;
  scale.metadata.resourceVersion = custom.metadata.resourceVersion;
  scale.metadata.creationTimestamp = custom.metadata.creationTimestamp;
  scale.spec.replicas = Count(custom.content, paths.specReplicasPath);
  scale.status.replicas = Count(custom.content, paths.statusReplicasPath);
  if (paths.labelSelectorPath) {
    const Json* selector = At(custom.content, *paths.labelSelectorPath);
    if (selector != nullptr && selector->is_string()) scale.status.selector = selector->string();
  }
  return scale;
}

Result<void> CheckScalable(const AnyValue& object) {
  const auto& paths = PathsOf(VersionOf(object.type()));
  if (At(AsCustom(object)->content, paths.specReplicasPath) != nullptr) return {};
  return apierrors::Internal(
      fmt::format("the spec replicas field \"{}\" does not exist", paths.specReplicasPath.view()));
}

void ValidateScalePaths(const CustomVersion& version, const Json& content, bool status_only, FieldErrors& errors) {
  if (!version.definition.subresources || !version.definition.subresources->scale) return;
  const auto& paths = PathsOf(version);
  if (!status_only) ValidateCount(content, paths.specReplicasPath, errors);
  ValidateCount(content, paths.statusReplicasPath, errors);
  if (!paths.labelSelectorPath) return;
  const Json* selector = At(content, *paths.labelSelectorPath);
  if (selector != nullptr && !selector->is_string()) {
    errors.Invalid(Path(*paths.labelSelectorPath), Json(""), WrongType(*paths.labelSelectorPath, *selector, "string"));
  }
}

std::vector<std::string_view> CustomReplicasSteps(const CustomVersion& version) {
  return Steps(PathsOf(version).specReplicasPath);
}

void SetCustomReplicas(const CustomVersion& version, CustomObject& object, int32_t replicas) {
  if (!object.content.is_object()) object.content = Json::Object();
  const std::vector<std::string_view> steps = CustomReplicasSteps(version);
  if (!steps.empty()) Put(object.content.object(), steps, Json(replicas));
}

}  // namespace keelson::apiserver
