#include "keelson/apiserver/kinds/convert_hpa.h"

#include <optional>
#include <string>

#include "keelson/apiserver/kinds/internal_form.h"
#include "keelson/codec/convert.h"
#include "keelson/codec/json_reader.h"
#include "keelson/codec/json_writer.h"

namespace keelson::apiserver {

namespace {

constexpr std::string_view kMetrics = "autoscaling.alpha.kubernetes.io/metrics";
constexpr std::string_view kCurrentMetrics = "autoscaling.alpha.kubernetes.io/current-metrics";
constexpr std::string_view kConditions = "autoscaling.alpha.kubernetes.io/conditions";
constexpr std::string_view kBehavior = "autoscaling.alpha.kubernetes.io/behavior";
constexpr std::string_view kScaleDownTolerance = "autoscaling.alpha.kubernetes.io/scale-down-tolerance";
constexpr std::string_view kScaleUpTolerance = "autoscaling.alpha.kubernetes.io/scale-up-tolerance";
constexpr int32_t kDefaultCpuUtilization = 80;

// A JSON object whose members stand in the order they are added: annotations are compared as text.
class ObjectText {
 public:
  template <class T>
  ObjectText& Add(std::string_view name, const T& value) {
    return AddRaw(name, ToJson(value));
  }
  template <class T>
  ObjectText& Add(std::string_view name, const Optional<T>& value) {
    return value ? AddRaw(name, ToJson(*value)) : *this;
  }
  ObjectText& AddRaw(std::string_view name, std::string_view json) {
    text_ += text_.empty() ? '{' : ',';
    text_.append("\"").append(name).append("\":").append(json);
    return *this;
  }
  std::string Text() const { return text_.empty() ? "{}" : text_ + "}"; }

 private:
  std::string text_;
};

std::string ReferenceText(const autoscalingv2::CrossVersionObjectReference& reference) {
  ObjectText text;
  text.Add("kind", reference.kind).Add("name", reference.name);
  if (!reference.apiVersion.empty()) text.Add("apiVersion", reference.apiVersion);
  return text.Text();
}

bool IsCpuUtilization(const autoscalingv2::MetricSpec& metric) {
  return metric.type == "Resource" && metric.resource && metric.resource->name == "cpu" &&
         metric.resource->target.averageUtilization;
}

// --- from v2 to the texts of v1 ---

std::string MetricText(const autoscalingv2::MetricSpec& metric) {
  ObjectText text;
  text.Add("type", metric.type);
  if (metric.object) {
    const autoscalingv2::ObjectMetricSource& source = *metric.object;
    text.AddRaw("object", ObjectText()
                              .AddRaw("target", ReferenceText(source.describedObject))
                              .Add("metricName", source.metric.name)
                              .Add("targetValue", source.target.value.OrDefault())
                              .Add("selector", source.metric.selector)
                              .Add("averageValue", source.target.averageValue)
                              .Text());
  }
  if (metric.pods) {
    text.AddRaw("pods", ObjectText()
                            .Add("metricName", metric.pods->metric.name)
                            .Add("targetAverageValue", metric.pods->target.averageValue.OrDefault())
                            .Add("selector", metric.pods->metric.selector)
                            .Text());
  }
  if (metric.resource) {
    text.AddRaw("resource", ObjectText()
                                .Add("name", metric.resource->name)
                                .Add("targetAverageUtilization", metric.resource->target.averageUtilization)
                                .Add("targetAverageValue", metric.resource->target.averageValue)
                                .Text());
  }
  if (metric.containerResource) {
    const autoscalingv2::ContainerResourceMetricSource& source = *metric.containerResource;
    text.AddRaw("containerResource", ObjectText()
                                         .Add("name", source.name)
                                         .Add("targetAverageUtilization", source.target.averageUtilization)
                                         .Add("targetAverageValue", source.target.averageValue)
                                         .Add("container", source.container)
                                         .Text());
  }
  if (metric.external) {
    const autoscalingv2::ExternalMetricSource& source = *metric.external;
    text.AddRaw("external", ObjectText()
                                .Add("metricName", source.metric.name)
                                .Add("metricSelector", source.metric.selector)
                                .Add("targetValue", source.target.value)
                                .Add("targetAverageValue", source.target.averageValue)
                                .Text());
  }
  return text.Text();
}

std::string StatusText(const autoscalingv2::MetricStatus& metric) {
  ObjectText text;
  text.Add("type", metric.type);
  if (metric.object) {
    const autoscalingv2::ObjectMetricStatus& status = *metric.object;
    text.AddRaw("object", ObjectText()
                              .AddRaw("target", ReferenceText(status.describedObject))
                              .Add("metricName", status.metric.name)
                              .Add("currentValue", status.current.value.OrDefault())
                              .Add("selector", status.metric.selector)
                              .Add("averageValue", status.current.averageValue)
                              .Text());
  }
  if (metric.pods) {
    text.AddRaw("pods", ObjectText()
                            .Add("metricName", metric.pods->metric.name)
                            .Add("currentAverageValue", metric.pods->current.averageValue.OrDefault())
                            .Add("selector", metric.pods->metric.selector)
                            .Text());
  }
  if (metric.resource) {
    text.AddRaw("resource", ObjectText()
                                .Add("name", metric.resource->name)
                                .Add("currentAverageUtilization", metric.resource->current.averageUtilization)
                                .Add("currentAverageValue", metric.resource->current.averageValue.OrDefault())
                                .Text());
  }
  if (metric.containerResource) {
    const autoscalingv2::ContainerResourceMetricStatus& status = *metric.containerResource;
    text.AddRaw("containerResource", ObjectText()
                                         .Add("name", status.name)
                                         .Add("currentAverageUtilization", status.current.averageUtilization)
                                         .Add("currentAverageValue", status.current.averageValue.OrDefault())
                                         .Add("container", status.container)
                                         .Text());
  }
  if (metric.external) {
    const autoscalingv2::ExternalMetricStatus& status = *metric.external;
    text.AddRaw("external", ObjectText()
                                .Add("metricName", status.metric.name)
                                .Add("metricSelector", status.metric.selector)
                                .Add("currentValue", status.current.value.OrDefault())
                                .Add("currentAverageValue", status.current.averageValue)
                                .Text());
  }
  return text.Text();
}

// --- from the texts of v1 to v2 ---

template <class T>
T Read(const Json& tree, std::string_view name) {
  const Json* member = tree.find(name);
  if (member == nullptr || member->is_null()) return {};
  Result<T> value = FromJsonValue<T>(*member);
  return value ? *std::move(value) : T{};
}

template <class T>
Optional<T> ReadOptional(const Json& tree, std::string_view name) {
  const Json* member = tree.find(name);
  if (member == nullptr || member->is_null()) return {};
  Result<T> value = FromJsonValue<T>(*member);
  return value ? Optional<T>(*std::move(value)) : Optional<T>();
}

autoscalingv2::MetricIdentifier ReadIdentifier(const Json& tree, std::string_view selector) {
  return {.name = Read<String>(tree, "metricName"), .selector = ReadOptional<metav1::LabelSelector>(tree, selector)};
}

autoscalingv2::MetricTarget ReadResourceTarget(const Json& tree) {
  autoscalingv2::MetricTarget target;
  target.averageUtilization = ReadOptional<int32_t>(tree, "targetAverageUtilization");
  target.averageValue = ReadOptional<Quantity>(tree, "targetAverageValue");
  target.type = target.averageUtilization ? "Utilization" : "AverageValue";
  return target;
}

autoscalingv2::MetricSpec ReadMetric(const Json& tree) {
  autoscalingv2::MetricSpec metric;
  metric.type = Read<String>(tree, "type");
  if (const Json* from = tree.find("object"); from != nullptr && from->is_object()) {
    autoscalingv2::ObjectMetricSource& source = metric.object.Ensure();
    const Quantity value = Read<Quantity>(*from, "targetValue");
    source.target.averageValue = ReadOptional<Quantity>(*from, "averageValue");
    source.target.type = source.target.averageValue ? "AverageValue" : "Value";
    if (!source.target.averageValue || !value.IsZero()) source.target.value = value;
    source.describedObject = Read<autoscalingv2::CrossVersionObjectReference>(*from, "target");
    source.metric = ReadIdentifier(*from, "selector");
  }
  if (const Json* from = tree.find("pods"); from != nullptr && from->is_object()) {
    autoscalingv2::PodsMetricSource& source = metric.pods.Ensure();
    source.target.type = "AverageValue";
    source.target.averageValue = Read<Quantity>(*from, "targetAverageValue");
    source.metric = ReadIdentifier(*from, "selector");
  }
  if (const Json* from = tree.find("resource"); from != nullptr && from->is_object()) {
    autoscalingv2::ResourceMetricSource& source = metric.resource.Ensure();
    source.name = Read<String>(*from, "name");
    source.target = ReadResourceTarget(*from);
  }
  if (const Json* from = tree.find("containerResource"); from != nullptr && from->is_object()) {
    autoscalingv2::ContainerResourceMetricSource& source = metric.containerResource.Ensure();
    source.name = Read<String>(*from, "name");
    source.container = Read<String>(*from, "container");
    source.target = ReadResourceTarget(*from);
  }
  if (const Json* from = tree.find("external"); from != nullptr && from->is_object()) {
    autoscalingv2::ExternalMetricSource& source = metric.external.Ensure();
    source.target.value = ReadOptional<Quantity>(*from, "targetValue");
    source.target.averageValue = ReadOptional<Quantity>(*from, "targetAverageValue");
    source.target.type = source.target.value ? "Value" : "AverageValue";
    source.metric = ReadIdentifier(*from, "metricSelector");
  }
  return metric;
}

autoscalingv2::MetricStatus ReadStatus(const Json& tree) {
  autoscalingv2::MetricStatus metric;
  metric.type = Read<String>(tree, "type");
  const auto resource = [](const Json& from) {
    autoscalingv2::MetricValueStatus current;
    current.averageUtilization = ReadOptional<int32_t>(from, "currentAverageUtilization");
    current.averageValue = Read<Quantity>(from, "currentAverageValue");
    return current;
  };
  if (const Json* from = tree.find("object"); from != nullptr && from->is_object()) {
    autoscalingv2::ObjectMetricStatus& status = metric.object.Ensure();
    status.current.value = Read<Quantity>(*from, "currentValue");
    status.current.averageValue = ReadOptional<Quantity>(*from, "averageValue");
    status.describedObject = Read<autoscalingv2::CrossVersionObjectReference>(*from, "target");
    status.metric = ReadIdentifier(*from, "selector");
  }
  if (const Json* from = tree.find("pods"); from != nullptr && from->is_object()) {
    autoscalingv2::PodsMetricStatus& status = metric.pods.Ensure();
    status.current.averageValue = Read<Quantity>(*from, "currentAverageValue");
    status.metric = ReadIdentifier(*from, "selector");
  }
  if (const Json* from = tree.find("resource"); from != nullptr && from->is_object()) {
    metric.resource.Ensure().name = Read<String>(*from, "name");
    metric.resource->current = resource(*from);
  }
  if (const Json* from = tree.find("containerResource"); from != nullptr && from->is_object()) {
    autoscalingv2::ContainerResourceMetricStatus& status = metric.containerResource.Ensure();
    status.name = Read<String>(*from, "name");
    status.container = Read<String>(*from, "container");
    status.current = resource(*from);
  }
  if (const Json* from = tree.find("external"); from != nullptr && from->is_object()) {
    autoscalingv2::ExternalMetricStatus& status = metric.external.Ensure();
    status.current.value = Read<Quantity>(*from, "currentValue");
    status.current.averageValue = ReadOptional<Quantity>(*from, "currentAverageValue");
    status.metric = ReadIdentifier(*from, "metricSelector");
  }
  return metric;
}

// Go's names as they stand in the annotation for the behavior, made those of JSON.
Json WithJsonNames(const Json& tree) {
  if (tree.is_list()) {
    JsonList items;
    for (const Json& item : tree.list()) items.push_back(WithJsonNames(item));
    return Json(items);
  }
  if (!tree.is_object()) return tree;
  JsonObject members;
  for (const auto& [key, value] : tree.object()) {
    std::string name = key.str();
    if (!name.empty() && name[0] >= 'A' && name[0] <= 'Z') name[0] = static_cast<char>(name[0] - 'A' + 'a');
    members.Set(name, WithJsonNames(value));
  }
  return Json(members);
}

// The list that an annotation holds, or nothing.
std::optional<Json> ReadAnnotation(const metav1::ObjectMeta& metadata, std::string_view key) {
  const String* text = metadata.annotations.find(key);
  if (text == nullptr) return std::nullopt;
  Result<Json> tree = ParseJson(text->view());
  if (!tree) return std::nullopt;
  return *std::move(tree);
}

template <class T, class ToText>
String ListText(const List<T>& list, ToText to_text) {
  std::string text = "[";
  for (const T& one : list) {
    if (text.size() > 1) text += ',';
    text += to_text(one);
  }
  return String(text + "]");
}

autoscalingv2::MetricSpec CpuMetric(int32_t utilization) {
  autoscalingv2::MetricSpec metric;
  metric.type = "Resource";
  autoscalingv2::ResourceMetricSource& source = metric.resource.Ensure();
  source.name = "cpu";
  source.target.type = "Utilization";
  source.target.averageUtilization = utilization;
  return metric;
}

}  // namespace

void DropAutoscalerAnnotations(metav1::ObjectMeta& metadata) {
  for (const std::string_view key :
       {kMetrics, kCurrentMetrics, kConditions, kBehavior, kScaleDownTolerance, kScaleUpTolerance}) {
    if (metadata.annotations.contains(key)) metadata.annotations.erase(key);
  }
}

autoscalingv2::HorizontalPodAutoscaler ToV2Autoscaler(const autoscalingv1::HorizontalPodAutoscaler& autoscaler) {
  autoscalingv2::HorizontalPodAutoscaler out;
  out.metadata = autoscaler.metadata;
  const autoscalingv1::CrossVersionObjectReference& target = autoscaler.spec.scaleTargetRef;
  out.spec.scaleTargetRef = {.kind = target.kind, .name = target.name, .apiVersion = target.apiVersion};
  out.spec.minReplicas = autoscaler.spec.minReplicas;
  out.spec.maxReplicas = autoscaler.spec.maxReplicas;
  out.status.observedGeneration = autoscaler.status.observedGeneration;
  out.status.lastScaleTime = autoscaler.status.lastScaleTime;
  out.status.currentReplicas = autoscaler.status.currentReplicas;
  out.status.desiredReplicas = autoscaler.status.desiredReplicas;
  if (autoscaler.status.currentCPUUtilizationPercentage) {
    autoscalingv2::MetricStatus& metric = out.status.currentMetrics.emplace_back();
    metric.type = "Resource";
    metric.resource.Ensure().name = "cpu";
    metric.resource->current.averageUtilization = *autoscaler.status.currentCPUUtilizationPercentage;
  }
  if (const std::optional<Json> metrics = ReadAnnotation(out.metadata, kMetrics); metrics && metrics->is_list()) {
    for (const Json& one : metrics->list()) out.spec.metrics.push_back(ReadMetric(one));
  }
  if (autoscaler.spec.targetCPUUtilizationPercentage) {
    out.spec.metrics.push_back(CpuMetric(*autoscaler.spec.targetCPUUtilizationPercentage));
  }
  if (out.spec.metrics.empty()) out.spec.metrics.push_back(CpuMetric(kDefaultCpuUtilization));
  if (const std::optional<Json> behavior = ReadAnnotation(out.metadata, kBehavior)) {
    Result<autoscalingv2::HorizontalPodAutoscalerBehavior> read =
        FromJsonValue<autoscalingv2::HorizontalPodAutoscalerBehavior>(WithJsonNames(*behavior));
    if (read && (read->scaleUp || read->scaleDown)) out.spec.behavior = *std::move(read);
  }
  if (const std::optional<Json> metrics = ReadAnnotation(out.metadata, kCurrentMetrics);
      metrics && metrics->is_list()) {
    out.status.currentMetrics.clear();
    for (const Json& one : metrics->list()) out.status.currentMetrics.push_back(ReadStatus(one));
  }
  if (const std::optional<Json> conditions = ReadAnnotation(out.metadata, kConditions);
      conditions && conditions->is_list()) {
    for (const Json& one : conditions->list()) {
      Result<autoscalingv2::HorizontalPodAutoscalerCondition> condition =
          FromJsonValue<autoscalingv2::HorizontalPodAutoscalerCondition>(one);
      if (condition) out.status.conditions.push_back(*std::move(condition));
    }
  }
  DropAutoscalerAnnotations(out.metadata);
  return out;
}

autoscalingv1::HorizontalPodAutoscaler ToV1Autoscaler(const autoscalingv2::HorizontalPodAutoscaler& autoscaler) {
  autoscalingv1::HorizontalPodAutoscaler out;
  out.metadata = autoscaler.metadata;
  DropAutoscalerAnnotations(out.metadata);
  const autoscalingv2::CrossVersionObjectReference& target = autoscaler.spec.scaleTargetRef;
  out.spec.scaleTargetRef = {.kind = target.kind, .name = target.name, .apiVersion = target.apiVersion};
  out.spec.minReplicas = autoscaler.spec.minReplicas;
  out.spec.maxReplicas = autoscaler.spec.maxReplicas;
  out.status.observedGeneration = autoscaler.status.observedGeneration;
  out.status.lastScaleTime = autoscaler.status.lastScaleTime;
  out.status.currentReplicas = autoscaler.status.currentReplicas;
  out.status.desiredReplicas = autoscaler.status.desiredReplicas;
  List<autoscalingv2::MetricSpec> others;
  for (const autoscalingv2::MetricSpec& metric : autoscaler.spec.metrics) {
    if (!IsCpuUtilization(metric)) {
      others.push_back(metric);
    } else if (!out.spec.targetCPUUtilizationPercentage) {
      out.spec.targetCPUUtilizationPercentage = *metric.resource->target.averageUtilization;
    }
  }
  for (const autoscalingv2::MetricStatus& metric : autoscaler.status.currentMetrics) {
    if (metric.type == "Resource" && metric.resource && metric.resource->name == "cpu" &&
        metric.resource->current.averageUtilization) {
      out.status.currentCPUUtilizationPercentage = *metric.resource->current.averageUtilization;
    }
  }
  Map<String>& annotations = out.metadata.annotations;
  if (!others.empty()) annotations.Set(kMetrics, ListText(others, MetricText));
  if (!autoscaler.status.currentMetrics.empty()) {
    annotations.Set(kCurrentMetrics, ListText(autoscaler.status.currentMetrics, StatusText));
  }
  if (autoscaler.spec.behavior) annotations.Set(kBehavior, String(InternalForm(*autoscaler.spec.behavior)));
  if (!autoscaler.status.conditions.empty()) {
    annotations.Set(kConditions, ListText(autoscaler.status.conditions, [](const auto& one) { return ToJson(one); }));
  }
  return out;
}

}  // namespace keelson::apiserver
