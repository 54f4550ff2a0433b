// Generated clientsets: which requests their methods make, and which methods there are.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "api/v1/clientset.h"
#include "api/v1/informers.h"
#include "keelson/transport/in_process_transport.h"

namespace keelson {
namespace {

using ::testing::ElementsAre;

// Answers every request with one document and keeps what it was asked.
class OneAnswer : public HttpHandler {
 public:
  explicit OneAnswer(std::string body) : body_(std::move(body)) {}
  void Handle(ServerRequest request, std::shared_ptr<ResponseWriter> response) override {
    requests.push_back(request.method + " " + request.path);
    Respond(*response, 200, "application/json", body_);
  }

  std::vector<std::string> requests;

 private:
  const std::string body_;
};

Client ClientOf(HttpHandler& handler) { return Client(std::make_shared<InProcessTransport>(handler)); }

TEST(Clientset, HasAClientForEachKindThatIsMarked) {
  OneAnswer server(R"({"kind":"Worker","apiVersion":"clients.example.com/v1","metadata":{"name":"one"},
                       "spec":{"replicas":3}})");
  const clients::v1::Clientset clientset(ClientOf(server));
  const auto worker = clientset.Workers("default").Get("one");
  ASSERT_TRUE(worker) << worker.error().message();
  EXPECT_EQ(worker->spec.replicas, 3);
  ASSERT_TRUE(clientset.Workers("default").Update(*worker));
  ASSERT_TRUE(clientset.Workers("default").UpdateStatus(*worker));
  ASSERT_TRUE(clientset.Workers("default").Delete("one"));
  EXPECT_THAT(server.requests, ElementsAre("GET /apis/clients.example.com/v1/namespaces/default/workers/one",
                                           "PUT /apis/clients.example.com/v1/namespaces/default/workers/one",
                                           "PUT /apis/clients.example.com/v1/namespaces/default/workers/one/status",
                                           "DELETE /apis/clients.example.com/v1/namespaces/default/workers/one"));
}

TEST(Clientset, MethodsReachSubresources) {
  OneAnswer server(R"({"kind":"Scale","apiVersion":"autoscaling/v1","metadata":{"name":"one","namespace":"default"},
                       "spec":{"replicas":2}})");
  const clients::v1::WorkerClient workers = clients::v1::Clientset(ClientOf(server)).Workers("default");
  auto scale = workers.GetScale("one");
  ASSERT_TRUE(scale) << scale.error().message();
  EXPECT_EQ(scale->spec.replicas, 2);
  ASSERT_TRUE(workers.UpdateScale("one", *scale));
  EXPECT_THAT(server.requests, ElementsAre("GET /apis/clients.example.com/v1/namespaces/default/workers/one/scale",
                                           "PUT /apis/clients.example.com/v1/namespaces/default/workers/one/scale"));
}

TEST(Clientset, ClusterScopedKindsTakeNoNamespace) {
  OneAnswer server(R"({"kind":"Policy","apiVersion":"clients.example.com/v1","metadata":{"name":"p"},"text":"x"})");
  const auto policy = clients::v1::Clientset(ClientOf(server)).Policies().Get("p");
  ASSERT_TRUE(policy) << policy.error().message();
  EXPECT_EQ(policy->text, "x");
  EXPECT_THAT(server.requests, ElementsAre("GET /apis/clients.example.com/v1/policies/p"));
}

template <class T>
concept CanCreate = requires(const T& client) { client.Create({}); };
template <class T>
concept CanDeleteAll = requires(const T& client) { client.DeleteCollection(); };
template <class T, class Object>
concept CanUpdateStatus = requires(const T& client, const Object& object) { client.UpdateStatus(object); };
template <class T>
concept HasHidden = requires(const T& clientset) { clientset.Hiddens(); };

TEST(Clientset, HasNoVerbsButThoseOfTheMarkers) {
  using namespace clients::v1;
  static_assert(CanCreate<WorkerClient> && CanDeleteAll<WorkerClient> && CanUpdateStatus<WorkerClient, Worker>);
  static_assert(!CanCreate<PolicyClient> && !CanDeleteAll<PolicyClient>);
  static_assert(CanCreate<BoxClient> && !CanDeleteAll<BoxClient> && !CanUpdateStatus<BoxClient, Box>);
  static_assert(!HasHidden<Clientset>);
}

template <class T>
concept HasPolicies = requires(const T& informers) { informers.Policies(); };

TEST(Clientset, InformersAreSharedByTheNamesOfTheirKinds) {
  OneAnswer server("{}");
  InformerFactory factory(ClientOf(server));
  const clients::v1::WorkerInformer workers = clients::v1::Informers(factory).Workers();
  const clients::v1::WorkerLister lister = workers.lister();
  EXPECT_EQ(workers.core(), factory.For<clients::v1::Worker>().core());
  EXPECT_EQ(lister.Get("default", "one").error().message(),
            "workers.clients.example.com \"default/one\" not found in the cache");
  EXPECT_EQ(clients::v1::Informers(factory).Boxes().description(), "boxes.clients.example.com");
  static_assert(!HasPolicies<clients::v1::Informers>, "it cannot be watched");
}

}  // namespace
}  // namespace keelson
