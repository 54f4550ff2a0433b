// Event, of the core group and of events.k8s.io. The stored object is the core one; what events.k8s.io asks of new
// events is stricter, and its errors name fields as the core group does.
#include <fmt/format.h>

#include "keelson/api/core/v1.h"
#include "keelson/api/events/v1.h"
#include "keelson/apiserver/kinds/checks_common.h"
#include "keelson/apiserver/kinds/convert_event.h"
#include "keelson/apiserver/kinds/kind_groups.h"

namespace keelson::apiserver {

namespace {

constexpr size_t kMaxShortText = 128;  // action, reason, reporting instance
constexpr size_t kMaxMessage = 1024;

void CheckLength(const String& text, size_t limit, const Path& path, FieldErrors& errors) {
  if (text.size() > limit) errors.Invalid(path, Json(""), fmt::format("can have at most {} characters", limit));
}

void CheckRequiredText(const String& text, const Path& path, FieldErrors& errors) {
  if (text.empty()) errors.Required(path, "");
  CheckLength(text, kMaxShortText, path, errors);
}

// What both groups ask.
void CheckEvent(const corev1::Event& event, std::string_view reporter_field, FieldErrors& errors) {
  const String& own = event.metadata.namespace_;
  const String& involved = event.involvedObject.namespace_;
  const auto namespaces_differ = [&] {
    const Path object("involvedObject");
    errors.Invalid(object / "namespace", Json(involved), "does not match event.namespace");
  };
  if (event.eventTime.IsZero()) {
    if (involved.empty() ? !own.empty() && own != "default" : own != involved) namespaces_differ();
  } else {
    if (involved.empty() && own != "default" && own != "kube-system") namespaces_differ();
    const Path reporter(reporter_field);
    if (event.reportingComponent.empty()) errors.Required(reporter, "");
    CheckQualifiedName(event.reportingComponent, reporter, errors);
    CheckRequiredText(event.reportingInstance, Path("reportingInstance"), errors);
    CheckRequiredText(event.action, Path("action"), errors);
    CheckRequiredText(event.reason, Path("reason"), errors);
    CheckLength(event.message, kMaxMessage, Path("message"), errors);
  }
  CheckDnsSubdomain(own, Path("namespace"), errors);
}

void ValidateCoreEvent(const corev1::Event& event, FieldErrors& errors) {
  CheckEvent(event, "reportingComponent", errors);
}

void ValidateCoreEventUpdate(const corev1::Event& event, const corev1::Event&, FieldErrors& errors) {
  ValidateCoreEvent(event, errors);
}

void CheckSeries(const corev1::Event& event, FieldErrors& errors) {
  if (!event.series) return;
  if (event.series->count < 2) errors.Invalid(Path("series.count"), Json(""), "should be at least 2");
  if (event.series->lastObservedTime.IsZero()) errors.Required(Path("series.lastObservedTime"), "");
}

void ValidateNewEvent(const eventsv1::Event& given, FieldErrors& errors) {
  const corev1::Event event = ToCoreEvent(given);
  CheckEvent(event, "reportingController", errors);
  CheckSeries(event, errors);
  if (event.eventTime.IsZero()) errors.Required(Path("eventTime"), "");
  if (event.type != "Normal" && event.type != "Warning") {
    errors.Invalid(Path("type"), Json(""), fmt::format("has invalid value: {}", event.type.view()));
  }
  const auto unset = [&](bool is_unset, std::string_view field) {
    if (!is_unset) errors.Invalid(Path(field), Json(""), "needs to be unset");
  };
  unset(event.firstTimestamp.IsZero(), "firstTimestamp");
  unset(event.lastTimestamp.IsZero(), "lastTimestamp");
  unset(event.count == 0, "count");
  unset(event.source.component.empty() && event.source.host.empty(), "source");
}

void ValidateEventUpdate(const eventsv1::Event& given, const eventsv1::Event& given_old, FieldErrors& errors) {
  const corev1::Event event = ToCoreEvent(given);
  const corev1::Event old = ToCoreEvent(given_old);
  CheckEvent(event, "reportingController", errors);
  if (!Equal(event.series, old.series)) CheckSeries(event, errors);
  CheckImmutable(event.involvedObject, old.involvedObject, Path("involvedObject"), errors);
  CheckImmutable(event.reason, old.reason, Path("reason"), errors);
  CheckImmutable(event.message, old.message, Path("message"), errors);
  CheckImmutable(event.source, old.source, Path("source"), errors);
  CheckImmutable(event.firstTimestamp, old.firstTimestamp, Path("firstTimestamp"), errors);
  CheckImmutable(event.lastTimestamp, old.lastTimestamp, Path("lastTimestamp"), errors);
  CheckImmutable(event.count, old.count, Path("count"), errors);
  CheckImmutable(event.reason, old.reason, Path("reason"), errors);  // upstream says it twice
  CheckImmutable(event.type, old.type, Path("type"), errors);
  CheckImmutable(event.eventTime, old.eventTime, Path("eventTime"), errors);
  CheckImmutable(event.action, old.action, Path("action"), errors);
  CheckImmutable(event.related, old.related, Path("related"), errors);
  CheckImmutable(event.reportingComponent, old.reportingComponent, Path("reportingController"), errors);
  CheckImmutable(event.reportingInstance, old.reportingInstance, Path("reportingInstance"), errors);
}

void ReadCoreFields(const corev1::Event& event, std::vector<std::string>& values) {
  const corev1::ObjectReference& object = event.involvedObject;
  for (const String* value : {&object.kind, &object.namespace_, &object.name, &object.uid, &object.apiVersion,
                              &object.resourceVersion, &object.fieldPath, &event.reason, &event.reportingComponent}) {
    values.push_back(*value);
  }
  values.push_back(event.type);
  values.push_back(event.source.component.empty() ? event.reportingComponent : event.source.component);
}

}  // namespace

void AddEventRules(RulesTable& table) {
  // The fields of the two stand in one order, "source" last, so that what is stored for one serves the other.
  table.Add<corev1::Event>(
      {.validate = ValidateCoreEvent,
       .validate_update = ValidateCoreEventUpdate,
       .selectable_fields = {"involvedObject.kind", "involvedObject.namespace", "involvedObject.name",
                             "involvedObject.uid", "involvedObject.apiVersion", "involvedObject.resourceVersion",
                             "involvedObject.fieldPath", "reason", "reportingComponent", "type", "source"},
       .read_fields = ReadCoreFields,
       .name = NameRule::kPathSegment,
       .generation = false,
       .create_on_update = true});
  table.Add<eventsv1::Event>(
      {.validate = ValidateNewEvent,
       .validate_update = ValidateEventUpdate,
       .selectable_fields = {"regarding.kind", "regarding.namespace", "regarding.name", "regarding.uid",
                             "regarding.apiVersion", "regarding.resourceVersion", "regarding.fieldPath", "reason",
                             "reportingController", "type"},
       .read_fields =
           [](const eventsv1::Event& event, std::vector<std::string>& values) {
             ReadCoreFields(ToCoreEvent(event), values);
             values.pop_back();
           },
       .generation = false,
       .create_on_update = true});
}

}  // namespace keelson::apiserver
