// Reading and writing objects, and what the server says when it refuses.
#include "feature.h"
#include "keelson/api/status_error.h"

namespace keelson::e2e {
namespace {

Result<void> ConfigMapsAreCreatedReadUpdatedDeleted(const Cluster& cluster) {
  KEELSON_TRY(made, cluster.client.Create(corev1::ConfigMap{.metadata = {.name = "crud"}, .data = {{"color", "red"}}}));
  REQUIRE(made.metadata.namespace_ == cluster.namespace_, made.metadata.namespace_);
  REQUIRE(!made.metadata.uid.empty() && !made.metadata.resourceVersion.empty(), "no uid or no resourceVersion");
  made.data.Set("color", "blue");
  KEELSON_TRY(updated, cluster.client.Update(made));
  REQUIRE(updated.metadata.resourceVersion != made.metadata.resourceVersion, updated.metadata.resourceVersion);
  KEELSON_TRY(read, cluster.client.Get<corev1::ConfigMap>(cluster.Key("crud")));
  REQUIRE(read.data.at("color") == "blue", read.data.at("color"));
  REQUIRE(read.metadata.uid == made.metadata.uid, read.metadata.uid);
  KEELSON_RETURN_IF_ERROR(cluster.client.Delete(read));
  const Error gone = FailureOf(cluster.client.Get<corev1::ConfigMap>(cluster.Key("crud")));
  REQUIRE(IsNotFound(gone), gone.message());
  return {};
}

Result<void> DeploymentsGetTheServersDefaults(const Cluster& cluster) {
  KEELSON_TRY(made, cluster.client.Create(SampleDeployment("defaults", 0)));
  REQUIRE(made.spec.strategy.type == "RollingUpdate", made.spec.strategy.type);
  REQUIRE(made.spec.template_.spec.restartPolicy == "Always", made.spec.template_.spec.restartPolicy);
  REQUIRE(made.metadata.generation == 1, made.metadata.generation);
  made.spec.template_.spec.containers[0].image = "example.invalid/app:2";
  made.metadata.resourceVersion.clear();  // its controller writes to it as well
  KEELSON_TRY(updated, cluster.client.Update(made));
  REQUIRE(updated.metadata.generation == 2, updated.metadata.generation);
  return cluster.client.Delete(updated);
}

Result<void> NamespacesAreOfNoNamespace(const Cluster& cluster) {
  const std::string name = cluster.namespace_ + "-other";
  KEELSON_TRY(made, cluster.admin.Create(corev1::Namespace{.metadata = {.name = name, .labels = {{"a", "b"}}}}));
  // A client of a namespace reaches what is in none as before.
  KEELSON_TRY(read, cluster.client.Get<corev1::Namespace>({"", name}));
  REQUIRE(read.metadata.labels.at("a") == "b", read.metadata.labels.at("a"));
  return cluster.admin.Delete(made);
}

Result<void> AScopedClientRefusesOtherNamespaces(const Cluster& cluster) {
  const Error error = FailureOf(cluster.client.Get<corev1::ConfigMap>({"default", "kube-root-ca.crt"}));
  REQUIRE(error.code() == ErrorCode::kInvalidArgument, error.message());
  KEELSON_RETURN_IF_ERROR(cluster.admin.Get<corev1::Namespace>({"", "default"}));
  return {};
}

Result<void> StaleUpdateIsAConflict(const Cluster& cluster) {
  KEELSON_TRY(made, cluster.client.Create(corev1::ConfigMap{.metadata = {.name = "stale"}}));
  made.data.Set("a", "1");
  KEELSON_RETURN_IF_ERROR(cluster.client.Update(made));
  made.data.Set("a", "2");
  const Error error = FailureOf(cluster.client.Update(made));
  REQUIRE(IsConflict(error), error.message());
  REQUIRE(StatusOf(error) != nullptr && StatusOf(error)->code == 409, error.message());
  return {};
}

Result<void> CreatingTwiceIsAlreadyExists(const Cluster& cluster) {
  const corev1::ConfigMap map = {.metadata = {.name = "twice"}};
  KEELSON_RETURN_IF_ERROR(cluster.client.Create(map));
  const Error error = FailureOf(cluster.client.Create(map));
  REQUIRE(IsAlreadyExists(error), error.message());
  REQUIRE(error.message() == "configmaps \"twice\" already exists", error.message());
  return {};
}

Result<void> WhatIsAbsentIsNotFound(const Cluster& cluster) {
  const Error read = FailureOf(cluster.client.Get<appsv1::Deployment>(cluster.Key("absent")));
  REQUIRE(IsNotFound(read), read.message());
  REQUIRE(read.message() == "deployments.apps \"absent\" not found", read.message());
  const Error deleted = FailureOf(cluster.client.Delete<corev1::ConfigMap>(cluster.Key("absent")));
  REQUIRE(IsNotFound(deleted), deleted.message());
  const Error nowhere = FailureOf(cluster.admin.Create(
      corev1::ConfigMap{.metadata = {.name = "absent", .namespace_ = cluster.namespace_ + "-absent"}}));
  REQUIRE(IsNotFound(nowhere), nowhere.message());
  return {};
}

Result<void> InvalidObjectsNameTheirFields(const Cluster& cluster) {
  appsv1::Deployment wrong = SampleDeployment("invalid", -1);
  wrong.spec.template_.metadata.labels = {{"app", "another"}};
  const Error error = FailureOf(cluster.client.Create(wrong));
  REQUIRE(IsInvalid(error), error.message());
  const metav1::Status* status = StatusOf(error);
  REQUIRE(status != nullptr && status->details, error.message());
  std::string fields;
  for (const metav1::StatusCause& cause : status->details->causes) fields += cause.field + ": " + cause.reason + "\n";
  REQUIRE(fields.find("spec.replicas: FieldValueInvalid") != std::string::npos, fields);
  REQUIRE(fields.find("spec.template.metadata.labels: FieldValueInvalid") != std::string::npos, fields);
  REQUIRE(HasStatusCause(error, "FieldValueInvalid"), fields);
  return {};
}

Result<void> NamesCanBeGenerated(const Cluster& cluster) {
  const corev1::ConfigMap map = {.metadata = {.generateName = "made-"}};
  KEELSON_TRY(first, cluster.client.Create(map));
  KEELSON_TRY(second, cluster.client.Create(map));
  REQUIRE(first.metadata.name.view().starts_with("made-") && first.metadata.name.size() > 5, first.metadata.name);
  REQUIRE(first.metadata.name != second.metadata.name, second.metadata.name);
  return {};
}

Result<void> DryRunsChangeNothing(const Cluster& cluster) {
  KEELSON_TRY(made, cluster.client.Create(corev1::ConfigMap{.metadata = {.name = "dry"}}, {.dry_run = true}));
  REQUIRE(!made.metadata.uid.empty(), "no uid");
  const Error absent = FailureOf(cluster.client.Get<corev1::ConfigMap>(cluster.Key("dry")));
  REQUIRE(IsNotFound(absent), absent.message());

  KEELSON_TRY(real, cluster.client.Create(corev1::ConfigMap{.metadata = {.name = "dry"}, .data = {{"a", "1"}}}));
  real.data.Set("a", "2");
  KEELSON_TRY(updated, cluster.client.Update(real, {.dry_run = true}));
  REQUIRE(updated.data.at("a") == "2", updated.data.at("a"));
  KEELSON_RETURN_IF_ERROR(cluster.client.Delete(real, {.dry_run = true}));
  KEELSON_TRY(read, cluster.client.Get<corev1::ConfigMap>(cluster.Key("dry")));
  REQUIRE(read.data.at("a") == "1", read.data.at("a"));
  return {};
}

Result<void> StrictValidationRefusesUnknownFields(const Cluster& cluster) {
  KEELSON_TRY(map, Unstructured::Parse(R"({"apiVersion": "v1", "kind": "ConfigMap", "colour": "red",
                                           "metadata": {"name": "strict"}})"));
  const Error error = FailureOf(cluster.client.Create(map, {.field_validation = FieldValidation::kStrict}));
  REQUIRE(error.message().find("unknown field \"colour\"") != std::string::npos, error.message());
  REQUIRE(StatusOf(error) != nullptr && StatusOf(error)->code == 400, error.message());
  KEELSON_TRY(made, cluster.client.Create(map, {.field_validation = FieldValidation::kIgnore}));
  REQUIRE(made.Nested({"colour"}) == nullptr, "the field that nobody knows was kept");
  return {};
}

}  // namespace

Area ObjectFeatures() {
  return {"objects",
          {
              {"ConfigMaps are created, read, updated and deleted", ConfigMapsAreCreatedReadUpdatedDeleted},
              {"Deployments come back with the server's defaults", DeploymentsGetTheServersDefaults},
              {"Namespaces are of no namespace", NamespacesAreOfNoNamespace},
              {"a client of one namespace refuses others", AScopedClientRefusesOtherNamespaces},
              {"an update of a stale object is a conflict", StaleUpdateIsAConflict},
              {"creating twice gives AlreadyExists", CreatingTwiceIsAlreadyExists},
              {"what is absent gives NotFound", WhatIsAbsentIsNotFound},
              {"Invalid names the fields", InvalidObjectsNameTheirFields},
              {"names can be generated", NamesCanBeGenerated},
              {"dry runs change nothing", DryRunsChangeNothing},
              {"strict field validation refuses unknown fields", StrictValidationRefusesUnknownFields},
          }};
}

}  // namespace keelson::e2e
