#include "keelson/apiserver/scale.h"

#include <fmt/format.h>

#include "keelson/api/apps/v1.h"
#include "keelson/api/autoscaling/v1.h"
#include "keelson/api/compare.h"
#include "keelson/api/core/v1.h"
#include "keelson/api/label_selector_struct.h"
#include "keelson/api/status_error.h"
#include "keelson/apiserver/answers.h"
#include "keelson/apiserver/apply/resource_fields.h"
#include "keelson/apiserver/custom/custom_scale.h"
#include "keelson/apiserver/kinds/field_errors.h"
#include "keelson/apiserver/object_codec.h"
#include "keelson/apiserver/options.h"
#include "keelson/apiserver/patches.h"
#include "keelson/apiserver/writes.h"
#include "keelson/core/clock.h"

namespace keelson::apiserver {

namespace {

std::string SelectorText(const Optional<metav1::LabelSelector>& selector) {
  Result<labels::Selector> parsed = labels::FromStruct(selector);
  return parsed ? parsed->ToString() : std::string();
}
std::string SelectorText(const Map<String>& selector) {
  labels::Set set;
  for (const auto& [key, value] : selector) set.emplace(key.str(), value.str());
  return labels::FromSet(set).ToString();
}

template <class T>
autoscalingv1::Scale ScaleOfKind(const T& object) {
  autoscalingv1::Scale scale;
  scale.metadata.name = object.metadata.name;
  scale.metadata.namespace_ = object.metadata.namespace_;
  scale.metadata.uid = object.metadata.uid;
  scale.metadata.resourceVersion = object.metadata.resourceVersion;
  scale.metadata.creationTimestamp = object.metadata.creationTimestamp;
  scale.spec.replicas = object.spec.replicas ? *object.spec.replicas : 0;
  scale.status.replicas = object.status.replicas;
  scale.status.selector = SelectorText(object.spec.selector);
  return scale;
}

// Calls visit(object) with the object in its own type.
template <class Visit>
void WithScalable(const AnyValue& object, Visit visit) {
  void* data = const_cast<void*>(object.data());
  if (&object.type() == &TypeOf<appsv1::Deployment>()) return visit(*static_cast<appsv1::Deployment*>(data));
  if (&object.type() == &TypeOf<appsv1::ReplicaSet>()) return visit(*static_cast<appsv1::ReplicaSet*>(data));
  if (&object.type() == &TypeOf<appsv1::StatefulSet>()) return visit(*static_cast<appsv1::StatefulSet*>(data));
  if (&object.type() == &TypeOf<corev1::ReplicationController>()) {
    return visit(*static_cast<corev1::ReplicationController*>(data));
  }
}

autoscalingv1::Scale ScaleOf(const AnyValue& object) {
  autoscalingv1::Scale scale;
  if (AsCustom(object) != nullptr) return CustomScaleOf(object);
  WithScalable(object, [&](const auto& typed) { scale = ScaleOfKind(typed); });
  return scale;
}

// Of a custom object the object itself is checked.
Result<void> CheckScale(const AnyValue& object, const autoscalingv1::Scale& scale) {
  if (scale.spec.replicas >= 0 || AsCustom(object) != nullptr) return {};
  FieldErrors errors;
  const Path spec("spec");
  const Path path = spec / "replicas";
  errors.Invalid(path, Json(scale.spec.replicas), "must be greater than or equal to 0");
  return apierrors::Invalid({"autoscaling", "Scale"}, scale.metadata.name, errors.causes());
}

// The stored object with the replicas and the version that the Scale asks for.
AnyValue Scaled(const AnyValue& object, const autoscalingv1::Scale& scale) {
  AnyValue scaled = object;
  if (CustomObject* custom = AsCustom(scaled)) {
    SetCustomReplicas(VersionOf(scaled.type()), *custom, scale.spec.replicas);
    custom->metadata.resourceVersion = scale.metadata.resourceVersion;
    if (!scale.metadata.uid.empty()) custom->metadata.uid = scale.metadata.uid;
    return scaled;
  }
  WithScalable(scaled, [&](auto& typed) {
    typed.spec.replicas = scale.spec.replicas;
    typed.metadata.resourceVersion = scale.metadata.resourceVersion;
    if (!scale.metadata.uid.empty()) typed.metadata.uid = scale.metadata.uid;
  });
  return scaled;
}

AnyValue Boxed(autoscalingv1::Scale scale) {
  AnyValue value(TypeOf<autoscalingv1::Scale>());
  *static_cast<autoscalingv1::Scale*>(value.data()) = std::move(scale);
  return value;
}
const autoscalingv1::Scale& Unboxed(const AnyValue& value) {
  return *static_cast<const autoscalingv1::Scale*>(value.data());
}

Reply AsScale(const Resource& resource, const Reply& reply) {
  if (reply.value) return Reply::Of(Boxed(ScaleOf(*reply.value)));
  return Reply::Of(Boxed(ScaleOf(DecodeServed(resource, *reply.stored))));
}

// Where the object says how many replicas it wants.
FieldPath ReplicasPath(const Resource& resource) {
  if (resource.custom == nullptr) return {PathElement::Field("spec"), PathElement::Field("replicas")};
  FieldPath path;
  for (const std::string_view step : CustomReplicasSteps(*resource.custom)) path.push_back(PathElement::Field(step));
  return path;
}

// The managing of a Scale's fields, which are fields of its object.
class ScaleFields {
 public:
  ScaleFields(const Exchange& exchange, const Objects& objects, const WriteOptions& options)
      : resource_(*exchange.resource),
        parent_versions_(objects.resources(), resource_),
        path_(ReplicasPath(resource_)),
        manager_(versions_, kEverything,
                 {.manager = ManagerOf(exchange, options),
                  .kind = {"autoscaling", "v1", "Scale"},
                  .subresource = "scale",
                  .now = metav1::Time(Clock::WallNow())}) {}

  // The Scale of the object with what is known of its managers.
  AnyValue LiveScale(const AnyValue& object) const {
    AnyValue scale = Boxed(ScaleOf(object));
    MetaOf(scale).managedFields = ScaleManagers(MetaOf(object).managedFields, path_, parent_versions_);
    return scale;
  }
  Result<AnyValue> Applied(const AnyValue& object, const Json& document, bool force) const {
    const AnyValue live = LiveScale(object);
    KEELSON_TRY(scale, manager_.Apply(live, document, force));
    if (resource_.custom != nullptr && !Equal(Unboxed(scale).spec, Unboxed(live).spec)) {
      // Upstream cannot do this for custom kinds either: whoever needs it is better told here than on a cluster.
      return BareError(500, fmt::format("failed to convert new object (/{}; autoscaling/v1, Kind=Scale) to proper "
                                        "version: request to convert CR to an invalid group/version: autoscaling/v1",
                                        MetaOf(live).name.view()));
    }
    return scale;
  }
  void Track(const AnyValue& object, AnyValue& scale) const {
    const AnyValue live = LiveScale(object);
    manager_.Track(&live, scale);
  }
  // The object as the Scale, whose fields are tracked, wants it.
  AnyValue ScaledObject(const AnyValue& object, const AnyValue& scale) const {
    AnyValue scaled = Scaled(object, Unboxed(scale));
    MetaOf(scaled).managedFields = ParentManagers(MetaOf(object).managedFields, MetaOf(scale).managedFields, path_,
                                                  resource_.api_version(), parent_versions_);
    return scaled;
  }

 private:
  inline static const FieldFilter kEverything = {};

  const Resource& resource_;
  const ResourceVersions parent_versions_;
  const OneVersion versions_{TypeOf<autoscalingv1::Scale>()};
  const FieldPath path_;
  const FieldManager manager_;
};

}  // namespace

Result<Reply> ServeScale(Exchange& exchange, Objects& objects) {
  const Resource& resource = *exchange.resource;
  if (exchange.info.verb == "get") {
    KEELSON_TRY(found, objects.Get(resource, exchange.info.namespace_, exchange.info.name));
    if (resource.custom != nullptr) KEELSON_RETURN_IF_ERROR(CheckScalable(DecodeServed(resource, *found)));
    return AsScale(resource, Reply::Of(std::move(found)));
  }
  if (exchange.info.verb == "update") {
    KEELSON_TRY(options, ReadWriteOptions(exchange.query, WriteVerb::kUpdate));
    KEELSON_TRY(body, ReadBody(exchange, TypeOf<autoscalingv1::Scale>(), options.field_validation));
    KEELSON_RETURN_IF_ERROR(CheckIdentity(exchange, MetaOf(body)));
    const ScaleFields fields(exchange, objects, options);
    options.fields_are_tracked = true;
    KEELSON_TRY(updated, objects.Update(exchange, exchange.info.name,
                                        [&](const AnyValue* old) -> Result<AnyValue> {
                                          AnyValue scale = body;
                                          fields.Track(*old, scale);
                                          KEELSON_RETURN_IF_ERROR(CheckScale(*old, Unboxed(scale)));
                                          return fields.ScaledObject(*old, scale);
                                        },
                                        {.write = options, .uid_is_precondition = true}));
    return AsScale(resource, updated);
  }
  KEELSON_TRY(read, ReadPatch(exchange));
  KEELSON_TRY(options, ReadWriteOptions(exchange.query, WriteVerb::kPatch, read.first));
  const ScaleFields fields(exchange, objects, options);
  options.fields_are_tracked = true;
  // What the request makes of the Scale of an object.
  std::function<Result<AnyValue>(const AnyValue& object)> change;
  std::optional<ObjectPatch> patch;
  AppliedDocument applied;
  if (read.first == PatchKind::kApply) {
    KEELSON_TRY(document, AppliedDocument::Read(read.second));
    applied = std::move(document);
    change = [&](const AnyValue& object) {
      return fields.Applied(object, applied.document, options.force.value_or(false));
    };
  } else {
    KEELSON_TRY(parsed, ObjectPatch::Parse(read.first, read.second));
    patch = std::move(parsed);
    change = [&](const AnyValue& object) -> Result<AnyValue> {
      KEELSON_TRY(patched, patch->Apply(Boxed(ScaleOf(object)), options.field_validation, exchange.warnings));
      fields.Track(object, patched);
      return patched;
    };
  }
  KEELSON_TRY(updated, objects.Update(exchange, exchange.info.name,
                                      [&](const AnyValue* old) -> Result<AnyValue> {
                                        KEELSON_TRY(scale, change(*old));
                                        KEELSON_RETURN_IF_ERROR(CheckIdentity(exchange, MetaOf(scale)));
                                        KEELSON_RETURN_IF_ERROR(CheckScale(*old, Unboxed(scale)));
                                        if (MetaOf(scale).resourceVersion == MetaOf(*old).resourceVersion) {
                                          MetaOf(scale).resourceVersion = {};
                                        }
                                        return fields.ScaledObject(*old, scale);
                                      },
                                      {.write = options}));
  return AsScale(resource, updated);
}

}  // namespace keelson::apiserver
