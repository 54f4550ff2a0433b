// A user's source file: builds a Deployment, changes a copy, writes it as JSON. Its compile time and the size of its
// program are what bench/run measures. With ALL_TYPES the program also holds the table of every built-in type.
#include <cstdio>

#include "keelson/api/apps/v1.h"
#include "keelson/codec/json_writer.h"
#ifdef ALL_TYPES
#include "keelson/codec/scheme.h"
#endif

using namespace keelson;

int main() {
  const appsv1::Deployment web{
      .metadata = {.name = "web", .labels = {{"app", "web"}}},
      .spec = {.replicas = 3,
               .selector = metav1::LabelSelector{.matchLabels = {{"app", "web"}}},
               .template_ = {.metadata = {.labels = {{"app", "web"}}},
                             .spec = {.containers = {{.name = "web",
                                                      .image = "nginx",
                                                      .ports = {{.containerPort = 80}},
                                                      .resources = {.requests = {{"cpu", "250m"}}}}}}}}};
  appsv1::Deployment canary = web;
  canary.metadata.name = "web-canary";
  canary.spec.template_.spec.containers[0].image = "nginx:canary";
  std::puts(ToJson(canary).c_str());
#ifdef ALL_TYPES
  std::printf("%zu versions\n", Scheme::Builtin().VersionsOf("autoscaling").size());
#endif
  return 0;
}
