// What custom resources cost in process: how soon a definition can be used, and what an object with a large schema
// takes.
//
//   bench-custom                  20 definitions, 20,000 objects
//   bench-custom --objects 5000
//
// The schema has 200 properties, nested ones counted (numbers, texts with patterns, flags, lists of objects), and 20
// rules.
#include <fmt/format.h>

#include <cstdlib>
#include <string>
#include <string_view>

#include "keelson/apiserver/api_server.h"
#include "keelson/core/clock.h"
#include "keelson/transport/in_process_transport.h"

namespace keelson {
namespace {

constexpr int kMembers = 134;     // of the spec; each fourth is a list of objects of two members
constexpr int kProperties = 200;  // in all
constexpr int kRules = 20;

std::string Schema() {
  std::string properties;
  std::string rules;
  for (int i = 0; i < kMembers; ++i) {
    if (i > 0) properties += ',';
    switch (i % 4) {
      case 0:
        properties += fmt::format(R"("number{}":{{"type":"integer","minimum":0,"maximum":1000,"default":{}}})", i, i);
        break;
      case 1:
        properties += fmt::format(R"("text{}":{{"type":"string","maxLength":64,"pattern":"^[a-z0-9-]*$"}})", i);
        break;
      case 2: properties += fmt::format(R"("flag{}":{{"type":"boolean"}})", i); break;
      default:
        properties += fmt::format(
            R"("ports{}":{{"type":"array","maxItems":16,"x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["name"],)"
            R"("items":{{"type":"object","required":["name"],"properties":{{"name":{{"type":"string","maxLength":20}},)"
            R"("port":{{"type":"integer","minimum":1,"maximum":65535}}}}}}}})",
            i);
    }
  }
  for (int i = 0; i < kRules; ++i) {
    if (i > 0) rules += ',';
    const int number = 4 * i;
    const std::string rule =
        i % 2 == 0
            ? fmt::format("self.number{} <= self.number{} + 1000", number, number + 4)
            : fmt::format("!has(self.ports{0}) || self.ports{0}.all(p, p.port > 0 && p.name.size() > 0)", number + 3);
    rules += fmt::format(R"({{"rule":"{}"}})", rule);
  }
  return fmt::format(
      R"({{"type":"object","properties":{{"spec":{{"type":"object","properties":{{{}}},"x-kubernetes-validations":[{}]}}}}}})",
      properties, rules);
}

std::string Definition(int number, std::string_view schema) {
  return fmt::format(
      R"({{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{{"name":"kinds{0}.bench.example.com"}},)"
      R"("spec":{{"group":"bench.example.com","scope":"Namespaced","names":{{"plural":"kinds{0}","kind":"Kind{0}"}},)"
      R"("versions":[{{"name":"v1","served":true,"storage":true,"schema":{{"openAPIV3Schema":{1}}}}}]}}}})",
      number, schema);
}

std::string Object(int kind, int number) {
  std::string spec;
  for (int i = 0; i < kMembers; ++i) {
    if (i > 0) spec += ',';
    switch (i % 4) {
      case 0: spec += fmt::format(R"("number{}":{})", i, i); break;
      case 1: spec += fmt::format(R"("text{}":"value-{}")", i, i); break;
      case 2: spec += fmt::format(R"("flag{}":true)", i); break;
      default: spec += fmt::format(R"("ports{}":[{{"name":"http","port":80}}])", i);
    }
  }
  return fmt::format(
      R"({{"apiVersion":"bench.example.com/v1","kind":"Kind{}","metadata":{{"name":"object-{}"}},"spec":{{{}}}}})",
      kind, number, spec);
}

class Server {
 public:
  explicit Server(ApiServer& server)
      : transport_(server, {.address = "in-process", .common_name = "admin", .organizations = {"system:masters"}}) {}

  void Post(std::string target, std::string body) {
    Result<HttpResponse> response = transport_.Send({.method = "POST",
                                                     .target = std::move(target),
                                                     .headers = {{"Content-Type", "application/json"}},
                                                     .body = std::move(body)},
                                                    {.stop = {}, .deadline = Clock::Now() + std::chrono::seconds(30)});
    if (response && response->status == 201) return;
    const Result<std::string> text =
        response ? ReadAll(*response->body, size_t{1} << 20) : Result<std::string>(response.error());
    fmt::print(stderr, "bench-custom: the server refused: {}\n", text ? *text : text.error().message());
    std::exit(1);
  }

 private:
  InProcessTransport transport_;
};

double Microseconds(Duration duration) { return std::chrono::duration<double, std::micro>(duration).count(); }

int Run(int definitions, int objects) {
  Result<std::unique_ptr<ApiServer>> made = ApiServer::Make();
  if (!made) return fmt::print(stderr, "bench-custom: {}\n", made.error().message()), 1;
  Server server(**made);
  const std::string schema = Schema();

  double worst = 0;
  double sum = 0;
  for (int i = 0; i < definitions; ++i) {
    const TimePoint start = Clock::Now();
    server.Post("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", Definition(i, schema));
    server.Post(fmt::format("/apis/bench.example.com/v1/namespaces/default/kinds{}", i), Object(i, 0));
    const double took = Microseconds(Clock::Now() - start) / 1000;
    worst = std::max(worst, took);
    sum += took;
  }
  fmt::print("definition to first object: mean_ms={:.2f} worst_ms={:.2f} definitions={}\n", sum / definitions, worst,
             definitions);

  const std::string target = "/apis/bench.example.com/v1/namespaces/default/kinds0";
  std::vector<std::string> bodies;
  for (int i = 1; i <= objects; ++i) bodies.push_back(Object(0, i));
  const size_t bytes = bodies.front().size();
  const TimePoint start = Clock::Now();
  for (std::string& body : bodies) server.Post(target, std::move(body));
  fmt::print("create: us_each={:.1f} objects={} properties={} rules={} body_bytes={}\n",
             Microseconds(Clock::Now() - start) / objects, objects, kProperties, kRules, bytes);
  return 0;
}

}  // namespace
}  // namespace keelson

int main(int argc, char** argv) {
  int objects = 20'000;
  if (argc == 3 && std::string_view(argv[1]) == "--objects") {
    objects = std::atoi(argv[2]);
  } else if (argc != 1) {
    fmt::print(stderr, "usage: bench-custom [--objects N]\n");
    return 2;
  }
  return keelson::Run(20, std::max(objects, 1));
}
