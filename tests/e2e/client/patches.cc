// Patches of all four kinds.
#include "feature.h"
#include "keelson/api/status_error.h"
#include "keelson/codec/json_writer.h"

namespace keelson::e2e {
namespace {

Result<void> MakeMap(const Cluster& cluster, const std::string& name) {
  KEELSON_RETURN_IF_ERROR(cluster.client.Create(
      corev1::ConfigMap{.metadata = {.name = name}, .data = {{"color", "red"}, {"shape", "round"}}}));
  return {};
}

Result<void> JsonPatchesAreListsOfOperations(const Cluster& cluster) {
  KEELSON_RETURN_IF_ERROR(MakeMap(cluster, "json"));
  JsonPatch operations;
  operations.Test(JsonPointer{"data", "color"}, "red")
      .Replace(JsonPointer{"data", "color"}, "blue")
      .Remove(JsonPointer{"data", "shape"});
  const Patch patch = Patch::JsonOperations(operations);
  KEELSON_TRY(patched, cluster.client.Patch<corev1::ConfigMap>(cluster.Key("json"), patch));
  REQUIRE(ToJson(patched.data) == R"({"color":"blue"})", ToJson(patched.data));
  // The test does not hold any more.
  const Error error = FailureOf(cluster.client.Patch<corev1::ConfigMap>(cluster.Key("json"), patch));
  REQUIRE(IsInvalid(error), error.message());
  return {};
}

Result<void> MergePatchesRemoveByNull(const Cluster& cluster) {
  KEELSON_RETURN_IF_ERROR(MakeMap(cluster, "merge"));
  const Json data = Json::Object({{"color", "blue"}, {"shape", nullptr}, {"size", "large"}});
  KEELSON_TRY(patched, cluster.client.Patch<corev1::ConfigMap>(cluster.Key("merge"),
                                                               Patch::Merge(Json::Object({{"data", data}}))));
  REQUIRE(ToJson(patched.data) == R"({"color":"blue","size":"large"})", ToJson(patched.data));
  return {};
}

Result<void> StrategicPatchesMergeLists(const Cluster& cluster) {
  KEELSON_RETURN_IF_ERROR(cluster.client.Create(SampleDeployment("strategic", 0)));
  const Patch patch = Patch::Raw(
      PatchType::kStrategic,
      R"({"spec": {"template": {"spec": {"containers": [{"name": "side", "image": "example.invalid/side:1"}]}}}})");
  KEELSON_TRY(patched, cluster.client.Patch<appsv1::Deployment>(cluster.Key("strategic"), patch));
  const auto& containers = patched.spec.template_.spec.containers;
  REQUIRE(containers.size() == 2, static_cast<int64_t>(containers.size()));
  REQUIRE(containers[1].image == "example.invalid/app:1", containers[1].image);
  return cluster.client.Delete(patched);
}

Result<void> DifferencesMakePatches(const Cluster& cluster) {
  KEELSON_TRY(before, cluster.client.Create(SampleDeployment("difference", 0)));
  appsv1::Deployment after = before;
  after.spec.template_.spec.containers[0].image = "example.invalid/app:2";
  after.metadata.labels.Set("tier", "front");
  KEELSON_TRY(patch, Patch::From(before, after));
  KEELSON_TRY(patched, cluster.client.Patch<appsv1::Deployment>(cluster.Key("difference"), patch));
  REQUIRE(patched.spec.template_.spec.containers[0].image == "example.invalid/app:2", patch.text());
  REQUIRE(patched.metadata.labels.at("tier") == "front", patch.text());

  // With a lock it is for the version that was read and no other.
  KEELSON_TRY(locked, Patch::From(before, after, {.optimistic_lock = true}));
  const Error error = FailureOf(cluster.client.Patch<appsv1::Deployment>(cluster.Key("difference"), locked));
  REQUIRE(IsConflict(error), error.message());
  return cluster.client.Delete(patched);
}

Result<void> ApplyMakesAndOwnsFields(const Cluster& cluster) {
  corev1::ConfigMap map = {.metadata = {.name = "apply", .namespace_ = cluster.namespace_}, .data = {{"color", "red"}}};
  KEELSON_TRY(made, cluster.client.Apply(map, {.field_manager = "painter"}));
  REQUIRE(made.metadata.managedFields.size() == 1, ToJson(made.metadata));
  REQUIRE(made.metadata.managedFields[0].manager == "painter", ToJson(made.metadata));
  REQUIRE(made.metadata.managedFields[0].operation == "Apply", ToJson(made.metadata));

  map.data = {{"color", "red"}, {"shape", "round"}};
  KEELSON_TRY(grown, cluster.client.Apply(map, {.field_manager = "painter"}));
  REQUIRE(grown.data.size() == 2, ToJson(grown.data));
  map.data = {{"shape", "round"}};  // what is not applied any more goes
  KEELSON_TRY(shrunk, cluster.client.Apply(map, {.field_manager = "painter"}));
  REQUIRE(ToJson(shrunk.data) == R"({"shape":"round"})", ToJson(shrunk.data));
  return {};
}

Result<void> ApplyConflictsNameTheOwner(const Cluster& cluster) {
  corev1::ConfigMap map = {.metadata = {.name = "owned", .namespace_ = cluster.namespace_}, .data = {{"color", "red"}}};
  KEELSON_RETURN_IF_ERROR(cluster.client.Apply(map, {.field_manager = "painter"}));
  map.data = {{"color", "blue"}};
  const Error error = FailureOf(cluster.client.Apply(map, {.field_manager = "rival"}));
  REQUIRE(IsConflict(error), error.message());
  REQUIRE(HasStatusCause(error, "FieldManagerConflict"), error.message());
  const metav1::StatusCause& cause = StatusOf(error)->details->causes[0];
  REQUIRE(cause.field == ".data.color", cause.field);
  REQUIRE(cause.message.view().find("painter") != std::string_view::npos, cause.message);
  KEELSON_TRY(forced, cluster.client.Apply(map, {.field_manager = "rival", .force = true}));
  REQUIRE(forced.data.at("color") == "blue", forced.data.at("color"));
  return {};
}

Result<void> TypedObjectsApplyOnlyWhatIsSet(const Cluster& cluster) {
  appsv1::Deployment web = SampleDeployment("sparse", 0);
  web.metadata.namespace_ = cluster.namespace_;
  KEELSON_TRY(made, cluster.client.Apply(web, {.field_manager = "painter"}));
  const std::string fields = ToJson(made.metadata.managedFields);
  REQUIRE(fields.find("f:image") != std::string::npos, fields);
  for (const char* never_set : {"f:status", "f:resources", "f:strategy", "f:creationTimestamp"}) {
    REQUIRE(fields.find(never_set) == std::string::npos, std::string(never_set) + " in " + fields);
  }
  // A status is applied by itself, at its own place.
  appsv1::Deployment status = {.metadata = {.name = "sparse", .namespace_ = cluster.namespace_}};
  status.status.conditions = {{.type = "Tried", .status = "True", .reason = "E2e"}};
  KEELSON_TRY(applied, cluster.client.Status().Apply(status, {.field_manager = "prober"}));
  const std::string owners = ToJson(applied.metadata.managedFields);
  REQUIRE(owners.find(R"("subresource":"status")") != std::string::npos, owners);
  return cluster.client.Delete(made);
}

Result<void> UnstructuredObjectsApplyToo(const Cluster& cluster) {
  KEELSON_TRY(map, Unstructured::Parse(R"({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "dynamic"},
                                           "data": {"color": "red"}})"));
  map.SetNamespace(cluster.namespace_);
  KEELSON_TRY(made, cluster.client.Apply(map, {.field_manager = "painter"}));
  REQUIRE(made.NestedString({"data", "color"}) == "red", ToJson(made.content()));
  return {};
}

}  // namespace

Area PatchFeatures() {
  return {"patches",
          {
              {"JSON patch", JsonPatchesAreListsOfOperations},
              {"merge patch", MergePatchesRemoveByNull},
              {"strategic merge patch merges lists by key", StrategicPatchesMergeLists},
              {"Patch::From makes a patch of a difference, with a lock if asked", DifferencesMakePatches},
              {"server-side apply makes objects and owns their fields", ApplyMakesAndOwnsFields},
              {"an apply conflict names field and owner; force wins", ApplyConflictsNameTheOwner},
              {"a typed object applies only what is set in it", TypedObjectsApplyOnlyWhatIsSet},
              {"an unstructured object applies as well", UnstructuredObjectsApplyToo},
          }};
}

}  // namespace keelson::e2e
