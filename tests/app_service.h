// A user's API type described by hand, as generated code describes it: classes of the standard library and of ours,
// built-in types among them, a default that is not zero, and a struct that contains itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "keelson/api/core/v1.h"
#include "keelson/api/meta/v1.h"
#include "keelson/api/standard_types.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Winvalid-offsetof"

namespace keelson::testing {

struct AppRoute {
  std::string path = "/";
  std::vector<AppRoute> children;
  Optional<std::string> rewrite;
  List<AppRoute> fallbacks;
};

struct AppServiceSpec {
  std::string deploymentName;
  std::optional<int32_t> replicas;
  std::vector<std::string> hosts;
  std::map<std::string, std::string> env;
  std::map<std::string, std::vector<std::optional<std::string>>> nested;
  std::optional<corev1::ResourceRequirements> resources;
  std::vector<corev1::Container> sidecars;
  Optional<AppRoute> route;
  List<std::string> tags;
  Map<std::string> notes;
  std::optional<std::vector<AppRoute>> routes;
};

struct AppServiceStatus {
  int32_t availableReplicas = -1;
  List<metav1::Condition> conditions;
};

struct AppService {
  metav1::ObjectMeta metadata;
  AppServiceSpec spec;
  AppServiceStatus status;
};

}  // namespace keelson::testing

namespace keelson {

template <>
struct Describe<testing::AppRoute> {
  static const Type type;
};
template <>
struct Describe<testing::AppServiceSpec> {
  static const Type type;
};
template <>
struct Describe<testing::AppServiceStatus> {
  static const Type type;
};
template <>
struct Describe<testing::AppService> {
  static const Type type;
};

namespace testing {

inline constexpr Field kAppRouteFields[] = {
    {.name = "path", .type = &Describe<std::string>::type, .offset = offsetof(AppRoute, path)},
    {.name = "children",
     .type = &Describe<std::vector<AppRoute>>::type,
     .offset = offsetof(AppRoute, children),
     .omit_empty = true},
    {.name = "rewrite",
     .type = &Describe<Optional<std::string>>::type,
     .offset = offsetof(AppRoute, rewrite),
     .omit_empty = true},
    {.name = "fallbacks",
     .type = &Describe<List<AppRoute>>::type,
     .offset = offsetof(AppRoute, fallbacks),
     .omit_empty = true},
};

inline constexpr Field kAppServiceSpecFields[] = {
    {.name = "deploymentName",
     .type = &Describe<std::string>::type,
     .offset = offsetof(AppServiceSpec, deploymentName),
     .required = true},
    {.name = "replicas",
     .type = &Describe<std::optional<int32_t>>::type,
     .offset = offsetof(AppServiceSpec, replicas),
     .omit_empty = true},
    {.name = "hosts",
     .type = &Describe<std::vector<std::string>>::type,
     .offset = offsetof(AppServiceSpec, hosts),
     .omit_empty = true,
     .list_type = ListType::kSet},
    {.name = "env",
     .type = &Describe<std::map<std::string, std::string>>::type,
     .offset = offsetof(AppServiceSpec, env),
     .omit_empty = true},
    {.name = "nested",
     .type = &Describe<std::map<std::string, std::vector<std::optional<std::string>>>>::type,
     .offset = offsetof(AppServiceSpec, nested),
     .omit_empty = true},
    {.name = "resources",
     .type = &Describe<std::optional<corev1::ResourceRequirements>>::type,
     .offset = offsetof(AppServiceSpec, resources),
     .omit_empty = true},
    {.name = "sidecars",
     .type = &Describe<std::vector<corev1::Container>>::type,
     .offset = offsetof(AppServiceSpec, sidecars),
     .omit_empty = true,
     .list_type = ListType::kMap,
     .list_keys = "name"},
    {.name = "route",
     .type = &Describe<Optional<AppRoute>>::type,
     .offset = offsetof(AppServiceSpec, route),
     .omit_empty = true},
    {.name = "tags",
     .type = &Describe<List<std::string>>::type,
     .offset = offsetof(AppServiceSpec, tags),
     .omit_empty = true},
    {.name = "notes",
     .type = &Describe<Map<std::string>>::type,
     .offset = offsetof(AppServiceSpec, notes),
     .omit_empty = true},
    {.name = "routes",
     .type = &Describe<std::optional<std::vector<AppRoute>>>::type,
     .offset = offsetof(AppServiceSpec, routes),
     .omit_empty = true},
};

inline constexpr Field kAppServiceStatusFields[] = {
    {.name = "availableReplicas",
     .type = &Describe<int32_t>::type,
     .offset = offsetof(AppServiceStatus, availableReplicas)},
    {.name = "conditions",
     .type = &Describe<List<metav1::Condition>>::type,
     .offset = offsetof(AppServiceStatus, conditions),
     .omit_empty = true,
     .list_type = ListType::kMap,
     .list_keys = "type"},
};

inline constexpr Field kAppServiceFields[] = {
    {.name = "metadata",
     .type = &Describe<metav1::ObjectMeta>::type,
     .offset = offsetof(AppService, metadata),
     .omit_empty = true},
    {.name = "spec", .type = &Describe<AppServiceSpec>::type, .offset = offsetof(AppService, spec), .omit_empty = true},
    {.name = "status",
     .type = &Describe<AppServiceStatus>::type,
     .offset = offsetof(AppService, status),
     .omit_empty = true},
};

}  // namespace testing

// Generated code defines these in one source file; a header shared by several tests has them inline.
inline constinit const Type Describe<testing::AppRoute>::type =
    StructType<testing::AppRoute>("example.com/v1alpha1.AppRoute", testing::kAppRouteFields);
inline constinit const Type Describe<testing::AppServiceSpec>::type =
    StructType<testing::AppServiceSpec>("example.com/v1alpha1.AppServiceSpec", testing::kAppServiceSpecFields);
inline constinit const Type Describe<testing::AppServiceStatus>::type =
    StructType<testing::AppServiceStatus>("example.com/v1alpha1.AppServiceStatus", testing::kAppServiceStatusFields);
inline constinit const Type Describe<testing::AppService>::type = RootType<testing::AppService>(
    "example.com/v1alpha1.AppService", testing::kAppServiceFields, "example.com", "v1alpha1", "AppService");

}  // namespace keelson

#pragma GCC diagnostic pop
