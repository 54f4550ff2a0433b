#include "keelson/codegen/pluralise.h"

#include <gtest/gtest.h>

namespace keelson::codegen {
namespace {

struct Case {
  std::string_view kind;
  std::string_view plural;
};

// What controller-gen calls these kinds.
constexpr Case kCases[] = {
    {"AppService", "appservices"},
    {"Scaling", "scalings"},
    {"Count", "counts"},
    {"Network", "networks"},
    {"Pipeline", "pipelines"},
    {"App", "apps"},
    // y
    {"NetworkPolicy", "networkpolicies"},
    {"Gateway", "gateways"},
    {"ApiKey", "apikeys"},
    {"Deploy", "deploys"},
    // s, x, z, ch, sh
    {"Ingress", "ingresses"},
    {"Status", "statuses"},
    {"Endpoints", "endpoints"},
    {"Virus", "viruses"},
    {"Mesh", "meshes"},
    {"Batch", "batches"},
    {"Box", "boxes"},
    {"Quiz", "quizzes"},
    {"DNS", "dnses"},
    {"TLS", "tlses"},
    {"VPC", "vpcs"},
    {"Analysis", "analyses"},
    // o, f
    {"Echo", "echoes"},
    {"Repo", "repoes"},
    {"Scenario", "scenarios"},
    {"Tomato", "tomatoes"},
    {"Shelf", "shelves"},
    {"Leaf", "leaves"},
    {"Proof", "proofs"},
    // Latin and Greek
    {"Matrix", "matrices"},
    {"Index", "indices"},
    {"Datum", "data"},
    {"Spectrum", "spectra"},
    {"Museum", "museums"},
    {"Forum", "forums"},
    {"Criterion", "criteria"},
    // Words that are plurals, or look it
    {"Metadata", "metadata"},
    {"Lambda", "lambda"},
    {"Area", "area"},
    {"ResourceQuota", "resourcequotas"},
    {"Schema", "schemas"},
    {"Replica", "replicas"},
    // Irregular, alone and in a longer word
    {"Person", "people"},
    {"SalesPerson", "salespeople"},
    {"Child", "children"},
    {"Human", "humans"},
    {"Foreman", "foremen"},
    {"Mouse", "mice"},
    {"House", "houses"},
    {"Alias", "aliases"},
    {"HostAlias", "hostaliases"},
    {"Database", "databases"},
    {"Price", "price"},
    {"TimeSeries", "timeseries"},
    {"CustomResourceDefinition", "customresourcedefinitions"},
};

TEST(PluralOf, NamesResourcesAsControllerGenDoes) {
  for (const auto& [kind, plural] : kCases) EXPECT_EQ(PluralOf(kind), plural) << kind;
}

}  // namespace
}  // namespace keelson::codegen
