// The built-in types against the facts they are generated from, and the decisions about how they look in C++.
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <type_traits>

#include "keelson/api/access.h"
#include "keelson/api/admissionregistration/v1.h"
#include "keelson/api/apiextensions/v1.h"
#include "keelson/api/apps/v1.h"
#include "keelson/api/batch/v1.h"
#include "keelson/api/builtin_types.h"
#include "keelson/api/clientcmd/v1.h"
#include "keelson/api/core/v1.h"
#include "keelson/api/meta/v1.h"
#include "keelson/api/networking/v1.h"
#include "keelson/codec/json_reader.h"

namespace keelson {
namespace {

// As JSON text leaves the reader, objects are sorted and lists keep their order; that is all that is needed here.
const Json& Facts() {
  static const Json facts = [] {
    std::ifstream file(KEELSON_TEST_DATA "/../../data/kubernetes/types.json");
    std::stringstream text;
    text << file.rdbuf();
    return ParseJson(text.str()).value();
  }();
  return facts;
}

struct GoField {
  std::string name;
  std::string type;
  std::string flags;
};

bool Contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

// In declaration order, inlined structs in their place. TypeMeta is known from the type and not stored.
void Flatten(const std::string& key, bool with_type_meta, std::vector<GoField>& fields) {
  const Json* rows = Facts().find(key)->find("fields");
  if (rows == nullptr) return;
  for (const Json& row : rows->list()) {
    const JsonList& cells = row.list();
    const GoField field = {.name = cells[0].string().str(),
                           .type = cells[1].string().str(),
                           .flags = cells.size() > 4 ? cells[4].string().str() : ""};
    if (field.flags != "inline") {
      fields.push_back(field);
    } else if (field.type != "meta/v1.TypeMeta" || with_type_meta) {
      Flatten(field.type, with_type_meta, fields);
    }
  }
}

// Go gives these members no JSON name.
bool HasUnnamedFields(std::string_view name) {
  return name.starts_with("apiextensions/v1.JSONSchemaPropsOr") || name == "runtime.Unknown";
}

TEST(GeneratedTypes, MembersAreInGosOrder) {
  size_t compared = 0;
  for (const Type* type : BuiltinTypes()) {
    if (HasUnnamedFields(type->name)) continue;
    std::vector<GoField> expected;
    Flatten(std::string(type->name), type->name == "meta/v1.PartialObjectMetadata", expected);
    std::vector<std::string_view> names;
    for (const Field& field : type->fields) {
      if (!field.name.empty()) names.push_back(field.name);
    }
    ASSERT_EQ(names.size(), expected.size()) << type->name;
    for (size_t i = 0; i < names.size(); ++i) {
      EXPECT_EQ(names[i], expected[i].name) << type->name;
      const Field& field = type->fields[i];
      EXPECT_EQ(field.omit_empty, Contains(expected[i].flags, "omitempty")) << type->name << "." << field.name;
      EXPECT_EQ(field.omit_zero, Contains(expected[i].flags, "omitzero")) << type->name << "." << field.name;
      EXPECT_EQ(field.type->kind == Kind::kOptional, expected[i].type.starts_with('*'))
          << type->name << "." << field.name;
      ++compared;
    }
  }
  EXPECT_GT(compared, 2400u);
}

TEST(GeneratedTypes, OffsetsAscendAndStayInside) {
  for (const Type* type : BuiltinTypes()) {
    size_t end = 0;
    for (const Field& field : type->fields) {
      EXPECT_GE(field.offset, end) << type->name << "." << field.name;
      end = field.offset + field.type->size;
    }
    EXPECT_LE(end, type->size) << type->name;
  }
}

void CheckRows(const Type& type, const Message& message, std::set<const Field*>& seen) {
  int last = 0;
  for (const MessageRow& row : message.rows) {
    EXPECT_GT(row.number, last) << type.name;
    last = row.number;
    if (row.nested != nullptr) {
      CheckRows(type, *row.nested, seen);
    } else {
      ASSERT_LT(row.field, type.fields.size()) << type.name;
      EXPECT_TRUE(seen.insert(&type.fields[row.field]).second) << type.name << "." << type.fields[row.field].name;
    }
  }
}

TEST(GeneratedTypes, ProtobufNumbersAscendAndNameEveryFieldOnce) {
  for (const Type* type : BuiltinTypes()) {
    if (type->message == nullptr) continue;
    std::set<const Field*> seen;
    CheckRows(*type, *type->message, seen);
  }
}

TEST(GeneratedTypes, RootsAreUniqueAndNamed) {
  std::map<std::tuple<std::string_view, std::string_view, std::string_view>, std::string_view> kinds;
  for (const Type* type : BuiltinTypes()) {
    if (!type->is_root()) continue;
    const auto [entry, added] = kinds.emplace(std::tuple(type->group, type->version, type->object_kind), type->name);
    EXPECT_TRUE(added) << type->name << " and " << entry->second;
  }
}

TEST(GeneratedTypes, KeywordsGetAnUnderscoreAndOddCharactersAreFolded) {
  metav1::ObjectMeta metadata = {.namespace_ = "shop"};
  EXPECT_EQ(metadata.namespace_, "shop");
  const appsv1::DeploymentSpec deployment = {.template_ = {.metadata = {.name = "t"}}};
  EXPECT_EQ(deployment.template_.metadata.name, "t");
  const metav1::ListMeta list = {.continue_ = "token"};
  EXPECT_EQ(list.continue_, "token");
  const metav1::LabelSelectorRequirement requirement = {.key = "k", .operator_ = "In", .values = {"v"}};
  EXPECT_EQ(requirement.operator_, "In");

  apiextensionsv1::JSONSchemaProps schema = {
      .schema_ = "s", .ref_ = "r", .default_ = RawExtension("1"), .enum_ = {"2"}};
  schema.not_.Ensure().type = "string";
  schema.xKubernetesListType = "map";
  schema.xKubernetesPreserveUnknownFields = true;
  const Type& type = TypeOf<apiextensionsv1::JSONSchemaProps>();
  EXPECT_EQ(ReadField(*type.FindField("$schema"), &schema), &schema.schema_);
  EXPECT_EQ(ReadField(*type.FindField("$ref"), &schema), &schema.ref_);
  EXPECT_EQ(ReadField(*type.FindField("x-kubernetes-list-type"), &schema), &schema.xKubernetesListType);
  EXPECT_EQ(ReadField(*type.FindField("not"), &schema), &schema.not_);

  clientcmdv1::Cluster cluster;
  const Type& cluster_type = TypeOf<clientcmdv1::Cluster>();
  EXPECT_EQ(ReadField(*cluster_type.FindField("certificate-authority-data"), &cluster),
            &cluster.certificateAuthorityData);
  EXPECT_EQ(ReadField(*cluster_type.FindField("insecure-skip-tls-verify"), &cluster), &cluster.insecureSkipTlsVerify);
}

TEST(GeneratedTypes, ObjectsAreWrittenAsNestedAggregates) {
  const appsv1::Deployment deployment = {
      .metadata = {.name = "web", .labels = {{"app", "web"}}},
      .spec = {
          .replicas = 3,
          .selector = metav1::LabelSelector{.matchLabels = {{"app", "web"}}},
          .template_ = {.spec = {.containers = {{.name = "app",
                                                 .image = "nginx",
                                                 .ports = {{.containerPort = 80}},
                                                 .resources = {.limits = {{"cpu", "500m"}}},
                                                 .livenessProbe = corev1::Probe{.httpGet = corev1::HTTPGetAction{
                                                                                    .path = "/", .port = "http"}}}}}}}};
  EXPECT_EQ(deployment.spec.replicas, 3);
  EXPECT_EQ(deployment.spec.template_.spec.containers[0].ports[0].containerPort, 80);
  EXPECT_EQ(deployment.spec.template_.spec.containers[0].livenessProbe->httpGet->port, IntOrString("http"));
  EXPECT_EQ(deployment.status.availableReplicas, 0);
  static_assert(std::is_aggregate_v<corev1::Pod> && std::is_aggregate_v<batchv1::Job>);
  static_assert(std::is_aggregate_v<networkingv1::Ingress> && std::is_aggregate_v<apiextensionsv1::JSONSchemaProps>);
}

// Go's inlined structs are flat in C++ as they are in JSON.
TEST(GeneratedTypes, InlinedStructsAreFlat) {
  const corev1::Volume volume = {.name = "data", .emptyDir = corev1::EmptyDirVolumeSource{}};
  EXPECT_TRUE(volume.emptyDir.has_value());
  const admissionregistrationv1::RuleWithOperations rule = {.operations = {"CREATE"}, .apiGroups = {""}};
  EXPECT_EQ(rule.apiGroups.size(), 1u);
}

TEST(GeneratedTypes, PresenceFollowsGo) {
  static_assert(std::is_same_v<decltype(appsv1::DeploymentSpec::replicas), Optional<int32_t>>);
  static_assert(std::is_same_v<decltype(appsv1::DeploymentStatus::replicas), int32_t>);
  static_assert(std::is_same_v<decltype(corev1::PodSpec::containers), List<corev1::Container>>);
  static_assert(std::is_same_v<decltype(metav1::ObjectMeta::labels), Map<String>>);
  static_assert(std::is_same_v<decltype(metav1::ObjectMeta::deletionTimestamp), Optional<metav1::Time>>);
  const Type& status = TypeOf<appsv1::DeploymentStatus>();
  EXPECT_TRUE(status.FindField("replicas")->omit_empty);
}

TEST(GeneratedTypes, DefaultsAreZeroBytes) {
  for (const Type* type : BuiltinTypes()) {
    const AnyValue value(*type);
    EXPECT_TRUE(IsZero(*type, value.data())) << type->name;
  }
  alignas(corev1::Pod) std::byte memory[sizeof(corev1::Pod)] = {};
  const std::vector<std::byte> zeros(sizeof memory);
  auto* pod = new (memory) corev1::Pod{};
  EXPECT_EQ(std::memcmp(memory, zeros.data(), sizeof memory), 0);
  pod->~Pod();
}

}  // namespace
}  // namespace keelson
