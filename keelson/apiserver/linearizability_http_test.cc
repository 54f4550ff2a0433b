// The API server's answers to concurrent requests for the same objects, checked as a history.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <string>

#include "keelson/apiserver/api_server.h"
#include "keelson/apiserver/store/linearizability_test_support.h"
#include "keelson/transport/in_process_transport.h"

namespace keelson::apiserver {
namespace {

using testing::Operation;
using Kind = Operation::Kind;
using Outcome = Operation::Outcome;

// The digits behind "resourceVersion":"; 0 when there are none.
Revision RevisionIn(const std::string& json) {
  constexpr std::string_view kBefore = R"("resourceVersion":")";
  const size_t at = json.find(kBefore);
  return at == std::string::npos ? 0 : std::strtoll(json.c_str() + at + kBefore.size(), nullptr, 10);
}

void Do(Transport& transport, Operation& operation) {
  const std::string name = "key-" + std::to_string(operation.key);
  const std::string revision = std::to_string(operation.expected);
  const std::string collection = "/api/v1/namespaces/default/configmaps";
  HttpRequest request{.target = collection + "/" + name, .headers = {{"Content-Type", "application/json"}}};
  switch (operation.kind) {
    case Kind::kGet: break;
    case Kind::kCreate:
      request.method = "POST";
      request.target = collection;
      request.body = R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":")" + name + R"("}})";
      break;
    case Kind::kUpdate:
      request.method = "PUT";
      // Another value each time: what changes nothing is not written.
      request.body = R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":")" + name +
                     R"(","resourceVersion":")" + revision + R"("},"data":{"moment":")" +
                     std::to_string(operation.start) + R"("}})";
      break;
    case Kind::kDelete:
      request.method = "DELETE";
      request.body =
          R"({"apiVersion":"v1","kind":"DeleteOptions","preconditions":{"resourceVersion":")" + revision + R"("}})";
      break;
  }
  HttpResponse response = transport.Send(std::move(request), {}).value();
  const std::string body = ReadAll(*response.body, 1 << 20).value();
  if (response.status == 200 || response.status == 201) {
    operation.exact = operation.kind != Kind::kDelete;
    operation.revision = operation.exact ? RevisionIn(body) : operation.expected + 1;
    EXPECT_GT(operation.revision, 0) << body;
    return;
  }
  EXPECT_TRUE(response.status == 404 || response.status == 409) << response.status << " " << body;
  operation.outcome = response.status == 404            ? Outcome::kAbsent
                      : operation.kind == Kind::kCreate ? Outcome::kExists
                                                        : Outcome::kConflict;
}

TEST(Linearizability, OfTheServersAnswers) {
  auto server = ApiServer::Make({}).value();
  InProcessTransport transport(*server, {.common_name = "admin", .organizations = {"system:masters"}});
  const auto client = [&](Operation& operation) {
    // Nobody has read it yet: any revision but its own, since an update without one would overwrite all.
    if (operation.expected == 0) operation.expected = 1;
    Do(transport, operation);
  };
  const auto history = testing::RecordHistory(client, {.threads = 6, .operations = 1000});
  EXPECT_EQ(testing::FindViolation(history), "");
  const auto wrote = std::count_if(history.begin(), history.end(), [](const Operation& o) { return o.wrote(); });
  EXPECT_GT(wrote, 300);
}

}  // namespace
}  // namespace keelson::apiserver
